//! Functions of floating-point numbers by those that GPUs have: approximations in single precision, where a call allows them, and operations that name the rounding
//! that all have.

use ptx_llvm_core::view::FloatKind;

use crate::code::{Code, float_name, ir};
use crate::site::{Element, Site};

/// The approximated functions; powers and logarithms with the factor to those of base two, in single precision.
#[derive(Clone, Copy)]
pub(crate) enum Approximated {
    /// A power of a number that is always the same.
    Exponential(u32),
    Logarithm(u32),
    Power,
    Tangent,
}

impl Approximated {
    pub(crate) const EXP: Self = Self::Exponential(0x3fb8_aa3b);
    pub(crate) const EXP10: Self = Self::Exponential(0x4054_9a78);
    pub(crate) const LOG: Self = Self::Logarithm(0x3f31_7218);
    pub(crate) const LOG10: Self = Self::Logarithm(0x3e9a_209b);
}

/// A number in single precision as LLVM writes it.
fn single(bits: u32) -> String {
    format!("0x{:016X}", f64::from(f32::from_bits(bits)).to_bits())
}

/// The result of a function in single precision, to which narrower numbers are converted first; `None` for wider ones.
fn in_single(
    site: &Site<'_>,
    mut compute: impl FnMut(&mut Code, &[String]) -> Option<String>,
) -> Option<String> {
    let Element::Float(kind) = site.element(site.result)? else { return None };
    match float_name(kind)? {
        "float" => site.each_one(compute),
        "double" => None,
        narrow => site.each_one(|code, args| {
            let wide: Vec<String> =
                args.iter().map(|arg| ir!(code, "fpext {narrow} {arg} to float")).collect();
            let value = compute(code, &wide)?;
            Some(ir!(code, "fptrunc float {value} to {narrow}"))
        }),
    }
}

/// `exp`, `exp10`, `log`, `log10`, `pow` and `tan` by powers and logarithms to base two, sine and cosine, which are approximated.
pub(crate) fn approximated(site: &Site<'_>, what: Approximated) -> Option<String> {
    if !site.fast.afn {
        return None;
    }
    in_single(site, |code, args| {
        let x = args.first()?;
        let call = |code: &mut Code, name: &str, x: &str| ir!(code, "call afn float @llvm.{name}(float {x})");
        Some(match what {
            Approximated::Exponential(factor) => {
                let exponent = ir!(code, "fmul float {x}, {}", single(factor));
                call(code, "exp2", &exponent)
            }
            Approximated::Power => {
                let logarithm = call(code, "log2", x);
                let exponent = ir!(code, "fmul float {}, {logarithm}", args.get(1)?);
                call(code, "exp2", &exponent)
            }
            Approximated::Tangent => {
                let (sine, cosine) = (call(code, "sin", x), call(code, "cos", x));
                ir!(code, "fdiv afn float {sine}, {cosine}")
            }
            Approximated::Logarithm(factor) => {
                let logarithm = call(code, "log2", x);
                ir!(code, "fmul float {logarithm}, {}", single(factor))
            }
        })
    })
}

