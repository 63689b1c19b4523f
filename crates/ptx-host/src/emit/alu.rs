//! Operations on registers.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Value;
use ptx_program::scalar::compare::Join;
use ptx_program::scalar::convert::Excess;
use ptx_program::scalar::format::Format;
use ptx_program::scalar::int::{Int, Saturation, Signedness};
use ptx_program::{Alu, Binary, Comparison, Dual, Formula, Numbers, Packing, SetWhere, Ternary, Unary};

use super::lanes::{Code, Lanes};
use super::narrow::{self, How};
pub use super::style::{Nan, Style};
use super::{Emit, address, bits, convert, float, functions, int, rounding, video};

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// Emits an operation on registers at the width of its arguments, which are integers or vectors of integers of 1, 16, 32 or 64
/// bits, in the order of the operation's sources; bits above a register's width are zero. Returns the results, of any width,
/// or `None` if the operation has no code here: then the runtime computes it.
///
/// # Errors
/// A type error reported by LLVM, which is a defect of this crate.
pub fn alu<'c>(
    emit: &Emit<'_, 'c>,
    alu: &Alu,
    arguments: &[Value<'c>],
) -> Result<Option<Vec<Value<'c>>>, LlvmError> {
    alu_with(emit, alu, arguments, Style::PLAIN)
}

/// As [`alu`], for a processor and with a choice of NaNs.
///
/// # Errors
/// As [`alu`].
pub fn alu_with<'c>(
    emit: &Emit<'_, 'c>,
    alu: &Alu,
    arguments: &[Value<'c>],
    style: Style,
) -> Result<Option<Vec<Value<'c>>>, LlvmError> {
    let code = Code::new(emit, style);
    let results =
        results(&code, alu, arguments).map(|lanes| lanes.into_iter().map(|lanes| lanes.value).collect());
    code.finish()?;
    Ok(results)
}

fn results<'a, 'm, 'c>(
    code: &'a Code<'a, 'm, 'c>,
    alu: &Alu,
    arguments: &[Value<'c>],
) -> Option<Vec<L<'a, 'm, 'c>>> {
    let lanes = |index: usize| arguments.get(index).map(|value| code.lanes(*value));
    match *alu {
        Alu::Unary { op, packing, .. } => Some(vec![unary(op, packing, lanes(0)?)?]),
        Alu::Binary { op, packing, .. } => Some(vec![binary(op, packing, [lanes(0)?, lanes(1)?])?]),
        Alu::Ternary { op, packing, .. } => {
            Some(vec![ternary(op, packing, [lanes(0)?, lanes(1)?, lanes(2)?])?])
        }
        Alu::Formula { op: Formula::Bfi(t), .. } => {
            let at = |index| lanes(index).map(|value| value.resize(t.bits()));
            Some(vec![bits::bfi(t, [at(0)?, at(1)?, lanes(2)?, lanes(3)?])])
        }
        Alu::Formula { .. } => None,
        Alu::Dual { op, .. } => dual(op, [lanes(0)?, lanes(1)?, lanes(2)?, lanes(3)?]).map(Vec::from),
    }
}

/// The width of the smallest integer that holds the bits of a mask.
fn bits_of(mask: u64) -> u32 {
    match 64 - mask.leading_zeros() {
        0 | 1 => 1,
        bits => bits.next_power_of_two().max(8),
    }
}

