//! PTX instructions that are several of LLVM's, found again by their marks.
//!
//! `!ptx.inst` says which PTX instruction (or chain of instructions that share the carry flag) some LLVM instructions came
//! from. Passes may have changed them since, so a mark is only a hint of where to look: its text is lowered again,
//! and the result must be, operation by operation, what stands in the function. Then the text says all of it, and what
//! nothing else uses of it disappears.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::rc::Rc;

use ptx_diag::SourceFile;
use ptx_llvm::view::{
    BinaryOp, Block, CastOp, ConstId, Constant, Function, Inst, InstId, Op, Symbol, Type, Value, View,
};

use super::FunctionRaiser;
use super::asm::{Constraint, parse_constraints};
use crate::error::{ASSEMBLY, Raised, Refusal};
use crate::module::ModuleRaiser;
use crate::references::for_each_operand;
use crate::types::{SharedAddresses, space_class};

/// Operations nested deeper than this are not compared.
const MAX_DEPTH: u32 = 512;
/// Operands are tried the other way round down to this depth: each level doubles the work.
const MAX_COMMUTED: u32 = 6;
/// The name of the function whose body is a marked text.
const PATTERN_NAME: &str = "pattern";

/// What a marked text lowers to.
#[derive(Debug)]
pub(crate) struct Pattern {
    view: View,
    function: usize,
    /// The operation of each result; `None` for one that is a parameter or a constant.
    roots: Vec<Option<InstId>>,
    parameters: usize,
}

/// An instruction to emit from a text.
#[derive(Debug)]
pub(super) struct Spelling {
    pub(super) text: String,
    pub(super) constraints: Vec<Constraint>,
    /// Which instruction has each result, where one has.
    pub(super) roots: Vec<Option<InstId>>,
    /// The operands, in the order of the constraints.
    pub(super) inputs: Vec<Value>,
    /// All instructions that the text says.
    pub(super) covered: Vec<InstId>,
    /// The instruction in whose place the text stands.
    pub(super) place: InstId,
}

/// The parts of one `!ptx.inst`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark<'v> {
    text: &'v str,
    constraints: &'v str,
    output: usize,
}

