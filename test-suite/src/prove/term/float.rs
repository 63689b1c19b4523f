//! Floating-point operations: one rounding each, of which a NaN is the canonical one.
//!
//! A term with one of them is first asked about as a function of which nothing is known, which proves that the same
//! operation is applied to the same operands, and then in SMT-LIB's theory of floating-point numbers.

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{Bits, Node, Op, Terms};
use crate::prove::define::float::Format;

/// What is computed before the result is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::prove) enum FloatOpKind {
    Add,
    Mul,
    /// The product of two plus a third.
    Fma,
    Div,
    Sqrt,
    /// The number itself, from another format.
    Convert(Format),
    /// The integral number next to it.
    Integral,
}

/// A rounding direction of IEEE 754.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::prove) enum Rounding {
    /// To the nearest number, ties to even.
    Even,
    Zero,
    Down,
    Up,
}

impl Rounding {
    const fn host(self) -> Round {
        match self {
            Self::Even => Round::NearestTiesToEven,
            Self::Zero => Round::TowardZero,
            Self::Down => Round::TowardNegative,
            Self::Up => Round::TowardPositive,
        }
    }

    const fn smt(self) -> &'static str {
        match self {
            Self::Even => "RNE",
            Self::Zero => "RTZ",
            Self::Down => "RTN",
            Self::Up => "RTP",
        }
    }
}

/// A floating-point operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::prove) struct FloatOp {
    pub kind: FloatOpKind,
    /// The format of the result, and of the arguments unless they are converted.
    pub format: Format,
    pub rounding: Rounding,
    /// Whether a result below the smallest normal number, rounded to the format's precision with any exponent, becomes a zero of its sign.
    pub flush: bool,
}

