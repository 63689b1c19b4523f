//! Which registers and immediates agree with an instruction type (manual 9.4 and 9.4.1).

use ptx_ir::Immediate;
use ptx_isa::{ScalarType, TypeKind, Width};

/// Whether an instruction that requires `wanted` accepts a register of type `actual` (manual 9.4).
pub(crate) fn agrees(wanted: ScalarType, actual: ScalarType, width: Width) -> bool {
    if actual == ScalarType::Pred || wanted == ScalarType::Pred {
        return actual == wanted;
    }
    let fits = match width {
        Width::Same => actual.bits() == wanted.bits(),
        // A bfloat fills its register.
        Width::AtLeast if wanted == ScalarType::Bf16 => actual.bits() == wanted.bits(),
        Width::AtLeast => actual.bits() >= wanted.bits(),
    };
    fits && kinds_agree(wanted, actual)
}

fn kinds_agree(wanted: ScalarType, actual: ScalarType) -> bool {
    let bits = actual.kind() == TypeKind::Bits;
    match wanted.kind() {
        TypeKind::Bits => true,
        // `ptxas` counts a pair of halves as 32 bits.
        TypeKind::Unsigned | TypeKind::Signed => actual.is_integer_or_bits() || actual == ScalarType::F16x2,
        TypeKind::Float => bits || actual == wanted,
        // Pairs of halves hold pairs of integers and four bytes too.
        TypeKind::Packed => {
            let integers =
                matches!(wanted, ScalarType::U16x2 | ScalarType::S16x2 | ScalarType::U8x4 | ScalarType::S8x4);
            bits || integers && actual == ScalarType::F16x2 || actual == wanted
        }
        TypeKind::Predicate => false,
    }
}

/// Whether an instruction that requires `wanted` accepts a constant (manual 4.5, 9.4).
///
/// Integer types accept integers of any size; the instruction uses the low bits. Floating-point types accept
/// only floating-point constants, and types without a literal form none.
pub(crate) fn takes_immediate(wanted: ScalarType, value: Immediate) -> bool {
    match value {
        Immediate::S64(..) | Immediate::U64(..) => match wanted.kind() {
            TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed | TypeKind::Predicate => true,
            TypeKind::Float | TypeKind::Packed => false,
        },
        // `ptxas` also accepts them for `.f64`, and puts their bits below 32 zero bits.
        Immediate::F32(..) => matches!(wanted, ScalarType::F32 | ScalarType::B32),
        Immediate::F64(..) => matches!(wanted, ScalarType::F32 | ScalarType::F64 | ScalarType::B64),
    }
}

/// The register types that agree with `wanted`, for help texts: `.b32`, `.u32` or `.s32`.
pub(crate) fn agreeing(wanted: ScalarType) -> String {
    let declarable = ScalarType::ALL.iter().copied().filter(|&ty| is_declarable(ty));
    let names: Vec<_> = declarable
        .filter(|&ty| agrees(wanted, ty, Width::Same) && (ty != ScalarType::F16x2 || wanted == ty))
        .map(|ty| format!("`.{}`", ty.as_str()))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Whether registers and variables can have the type; the others name what an instruction does (manual 5.2.1).
pub(crate) const fn is_declarable(ty: ScalarType) -> bool {
    use ScalarType::*;
    match ty {
        B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F16 | F16x2 | F32
        | F64 | Pred => true,
        Bf16 | Bf16x2 | Tf32 | F32x2 | U16x2 | S16x2 | U8x4 | S8x4 => false,
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
            .filter(|&ty| is_declarable(ty) && agrees(wanted, ty, Width::Same))
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
        assert!(agrees(U8, B64, Width::AtLeast) && agrees(F32, B64, Width::AtLeast));
        assert!(agrees(B32, F64, Width::AtLeast));
        assert!(!agrees(F32, F64, Width::AtLeast) && !agrees(U32, B16, Width::AtLeast));
        assert!(!agrees(U32, F32, Width::AtLeast) && !agrees(Bf16, B32, Width::AtLeast));
    }

    #[test]
    fn floating_point_constants_need_a_type_of_their_kind() {
        let one = Immediate::F64(0x3ff0_0000_0000_0000, ptx_ir::Literal::Plain);
        let single = Immediate::F32(0x3f80_0000, ptx_ir::Literal::Plain);
        assert!(takes_immediate(F32, one) && takes_immediate(B64, one) && takes_immediate(B32, single));
        assert!(!takes_immediate(B32, one) && !takes_immediate(S32, single) && !takes_immediate(F16, one));
        assert!(!takes_immediate(F32, Immediate::integer(1)));
    }
}