/// Compares a pattern with a function.
#[derive(Clone)]
struct Matching<'a> {
    pattern: &'a Pattern,
    view: &'a View,
    shared: SharedAddresses,
    function: &'a Function,
    inputs: Vec<Option<Value>>,
    pairs: HashMap<InstId, InstId>,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the marked instructions that still are what they say.
    pub(super) fn spell(&mut self) {
        let mut found: Vec<Spelling> = Vec::new();
        let mut taken: HashSet<InstId> = HashSet::default();
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                if taken.contains(&id) {
                    continue;
                }
                let Some(spelling) = self.spelling_at(id, self.function.block(block)) else { continue };
                if spelling.covered.iter().any(|id| taken.contains(id)) {
                    continue;
                }
                taken.extend(&spelling.covered);
                found.push(spelling);
            }
        }
        // What one text takes as an operand must be there, whatever another covers.
        let needed: HashSet<InstId> = found
            .iter()
            .flat_map(|spelling| &spelling.inputs)
            .filter_map(|value| match value {
                Value::Inst(id) => Some(*id),
                _ => None,
            })
            .collect();
        for spelling in found {
            self.accept(spelling, &needed);
        }
    }

    fn mark(&self, id: InstId) -> Option<Mark<'_>> {
        let node = self.function.inst(id).metadata("ptx.inst")?;
        match self.module.view.strings(node).as_slice() {
            &[text, constraints, output] => Some(Mark { text, constraints, output: output.parse().ok()? }),
            _ => None,
        }
    }

    fn spelling_at(&mut self, id: InstId, block: &Block) -> Option<Spelling> {
        let mark = self.mark(id)?;
        let (text, constraints) = (mark.text.to_owned(), mark.constraints.to_owned());
        let pattern = self.module.pattern(&text, &constraints)?;
        let mark = self.mark(id)?;
        let mut matching = Matching {
            pattern: &pattern,
            view: self.module.view,
            shared: self.module.leaves.shared(),
            function: self.function,
            inputs: vec![None; pattern.parameters],
            pairs: HashMap::default(),
        };
        let mut roots = vec![None; pattern.roots.len()];
        if !matching.same(Value::Inst((*pattern.roots.get(mark.output)?)?), Value::Inst(id), 0) {
            return None;
        }
        *roots.get_mut(mark.output)? = Some(id);
        for (output, root) in pattern.roots.iter().enumerate() {
            let (Some(root), None) = (root, roots.get(output)?) else { continue };
            let wanted = Mark { output, ..mark };
            let others = block.inst_ids().filter(|other| *other > id && self.mark(*other) == Some(wanted));
            for other in others {
                let mut attempt = matching.clone();
                if attempt.same(Value::Inst(*root), Value::Inst(other), 0) {
                    matching = attempt;
                    *roots.get_mut(output)? = Some(other);
                    break;
                }
            }
        }
        let inputs: Vec<Value> = matching.inputs.iter().copied().collect::<Option<_>>()?;
        let mut covered: Vec<InstId> = matching.pairs.values().copied().collect();
        covered.sort_unstable();
        let constraints = parse_constraints(&constraints).ok()?;
        if !inputs.iter().all(|input| is_known_or_result(*input, &roots, &covered)) {
            return None;
        }
        let place = self.place_of(&roots, &inputs, &covered, block)?;
        Some(Spelling { text, constraints, roots, inputs, covered, place })
    }

    /// Where a text can stand: at its first result where all operands are known there, else at the last one where nothing
    /// uses the earlier ones before it.
    pub(super) fn place_of(
        &self,
        roots: &[Option<InstId>],
        inputs: &[Value],
        covered: &[InstId],
        block: &Block,
    ) -> Option<InstId> {
        let mut present: Vec<InstId> = roots.iter().flatten().copied().collect();
        present.sort_unstable();
        let (first, last) = (*present.first()?, *present.last()?);
        let here = |id: &InstId| block.insts.contains(&(id.index() as u32));
        // What another text says stands in that text's place.
        let place = |id: &InstId| self.text_places.get(id).copied().unwrap_or(*id);
        let late = inputs.iter().any(|input| match input {
            // What an earlier instruction of the text gives is there when a later one reads it.
            Value::Inst(id) => here(id) && place(id) >= first && !present.contains(id),
            _ => false,
        });
        if !late {
            return Some(first);
        }
        let early_use = present.iter().filter(|root| **root != last).any(|root| {
            let users = self.users.get(root.index()).unwrap_or_default();
            users.iter().any(|user| {
                here(user)
                    && place(user) < last
                    && !covered.contains(user)
                    && !matches!(self.function.inst(*user).op, Op::Phi { .. })
            })
        });
        (!early_use).then_some(last)
    }

    /// Takes what only the text used out of the function.
    pub(super) fn accept(&mut self, spelling: Spelling, needed: &HashSet<InstId>) {
        let roots: HashSet<InstId> = spelling.roots.iter().flatten().copied().collect();
        let mut gone: HashSet<InstId> = roots.clone();
        for id in spelling.covered.iter().rev() {
            let users = self.users.get(id.index()).unwrap_or_default();
            if !roots.contains(id) && !needed.contains(id) && users.iter().all(|user| gone.contains(user)) {
                gone.insert(*id);
            }
        }
        gone.extend(self.views_for(&gone, needed));
        for id in &gone {
            for_each_operand(&self.function.inst(*id).op, &mut |value| {
                if let Value::Inst(used) = value
                    && let Some(count) = self.uses.get_mut(used.index())
                {
                    *count = count.saturating_sub(1);
                }
            });
            self.spelled.insert(*id);
            if *id != spelling.place {
                self.fused.insert(*id);
            }
        }
        for input in &spelling.inputs {
            if let Value::Inst(used) = input
                && let Some(count) = self.uses.get_mut(used.index())
            {
                *count += 1;
            }
        }
        self.text_inputs.extend(&spelling.inputs);
        // What others still need stays where it is, though the text says it too.
        self.text_places.extend(gone.iter().map(|id| (*id, spelling.place)));
        self.spellings.insert(spelling.place, spelling);
    }

    /// Casts of bits that only gone instructions take: the text takes what is cast.
    fn views_for(&self, gone: &HashSet<InstId>, needed: &HashSet<InstId>) -> Vec<InstId> {
        let mut views = Vec::new();
        for id in gone {
            for_each_operand(&self.function.inst(*id).op, &mut |value| {
                if let Value::Inst(view) = value
                    && matches!(self.function.inst(view).op, Op::Cast { op: CastOp::BitCast, .. })
                    && !needed.contains(&view)
                    && self
                        .users
                        .get(view.index())
                        .is_some_and(|users| users.iter().all(|user| gone.contains(user)))
                {
                    views.push(view);
                }
            });
        }
        views
    }

    /// Emits a text in the place of what it says.
    pub(super) fn emit_spelling(&mut self, spelling: &Spelling) -> Raised<()> {
        let mut operands = Vec::with_capacity(spelling.constraints.len());
        let mut outputs = Vec::with_capacity(spelling.roots.len());
        let mut inputs = spelling.inputs.iter();
        for constraint in &spelling.constraints {
            match constraint {
                Constraint::Output(class) => {
                    let register = self.register(*class);
                    outputs.push(register);
                    operands.push(ptx_ir::Operand::Register(register));
                }
                Constraint::Input(class) => {
                    let missing = || Refusal::new(ASSEMBLY, "a mark with more constraints than operands");
                    let input = *inputs.next().ok_or_else(missing)?;
                    let own = spelling.roots.iter().position(|root| root.map(Value::Inst) == Some(input));
                    if let Some(register) = own.and_then(|output| outputs.get(output)) {
                        operands.push(ptx_ir::Operand::Register(*register));
                        continue;
                    }
                    let (leaves, values) = (self.value_leaves(input)?, self.value(input)?);
                    operands.push(ptx_ir::Operand::Register(self.asm_input(&leaves, &values, *class)?));
                }
                Constraint::Tied(_) | Constraint::Immediate => {
                    return Err(Refusal::new(ASSEMBLY, "a mark with a constraint that marks do not have"));
                }
            }
        }
        self.read_asm(&spelling.text, &operands)?;
        for (root, register) in spelling.roots.iter().zip(outputs) {
            if let Some(root) = root {
                self.take_outputs(*root, &[register])?;
            }
        }
        Ok(())
    }
}

