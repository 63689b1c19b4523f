//! Conversions from and to narrow floating-point formats (manual 9.7.9.21, 9.7.9.22).

use super::vocabulary::*;
use crate::Slot;
use crate::families::{MoveSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Form, Operand, OperandKind, TypeRule, VectorLength, arg, def, when};
use crate::names::{Field, Mod, Mod::*};
use crate::target::{Since, Sm};
use crate::types::ScalarType;

const RELU: Slot = Opt(Field::Relu, &[Relu]);
const SATFINITE: Slot = Opt(Field::Sat, &[Satfinite]);
const PAIRS: &[Mod] = &[F16x2, Bf16x2];
const SCALED: Slot = Opt(Field::Scale, &[ScaledN2Ue8m0]);
/// Narrow values lie in untyped registers.
const D: Operand = def("d", OperandKind::Untyped(TypeRule::HeldBy(Field::DType)));
const A: Operand = arg("a", OperandKind::Untyped(TypeRule::HeldBy(Field::AType)));
/// Pairs lie in untyped registers, or in those of just their type.
const D_PAIR: Operand = def("d", OperandKind::Register(TypeRule::Of(Field::DType)));
const A_PAIR: Operand = arg("a", OperandKind::Register(TypeRule::Of(Field::AType)));
/// Fixed-point values that are written may lie in any register of 16 bits.
const D_FIXED: Operand = def("d", OperandKind::Register(TypeRule::HeldBy(Field::DType)));
/// `ptxas` accepts any 32-bit value for the bfloat pairs that are converted to 4-bit values.
const A_ANY: Operand = arg("a", OperandKind::Register(TypeRule::HeldBy(Field::AType)));
const SINGLE_A: Operand = arg("a", OperandKind::Value(TypeRule::Is(ScalarType::F32)));
const SINGLE_B: Operand = arg("b", OperandKind::Value(TypeRule::Is(ScalarType::F32)));
const FOUR: Operand = arg("abef", OperandKind::Vector(TypeRule::Is(ScalarType::F32), VectorLength::Is(4)));
const RANDOM: Operand = arg("rbits", OperandKind::Untyped(TypeRule::Is(ScalarType::B32)));
const SCALE: Operand =
    when("scale-factor", OperandKind::Untyped(TypeRule::Is(ScalarType::B16)), &[ScaledN2Ue8m0]);
/// Targets with random rounding and with the formats of 6 and 4 bits in the families.
const RANDOM_TARGETS: &[Sm] = &[Sm::arch(100), Sm::arch(103), Sm::arch(107)];
const S2F6_TARGETS: &[Sm] =
    &[Sm::arch(100), Sm::arch(103), Sm::arch(107), Sm::arch(110), Sm::arch(120), Sm::arch(121)];
const NARROW_LATER: &[(Mod, Since)] = &[
    (E2m3x2, on(8, 6, BLACKWELL)),
    (E3m2x2, on(8, 6, BLACKWELL)),
    (E2m1x2, on(8, 6, BLACKWELL)),
    (Bf16x2, on(9, 1, BLACKWELL)),
    (Rz, on(9, 4, FAMILY_107)),
];
/// Halves were converted to formats of 6 and 4 bits later than singles.
const HALF_LATER: &[(Mod, Since)] = &[
    (E2m3x2, on(9, 1, BLACKWELL)),
    (E3m2x2, on(9, 1, BLACKWELL)),
    (E2m1x2, on(9, 1, BLACKWELL)),
    (Rz, on(9, 4, FAMILY_107)),
];
const FIXED_LATER: &[(Mod, Since)] = &[(Rz, on(9, 4, &[Sm::arch(107)]))];
const F8X2: &[Mod] = &[E4m3x2, E5m2x2, E2m3x2, E3m2x2, E2m1x2];
const F8X2_BUT_4BITS: &[Mod] = &[E4m3x2, E5m2x2, E2m3x2, E3m2x2];