/// Applies a function to whole registers, or to each of their packed fields, which become separate lanes.
fn packed<'a, 'm, 'c, const N: usize>(
    packing: Packing,
    arguments: [L<'a, 'm, 'c>; N],
    f: impl FnOnce([L<'a, 'm, 'c>; N]) -> Option<L<'a, 'm, 'c>>,
) -> Option<L<'a, 'm, 'c>> {
    match packing {
        Packing::Whole => f(arguments),
        Packing::Fields { bits, count } => {
            let whole = arguments.map(|value| value.resize(bits * count));
            let ty = whole.first()?.value.ty();
            f(whole.map(|value| value.regroup(bits))).map(|result| result.regroup_like(ty))
        }
    }
}

fn unary<'a, 'm, 'c>(op: Unary, packing: Packing, a: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
    let whole = |t: Int, f: fn(L<'a, 'm, 'c>) -> L<'a, 'm, 'c>| Some(f(a.resize(t.bits())));
    match op {
        Unary::Field { shift, mask } => {
            Some(if shift < a.width() { (a >> u64::from(shift)) & mask } else { a.zero() })
        }
        Unary::AddConstant { addend, mask } => Some((a.resize(bits_of(mask)) + addend) & mask),
        Unary::Not { mask } => Some(!a.resize(bits_of(mask)) & mask),
        Unary::IsZero { mask } => Some((a & mask).eq(0)),
        Unary::UpperHalf(Signedness::Signed) => Some(a.resize(64).ashr(63)),
        Unary::UpperHalf(Signedness::Unsigned) => Some(a.constant_of(64, 0)),
        Unary::IntAbs(t) => packed(packing, [a], |[a]| Some(int::abs(t, a.resize(t.bits())))),
        Unary::IntNeg(t) => packed(packing, [a], |[a]| Some(-a.resize(t.bits()))),
        Unary::Popc(t) => whole(t, bits::popc),
        Unary::Clz(t) => whole(t, bits::clz),
        Unary::Brev(t) => whole(t, bits::brev),
        Unary::Bfind(t, found) => Some(bits::bfind(t, found, a.resize(t.bits()))),
        Unary::IntToInt { to, from, excess, register } => {
            let value = match excess {
                Excess::Truncate => int::extend(from, a, to.bits()),
                Excess::Clamp => int::clamp(to, from, a),
            };
            Some(in_register(to, value, register))
        }
        Unary::IsInSpace(space, size) => Some(address::is_in_space((space, size), a.resize(64))),
        Unary::PendingCount => None,
        Unary::FloatAbs(format, subnormals) => {
            packed(packing, [a], |[a]| Some(float::abs(format, subnormals, a.resize(format.bits()))))
        }
        Unary::FloatNeg(format, subnormals) => {
            packed(packing, [a], |[a]| Some(float::neg(format, subnormals, a.resize(format.bits()))))
        }
        Unary::Function(function, m) => packed(packing, [a], |[a]| functions::function(function, &m, a)),
        Unary::RcpUpperWord => Some(functions::rcp_upper_word(a.resize(64))),
        Unary::RsqrtUpperWord => Some(functions::rsqrt_upper_word(a.resize(64))),
        Unary::HasProperty(format, property) => {
            Some(float::has_property(format, property, a.resize(format.bits())))
        }
        Unary::FloatToInt { to, integral, from, subnormals, low, register } => {
            let value = convert::float_to_int(to, integral, from, subnormals, a & low);
            Some(in_register(to, value, register))
        }
        Unary::IntToFloat { to, from } => convert::int_to_float(&to, from, a),
        Unary::FloatToIntegral { to, integral, low } => {
            Some(convert::float_to_integral(&to, integral, a & low))
        }
        Unary::FloatToFloat { to, from, low } => Some(convert::float_to_float(&to, from, a & low)),
    }
}

/// Converts a value of a narrower format to `.f32`.
fn widened<'a, 'm, 'c>(from: Format, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    rounding::to_single(from, raw.resize(from.bits())).raw()
}

/// A value of an integer type, extended to a register according to its type.
fn in_register<'a, 'm, 'c>(t: Int, value: L<'a, 'm, 'c>, register: u64) -> L<'a, 'm, 'c> {
    int::extend(t, value, bits_of(register).max(t.bits())) & register
}

/// Extends both values to the wider one's width.
fn same_width<'a, 'm, 'c>([a, b]: [L<'a, 'm, 'c>; 2]) -> [L<'a, 'm, 'c>; 2] {
    let width = a.width().max(b.width());
    [a.resize(width), b.resize(width)]
}

