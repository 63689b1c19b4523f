//! Patterns from PTX texts: the pattern is the IR that a text lowers to.

use rustc_hash::FxHashMap as HashMap;
use std::rc::Rc;
use std::sync::Arc;

use ptx_diag::SourceFile;
use ptx_llvm_core::view::{CastOp, Function, InstId, Op, Type, Value, View};
use ptx_llvm_core::{Context, Gpu, Machine, Module, OptLevel};

use crate::constraint::register_class;
use crate::target::Target;

/// The prefix of the names of functions whose bodies are texts; the rest is the number of the text.
const PATTERN_NAME: &str = "pattern";

/// The patterns of a module's texts, by text and constraints; `None` for texts that do not lower.
#[derive(Debug, Default)]
pub(crate) struct Patterns(HashMap<(String, String), Option<Rc<Pattern>>>);

impl Patterns {
    /// The pattern of a marked text.
    pub(super) fn get(
        &mut self,
        target: &Target,
        context: &Context,
        text: &str,
        constraints: &str,
    ) -> Option<Rc<Pattern>> {
        let key = (text.to_owned(), constraints.to_owned());
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let lowered = || {
            let (version, sm, _) = target.finish().ok()?;
            let heading = format!(".version {version}\n.target {sm}");
            let view = View::new(&lower(&heading, context, &[(text, constraints)])?).ok()?;
            Pattern::of(Arc::new(view), 0, constraints).map(Rc::new)
        };
        let pattern = lowered();
        self.0.insert(key, pattern.clone());
        pattern
    }
}

/// Transforms patterns to their form in optimized code.
pub(super) fn combine(module: &mut Module<'_>) -> Option<()> {
    let machine = Machine::new(&Gpu::of_module(module).for_pipelines(), OptLevel::O0).ok()?;
    ptx_llvm_core::run_passes(module, "function(instcombine)", &machine).ok()
}

/// The IR that a text lowers to.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(super) view: Arc<View>,
    function: usize,
    /// The operation of each result; `None` for one that is a parameter or a constant.
    pub(super) roots: Vec<Option<InstId>>,
    pub(super) parameters: usize,
}

impl Pattern {
    /// The pattern of the text of that number, with those constraints.
    pub(super) fn of(view: Arc<View>, number: usize, constraints: &str) -> Option<Self> {
        let name = format!("{PATTERN_NAME}{number}");
        let function = view.functions.iter().position(|function| function.name == name)?;
        let (results, parameters): (Vec<&str>, Vec<&str>) =
            constraints.split(',').partition(|constraint| constraint.starts_with('='));
        let roots = roots(&view, view.functions.get(function)?, results.len())?;
        Some(Self { view, function, roots, parameters: parameters.len() })
    }

    /// The function whose body the text is.
    pub(super) fn function(&self) -> &Function {
        &self.view.functions[self.function]
    }

    /// The operation of the only result.
    pub(super) fn root(&self) -> Option<InstId> {
        self.roots.first().copied().flatten()
    }
}

/// Lowers a module with a function for each text, which is its body; operands are parameters and results. The header has version and
/// target.
pub(super) fn lower<'c>(heading: &str, context: &'c Context, texts: &[(&str, &str)]) -> Option<Module<'c>> {
    let mut source = format!("{heading}\n.address_size 64\n");
    for (number, (text, constraints)) in texts.iter().enumerate() {
        source.push_str(&function(number, text, constraints)?);
    }
    let (module, found) = ptx_syntax::parse(&SourceFile::new(PATTERN_NAME, source));
    if found.has_errors() {
        return None;
    }
    let (verified, _) = ptx_verify::verify(&module).ok()?;
    ptx_lower::lower(&verified, context).ok()
}

/// The function whose body a text is.
fn function(number: usize, text: &str, constraints: &str) -> Option<String> {
    let (mut results, mut parameters) = (Vec::new(), Vec::new());
    for (number, constraint) in constraints.split(',').enumerate() {
        let (list, letter) = match constraint.strip_prefix('=') {
            Some(letter) => (&mut results, letter),
            None => (&mut parameters, constraint),
        };
        list.push(format!(".reg .{} %v{number}", register_class(letter)?.register_type().as_str()));
    }
    let (results, parameters) = (results.join(", "), parameters.join(", "));
    let body = text.replace('$', "%v");
    Some(format!(".func ({results}) {PATTERN_NAME}{number}({parameters})\n{{\n{body}\nret;\n}}\n"))
}

/// The operations of the results of a function of one block: conversions that keep all bits depend on what the value is used for.
fn roots(view: &View, function: &Function, count: usize) -> Option<Vec<Option<InstId>>> {
    let [block] = function.blocks.as_slice() else { return None };
    let last = block.inst_ids().next_back()?;
    let Op::Ret { value: Some(value) } = function.inst(last).op else { return None };
    let mut roots = vec![None; count];
    if let [root] = roots.as_mut_slice() {
        *root = inst_of(bits_of(view, function, value));
        return Some(roots);
    }
    let mut aggregate = value;
    while let Value::Inst(id) = aggregate {
        let Op::InsertValue { aggregate: inner, element, indices } = &function.inst(id).op else {
            return None;
        };
        let [index] = indices.as_slice() else { return None };
        *roots.get_mut(*index as usize)? = inst_of(bits_of(view, function, *element));
        aggregate = *inner;
    }
    let fits = matches!(view.ty(function.ret), Type::Struct { .. });
    fits.then_some(roots)
}

/// A value before the conversions that keep all bits, as far as it is not a vector.
pub(super) fn bits_of(view: &View, function: &Function, value: Value) -> Value {
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

/// The instruction that computes a value.
pub(super) fn inst_of(value: Value) -> Option<InstId> {
    match value {
        Value::Inst(id) => Some(id),
        _ => None,
    }
}
