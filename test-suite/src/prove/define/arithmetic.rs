//! Floating-point arithmetic (manual 9.7.3, 9.7.4, 9.7.5) and conversions between formats (manual 9.7.9.21): operations with one rounding,
//! with what modifiers do to operands and results around them.

use ptx_isa::{ArithSem, Field, Mnemonic, Mod, MoveSem, ScalarType, Sem};

use super::float::Format;
use super::{Outcome, SourceOperand};
use crate::prove::term::Bits;
use crate::prove::term::float::{FloatOp, FloatOpKind, Rounding};

/// The direction of a modifier; the nearest number where there is none. `None` for those that IEEE 754 does not have.
fn rounding(mnemonic: &Mnemonic) -> Option<Rounding> {
    Some(match mnemonic.modifiers().find(|modifier| is_direction(*modifier)) {
        None | Some(Mod::Rn | Mod::Rni) => Rounding::Even,
        Some(Mod::Rz | Mod::Rzi) => Rounding::Zero,
        Some(Mod::Rm | Mod::Rmi) => Rounding::Down,
        Some(Mod::Rp | Mod::Rpi) => Rounding::Up,
        Some(_) => return None,
    })
}

const fn is_direction(modifier: Mod) -> bool {
    is_integral(modifier) || matches!(modifier, Mod::Rn | Mod::Rz | Mod::Rm | Mod::Rp | Mod::Rna | Mod::Rs)
}

const fn is_integral(modifier: Mod) -> bool {
    matches!(modifier, Mod::Rni | Mod::Rzi | Mod::Rmi | Mod::Rpi)
}

/// Whether an instruction is an approximation, or a conversion from or to a narrow format: what arrives is held against it
/// by its name and its operands alone.
pub(in crate::prove) fn is_by_name(mnemonic: &Mnemonic) -> bool {
    match mnemonic.sem() {
        Sem::Arith(
            ArithSem::Sin | ArithSem::Cos | ArithSem::Lg2 | ArithSem::Ex2 | ArithSem::Tanh | ArithSem::Rsqrt,
        ) => true,
        Sem::Arith(ArithSem::Div | ArithSem::Rcp | ArithSem::Sqrt) => {
            mnemonic.has(Mod::Approx) || mnemonic.has(Mod::Full)
        }
        // Of integers alone.
        Sem::Move(MoveSem::CvtNarrow) if mnemonic.has(Mod::Pack) => false,
        Sem::Move(MoveSem::Cvt | MoveSem::CvtNarrow) => {
            let is_narrow = |modifier| {
                let ty = ScalarType::from_mod(modifier);
                ty == Some(ScalarType::Tf32) || ty.is_none() && ScalarType::holder(modifier).is_some()
            };
            rounding(mnemonic).is_none() || mnemonic.modifiers().any(is_narrow)
        }
        _ => false,
    }
}

/// The function of an instruction's name.
pub(super) fn by_name<'t>(mnemonic: &Mnemonic, sources: &[SourceOperand<'t>]) -> Option<Outcome<'t>> {
    let args: Vec<Bits<'t>> = sources.iter().flat_map(|source| source.elements.iter().copied()).collect();
    let width = mnemonic.operand_type(0)?.bits();
    Outcome::one(args.first()?.terms().opaque(&mnemonic.to_string(), width, &args))
}

/// Sums, products, quotients and roots, of numbers or of pairs.
pub(super) fn define<'t>(mnemonic: &Mnemonic, sources: &[SourceOperand<'t>]) -> Option<Outcome<'t>> {
    let ty = mnemonic.operand_type(0)?;
    let format = Format::of(ty)?;
    let lane = |at: u32| {
        let part = |(number, source): (usize, &SourceOperand<'t>)| {
            let from = mnemonic.operand_type(number + 1)?;
            let own = Format::of(from)?;
            let bits = source.bits.extract(at * own.width(), own.width());
            let bits = if mnemonic.has(Mod::Ftz) && flushes(own) { own.flushed(bits) } else { bits };
            // Factors and terms of half the width are widened, which is exact.
            Some(if own == format { bits } else { converted(bits, own, format, Rounding::Even, false) })
        };
        let args: Option<Vec<Bits<'t>>> = sources.iter().enumerate().map(part).collect();
        on_numbers(mnemonic, format, &args?)
    };
    let lanes: Option<Vec<Bits<'t>>> = (0..ty.bits() / format.width()).map(lane).collect();
    Outcome::one(lanes?.into_iter().reduce(|low, high| high.concat(low))?)
}

/// Whether `.ftz` has an effect: on double precision it has none (`rcp.rn.ftz.f64`).
fn flushes(format: Format) -> bool {
    format.width() < 64
}

