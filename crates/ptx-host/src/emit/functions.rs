//! Reciprocals, roots and the transcendental functions (`ptx_program::scalar::float`).

use ptx_program::scalar::approx;
use ptx_program::scalar::approx::{Angle, Real};
use ptx_program::scalar::float::{Arith, Subnormals};
use ptx_program::scalar::format::Format;
use ptx_program::{FloatBinary, FloatFunction};

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{Function, Linkage, Type};

use super::lanes::{Code, Lanes};
use super::style::Style;
use super::{Emit, float, lanes_of, power, rounding};

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// A function of one value.
pub(super) fn function<'a, 'm, 'c>(
    function: FloatFunction,
    m: &Arith,
    a: L<'a, 'm, 'c>,
) -> Option<L<'a, 'm, 'c>> {
    match function {
        FloatFunction::Rcp => {
            let one = a.constant_of(m.format.bits(), m.format.one());
            float::binary(FloatBinary::Div, m, [one, a])
        }
        FloatFunction::Sqrt => float::sqrt(m, a),
        FloatFunction::Rsqrt if m.format == Format::F32 => Some(float::rsqrt_in_single(m, a)),
        FloatFunction::Rsqrt => float::approximate(m, a, rsqrt),
        // PTX has none of the others for binary64.
        _ if m.format == Format::F64 => None,
        FloatFunction::Sin => float::approximate(m, a, |x| angle(x).sine()),
        FloatFunction::Cos => float::approximate(m, a, |x| angle(x).cosine()),
        FloatFunction::SinOfTurns => float::approximate(m, a, |x| approx::turns(x).sine()),
        FloatFunction::CosOfTurns => float::approximate(m, a, |x| approx::turns(x).cosine()),
        FloatFunction::Lg2 => float::approximate(m, a, approx::lg2),
        FloatFunction::Ex2 => power::ex2(m, a).or_else(|| float::approximate(m, a, approx::ex2)),
        FloatFunction::Tanh => float::approximate(m, a, approx::tanh),
    }
}

/// `1 / sqrt(x)`; zeros give infinities of their sign, as the division does.
fn rsqrt<'a, 'm, 'c>(x: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    x.double(1.0) / x.sqrt()
}

/// `rcp.approx.ftz.f64`: only the upper word of the operand counts.
pub(super) fn rcp_upper_word<'a, 'm, 'c>(a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    upper_word(a, |x| x.double(1.0) / x)
}

/// `rsqrt.approx.ftz.f64`
pub(super) fn rsqrt_upper_word<'a, 'm, 'c>(a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    upper_word(a, rsqrt)
}

fn upper_word<'a, 'm, 'c>(a: L<'a, 'm, 'c>, f: impl Fn(L<'a, 'm, 'c>) -> L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    const UPPER: u64 = 0xffff_ffff_0000_0000;
    let flush = |raw: L<'a, 'm, 'c>| rounding::flush(Format::F64, Subnormals::Flush, raw);
    let result = f(flush(a & UPPER).as_f64());
    let is_nan = a.as_f64().is_nan() | result.is_nan();
    is_nan.select(a.constant(0x7fff_ffff_0000_0000), flush(result.raw() & UPPER))
}

impl Real for L<'_, '_, '_> {
    fn constant(self, value: f64) -> Self {
        self.double(value)
    }

    fn magnitude(self) -> Self {
        self.float_abs()
    }

    fn with_sign_of(self, sign: Self) -> Self {
        self.intrinsic("llvm.copysign", &[sign])
    }

    fn nearest_integer(self) -> Self {
        self.intrinsic("llvm.roundeven", &[])
    }

    fn if_below(self, limit: f64, yes: Self, no: Self) -> Self {
        self.flt(limit).select(yes, no)
    }

    fn if_bit(self, bit: u32, yes: Self, no: Self) -> Self {
        (self.raw() & (1 << bit)).ne(0).select(yes, no)
    }

    fn power_of_low_bits(self) -> Self {
        ((self.raw() << 52) + (1023 << 52)).as_f64()
    }

    fn exponent_and_significand(self) -> (Self, Self) {
        let (least, shifter) = approx::SPLIT;
        let exponent = (self.raw() - least).ashr(52);
        let significand = (self.raw() - (exponent << 52)).as_f64();
        ((exponent + shifter.to_bits()).as_f64() - shifter, significand)
    }
}

