//! Powers of two in single precision, with the same bits as [`approx::ex2`], which computes in `double`.
//!
//! A power is computed as the sum of two `float`s, with an error bound. If both ends of the error interval round to the same number, that is the
//! correctly rounded result (Ziv's test). Few vectors have lanes that fail the test (one in 30 for numbers
//! of usual size); those are computed in `double`.
//!
//! ```text
//! 2^x = 2^k * 2^(j/16) * 2^f        k + j/16: the nearest multiple of 1/16 to x
//! 2^(j/16) = high[j] + low[j]       tables in a register: one permutation each
//! 2^f - 1 = first + small           first: the nearest number to f * ln 2
//! ```
//!
//! `scripts/approx-coefficients.py` computes the tables and coefficients.

use std::ops::{Add, Mul, Neg, Sub};

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{Builder, CastOp, FloatPredicate, Function, IntPredicate, Linkage, Type, Value};
use ptx_program::scalar::approx;
use ptx_program::scalar::float::{Arith, Limit, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};

use super::lanes::{Code, Lanes};
use super::style::{Nan, Style};
use super::{Emit, Emitted, float};

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// The operations on binary32 that the algorithm needs: on single numbers, or emitting code for vectors.
trait Single: Copy + Neg<Output = Self> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A constant.
    fn constant(self, value: f32) -> Self;
    /// `self * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
    /// The entry of a table whose index is in the low bits of the number.
    fn entry(self, table: &[f32]) -> Self;
}

/// The parameters of the computation.
struct Table {
    /// The number of low bits that index an entry.
    bits: u32,
    /// 1.5 * 2^23 / entries: adding it leaves the nearest multiple of 1 / entries in the low bits.
    shifter: f32,
    /// `2^(j / entries)`, and its rounding error.
    high: &'static [f32],
    low: &'static [f32],
    /// `(2^f - 1 - f ln 2) / f^2` for `f` up to half of 1 / entries, the lowest power first.
    coefficients: &'static [f32],
    /// An error bound for powers between 1/2 and 2.
    error: f32,
}

/// For vectors of 16 lanes: the error is at most 2^-33.8.
#[allow(clippy::approx_constant)] // One of the powers is the root of 2.
const SIXTEEN: Table = Table {
    bits: 4,
    shifter: 786_432.0,
    high: &[
        1.0, 1.0442737, 1.0905077, 1.1387886, 1.1892071, 1.2418578, 1.2968396, 1.3542556, 1.4142135,
        1.4768262, 1.5422108, 1.6104903, 1.6817929, 1.7562522, 1.8340081, 1.9152066,
    ],
    low: &[
        0.0,
        4.83347e-8,
        -1.307754e-8,
        5.3862223e-8,
        3.7976353e-8,
        4.496838e-8,
        -4.0189995e-8,
        -1.0123349e-8,
        2.4203235e-8,
        -4.500899e-8,
        8.070905e-9,
        9.836217e-9,
        -2.4755327e-8,
        -9.23577e-9,
        -1.1239278e-8,
        9.845328e-9,
    ],
    coefficients: &[0.240_226_5, 0.055_505_086, 0.009_618_242],
    error: 1.0 / (1u64 << 33) as f32,
};

/// For vectors of 8 lanes: the error is at most 2^-32.1.
#[allow(clippy::approx_constant)] // As above.
const EIGHT: Table = Table {
    bits: 3,
    shifter: 1_572_864.0,
    high: &[1.0, 1.0905077, 1.1892071, 1.2968396, 1.4142135, 1.5422108, 1.6817929, 1.8340081],
    low: &[
        0.0,
        -1.307754e-8,
        3.7976353e-8,
        -4.0189995e-8,
        2.4203235e-8,
        8.070905e-9,
        -2.4755327e-8,
        -1.1239278e-8,
    ],
    coefficients: &[0.240_226_5, 0.055_504_11, 0.009_618_731, 0.001_333_415_4],
    error: 1.25 / (1u64 << 32) as f32,
};

/// The natural logarithm of 2 in two parts.
const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_2e-9];

/// Numbers of up to this magnitude have a normal power that [`Power`] can represent.
const LARGEST: f32 = 126.0;

/// Up to this, the power rounds to zero in binary32: it is half of the smallest number, and ties go to even.
const ZERO: f32 = -150.0;