/// `log2` to within two units in the last place: the exponent, and a polynomial in the significand minus one, with the significand between 0.7 and 1.4, whose
/// coefficients minimize the largest relative error.
pub(crate) fn logarithm(site: &Site<'_>) -> Option<String> {
    const POLYNOMIAL: [u32; 10] = [
        0xbdf9_5c70,
        0x3e44_415c,
        0xbe41_d129,
        0x3e50_9432,
        0xbe75_74fe,
        0x3e93_c543,
        0xbeb8_ad07,
        0x3ef6_3832,
        0xbf38_aa38,
        0x3fb8_aa3b,
    ];
    const LOWEST: u32 = 0x3f33_0000;
    if site.fast.afn {
        return None;
    }
    in_single(site, |code, args| {
        let value = args.first()?;
        let fused = |code: &mut Code, a: &str, b: &str, c: &str| {
            ir!(code, "call float @llvm.fma(float {a}, float {b}, float {c})")
        };
        // Subnormal numbers are multiplied by 2^23 first.
        let small = ir!(code, "fcmp olt float {value}, {}", single(0x0080_0000));
        let larger = ir!(code, "fmul float {value}, {}", single(0x4b00_0000));
        let normal = ir!(code, "select i1 {small}, float {larger}, float {value}");
        let start = ir!(code, "select i1 {small}, float -23.0, float 0.0");
        let bits = ir!(code, "bitcast float {normal} to i32");
        let above = ir!(code, "sub i32 {bits}, {LOWEST}");
        let exponent = ir!(code, "and i32 {above}, {}", 0xff80_0000u32);
        let digits = ir!(code, "sub i32 {bits}, {exponent}");
        let digits = ir!(code, "bitcast i32 {digits} to float");
        let exponent = ir!(code, "sitofp i32 {exponent} to float");
        // The exponent begins at bit 23.
        let exponent = fused(code, &exponent, &single(0x3400_0000), &start);
        let rest = ir!(code, "fadd float {digits}, -1.0");
        let mut coefficients = POLYNOMIAL.into_iter().map(single);
        let mut sum = coefficients.next()?;
        for coefficient in coefficients {
            sum = fused(code, &sum, &rest, &coefficient);
        }
        let result = fused(code, &rest, &sum, &exponent);
        // The approximation is right about zero, infinity, NaN and negative numbers.
        let special = ir!(code, "call afn float @llvm.log2(float {value})");
        let positive = ir!(code, "fcmp ogt float {value}, 0.0");
        let finite = ir!(code, "fcmp olt float {value}, {}", single(0x7f80_0000));
        let ordinary = ir!(code, "and i1 {positive}, {finite}");
        Some(ir!(code, "select i1 {ordinary}, float {result}, float {special}"))
    })
}

/// `round`: halves away from zero. The truncated value, plus one if at least a half was cut off; the difference is exact, and so is the
/// sum.
pub(crate) fn away(site: &Site<'_>) -> Option<String> {
    let rounded = |code: &mut Code, ty: &str, value: &str| {
        let whole = ir!(code, "call {ty} @llvm.trunc({ty} {value})");
        let cut = ir!(code, "fsub {ty} {value}, {whole}");
        let cut = ir!(code, "call {ty} @llvm.fabs({ty} {cut})");
        let up = ir!(code, "fcmp oge {ty} {cut}, 0.5");
        let step = ir!(code, "call {ty} @llvm.copysign({ty} 1.0, {ty} {value})");
        let next = ir!(code, "fadd {ty} {whole}, {step}");
        ir!(code, "select i1 {up}, {ty} {next}, {ty} {whole}")
    };
    let Element::Float(kind) = site.element(site.result)? else { return None };
    match float_name(kind)? {
        "double" => site.each_one(|code, args| Some(rounded(code, "double", args.first()?))),
        _ => in_single(site, |code, args| Some(rounded(code, "float", args.first()?))),
    }
}

/// Operations under `experimental.constrained.`: those without rounding, or rounded to nearest, are the plain ones, since a program cannot observe floating-point
/// exceptions. Those on 16-bit formats are computed in wider ones.
pub(crate) fn constrained(site: &Site<'_>, name: &str) -> Option<String> {
    if let Some(body) = crate::operation(name).and_then(|operation| operation(site)) {
        return Some(body);
    }
    if !site.rounds_to_nearest()
        && let Some(body) = directed(site, name)
    {
        return Some(body);
    }
    let mut code = Code::new();
    let nearest = site.rounds_to_nearest();
    let result = site.view.type_text(site.result);
    let ty = site.type_text(0)?;
    let value = match name {
        "fadd" | "fsub" | "fmul" | "fdiv" if nearest => ir!(code, "{name} {ty} %a0, %a1"),
        "fcmp" | "fcmps" => ir!(code, "fcmp {} {ty} %a0, %a1", site.texts().next()?),
        "fptrunc" | "sitofp" | "uitofp" if nearest => ir!(code, "{name} {ty} %a0 to {result}"),
        "fpext" | "fptosi" | "fptoui" => ir!(code, "{name} {ty} %a0 to {result}"),
        "rint" | "nearbyint" => {
            let name = match site.rounding() {
                Some("round.towardzero") => "trunc",
                Some("round.upward") => "ceil",
                Some("round.downward") => "floor",
                _ if nearest => "rint",
                _ => return None,
            };
            ir!(code, "call {result} @llvm.{name}({ty} %a0)")
        }
        "fma" | "fmuladd" | "sqrt" if !nearest => return None,
        "fma" | "fmuladd" => ir!(code, "call {result} @llvm.fma({ty} %a0, {ty} %a1, {ty} %a2)"),
        "maxnum" | "maximum" | "minnum" | "minimum" => {
            ir!(code, "call {result} @llvm.{name}({ty} %a0, {ty} %a1)")
        }
        name @ ("ceil" | "floor" | "round" | "roundeven" | "sqrt" | "trunc") => {
            ir!(code, "call {result} @llvm.{name}({ty} %a0)")
        }
        name @ ("cos" | "exp" | "exp2" | "log" | "log10" | "log2" | "sin" | "tan") => {
            let approximate = if site.fast.afn { "afn " } else { "" };
            ir!(code, "call {approximate}{result} @llvm.{name}({ty} %a0)")
        }
        "pow" => {
            let approximate = if site.fast.afn { "afn " } else { "" };
            ir!(code, "call {approximate}{result} @llvm.pow({ty} %a0, {ty} %a1)")
        }
        _ => return None,
    };
    Some(code.finish(site, &value))
}

