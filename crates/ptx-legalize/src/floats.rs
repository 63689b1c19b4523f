//! Decomposition and composition of floating-point numbers, and the remainder of their division, computed on their bits: only results are
//! rounded, and subnormal numbers are exact in functions that flush them, too.

use ptx_llvm_core::view::FloatKind;

use crate::code::{Code, Round, float_name, ir};
use crate::site::{Element, Site};

/// The layout of a floating-point format.
#[derive(Clone, Copy)]
struct Format {
    /// LLVM's name.
    name: &'static str,
    bits: u32,
    /// Digits after the first one.
    mantissa: u32,
}

impl Format {
    /// That of a type's elements, where it is one of PTX's.
    fn of(site: &Site<'_>, ty: ptx_llvm_core::view::TypeId) -> Option<Self> {
        let Element::Float(kind) = site.element(ty)? else { return None };
        let name = float_name(kind)?;
        let mantissa = match name {
            "half" => 10,
            "bfloat" => 7,
            "float" => 23,
            _ => 52,
        };
        Some(Self { name, bits: kind.bits(), mantissa })
    }

    /// The width of the integers that its bits are computed in.
    const fn width(self) -> u32 {
        if self.bits > 32 { 64 } else { 32 }
    }

    const fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// The lowest number that is not subnormal, as bits: the digit before all others.
    const fn first_digit(self) -> u64 {
        1 << self.mantissa
    }

    const fn infinity(self) -> u64 {
        self.sign() - self.first_digit()
    }

    const fn quiet_nan(self) -> u64 {
        self.infinity() | self.first_digit() >> 1
    }

    /// The exponent field of infinity.
    const fn last_field(self) -> u64 {
        self.infinity() >> self.mantissa
    }

    /// The exponent field of one.
    const fn bias(self) -> u64 {
        self.last_field() >> 1
    }

    /// The exponent field of one half, with which the digits are a fraction between a half and one.
    const fn half(self) -> u64 {
        (self.bias() - 1) << self.mantissa
    }
}

/// A number by its bits.
struct Parts {
    /// Its bits, of the width that is computed in.
    raw: String,
    sign: String,
    /// The bits without the sign.
    magnitude: String,
}

impl Code {
    fn parts(&mut self, format: Format, number: &str) -> Parts {
        let (width, sign) = (format.width(), format.sign());
        let raw = ir!(self, "bitcast {} {number} to i{}", format.name, format.bits);
        let raw = self.resized(&raw, format.bits, width, false);
        let magnitude = ir!(self, "and i{width} {raw}, {}", sign - 1);
        let sign = ir!(self, "and i{width} {raw}, {sign}");
        Parts { raw, sign, magnitude }
    }

    fn number(&mut self, format: Format, raw: &str) -> String {
        let narrow = self.resized(raw, format.width(), format.bits, false);
        ir!(self, "bitcast i{} {narrow} to {}", format.bits, format.name)
    }

    /// The significand of a number with the leading digit in the bit above the fraction, and the exponent field; subnormal numbers are normalized, and
    /// their field is below one.
    fn normalized(&mut self, format: Format, magnitude: &str) -> (String, String) {
        let (width, first) = (format.width(), format.first_digit());
        let subnormal = ir!(self, "icmp ult i{width} {magnitude}, {first}");
        let zeros = ir!(self, "call i{width} @llvm.ctlz(i{width} {magnitude}, i1 false)");
        let up = ir!(self, "sub i{width} {zeros}, {}", width - 1 - format.mantissa);
        let up = ir!(self, "select i1 {subnormal}, i{width} {up}, i{width} 0");
        let digits = ir!(self, "shl i{width} {magnitude}, {up}");
        let digits = ir!(self, "and i{width} {digits}, {}", first - 1);
        let field = ir!(self, "lshr i{width} {magnitude}, {}", format.mantissa);
        let one = ir!(self, "zext i1 {subnormal} to i{width}");
        let field = ir!(self, "add i{width} {field}, {one}");
        (digits, ir!(self, "sub i{width} {field}, {up}"))
    }

