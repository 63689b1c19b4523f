//! Calls of intrinsics, by their kind.

use ptx_isa::{SpecialReg, ptx};
use ptx_llvm::view::{Call, InstId};

use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result, SAID};
use crate::intrinsics::{Conversion, Generic, IntegerOp, MemoryOp, Plain};
use crate::types::Scalar;
use crate::value::{Val, mask};

impl Emitter<'_, '_, '_> {
    /// A call of an intrinsic.
    pub(super) fn intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Result<()> {
        let Some(generic) = Generic::of(name) else {
            return self.intrinsic_by_row(id, call, name);
        };
        match generic {
            Generic::Plain(plain) => self.plain_intrinsic(id, call, plain),
            Generic::Memory(op) => self.memory_intrinsic(id, call, op),
            Generic::Bits(op) => {
                self.each(id, call, 1, &mut |this, args, scalar| this.bit_intrinsic(op, args[0], scalar))
            }
            Generic::Integer(op) => self.integer_intrinsic(id, call, op),
            Generic::Saturating(op) => self
                .each(id, call, 2, &mut |this, args, scalar| this.saturating(op, args[0], args[1], scalar)),
            Generic::Overflow(op) => self.with_overflow(id, call, op),
            Generic::Convert(op) => self.conversion(id, call, op),
            Generic::Float(function) => self.float_intrinsic(id, call, function),
            Generic::Constrained(op) => self.constrained(id, call, op),
        }
    }

    fn plain_intrinsic(&mut self, id: InstId, call: &Call, plain: Plain) -> Result<()> {
        match plain {
            Plain::Hint => {}
            Plain::Argument => {
                let value = self.value(argument(call, 0)?)?;
                self.define(id, value);
            }
            Plain::Zero => {
                let leaves = self.leaves(self.type_of(id))?;
                let values = leaves.iter().map(|_| Val::Bits(0)).collect();
                self.define(id, values);
            }
            Plain::One => self.define_one(id, Val::Bits(1)),
            Plain::ObjectSize => self.object_size(id, call)?,
            Plain::Trap => self.emit(ptx!("trap"), &[])?,
            Plain::PointerCopy => self.pointer_copy(id, call)?,
            Plain::CycleCounter => self.read_counter(id, SpecialReg::Clock64)?,
            Plain::SteadyCounter => self.read_counter(id, SpecialReg::GlobalTimer)?,
            Plain::CompilerError => {
                let help = "passes were meant to remove the call: try -O2";
                let what = self.said(call)?;
                let message = format!("the program reports an error with llvm.nvvm.compiler.error{what}");
                return Err(RaiseError::new(INTRINSIC, message).with_help(help));
            }
            Plain::CompilerWarning => {
                let message =
                    format!("function {} reports a warning{}", self.function.name, self.said(call)?);
                let help = "llvm.nvvm.compiler.warn reports it unless passes remove the call";
                self.module.warn(SAID, message, help);
            }
            Plain::Reflect => {
                let message = "llvm.nvvm.reflect must be resolved by a pass";
                return Err(
                    RaiseError::new(INTRINSIC, message).with_help("run the pass nvvm-reflect, or -O1")
                );
            }
            Plain::Handle => self.variable_handle(id, call)?,
        }
        Ok(())
    }

    /// The unknown size of an object: all ones or zero, depending on the second argument.
    fn object_size(&mut self, id: InstId, call: &Call) -> Result<()> {
        let at_least = self.scalar(argument(call, 1)?)?.0 == Val::Bits(1);
        let leaves = self.leaves(self.type_of(id))?;
        let unknown =
            |leaf: &crate::types::Leaf| Val::Bits(if at_least { 0 } else { mask(leaf.scalar.bits()) });
        let values = leaves.iter().map(unknown).collect();
        self.define(id, values);
        Ok(())
    }

    fn memory_intrinsic(&mut self, id: InstId, call: &Call, op: MemoryOp) -> Result<()> {
        match op {
            MemoryOp::LoadUniform => self.load_uniform(id, call),
            MemoryOp::MaskAddress => self.mask_address(id, call),
            MemoryOp::SaveStack => self.save_stack(id),
            MemoryOp::RestoreStack => self.restore_stack(call),
            MemoryOp::StartList => self.start_list(call),
            MemoryOp::CopyList => self.copy_list(call),
            MemoryOp::EndList => Ok(()),
        }
    }

    fn integer_intrinsic(&mut self, id: InstId, call: &Call, op: IntegerOp) -> Result<()> {
        let count = match op {
            IntegerOp::Absolute => 1,
            IntegerOp::SignedMin | IntegerOp::SignedMax | IntegerOp::UnsignedMin | IntegerOp::UnsignedMax => {
                2
            }
            IntegerOp::FunnelLeft | IntegerOp::FunnelRight => 3,
        };
        self.each(id, call, count, &mut |this, args, scalar| {
            let extreme = match op {
                IntegerOp::Absolute => return this.absolute_integer(args[0], scalar),
                IntegerOp::FunnelLeft => return this.funnel_shift(true, args, scalar),
                IntegerOp::FunnelRight => return this.funnel_shift(false, args, scalar),
                IntegerOp::SignedMin => ptx!("min.s32"),
                IntegerOp::SignedMax => ptx!("max.s32"),
                IntegerOp::UnsignedMin => ptx!("min.u32"),
                IntegerOp::UnsignedMax => ptx!("max.u32"),
            };
            this.int_extreme(extreme, args[0], args[1], scalar)
        })
    }

    fn conversion(&mut self, id: InstId, call: &Call, op: Conversion) -> Result<()> {
        let (from, to) = match op {
            Conversion::ToSigned => return self.saturating_cast(id, call, true),
            Conversion::ToUnsigned => return self.saturating_cast(id, call, false),
            Conversion::Classify => return self.float_class(id, call),
            Conversion::ToHalf => (self.scalar(argument(call, 0)?)?.1, Scalar::Half),
            Conversion::FromHalf => (Scalar::Half, self.scalar_of_result(id)?),
        };
        let (value, _) = self.scalar(argument(call, 0)?)?;
        let converted = self.float_to_float(value, from, to)?;
        self.define_one(id, converted);
        Ok(())
    }
}
