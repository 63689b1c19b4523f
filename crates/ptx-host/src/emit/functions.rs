//! Reciprocals, roots and the transcendental functions (`ptx_exec::scalar::float`).

use ptx_exec::program::{FloatBinary, FloatFunction};
use ptx_exec::scalar::float::{Arith, Subnormals};
use ptx_exec::scalar::format::Format;

use super::lanes::Lanes;
use super::{float, rounding};

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
        FloatFunction::Rsqrt => float::approximate(m, a, rsqrt),
        FloatFunction::Sin
        | FloatFunction::Cos
        | FloatFunction::SinOfTurns
        | FloatFunction::CosOfTurns
        | FloatFunction::Lg2
        | FloatFunction::Ex2
        | FloatFunction::Tanh => None,
    }
}

/// `1 / sqrt(x)`; zeros give infinities of their sign, as the divisions does.
fn rsqrt<'a, 'm, 'c>(x: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    x.double(1.0) / x.sqrt()
}

/// `rcp.approx.ftz.f64`: only the upper words count.
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