    /// Whether a number is zero, infinite or NaN.
    fn is_special(&mut self, format: Format, magnitude: &str) -> String {
        let width = format.width();
        // Zero becomes the largest integer.
        let below = ir!(self, "sub i{width} {magnitude}, 1");
        ir!(self, "icmp uge i{width} {below}, {}", format.infinity() - 1)
    }
}

/// `ldexp`: a number times two to the power of an integer. The exponent field is added to; a subnormal result is rounded to nearest even.
pub(crate) fn scaled(site: &Site<'_>) -> Option<String> {
    let format = Format::of(site, site.result)?;
    let exponent = site.bits(site.ty(1)?)?;
    if !site.rounds_to_nearest() {
        return None;
    }
    site.each_one(|code, args| {
        let [number, by] = args else { return None };
        let (width, first) = (format.width(), format.first_digit());
        let parts = code.parts(format, number);
        let (digits, field) = code.normalized(format, &parts.magnitude);
        let by = bounded(code, format, by, exponent);
        let field = ir!(code, "add i{width} {field}, {by}");
        let above = ir!(code, "shl i{width} {field}, {}", format.mantissa);
        let normal = ir!(code, "or i{width} {above}, {digits}");
        let over = ir!(code, "icmp sge i{width} {field}, {}", format.last_field());
        let normal = ir!(code, "select i1 {over}, i{width} {}, i{width} {normal}", format.infinity());
        // A field below one: the digits move down. Half of what the last one is worth rounds up, but not to an odd one.
        let whole = ir!(code, "or i{width} {digits}, {first}");
        let down = ir!(code, "sub i{width} 1, {field}");
        let down = ir!(code, "call i{width} @llvm.smax(i{width} {down}, i{width} 1)");
        let down = ir!(code, "call i{width} @llvm.umin(i{width} {down}, i{width} {})", format.mantissa + 2);
        let last = ir!(code, "lshr i{width} {whole}, {down}");
        let odd = ir!(code, "and i{width} {last}, 1");
        let unit = ir!(code, "shl i{width} 1, {down}");
        let half = ir!(code, "lshr i{width} {unit}, 1");
        let less = ir!(code, "sub i{width} {half}, 1");
        let rounded = ir!(code, "add i{width} {whole}, {less}");
        let rounded = ir!(code, "add i{width} {rounded}, {odd}");
        let subnormal = ir!(code, "lshr i{width} {rounded}, {down}");
        let under = ir!(code, "icmp slt i{width} {field}, 1");
        let magnitude = ir!(code, "select i1 {under}, i{width} {subnormal}, i{width} {normal}");
        let signed = ir!(code, "or i{width} {magnitude}, {}", parts.sign);
        let special = code.is_special(format, &parts.magnitude);
        let result = ir!(code, "select i1 {special}, i{width} {}, i{width} {signed}", parts.raw);
        Some(code.number(format, &result))
    })
}

/// An exponent, or the nearest one that has the same effect, in the width that is computed in.
fn bounded(code: &mut Code, format: Format, exponent: &str, bits: u32) -> String {
    let most = 2 * format.last_field() + 2;
    let mut bounded = exponent.to_owned();
    // A narrower integer is not that large.
    if bits > 64 - most.leading_zeros() {
        let low = code.extreme("sgt", &format!("i{bits}"), exponent, &format!("-{most}"));
        bounded = code.extreme("slt", &format!("i{bits}"), &low, &most.to_string());
    }
    code.resized(&bounded, bits, format.width(), true)
}