const fn narrow(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Cvt, doc, slots, operands, Sem::Move(MoveSem::CvtNarrow))
        .since(7, 8, 89)
        .section("9.7.9.21")
}

pub(super) static FORMS: &[Form] = &[
    narrow(
        "Converts two single-precision values to a pair of narrow ones, clamping.",
        &[
            One(Field::Rnd, &[Rn, Rz]),
            Lit(Satfinite),
            RELU,
            One(Field::DType, F8X2),
            One(Field::AType, &[F32]),
        ],
        &[D, SINGLE_A, SINGLE_B],
    )
    .later(NARROW_LATER),
    narrow(
        "Converts a pair of halves to narrow values, clamping.",
        &[
            One(Field::Rnd, &[Rn, Rz]),
            Lit(Satfinite),
            RELU,
            One(Field::DType, F8X2),
            One(Field::AType, &[F16x2]),
        ],
        &[D, A_PAIR],
    )
    .later(HALF_LATER),
    narrow(
        "Converts a pair of bfloat values to narrow ones, clamping.",
        &[
            One(Field::Rnd, &[Rn, Rz]),
            Lit(Satfinite),
            RELU,
            One(Field::DType, F8X2_BUT_4BITS),
            One(Field::AType, &[Bf16x2]),
        ],
        &[D, A_PAIR],
    )
    .later(NARROW_LATER),
    narrow(
        "Converts a pair of bfloat values to 4-bit ones, clamping.",
        &[
            One(Field::Rnd, &[Rn, Rz]),
            Lit(Satfinite),
            RELU,
            One(Field::DType, &[E2m1x2]),
            One(Field::AType, &[Bf16x2]),
        ],
        &[D, A_ANY],
    )
    .later(NARROW_LATER),
    narrow(
        "Converts two single-precision values to a pair of fixed-point ones, scaled by powers of two and clamping.",
        &[
            One(Field::Rnd, &[Rn, Rz]),
            Lit(Satfinite),
            RELU,
            SCALED,
            One(Field::DType, &[S2f6x2]),
            One(Field::AType, &[F32]),
        ],
        &[D_FIXED, SINGLE_A, SINGLE_B, SCALE],
    )
    .only(9, 1, S2F6_TARGETS)
    .later(FIXED_LATER),
    narrow(
        "Converts a pair of bfloat values to fixed-point ones, scaled by powers of two and clamping.",
        &[
            One(Field::Rnd, &[Rn, Rz]),
            Lit(Satfinite),
            RELU,
            SCALED,
            One(Field::DType, &[S2f6x2]),
            One(Field::AType, &[Bf16x2]),
        ],
        &[D_FIXED, A_PAIR, SCALE],
    )
    .only(9, 1, S2F6_TARGETS)
    .later(FIXED_LATER),
    narrow(
        "Converts a pair of narrow values to half precision.",
        &[
            One(Field::Rnd, &[Rn]),
            RELU,
            One(Field::DType, &[F16x2]),
            One(Field::AType, &[E4m3x2, E5m2x2, E2m3x2, E3m2x2, E2m1x2]),
        ],
        &[D_PAIR, A],
    )
    .later(NARROW_LATER),
    narrow(
        "Converts a pair of narrow values to bfloat, scaled by powers of two.",
        &[
            One(Field::Rnd, &[Rn]),
            SATFINITE,
            RELU,
            SCALED,
            One(Field::DType, &[Bf16x2]),
            One(Field::AType, &[E4m3x2, E5m2x2, E2m3x2, E3m2x2, E2m1x2]),
        ],
        &[D_PAIR, A, SCALE],
    )
    .only(9, 2, BLACKWELL),
    narrow(
        "Converts a pair of fixed-point values to bfloat, scaled by powers of two.",
        &[
            One(Field::Rnd, &[Rn]),
            SATFINITE,
            RELU,
            SCALED,
            One(Field::DType, &[Bf16x2]),
            One(Field::AType, &[S2f6x2]),
        ],
        &[D_PAIR, A, SCALE],
    )
    .only(9, 1, S2F6_TARGETS),
    narrow(
        "Converts two single-precision values to powers of two.",
        &[One(Field::Rnd, &[Rz, Rp]), SATFINITE, One(Field::DType, &[Ue8m0x2]), One(Field::AType, &[F32])],
        &[D, SINGLE_A, SINGLE_B],
    )
    .only(8, 6, BLACKWELL),
    narrow(
        "Converts a pair to powers of two.",
        &[One(Field::Rnd, &[Rz, Rp]), SATFINITE, One(Field::DType, &[Ue8m0x2]), One(Field::AType, &[Bf16x2])],
        &[D, A_PAIR],
    )
    .only(8, 6, BLACKWELL),
    narrow(
        "Converts powers of two to bfloat.",
        &[One(Field::Rnd, &[Rn]), One(Field::DType, &[Bf16x2]), One(Field::AType, &[Ue8m0x2])],
        &[D_PAIR, A],
    )
    .only(8, 6, BLACKWELL),
    narrow(
        "Converts two single-precision values to scales without sign.",
        &[
            One(Field::Rnd, &[Rn, Rz, Rp]),
            SATFINITE,
            One(Field::DType, &[Ue5m3x2]),
            One(Field::AType, &[F32]),
        ],
        &[D, SINGLE_A, SINGLE_B],
    )
    .only(9, 4, FAMILY_107),
    narrow(
        "Converts a pair to scales without sign.",
        &[One(Field::Rnd, &[Rn, Rz, Rp]), SATFINITE, One(Field::DType, &[Ue5m3x2]), One(Field::AType, PAIRS)],
        &[D, A_PAIR],
    )
    .only(9, 4, FAMILY_107),
    narrow(
        "Converts scales without sign to half precision.",
        &[One(Field::Rnd, &[Rn]), One(Field::DType, &[F16x2]), One(Field::AType, &[Ue5m3x2])],
        &[D_PAIR, A],
    )
    .only(9, 4, FAMILY_107),
    narrow(
        "Converts scales without sign to bfloat, scaled by powers of two.",
        &[
            One(Field::Rnd, &[Rn]),
            SATFINITE,
            SCALED,
            One(Field::DType, &[Bf16x2]),
            One(Field::AType, &[Ue5m3x2]),
        ],
        &[D_PAIR, A, SCALE],
    )
    .only(9, 4, FAMILY_107),
    narrow(
        "Converts two single-precision values to a pair, rounding by random bits.",
        &[One(Field::Rnd, &[Rs]), RELU, SATFINITE, One(Field::DType, PAIRS), One(Field::AType, &[F32])],
        &[D_PAIR, SINGLE_A, SINGLE_B, RANDOM],
    )
    .only(8, 7, RANDOM_TARGETS),
    narrow(
        "Converts four single-precision values to narrow ones, rounding by random bits and clamping.",
        &[
            One(Field::Rnd, &[Rs]),
            RELU,
            Lit(Satfinite),
            One(Field::DType, &[E4m3x4, E5m2x4, E2m3x4, E3m2x4, E2m1x4]),
            One(Field::AType, &[F32]),
        ],
        &[D, FOUR, RANDOM],
    )
    .only(8, 7, RANDOM_TARGETS),
    Form::new(
        Opcode::Cvt,
        "Converts two integers with saturation to 2 or 4 bits and packs them below `c`.",
        &[Lit(Pack), Lit(Sat), One(Field::DType, &[U4, S4, U2, S2]), One(Field::AType, &[S32]), Lit(B32)],
        &[
            def("d", PACKED),
            arg("a", INTEGER),
            arg("b", INTEGER),
            arg("c", OTHER_PART),
        ],
        Sem::Move(MoveSem::CvtNarrow),
    )
    .since(6, 5, 75)
    .section("9.7.9.22"),
];
