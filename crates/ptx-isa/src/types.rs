//! Fundamental types and state spaces.

use std::sync::LazyLock;

use crate::names::{Mod, named};

named! {
    /// A fundamental or packed type (manual 5.2).
    ScalarType {
        B8 "b8", B16 "b16", B32 "b32", B64 "b64", B128 "b128",
        U8 "u8", U16 "u16", U32 "u32", U64 "u64",
        S8 "s8", S16 "s16", S32 "s32", S64 "s64",
        F16 "f16", F16x2 "f16x2", Bf16 "bf16", Bf16x2 "bf16x2", Tf32 "tf32",
        F32 "f32", F32x2 "f32x2", F64 "f64",
        U16x2 "u16x2", S16x2 "s16x2", U8x4 "u8x4", S8x4 "s8x4",
        Pred "pred",
    }
}

/// The kind of number of a type (manual 5.2.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// Untyped bits.
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer in two's complement.
    Signed,
    /// A floating-point number.
    Float,
    /// Several numbers in one register.
    Packed,
    /// A truth value.
    Predicate,
}

/// How the width of a register may relate to the required type of the operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Exactly as wide.
    Same,
    /// As wide or wider: loads, stores and conversions (manual 9.4.1).
    AtLeast,
}

impl ScalarType {
    /// Width in bits; a predicate counts as 1.
    pub const fn bits(self) -> u32 {
        use ScalarType::*;
        match self {
            Pred => 1,
            B8 | U8 | S8 => 8,
            B16 | U16 | S16 | F16 | Bf16 => 16,
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 | Tf32 | U16x2 | S16x2 | U8x4 | S8x4 => 32,
            B64 | U64 | S64 | F64 | F32x2 => 64,
            B128 => 128,
        }
    }

    /// Size in memory in bytes; a predicate has none and gives 1.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The kind of number.
    pub const fn kind(self) -> TypeKind {
        use ScalarType::*;
        match self {
            Pred => TypeKind::Predicate,
            B8 | B16 | B32 | B64 | B128 => TypeKind::Bits,
            U8 | U16 | U32 | U64 => TypeKind::Unsigned,
            S8 | S16 | S32 | S64 => TypeKind::Signed,
            F16 | Bf16 | Tf32 | F32 | F64 => TypeKind::Float,
            F16x2 | Bf16x2 | F32x2 | U16x2 | S16x2 | U8x4 | S8x4 => TypeKind::Packed,
        }
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self.kind(), TypeKind::Signed)
    }

    /// Whether it is one floating-point number.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), TypeKind::Float)
    }

    /// Whether it is an integer or bits, so that integer immediates fit it.
    pub const fn is_integer_or_bits(self) -> bool {
        matches!(self.kind(), TypeKind::Bits | TypeKind::Signed | TypeKind::Unsigned)
    }

    /// The untyped bits of the same width; `None` for a predicate.
    pub const fn as_bits(self) -> Option<ScalarType> {
        match self.bits() {
            8 => Some(ScalarType::B8),
            16 => Some(ScalarType::B16),
            32 => Some(ScalarType::B32),
            64 => Some(ScalarType::B64),
            128 => Some(ScalarType::B128),
            _ => None,
        }
    }

    /// Whether an instruction that requires this type accepts a register of another type (manual 9.4, 9.4.1).
    pub fn agrees(self, register: ScalarType, width: Width) -> bool {
        if register == ScalarType::Pred || self == ScalarType::Pred {
            return register == self;
        }
        let fits = match width {
            Width::Same => register.bits() == self.bits(),
            // A bfloat fills its register.
            Width::AtLeast if self == ScalarType::Bf16 => register.bits() == self.bits(),
            Width::AtLeast => register.bits() >= self.bits(),
        };
        fits && self.agrees_in_kind(register)
    }

    fn agrees_in_kind(self, register: ScalarType) -> bool {
        let bits = register.kind() == TypeKind::Bits;
        match self.kind() {
            TypeKind::Bits => true,
            // `ptxas` counts a pair of halves as 32 bits.
            TypeKind::Unsigned | TypeKind::Signed => {
                register.is_integer_or_bits() || register == ScalarType::F16x2
            }
            TypeKind::Float => bits || register == self,
            // Pairs of halves hold pairs of integers and four bytes too.
            TypeKind::Packed => {
                let integers = matches!(
                    self,
                    ScalarType::U16x2 | ScalarType::S16x2 | ScalarType::U8x4 | ScalarType::S8x4
                );
                bits || integers && register == ScalarType::F16x2 || register == self
            }
            TypeKind::Predicate => false,
        }
    }

    /// Whether registers and variables can have the type; the others name what an instruction does (manual 5.2.1, 5.2.3).
    pub const fn is_declarable(self) -> bool {
        use ScalarType::*;
        match self {
            B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F16 | F16x2 | F32
            | F64 | Pred => true,
            Bf16 | Bf16x2 | Tf32 | F32x2 | U16x2 | S16x2 | U8x4 | S8x4 => false,
        }
    }

    /// The modifier that names it.
    pub const fn modifier(self) -> Mod {
        const NAMES: [Mod; ScalarType::ALL.len()] = modifiers_of_types();
        NAMES[self as usize]
    }

    /// The type a modifier names, if it names one.
    pub fn from_mod(modifier: Mod) -> Option<ScalarType> {
        static TYPES: LazyLock<Vec<Option<ScalarType>>> = LazyLock::new(|| {
            Mod::ALL.iter().map(|modifier| ScalarType::from_ptx(modifier.as_str())).collect()
        });
        TYPES.get(modifier as usize).copied().flatten()
    }

    /// The bits of the register that holds a value of the type that a modifier names, narrow formats included
    /// (manual 5.2.3 ff.); `None` when it names no type.
    pub fn holder(modifier: Mod) -> Option<ScalarType> {
        use Mod::*;
        match modifier {
            E4m3 | E5m2 | E2m1x2 => Some(ScalarType::B8),
            E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | Ue8m0x2 | Ue5m3x2 | S2f6x2 | E2m1x4 => Some(ScalarType::B16),
            E4m3x4 | E5m2x4 | E2m3x4 | E3m2x4 => Some(ScalarType::B32),
            _ => ScalarType::from_mod(modifier).and_then(ScalarType::as_bits),
        }
    }
}

