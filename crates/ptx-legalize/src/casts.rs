//! Conversions between floating-point numbers and integers over 64 bits.

use ptx_llvm_core::view::FloatKind;

use crate::code::{Code, float_name, ir};
use crate::integers::ones;
use crate::site::{Element, Site};

/// `uitofp`, `sitofp` of signed numbers: the highest 64 bits, the last of them set where something below is, are converted, which rounds once; then times a power of two.
pub(crate) fn to_float(site: &Site<'_>, signed: bool) -> Option<String> {
    let bits = site.wide_bits(site.ty(0)?)?;
    let Element::Float(kind) = site.element(site.result)? else { return None };
    let ty = float_name(kind)?;
    if !site.rounds_to_nearest() {
        return None;
    }
    site.each_one(|code, args| {
        let number = args.first()?;
        let size = if signed { code.magnitude(number, bits) } else { number.clone() };
        let value = if kind == FloatKind::Half {
            // Numbers from 65520 on are infinite.
            let small = ir!(code, "icmp ult i{bits} {size}, 131072");
            let low = ir!(code, "trunc i{bits} {size} to i32");
            let low = ir!(code, "select i1 {small}, i32 {low}, i32 131072");
            ir!(code, "uitofp i32 {low} to half")
        } else {
            let words = code.words(&size, bits);
            let (top, exponent) = highest_bits(code, &words)?;
            scaled(code, ty, &top, &exponent)
        };
        if !signed {
            return Some(value);
        }
        let negative = ir!(code, "icmp slt i{bits} {number}, 0");
        let negated = ir!(code, "fneg {ty} {value}");
        Some(ir!(code, "select i1 {negative}, {ty} {negated}, {ty} {value}"))
    })
}

/// The highest 64 bits of a number from its first one on, odd where there are more ones, and the exponent of the last of them, as `i32`.
/// `None` without words.
fn highest_bits(code: &mut Code, words: &[String]) -> Option<(String, String)> {
    // The highest word that is not zero, the one below it, and what is below both.
    let mut high = words.first()?.clone();
    let (mut low, mut below, mut exponent) = ("0".to_owned(), "0".to_owned(), "0".to_owned());
    let mut beneath = "0".to_owned();
    for (at, pair) in words.windows(2).enumerate() {
        let [lower, word] = pair else { continue };
        let here = ir!(code, "icmp ne i64 {word}, 0");
        high = ir!(code, "select i1 {here}, i64 {word}, i64 {high}");
        low = ir!(code, "select i1 {here}, i64 {lower}, i64 {low}");
        if at > 0 {
            below = ir!(code, "select i1 {here}, i64 {beneath}, i64 {below}");
        }
        beneath = ir!(code, "or i64 {beneath}, {lower}");
        exponent = ir!(code, "select i1 {here}, i32 {}, i32 {exponent}", 64 * (at + 1));
    }
    let zeros = ir!(code, "call i64 @llvm.ctlz(i64 {high}, i1 false)");
    // Zero has no first one; it may be shifted by anything.
    let zeros = ir!(code, "call i64 @llvm.umin(i64 {zeros}, i64 63)");
    let top = ir!(code, "call i64 @llvm.fshl(i64 {high}, i64 {low}, i64 {zeros})");
    let rest = ir!(code, "shl i64 {low}, {zeros}");
    let rest = ir!(code, "or i64 {rest}, {below}");
    let more = ir!(code, "icmp ne i64 {rest}, 0");
    let odd = ir!(code, "zext i1 {more} to i64");
    let top = ir!(code, "or i64 {top}, {odd}");
    let zeros = ir!(code, "trunc i64 {zeros} to i32");
    Some((top, ir!(code, "sub i32 {exponent}, {zeros}")))
}