/// `2^x` without its exponent.
struct Power<S> {
    /// `x` in units of 1 / entries, in the low bits: the exponent, and below it the index of the entry.
    shifted: S,
    /// The ends of the error interval, rounded. If they are equal, that is the nearest number.
    least: S,
    most: S,
}

impl Table {
    /// The parameters for vectors of `lanes` lanes; `None` if tables in registers are not supported.
    fn of(style: Style, lanes: u32) -> Option<&'static Self> {
        match lanes {
            _ if !style.fuses => None,
            16 | 32 if style.has_roundings => Some(&SIXTEEN),
            8 | 16 if style.permutes => Some(&EIGHT),
            _ => None,
        }
    }

    fn power<S: Single>(&self, x: S) -> Power<S> {
        // The sum with the shifter is rounded to a multiple of 1 / entries, whose integer is in its low bits; the difference is exact.
        let shifter = x.constant(self.shifter);
        let shifted = x + shifter;
        let rest = x - (shifted - shifter);
        let [high, low] = [self.high, self.low].map(|entries| shifted.entry(entries));
        let mut coefficients = self.coefficients.iter().rev().map(|&coefficient| x.constant(coefficient));
        let last = coefficients.next().unwrap_or(rest);
        let sum = coefficients.fold(last, |sum, coefficient| sum.fused(rest, coefficient));
        // 2^f - 1
        let [ln_2, ln_2_rest] = LN_2.map(|part| x.constant(part));
        let first = rest * ln_2;
        let lost = rest.fused(ln_2_rest, rest.fused(ln_2, -first));
        let small = (rest * rest).fused(sum, lost);
        // (high + low) * (1 + first + small)
        let product = high * first;
        let lost = high.fused(first, -product);
        let near = high + product;
        let near_lost = product - (near - high);
        let far = high.fused(small, low.fused(first, low + lost)) + near_lost;
        let error = x.constant(self.error);
        Power { shifted, least: near + (far - error), most: near + (far + error) }
    }

    /// The shift of [`Power::shifted`] that moves the exponent to its place.
    fn exponent_shift(&self) -> u32 {
        23 - self.bits
    }
}

/// The bits of the exponent and the sign, which absorbs the carry of a negative exponent.
const EXPONENT: u32 = 0xff80_0000;

impl Single for L<'_, '_, '_> {
    fn constant(self, value: f32) -> Self {
        Lanes::constant(self, value.to_bits().into())
    }

    fn fused(self, b: Self, c: Self) -> Self {
        self.fma(b, c)
    }

    fn entry(self, table: &[f32]) -> Self {
        let emit = self.code.emit;
        let width = table.len() as u32;
        let name = if width == 16 { "llvm.x86.avx512.permvar.sf.512" } else { "llvm.x86.avx2.permps" };
        let entries: Vec<u64> = table.iter().map(|entry| entry.to_bits().into()).collect();
        let Some(entries) = self.code.keep_all(emit.types.int_vector(32, &entries)) else { return self };
        let entries = self.code.lanes(entries).as_f32();
        let of = |numbers: Self| {
            let found = emit.builder.intrinsic(name, &[], &[entries.value, numbers.raw().value]);
            self.code.keep_all(found).map_or(self, |found| self.code.lanes(found))
        };
        if self.count() == width {
            return of(self);
        }
        let part = |from: u32, count: u32| (from..from + count).map(Some).collect::<Vec<_>>();
        let half = |from: u32| of(self.shuffle(self, &part(from, width)));
        half(0).shuffle(half(width), &part(0, 2 * width))
    }
}

/// `ex2` of `.f32`. `None` if this processor has no fast code for it, or not for this number of lanes: whole vectors, or two of them.
pub(super) fn ex2<'a, 'm, 'c>(m: &Arith, a: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
    let code = a.code;
    let is_usual = m.format == Format::F32 && m.rounding == Rounding::NearestEven && m.limit == Limit::None;
    let table = Table::of(code.style, a.count()).filter(|_| is_usual)?;
    let x = a.resize(32);
    let called = fast(code.emit, code.style, (m, table), x.value.ty())
        .and_then(|function| code.emit.builder.call(function, &[x.value]));
    code.keep_all(called).map(|value| code.lanes(value))
}

