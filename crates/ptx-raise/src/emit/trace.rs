//! The locations of source variables and the scopes of code, for DWARF.
//!
//! While a function is selected, marks ([`Stmt::Mark`]) are among its statements. When the registers are final the marks are
//! evaluated, and those that DWARF refers to are replaced by labels. The location of a variable is propagated along the edges
//! between blocks as long as it is the same on all paths and its registers are not written (manual 11.5 refers to the DWARF
//! standard; by LLVM's `#dbg_value` a variable keeps its value until the next record).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ptx_ir::cfg::Cfg;
use ptx_ir::{Body, LabelKind, RegId, Stmt, Symbol};
use ptx_llvm::address_space;
use ptx_llvm::view::{DebugRecord, DebugRecordKind, InstId, LocationId, MetadataId, Value};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::marks::{Held, Instance, Mark, Marks};
use super::state::Emitter;
use crate::types::{Leaf, Scalar};
use crate::value::{Base, Val};
use ptx_dwarf::{
    Expression, FunctionTrace, GENERIC, IN_REGISTER, Place, ScopeKey, Step, TracedPlace, TracedVariable,
    address_class, op_piece, op_value, parts, pointer_class, scope_chain,
};

/// The maximum size of the table of variables by blocks; above it nothing is known across blocks.
const MAX_TABLE: usize = 1 << 22;