impl ModuleRaiser<'_, '_> {
    /// What a marked text lowers to, by text and constraints.
    fn pattern(&mut self, text: &str, constraints: &str) -> Option<Rc<Pattern>> {
        let key = (text.to_owned(), constraints.to_owned());
        if let Some(known) = self.patterns.get(&key) {
            return known.clone();
        }
        let pattern = self.lower_pattern(text, constraints).map(Rc::new);
        self.patterns.insert(key, pattern.clone());
        pattern
    }

    /// Lowers a function with the text as its body, operands as parameters and results.
    fn lower_pattern(&self, text: &str, constraints: &str) -> Option<Pattern> {
        let (version, sm, _) = self.target.finish().ok()?;
        let (mut results, mut parameters) = (Vec::new(), Vec::new());
        for (number, constraint) in constraints.split(',').enumerate() {
            let (list, letter) = match constraint.strip_prefix('=') {
                Some(letter) => (&mut results, letter),
                None => (&mut parameters, constraint),
            };
            list.push(format!(".reg .{} %v{number}", register_type(letter)?));
        }
        let body = text.replace('$', "%v");
        let source = format!(
            ".version {version}\n.target {sm}\n.address_size 64\n.func ({}) {PATTERN_NAME}({})\n{{\n{body}\nret;\n}}\n",
            results.join(", "),
            parameters.join(", ")
        );
        let (module, found) = ptx_syntax::parse(&SourceFile::new(PATTERN_NAME, source));
        if found.has_errors() {
            return None;
        }
        let (verified, _) = ptx_verify::verify(&module).ok()?;
        let lowered = ptx_lower::lower(&verified, self.llvm.context()).ok()?;
        let view = View::new(&lowered).ok()?;
        let function = view.functions.iter().position(|function| function.name == PATTERN_NAME)?;
        let roots = roots(&view, view.functions.get(function)?, results.len())?;
        Some(Pattern { view, function, roots, parameters: parameters.len() })
    }
}