fn binary<'a, 'm, 'c>(op: Binary, packing: Packing, arguments: [L<'a, 'm, 'c>; 2]) -> Option<L<'a, 'm, 'c>> {
    let [a, b] = arguments;
    let at = |t: Int| arguments.map(|value| value.resize(t.bits()));
    let each = |t: Int, f: &dyn Fn(L<'a, 'm, 'c>, L<'a, 'm, 'c>) -> L<'a, 'm, 'c>| {
        packed(packing, arguments, |values| {
            let [a, b] = values.map(|value| value.resize(t.bits()));
            Some(f(a, b))
        })
    };
    match op {
        Binary::IsInBlock => Some(address::is_in_block(a.resize(64), b.resize(64))),
        Binary::And => Some(same_width(arguments)).map(|[a, b]| a & b),
        Binary::Or => Some(same_width(arguments)).map(|[a, b]| a | b),
        Binary::Xor => Some(same_width(arguments)).map(|[a, b]| a ^ b),
        Binary::Insert { shift, mask } => {
            let width = a.width().max(bits_of(mask) + shift).min(64);
            Some(a.resize(width) | ((b.resize(width) & mask) << u64::from(shift)))
        }
        Binary::IntAdd(t, saturation) => each(t, &|a, b| int::add(t, saturation, a, b)),
        Binary::IntSub(t, saturation) => each(t, &|a, b| int::sub(t, saturation, a, b)),
        Binary::IntMul(t, part) => Some(at(t)).map(|[a, b]| int::mul(t, part, a, b)),
        Binary::IntDiv(t) => Some(at(t)).map(|[a, b]| int::divide(t, a, b)[0]),
        Binary::IntRem(t) => Some(at(t)).map(|[a, b]| int::divide(t, a, b)[1]),
        Binary::IntMin(t) => each(t, &|a, b| int::min(t, a, b)),
        Binary::IntMax(t) => each(t, &|a, b| int::max(t, a, b)),
        Binary::IntMinRelu(t) => each(t, &|a, b| int::max(t, int::min(t, a, b), a.zero())),
        Binary::IntMaxRelu(t) => each(t, &|a, b| int::max(t, int::max(t, a, b), a.zero())),
        Binary::Mul24(t, part) => Some(int::mul24(t, part, a, b)),
        Binary::Shl(t) => Some(bits::shl(t, a.resize(t.bits()), b)),
        Binary::Shr(t) => Some(bits::shr(t, a.resize(t.bits()), b)),
        Binary::Bmsk(overshoot) => Some(bits::bmsk(overshoot, a.resize(32), b.resize(32))),
        Binary::Szext(sign, overshoot) => Some(bits::szext(sign, overshoot, a.resize(32), b.resize(32))),
        Binary::Compare(comparison) => holds(&comparison, 0, arguments),
        Binary::Float(op, m) => packed(packing, arguments, |arguments| float::binary(op, &m, arguments)),
        Binary::FloatMixed(op, m, from) => float::binary(op, &m, [widened(from, a), b]),
        Binary::Extreme(extreme) => packed(packing, arguments, |values| {
            Some(float::extreme(&extreme, values.map(|value| value.resize(extreme.format.bits()))))
        }),
        Binary::Copysign(format) => Some(arguments.map(|value| value.resize(format.bits())))
            .map(|[a, b]| float::copysign(format, a, b)),
        Binary::FloatPair(to, from) => {
            let width = 2 * to.format.bits();
            let [a, b] = arguments.map(|value| convert::float_to_float(&to, from, value).resize(width));
            Some((a << u64::from(width / 2)) | b)
        }
        Binary::Repack(conversion, direction) => {
            narrow::convert(&conversion, How::By(narrow::rounding(direction)?), a, b)
        }
    }
}

/// Whether a comparison holds for element `n`.
fn holds<'a, 'm, 'c>(
    comparison: &Comparison,
    n: u32,
    arguments: [L<'a, 'm, 'c>; 2],
) -> Option<L<'a, 'm, 'c>> {
    let element = |width: u32| {
        arguments.map(|value| {
            let shift = n * width % 64;
            if shift == 0 { value.resize(width) } else { (value >> u64::from(shift)).resize(width) }
        })
    };
    match comparison.numbers {
        Numbers::Int(t) | Numbers::Ints(t, _) => {
            let [a, b] = element(t.bits());
            Some(match int::predicate(comparison.relation, t.sign()) {
                Ok(predicate) => a.compare_int(predicate, b),
                Err(always) => a.constant_of(1, always.into()),
            })
        }
        Numbers::Float(format) | Numbers::Floats(format, _) => {
            let Comparison { relation, with_nan, subnormals, .. } = *comparison;
            Some(float::compare(relation, with_nan, format, subnormals, element(format.bits())))
        }
    }
}

fn join<'a, 'm, 'c>(join: Join, holds: L<'a, 'm, 'c>, other: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let other = other.resize(1);
    match join {
        Join::And => holds & other,
        Join::Or => holds | other,
        Join::Xor => holds ^ other,
    }
}

fn set<'a, 'm, 'c>(set: &SetWhere, [a, b, c]: [L<'a, 'm, 'c>; 3]) -> Option<L<'a, 'm, 'c>> {
    let width = (set.width * set.count).max(bits_of(set.when_true)).min(64);
    let mut result = a.constant_of(width, 0);
    for n in 0..set.count {
        let is_true = join(set.join, holds(&set.comparison, n, [a, b])?, c);
        let when_true = set.when_true << (n * set.width);
        result = result | is_true.select(a.constant_of(width, when_true), 0);
    }
    Some(result)
}