impl Emitter<'_, '_, '_> {
    /// Whether the function's debug information becomes DWARF.
    pub(super) fn is_traced(&self) -> bool {
        self.function.subprogram.is_some() && self.module.makes_dwarf()
    }

    /// Marks that code of a location begins.
    pub(super) fn mark_location(&mut self, id: LocationId) {
        if self.is_traced() {
            self.put_mark(Mark::Location(id));
        }
    }

    /// Adds marks for the debug records before an instruction.
    pub(super) fn mark_records(&mut self, id: InstId) {
        if !self.is_traced() {
            return;
        }
        let function = self.function;
        let first = function.records.partition_point(|record| record.before < id);
        for record in function.records.get(first..).unwrap_or(&[]).iter().take_while(|r| r.before == id) {
            let inlined_at =
                record.location.and_then(|location| self.module.view.location(location).inlined_at);
            let number = self.marks.variable(Instance { variable: record.variable, inlined_at });
            match record.kind {
                DebugRecordKind::Declare => {
                    if let Some(held) = self.held_in_memory(record) {
                        self.marks.declared.insert(number, held);
                    }
                }
                DebugRecordKind::Value => {
                    let held = self.held(record).map(Rc::new);
                    self.put_mark(Mark::Variable(number, held));
                }
            }
        }
    }

    fn put_mark(&mut self, mark: Mark) {
        let number = self.marks.marks.len() as u32;
        self.marks.marks.push(mark);
        self.push(Stmt::Mark(number));
    }

    fn expression(&self, record: &DebugRecord) -> Option<Expression> {
        Expression::of(self.module.view.debug_node(record.expression)?)
    }

    /// The leaves of a record's value with their bytes; `None` where it is gone.
    fn record_leaves(&mut self, record: &DebugRecord) -> Option<Vec<(Val, Scalar, u64, u64)>> {
        let value = record.value?;
        // Intermediate results of a PTX text have no separate value.
        if let Value::Inst(id) = value
            && !self.computed.values.contains(id)
        {
            return None;
        }
        let leaves = self.value_leaves(value).ok()?;
        let has_address = leaves.iter().any(|leaf| matches!(leaf.scalar, Scalar::Pointer { .. }));
        if self.source.is_undef(value) || has_address && matches!(value, Value::Const(_)) {
            return None;
        }
        let values = self.value(value).ok()?;
        let leaf =
            |(at, leaf): (usize, &Leaf)| Some((*values.get(at)?, leaf.scalar, leaf.offset, leaf.bytes));
        leaves.iter().enumerate().map(leaf).collect()
    }

    /// The memory location of a variable.
    fn held_in_memory(&mut self, record: &DebugRecord) -> Option<Held> {
        let expression = self.expression(record)?;
        let &[(value, scalar, ..)] = self.record_leaves(record)?.as_slice() else { return None };
        let Scalar::Pointer { space: own, .. } = scalar else { return None };
        let (mut steps, class) = match value {
            Val::Address { base: Base::Symbol(Symbol::Variable(id)), offset, .. } => {
                let variable = self.module.ir.variable(id);
                let name = self.module.ir.name(variable.name).to_owned();
                (symbol(name, offset)?, address_class(variable.space))
            }
            Val::Address { base: Base::Register(register), offset, space } => {
                (vec![Step::Based(register, offset)], pointer_class(space))
            }
            Val::Register(register, _) => (vec![Step::Based(register, 0)], pointer_class(own)),
            Val::Address { base: Base::Symbol(_), .. } | Val::Bits(_) => return None,
        };
        steps.extend(expression.steps);
        Some(Held { fragment: expression.fragment, steps, class: expression.class.unwrap_or(class) })
    }

    /// The value a variable has.
    fn held(&mut self, record: &DebugRecord) -> Option<Held> {
        let expression = self.expression(record)?;
        let leaves = self.record_leaves(record)?;
        let fragment = expression.fragment;
        if let (&[(value, scalar, ..)], false) = (leaves.as_slice(), expression.steps.is_empty()) {
            let mut steps = based(value, scalar)?;
            steps.extend(expression.steps);
            if expression.is_value {
                steps.extend(op_value());
            }
            return Some(Held { fragment, steps, class: expression.class.unwrap_or(GENERIC) });
        }
        if !expression.steps.is_empty() {
            return None;
        }
        let mut steps = Vec::new();
        let mut end = 0;
        for &(value, scalar, offset, bytes) in &leaves {
            if offset > end {
                steps.extend(op_piece(offset - end));
            }
            steps.extend(one(value, scalar)?);
            if leaves.len() > 1 {
                steps.extend(op_piece(bytes));
            }
            end = offset + bytes;
        }
        (!steps.is_empty()).then_some(Held { fragment, steps, class: IN_REGISTER })
    }

    /// Evaluates the marks of a finished body and inserts labels where DWARF needs them; `settled` maps a register to its final one.
    pub(super) fn trace(&mut self, body: &mut Body, settled: &dyn Fn(RegId) -> RegId) {
        let Some(subprogram) = self.function.subprogram.filter(|_| self.is_traced()) else { return };
        let marks = std::mem::take(&mut self.marks);
        let mut found = self.read_off(body, &marks, settled, subprogram);
        found.settle(&settled_places(body));
        self.place_labels(body, found, subprogram);
    }

    fn read_off(
        &self,
        body: &Body,
        marks: &Marks,
        settled: &dyn Fn(RegId) -> RegId,
        subprogram: MetadataId,
    ) -> Found {
        let scopes = self.scopes(body, marks, subprogram);
        let flow = Flow::new(body, marks, settled);
        let mut variables = Vec::new();
        let mut ranges = flow.ranges();
        for (number, instance) in marks.variables.iter().enumerate() {
            let places = match marks.declared.get(&number) {
                Some(held) => vec![(0..body.statements.len(), vec![Rc::new(held.clone())])],
                None => ranges.get_mut(number).map(std::mem::take).unwrap_or_default(),
            };
            variables.push((*instance, places));
        }
        Found { scopes, variables }
    }

    /// The scopes that have code, with the statements from the first past the last of it.
    fn scopes(
        &self,
        body: &Body,
        marks: &Marks,
        subprogram: MetadataId,
    ) -> BTreeMap<ScopeKey, std::ops::Range<usize>> {
        let mut scopes: BTreeMap<ScopeKey, std::ops::Range<usize>> = BTreeMap::new();
        let mut chains: HashMap<LocationId, Vec<ScopeKey>> = HashMap::default();
        let mut here: Option<LocationId> = None;
        for (at, statement) in body.statements.iter().enumerate() {
            match statement {
                Stmt::Mark(number) => {
                    if let Some(Mark::Location(id)) = marks.marks.get(*number as usize) {
                        here = Some(*id);
                    }
                }
                Stmt::Inst(_) => {
                    let Some(here) = here else { continue };
                    let view = self.module.view;
                    let chain = chains.entry(here).or_insert_with(|| scope_chain(view, here));
                    for key in chain.iter() {
                        let range = scopes.entry(*key).or_insert(at..at + 1);
                        range.end = at + 1;
                    }
                }
                _ => {}
            }
        }
        scopes.insert(ScopeKey { node: subprogram, inlined_at: None }, 0..body.statements.len());
        scopes
    }

    /// Inserts labels at the positions that were found, and passes on what they refer to.
    fn place_labels(&mut self, body: &mut Body, found: Found, subprogram: MetadataId) {
        let function = ScopeKey { node: subprogram, inlined_at: None };
        let whole = found.scopes.get(&function).cloned().unwrap_or_default();
        let mut places: BTreeSet<usize> =
            found.scopes.values().flat_map(|range| [range.start, range.end]).collect();
        let view = self.module.view;
        let scope_of = |instance: &Instance| {
            let node = view.debug_node(instance.variable)?.node("scope")?;
            let key = ScopeKey::innermost(view, node, instance.inlined_at)?;
            found.scopes.get(&key).cloned()
        };
        let mut single = vec![false; found.variables.len()];
        for ((instance, ranges), single) in found.variables.iter().zip(&mut single) {
            if let (Some(scope), [(range, _)]) = (scope_of(instance), ranges.as_slice()) {
                *single = range.start <= scope.start && scope.end <= range.end;
            }
            if !*single {
                places.extend(ranges.iter().flat_map(|(range, _)| [range.start, range.end]));
            }
        }
        let named = places.into_iter().map(|place| match place {
            _ if place == whole.start => (place, self.module.dwarf_label("func_begin")),
            _ if place == whole.end => (place, self.module.dwarf_label("func_end")),
            _ => (place, self.module.dwarf_label("tmp")),
        });
        let places: BTreeMap<usize, String> = named.collect();
        let label = |place: usize| places.get(&place).cloned().unwrap_or_default();
        let name = |register: RegId| {
            let decl = body.decl(register);
            let stem = self.module.ir.name(decl.name);
            match (decl.count, body.registers.get(register.index())) {
                (Some(_), Some(register)) => format!("{stem}{}", register.number),
                _ => stem.to_owned(),
            }
        };
        let trace = FunctionTrace {
            subprogram,
            scopes: found
                .scopes
                .iter()
                .map(|(key, range)| (*key, (label(range.start), label(range.end))))
                .collect(),
            variables: found
                .variables
                .iter()
                .zip(single)
                .map(|((instance, ranges), single)| TracedVariable {
                    variable: instance.variable,
                    inlined_at: instance.inlined_at,
                    place: traced(ranges, single, &label, &name),
                })
                .collect(),
        };
        self.module.traces.push(trace);
        self.rewrite_marks(body, &places);
    }

    fn rewrite_marks(&mut self, body: &mut Body, places: &BTreeMap<usize, String>) {
        let end = body.statements.len();
        let statements = std::mem::take(&mut body.statements);
        let mut new = Vec::with_capacity(statements.len() + places.len());
        let mut place = |body: &mut Body, new: &mut Vec<Stmt>, at: usize| {
            if let Some(name) = places.get(&at) {
                let name = self.module.ir.strings.intern(name);
                body.labels.push(ptx_ir::Label { name, kind: LabelKind::Code, at: ptx_ir::At::default() });
                new.push(Stmt::Label(ptx_ir::LabelId(body.labels.len() as u32 - 1)));
            }
        };
        for (at, statement) in statements.into_iter().enumerate() {
            place(body, &mut new, at);
            if !matches!(statement, Stmt::Mark(_)) {
                new.push(statement);
            }
        }
        place(body, &mut new, end);
        body.statements = new;
    }
}

