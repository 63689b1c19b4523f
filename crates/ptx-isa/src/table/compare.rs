//! Comparison and selection (manual 9.7.6, 9.7.7).

use super::vocabulary::*;
use crate::Since;
use crate::constraint::Constraint;
use crate::families::{CompareSem, Opcode, Sem};
use crate::form::Slot::One;
use crate::form::{Form, Operand, OperandKind, TypeRule, arg, def, def_pair};
use crate::names::{Field, Mod, Mod::*};

const BITS_CMP: &[Mod] = &[Eq, Ne];
const SIGNED_CMP: &[Mod] = &[Eq, Ne, Lt, Le, Gt, Ge];
const UNSIGNED_CMP: &[Mod] = &[Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs];
const FLOAT_CMP: &[Mod] = &[Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, NanCmp];
/// Result types of `set`; half-precision and bfloat results came later (manual 9.7.7.1).
const SET_RESULTS: &[Mod] = &[U32, S32, F32, F16, Bf16];
const SET_LATER: &[(Mod, Since)] = &[(F16, at(4, 2, 53)), (Bf16, at(7, 8, 90))];
/// Integer results of half-precision comparisons came later.
const SET_HALF_LATER: &[(Mod, Since)] = &[
    (U16, at(6, 5, 53)),
    (S16, at(6, 5, 53)),
    (U32, at(6, 5, 53)),
    (S32, at(6, 5, 53)),
    (Bf16, at(7, 8, 90)),
];
const SELECTABLE: &[Mod] = &[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64];

/// The result of a comparison, and its opposite; either may be left out.
const P: Operand = def("p", PRED).discardable();
const Q: Operand = def_pair("q", PRED);

