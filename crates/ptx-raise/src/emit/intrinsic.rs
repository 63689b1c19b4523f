//! Calls of intrinsics, by their kind.

use ptx_isa::{SpecialReg, ptx};
use ptx_llvm_core::intrinsics::base_name;
use ptx_llvm_core::view::{BinaryOp, Call, InstId};

use super::elementwise::Elementwise;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result, SAID};
use crate::intrinsics::{ConstrainedOp, Leaving, Plain, Transcendental, leaving};
use crate::types::Scalar;
use crate::value::{Val, mask};

/// An intrinsic that is not one instruction of the table of intrinsics.
enum Generic {
    Plain(Plain),
    Integers(&'static Elementwise),
    /// Saturating operations.
    Saturating(Leaving),
    /// Operations that report overflow.
    Overflow(Leaving),
    Floats(&'static Elementwise),
    Transcendental(Transcendental),
    Constrained(ConstrainedOp),
}

impl Generic {
    /// The kind of an intrinsic, by its name; `None` if it is in the table of intrinsics, or unknown.
    fn of(name: &str) -> Option<Self> {
        let short = base_name(name).strip_prefix("llvm.")?;
        if let Some(own) = short.strip_prefix("experimental.constrained.") {
            return ConstrainedOp::of(own).map(Self::Constrained);
        }
        let floats = |name: &str| {
            let exact = Elementwise::of_floats(name).map(Self::Floats);
            exact.or_else(|| Transcendental::of(name).map(Self::Transcendental))
        };
        // Elements past the length are poison, and the others are computed as if there were no length.
        if let Some(own) = short.strip_prefix("vp.") {
            return floats(if own == "roundtozero" { "trunc" } else { own });
        }
        let saturating = short.strip_suffix(".sat").and_then(leaving).filter(|(op, _)| *op != BinaryOp::Mul);
        let overflow = short.strip_suffix(".with.overflow").and_then(leaving);
        Plain::of(short)
            .map(Self::Plain)
            .or_else(|| Elementwise::of_integers(short).map(Self::Integers))
            .or_else(|| saturating.map(Self::Saturating))
            .or_else(|| overflow.map(Self::Overflow))
            .or_else(|| floats(short))
    }
}

impl Emitter<'_, '_, '_> {
    /// A call of an intrinsic.
    pub(super) fn intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Result<()> {
        match Generic::of(name) {
            None => self.intrinsic_by_row(id, call, name),
            Some(Generic::Plain(plain)) => self.plain_intrinsic(id, call, plain),
            Some(Generic::Integers(op)) => self.elementwise(id, call, op),
            Some(Generic::Saturating(op)) => self
                .each(id, call, 2, &mut |this, args, scalar| this.saturating(op, args[0], args[1], scalar)),
            Some(Generic::Overflow(op)) => self.with_overflow(id, call, op),
            Some(Generic::Floats(op)) => {
                self.no_quadruple(id, &call.args)?;
                self.elementwise(id, call, op)
            }
            Some(Generic::Transcendental(op)) => self.transcendental(id, call, op),
            Some(Generic::Constrained(op)) => self.constrained(id, call, op),
        }
    }

    fn plain_intrinsic(&mut self, id: InstId, call: &Call, plain: Plain) -> Result<()> {
        match plain {
            Plain::Hint | Plain::EndList => Ok(()),
            Plain::Argument => {
                let value = self.value(argument(call, 0)?)?;
                self.define(id, value)
            }
            Plain::Zero => {
                let leaves = self.leaves(self.type_of(id))?;
                let values = leaves.iter().map(|_| Val::Bits(0)).collect();
                self.define(id, values)
            }
            Plain::One => self.define_one(id, Val::Bits(1)),
            Plain::ObjectSize => self.object_size(id, call),
            Plain::Trap => self.emit(ptx!("trap"), &[]),
            Plain::PointerCopy => self.pointer_copy(id, call),
            Plain::CycleCounter => self.read_counter(id, SpecialReg::Clock64),
            Plain::SteadyCounter => self.read_counter(id, SpecialReg::GlobalTimer),
            Plain::CompilerError => {
                let help = "passes were meant to remove the call: try -O2";
                let what = self.said(call)?;
                let message = format!("the program reports an error with llvm.nvvm.compiler.error{what}");
                Err(RaiseError::new(INTRINSIC, message).with_help(help))
            }
            Plain::CompilerWarning => {
                let message =
                    format!("function {} reports a warning{}", self.function.name, self.said(call)?);
                let help = "llvm.nvvm.compiler.warn reports it unless passes remove the call";
                self.module.warn(SAID, message, help);
                Ok(())
            }
            Plain::Reflect => {
                let message = "llvm.nvvm.reflect must be resolved by a pass";
                Err(RaiseError::new(INTRINSIC, message).with_help("run the pass nvvm-reflect, or -O1"))
            }
            Plain::Handle => self.variable_handle(id, call),
            Plain::LoadUniform => self.load_uniform(id, call),
            Plain::MaskAddress => self.mask_address(id, call),
            Plain::SaveStack => self.save_stack(id),
            Plain::RestoreStack => self.restore_stack(call),
            Plain::StartList => self.start_list(call),
            Plain::CopyList => self.copy_list(call),
            Plain::ToSigned => self.saturating_cast(id, call, true),
            Plain::ToUnsigned => self.saturating_cast(id, call, false),
            Plain::Classify => self.float_class(id, call),
            Plain::ToHalf | Plain::FromHalf => {
                let (value, from) = self.scalar(argument(call, 0)?)?;
                let (from, to) = match plain {
                    Plain::ToHalf => (from, Scalar::Half),
                    _ => (Scalar::Half, self.scalar_of_result(id)?),
                };
                let converted = self.float_to_float(value, from, to)?;
                self.define_one(id, converted)
            }
        }
    }

    /// The unknown size of an object: all ones or zero, depending on the second argument.
    fn object_size(&mut self, id: InstId, call: &Call) -> Result<()> {
        let at_least = self.scalar(argument(call, 1)?)?.0 == Val::Bits(1);
        let leaves = self.leaves(self.type_of(id))?;
        let unknown =
            |leaf: &crate::types::Leaf| Val::Bits(if at_least { 0 } else { mask(leaf.scalar.bits()) });
        let values = leaves.iter().map(unknown).collect();
        self.define(id, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_families() {
        let is_trunc = |op| Elementwise::of_floats("trunc").is_some_and(|own| std::ptr::eq(own, op));
        assert!(
            matches!(Generic::of("llvm.vp.roundtozero.v4f32"), Some(Generic::Floats(op)) if is_trunc(op))
        );
        let constrained = Generic::of("llvm.experimental.constrained.fadd.f32");
        assert!(matches!(constrained, Some(Generic::Constrained(ConstrainedOp::Add))));
        // Intrinsics that are one instruction are rows of the table of intrinsics.
        assert!(Generic::of("llvm.nvvm.shfl.sync.up.i32").is_none());
    }
}
