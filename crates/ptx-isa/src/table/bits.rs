//! Logic and shifts (manual 9.7.8).

use super::vocabulary::*;
use crate::families::{BitsSem, Opcode, Sem};
use crate::form::Slot::{Lit, One};
use crate::form::{Form, OperandKind, arg, def, def_pair};
use crate::names::{Field, Mod::*};

/// The truth table; bits beyond its 8 are ignored.
const TABLE: OperandKind = OperandKind::Immediate(i64::MIN, i64::MAX);

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::And,
        "Bitwise and.",
        &[One(Field::Type, &[Pred, B16, B32, B64])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Bits(BitsSem::And),
    )
    .section("9.7.8.1"),
    Form::new(
        Opcode::Or,
        "Bitwise or.",
        &[One(Field::Type, &[Pred, B16, B32, B64])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Bits(BitsSem::Or),
    )
    .section("9.7.8.2"),
    Form::new(
        Opcode::Xor,
        "Bitwise xor.",
        &[One(Field::Type, &[Pred, B16, B32, B64])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Bits(BitsSem::Xor),
    )
    .section("9.7.8.3"),
    Form::new(
        Opcode::Not,
        "Inverts all bits.",
        &[One(Field::Type, &[Pred, B16, B32, B64])],
        &[def("d", RT), arg("a", T)],
        Sem::Bits(BitsSem::Not),
    )
    .section("9.7.8.4"),
    Form::new(
        Opcode::Cnot,
        "1 when `a` is zero, else 0.",
        &[One(Field::Type, BITS16_TO_64)],
        &[def("d", RT), arg("a", T)],
        Sem::Bits(BitsSem::Cnot),
    )
    .section("9.7.8.5"),
    Form::new(
        Opcode::Lop3,
        "Any bitwise function of three inputs, by its truth table.",
        &[Lit(B32)],
        &[def("d", RLIT).discardable(), arg("a", LIT), arg("b", LIT), arg("c", LIT), arg("immLut", TABLE)],
        Sem::Bits(BitsSem::Lop3),
    )
    .since(4, 3, 50)
    .section("9.7.8.6"),
    Form::new(
        Opcode::Lop3,
        "The same; `p` is whether the result is not zero, combined with `q`.",
        &[One(Field::Bool, &[And, Or]), Lit(B32)],
        &[
            def("d", RLIT).discardable(),
            def_pair("p", PRED).required(),
            arg("a", LIT),
            arg("b", LIT),
            arg("c", LIT),
            arg("immLut", TABLE),
            arg("q", PRED),
        ],
        Sem::Bits(BitsSem::Lop3),
    )
    .since(8, 2, 70)
    .section("9.7.8.6"),
    Form::new(
        Opcode::Shf,
        "Shifts the 64-bit value `b:a` left and keeps the high word, or right and keeps the low word.",
        &[One(Field::Direction, &[L, R]), One(Field::Mode, &[Clamp, Wrap]), Lit(B32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", V_U32)],
        Sem::Bits(BitsSem::Shf),
    )
    .since(3, 1, 32)
    .section("9.7.8.7"),
    Form::new(
        Opcode::Shl,
        "Shifts left; amounts over the width give zero.",
        &[One(Field::Type, BITS16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", V_U32)],
        Sem::Bits(BitsSem::Shl),
    )
    .section("9.7.8.8"),
    Form::new(
        Opcode::Shr,
        "Shifts right, filling with the sign for signed types; amounts over the width fill the whole value.",
        &[One(Field::Type, &[B16, B32, B64, U16, U32, U64, S16, S32, S64])],
        &[def("d", RT), arg("a", T), arg("b", V_U32)],
        Sem::Bits(BitsSem::Shr),
    )
    .section("9.7.8.9"),
];