/// `frexp`: digits between a half and one with the sign, and the exponent; zero, infinities and NaN stay with exponent zero.
pub(crate) fn split(site: &Site<'_>) -> Option<String> {
    let format = Format::of(site, site.ty(0)?)?;
    let ptx_llvm_core::view::Type::Struct { fields } = site.view.ty(site.result) else { return None };
    let exponent = site.bits(*fields.get(1)?)?;
    site.each(|code, args| {
        let width = format.width();
        let parts = code.parts(format, args.first()?);
        let (digits, field) = code.normalized(format, &parts.magnitude);
        let special = code.is_special(format, &parts.magnitude);
        let digits = ir!(code, "or i{width} {digits}, {}", format.half());
        let signed = ir!(code, "or i{width} {digits}, {}", parts.sign);
        let result = ir!(code, "select i1 {special}, i{width} {}, i{width} {signed}", parts.raw);
        let power = ir!(code, "sub i{width} {field}, {}", format.bias() - 1);
        let power = ir!(code, "select i1 {special}, i{width} 0, i{width} {power}");
        let power = code.resized(&power, width, exponent, true);
        Some(vec![code.number(format, &result), power])
    })
}

/// `modf`: what is after the point and what is before it, both with the number's sign. The difference is exact.
pub(crate) fn fraction(site: &Site<'_>) -> Option<String> {
    let ty = Format::of(site, site.ty(0)?)?.name;
    site.each(|code, args| {
        let number = args.first()?;
        let whole = ir!(code, "call {ty} @llvm.trunc({ty} {number})");
        let cut = ir!(code, "fsub {ty} {number}, {whole}");
        let size = ir!(code, "call {ty} @llvm.fabs({ty} {number})");
        let infinity = format!(
            "bitcast (i{0} {1} to {ty})",
            Format::of(site, site.ty(0)?)?.bits,
            Format::of(site, site.ty(0)?)?.infinity()
        );
        let infinite = ir!(code, "fcmp oeq {ty} {size}, {infinity}");
        let cut = ir!(code, "select i1 {infinite}, {ty} 0.0, {ty} {cut}");
        let cut = ir!(code, "call {ty} @llvm.copysign({ty} {cut}, {ty} {number})");
        Some(vec![cut, whole])
    })
}

/// `lrint`, `llrint` (halves to even) and `lround`, `llround` (halves away from zero), by what rounds so.
pub(crate) fn rounded(site: &Site<'_>, round: &str) -> Option<String> {
    let (format, bits) = (Format::of(site, site.ty(0)?)?, site.bits(site.result)?);
    if !site.rounds_to_nearest() {
        return None;
    }
    let ty = format.name;
    site.each_one(|code, args| {
        let whole = ir!(code, "call {ty} @llvm.{round}({ty} {})", args.first()?);
        Some(ir!(code, "fptosi {ty} {whole} to i{bits}"))
    })
}

/// `powi`: squares and products, by the bits of the exponent's magnitude; the reciprocal for a negative one.
pub(crate) fn power(site: &Site<'_>) -> Option<String> {
    let format = Format::of(site, site.result)?;
    let bits = site.bits(site.ty(1)?)?;
    // Of a directed rounding each product would have to have it.
    if bits > 64 || !site.rounds_to_nearest() {
        return None;
    }
    // The 16-bit formats have no arithmetic everywhere.
    let wide = if format.bits < 32 { "float" } else { format.name };
    let constant = site.constant(1);
    site.each_one(|code, args| {
        let [number, exponent] = args else { return None };
        let widened = format.name != wide;
        let base =
            if widened { ir!(code, "fpext {} {number} to {wide}", format.name) } else { number.clone() };
        let power = match constant {
            Some(exponent) => {
                constant_power(code, wide, &base, ptx_llvm_core::view::sign_extend(exponent, bits))
            }
            None => variable_power(code, wide, &base, (exponent, bits))?,
        };
        Some(if widened { ir!(code, "fptrunc {wide} {power} to {}", format.name) } else { power })
    })
}