/// The modifier that has the spelling of each type; a type without one is not compiled.
const fn modifiers_of_types() -> [Mod; ScalarType::ALL.len()] {
    let mut names = [Mod::B8; ScalarType::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        let mut modifier = 0;
        while !same_text(Mod::ALL[modifier].as_str(), ScalarType::ALL[at].as_str()) {
            modifier += 1;
        }
        names[at] = Mod::ALL[modifier];
        at += 1;
    }
    names
}

const fn same_text(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

named! {
    /// A state space (manual 5.1) or one of its sub-windows.
    StateSpace {
        Reg "reg", SpecialReg "sreg", Const "const", Global "global", Local "local", Param "param",
        ParamEntry "param::entry", ParamFunc "param::func",
        Shared "shared", SharedCta "shared::cta", SharedCluster "shared::cluster", Tex "tex",
    }
}

impl StateSpace {
    /// The space a modifier names, if it names one.
    pub fn from_mod(modifier: Mod) -> Option<StateSpace> {
        static SPACES: LazyLock<Vec<Option<StateSpace>>> = LazyLock::new(|| {
            Mod::ALL.iter().map(|modifier| StateSpace::from_ptx(modifier.as_str())).collect()
        });
        SPACES.get(modifier as usize).copied().flatten()
    }

    /// The space whose window of generic addresses contains it: kinds of parameters and of shared memory are parts of one window.
    pub const fn window(self) -> StateSpace {
        match self {
            StateSpace::ParamEntry | StateSpace::ParamFunc => StateSpace::Param,
            StateSpace::SharedCta | StateSpace::SharedCluster => StateSpace::Shared,
            StateSpace::Reg
            | StateSpace::SpecialReg
            | StateSpace::Const
            | StateSpace::Global
            | StateSpace::Local
            | StateSpace::Param
            | StateSpace::Shared
            | StateSpace::Tex => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::*;

    fn same(wanted: ScalarType) -> Vec<ScalarType> {
        ScalarType::ALL
            .iter()
            .copied()
            .filter(|&ty| ty.is_declarable() && wanted.agrees(ty, Width::Same))
            .collect()
    }

    // The lists are what ptxas 13.5 accepts.
    #[test]
    fn registers_of_the_same_width_and_kind_agree() {
        assert_eq!(same(B32), [B32, U32, S32, F16x2, F32]);
        assert_eq!(same(U16), [B16, U16, S16]);
        assert_eq!(same(F32), [B32, F32]);
        assert_eq!(same(F16), [B16, F16]);
        assert_eq!(same(Bf16), [B16]);
        assert_eq!(same(F16x2), [B32, F16x2]);
        assert_eq!(same(U16x2), [B32, F16x2]);
        assert_eq!(same(S8x4), [B32, F16x2]);
        assert_eq!(same(F32x2), [B64]);
        assert_eq!(same(Pred), [Pred]);
    }

    #[test]
    fn wider_registers_agree_with_loads_but_a_wider_float_does_not() {
        assert!(U8.agrees(B64, Width::AtLeast) && F32.agrees(B64, Width::AtLeast));
        assert!(B32.agrees(F64, Width::AtLeast));
        assert!(!F32.agrees(F64, Width::AtLeast) && !U32.agrees(B16, Width::AtLeast));
        assert!(!U32.agrees(F32, Width::AtLeast) && !Bf16.agrees(B32, Width::AtLeast));
    }
}