impl Terms {
    /// The result of a floating-point operation.
    pub(in crate::prove) fn float<'t>(&'t self, op: FloatOp, args: &[Bits<'t>]) -> Bits<'t> {
        let width = op.format.width();
        let numbers: Option<Vec<u128>> = args.iter().map(|arg| arg.as_number()).collect();
        if let Some(value) = numbers.and_then(|numbers| compute(op, &numbers)) {
            return self.number(width, value);
        }
        let mut ids: Vec<u32> = args.iter().map(|arg| arg.id).collect();
        // With one NaN for all, sums and products do not depend on the order.
        if matches!(op.kind, FloatOpKind::Add | FloatOpKind::Mul | FloatOpKind::Fma) {
            ids[..2].sort_unstable();
        }
        self.node(Node::Apply(Op::Float(op), ids), width)
    }
}

/// What an operation gives of numbers.
pub(super) fn compute(op: FloatOp, args: &[u128]) -> Option<u128> {
    match op.format.width() {
        16 if op.format.exponent == 5 => in_format::<Half>(op, args),
        16 => in_format::<BFloat>(op, args),
        32 => in_format::<Single>(op, args),
        64 => in_format::<Double>(op, args),
        _ => None,
    }
}

/// The formats with the conversions between all of them.
trait Binary: Float + FloatConvert<Quad> {}
impl<F: Float + FloatConvert<Quad>> Binary for F {}

fn in_format<F: Binary>(op: FloatOp, args: &[u128]) -> Option<u128>
where
    Half: FloatConvert<F>,
    BFloat: FloatConvert<F>,
    Single: FloatConvert<F>,
    Double: FloatConvert<F>,
{
    let result = rounded::<F>(op, args, 0)?;
    if result.is_nan() {
        return Some(op.format.canonical_nan());
    }
    let smallest = F::from_bits(1 << op.format.fraction);
    let is_tiny = match result.abs().partial_cmp(&smallest)? {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        // Did only the format's end make it normal? Larger by a power of two it is rounded as with any exponent; what is
        // infinite then was the sum of numbers so large that it is exact.
        std::cmp::Ordering::Equal => {
            let scaled = rounded::<F>(op, args, SCALE)?;
            scaled.is_finite() && scaled.abs() < smallest.scalbn(SCALE)
        }
    };
    let negative = u128::from(result.is_negative()) << (op.format.width() - 1);
    Some(if op.flush && is_tiny { negative } else { result.to_bits() })
}

/// By how many powers of two a result is made larger.
const SCALE: i32 = 8;

/// The result, of operands that are so many powers of two larger that it is, too.
fn rounded<F: Binary>(op: FloatOp, args: &[u128], scale: i32) -> Option<F>
where
    Half: FloatConvert<F>,
    BFloat: FloatConvert<F>,
    Single: FloatConvert<F>,
    Double: FloatConvert<F>,
{
    let round = op.rounding.host();
    if let FloatOpKind::Convert(from) = op.kind {
        let bits = *args.first()?;
        return Some(match from.width() {
            16 if from.exponent == 5 => converted::<Half, F>(bits, round, scale),
            16 => converted::<BFloat, F>(bits, round, scale),
            32 => converted::<Single, F>(bits, round, scale),
            64 => converted::<Double, F>(bits, round, scale),
            _ => return None,
        });
    }
    let numbers: Vec<F> = args.iter().map(|&bits| F::from_bits(bits)).collect();
    // Of two factors the smaller one, which has room above.
    let factors = |a: F, b: F| {
        if a.abs() < b.abs() { (a.scalbn(scale), b) } else { (a, b.scalbn(scale)) }
    };
    Some(match (op.kind, numbers.as_slice()) {
        (FloatOpKind::Add, &[a, b]) => a.scalbn(scale).add_r(b.scalbn(scale), round).value,
        (FloatOpKind::Mul, &[a, b]) => {
            let (a, b) = factors(a, b);
            a.mul_r(b, round).value
        }
        (FloatOpKind::Fma, &[a, b, c]) => {
            let (a, b) = factors(a, b);
            a.mul_add_r(b, c.scalbn(scale), round).value
        }
        (FloatOpKind::Div, &[a, b]) => a.scalbn(scale).div_r(b, round).value,
        (FloatOpKind::Integral, &[a]) => a.round_to_integral(round).value.scalbn(scale),
        (FloatOpKind::Sqrt, &[a]) => root(op, a)?.scalbn(scale),
        _ => return None,
    })
}

fn converted<G: Float + FloatConvert<F>, F: Float>(bits: u128, round: Round, scale: i32) -> F {
    G::from_bits(bits).scalbn(scale).convert_r(round, &mut false).value
}

/// The square root, which has no scale: the host's, to the nearest, and its neighbour where a direction asks for that.
fn root<F: Binary>(op: FloatOp, a: F) -> Option<F> {
    let bits = a.to_bits();
    let nearest = match op.format.width() {
        32 => u128::from(f32::from_bits(bits as u32).sqrt().to_bits()),
        64 => u128::from(f64::from_bits(bits as u64).sqrt().to_bits()),
        _ => return None,
    };
    let nearest = F::from_bits(nearest);
    if !nearest.is_finite() || nearest.is_zero() {
        return Some(nearest);
    }
    let exact = |number: F| -> Quad { number.convert_r(Round::NearestTiesToEven, &mut false).value };
    let square = exact(nearest).mul_r(exact(nearest), Round::NearestTiesToEven).value;
    Some(match op.rounding {
        Rounding::Down | Rounding::Zero if square > exact(a) => nearest.next_down().value,
        Rounding::Up if square < exact(a) => nearest.next_up().value,
        _ => nearest,
    })
}

/// An operation in SMT-LIB, with z3's function from a number to its bits.
pub(in crate::prove) fn smt(op: FloatOp, args: &[String]) -> String {
    let Format { exponent, fraction } = op.format;
    let (mode, digits) = (op.rounding.smt(), fraction + 1);
    let from = if let FloatOpKind::Convert(from) = op.kind { from } else { op.format };
    // Results of any exponent that operands of these formats can have.
    let wide = if op.flush { exponent.max(from.exponent) + 2 } else { exponent };
    let number = |bits: &String| format!("((_ to_fp {} {}) {bits})", from.exponent, from.fraction + 1);
    let operand = |bits: &String| {
        if op.flush { format!("((_ to_fp {wide} {digits}) {mode} {})", number(bits)) } else { number(bits) }
    };
    let operands = args.iter().map(operand).collect::<Vec<_>>().join(" ");
    let result = match op.kind {
        FloatOpKind::Add => format!("(fp.add {mode} {operands})"),
        FloatOpKind::Mul => format!("(fp.mul {mode} {operands})"),
        FloatOpKind::Fma => format!("(fp.fma {mode} {operands})"),
        FloatOpKind::Div => format!("(fp.div {mode} {operands})"),
        FloatOpKind::Sqrt => format!("(fp.sqrt {mode} {operands})"),
        FloatOpKind::Integral => format!("(fp.roundToIntegral {mode} {operands})"),
        FloatOpKind::Convert(_) if op.flush => operands,
        FloatOpKind::Convert(_) => format!("((_ to_fp {exponent} {digits}) {mode} {operands})"),
    };
    let width = op.format.width();
    let nan = format!("(_ bv{} {width})", op.format.canonical_nan());
    if !op.flush {
        return format!("(let ((r {result})) (ite (fp.isNaN r) {nan} (fp.to_ieee_bv r)))");
    }
    let smallest = format!(
        "((_ to_fp {wide} {digits}) RNE ((_ to_fp {exponent} {digits}) (_ bv{} {width})))",
        1_u128 << fraction
    );
    let zero = format!("(ite (fp.isNegative w) (_ bv{} {width}) (_ bv0 {width}))", 1_u128 << (width - 1));
    let packed = format!("(fp.to_ieee_bv ((_ to_fp {exponent} {digits}) {mode} w))");
    format!(
        "(let ((w {result})) (ite (fp.isNaN w) {nan} (ite (fp.lt (fp.abs w) {smallest}) {zero} {packed})))"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: Format = Format { exponent: 8, fraction: 23 };
    const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

    fn single(kind: FloatOpKind, rounding: Rounding, flush: bool, args: &[u32]) -> u32 {
        let args: Vec<u128> = args.iter().map(|&bits| u128::from(bits)).collect();
        let op = FloatOp { kind, format: SINGLE, rounding, flush };
        compute(op, &args).expect("a number") as u32
    }

    #[test]
    fn results_are_rounded_once_in_the_direction() {
        let (one, third) = (1.0_f32.to_bits(), (1.0_f32 / 3.0).to_bits());
        let three = 3.0_f32.to_bits();
        assert_eq!(single(FloatOpKind::Div, Rounding::Even, false, &[one, three]), third);
        assert_eq!(single(FloatOpKind::Div, Rounding::Zero, false, &[one, three]), third - 1);
        let two = 2.0_f32.to_bits();
        let root = 2.0_f32.sqrt().to_bits();
        assert_eq!(single(FloatOpKind::Sqrt, Rounding::Even, false, &[two]), root);
        assert_eq!(
            single(FloatOpKind::Sqrt, Rounding::Up, false, &[two])
                - single(FloatOpKind::Sqrt, Rounding::Down, false, &[two]),
            1
        );
        assert_eq!(single(FloatOpKind::Sqrt, Rounding::Even, false, &[1 << 31 | 1]), 0x7fff_ffff);
        let half = 1.5_f64.to_bits();
        assert_eq!(
            compute(
                FloatOp {
                    kind: FloatOpKind::Convert(DOUBLE),
                    format: SINGLE,
                    rounding: Rounding::Down,
                    flush: false
                },
                &[u128::from(half + 1)]
            ),
            Some(u128::from(1.5_f32.to_bits()))
        );
    }

    #[test]
    fn what_is_flushed_is_small_before_the_format_ends() {
        // 2^-126 times (1 - 2^-24) is rounded up to 2^-126 for want of smaller exponents.
        let args = [0x0080_0000, 0x3f7f_ffff];
        assert_eq!(single(FloatOpKind::Mul, Rounding::Even, false, &args), 0x0080_0000);
        assert_eq!(single(FloatOpKind::Mul, Rounding::Even, true, &args), 0);
        assert_eq!(single(FloatOpKind::Fma, Rounding::Up, true, &[0x8080_0000, 0x3f7f_ffff, 0]), 0x8000_0000);
        assert_eq!(single(FloatOpKind::Mul, Rounding::Even, true, &[0x0080_0000, 0x3f80_0000]), 0x0080_0000);
        assert_eq!(single(FloatOpKind::Add, Rounding::Even, true, &[0x0080_0001, 0x8080_0000]), 0);
    }
}
