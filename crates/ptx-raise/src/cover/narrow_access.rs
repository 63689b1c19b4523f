//! Loads and stores of less than a register (manual 9.4.1): `ld.s8` extends the loaded value to the width of its register, and
//! `st.b8` stores the low bits of a wider one. So an extension right after a load and a truncation right before a store need no
//! separate instruction. Of a parameter of which only the low bits are read, only these are loaded.

use std::rc::Rc;

use ptx_isa::ScalarType;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{AtomicOrder, BinaryOp, CastOp, InstId, Op, Type, Value};

use super::decision::{Action, Decision, ExtendingLoad, LowBits};
use super::state::Covering;
use crate::signature::Passing;
use crate::types::{MAX_VECTOR, Scalar};

/// An extension of all elements of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Extension {
    op: CastOp,
    narrow: u32,
    wide: u32,
}

impl Extension {
    /// The load that extends so.
    fn load(self, casts: Vec<Vec<InstId>>) -> Option<ExtendingLoad> {
        let kind = if self.op == CastOp::SExt { ScalarType::S32 } else { ScalarType::U32 };
        let (class, ty) = (Scalar::Int(self.wide).class(), kind.of_bits(self.narrow)?);
        Some(ExtendingLoad { class, ty, casts })
    }
}

/// Finds the parameters of which only the low bits are read, the extensions of loads and the truncations for stores.
pub(super) fn find(cover: &mut Covering<'_, '_, '_>) {
    cover.narrow_parameters();
    for id in cover.insts() {
        if cover.is_decided(id) {
            continue;
        }
        if let Some(load) = cover.widening(id).or_else(|| cover.vector_widening(id)) {
            cover.absorb_casts(&load, id);
            // The elements of a vector are results of the load, too.
            for user in cover.cover.uses.users(id).to_vec() {
                cover.fold(user);
            }
            cover.emit(id, Action::ExtendingLoad(Rc::new(load)));
        } else if let Some((truncation, wide)) = cover.truncated_store(id) {
            cover.fold(truncation);
            cover.emit(id, Action::TruncatingStore(wide));
        }
    }
}