fn ternary<'a, 'm, 'c>(
    op: Ternary,
    packing: Packing,
    arguments: [L<'a, 'm, 'c>; 3],
) -> Option<L<'a, 'm, 'c>> {
    let [a, b, c] = arguments;
    let at = |bits: u32| arguments.map(|value| value.resize(bits));
    match op {
        Ternary::IntMad(t, part, saturation) => {
            let product = int::mul(t, part, a.resize(t.bits()), b.resize(t.bits()));
            let sum = Int::new(product.width(), t.sign())?;
            Some(int::add(sum, saturation, product, c.resize(product.width())))
        }
        Ternary::Mad24(t, part, saturation) => {
            Some(int::add(t, saturation, int::mul24(t, part, a, b), c.resize(t.bits())))
        }
        Ternary::Sad(t) => Some(at(t.bits())).map(|[a, b, c]| int::sad(t, a, b, c)),
        Ternary::Dp4a(a_sign, b_sign) => Some(int::dp4a([a_sign, b_sign], at(32))),
        Ternary::Dp2a(a_sign, b_sign, half) => Some(int::dp2a([a_sign, b_sign], half, at(32))),
        Ternary::Lop3(table) => Some(bits::lop3(table, at(32))),
        Ternary::Shf(direction, overshoot) => Some(bits::shf(direction, overshoot, at(32))),
        Ternary::Bfe(t) => Some(bits::bfe(t, [a.resize(t.bits()), b, c])),
        Ternary::Prmt(mode) => Some(bits::prmt(mode, at(32))),
        Ternary::Select => Some(same_width([a, b])).map(|[a, b]| c.resize(1).select(a, b)),
        Ternary::SelectBySign => {
            let [a, b] = same_width([a, b]);
            Some(c.resize(32).sge(0).select(a, b))
        }
        Ternary::Set(where_true) => set(&where_true, arguments),
        Ternary::Fma(m) => packed(packing, arguments, |arguments| float::fma(&m, arguments)),
        Ternary::FmaMixed(m, from) => float::fma(&m, [widened(from, a), widened(from, b), c]),
        Ternary::FmaWithinBounds(m) => {
            packed(packing, arguments, |arguments| float::fma_within_bounds(&m, arguments))
        }
        Ternary::Extreme(extreme) => packed(packing, arguments, |values| {
            let [a, b, c] = values.map(|value| value.resize(extreme.format.bits()));
            Some(float::extreme(&extreme, [float::extreme(&extreme, [a, b]), c]))
        }),
        Ternary::SelectByFloatSign(format, subnormals) => {
            let [a, b] = same_width([a, b]);
            Some(float::is_not_negative(format, subnormals, c).select(a, b))
        }
        Ternary::PackIntegers(element) => Some(int::pack(element, at(32))),
        Ternary::RepackRandom(conversion) => narrow::convert(&conversion, How::Random(c), a, b),
        Ternary::RepackScaled(conversion, direction) => {
            narrow::convert(&conversion, How::Scaled(narrow::rounding(direction)?, c), a, b)
        }
        Ternary::MultiplyAdd(vmad) => video::multiply_add(&vmad, at(64)),
        Ternary::Video(scalar) => Some(video::scalar(&scalar, at(64))),
        Ternary::VideoSimd(simd) => Some(video::simd(&simd, at(64))),
    }
}

fn dual<'a, 'm, 'c>(op: Dual, arguments: [L<'a, 'm, 'c>; 4]) -> Option<[L<'a, 'm, 'c>; 2]> {
    let [a, b, c, d] = arguments;
    let at = |t: Int| [a, b, c].map(|value| value.resize(t.bits()));
    match op {
        Dual::AddCarry(t, Saturation::Wrap) => Some(at(t)).map(|[a, b, _]| int::add_carry(a, b, d)),
        Dual::SubCarry(t, Saturation::Wrap) => Some(at(t)).map(|[a, b, _]| int::add_carry(a, !b, d)),
        Dual::AddCarry(t, Saturation::Clamp) if t.bits() < 64 => {
            Some([int::add_carry_clamped(t, a, b, d), a.constant_of(1, 0)])
        }
        Dual::SubCarry(t, Saturation::Clamp) if t.bits() < 64 => {
            Some([int::sub_carry_clamped(t, a, b, d), a.constant_of(1, 0)])
        }
        Dual::AddCarry(..) | Dual::SubCarry(..) => None,
        Dual::MadCarry(t, part) => {
            Some(at(t)).map(|[a, b, c]| int::add_carry(int::carry_product(t, part, a, b), c, d))
        }
        Dual::Lop3(table, how) => {
            let result = bits::lop3(table, [a, b, c].map(|value| value.resize(32)));
            Some([result, join(how, result.ne(0), d)])
        }
        Dual::Compare(comparison, how) => {
            let first = holds(&comparison, 0, [a, b])?;
            Some([join(how, first, c), join(how, !first, c)])
        }
        Dual::ComparePair(comparison, how) => {
            let [first, second] = [holds(&comparison, 0, [a, b])?, holds(&comparison, 1, [a, b])?];
            Some([join(how, first, c), join(how, second, c)])
        }
    }
}