/// Reduces an angle in radians.
///
/// Large angles are rare and need a long reduction, so it is in a separate block. That block is in a separate function, because an operation is
/// emitted into a single block.
fn angle<'a, 'm, 'c>(x: L<'a, 'm, 'c>) -> Angle<L<'a, 'm, 'c>> {
    let code = x.code;
    let parts = code.keep_all(reduction(code.emit, x.value.ty()).and_then(|function| {
        let builder = &code.emit.builder;
        let both = builder.call(function, &[x.value])?;
        Ok([builder.extract_field(both, 0)?, builder.extract_field(both, 1)?])
    }));
    let [quarters, rest] = parts.map_or([x, x], |parts| parts.map(|value| code.lanes(value)));
    Angle { quarters, rest }
}

/// `{ quarters, rest } (x)`: reduces angles of a type, with the long reduction if any of them is large.
fn reduction<'c>(emit: &Emit<'_, 'c>, ty: Type<'c>) -> Result<Function<'c>, LlvmError> {
    let types = emit.types;
    let (name, lanes) = ("ptx.host.angle", lanes_of(ty));
    let result = types.structure(&[ty, ty]);
    let whole = emit.module.function(&format!("{name}.{lanes}"), types.function(result, &[ty]))?;
    if whole.is_defined() {
        return Ok(whole);
    }
    let long = emit.module.function(&format!("{name}.large.{lanes}"), types.function(result, &[ty]))?;
    let caller = emit.builder.function()?;
    for function in [whole, long] {
        function.set_linkage(Linkage::Internal);
        function.compile_like(caller);
        function.add_flag(types, "nounwind");
    }
    whole.add_flag(types, "alwaysinline");
    long.add_flag(types, "noinline");
    long.add_flag(types, "cold");
    let inside = Emit { module: emit.module, types, builder: ptx_llvm_core::build::Builder::new(types) };
    let builder = &inside.builder;
    let Some(x) = long.parameters().first().copied() else { return Ok(whole) };
    builder.position_at_end(long.append_block(types, "entry"));
    return_angle(&inside, result, |code| {
        let x = code.lanes(x);
        let (small, large) = (approx::small_angle(x), approx::large_angle(x));
        let is_small = x.float_abs().flt(approx::SMALL_ANGLE);
        Angle {
            quarters: is_small.select(small.quarters, large.quarters),
            rest: is_small.select(small.rest, large.rest),
        }
    })?;

    let Some(x) = whole.parameters().first().copied() else { return Ok(whole) };
    let [entry, large, small] = ["entry", "large", "small"].map(|name| whole.append_block(types, name));
    builder.position_at_end(entry);
    let code = Code::new(&inside, Style::PLAIN);
    // A NaN counts as small.
    let is_large = code.lanes(x).float_abs().fge(approx::SMALL_ANGLE);
    let any = match lanes {
        1 => is_large.value,
        _ => builder.intrinsic("llvm.vector.reduce.or", &[is_large.value.ty()], &[is_large.value])?,
    };
    code.finish()?;
    builder.branch_if(any, large, small)?;
    builder.position_at_end(large);
    let of_all = builder.call(long, &[x])?;
    builder.ret(Some(of_all))?;
    builder.position_at_end(small);
    return_angle(&inside, result, |code| approx::small_angle(code.lanes(x)))?;
    Ok(whole)
}

/// Emits the end of a function that returns an angle.
fn return_angle<'m, 'c>(
    emit: &Emit<'m, 'c>,
    result: Type<'c>,
    angle: impl for<'a> FnOnce(&'a Code<'a, 'm, 'c>) -> Angle<L<'a, 'm, 'c>>,
) -> Result<(), LlvmError> {
    let code = Code::new(emit, Style::PLAIN);
    let [quarters, rest] = {
        let angle = angle(&code);
        [angle.quarters.value, angle.rest.value]
    };
    code.finish()?;
    let both = emit.builder.insert_field(result.undef(), quarters, 0)?;
    let both = emit.builder.insert_field(both, rest, 1)?;
    emit.builder.ret(Some(both)).map(drop)
}
