//! Which immediates agree with an instruction type, and which registers in words (manual 9.4 and 9.4.1).

use ptx_ir::Immediate;
use ptx_isa::{ScalarType, TypeKind, Width};

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
    let declarable = ScalarType::ALL.iter().copied().filter(|ty| ty.is_declarable());
    let names: Vec<_> = declarable
        .filter(|&ty| wanted.agrees(ty, Width::Same) && (ty != ScalarType::F16x2 || wanted == ty))
        .map(|ty| format!("`.{}`", ty.as_str()))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::*;

    #[test]
    fn floating_point_constants_need_a_type_of_their_kind() {
        let one = Immediate::F64(0x3ff0_0000_0000_0000, ptx_ir::Literal::Plain);
        let single = Immediate::F32(0x3f80_0000, ptx_ir::Literal::Plain);
        assert!(takes_immediate(F32, one) && takes_immediate(B64, one) && takes_immediate(B32, single));
        assert!(!takes_immediate(B32, one) && !takes_immediate(S32, single) && !takes_immediate(F16, one));
        assert!(!takes_immediate(F32, Immediate::integer(1)));
    }
}