/// The result of evaluating the marks.
struct Found {
    scopes: BTreeMap<ScopeKey, std::ops::Range<usize>>,
    variables: Vec<(Instance, Ranges)>,
}

impl Found {
    /// Moves every position to its final one, and removes ranges without code.
    fn settle(&mut self, settled: &[usize]) {
        let place = |at: usize| settled.get(at).copied().unwrap_or(at);
        for range in self.scopes.values_mut() {
            *range = place(range.start)..place(range.end);
        }
        for (_, ranges) in &mut self.variables {
            let mut kept: Ranges = Vec::new();
            for (range, held) in std::mem::take(ranges) {
                let range = place(range.start)..place(range.end);
                match kept.last_mut() {
                    Some((last, same)) if last.end == range.start && *same == held => last.end = range.end,
                    Some(_) | None if range.start < range.end => kept.push((range, held)),
                    Some(_) | None => {}
                }
            }
            *ranges = kept;
        }
    }
}

/// For each position in the text, and the one after it, the last position before the same code: before an instruction or
/// a label, after declarations, `.loc` and marks.
fn settled_places(body: &Body) -> Vec<usize> {
    let mut settled = vec![body.statements.len(); body.statements.len() + 1];
    let mut last = body.statements.len();
    for (at, statement) in body.statements.iter().enumerate().rev() {
        let is_nothing = matches!(
            statement,
            Stmt::Mark(_)
                | Stmt::Location(_)
                | Stmt::Registers(..)
                | Stmt::Variable(_)
                | Stmt::TrailingComment(_)
        );
        if !is_nothing {
            last = at;
        }
        if let Some(place) = settled.get_mut(at) {
            *place = last;
        }
    }
    settled
}

