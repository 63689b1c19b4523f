//! The LLVM function that is raised, and queries that every stage needs.

use ptx_llvm_core::view::{
    BlockId, Call, Constant, Function, Inst, InstId, Op, Symbol, Type, TypeId, Value, View,
};

use crate::intrinsics::is_hint;
use crate::references::resolved;

/// A function of LLVM's. Nothing changes it while it is raised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceFunction<'v> {
    pub(crate) view: &'v View,
    pub(crate) function: &'v Function,
    /// Whether the module was PTX.
    pub(crate) was_ptx: bool,
    /// Whether the module was PTX that was compiled for debugging.
    pub(crate) to_debug: bool,
    /// Whether the module was PTX and passes have optimized it.
    pub(crate) is_optimized: bool,
}

impl<'v> SourceFunction<'v> {
    /// An instruction.
    pub(crate) fn inst(self, id: InstId) -> &'v Inst {
        self.function.inst(id)
    }

    /// The operation of an instruction.
    pub(crate) fn op(self, id: InstId) -> &'v Op {
        &self.function.inst(id).op
    }

    /// The instructions of a block.
    pub(crate) fn insts(self, block: BlockId) -> impl DoubleEndedIterator<Item = InstId> + use<'v> {
        self.function.block(block).inst_ids()
    }

    /// The operands of an instruction, in LLVM's order.
    pub(crate) fn operands(self, id: InstId) -> Vec<Value> {
        let mut operands = Vec::new();
        self.op(id).for_each_operand(&mut |value| operands.push(value));
        operands
    }

    /// The type of an operand that is data.
    pub(crate) fn type_of(self, value: Value) -> Option<TypeId> {
        self.view.value_type(self.function, value)
    }

    /// The width of an integer type.
    pub(crate) fn int_bits(self, ty: TypeId) -> Option<u32> {
        match self.view.ty(ty) {
            Type::Int { bits } => Some(*bits),
            _ => None,
        }
    }

    /// The width of an integer of at most 64 bits.
    pub(crate) fn integer_bits(self, value: Value) -> Option<u32> {
        self.int_bits(self.type_of(value)?).filter(|bits| *bits <= 64)
    }

    /// An integer constant that fits 64 bits.
    pub(crate) fn number(self, value: Value) -> Option<u64> {
        let Value::Const(constant) = value else { return None };
        match self.view.constant(constant) {
            constant @ Constant::Int(_) => constant.as_u64(),
            _ => None,
        }
    }

    /// Whether a value is `undef` or `poison`.
    pub(crate) fn is_undef(self, value: Value) -> bool {
        let Value::Const(id) = value else { return false };
        matches!(self.view.constant(id), Constant::Undef | Constant::Poison)
    }

    /// Whether an instruction's result is a register that code to debug had: another instruction does not do its work as well.
    pub(crate) fn is_own_register(self, id: InstId) -> bool {
        self.to_debug && !self.inst(id).name.is_empty()
    }

    /// Whether the function was PTX and is still as it was written: no pass has optimized it.
    pub(crate) fn is_as_written(self) -> bool {
        self.was_ptx && (!self.is_optimized || self.function.attributes.has("optnone"))
    }

    /// How many bits a vector has in memory whose elements share bytes.
    pub(crate) fn bit_packed(self, ty: TypeId) -> Option<u32> {
        let Type::Vector { element, len } = self.view.ty(ty) else { return None };
        let bits = self.int_bits(*element)?;
        let whole = matches!(bits, 8 | 16 | 32 | 64) || bits > 64 && bits % 64 == 0;
        (!whole).then_some(bits * len)
    }

    /// The function that a call calls directly, with its own type.
    pub(crate) fn callee(self, call: &Call) -> Option<&'v Function> {
        let Value::Const(id) = call.callee else { return None };
        let Constant::Symbol(symbol) = self.view.constant(id) else { return None };
        let Some((Symbol::Function(id), 0)) = resolved(self.view, *symbol) else { return None };
        let function = self.view.function(id);
        (function.ty == call.ty).then_some(function)
    }

    /// The name of that function, for messages.
    pub(crate) fn callee_name(self, call: &Call) -> &'v str {
        // Default: what is called by its address has no name.
        self.callee(call).map_or("a function without a name", |function| function.name.as_str())
    }

    /// Whether a call has no effect, but is information for optimizers.
    pub(crate) fn is_ignored_call(self, call: &Call) -> bool {
        self.callee(call).is_some_and(|function| is_hint(&function.name))
    }

    /// The number of fixed arguments of a variadic call.
    pub(crate) fn fixed_arguments(self, call: &Call) -> Option<usize> {
        match self.view.ty(call.ty) {
            Type::Function { params, variadic: true, .. } => Some(params.len()),
            _ => None,
        }
    }

    /// Where control can go from a block, repeats included.
    pub(crate) fn successors(self, block: BlockId) -> Vec<BlockId> {
        let Some(last) = self.insts(block).next_back() else { return Vec::new() };
        match self.op(last) {
            Op::Br { target } | Op::Invoke { normal: target, .. } => vec![*target],
            Op::CondBr { then, other, .. } => vec![*then, *other],
            Op::Switch { default, cases, .. } => {
                std::iter::once(*default).chain(cases.iter().map(|(_, target)| *target)).collect()
            }
            Op::IndirectBr { targets, .. } => targets.clone(),
            _ => Vec::new(),
        }
    }

    /// Whether a block is nothing but `unreachable`.
    pub(crate) fn is_unreachable(self, block: BlockId) -> bool {
        let mut ids = self.insts(block);
        match (ids.next(), ids.next()) {
            (Some(only), None) => matches!(self.op(only), Op::Unreachable),
            _ => false,
        }
    }
}