impl Covering<'_, '_, '_> {
    /// Removes the extensions that a load does from the function. Nothing looks through them: their operands have no register.
    fn absorb_casts(&mut self, load: &ExtendingLoad, place: InstId) {
        for cast in load.casts.iter().flatten() {
            self.decide(*cast, Decision::Absorbed(place));
        }
    }

    /// Of parameters of which only the low bits are read, only these are loaded.
    fn narrow_parameters(&mut self) {
        if self.signature.registers.is_some() {
            return;
        }
        for at in 0..self.source.function.params.len() {
            let parameter = Value::Arg(at as u32);
            let &[truncation] = self.cover.uses.users_of(parameter) else { continue };
            if self.text_inputs.contains(&parameter) {
                continue;
            }
            let Some(load) = self.low_bits_of(at, truncation) else { continue };
            self.absorb_casts(&load, truncation);
            self.fold(truncation);
            let cast = match load.casts.as_slice() {
                [casts] if self.source.to_debug && casts.len() == 1 => casts.first().copied(),
                _ => None,
            };
            if let Some(cast) = cast {
                self.emit(cast, Action::LoadParameter(at));
            }
            self.cover.parameters.insert(at, LowBits { load: Rc::new(load), at: cast });
        }
    }

    /// The mask that alone reads a truncation, and the type of the low bits that it keeps with zeros above them.
    fn low_mask(&self, truncation: InstId) -> Option<(InstId, Extension)> {
        let wide =
            self.source.int_bits(self.source.inst(truncation).ty).filter(|bits| matches!(bits, 16 | 32))?;
        let &[mask] = self.cover.uses.users(truncation) else { return None };
        let inst = self.source.inst(mask);
        let Op::Binary { op: BinaryOp::And, rhs, .. } = inst.op else { return None };
        let narrow = match self.source.number(rhs)? {
            0xff => 8,
            0xffff => 16,
            _ => return None,
        };
        let marked = inst.metadata(marks::INST).is_some() || inst.metadata(marks::LITERAL).is_some();
        let free = !marked && !self.cover.is_taken(mask);
        let extension = Extension { op: CastOp::ZExt, narrow, wide };
        (free && narrow < wide && !self.text_inputs.contains(&Value::Inst(truncation)))
            .then_some((mask, extension))
    }

    /// How a parameter that only a truncation reads is loaded.
    fn low_bits_of(&self, at: usize, truncation: InstId) -> Option<ExtendingLoad> {
        let parameter = self.signature.params.get(at)?;
        let wide = self.source.int_bits(parameter.ty)?;
        let inst = self.source.inst(truncation);
        let narrow = self.source.int_bits(inst.ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        let fits = matches!(parameter.passing, Passing::Scalar(_))
            && matches!(wide, 16 | 32 | 64)
            && matches!(inst.op, Op::Cast { op: CastOp::Trunc, .. })
            && !self.cover.is_taken(truncation);
        if !fits {
            return None;
        }
        let masked = || self.low_mask(truncation).map(|(mask, extension)| (extension, vec![mask]));
        if let Some((extension, casts)) = self.extension_of(truncation).or_else(masked) {
            return extension.load(vec![casts]);
        }
        let kind = if self.needs_sign(truncation, narrow) { ScalarType::S32 } else { ScalarType::B32 };
        let (class, ty) = (Scalar::Int(narrow).class(), kind.of_bits(narrow)?);
        Some(ExtendingLoad { class, ty, casts: vec![vec![truncation]] })
    }

    /// Whether something needs the sign of a byte, and nothing zeros above it.
    fn needs_sign(&self, id: InstId, bits: u32) -> bool {
        let users = self.cover.uses.users(id);
        let extends = |with| {
            users.iter().any(|user| matches!(self.source.inst(*user).op, Op::Cast { op, .. } if op == with))
        };
        bits == 8 && extends(CastOp::SExt) && !extends(CastOp::ZExt)
    }

    /// The extension of a load, if it is the only use.
    fn widening(&self, id: InstId) -> Option<ExtendingLoad> {
        let inst = self.source.inst(id);
        let Op::Load { align, order: AtomicOrder::NotAtomic, .. } = inst.op else { return None };
        if self.source.is_own_register(id) {
            return None;
        }
        let (extension, casts) = self.extension_of(id)?;
        let aligned = u64::from(align) * 8 >= u64::from(extension.narrow);
        extension.load(vec![casts]).filter(|_| aligned)
    }

    /// The extension of all elements of a loaded vector, if it is their only use.
    fn vector_widening(&self, id: InstId) -> Option<ExtendingLoad> {
        let inst = self.source.inst(id);
        let Op::Load { align, order: AtomicOrder::NotAtomic, .. } = inst.op else { return None };
        let Type::Vector { len: len @ (2 | 4), .. } = *self.source.view.ty(inst.ty) else { return None };
        let mut casts = vec![Vec::new(); len as usize];
        let mut common = None;
        for user in self.cover.uses.users(id) {
            let Op::ExtractElement { index, .. } = self.source.inst(*user).op else { return None };
            let place = casts.get_mut(usize::try_from(self.source.number(index)?).ok()?)?;
            let (extension, own) = self.extension_of(*user)?;
            let taken = self.cover.is_taken(*user) || self.source.is_own_register(*user);
            if *common.get_or_insert(extension) != extension || taken {
                return None;
            }
            place.extend(own);
        }
        let extension = common?;
        let bytes = u64::from(extension.narrow / 8 * len);
        extension.load(casts).filter(|_| bytes <= MAX_VECTOR && u64::from(align) >= bytes)
    }

    /// How all uses of an integer extend it, with the extensions.
    fn extension_of(&self, id: InstId) -> Option<(Extension, Vec<InstId>)> {
        let narrow =
            self.source.int_bits(self.source.inst(id).ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        if self.text_inputs.contains(&Value::Inst(id)) {
            return None;
        }
        let users = self.cover.uses.users(id);
        let first = self.source.inst(*users.first()?);
        let Op::Cast { op: op @ (CastOp::SExt | CastOp::ZExt), .. } = first.op else { return None };
        let wide = self.source.int_bits(first.ty).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let extension = Extension { op, narrow, wide };
        let same = users.iter().all(|user| {
            let cast = self.source.inst(*user);
            matches!(cast.op, Op::Cast { op: other, .. } if other == op)
                && cast.ty == first.ty
                && cast.metadata(marks::INST).is_none()
                && !self.cover.is_taken(*user)
                && !self.combines(*user, extension)
        });
        same.then(|| (extension, users.to_vec()))
    }

    /// Whether a user of an extension may become one instruction with it: products, halves side by side, indices.
    fn combines(&self, cast: InstId, extension: Extension) -> bool {
        let doubles = extension.narrow >= 16 && extension.wide == 2 * extension.narrow;
        let users = self.cover.uses.users(cast);
        doubles
            && users.iter().map(|user| self.source.inst(*user)).any(|user| match user.op {
                Op::Binary { op: BinaryOp::Mul | BinaryOp::Shl, .. } => {
                    user.metadata(marks::LITERAL).is_none()
                }
                Op::Binary { op: BinaryOp::Or, .. } | Op::Gep { .. } => true,
                _ => false,
            })
    }

    /// The truncation whose result only a store uses, and its operand.
    fn truncated_store(&self, id: InstId) -> Option<(InstId, Value)> {
        let Op::Store { value: Value::Inst(stored), align, order: AtomicOrder::NotAtomic, .. } =
            self.source.inst(id).op
        else {
            return None;
        };
        let truncation = self.source.inst(stored);
        let Op::Cast { op: CastOp::Trunc, value, .. } = truncation.op else { return None };
        let narrow = self.source.int_bits(truncation.ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        let wide = self.source.type_of(value)?;
        self.source.int_bits(wide).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let alone = self.cover.uses.count(stored) == 1
            && !self.cover.is_taken(stored)
            && !self.source.is_own_register(stored)
            && matches!(value, Value::Inst(_) | Value::Arg(_));
        (alone && u64::from(align) * 8 >= u64::from(narrow)).then_some((stored, value))
    }
}