/// `<n x i32> (x)`: the powers, in `double` if any of them needs it. It is a function because an operation is emitted into one block.
fn fast<'c>(
    emit: &Emit<'_, 'c>,
    style: Style,
    (m, table): (&Arith, &Table),
    ty: Type<'c>,
) -> Result<Function<'c>, LlvmError> {
    let types = emit.types;
    let lanes = ty.lanes();
    let name = match m.subnormals {
        Subnormals::Keep => format!("ptx.host.ex2.{lanes}"),
        Subnormals::Flush => format!("ptx.host.ex2.flushed.{lanes}"),
    };
    let whole = emit.module.function(&name, types.function(ty, &[ty]))?;
    if whole.is_defined() {
        return Ok(whole);
    }
    let slow = emit.module.function(&format!("{name}.slow"), types.function(ty, &[ty]))?;
    let caller = emit.builder.function()?;
    for (function, flags) in [(whole, &["alwaysinline"][..]), (slow, &["noinline", "cold"])] {
        function.set_linkage(Linkage::Internal);
        function.compile_like(caller);
        function.add_flag(types, "nounwind");
        flags.iter().for_each(|flag| function.add_flag(types, flag));
    }
    let inside = Emit { module: emit.module, types, builder: Builder::new(types) };
    let style = Style { nan: Nan::Canonical, ..style };
    inside.builder.position_at_end(slow.append_block(types, "entry"));
    let [x] = slow.parameters()[..] else { return Ok(whole) };
    let code = Code::new(&inside, style);
    let exact = float::approximate(m, code.lanes(x), approx::ex2).map(|exact| exact.value);
    code.finish()?;
    inside.builder.ret(exact)?;
    fill(&inside, style, table, [whole, slow])?;
    Ok(whole)
}

/// Fills the body of the function of `fast`.
fn fill<'c>(
    emit: &Emit<'_, 'c>,
    style: Style,
    table: &Table,
    [whole, slow]: [Function<'c>; 2],
) -> Result<(), LlvmError> {
    let builder = &emit.builder;
    let [x] = whole.parameters()[..] else { return Ok(()) };
    let [entry, others, exact, done] =
        ["entry", "others", "exact", "done"].map(|name| whole.append_block(emit.types, name));
    builder.position_at_end(entry);
    let code = Code::new(emit, style);
    let [power, is_sure] = powers(table, code.lanes(x)).map(|lanes| lanes.value);
    code.finish()?;
    builder.branch_if_likely(all(emit, is_sure)?, done, others, true)?;

    // Negative infinities are the masked-out terms of sums of powers.
    builder.position_at_end(others);
    let code = Code::new(emit, style);
    let is_zero = code.lanes(x).as_f32().compare_float(FloatPredicate::Ole, f64::from(ZERO));
    let with_zeros = is_zero.select(code.lanes(x.ty().zero()), code.lanes(power)).value;
    let is_known = (is_zero | code.lanes(is_sure)).value;
    code.finish()?;
    builder.branch_if(all(emit, is_known)?, done, exact)?;

    builder.position_at_end(exact);
    let of_all = builder.call(slow, &[x])?;
    builder.branch(done)?;
    builder.position_at_end(done);
    let result = builder.phi(x.ty())?;
    for (value, block) in [(power, entry), (with_zeros, others), (of_all, exact)] {
        builder.add_incoming(result, value, block)?;
    }
    builder.ret(Some(result)).map(drop)
}

/// The bits of the powers, and whether they are known to be correct.
fn powers<'a, 'm, 'c>(table: &Table, bits: L<'a, 'm, 'c>) -> [L<'a, 'm, 'c>; 2] {
    let power = table.power(bits.as_f32());
    // 2^k is added to the exponent's bits, which is exact as long as the result is normal: `LARGEST` bounds `x`. If both bounds round to one number, it
    // is the nearest to every number between them, and so to the exact power.
    let exponent = (power.shifted.raw() << u64::from(table.exponent_shift())) & u64::from(EXPONENT);
    let is_usual = (bits & Format::F32.magnitude_mask()).ule(u64::from(LARGEST.to_bits()));
    [power.least.raw() + exponent, is_usual & power.least.feq(power.most)]
}

/// Whether a condition holds in all lanes.
fn all<'c>(emit: &Emit<'_, 'c>, condition: Value<'c>) -> Emitted<'c> {
    let lanes = condition.ty().lanes();
    let bits = emit.builder.cast(CastOp::BitCast, condition, emit.types.int(lanes))?;
    emit.builder.int_compare(IntPredicate::Eq, bits, emit.types.int_value(lanes, u64::MAX >> (64 - lanes)))
}

#[cfg(test)]
mod tests;
