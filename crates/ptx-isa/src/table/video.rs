//! Video instructions, scalar and of two or four lanes (manual 9.7.18).

use super::vocabulary::*;
use crate::Slot;
use crate::families::{Opcode, Sem, VideoSem};
use crate::form::Slot::{One, Opt};
use crate::form::{Form, Operand, OperandKind, Rule, TypeRule, arg, def};
use crate::names::{Field, Mod, Mod::*};
use crate::selector::Selection;
use crate::types::ScalarType;

const TYPES: &[Mod] = &[U32, S32];
const COMPARISONS: &[Mod] = &[Eq, Ne, Lt, Le, Gt, Ge];
/// Results and third operands of arithmetic.
const WORD: TypeRule = TypeRule::Of(Field::DType);
/// Those of comparisons, which name no type for them.
const TRUTH: TypeRule = TypeRule::Is(ScalarType::U32);
const D: Slot = One(Field::DType, TYPES);
const A: Slot = One(Field::AType, TYPES);
const BB: Slot = One(Field::BType, TYPES);
const SHIFT_BY: Slot = One(Field::BType, &[U32]);
const SECOND: Slot = One(Field::Op, &[Add, Min, Max]);
const CMP: Slot = One(Field::Cmp, COMPARISONS);
const MODE: Slot = One(Field::Mode, &[Clamp, Wrap]);
const ACCUMULATE: Slot = Opt(Field::Op, &[Add]);
/// A sum is not clamped.
const NO_CLAMPED_SUM: &[Rule] = &[Rule::Excludes(Sat, &[Add])];

const fn picked(name: &'static str, ty: Field, selection: Selection) -> Operand {
    arg(name, OperandKind::Selected(TypeRule::Of(ty), selection))
}

const RESULT: Operand = def("d", OperandKind::Register(WORD));
/// One byte or half of the result; the rest comes from `c`.
const MERGED: Operand = def("d", OperandKind::Selected(WORD, Selection::One));
const ONE: [Operand; 2] =
    [picked("a", Field::AType, Selection::One), picked("b", Field::BType, Selection::One)];
const C: Operand = arg("c", OperandKind::Value(WORD));
const PLAIN: &[Operand] = &[RESULT, ONE[0], ONE[1]];
const THREE: &[Operand] = &[RESULT, ONE[0], ONE[1], C];
const MERGING: &[Operand] = &[MERGED, ONE[0], ONE[1], C];
const COMPARED: &[Operand] = &[def("d", R_U32), ONE[0], ONE[1]];
const COMPARED_THREE: &[Operand] = &[def("d", R_U32), ONE[0], ONE[1], arg("c", V_U32)];
const COMPARED_MERGING: &[Operand] =
    &[def("d", OperandKind::Selected(TRUTH, Selection::One)), ONE[0], ONE[1], arg("c", V_U32)];
const HALVES2: &[Operand] = &halves(WORD);
const COMPARED_HALVES2: &[Operand] = &halves(TRUTH);
const BYTES4: &[Operand] = &bytes(WORD);
const COMPARED_BYTES4: &[Operand] = &bytes(TRUTH);
const FACTORS: &[Operand] = &[
    RESULT,
    arg("a", OperandKind::Signed(TypeRule::Of(Field::AType), Selection::One)),
    arg("b", OperandKind::Signed(TypeRule::Of(Field::BType), Selection::One)),
    arg("c", OperandKind::Signed(WORD, Selection::Whole)),
];

/// The operands of an instruction on pairs of halves whose result has this type.
const fn halves(result: TypeRule) -> [Operand; 4] {
    [
        def("d", OperandKind::Selected(result, Selection::HalfMask)),
        picked("a", Field::AType, Selection::Halves),
        picked("b", Field::BType, Selection::Halves),
        arg("c", OperandKind::Register(result)),
    ]
}

/// The same on four bytes.
const fn bytes(result: TypeRule) -> [Operand; 4] {
    [
        def("d", OperandKind::Selected(result, Selection::ByteMask)),
        picked("a", Field::AType, Selection::Bytes),
        picked("b", Field::BType, Selection::Bytes),
        arg("c", OperandKind::Register(result)),
    ]
}

const fn scalar(
    opcode: Opcode,
    doc: &'static str,
    slots: &'static [Slot],
    operands: &'static [Operand],
) -> Form {
    Form::new(opcode, doc, slots, operands, Sem::Video(VideoSem::Video)).since(2, 0, 20).section("9.7.18.1")
}

const fn simd(
    opcode: Opcode,
    doc: &'static str,
    slots: &'static [Slot],
    operands: &'static [Operand],
) -> Form {
    Form::new(opcode, doc, slots, operands, Sem::Video(VideoSem::VideoSimd))
        .since(3, 0, 30)
        .rules(NO_CLAMPED_SUM)
        .section("9.7.18.2")
}

