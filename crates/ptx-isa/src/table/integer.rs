//! Integer and extended-precision arithmetic (manual 9.7.1, 9.7.2).

use super::vocabulary::*;
use crate::constants::Constants;
use crate::constraint::Constraint;
use crate::families::{ArithSem, BitsSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Form, OperandKind, TypeRule, arg, def};
use crate::names::{Field, Mod::*};
use crate::types::ScalarType;

const TYPE: Field = Field::Type;
const PART: Field = Field::Part;
const WIDE: OperandKind = OperandKind::Value(TypeRule::WideOf(Field::Type));
const RWIDE: OperandKind = OperandKind::Register(TypeRule::WideOf(Field::Type));
const INT16_32: &[crate::Mod] = &[U16, U32, S16, S32];
const BYTES: &[crate::Mod] = &[U8x4, S8x4];
const X2: &[crate::Mod] = &[U16x2, S16x2];
const BYTES_A: OperandKind = OperandKind::Value(TypeRule::Of(Field::AType));
const BYTES_B: OperandKind = OperandKind::Value(TypeRule::Of(Field::BType));
const R_S32: OperandKind = OperandKind::Register(TypeRule::Is(ScalarType::S32));
const CC_TYPES: &[crate::Mod] = &[U32, S32, U64, S64];
const R_COUNT: OperandKind = R_U32;
/// Positions and lengths of bit fields count in the low 8 bits.
const BYTE: Constants = Constants::Range(0, 255);
const RELU: &[Constraint] = &[Constraint::Misplaced(&[Relu], &[U16x2], "has no meaning for unsigned values")];

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Add,
        "Adds integers, wrapping around.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Add),
    )
    .section("9.7.1.1"),
    Form::new(
        Opcode::Add,
        "Adds integers; the result is clamped to the type's range.",
        &[Lit(Sat), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Add),
    )
    .section("9.7.1.1"),
    Form::new(
        Opcode::Add,
        "Adds unsigned integers; the result is clamped to the type's range.",
        &[Lit(Sat), One(TYPE, &[U32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Add),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.1"),
    Form::new(
        Opcode::Add,
        "Adds pairs of 16-bit integers; the results are clamped to the type's range.",
        &[Lit(Sat), One(TYPE, X2)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Add),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.1"),
    Form::new(
        Opcode::Add,
        "Adds pairs of 16-bit integers.",
        &[One(TYPE, X2)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Add),
    )
    .since(8, 0, 90)
    .section("9.7.1.1"),
    Form::new(
        Opcode::Sub,
        "Subtracts integers, wrapping around.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Sub),
    )
    .section("9.7.1.2"),
    Form::new(
        Opcode::Sub,
        "Subtracts integers; the result is clamped to the type's range.",
        &[Lit(Sat), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Sub),
    )
    .section("9.7.1.2"),
    Form::new(
        Opcode::Mul,
        "Multiplies integers; `.hi` and `.lo` give a half of the product, `.wide` all of it.",
        &[One(PART, &[Hi, Lo]), One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Mul),
    )
    .section("9.7.1.3"),
    Form::new(
        Opcode::Mul,
        "Multiplies integers into a result of twice the width.",
        &[One(PART, &[Wide]), One(TYPE, INT16_32)],
        &[def("d", RWIDE), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Mul),
    )
    .section("9.7.1.3"),
    Form::new(
        Opcode::Mad,
        "Multiplies integers and adds to a half of the product.",
        &[One(PART, &[Hi, Lo]), One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Mad),
    )
    .section("9.7.1.4"),
    Form::new(
        Opcode::Mad,
        "Multiplies integers and adds to the whole product.",
        &[One(PART, &[Wide]), One(TYPE, INT16_32)],
        &[def("d", RWIDE), arg("a", T), arg("b", T), arg("c", WIDE)],
        Sem::Arith(ArithSem::Mad),
    )
    .section("9.7.1.4"),
    Form::new(
        Opcode::Mad,
        "Multiplies signed integers and adds to the high half, clamping the sum.",
        &[One(PART, &[Hi]), Lit(Sat), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Mad),
    )
    .section("9.7.1.4"),
    Form::new(
        Opcode::Mul24,
        "Multiplies the low 24 bits; `.hi` gives bits 16 to 47, `.lo` bits 0 to 31 of the product.",
        &[One(PART, &[Hi, Lo]), One(TYPE, &[U32, S32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Mul24),
    )
    .section("9.7.1.5"),
    Form::new(
        Opcode::Mad24,
        "Multiplies the low 24 bits and adds.",
        &[One(PART, &[Hi, Lo]), One(TYPE, &[U32, S32])],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Mad24),
    )
    .section("9.7.1.6"),
    Form::new(
        Opcode::Mad24,
        "Multiplies the low 24 bits and adds to the high part, clamping the sum.",
        &[One(PART, &[Hi]), Lit(Sat), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Mad24),
    )
    .section("9.7.1.6"),
    Form::new(
        Opcode::Sad,
        "Adds the absolute difference of `a` and `b` to `c`.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Sad),
    )
    .section("9.7.1.7"),
    Form::new(
        Opcode::Div,
        "Divides integers, truncating; division by zero gives an unspecified value.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Div),
    )
    .section("9.7.1.8"),
    Form::new(
        Opcode::Rem,
        "The remainder of a truncating integer division.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Rem),
    )
    .section("9.7.1.9"),
    Form::new(
        Opcode::Abs,
        "The absolute value of a signed integer.",
        &[One(TYPE, SIGNED)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Abs),
    )
    .section("9.7.1.10"),
    Form::new(
        Opcode::Neg,
        "The negative of a signed integer.",
        &[One(TYPE, SIGNED)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Neg),
    )
    .section("9.7.1.11"),
    Form::new(
        Opcode::Min,
        "The smaller of two integers.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Min),
    )
    .section("9.7.1.12"),
    Form::new(
        Opcode::Min,
        "The smaller of pairs of integers or of signed integers; `.relu` clamps below at zero.",
        &[Opt(Field::Relu, &[Relu]), One(TYPE, &[U16x2, S16x2])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Min),
    )
    .since(8, 0, 90)
    .constraints(RELU)
    .section("9.7.1.12"),
    Form::new(
        Opcode::Min,
        "The smaller of two integers, clamped below at zero.",
        &[Lit(Relu), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Min),
    )
    .since(8, 0, 90)
    .section("9.7.1.12"),
    Form::new(
        Opcode::Max,
        "The larger of two integers.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Max),
    )
    .section("9.7.1.13"),
    Form::new(
        Opcode::Max,
        "The larger of pairs of integers; `.relu` clamps below at zero.",
        &[Opt(Field::Relu, &[Relu]), One(TYPE, &[U16x2, S16x2])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Max),
    )
    .since(8, 0, 90)
    .constraints(RELU)
    .section("9.7.1.13"),
    Form::new(
        Opcode::Max,
        "The larger of two integers, clamped below at zero.",
        &[Lit(Relu), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Max),
    )
    .since(8, 0, 90)
    .section("9.7.1.13"),
    Form::new(
        Opcode::Popc,
        "Counts the one bits.",
        &[One(TYPE, BITS32_64)],
        &[def("d", R_COUNT), arg("a", T)],
        Sem::Bits(BitsSem::Popc),
    )
    .since(2, 0, 20)
    .section("9.7.1.14"),
    Form::new(
        Opcode::Clz,
        "Counts the zero bits above the highest one.",
        &[One(TYPE, BITS32_64)],
        &[def("d", R_COUNT), arg("a", T)],
        Sem::Bits(BitsSem::Clz),
    )
    .since(2, 0, 20)
    .section("9.7.1.15"),
    Form::new(
        Opcode::Bfind,
        "Finds the highest bit that differs from the sign; all ones when there is none.",
        &[Opt(Field::Shiftamt, &[Shiftamt]), One(TYPE, INT32_64)],
        &[def("d", R_COUNT), arg("a", T)],
        Sem::Bits(BitsSem::Bfind),
    )
    .since(2, 0, 20)
    .section("9.7.1.16"),
    Form::new(
        Opcode::Fns,
        "Finds the n-th set bit of `mask` from bit `base` on.",
        &[Lit(B32)],
        &[def("d", RLIT), arg("mask", V_B32), arg("base", V_B32), arg("offset", V_B32)],
        Sem::Bits(BitsSem::Fns),
    )
    .since(6, 0, 30)
    .section("9.7.1.17"),
    Form::new(
        Opcode::Brev,
        "Reverses the bits.",
        &[One(TYPE, BITS32_64)],
        &[def("d", RT), arg("a", T)],
        Sem::Bits(BitsSem::Brev),
    )
    .since(2, 0, 20)
    .section("9.7.1.18"),
    Form::new(
        Opcode::Bfe,
        "Extracts the field of `c` bits from bit `b` on, extended by sign for signed types.",
        &[One(TYPE, INT32_64)],
        &[def("d", RT), arg("a", T), arg("b", V_U32).constants(BYTE), arg("c", V_U32).constants(BYTE)],
        Sem::Bits(BitsSem::Bfe),
    )
    .since(2, 0, 20)
    .section("9.7.1.19"),
    Form::new(
        Opcode::Bfi,
        "Inserts the low `d` bits of `a` into `b` from bit `c` on.",
        &[One(TYPE, BITS32_64)],
        &[
            def("f", RT),
            arg("a", T),
            arg("b", T),
            arg("c", V_U32).constants(BYTE),
            arg("d", V_U32).constants(BYTE),
        ],
        Sem::Bits(BitsSem::Bfi),
    )
    .since(2, 0, 20)
    .section("9.7.1.20"),
    Form::new(
        Opcode::Szext,
        "Extends a value of `b` bits by sign or zero.",
        &[One(Field::Mode, &[Clamp, Wrap]), One(TYPE, &[U32, S32])],
        &[def("d", RT), arg("a", T), arg("b", V_U32)],
        Sem::Bits(BitsSem::Szext),
    )
    .since(7, 6, 70)
    .section("9.7.1.21"),
    Form::new(
        Opcode::Bmsk,
        "A mask of `b` ones from bit `a` on.",
        &[One(Field::Mode, &[Clamp, Wrap]), One(TYPE, &[B32])],
        &[def("d", R_U32), arg("a", V_U32), arg("b", V_U32)],
        Sem::Bits(BitsSem::Bmsk),
    )
    .since(7, 6, 70)
    .section("9.7.1.22"),
    Form::new(
        Opcode::Dp4a,
        "Adds the dot product of four bytes and four bytes to `c`.",
        &[One(Field::AType, &[U32, S32]), One(Field::BType, &[U32, S32])],
        &[def("d", R_S32), arg("a", BYTES_A), arg("b", BYTES_B), arg("c", V_S32)],
        Sem::Arith(ArithSem::Dp4a),
    )
    .since(5, 0, 61)
    .section("9.7.1.23"),
    Form::new(
        Opcode::Dp2a,
        "Adds the dot product of two halves and two bytes of a half to `c`.",
        &[One(Field::Mode, &[Lo, Hi]), One(Field::AType, &[U32, S32]), One(Field::BType, &[U32, S32])],
        &[def("d", R_S32), arg("a", BYTES_A), arg("b", BYTES_B), arg("c", V_S32)],
        Sem::Arith(ArithSem::Dp2a),
    )
    .since(5, 0, 61)
    .section("9.7.1.24"),
    Form::new(
        Opcode::Add,
        "Adds integers and writes the carry.",
        &[One(Field::Cc, &[Cc]), One(TYPE, CC_TYPES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::AddCarry),
    )
    .since(1, 2, 10)
    .later(LATER64)
    .section("9.7.2.1"),
    Form::new(
        Opcode::Addc,
        "Adds integers and the carry, and writes the new carry.",
        &[One(Field::Cc, &[Cc]), One(TYPE, CC_TYPES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::AddCarry),
    )
    .since(1, 2, 10)
    .later(LATER64)
    .section("9.7.2.2"),
    Form::new(
        Opcode::Addc,
        "Adds integers and the carry.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::AddCarry),
    )
    .since(1, 2, 10)
    .section("9.7.2.2"),
    Form::new(
        Opcode::Addc,
        "Adds integers and the carry, clamping the sum.",
        &[Lit(Sat), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::AddCarry),
    )
    .since(1, 2, 10)
    .section("9.7.2.2"),
    Form::new(
        Opcode::Sub,
        "Subtracts integers and writes the carry of `a + ~b + 1`.",
        &[One(Field::Cc, &[Cc]), One(TYPE, CC_TYPES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::SubCarry),
    )
    .since(1, 2, 10)
    .later(LATER64)
    .section("9.7.2.3"),
    Form::new(
        Opcode::Subc,
        "Computes `a + ~b` and the carry, and writes the new carry.",
        &[One(Field::Cc, &[Cc]), One(TYPE, CC_TYPES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::SubCarry),
    )
    .since(2, 0, 20)
    .later(LATER64)
    .section("9.7.2.4"),
    Form::new(
        Opcode::Subc,
        "Computes `a + ~b` and the carry.",
        &[One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::SubCarry),
    )
    .since(2, 0, 20)
    .section("9.7.2.4"),
    Form::new(
        Opcode::Subc,
        "Computes `a + ~b` and the carry, clamping the sum.",
        &[Lit(Sat), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::SubCarry),
    )
    .since(2, 0, 20)
    .section("9.7.2.4"),
    Form::new(
        Opcode::Mad,
        "Multiplies integers, adds to a half of the product and writes the carry.",
        &[One(PART, &[Hi, Lo]), One(Field::Cc, &[Cc]), One(TYPE, CC_TYPES)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::MadCarry),
    )
    .since(3, 0, 20)
    .later(LATER64)
    .section("9.7.2.5"),
    Form::new(
        Opcode::Madc,
        "Multiplies integers, adds to a half of the product with the carry, and writes the new carry.",
        &[One(PART, &[Hi, Lo]), One(Field::Cc, &[Cc]), One(TYPE, CC_TYPES)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::MadCarry),
    )
    .since(3, 0, 20)
    .later(LATER64)
    .section("9.7.2.6"),
    Form::new(
        Opcode::Madc,
        "Multiplies integers, adds to a half of the product with the carry.",
        &[One(PART, &[Hi, Lo]), One(TYPE, INT16_TO_64)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::MadCarry),
    )
    .since(3, 0, 20)
    .section("9.7.2.6"),
    Form::new(
        Opcode::Madc,
        "Multiplies integers, adds to a half of the product with the carry, clamping the sum.",
        &[One(PART, &[Hi]), Lit(Sat), One(TYPE, &[S32])],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::MadCarry),
    )
    .since(3, 0, 20)
    .section("9.7.2.6"),
    Form::new(
        Opcode::Add,
        "Adds four bytes, wrapping around or clamping.",
        &[SAT, One(TYPE, BYTES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::PackedBytes),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.1"),
    Form::new(
        Opcode::Sub,
        "Subtracts four bytes, wrapping around or clamping.",
        &[SAT, One(TYPE, BYTES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::PackedBytes),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.2"),
    Form::new(
        Opcode::Min,
        "The smaller of four bytes each.",
        &[One(TYPE, BYTES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::PackedBytes),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.12"),
    Form::new(
        Opcode::Min,
        "The smaller of four signed bytes each, clamped below at zero.",
        &[Lit(Relu), One(TYPE, &[S8x4])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::PackedBytes),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.12"),
    Form::new(
        Opcode::Max,
        "The larger of four bytes each.",
        &[One(TYPE, BYTES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::PackedBytes),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.13"),
    Form::new(
        Opcode::Max,
        "The larger of four signed bytes each, clamped below at zero.",
        &[Lit(Relu), One(TYPE, &[S8x4])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::PackedBytes),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.13"),
    Form::new(
        Opcode::Neg,
        "The negatives of four signed bytes.",
        &[One(TYPE, &[S8x4])],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::PackedBytes),
    )
    .only(9, 2, FAMILIES_107_120)
    .section("9.7.1.11"),
];

const LATER64: &[(crate::Mod, crate::Since)] = &[(U64, at(4, 3, 20)), (S64, at(4, 3, 20))];