fn on_numbers<'t>(mnemonic: &Mnemonic, format: Format, args: &[Bits<'t>]) -> Option<Bits<'t>> {
    let t = args.first()?.terms();
    let flush = mnemonic.has(Mod::Ftz) && flushes(format);
    let rounding = rounding(mnemonic)?;
    let op = |kind, args: &[Bits<'t>]| t.float(FloatOp { kind, format, rounding, flush }, args);
    let result = match (mnemonic.sem(), args) {
        (Sem::Arith(ArithSem::Add), &[a, b]) => op(FloatOpKind::Add, &[a, b]),
        (Sem::Arith(ArithSem::Sub), &[a, b]) => op(FloatOpKind::Add, &[a, opposite(b)]),
        (Sem::Arith(ArithSem::Mul), &[a, b]) => op(FloatOpKind::Mul, &[a, b]),
        (Sem::Arith(ArithSem::Fma | ArithSem::Mad), &[a, b, c]) => op(FloatOpKind::Fma, &[a, b, c]),
        (Sem::Arith(ArithSem::FmaOob), &[a, b, c]) => {
            // The NaN that marks what lies out of bounds (docs/ptx-dialect.md).
            let marked = |bits: Bits<'t>| bits.same(bits.number(0x7ff7));
            let result = finished(mnemonic, format, op(FloatOpKind::Fma, &[a, b, c]));
            return Some((marked(a) | marked(b)).pick(result.number(0), result));
        }
        (Sem::Arith(ArithSem::Div), &[a, b]) => op(FloatOpKind::Div, &[a, b]),
        (Sem::Arith(ArithSem::Rcp), &[a]) => {
            op(FloatOpKind::Div, &[t.number(format.width(), format.one()), a])
        }
        (Sem::Arith(ArithSem::Sqrt), &[a]) => op(FloatOpKind::Sqrt, &[a]),
        _ => return None,
    };
    Some(finished(mnemonic, format, result))
}

/// The number with the other sign.
pub(in crate::prove) fn opposite(a: Bits<'_>) -> Bits<'_> {
    (!a.sign()).concat(a.trunc(a.width() - 1))
}

/// `.sat` gives 0 to 1 and zero for a NaN, `.relu` no negative number.
pub(super) fn finished<'t>(mnemonic: &Mnemonic, format: Format, result: Bits<'t>) -> Bits<'t> {
    let zero = result.number(0);
    let nan = format.is_nan(result);
    if mnemonic.has(Mod::Sat) {
        let one = result.number(format.one());
        return (nan | result.sign()).pick(zero, result.min(false, one));
    }
    if mnemonic.has(Mod::Relu) {
        return nan.pick(result.number(format.canonical_nan()), result.sign().pick(zero, result));
    }
    result
}

/// A number in another format, or the same one.
pub(in crate::prove) fn converted<'t>(
    a: Bits<'t>,
    from: Format,
    format: Format,
    rounding: Rounding,
    flush: bool,
) -> Bits<'t> {
    if from == format {
        return from.is_nan(a).pick(a.number(format.canonical_nan()), a);
    }
    a.terms().float(FloatOp { kind: FloatOpKind::Convert(from), format, rounding, flush }, &[a])
}

/// `cvt` between formats, of one number, or of two to a pair.
pub(super) fn convert<'t>(mnemonic: &Mnemonic, sources: &[SourceOperand<'t>]) -> Option<Outcome<'t>> {
    let (to, from) = (mnemonic.type_of(Field::DType)?, mnemonic.type_of(Field::AType)?);
    let (format, own) = (Format::of(to)?, Format::of(from)?);
    if own.width() != from.bits() || to.bits() != format.width() * sources.len() as u32 {
        return None;
    }
    let direction = rounding(mnemonic)?;
    // Of the formats that `.ftz` is for here single precision alone has subnormal numbers that are flushed.
    let ftz = |ty: ScalarType| mnemonic.has(Mod::Ftz) && Format::of(ty) == Format::of(ScalarType::F32);
    let one = |source: &SourceOperand<'t>| {
        let a = if ftz(from) { own.flushed(source.bits) } else { source.bits };
        let result = if mnemonic.modifiers().any(is_integral) {
            let op = FloatOp { kind: FloatOpKind::Integral, format: own, rounding: direction, flush: false };
            converted(a.terms().float(op, &[a]), own, format, Rounding::Even, false)
        } else {
            converted(a, own, format, direction, ftz(to))
        };
        let result = if mnemonic.has(Mod::Satfinite) {
            let largest = result.number(format.infinity() - 1).trunc(format.width() - 1);
            format.is_infinite(result).pick(result.sign().concat(largest), result)
        } else {
            result
        };
        finished(mnemonic, format, result)
    };
    // The first one goes to the upper half.
    Outcome::one(sources.iter().map(one).reduce(|high, low| high.concat(low))?)
}
