//! Pointers whose bits are masked (`llvm.ptrmask`) more than once, on which LLVM 22's `infer-address-spaces` crashes.

use ptx_llvm_core::Module;
use ptx_llvm_core::view::{Constant, Function, FunctionId, InstId, Op, Symbol, Value, View};

/// The prefix of the intrinsic's names.
const MASK: &str = "llvm.ptrmask.";

/// The functions in which a pointer that is derived from a masked one is masked again, including by the same mask in a loop.
///
/// ```text
/// %a = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -4)
/// %b = getelementptr i8, ptr %a, i64 %i
/// %c = call ptr @llvm.ptrmask.p0.i64(ptr %b, i64 -8)
/// ```
///
/// `None` where the module cannot be read into a view.
pub(crate) fn masked_again(module: &Module<'_>) -> Option<Vec<FunctionId>> {
    if !module.declares_any(MASK) {
        return Some(Vec::new());
    }
    let view = View::new(module).ok()?;
    let functions = view.functions.iter().enumerate().filter(|(_, function)| {
        let masks = (0..function.insts.len()).map(InstId::new).filter(|&id| is_mask(&view, function, id));
        comes_from_mask(&view, function, masks.flat_map(|mask| sources(function, mask)).collect())
    });
    Some(functions.map(|(at, _)| FunctionId::new(at)).collect())
}

fn is_mask(view: &View, function: &Function, id: InstId) -> bool {
    let Op::Call(call) = &function.inst(id).op else { return false };
    let Value::Const(callee) = call.callee else { return false };
    let Constant::Symbol(Symbol::Function(callee)) = view.constant(callee) else { return false };
    view.function(*callee).name.starts_with(MASK)
}

/// Whether one of the pointers that masks are applied to is derived from a masked pointer.
fn comes_from_mask(view: &View, function: &Function, mut work: Vec<Value>) -> bool {
    // One search back from the pointers of all masks: it does not matter which of them finds another mask, and a search for each would take
    // time proportional to the number of masks times that of instructions.
    let mut seen = vec![false; function.insts.len()];
    while let Some(value) = work.pop() {
        let Value::Inst(id) = value else { continue };
        if is_mask(view, function, id) {
            return true;
        }
        if let Some(seen) = seen.get_mut(id.index())
            && !std::mem::replace(seen, true)
        {
            work.extend(sources(function, id));
        }
    }
    false
}

/// The pointers that a pointer is derived from.
fn sources(function: &Function, id: InstId) -> Vec<Value> {
    match &function.inst(id).op {
        Op::Gep { base, .. } => vec![*base],
        Op::Cast { value, .. } | Op::Freeze { value } => vec![*value],
        Op::Phi { incoming } => incoming.iter().map(|(value, _)| *value).collect(),
        Op::Select { then, other, .. } => vec![*then, *other],
        Op::Call(call) => call.args.first().copied().into_iter().collect(),
        _ => Vec::new(),
    }
}