const ARITHMETIC: &[Slot] = &[D, A, BB, SAT];
const ARITHMETIC_2: &[Slot] = &[D, A, BB, SAT, SECOND];
const SHIFT: &[Slot] = &[D, A, SHIFT_BY, SAT, MODE];
const SHIFT_2: &[Slot] = &[D, A, SHIFT_BY, SAT, MODE, SECOND];
const COMPARE: &[Slot] = &[A, BB, CMP];
const COMPARE_2: &[Slot] = &[A, BB, CMP, SECOND];
const LANES: &[Slot] = &[D, A, BB, SAT, ACCUMULATE];
const COMPARE_LANES: &[Slot] = &[A, BB, CMP, ACCUMULATE];

pub(super) static FORMS: &[Form] = &[
    scalar(Opcode::Vadd, "Adds at full width.", ARITHMETIC, PLAIN),
    scalar(Opcode::Vadd, "Adds and combines with `c`.", ARITHMETIC_2, THREE),
    scalar(Opcode::Vadd, "Adds into a part of `c`.", ARITHMETIC, MERGING),
    scalar(Opcode::Vsub, "Subtracts at full width.", ARITHMETIC, PLAIN),
    scalar(Opcode::Vsub, "Subtracts and combines with `c`.", ARITHMETIC_2, THREE),
    scalar(Opcode::Vsub, "Subtracts into a part of `c`.", ARITHMETIC, MERGING),
    scalar(Opcode::Vabsdiff, "The absolute difference at full width.", ARITHMETIC, PLAIN),
    scalar(Opcode::Vabsdiff, "The absolute difference, combined with `c`.", ARITHMETIC_2, THREE),
    scalar(Opcode::Vabsdiff, "The absolute difference into a part of `c`.", ARITHMETIC, MERGING),
    scalar(Opcode::Vmin, "The smaller value.", ARITHMETIC, PLAIN),
    scalar(Opcode::Vmin, "The smaller value, combined with `c`.", ARITHMETIC_2, THREE),
    scalar(Opcode::Vmin, "The smaller value into a part of `c`.", ARITHMETIC, MERGING),
    scalar(Opcode::Vmax, "The larger value.", ARITHMETIC, PLAIN),
    scalar(Opcode::Vmax, "The larger value, combined with `c`.", ARITHMETIC_2, THREE),
    scalar(Opcode::Vmax, "The larger value into a part of `c`.", ARITHMETIC, MERGING),
    scalar(
        Opcode::Vshl,
        "Shifts left; `.wrap` takes the amount modulo 32, `.clamp` limits it to 32.",
        SHIFT,
        PLAIN,
    ),
    scalar(Opcode::Vshl, "Shifts left and combines with `c`.", SHIFT_2, THREE),
    scalar(Opcode::Vshl, "Shifts left into a part of `c`.", SHIFT, MERGING),
    scalar(
        Opcode::Vshr,
        "Shifts right; `.wrap` takes the amount modulo 32, `.clamp` limits it to 32.",
        SHIFT,
        PLAIN,
    ),
    scalar(Opcode::Vshr, "Shifts right and combines with `c`.", SHIFT_2, THREE),
    scalar(Opcode::Vshr, "Shifts right into a part of `c`.", SHIFT, MERGING),
    scalar(
        Opcode::Vmad,
        "Multiplies parts, adds and shifts right; `.po` adds one.",
        &[D, A, BB, Opt(Field::PlusOne, &[Po]), SAT, Opt(Field::Scale, &[Shr7, Shr15])],
        FACTORS,
    ),
    scalar(Opcode::Vset, "Compares; 1 when true, else 0.", COMPARE, COMPARED),
    scalar(Opcode::Vset, "Compares and combines with `c`.", COMPARE_2, COMPARED_THREE),
    scalar(Opcode::Vset, "Compares into a part of `c`.", COMPARE, COMPARED_MERGING),
    simd(Opcode::Vadd2, "Adds halves into those of `c`, or adds the sums to `c`.", LANES, HALVES2),
    simd(Opcode::Vsub2, "Subtracts halves.", LANES, HALVES2),
    simd(Opcode::Vavrg2, "Averages halves, rounding away from zero.", LANES, HALVES2),
    simd(Opcode::Vabsdiff2, "The absolute differences of halves.", LANES, HALVES2),
    simd(Opcode::Vmin2, "The smaller halves.", LANES, HALVES2),
    simd(Opcode::Vmax2, "The larger halves.", LANES, HALVES2),
    simd(Opcode::Vset2, "Compares halves; 1 when true, else 0.", COMPARE_LANES, COMPARED_HALVES2),
    simd(Opcode::Vadd4, "Adds bytes into those of `c`, or adds the sums to `c`.", LANES, BYTES4),
    simd(Opcode::Vsub4, "Subtracts bytes.", LANES, BYTES4),
    simd(Opcode::Vavrg4, "Averages bytes, rounding away from zero.", LANES, BYTES4),
    simd(Opcode::Vabsdiff4, "The absolute differences of bytes.", LANES, BYTES4),
    simd(Opcode::Vmin4, "The smaller bytes.", LANES, BYTES4),
    simd(Opcode::Vmax4, "The larger bytes.", LANES, BYTES4),
    simd(Opcode::Vset4, "Compares bytes; 1 when true, else 0.", COMPARE_LANES, COMPARED_BYTES4),
];
