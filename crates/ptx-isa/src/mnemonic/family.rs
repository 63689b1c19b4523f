//! Families: mnemonics that differ in types or in some modifiers.
//!
//! Code that generates instructions begins with a literal ([`ptx!`](crate::ptx)), which is checked at compile time, and selects the
//! member of its family that it needs: `ptx!("shl.b32").with_bits(64)` is `shl.b64`. A family may be spread over several rows
//! (`add.s32`, `add.f32` and `add.f16` are three). A mnemonic that no row has is an error with its text, never another instruction.

use thiserror::Error;

use super::assign::ids_of;
use super::chosen::Mnemonic;
use super::order::Order;
use crate::names::{Field, Mod};
use crate::types::{ScalarType, TypeKind};

/// The instruction table has no such member of a family.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the PTX instruction {text} is not in the instruction table")]
pub struct UnknownForm {
    /// The requested mnemonic, as it would be spelled.
    pub text: String,
}

impl Mnemonic {
    /// The member of the family whose last type is this one: `setp.lt.s32` with `F32` is `setp.lt.f32`.
    ///
    /// # Errors
    /// When no row has it, or there is no type to replace.
    pub fn with_type(&self, ty: ScalarType) -> Result<Self, UnknownForm> {
        let place = self.modifiers().filter(is_type).count();
        self.replace_types(|at| (at + 1 == place).then_some(ty)).ok_or_else(|| self.unknown(&[ty.modifier()]))
    }

    /// The member of the family with its types replaced by these, one after the other: `cvt.rn.f32.s32` with `F64` and `U32` is
    /// `cvt.rn.f64.u32`. Further types stay.
    ///
    /// # Errors
    /// When no row has it, or there are fewer types to replace.
    pub fn with_types(&self, types: &[ScalarType]) -> Result<Self, UnknownForm> {
        let enough = self.modifiers().filter(is_type).count() >= types.len();
        let found = enough.then(|| self.replace_types(|at| types.get(at).copied())).flatten();
        found.ok_or_else(|| self.unknown(&types.iter().map(|ty| ty.modifier()).collect::<Vec<_>>()))
    }

    /// The member of the family whose last type has this number of bits, and is of the same kind: `shr.u32` with 64 is `shr.u64`.
    ///
    /// # Errors
    /// When no row has it, or there is no type to replace.
    pub fn with_bits(&self, bits: u32) -> Result<Self, UnknownForm> {
        let last = self.modifiers().filter_map(ScalarType::from_mod).last();
        match last.and_then(|last| last.of_bits(bits)) {
            Some(ty) => self.with_type(ty),
            None => Err(UnknownForm { text: format!("{self} of {bits} bits") }),
        }
    }

    /// The member of the family that has these modifiers too: `ld.b32` with `.global` and `.v2` is `ld.global.v2.b32`.
    ///
    /// # Errors
    /// When no row has it.
    pub fn with_all(&self, more: &[Mod]) -> Result<Self, UnknownForm> {
        if more.is_empty() {
            return Ok(*self);
        }
        self.add_in_row(more).or_else(|| self.add_anywhere(more)).ok_or_else(|| self.unknown(more))
    }

    /// [`Self::with_all`] of one modifier, if the condition is true.
    ///
    /// # Errors
    /// When no row has it.
    pub fn with_if(&self, wanted: bool, modifier: Mod) -> Result<Self, UnknownForm> {
        if wanted { self.with_all(&[modifier]) } else { Ok(*self) }
    }

    /// The member of the family that has this modifier in the slot of `field`: `fence.sc.sys` with `.gpu` as its scope is `fence.sc.gpu`.
    ///
    /// # Errors
    /// When the row has no such slot, or it does not accept the modifier.
    pub fn with_modifier(&self, field: Field, modifier: Mod) -> Result<Self, UnknownForm> {
        let found = self.with(field, Some(modifier)).filter(Self::keeps_rules);
        found.ok_or_else(|| self.unknown(&[modifier]))
    }

    /// Replaces some types, by their index among the types.
    fn replace_types(&self, other: impl Fn(usize) -> Option<ScalarType>) -> Option<Self> {
        let mut changed = *self;
        let (mut at, mut in_row) = (0, true);
        for (slot, chosen) in self.form().slots.iter().zip(&mut changed.chosen) {
            if !slot.modifier(*chosen).as_ref().is_some_and(is_type) {
                continue;
            }
            if let Some(ty) = other(at) {
                match slot.number_of(ty.modifier()) {
                    Some(number) => *chosen = number,
                    None => in_row = false,
                }
            }
            at += 1;
        }
        if in_row && changed.keeps_rules() {
            return (at > 0).then_some(changed);
        }
        // Another row has it, if any.
        let mut at = 0;
        let modifiers: Vec<Mod> = self
            .modifiers()
            .map(|modifier| {
                let ty = is_type(&modifier).then(|| other(at)).flatten();
                at += usize::from(is_type(&modifier));
                ty.map_or(modifier, ScalarType::modifier)
            })
            .collect();
        ids_of(self.opcode()).find_map(|id| Self::choose(id, &modifiers))
    }

