//! References: symbols in constants, operands of instructions, the required order of variables and prototypes.

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{
    CastOp, ConstExpr, ConstId, Constant, Function, FunctionId, Global, GlobalId, Symbol, Value, View,
};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::linkage::is_defined;

/// Aliases of aliases are followed this far.
const MAX_ALIAS_CHAIN: usize = 1 << 16;

/// The function or variable that a symbol is or that is at the end of a chain of aliases, and the bytes from its start; `None` where a
/// constant expression computes it otherwise.
pub(crate) fn resolved(view: &View, symbol: Symbol) -> Option<(Symbol, i64)> {
    let Symbol::Alias(alias) = symbol else { return Some((symbol, 0)) };
    let (mut constant, mut offset) = (view.alias(alias).target, 0i64);
    // LLVM's verifier refuses circles; the bound keeps a module that it never saw from going round.
    for _ in 0..MAX_ALIAS_CHAIN {
        match view.constant(constant) {
            Constant::Symbol(Symbol::Alias(next)) => constant = view.alias(*next).target,
            Constant::Symbol(symbol) => return Some((*symbol, offset)),
            Constant::Expr(ConstExpr::Gep { source, base, indices }) => {
                offset = offset.wrapping_add(view.offset_of(*source, indices)?);
                constant = *base;
            }
            Constant::Expr(ConstExpr::Cast { op: CastOp::AddrSpaceCast | CastOp::BitCast, value }) => {
                constant = *value;
            }
            _ => return None,
        }
    }
    None
}

/// Whether a variable is one of LLVM's lists, or data for LLVM alone.
pub(crate) fn is_llvm_own(global: &Global) -> bool {
    global.name.starts_with("llvm.") || global.section.as_deref() == Some("llvm.metadata")
}

/// The variables, those that initial values refer to first, and those of them that have to be declared before because they
/// refer back.
pub(crate) fn global_order(view: &View) -> (Vec<GlobalId>, Vec<GlobalId>) {
    let mut order = Vec::with_capacity(view.globals.len());
    let mut forward = Vec::new();
    let mut is_forward = HashSet::default();
    // 0: not visited, 1: waiting for the variables it refers to, 2: done.
    let mut state = vec![0u8; view.globals.len()];
    for start in 0..view.globals.len() {
        let mut stack = vec![start];
        while let Some(&at) = stack.last() {
            if state[at] == 2 {
                stack.pop();
                continue;
            }
            state[at] = 1;
            let mut pending = Vec::new();
            for_each_symbol(view, view.globals[at].initializer, &mut |symbol| {
                if let Symbol::Global(id) = symbol {
                    pending.push(id.index());
                }
            });
            pending.retain(|&id| state[id] != 2 && id != at);
            // A waiting variable refers to this one.
            for &id in pending.iter().filter(|&&id| state[id] == 1) {
                if is_forward.insert(id) {
                    forward.push(GlobalId::new(id));
                }
            }
            pending.retain(|&id| state[id] == 0);
            if pending.is_empty() {
                state[at] = 2;
                order.push(GlobalId::new(at));
                stack.pop();
            } else {
                stack.extend(pending);
            }
        }
    }
    (order, forward)
}

/// Calls `found` for every function and variable in a constant, by a work list: constants share parts, each is visited once.
pub(crate) fn for_each_symbol(view: &View, root: Option<ConstId>, found: &mut dyn FnMut(Symbol)) {
    let mut seen = HashSet::default();
    let mut work: Vec<ConstId> = root.into_iter().collect();
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        match view.constant(id) {
            Constant::Symbol(symbol) => resolved(view, *symbol).into_iter().for_each(|(end, _)| found(end)),
            other => work.extend(other.parts()),
        }
    }
}

/// Which functions are referred to, and from where first: 0 is an initial value, `n + 1` function `n`.
pub(crate) struct References {
    first: HashMap<FunctionId, usize>,
    /// Whether the module was PTX, whose declarations are preserved even if they are unused.
    was_ptx: bool,
}

impl References {
    pub(crate) fn of(view: &View) -> Self {
        let was_ptx = !view.named(marks::VERSION).is_empty();
        let mut references = Self { first: HashMap::default(), was_ptx };
        for global in view.globals.iter().filter(|global| !is_llvm_own(global)) {
            references.note(view, global.initializer, 0);
        }
        for (at, function) in view.functions.iter().enumerate() {
            for inst in &function.insts {
                inst.op.for_each_operand(&mut |value| {
                    if let Value::Const(id) = value {
                        references.note(view, Some(id), at + 1);
                    }
                });
            }
        }
        references
    }

    fn note(&mut self, view: &View, constant: Option<ConstId>, from: usize) {
        for_each_symbol(view, constant, &mut |symbol| {
            if let Symbol::Function(id) = symbol {
                let first = self.first.entry(id).or_insert(from);
                *first = (*first).min(from);
            }
        });
    }

    /// Whether a prototype must precede everything: the function is of another module, or used no later than defined.
    pub(crate) fn needs_prototype(&self, id: FunctionId, function: &Function) -> bool {
        let Some(&first) = self.first.get(&id) else { return self.was_ptx && function.is_declaration() };
        !is_defined(function) || first <= id.index() + 1
    }
}