/// Ranges of statements, and the location of a variable there, by parts.
type Ranges = Vec<(std::ops::Range<usize>, Vec<Rc<Held>>)>;

fn traced(
    ranges: &Ranges,
    single: bool,
    label: &dyn Fn(usize) -> String,
    name: &dyn Fn(RegId) -> String,
) -> TracedPlace {
    match ranges.as_slice() {
        [] => TracedPlace::Nowhere,
        [(_, held)] if single => {
            let class = held.first().map_or(GENERIC, |held| held.class);
            TracedPlace::Everywhere(Place { parts: parts(&composed(held), name), class })
        }
        ranges => TracedPlace::Ranges(
            ranges
                .iter()
                .map(|(range, held)| (label(range.start), label(range.end), parts(&composed(held), name)))
                .collect(),
        ),
    }
}

/// One expression for the parts of a variable; the gaps between them are unknown.
fn composed(held: &[Rc<Held>]) -> Vec<Step> {
    let mut parts: Vec<&Held> = held.iter().map(Rc::as_ref).collect();
    parts.sort_by_key(|held| held.fragment);
    let mut steps = Vec::new();
    let mut end = 0;
    for held in parts {
        let Some((first, bits)) = held.fragment else { return held.steps.clone() };
        if first > end {
            steps.extend(op_piece((first - end) / 8));
        }
        steps.extend(held.steps.iter().cloned());
        steps.extend(op_piece(bits / 8));
        end = first + bits;
    }
    steps
}

/// A variable's address and bytes after it.
fn symbol(name: String, offset: i64) -> Option<Vec<Step>> {
    let mut steps = vec![Step::Symbol(name)];
    match u64::try_from(offset) {
        Ok(0) => {}
        Ok(offset) => steps.extend(ptx_dwarf::op_plus(offset)),
        Err(_) => return None,
    }
    Some(steps)
}