/// `top` times two to the power of `exponent`, which is at least -63.
fn scaled(code: &mut Code, ty: &str, top: &str, exponent: &str) -> String {
    let number = ir!(code, "uitofp i64 {top} to {ty}");
    // The digits of `bfloat` are those of a `float`.
    let (wide, width, mantissa, bias) =
        if ty == "double" { ("double", 64, 52, 1023) } else { ("float", 32, 23, 127) };
    let number = if ty == wide { number } else { ir!(code, "fpext {ty} {number} to {wide}") };
    let bounded = ir!(code, "call i32 @llvm.smin(i32 {exponent}, i32 {})", bias + 1);
    let field = ir!(code, "add i32 {bounded}, {bias}");
    let field = code.resized(&field, 32, width, false);
    let power = ir!(code, "shl i{width} {field}, {mantissa}");
    let power = ir!(code, "bitcast i{width} {power} to {wide}");
    let value = ir!(code, "fmul {wide} {number}, {power}");
    if ty == wide { value } else { ir!(code, "fptrunc {wide} {value} to {ty}") }
}

/// `fptoui`, `fptosi` of signed numbers, and those that saturate: the digits of the number in double precision, shifted by its exponent.
pub(crate) fn to_integer(site: &Site<'_>, signed: bool, saturates: bool) -> Option<String> {
    let bits = site.wide_bits(site.result)?;
    let Element::Float(kind) = site.element(site.ty(0)?)? else { return None };
    let ty = float_name(kind)?;
    site.each_one(|code, args| {
        let number = args.first()?;
        if kind == FloatKind::Half && !saturates {
            // No number of the format is larger.
            let cast = if signed { "fptosi" } else { "fptoui" };
            let whole = ir!(code, "{cast} half {number} to i32");
            return Some(code.resized(&whole, 32, bits, signed));
        }
        let number = if ty == "double" { number.clone() } else { ir!(code, "fpext {ty} {number} to double") };
        let value = digits(code, &number, bits, signed);
        if !saturates {
            return Some(value);
        }
        // The first number above the range, 2^bits or half of that; infinity where the format ends before.
        let field = u64::from(if signed { bits - 1 } else { bits }).min(1024) + 1023;
        let (most, least) = if signed {
            (ones(bits - 1), ir!(code, "xor i{bits} -1, {}", ones(bits - 1)))
        } else {
            ("-1".to_owned(), "0".to_owned())
        };
        let over = ir!(code, "fcmp oge double {number}, 0x{:016X}", field << 52);
        let lowest = if signed { 1 << 63 | field << 52 } else { 0 };
        let under = ir!(code, "fcmp olt double {number}, 0x{lowest:016X}");
        let nan = ir!(code, "fcmp uno double {number}, {number}");
        let value = ir!(code, "select i1 {over}, i{bits} {most}, i{bits} {value}");
        let value = ir!(code, "select i1 {under}, i{bits} {least}, i{bits} {value}");
        Some(ir!(code, "select i1 {nan}, i{bits} 0, i{bits} {value}"))
    })
}

/// A number in double precision that the type holds, as an integer.
fn digits(code: &mut Code, number: &str, bits: u32, signed: bool) -> String {
    let raw = ir!(code, "bitcast double {number} to i64");
    let field = ir!(code, "lshr i64 {raw}, 52");
    let field = ir!(code, "trunc i64 {field} to i32");
    let field = ir!(code, "and i32 {field}, 2047");
    let digits = ir!(code, "and i64 {raw}, {}", (1u64 << 52) - 1);
    let digits = ir!(code, "or i64 {digits}, {}", 1u64 << 52);
    let up = ir!(code, "sub i32 {field}, 1075");
    let down = ir!(code, "sub i32 1075, {field}");
    let down = ir!(code, "call i32 @llvm.umin(i32 {down}, i32 63)");
    let down = ir!(code, "zext i32 {down} to i64");
    let low = ir!(code, "lshr i64 {digits}, {down}");
    let low = ir!(code, "zext i64 {low} to i{bits}");
    let wide = ir!(code, "zext i64 {digits} to i{bits}");
    let amount = ir!(code, "zext i32 {up} to i{bits}");
    let high = ir!(code, "shl i{bits} {wide}, {amount}");
    let large = ir!(code, "icmp sge i32 {up}, 0");
    let size = ir!(code, "select i1 {large}, i{bits} {high}, i{bits} {low}");
    if !signed {
        return size;
    }
    let negated = ir!(code, "sub i{bits} 0, {size}");
    let negative = ir!(code, "icmp slt i64 {raw}, 0");
    ir!(code, "select i1 {negative}, i{bits} {negated}, i{bits} {size}")
}
