//! Rounding, saturation and flushing of conversions (manual 9.7.9.21, 9.7.9.22).
//!
//! The rules that rows of `cvt` cannot express depend on both types; they are those of `ptxas`, tested with every
//! combination of types and modifiers.

use ptx_diag::Diagnostic;
use ptx_ir::{Immediate, Operand};
use ptx_isa::{Field, Mod, ScalarType, Since, TypeKind};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::findings::{conflict, impossible, misplaced, missing};

/// The rounding modifiers that a conversion may or must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    /// None: every value is representable.
    Exact,
    /// `.rn`, `.rz`, `.rm` or `.rp`, one of which is required.
    Needed,
    /// The same, but it may be left out.
    Allowed,
    /// `.rni` and its like: to an integral value of the same type.
    Integral,
    /// `.rn`, `.rz` or `.rna`.
    Tf32,
}

/// Checks `cvt` between single values.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    let mnemonic = site.mnemonic();
    let (Some(to), Some(from)) = (mnemonic.type_of(Field::DType), mnemonic.type_of(Field::AType)) else {
        return;
    };
    if !convertible(to, from) {
        return impossible(cx, site, &format!("{} cannot be converted to {}", dotted(from), dotted(to)));
    }
    if to.is_float() && from.is_float() {
        check_rounding(cx, site, to, from);
    }
    check_saturation(cx, site, to, from);
    check_flush(cx, site, to, from);
    if site.has(Mod::Rna) && matches!(site.operand(1), Operand::Immediate(Immediate::F64(..))) {
        let text = format!("operand `a` of `{}` is a double-precision constant", site.mnemonic());
        let help = "write the bits of the single-precision value as `0f3F800000`";
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, site.span(1), text).with_help(help));
    }
}

/// Whether the operands are exactly as wide as their types: `.bf16` and `.tf32` fill their registers.
pub(crate) fn fills_registers(site: Site<'_>) -> bool {
    let formats = [Field::DType, Field::AType].map(|field| site.mnemonic().type_of(field));
    formats.into_iter().flatten().any(|ty| matches!(ty, ScalarType::Bf16 | ScalarType::Tf32))
}

/// Whether no operand may be in a register of 128 bits: `ptxas` flushes in a step of its own between single precision and the wider types,
/// and has no such step for these registers.
pub(crate) fn flushes_separately(site: Site<'_>) -> bool {
    use ScalarType::{F32, F64, S64, U64};
    let [to, from] = [Field::DType, Field::AType].map(|field| site.mnemonic().type_of(field));
    site.has(Mod::Ftz) && matches!((to, from), (Some(F32), Some(F64)) | (Some(F64 | S64 | U64), Some(F32)))
}

fn convertible(to: ScalarType, from: ScalarType) -> bool {
    to != ScalarType::Tf32 || from == ScalarType::F32
}

fn rounding(to: ScalarType, from: ScalarType) -> Rounding {
    use ScalarType::{Bf16, F16, F32, F64, Tf32};
    match (to, from) {
        _ if to == from => Rounding::Integral,
        (Tf32, _) => Rounding::Tf32,
        (F16, Bf16) | (Bf16, F16) | (F32 | F64, Bf16) => Rounding::Allowed,
        (F32, F16) | (F64, F16 | F32) => Rounding::Exact,
        _ => Rounding::Needed,
    }
}