/// The start of an expression with operations.
fn based(value: Val, scalar: Scalar) -> Option<Vec<Step>> {
    match value {
        Val::Register(register, _) => Some(vec![Step::Based(register, 0)]),
        Val::Bits(bits) => Some(ptx_dwarf::op_constant(bits)),
        Val::Address { base: Base::Register(register), offset, space } if same_number(space, scalar) => {
            Some(vec![Step::Based(register, offset)])
        }
        Val::Address { .. } => None,
    }
}

/// A leaf's value.
fn one(value: Val, scalar: Scalar) -> Option<Vec<Step>> {
    let mut steps = based(value, scalar)?;
    if let &[Step::Based(register, 0)] = steps.as_slice() {
        return Some(vec![Step::Register(register)]);
    }
    steps.extend(op_value());
    Some(steps)
}

/// Whether an address of a space is the number that a pointer's bits are.
fn same_number(space: u32, scalar: Scalar) -> bool {
    let Scalar::Pointer { space: own, .. } = scalar else { return false };
    let plain = |space| if space == address_space::GLOBAL { address_space::GENERIC } else { space };
    plain(own) == plain(space)
}

/// The location of each variable at a position: its parts, none if it is unknown.
type State = Vec<Vec<Rc<Held>>>;

/// The propagation of variable locations from statement to statement.
struct Flow<'b> {
    body: &'b Body,
    cfg: Cfg,
    /// The variable that a statement sets the location of, and the location.
    sets: HashMap<usize, (usize, Option<Rc<Held>>)>,
    /// The variables whose location becomes unknown when a register is written.
    held_in: HashMap<RegId, Vec<usize>>,
    variables: usize,
}

impl<'b> Flow<'b> {
    fn new(body: &'b Body, marks: &Marks, settled: &dyn Fn(RegId) -> RegId) -> Self {
        let mut flow = Flow {
            body,
            cfg: Cfg::new(body),
            sets: HashMap::default(),
            held_in: HashMap::default(),
            variables: marks.variables.len(),
        };
        let mut written: HashSet<RegId> = HashSet::default();
        for statement in &body.statements {
            let Stmt::Inst(inst) = statement else { continue };
            body.for_each_register(inst, |register, role| {
                if role.is_written() {
                    written.insert(register);
                }
            });
        }
        for (at, statement) in body.statements.iter().enumerate() {
            let Stmt::Mark(mark) = statement else { continue };
            let Some(Mark::Variable(number, held)) = marks.marks.get(*mark as usize) else { continue };
            let held = held.as_ref().map(|held| {
                let mut held = Held::clone(held);
                for step in &mut held.steps {
                    match step {
                        Step::Register(register) | Step::Based(register, _) => *register = settled(*register),
                        Step::Byte(_) | Step::Symbol(_) => {}
                    }
                }
                held
            });
            let held = held
                .filter(|held| held.steps.iter().filter_map(Step::register).all(|r| written.contains(&r)));
            for register in held.iter().flat_map(|held| held.steps.iter().filter_map(Step::register)) {
                flow.held_in.entry(register).or_default().push(*number);
            }
            flow.sets.insert(at, (*number, held.map(Rc::new)));
        }
        for list in flow.held_in.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        flow
    }