/// Operations with a directed rounding to 16 bits: computed in a wider format, which contains the narrower one, so that rounding twice in that direction equals
/// rounding once. Conversions to `half` are left, since PTX has them.
fn directed(site: &Site<'_>, name: &str) -> Option<String> {
    let Element::Float(kind) = site.element(site.result)? else { return None };
    let (wide, is_bfloat) = match kind {
        FloatKind::Half => ("double", false),
        FloatKind::BFloat => ("float", true),
        _ => return None,
    };
    let rounding = format!("metadata !\"{}\", metadata !\"fpexcept.ignore\"", site.rounding()?);
    let from = site.view.type_text(site.element_type(site.ty(0)?));
    let rounded = |code: &mut Code, to: &str, name: &str, args: &[String]| {
        let args = args.join(", ");
        ir!(code, "call {to} @llvm.experimental.constrained.{name}({args}, {rounding})")
    };
    let computes = matches!(name, "fadd" | "fsub" | "fmul" | "fdiv" | "fma" | "fmuladd" | "sqrt");
    let converts = match name {
        "fptrunc" => matches!(from, "double" | "float"),
        "sitofp" | "uitofp" => true,
        _ => false,
    };
    if !(computes || converts && is_bfloat) {
        return None;
    }
    let narrow = float_name(kind)?;
    site.each_one(|code, args| {
        let value = if computes {
            let args: Vec<String> = args
                .iter()
                .map(|arg| format!("{wide} {}", ir!(code, "fpext {narrow} {arg} to {wide}")))
                .collect();
            rounded(code, wide, name, &args)
        } else if from == "float" {
            args.first()?.clone()
        } else {
            rounded(code, "float", name, &[format!("{from} {}", args.first()?)])
        };
        if !is_bfloat {
            return Some(rounded(code, "half", "fptrunc", &[format!("double {value}")]));
        }
        bfloat(code, &value, site.rounding()?)
    })
}

/// The upper half of a single-precision number, plus one if the rounding is away from zero and nonzero bits are cut off.
fn bfloat(code: &mut Code, value: &str, rounding: &str) -> Option<String> {
    let raw = ir!(code, "bitcast float {value} to i32");
    let high = ir!(code, "lshr i32 {raw}, 16");
    let away = match rounding {
        "round.towardzero" => None,
        "round.downward" => Some(ir!(code, "icmp slt i32 {raw}, 0")),
        "round.upward" => Some(ir!(code, "icmp sge i32 {raw}, 0")),
        _ => return None,
    };
    let rounded = match away {
        None => high.clone(),
        Some(away) => {
            let low = ir!(code, "and i32 {raw}, 65535");
            let cut = ir!(code, "icmp ne i32 {low}, 0");
            let up = ir!(code, "and i1 {away}, {cut}");
            let one = ir!(code, "zext i1 {up} to i32");
            ir!(code, "add i32 {high}, {one}")
        }
    };
    let quiet = ir!(code, "or i32 {high}, 64");
    let nan = ir!(code, "fcmp uno float {value}, {value}");
    let chosen = ir!(code, "select i1 {nan}, i32 {quiet}, i32 {rounded}");
    let half = ir!(code, "trunc i32 {chosen} to i16");
    Some(ir!(code, "bitcast i16 {half} to bfloat"))
}
