//! Accesses of memory by mask, and `ldu`.

use std::rc::Rc;

use ptx_ir::{Guard, Operand};
use ptx_llvm::view::{Call, InstId, Value};

use super::FunctionRaiser;
use super::emit::space_word;
use super::generic::argument;
use crate::error::{INTRINSIC, Raised, Refusal};
use crate::types::{Leaf, Scalar};
use crate::value::Val;

/// No access is aligned to more than its own size, which is at most so many bytes.
const MOST_ALIGNED: u64 = 16;

impl FunctionRaiser<'_, '_, '_> {
    /// `llvm.masked.load`: every element under a guard of its own; the others come from the last argument.
    pub(super) fn masked_load(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let (address, space, align) = self.masked_place(call, 0)?;
        let word = space_word(space)?;
        let mask = self.mask_of(argument(call, 1)?, &leaves)?;
        let rest = self.value(argument(call, 2)?)?;
        let mut values = Vec::with_capacity(leaves.len());
        for (at, leaf) in leaves.iter().enumerate() {
            let other = rest.get(at).copied().unwrap_or(Val::Bits(0));
            let place = Self::offset_operand(address, leaf.offset);
            values.push(match mask.get(at) {
                Some(Val::Bits(0)) => other,
                Some(Val::Bits(_)) => self.load_one(*leaf, place, word, align)?,
                Some(condition) => {
                    self.needs_whole(*leaf, align)?;
                    let register = self.register_for(leaf.scalar);
                    self.copy_to(register, other, leaf.scalar)?;
                    let guard =
                        Guard { register: self.in_register(*condition, Scalar::Int(1))?, negated: false };
                    let text = format!("ld{word}.{}", Self::memory_type(leaf.scalar));
                    self.emit_guarded(Some(guard), &text, &[register.into(), place.into()])?;
                    Val::reg(register)
                }
                None => other,
            });
        }
        self.define(id, Rc::from(values));
        Ok(())
    }

    /// `llvm.masked.store`.
    pub(super) fn masked_store(&mut self, call: &Call) -> Raised<()> {
        let stored = argument(call, 0)?;
        let leaves = self.value_leaves(stored)?;
        let values = self.value(stored)?;
        let (address, space, align) = self.masked_place(call, 1)?;
        let word = space_word(space)?;
        let mask = self.mask_of(argument(call, 2)?, &leaves)?;
        for (at, (leaf, &value)) in leaves.iter().zip(values.iter()).enumerate() {
            let guard = match mask.get(at) {
                Some(Val::Bits(0)) | None => continue,
                Some(Val::Bits(_)) => None,
                Some(condition) => {
                    Some(Guard { register: self.in_register(*condition, Scalar::Int(1))?, negated: false })
                }
            };
            self.needs_whole(*leaf, align)?;
            let place = Self::offset_operand(address, leaf.offset);
            let register = self.in_register(value, leaf.scalar)?;
            let text = format!("st{word}.{}", Self::memory_type(leaf.scalar));
            self.emit_guarded(guard, &text, &[place.into(), register.into()])?;
        }
        Ok(())
    }

    fn masked_place(&mut self, call: &Call, at: usize) -> Raised<(Operand, u32, u64)> {
        let (pointer, scalar) = self.scalar(argument(call, at)?)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        let align =
            call.arg_attributes.get(at).and_then(|attributes| attributes.number("align")).unwrap_or(1);
        Ok((address, space, align))
    }

    /// A truth value for each leaf; a pair has one only when both its elements agree.
    fn mask_of(&mut self, mask: Value, leaves: &[Leaf]) -> Raised<Vec<Val>> {
        let values = self.value(mask)?;
        if values.len() == leaves.len() && leaves.iter().all(|leaf| !leaf.scalar.is_pair()) {
            return Ok(values.to_vec());
        }
        Err(Refusal::new(INTRINSIC, "a masked access of packed pairs or of elements over 64 bits"))
    }

    fn needs_whole(&self, leaf: Leaf, align: u64) -> Raised<()> {
        let odd = matches!(leaf.scalar, Scalar::Int(bits) if bits % 8 != 0)
            || leaf.scalar.class().bits() < 16
            || matches!(leaf.scalar, Scalar::Pointer { bits, .. } if bits != leaf.scalar.class().bits());
        if !odd && leaf.bytes.is_power_of_two() && align.max(1) >= leaf.bytes {
            return Ok(());
        }
        Err(Refusal::new(INTRINSIC, "a masked access of odd or badly aligned elements"))
    }

    fn memory_type(scalar: Scalar) -> String {
        match scalar {
            Scalar::Float => "f32".to_owned(),
            Scalar::Double => "f64".to_owned(),
            other => format!("b{}", other.bits().max(8)),
        }
    }

    fn load_one(&mut self, leaf: Leaf, place: Operand, word: &str, align: u64) -> Raised<Val> {
        self.needs_whole(leaf, align)?;
        let text = format!("ld{word}.{}", Self::memory_type(leaf.scalar));
        Ok(Val::reg(self.emit_new(leaf.scalar.class(), &text, &[place.into()])?))
    }

    /// `llvm.nvvm.ldu.global`: a load that the whole warp makes from one address; the second argument is the alignment.
    pub(super) fn load_uniform(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let (pointer, scalar) = self.scalar(argument(call, 0)?)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        // An alignment that is not known is the natural one, which the instruction demands (manual 9.7.9.17).
        let align = match self.scalar(argument(call, 1)?)?.0 {
            Val::Bits(align) => align,
            Val::Register(..) | Val::Address { .. } => MOST_ALIGNED,
        };
        let word = match space_word(space)? {
            word @ ("" | ".global") => word,
            _ => return Err(Refusal::new(INTRINSIC, "ldu of memory that is not global")),
        };
        let values = self.load_leaves(self.type_of(id), address, word, align.max(1), "ldu", "")?;
        self.define(id, values.into());
        Ok(())
    }
}