fn constant_power(code: &mut Code, ty: &str, base: &str, exponent: i64) -> String {
    let (mut left, mut square) = (exponent.unsigned_abs(), base.to_owned());
    let mut product: Option<String> = None;
    while left != 0 {
        if left & 1 != 0 {
            product = Some(match product {
                None => square.clone(),
                Some(product) => ir!(code, "fmul {ty} {product}, {square}"),
            });
        }
        left >>= 1;
        if left != 0 {
            square = ir!(code, "fmul {ty} {square}, {square}");
        }
    }
    // Default: the power with the exponent 0 is 1.
    let product = product.unwrap_or_else(|| "1.0".to_owned());
    if exponent < 0 { ir!(code, "fdiv {ty} 1.0, {product}") } else { product }
}

fn variable_power(code: &mut Code, ty: &str, base: &str, (exponent, bits): (&str, u32)) -> Option<String> {
    // A branch on `undef` or `poison` is undefined, so that the number is frozen.
    let exponent = ir!(code, "freeze i{bits} {exponent}");
    let size = ir!(code, "call i{bits} @llvm.abs(i{bits} {exponent}, i1 false)");
    let start = [(ty, "1.0"), (ty, base), (&format!("i{bits}"), &size)];
    let [power, ..] = code.repeated(None, start, |code, [product, square, left], _| {
        let low = ir!(code, "and i{bits} {left}, 1");
        let odd = ir!(code, "icmp ne i{bits} {low}, 0");
        let longer = ir!(code, "fmul {ty} {product}, {square}");
        let next = ir!(code, "select i1 {odd}, {ty} {longer}, {ty} {product}");
        let square = ir!(code, "fmul {ty} {square}, {square}");
        let rest = ir!(code, "lshr i{bits} {left}, 1");
        let condition = ir!(code, "icmp ne i{bits} {rest}, 0");
        Some(Round { next: [next, square, rest], condition, ends: false })
    })?;
    let inverse = ir!(code, "fdiv {ty} 1.0, {power}");
    let negative = ir!(code, "icmp slt i{bits} {exponent}, 0");
    Some(ir!(code, "select i1 {negative}, {ty} {inverse}, {ty} {power}"))
}

/// `frem`: the remainder of a division that truncates, exact for every quotient. With digits `a` and `b` and exponents that are `d` apart it is `a * 2^d` modulo
/// `b`, times the divisor's power of two: some bits of `d` at a time, as many as there is room for above the digits.
pub(crate) fn remainder(site: &Site<'_>) -> Option<String> {
    let format = Format::of(site, site.result)?;
    site.each_one(|code, args| {
        let [dividend, divisor] = args else { return None };
        let width = format.width();
        // A branch on `undef` or `poison` is undefined, so that the numbers are frozen.
        let a = ir!(code, "freeze {} {dividend}", format.name);
        let b = ir!(code, "freeze {} {divisor}", format.name);
        let (a, b) = (code.parts(format, &a), code.parts(format, &b));
        let zero = ir!(code, "icmp eq i{width} {}, 0", b.magnitude);
        let infinite = ir!(code, "icmp uge i{width} {}, {}", a.magnitude, format.infinity());
        let nan = ir!(code, "icmp ugt i{width} {}, {}", b.magnitude, format.infinity());
        let undefined = ir!(code, "or i1 {zero}, {infinite}");
        let undefined = ir!(code, "or i1 {undefined}, {nan}");
        let less = ir!(code, "icmp ult i{width} {}, {}", a.magnitude, b.magnitude);
        let simple = ir!(code, "or i1 {undefined}, {less}");
        let own = ir!(code, "select i1 {undefined}, i{width} {}, i{width} {}", format.quiet_nan(), a.raw);
        let (before, start, end) = (code.block(), code.label(), code.label());
        code.line(format_args!("br i1 {simple}, label %{end}, label %{start}"));
        code.place(&start);
        let rest = digits_left(code, format, (&a.magnitude, &b.magnitude))?;
        let rest = ir!(code, "or i{width} {rest}, {}", a.sign);
        let last = code.block();
        code.line(format_args!("br label %{end}"));
        code.place(&end);
        let result = ir!(code, "phi i{width} [ {own}, %{before} ], [ {rest}, %{last} ]");
        Some(code.number(format, &result))
    })
}