/// Whether an operand is there before the text, or is what an instruction of the text gives to a later one.
fn is_known_or_result(input: Value, roots: &[Option<InstId>], covered: &[InstId]) -> bool {
    match input {
        Value::Inst(id) => roots.contains(&Some(id)) || !covered.contains(&id),
        _ => true,
    }
}

/// The type of the registers that a constraint stands for.
fn register_type(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "b" => "pred",
        "h" => "b16",
        "r" => "b32",
        "l" => "b64",
        "f" => "f32",
        "d" => "f64",
        _ => return None,
    })
}

/// The operations behind the results of a function of one block.
fn roots(view: &View, function: &Function, count: usize) -> Option<Vec<Option<InstId>>> {
    let [block] = function.blocks.as_slice() else { return None };
    let last = block.inst_ids().next_back()?;
    let Op::Ret { value: Some(value) } = function.inst(last).op else { return None };
    let mut roots = vec![None; count];
    if let [root] = roots.as_mut_slice() {
        *root = operation(view, function, value);
        return Some(roots);
    }
    let mut aggregate = value;
    while let Value::Inst(id) = aggregate {
        let Op::InsertValue { aggregate: inner, element, indices } = &function.inst(id).op else {
            return None;
        };
        let [index] = indices.as_slice() else { return None };
        *roots.get_mut(*index as usize)? = operation(view, function, *element);
        aggregate = *inner;
    }
    let fits = matches!(view.ty(function.ret), Type::Struct { .. });
    fits.then_some(roots)
}

/// The operation behind a value: conversions that keep all bits depend on what the value is used for.
fn operation(view: &View, function: &Function, value: Value) -> Option<InstId> {
    match bits_of(view, function, value) {
        Value::Inst(id) => Some(id),
        _ => None,
    }
}

/// A value before the conversions that keep all bits, as far as it is no vector.
fn bits_of(view: &View, function: &Function, value: Value) -> Value {
    let mut value = value;
    while let Value::Inst(id) = value
        && let Some(inst) = function.insts.get(id.index())
        && let Op::Cast { op: CastOp::BitCast | CastOp::PtrToInt | CastOp::IntToPtr, value: inner, .. } =
            inst.op
        && let Some(ty) = view.value_type(function, inner)
        && !matches!(view.ty(ty), Type::Vector { .. })
    {
        value = inner;
    }
    value
}