    /// Steps over a statement, telling which variables may have changed.
    fn step(&self, at: usize, state: &mut State, changed: &mut dyn FnMut(usize)) {
        match self.body.statements.get(at) {
            Some(Stmt::Inst(inst)) => {
                self.body.for_each_register(inst, |register, role| {
                    if !role.is_written() {
                        return;
                    }
                    for &number in self.held_in.get(&register).map_or(&[][..], Vec::as_slice) {
                        if let Some(parts) = state.get_mut(number) {
                            let names = |held: &Rc<Held>| {
                                held.steps.iter().any(|step| step.register() == Some(register))
                            };
                            parts.retain(|held| !names(held));
                            changed(number);
                        }
                    }
                });
            }
            Some(Stmt::Mark(_)) => {
                let Some((number, held)) = self.sets.get(&at) else { return };
                let Some(parts) = state.get_mut(*number) else { return };
                match held {
                    Some(held) => {
                        parts.retain(|other| !overlaps(other.fragment, held.fragment));
                        parts.push(Rc::clone(held));
                    }
                    None => parts.clear(),
                }
                changed(*number);
            }
            _ => {}
        }
    }

    /// The variable locations at the start of each block.
    fn at_starts(&self) -> Vec<State> {
        let blocks = self.cfg.blocks.len();
        let nothing: State = vec![Vec::new(); self.variables];
        if blocks.saturating_mul(self.variables) > MAX_TABLE {
            return vec![nothing; blocks];
        }
        let mut ends: Vec<Option<State>> = vec![None; blocks];
        let mut starts: Vec<State> = vec![nothing.clone(); blocks];
        let order = self.cfg.reverse_post_order();
        loop {
            let mut changed = false;
            for block in &order {
                let Some(own) = self.cfg.blocks.get(block.index()) else { continue };
                let mut known = own.predecessors.iter().filter_map(|p| ends.get(p.index())?.as_ref());
                let mut state = match known.next() {
                    Some(first) if block.index() != 0 => first.clone(),
                    Some(_) | None => nothing.clone(),
                };
                for other in known {
                    for (mine, theirs) in state.iter_mut().zip(other) {
                        mine.retain(|held| theirs.contains(held));
                    }
                }
                if let Some(start) = starts.get_mut(block.index()) {
                    start.clone_from(&state);
                }
                for at in own.statements.clone() {
                    self.step(at, &mut state, &mut |_| {});
                }
                if let Some(end) = ends.get_mut(block.index())
                    && end.as_ref() != Some(&state)
                {
                    *end = Some(state);
                    changed = true;
                }
            }
            if !changed {
                return starts;
            }
        }
    }

    /// By variable: the ranges of statements with its location in each.
    fn ranges(&self) -> Vec<Ranges> {
        let mut ranges: Vec<Ranges> = vec![Vec::new(); self.variables];
        let starts = self.at_starts();
        for (block, start) in self.cfg.blocks.iter().zip(starts) {
            let mut state = start;
            let mut since: Vec<(usize, Vec<Rc<Held>>)> =
                state.iter().map(|held| (block.statements.start, held.clone())).collect();
            let mut close = |since: &mut (usize, Vec<Rc<Held>>), number: usize, end: usize| {
                let (start, held) = std::mem::take(since);
                let Some(list) = ranges.get_mut(number) else { return };
                if held.is_empty() || start >= end {
                    return;
                }
                match list.last_mut() {
                    Some((last, same)) if last.end == start && *same == held => last.end = end,
                    Some(_) | None => list.push((start..end, held)),
                }
            };
            for at in block.statements.clone() {
                let mut touched = Vec::new();
                self.step(at, &mut state, &mut |number| touched.push(number));
                for number in touched {
                    let (Some(open), Some(held)) = (since.get_mut(number), state.get(number)) else {
                        continue;
                    };
                    if open.1 != *held {
                        close(open, number, at + 1);
                        *open = (at + 1, held.clone());
                    }
                }
            }
            for (number, open) in since.iter_mut().enumerate() {
                close(open, number, block.statements.end);
            }
        }
        ranges
    }
}

/// Whether two parts of a variable share bits.
fn overlaps(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> bool {
    match (a, b) {
        (Some((a, a_bits)), Some((b, b_bits))) => {
            a < b.saturating_add(b_bits) && b < a.saturating_add(a_bits)
        }
        (None, _) | (_, None) => true,
    }
}