/// The remainder of two numbers above zero, the first of which is not the smaller one.
fn digits_left(code: &mut Code, format: Format, (a, b): (&str, &str)) -> Option<String> {
    let (width, mantissa) = (format.width(), format.mantissa);
    let room = width - mantissa - 1;
    let (a, a_field) = code.digits(format, a);
    let (b, b_field) = code.digits(format, b);
    let distance = ir!(code, "sub i{width} {a_field}, {b_field}");
    let ty = &format!("i{width}");
    let [rest, _] = code.repeated(None, [(ty, &a), (ty, &distance)], |code, [rest, left], _| {
        let step = ir!(code, "call i{width} @llvm.umin(i{width} {left}, i{width} {room})");
        let moved = ir!(code, "shl i{width} {rest}, {step}");
        let rest = ir!(code, "urem i{width} {moved}, {b}");
        let left = ir!(code, "sub i{width} {left}, {step}");
        let condition = ir!(code, "icmp ne i{width} {left}, 0");
        Some(Round { next: [rest, left], condition, ends: false })
    })?;
    // The leading digit moves to its position, or as far as the exponent allows.
    let zeros = ir!(code, "call i{width} @llvm.ctlz(i{width} {rest}, i1 false)");
    let up = ir!(code, "sub i{width} {zeros}, {room}");
    let most = ir!(code, "sub i{width} {b_field}, 1");
    let up = ir!(code, "call i{width} @llvm.umin(i{width} {up}, i{width} {most})");
    let digits = ir!(code, "shl i{width} {rest}, {up}");
    let field = ir!(code, "sub i{width} {most}, {up}");
    let field = ir!(code, "shl i{width} {field}, {mantissa}");
    // The first digit adds one to the field.
    let number = ir!(code, "add i{width} {field}, {digits}");
    let none = ir!(code, "icmp eq i{width} {rest}, 0");
    Some(ir!(code, "select i1 {none}, i{width} 0, i{width} {number}"))
}

impl Code {
    /// All digits of a number, and the exponent field that they count from: one for subnormal numbers too.
    fn digits(&mut self, format: Format, magnitude: &str) -> (String, String) {
        let width = format.width();
        let field = ir!(self, "lshr i{width} {magnitude}, {}", format.mantissa);
        let field = ir!(self, "call i{width} @llvm.umax(i{width} {field}, i{width} 1)");
        let above = ir!(self, "sub i{width} {field}, 1");
        let above = ir!(self, "shl i{width} {above}, {}", format.mantissa);
        (ir!(self, "sub i{width} {magnitude}, {above}"), field)
    }
}

/// The bit of the sign of `fp128`, as an `i128`.
const QUADRUPLE_SIGN: &str = "-170141183460469231731687303715884105728";

/// `fneg`, which `flips` the sign, `fabs` and `copysign` of `fp128`, of which GPUs have the bits alone.
pub(crate) fn signed_quadruple(site: &Site<'_>, flips: bool) -> Option<String> {
    if site.element(site.result)? != Element::Float(FloatKind::Other("fp128")) {
        return None;
    }
    site.each_one(|code, args| {
        let mut numbers = args.iter().map(|number| ir!(code, "bitcast fp128 {number} to i128"));
        let (number, other) = (numbers.next()?, numbers.next());
        drop(numbers);
        let bits = if flips {
            ir!(code, "xor i128 {number}, {QUADRUPLE_SIGN}")
        } else {
            let size = ir!(code, "and i128 {number}, {}", i128::MAX);
            match other {
                None => size,
                Some(other) => {
                    let sign = ir!(code, "and i128 {other}, {QUADRUPLE_SIGN}");
                    ir!(code, "or i128 {size}, {sign}")
                }
            }
        };
        Some(ir!(code, "bitcast i128 {bits} to fp128"))
    })
}
