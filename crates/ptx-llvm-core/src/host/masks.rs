//! Lane masks that are live across blocks, on processors with 256-bit vectors and no mask registers (AVX2).
//!
//! Within a block, LLVM keeps a mask as its comparison produces it: all bits of a lane. Across blocks it keeps it in 128 bits, half as many per lane,
//! so that both blocks convert it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::forward::vector_parts;
use crate::build::{CastOp, IntPredicate};
use crate::edit::{Block, Editor, Function, Inst, Opcode, Type, Value, edit};
use crate::error::LlvmError;
use crate::module::Module;

/// Turns masks that other blocks use into integer vectors that fill a register of `vector_bits`, whose sign bits are the mask:
///
/// ```text
///   %m = phi <8 x i1> [ %a, %x ], [ %b, %y ]           %w = phi <8 x i32> [ %wide.a, %x ], [ %wide.b, %y ]
///                                                      %m = icmp slt <8 x i32> %w, zeroinitializer
/// ```
///
/// with `%wide.a = sext <8 x i1> %a to <8 x i32>` after `%a`, and such an `icmp` in each block that uses it.
pub(super) fn widen_masks(module: &mut Module<'_>, vector_bits: u32) -> Result<(), LlvmError> {
    edit(module, |editor| {
        let widen = |function| Masks { editor, vector_bits, wide: FxHashMap::default() }.widen(function);
        editor.functions().try_for_each(widen)
    })
}

struct Masks<'a, 'e> {
    editor: &'a Editor<'e>,
    vector_bits: u32,
    /// For each mask that other blocks use, the wide one.
    wide: FxHashMap<Inst<'e>, Value<'e>>,
}

impl<'e> Masks<'_, 'e> {
    fn widen(mut self, function: Function<'e>) -> Result<(), LlvmError> {
        let mut masks = Vec::new();
        for inst in function.instructions() {
            let ty = self.wide_type(inst)?;
            masks.extend(ty.filter(|_| is_phi(inst) || has_uses_elsewhere(inst)).map(|ty| (inst, ty)));
        }
        // Each wide value directly follows its mask, so that it dominates all uses of that.
        for &(mask, ty) in &masks {
            let wide = if is_phi(mask) {
                // The values follow when all wide ones are there.
                let none = ty.poison()?;
                let incoming: Vec<_> = mask.incomings().map(|(_, from)| (none, from)).collect();
                self.editor.before(mask)?.phi(ty, &incoming)?.value()
            } else {
                let Some(next) = mask.next() else { continue };
                self.editor.before(next)?.cast(CastOp::SExt, mask.value(), ty)?
            };
            self.wide.insert(mask, wide);
        }
        for &(mask, ty) in masks.iter().filter(|(mask, _)| is_phi(*mask)) {
            self.set_incoming(mask, ty)?;
        }
        for &(mask, _) in &masks {
            self.replace_uses(mask)?;
        }
        // Phis of masks now have only each other as users.
        let phis = masks.iter().filter(|(mask, _)| is_phi(*mask)).map(|&(mask, _)| mask);
        for mask in phis.clone() {
            mask.replace_all_uses(mask.ty().poison()?)?;
        }
        for mask in phis {
            self.editor.erase(mask)?;
        }
        Ok(())
    }

    /// The type of a mask as a vector of wide integers; `None` if it is not a mask.
    fn wide_type(&self, inst: Inst<'e>) -> Result<Option<Type<'e>>, LlvmError> {
        let Some((element, lanes)) = vector_parts(inst.ty()) else { return Ok(None) };
        let bits = (self.vector_bits / lanes).clamp(8, 64);
        let is_mask = element.integer_bits() == Some(1) && bits.is_power_of_two() && lanes > 1;
        match is_mask {
            true => self.editor.vector(self.editor.integer(bits), lanes).map(Some),
            false => Ok(None),
        }
    }

    /// Sets the values of the wide phi of a mask's.
    fn set_incoming(&self, phi: Inst<'e>, ty: Type<'e>) -> Result<(), LlvmError> {
        let Some(wide_phi) = self.wide.get(&phi).and_then(|wide| wide.as_inst()) else { return Ok(()) };
        // Several edges from one block have the same value.
        let mut added: FxHashMap<Block<'e>, Value<'e>> = FxHashMap::default();
        for (at, (value, from)) in (0..).zip(phi.incomings()) {
            let known = added.get(&from).copied();
            // A value that is not in the map is a constant or an argument: all others have a use in another block, by this phi at least.
            let known = known.or_else(|| self.wide.get(&value.as_inst()?).copied());
            let wide = match (known, from.terminator()) {
                (Some(wide), _) => wide,
                (None, Some(end)) => self.editor.before(end)?.cast(CastOp::SExt, value, ty)?,
                (None, None) => continue,
            };
            added.insert(from, wide);
            wide_phi.set_operand(at, wide)?;
        }
        Ok(())
    }

    /// Makes each block that uses a mask of another one recompute it from the wide one.
    fn replace_uses(&self, mask: Inst<'e>) -> Result<(), LlvmError> {
        let Some(&wide) = self.wide.get(&mask) else { return Ok(()) };
        let own = mask.block();
        let mut narrow: FxHashMap<Block<'e>, Value<'e>> = FxHashMap::default();
        for user in users(mask) {
            if self.wide.contains_key(&user) && is_phi(user)
                || user.value() == wide
                || user.block() == own && !is_phi(mask)
            {
                continue;
            }
            let Some(block) = user.block() else { continue };
            let mask_there = match (narrow.get(&block), block.first_after_phis()) {
                (Some(known), _) => *known,
                (None, Some(first)) => {
                    let zero = wide.ty().zero()?;
                    self.editor.before(first)?.int_compare(IntPredicate::Slt, wide, zero)?
                }
                (None, None) => continue,
            };
            narrow.insert(block, mask_there);
            for (at, operand) in (0..).zip(user.operands()) {
                if operand == mask.value() {
                    user.set_operand(at, mask_there)?;
                }
            }
        }
        Ok(())
    }
}

fn is_phi(inst: Inst<'_>) -> bool {
    inst.opcode() == Opcode::Phi
}

/// Whether an instruction has uses in other blocks, or in phis.
fn has_uses_elsewhere(inst: Inst<'_>) -> bool {
    inst.users().any(|user| is_phi(user) || user.block() != inst.block())
}

/// The users of an instruction, once each.
fn users<'e>(inst: Inst<'e>) -> Vec<Inst<'e>> {
    let mut seen = FxHashSet::default();
    inst.users().filter(|user| seen.insert(*user)).collect()
}

#[cfg(test)]
mod tests;