impl Matching<'_> {
    fn pattern_function(&self) -> Option<&Function> {
        self.pattern.view.functions.get(self.pattern.function)
    }

    /// Whether a value of the pattern stands for a value of the function.
    fn same(&mut self, pattern: Value, value: Value, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let Some(own) = self.pattern_function() else { return false };
        if let Value::Arg(at) = bits_of(&self.pattern.view, own, pattern) {
            return self.same_types(pattern, value) && self.bind(at, value);
        }
        match (pattern, value) {
            (Value::Const(pattern), Value::Const(value)) => self.same_constants(pattern, value, depth),
            (Value::Inst(pattern), Value::Inst(value)) => self.same_operations(pattern, value, depth),
            _ => false,
        }
    }

    fn same_types(&self, pattern: Value, value: Value) -> bool {
        let Some(own) = self.pattern_function() else { return false };
        let pattern = self.pattern.view.value_type(own, pattern);
        let value = self.view.value_type(self.function, value);
        match (pattern, value) {
            (Some(pattern), Some(value)) => {
                let address = match (self.pattern.view.ty(pattern), self.view.ty(value)) {
                    // An address is the number that registers of its space hold.
                    (Type::Int { bits }, Type::Pointer { space }) => {
                        space_class(self.view, self.shared, *space).bits() == *bits
                    }
                    _ => false,
                };
                address || self.pattern.view.type_text(pattern) == self.view.type_text(value)
            }
            _ => false,
        }
    }

    fn bind(&mut self, at: u32, value: Value) -> bool {
        let (view, function) = (self.view, self.function);
        // A vector that is a number seen otherwise goes as the number.
        let vector = self.view.value_type(function, value).map(|ty| self.view.ty(ty));
        let value = match vector {
            Some(Type::Vector { .. }) => bits_of(view, function, value),
            _ => value,
        };
        match self.inputs.get_mut(at as usize) {
            Some(slot @ None) => {
                *slot = Some(value);
                true
            }
            Some(Some(known)) => bits_of(view, function, *known) == bits_of(view, function, value),
            None => false,
        }
    }

    fn same_operations(&mut self, pattern: InstId, value: InstId, depth: u32) -> bool {
        if let Some(known) = self.pairs.get(&pattern) {
            return *known == value;
        }
        if let Some(steps) = self.address_sum(pattern, value) {
            return self.same_sum(pattern, value, steps, depth);
        }
        if !self.same_types(Value::Inst(pattern), Value::Inst(value)) {
            return false;
        }
        let Some(own) = self.pattern_function().and_then(|own| own.insts.get(pattern.index())) else {
            return false;
        };
        let Some(other) = self.function.insts.get(value.index()) else { return false };
        if !self.same_kind(own, other) {
            return false;
        }
        let mut operands = (Vec::new(), Vec::new());
        for_each_operand(&own.op, &mut |operand| operands.0.push(operand));
        for_each_operand(&other.op, &mut |operand| operands.1.push(operand));
        if operands.0.len() != operands.1.len() {
            return false;
        }
        let commutes = match &own.op {
            Op::Binary { op, .. } => op.commutes() && depth < MAX_COMMUTED,
            _ => false,
        };
        // The callee is an operand too, and compared with the kind.
        let skipped = usize::from(matches!(own.op, Op::Call(_)));
        let (own, mut other) = (operands.0.split_off(skipped), operands.1.split_off(skipped));
        if commutes {
            let mut attempt = self.clone();
            if !attempt.same_all(&own, &other, depth) {
                other.reverse();
                attempt = self.clone();
                if !attempt.same_all(&own, &other, depth) {
                    return false;
                }
            }
            *self = attempt;
        } else if !self.same_all(&own, &other, depth) {
            return false;
        }
        self.pairs.insert(pattern, value);
        true
    }

    fn same_all(&mut self, own: &[Value], other: &[Value], depth: u32) -> bool {
        own.iter().zip(other).all(|(own, other)| self.same(*own, *other, depth + 1))
    }

    /// The terms of a sum and of the step from an address that says the same sum: the lowering writes sums as such steps
    /// where one of their terms is an address.
    fn address_sum(&self, pattern: InstId, value: InstId) -> Option<([Value; 2], [Value; 2])> {
        let own = self.pattern_function()?.insts.get(pattern.index())?;
        let Op::Binary { op: BinaryOp::Add, lhs, rhs, .. } = own.op else { return None };
        let Op::Gep { source, base, ref indices, .. } = self.function.insts.get(value.index())?.op else {
            return None;
        };
        let &[index] = indices.as_slice() else { return None };
        let bytes = self.view.layout(source)?.size == 1;
        let width = self.pattern.view.ty(own.ty);
        let counted = self.view.value_type(self.function, index).is_some_and(|ty| self.view.ty(ty) == width);
        (bytes && counted).then_some(([lhs, rhs], [base, index]))
    }

    /// Whether the terms of a sum are the base and the index of a step, either way round.
    fn same_sum(
        &mut self,
        pattern: InstId,
        value: InstId,
        (own, other): ([Value; 2], [Value; 2]),
        depth: u32,
    ) -> bool {
        if !self.same_types(Value::Inst(pattern), Value::Inst(value)) {
            return false;
        }
        let [base, index] = other;
        for terms in [[base, index], [index, base]] {
            let mut attempt = self.clone();
            if own.iter().zip(terms).all(|(own, term)| attempt.same(*own, term, depth + 1)) {
                *self = attempt;
                self.pairs.insert(pattern, value);
                return true;
            }
        }
        false
    }

    /// Whether two operations without effects are the same but for their operands. What `nsw` and its kin promise in the
    /// function only leaves more open.
    fn same_kind(&self, own: &Inst, other: &Inst) -> bool {
        match (&own.op, &other.op) {
            (Op::Binary { op, fast, .. }, Op::Binary { op: other, fast: other_fast, .. }) => {
                op == other && fast == other_fast
            }
            (Op::Cast { op, fast, .. }, Op::Cast { op: other, fast: other_fast, .. }) => {
                op == other && fast == other_fast
            }
            (Op::ICmp { predicate, .. }, Op::ICmp { predicate: other, .. }) => predicate == other,
            (Op::FCmp { predicate, fast, .. }, Op::FCmp { predicate: other, fast: other_fast, .. }) => {
                predicate == other && fast == other_fast
            }
            (Op::Select { fast, .. }, Op::Select { fast: other, .. })
            | (Op::FNeg { fast, .. }, Op::FNeg { fast: other, .. }) => fast == other,
            (Op::ExtractElement { .. }, Op::ExtractElement { .. })
            | (Op::InsertElement { .. }, Op::InsertElement { .. })
            | (Op::Freeze { .. }, Op::Freeze { .. }) => true,
            (Op::ShuffleVector { mask, .. }, Op::ShuffleVector { mask: other, .. }) => mask == other,
            (Op::ExtractValue { indices, .. }, Op::ExtractValue { indices: other, .. })
            | (Op::InsertValue { indices, .. }, Op::InsertValue { indices: other, .. }) => indices == other,
            (Op::Call(call), Op::Call(other)) => {
                let own = pure_intrinsic(&self.pattern.view, call.callee);
                own.is_some()
                    && own == pure_intrinsic(self.view, other.callee)
                    && call.fast == other.fast
                    && call.bundles.is_empty()
                    && other.bundles.is_empty()
            }
            _ => false,
        }
    }

    fn same_constants(&self, pattern: ConstId, value: ConstId, depth: u32) -> bool {
        let (own, view) = (&self.pattern.view, self.view);
        if depth > MAX_DEPTH
            || own.type_text(own.constant_type(pattern)) != view.type_text(view.constant_type(value))
        {
            return false;
        }
        match (own.constant(pattern), view.constant(value)) {
            (Constant::Aggregate(parts), Constant::Aggregate(others)) => {
                parts.len() == others.len()
                    && parts
                        .iter()
                        .zip(others)
                        .all(|(part, other)| self.same_constants(*part, *other, depth + 1))
            }
            (
                own @ (Constant::Int(_)
                | Constant::Float(_)
                | Constant::Null
                | Constant::Zero
                | Constant::Undef
                | Constant::Poison
                | Constant::Data(_)),
                other,
            ) => own == other,
            _ => false,
        }
    }
}

/// The name of the intrinsic that is called, when it is a function of its operands alone.
fn pure_intrinsic(view: &View, callee: Value) -> Option<&str> {
    let Value::Const(id) = callee else { return None };
    let Constant::Symbol(Symbol::Function(id)) = view.constant(id) else { return None };
    let function = view.function(*id);
    let pure = function.intrinsic && function.attributes.number("memory") == Some(0);
    (pure && !function.attributes.has("convergent")).then_some(function.name.as_str())
}