fn check_rounding(cx: &mut Checker<'_>, site: Site<'_>, to: ScalarType, from: ScalarType) {
    let written = site.mnemonic().get(Field::Rnd);
    let directed = matches!(written, Some(Mod::Rn | Mod::Rz | Mod::Rm | Mod::Rp));
    let integral = matches!(written, Some(Mod::Rni | Mod::Rzi | Mod::Rmi | Mod::Rpi));
    let rule = rounding(to, from);
    let Some(modifier) = written else {
        let needed = match rule {
            Rounding::Needed => "add `.rn`, `.rz`, `.rm` or `.rp`",
            Rounding::Tf32 => "add `.rn`, `.rz` or `.rna`",
            Rounding::Exact | Rounding::Allowed | Rounding::Integral => return,
        };
        let text =
            format!("a conversion from {} to {} requires a rounding modifier", dotted(from), dotted(to));
        return missing(cx, site, text, needed);
    };
    let (fits, reason) = match rule {
        Rounding::Exact => (false, "is not allowed on an exact conversion"),
        Rounding::Needed | Rounding::Allowed => {
            (directed, "does not round to this type; use `.rn`, `.rz`, `.rm` or `.rp`")
        }
        Rounding::Integral => (
            integral,
            "is not allowed on an exact conversion; `.rni`, `.rzi`, `.rmi` and `.rpi` round to an integral value",
        ),
        Rounding::Tf32 => (
            matches!(modifier, Mod::Rn | Mod::Rz | Mod::Rna),
            "does not round to `.tf32`; use `.rn`, `.rz` or `.rna`",
        ),
    };
    if !fits {
        misplaced(cx, site, modifier, reason);
    }
}

/// `.sat`, `.satfinite` and `.relu`.
fn check_saturation(cx: &mut Checker<'_>, site: Site<'_>, to: ScalarType, from: ScalarType) {
    let formats = |ty: ScalarType| matches!(ty, ScalarType::Bf16 | ScalarType::Tf32);
    if site.has(Mod::Sat) {
        if formats(to) || formats(from) {
            misplaced(cx, site, Mod::Sat, "has no meaning for `.bf16` and `.tf32`");
        } else if holds(to, from) {
            let reason = format!("is not allowed: every {} value is a {} value", dotted(from), dotted(to));
            misplaced(cx, site, Mod::Sat, &reason);
        }
    }
    let narrow =
        matches!(to, ScalarType::F16 | ScalarType::Bf16 | ScalarType::Tf32) && from == ScalarType::F32;
    let nearest = matches!(site.mnemonic().get(Field::Rnd), Some(Mod::Rn | Mod::Rz));
    let away = site.has(Mod::Rna) && to == ScalarType::Tf32;
    for (modifier, rounds) in [(Mod::Relu, nearest), (Mod::Satfinite, nearest || away)] {
        if !site.has(modifier) {
            continue;
        }
        if !narrow {
            misplaced(cx, site, modifier, "needs `.f16`, `.bf16` or `.tf32` from `.f32`");
        } else if !rounds && site.mnemonic().get(Field::Rnd).is_some() {
            misplaced(cx, site, modifier, "needs `.rn` or `.rz`");
        }
        if site.has(Mod::Ftz) {
            conflict(cx, site, Mod::Ftz, modifier);
        }
    }
    if site.has(Mod::Relu) && site.has(Mod::Sat) {
        conflict(cx, site, Mod::Sat, Mod::Relu);
    }
}

/// Whether every value of an integer type is one of another.
fn holds(to: ScalarType, from: ScalarType) -> bool {
    match (to.kind(), from.kind()) {
        (TypeKind::Signed, TypeKind::Signed) | (TypeKind::Unsigned, TypeKind::Unsigned) => {
            to.bits() >= from.bits()
        }
        (TypeKind::Signed, TypeKind::Unsigned) => to.bits() > from.bits(),
        _ => false,
    }
}

/// `.ftz` flushes single-precision values, on either side.
fn check_flush(cx: &mut Checker<'_>, site: Site<'_>, to: ScalarType, from: ScalarType) {
    let single = to == ScalarType::F32 || from == ScalarType::F32;
    if site.has(Mod::Ftz) && (!single || to == ScalarType::Tf32) {
        misplaced(cx, site, Mod::Ftz, "requires a single-precision operand or result");
    }
}

/// The formats of 8 bits came to sm_89 later than to sm_90 (manual 9.7.9.21, notes).
pub(crate) fn check_narrow(cx: &mut Checker<'_>, site: Site<'_>) {
    if !cx.target.sm_at_least(90) && site.has_any(&[Mod::E4m3x2, Mod::E5m2x2]).is_some() {
        cx.require(Since::new(8, 1, 89), site.whole(), &format!("`{}`", site.mnemonic()));
    }
}