/// Result types that comparisons of bfloat values do not have.
const NO_HALF_RESULTS: &[Constraint] = &[
    Constraint::Never(F16, "is not a result of comparing bfloat values or pairs of them"),
    Constraint::Never(F16x2, "is not a result of comparing bfloat values or pairs of them"),
];

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Set,
        "Compares bits; the result is all ones or 1.0 when true.",
        &[One(Field::Cmp, BITS_CMP), One(Field::DType, SET_RESULTS), One(Field::AType, BITS16_TO_64)],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares bits; `q` gets the opposite.",
        &[One(Field::Cmp, BITS_CMP), One(Field::Type, BITS16_TO_64)],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares signed integers; the result is all ones or 1.0 when true.",
        &[One(Field::Cmp, SIGNED_CMP), One(Field::DType, SET_RESULTS), One(Field::AType, SIGNED)],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares signed integers; `q` gets the opposite.",
        &[One(Field::Cmp, SIGNED_CMP), One(Field::Type, SIGNED)],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares unsigned integers; the result is all ones or 1.0 when true.",
        &[One(Field::Cmp, UNSIGNED_CMP), One(Field::DType, SET_RESULTS), One(Field::AType, &[U16, U32, U64])],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares unsigned integers; `q` gets the opposite.",
        &[One(Field::Cmp, UNSIGNED_CMP), One(Field::Type, &[U16, U32, U64])],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares single-precision values; the result is all ones or 1.0 when true.",
        &[One(Field::Cmp, FLOAT_CMP), FTZ, One(Field::DType, SET_RESULTS), One(Field::AType, &[F32])],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares single-precision values; `q` gets the opposite.",
        &[One(Field::Cmp, FLOAT_CMP), FTZ, One(Field::Type, &[F32])],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares double-precision values; the result is all ones or 1.0 when true.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::DType, SET_RESULTS), One(Field::AType, &[F64])],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .since(1, 0, 13)
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares double-precision values; `q` gets the opposite.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Type, &[F64])],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(1, 0, 13)
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares half-precision values or pairs.",
        &[
            One(Field::Cmp, FLOAT_CMP),
            FTZ,
            One(Field::DType, &[F16, Bf16, U16, S16, U32, S32, F16x2, Bf16x2]),
            One(Field::AType, HALVES),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .since(4, 2, 53)
    .later(SET_HALF_LATER)
    .constraints(&[Constraint::Never(Bf16x2, "is not a result of comparing halves or pairs of them")])
    .section("9.7.7.1"),
    Form::new(
        Opcode::Set,
        "Compares bfloat values or pairs.",
        &[
            One(Field::Cmp, FLOAT_CMP),
            One(Field::DType, &[F16, Bf16, U16, S16, U32, S32, F16x2, Bf16x2]),
            One(Field::AType, BHALVES),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .since(7, 8, 90)
    .constraints(NO_HALF_RESULTS)
    .section("9.7.7.1"),
    Form::new(
        Opcode::Setp,
        "Compares half-precision values.",
        &[One(Field::Cmp, FLOAT_CMP), FTZ, One(Field::Type, &[F16])],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(4, 2, 53)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Setp,
        "Compares bfloat values.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Type, &[Bf16])],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(7, 8, 90)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Setp,
        "Compares pairs; `p` is for the low half, `q` for the high one.",
        &[One(Field::Cmp, FLOAT_CMP), FTZ, One(Field::Type, &[F16x2])],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(4, 2, 53)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Setp,
        "Compares pairs; `p` is for the low half, `q` for the high one.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Type, &[Bf16x2])],
        &[P, Q, arg("a", T), arg("b", T)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(7, 8, 90)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Set,
        "Compares bits and combines with `c`; the result is all ones or 1.0 when true.",
        &[
            One(Field::Cmp, BITS_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            One(Field::DType, SET_RESULTS),
            One(Field::AType, BITS16_TO_64),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", PRED),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares bits and combines with `c`; `q` gets the opposite.",
        &[One(Field::Cmp, BITS_CMP), One(Field::Bool, &[And, Or, Xor]), One(Field::Type, BITS16_TO_64)],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares signed integers and combines with `c`; the result is all ones or 1.0 when true.",
        &[
            One(Field::Cmp, SIGNED_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            One(Field::DType, SET_RESULTS),
            One(Field::AType, SIGNED),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", PRED),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares signed integers and combines with `c`; `q` gets the opposite.",
        &[One(Field::Cmp, SIGNED_CMP), One(Field::Bool, &[And, Or, Xor]), One(Field::Type, SIGNED)],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares unsigned integers and combines with `c`; the result is all ones or 1.0 when true.",
        &[
            One(Field::Cmp, UNSIGNED_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            One(Field::DType, SET_RESULTS),
            One(Field::AType, &[U16, U32, U64]),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", PRED),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares unsigned integers and combines with `c`; `q` gets the opposite.",
        &[
            One(Field::Cmp, UNSIGNED_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            One(Field::Type, &[U16, U32, U64]),
        ],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares single-precision values and combines with `c`; the result is all ones or 1.0 when true.",
        &[
            One(Field::Cmp, FLOAT_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            FTZ,
            One(Field::DType, SET_RESULTS),
            One(Field::AType, &[F32]),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", PRED),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares single-precision values and combines with `c`; `q` gets the opposite.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Bool, &[And, Or, Xor]), FTZ, One(Field::Type, &[F32])],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares double-precision values and combines with `c`; the result is all ones or 1.0 when true.",
        &[
            One(Field::Cmp, FLOAT_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            One(Field::DType, SET_RESULTS),
            One(Field::AType, &[F64]),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", PRED),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .since(1, 0, 13)
    .later(SET_LATER)
    .section("9.7.6.1"),
    Form::new(
        Opcode::Setp,
        "Compares double-precision values and combines with `c`; `q` gets the opposite.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Bool, &[And, Or, Xor]), One(Field::Type, &[F64])],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(1, 0, 13)
    .section("9.7.6.2"),
    Form::new(
        Opcode::Set,
        "Compares half-precision values or pairs and combines with `c`.",
        &[
            One(Field::Cmp, FLOAT_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            FTZ,
            One(Field::DType, &[F16, Bf16, U16, S16, U32, S32, F16x2, Bf16x2]),
            One(Field::AType, HALVES),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", PRED),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .since(4, 2, 53)
    .later(SET_HALF_LATER)
    .constraints(&[Constraint::Never(Bf16x2, "is not a result of comparing halves or pairs of them")])
    .section("9.7.7.1"),
    Form::new(
        Opcode::Set,
        "Compares bfloat values or pairs and combines with `c`.",
        &[
            One(Field::Cmp, FLOAT_CMP),
            One(Field::Bool, &[And, Or, Xor]),
            One(Field::DType, &[F16, Bf16, U16, S16, U32, S32, F16x2, Bf16x2]),
            One(Field::AType, BHALVES),
        ],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", PRED),
        ],
        Sem::Compare(CompareSem::Set),
    )
    .since(7, 8, 90)
    .constraints(NO_HALF_RESULTS)
    .section("9.7.7.1"),
    Form::new(
        Opcode::Setp,
        "Compares half-precision values and combines with `c`.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Bool, &[And, Or, Xor]), FTZ, One(Field::Type, &[F16])],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(4, 2, 53)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Setp,
        "Compares bfloat values and combines with `c`.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Bool, &[And, Or, Xor]), One(Field::Type, &[Bf16])],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(7, 8, 90)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Setp,
        "Compares pairs and combines with `c`; `p` is for the low half, `q` for the high one.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Bool, &[And, Or, Xor]), FTZ, One(Field::Type, &[F16x2])],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(4, 2, 53)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Setp,
        "Compares pairs and combines with `c`; `p` is for the low half, `q` for the high one.",
        &[One(Field::Cmp, FLOAT_CMP), One(Field::Bool, &[And, Or, Xor]), One(Field::Type, &[Bf16x2])],
        &[P, Q, arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Setp),
    )
    .since(7, 8, 90)
    .section("9.7.7.2"),
    Form::new(
        Opcode::Selp,
        "Selects `a` when `c` is true, else `b`.",
        &[One(Field::Type, SELECTABLE)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", PRED)],
        Sem::Compare(CompareSem::Selp),
    )
    .section("9.7.6.3"),
    Form::new(
        Opcode::Slct,
        "Selects `a` when `c` is not negative, else `b`.",
        &[One(Field::DType, SELECTABLE), One(Field::CType, &[S32])],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::DType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::DType))),
            arg("c", OperandKind::Value(TypeRule::Of(Field::CType))),
        ],
        Sem::Compare(CompareSem::Slct),
    )
    .section("9.7.6.4"),
    Form::new(
        Opcode::Slct,
        "Selects `a` when `c` is not negative, else `b`; a NaN selects `b`.",
        &[FTZ, One(Field::DType, SELECTABLE), One(Field::CType, &[F32])],
        &[
            def("d", OperandKind::Register(TypeRule::Of(Field::DType))),
            arg("a", OperandKind::Value(TypeRule::Of(Field::DType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::DType))),
            arg("c", OperandKind::Value(TypeRule::Of(Field::CType))),
        ],
        Sem::Compare(CompareSem::Slct),
    )
    .section("9.7.6.4"),
];
