//! Moves and conversions (manual 9.7.9).

use super::vocabulary::*;
use crate::Since;
use crate::families::{BitsSem, MoveSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Combination, Form, OperandKind, Rule, TypeRule, VectorLength, arg, def};
use crate::names::{Field, Mod, Mod::*};
use crate::types::ScalarType;

const INTS: &[Mod] = &[U8, U16, U32, U64, S8, S16, S32, S64];
const FLOATS: &[Mod] = &[F16, Bf16, F32, F64];
const ISSPACEP: &[(Mod, Since)] = &[
    (Const, at(3, 1, 20)),
    (Param, at(7, 7, 70)),
    (ParamEntry, at(8, 3, 70)),
    (SharedCta, at(7, 8, 20)),
    (SharedCluster, at(7, 8, 90)),
];
const BFLOAT_LATER: &[(Mod, Since)] = &[(Bf16, at(7, 8, 90))];
const CVT_LATER: &[(Mod, Since)] = &[
    (Bf16, at(7, 0, 80)),
    (Tf32, at(7, 0, 80)),
    (Rna, at(7, 0, 80)),
    (Relu, at(7, 0, 80)),
    (Satfinite, at(8, 1, 70)),
];

/// Conversions of bfloat values and to `.tf32` came one after the other (manual 9.7.9.21, notes).
const CVT_LATER_COMBINED: &[(Combination, Since)] = &[
    (&[(Field::DType, &[F32]), (Field::AType, &[Bf16])], at(7, 1, 80)),
    (&[(Field::DType, &[F32]), (Field::AType, &[Bf16]), (Field::Ftz, &[Ftz])], at(7, 8, 90)),
    (&[(Field::DType, &[F16, Bf16, F64]), (Field::AType, &[Bf16])], at(7, 8, 90)),
    (&[(Field::DType, &[Bf16]), (Field::AType, &[F16, F64])], at(7, 8, 90)),
    (&[(Field::DType, &[Tf32]), (Field::AType, &[F32]), (Field::Rnd, ROUNDINGS_BUT_RNA)], at(7, 8, 90)),
    (
        &[
            (Field::DType, &[Tf32]),
            (Field::AType, &[F32]),
            (Field::Rnd, ROUNDINGS_BUT_RNA),
            (Field::Sat, &[Satfinite]),
        ],
        at(8, 6, 100),
    ),
];
const ROUNDINGS_BUT_RNA: &[Mod] = &[Rn, Rz, Rm, Rp, Rni, Rzi, Rmi, Rpi];

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Mov,
        "Copies the elements of a vector, or the components of a special register, of which the fourth is 0.",
        &[
            One(Field::Vec, &[V2, V4]),
            One(Field::Type, &[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64]),
        ],
        &[
            def("d", OperandKind::Vector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
            arg("a", OperandKind::Vector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
        ],
        Sem::Move(MoveSem::MovVector),
    )
    .rules(&[Rule::Excludes(V4, &[B64, U64, S64, F64])])
    .section("9.7.9.3"),
    Form::new(
        Opcode::Mov,
        "Copies a register, an immediate, a special register or an address; packs and unpacks vectors.",
        &[One(Field::Type, &[Pred, B16, B32, B64, B128, U16, U32, U64, S16, S32, S64, F32, F64])],
        &[
            def("d", OperandKind::Move(TypeRule::Of(Field::Type))),
            arg("a", OperandKind::Move(TypeRule::Of(Field::Type))),
        ],
        Sem::Move(MoveSem::Mov),
    )
    .later(&[(B128, at(8, 3, 70))])
    .section("9.7.9.3"),
    Form::new(
        Opcode::Prmt,
        "Selects four bytes out of eight, by the selectors in `c` or by the mode.",
        &[Opt(Field::Mode, &[F4e, B4e, Rc8, Ecl, Ecr, Rc16]), Lit(B32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Bits(BitsSem::Prmt),
    )
    .since(2, 0, 20)
    .section("9.7.9.7"),
    Form::new(
        Opcode::Isspacep,
        "Tests whether a generic address lies in a state space.",
        &[One(Field::Space, &[Const, Global, Local, Shared, SharedCta, SharedCluster, Param, ParamEntry])],
        &[def("p", PRED), arg("a", OperandKind::Move(TypeRule::Is(ScalarType::U64)))],
        Sem::Move(MoveSem::Isspacep),
    )
    .since(2, 0, 20)
    .later(ISSPACEP)
    .section("9.7.9.18"),
    Form::new(
        Opcode::Cvta,
        "Converts an address of a state space to a generic one.",
        &[
            One(Field::Space, &[Const, Global, Local, Shared, SharedCta, SharedCluster, Param, ParamEntry]),
            One(Field::Type, &[U32, U64]),
        ],
        &[def("p", RT), arg("a", OperandKind::Move(TypeRule::Of(Field::Type)))],
        Sem::Move(MoveSem::Cvta),
    )
    .since(2, 0, 20)
    .later(ISSPACEP)
    .section("9.7.9.19"),
    Form::new(
        Opcode::Cvta,
        "Converts a generic address to one of a state space.",
        &[
            Lit(To),
            One(Field::Space, &[Const, Global, Local, Shared, SharedCta, SharedCluster, Param, ParamEntry]),
            One(Field::Type, &[U32, U64]),
        ],
        &[def("p", RT), arg("a", OperandKind::Move(TypeRule::Of(Field::Type)))],
        Sem::Move(MoveSem::Cvta),
    )
    .since(2, 0, 20)
    .later(ISSPACEP)
    .section("9.7.9.19"),
    Form::new(
        Opcode::Cvt,
        "Converts between integers; `.sat` clamps to the range of the destination.",
        &[SAT, One(Field::DType, INTS), One(Field::AType, INTS)],
        &[
            def("d", OperandKind::Wide(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Wide(TypeRule::Of(Field::AType))),
        ],
        Sem::Move(MoveSem::Cvt),
    )
    .section("9.7.9.21"),
    Form::new(
        Opcode::Cvt,
        "Converts a floating-point value to an integer, clamping to its range.",
        &[
            One(Field::Rnd, &[Rni, Rzi, Rmi, Rpi]),
            FTZ,
            SAT,
            One(Field::DType, INTS),
            One(Field::AType, FLOATS),
        ],
        &[
            def("d", OperandKind::Wide(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Wide(TypeRule::Of(Field::AType))),
        ],
        Sem::Move(MoveSem::Cvt),
    )
    .later(BFLOAT_LATER)
    .section("9.7.9.21"),
    Form::new(
        Opcode::Cvt,
        "Converts an integer to a floating-point value.",
        &[One(Field::Rnd, RND), FTZ, SAT, One(Field::DType, FLOATS), One(Field::AType, INTS)],
        &[
            def("d", OperandKind::Wide(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Wide(TypeRule::Of(Field::AType))),
        ],
        Sem::Move(MoveSem::Cvt),
    )
    .later(BFLOAT_LATER)
    .section("9.7.9.21"),
    Form::new(
        Opcode::Cvt,
        "Converts between floating-point types, or rounds to an integral value.",
        &[
            Opt(Field::Rnd, &[Rn, Rz, Rm, Rp, Rna, Rni, Rzi, Rmi, Rpi]),
            Opt(Field::Relu, &[Relu]),
            Opt(Field::Sat, &[Satfinite, Sat]),
            FTZ,
            One(Field::DType, &[F16, Bf16, Tf32, F32, F64]),
            One(Field::AType, FLOATS),
        ],
        &[
            def("d", OperandKind::Wide(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Wide(TypeRule::Of(Field::AType))),
        ],
        Sem::Move(MoveSem::Cvt),
    )
    .later(CVT_LATER)
    .later_combined(CVT_LATER_COMBINED)
    .section("9.7.9.21"),
    Form::new(
        Opcode::Cvt,
        "Converts two single-precision values to a pair; `a` goes to the upper half.",
        &[
            One(Field::Rnd, &[Rn, Rz]),
            Opt(Field::Relu, &[Relu]),
            Opt(Field::Sat, &[Satfinite]),
            One(Field::DType, &[F16x2, Bf16x2]),
            One(Field::AType, &[F32]),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Move(MoveSem::CvtPack),
    )
    .since(7, 0, 80)
    .later(&[(Satfinite, at(8, 1, 80))])
    .section("9.7.9.21"),
    Form::new(
        Opcode::Cvt,
        "Converts two integers with saturation and packs them below the upper half of `c`.",
        &[Lit(Pack), Lit(Sat), One(Field::DType, &[U16, S16]), One(Field::AType, &[S32])],
        &[def("d", PACKED), arg("a", INTEGER), arg("b", INTEGER)],
        Sem::Move(MoveSem::CvtPack),
    )
    .since(6, 5, 72)
    .section("9.7.9.22"),
    Form::new(
        Opcode::Cvt,
        "Converts two integers with saturation to bytes and packs them below the lower half of `c`.",
        &[Lit(Pack), Lit(Sat), One(Field::DType, &[U8, S8]), One(Field::AType, &[S32]), Lit(B32)],
        &[def("d", PACKED), arg("a", INTEGER), arg("b", INTEGER), arg("c", OTHER_PART)],
        Sem::Move(MoveSem::CvtPack),
    )
    .since(6, 5, 72)
    .section("9.7.9.22"),
];
