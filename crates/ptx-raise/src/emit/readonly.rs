//! Loads of memory that is not written while the kernel runs, which may be `ld.global.nc` (manual 9.7.9.9), and `ldu`, which implies that.

use ptx_isa::ptx;
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{Call, CastOp, ConstExpr, ConstId, Constant, InstId, Op, Symbol, Value};

use super::access::Access;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::types::MAX_VECTOR;
use crate::value::Val;

/// The maximum number of steps from a pointer back to its origin.
const MOST_POINTERS: usize = 32;

/// Constants are nested no deeper than this.
const DEEPEST: usize = 16;

impl Emitter<'_, '_, '_> {
    /// `llvm.nvvm.ldu.global`: a load of the whole warp from one address; the second argument is the alignment.
    pub(super) fn load_uniform(&mut self, id: InstId, call: &Call) -> Result<()> {
        let (pointer, scalar) = self.scalar(argument(call, 0)?)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        // An alignment that is not known is the natural one, which the instruction demands (manual 9.7.9.17).
        let align = match self.scalar(argument(call, 1)?)?.0 {
            Val::Bits(align) => align,
            Val::Register(..) | Val::Address { .. } => MAX_VECTOR,
        };
        let mnemonic = match space {
            address_space::GENERIC => ptx!("ldu.b32"),
            address_space::GLOBAL => ptx!("ldu.global.b32"),
            _ => return Err(RaiseError::new(INTRINSIC, "ldu of memory that is not global")),
        };
        let access = Access { mnemonic, hints: &[], address, align: align.max(1) };
        let values = self.load_leaves(self.type_of(id), &access)?;
        self.define(id, values.into())
    }

    /// Whether the target has such loads, and the memory that a load reads is not written: it is marked (`!invariant.load`), or it reads constant
    /// variables or memory that only `readonly noalias` parameters of the kernel point to.
    pub(super) fn reads_constant_memory(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let is_constant = match inst.op {
            _ if inst.metadata("invariant.load").is_some() => true,
            Op::Load { ptr, .. } => self.points_at_constants(ptr),
            _ => false,
        };
        is_constant && self.module.target.supports(ptx!("ld.global.nc.b32"))
    }

    fn points_at_constants(&self, pointer: Value) -> bool {
        let mut seen = vec![pointer];
        let mut at = 0;
        while let Some(&pointer) = seen.get(at) {
            at += 1;
            let mut visit = |value: Value| {
                if !seen.contains(&value) {
                    seen.push(value);
                }
            };
            match pointer {
                Value::Arg(number) if self.is_read_only_parameter(number) => {}
                Value::Const(id) if self.is_constant_variable(id) => {}
                Value::Inst(id) => match &self.function.inst(id).op {
                    Op::Gep { base, .. } => visit(*base),
                    Op::Cast { op: CastOp::AddrSpaceCast | CastOp::BitCast, value, .. } => visit(*value),
                    Op::Phi { incoming } => incoming.iter().for_each(|(value, _)| visit(*value)),
                    Op::Select { then, other, .. } => {
                        visit(*then);
                        visit(*other);
                    }
                    _ => return false,
                },
                _ => return false,
            }
            if seen.len() > MOST_POINTERS {
                return false;
            }
        }
        true
    }

    /// Whether a kernel only reads through a parameter, and the memory it points to is not written otherwise (`__restrict__`).
    fn is_read_only_parameter(&self, number: u32) -> bool {
        let Some(param) = self.function.params.get(number as usize) else { return false };
        let reads = param.attributes.has("readonly") || param.attributes.has("readnone");
        self.is_kernel() && reads && param.attributes.has("noalias")
    }

    /// Whether an address lies in a variable that is never written.
    fn is_constant_variable(&self, mut id: ConstId) -> bool {
        let view = self.module.view;
        for _ in 0..DEEPEST {
            id = match view.constant(id) {
                Constant::Symbol(Symbol::Global(global)) => {
                    let global = view.global(*global);
                    return global.constant && !global.externally_initialized;
                }
                Constant::Expr(ConstExpr::Gep { base, .. }) => *base,
                Constant::Expr(ConstExpr::Cast { op: CastOp::AddrSpaceCast, value }) => *value,
                _ => return false,
            };
        }
        false
    }
}
