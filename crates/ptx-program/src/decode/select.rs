//! Comparisons and selections (manual 9.7.6, 9.7.7).

use ptx_ir::Operand;
use ptx_isa::{CompareSem, Field, Mod, OperandKey, ScalarType};

use super::arithmetic::{join, subnormals, type_numbers};
use super::context::{Context, Decode, binary, ternary};
use super::numbers::numbers;
use super::operand::{dst, dst_operand, src, src_operand};
use super::output::Decoded;
use super::signature::rows_of;
use crate::program::{Alu, Binary, Comparison, Dual, Numbers, SetWhere, Ternary};
use crate::scalar::compare::{Join, Relation, WithNan};
use crate::scalar::format::Format;

/// The comparison that a modifier names, and its result if an operand is a NaN.
pub(super) const fn relation(comparison: Mod) -> Option<(Relation, WithNan)> {
    Some(match comparison {
        Mod::Eq => (Relation::Equal, WithNan::False),
        Mod::Ne => (Relation::NotEqual, WithNan::False),
        Mod::Lt | Mod::Lo => (Relation::Less, WithNan::False),
        Mod::Le | Mod::Ls => (Relation::LessOrEqual, WithNan::False),
        Mod::Gt | Mod::Hi => (Relation::Greater, WithNan::False),
        Mod::Ge | Mod::Hs => (Relation::GreaterOrEqual, WithNan::False),
        Mod::Equ => (Relation::Equal, WithNan::True),
        Mod::Neu => (Relation::NotEqual, WithNan::True),
        Mod::Ltu => (Relation::Less, WithNan::True),
        Mod::Leu => (Relation::LessOrEqual, WithNan::True),
        Mod::Gtu => (Relation::Greater, WithNan::True),
        Mod::Geu => (Relation::GreaterOrEqual, WithNan::True),
        Mod::Num => (Relation::Ordered, WithNan::False),
        Mod::NanCmp => (Relation::Unordered, WithNan::False),
        _ => return None,
    })
}

/// The comparison given by the modifiers.
fn comparison(cx: &Context<'_>, numbers: Numbers) -> Decoded<Comparison> {
    let Some((relation, with_nan)) = cx.m.get(Field::Cmp).and_then(relation) else {
        return cx.unsupported("its comparison is not supported");
    };
    Ok(Comparison { relation, with_nan, numbers, subnormals: subnormals(cx) })
}

/// The decoder of a comparison or selection.
pub(super) fn compare_decoder(sem: CompareSem) -> Decode {
    use CompareSem as S;
    match sem {
        S::Setp => setp,
        S::Set => set,
        S::Selp => |cx| choose(cx, Ternary::Select),
        S::Slct => slct,
    }
}

/// A choice between `a` and `b` by `c`.
fn choose(cx: &mut Context<'_>, op: Ternary) -> Decoded<()> {
    one_row(cx)?;
    let d = dst(cx, 0)?;
    let (a, b, c) = (src(cx, 1)?, src(cx, 2)?, src(cx, 3)?);
    cx.emit(ternary(op, d, [a, b, c]));
    Ok(())
}

fn setp(cx: &mut Context<'_>) -> Decoded<()> {
    let numbers = type_numbers(cx)?;
    let comparison = comparison(cx, numbers)?;
    let join = join(cx)?;
    let (p, q) = (dst_operand(cx, OperandKey::P)?, dst_operand(cx, OperandKey::Q)?);
    let (a, b) = (src_operand(cx, OperandKey::A)?, src_operand(cx, OperandKey::B)?);
    let packed = matches!(numbers, Numbers::Ints(..) | Numbers::Floats(..));
    let has_q = cx.given(OperandKey::Q).is_some_and(|(_, operand)| operand != Operand::Sink);
    if join.is_none() && !has_q {
        cx.emit(binary(Binary::Compare(comparison), p, a, b));
        return Ok(());
    }
    // Without an operator `c` is true, the identity of `and`.
    let c = if join.is_some() { src_operand(cx, OperandKey::C)? } else { cx.constants.of(1) };
    let join = join.unwrap_or(Join::And);
    // `q` is the negation, or for packed types the result of the upper half.
    let op = if packed { Dual::ComparePair(comparison, join) } else { Dual::Compare(comparison, join) };
    cx.emit(Alu::Dual { op, dsts: [p, q], srcs: [a, b, c, c] });
    Ok(())
}

fn set(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(numbers) = cx.m.type_of(Field::AType).and_then(numbers) else {
        return cx.unsupported("its argument type cannot be compared");
    };
    let comparison = comparison(cx, numbers)?;
    let Some(dtype) = cx.m.type_of(Field::DType) else { return cx.unsupported("it has no result type") };
    let (count, width) = match numbers {
        Numbers::Int(_) | Numbers::Float(_) => (1, dtype.bits()),
        Numbers::Ints(_, count) | Numbers::Floats(_, count) => (count, dtype.bits() / count),
    };
    // A pair produces a pair or 32 bits of masks; a single value produces a single one.
    let pair = matches!(dtype, ScalarType::F16x2 | ScalarType::Bf16x2);
    if (count == 1 && pair) || (count == 2 && width != 16) {
        return cx.unsupported("its combination of types is not supported");
    }
    let ones = u64::MAX >> (64 - width);
    let when_true = match dtype {
        ScalarType::F32 => Format::F32.one(),
        ScalarType::F16 | ScalarType::F16x2 => Format::F16.one(),
        ScalarType::Bf16 | ScalarType::Bf16x2 => Format::Bf16.one(),
        _ => ones,
    };
    let join = join(cx)?;
    let d = dst_operand(cx, OperandKey::D)?;
    let (a, b) = (src_operand(cx, OperandKey::A)?, src_operand(cx, OperandKey::B)?);
    let c = if join.is_some() { src_operand(cx, OperandKey::C)? } else { cx.constants.of(1) };
    let join = join.unwrap_or(Join::And);
    let set = SetWhere { comparison, join, count, width, when_true };
    cx.emit(ternary(Ternary::Set(set), d, [a, b, c]));
    Ok(())
}

/// `a` if `c` is not negative, else `b`; a NaN selects `b` (manual 9.7.6.4).
fn slct(cx: &mut Context<'_>) -> Decoded<()> {
    let op = match cx.m.type_of(Field::CType) {
        Some(ScalarType::F32) => Ternary::SelectByFloatSign(Format::F32, subnormals(cx)),
        Some(ScalarType::S32) => Ternary::SelectBySign,
        _ => return cx.unsupported("the type of its selector is not supported"),
    };
    choose(cx, op)
}

/// Checks that the selected values fit in one row; their type is irrelevant otherwise.
fn one_row(cx: &Context<'_>) -> Decoded<()> {
    match cx.m.scalar_type() {
        Some(ty) if rows_of(ty) == 1 => {
            cx.m.ignore(&[Field::Type, Field::DType], "the selected value goes on as it is");
            Ok(())
        }
        _ => cx.unsupported("its type is not supported"),
    }
}