    /// Fills empty slots of the own row. Modifiers whose order means something are left to [`Self::add_anywhere`].
    fn add_in_row(&self, more: &[Mod]) -> Option<Self> {
        let mut changed = *self;
        let slots = self.form().slots;
        for &modifier in more {
            if Order::of(modifier).is_some_and(|order| !matches!(order, Order::Spaces)) {
                return None;
            }
            let empty = slots.iter().zip(&mut changed.chosen).find_map(|(slot, chosen)| {
                let number = if *chosen == 0 { slot.number_of(modifier) } else { None };
                number.map(|number| (number, chosen))
            });
            let (number, chosen) = empty?;
            *chosen = number;
        }
        changed.keeps_rules().then_some(changed)
    }

    fn add_anywhere(&self, more: &[Mod]) -> Option<Self> {
        let modifiers: Vec<Mod> = self.modifiers().chain(more.iter().copied()).collect();
        ids_of(self.opcode()).find_map(|id| Self::choose(id, &modifiers))
    }

    fn unknown(&self, asked: &[Mod]) -> UnknownForm {
        let asked: Vec<String> = asked.iter().map(|modifier| format!(".{}", modifier.as_str())).collect();
        UnknownForm { text: format!("{self} with {}", asked.join("")) }
    }
}

fn is_type(modifier: &Mod) -> bool {
    ScalarType::from_mod(*modifier).is_some()
}

impl ScalarType {
    /// The type of the same kind and another width; `None` where there is none.
    pub fn of_bits(self, bits: u32) -> Option<Self> {
        use ScalarType::*;
        let family: &[Self] = match self.kind() {
            TypeKind::Bits => &[B8, B16, B32, B64, B128],
            TypeKind::Unsigned => &[U8, U16, U32, U64],
            TypeKind::Signed => &[S8, S16, S32, S64],
            TypeKind::Float => &[F16, F32, F64],
            TypeKind::Packed | TypeKind::Predicate => &[],
        };
        family.iter().copied().find(|ty| ty.bits() == bits)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Field, Mnemonic, Mod, ScalarType, form_ids, ptx};

    #[test]
    fn members_of_families_have_the_expected_texts() {
        let text = |found: Result<Mnemonic, super::UnknownForm>| found.unwrap().to_string();
        assert_eq!(text(ptx!("shl.b32").with_bits(64)), "shl.b64");
        assert_eq!(text(ptx!("add.s32").with_bits(16)), "add.s16");
        assert_eq!(text(ptx!("add.s32").with_type(ScalarType::F32)), "add.f32");
        assert_eq!(text(ptx!("add.rn.f32").with_type(ScalarType::Bf16x2)), "add.rn.bf16x2");
        assert_eq!(text(ptx!("setp.lt.s32").with_type(ScalarType::F64)), "setp.lt.f64");
        assert_eq!(
            text(ptx!("cvt.rn.f32.s32").with_types(&[ScalarType::F64, ScalarType::U32])),
            "cvt.rn.f64.u32"
        );
        assert_eq!(text(ptx!("cvt.u32.u16").with_type(ScalarType::U8)), "cvt.u32.u8");
        assert_eq!(
            text(ptx!("ld.b32").with_all(&[Mod::Volatile, Mod::V2, Mod::Global])),
            "ld.volatile.global.v2.b32"
        );
        assert_eq!(text(ptx!("ld.b32").with_all(&[Mod::Global, Mod::Nc])), "ld.global.nc.b32");
        assert_eq!(text(ptx!("fence.sc.sys").with_modifier(Field::Scope, Mod::Gpu)), "fence.sc.gpu");
        assert_eq!(text(ptx!("add.rn.f32").with_if(true, Mod::Ftz)), "add.rn.ftz.f32");
        assert_eq!(text(ptx!("add.rn.f64").with_if(false, Mod::Ftz)), "add.rn.f64");
    }

    #[test]
    fn what_no_row_has_is_named() {
        let error = ptx!("shl.b32").with_bits(8).unwrap_err().to_string();
        assert_eq!(error, "the PTX instruction shl.b32 with .b8 is not in the instruction table");
        assert!(ptx!("add.s32").with_all(&[Mod::Ftz]).is_err());
        assert!(ptx!("fence.sc.sys").with_modifier(Field::Scope, Mod::Global).is_err());
        assert!(ptx!("bar.sync").with_type(ScalarType::B32).is_err());
        assert!(ptx!("and.pred").with_bits(32).is_err());
        assert!(ptx!("add.s32").with_types(&[ScalarType::S32, ScalarType::S32]).is_err());
    }

    /// Each mnemonic with one of its modifiers or types replaced by itself is found again, by its text.
    #[test]
    fn members_are_those_that_their_texts_mean() {
        for id in form_ids() {
            let modifiers: Vec<Mod> = crate::form(id)
                .slots
                .iter()
                .filter_map(|slot| match slot {
                    crate::Slot::Lit(literal) => Some(*literal),
                    crate::Slot::One(_, set) | crate::Slot::Opt(_, set) => set.first().copied(),
                })
                .collect();
            let Some(mnemonic) = Mnemonic::choose(id, &modifiers) else { continue };
            assert!(mnemonic.rows().any(|row| row == mnemonic), "{mnemonic}");
            for ty in ScalarType::ALL {
                let Ok(other) = mnemonic.with_type(*ty) else { continue };
                let text = other.to_string();
                assert!(crate::candidates(&text).unwrap().contains(&other), "{mnemonic} with {text}");
            }
        }
    }
}
