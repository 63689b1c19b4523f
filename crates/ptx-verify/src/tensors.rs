//! Multiplications of matrices, tensor maps and copies of tensors (manual 9.7.14.3, 9.7.15.5.2, 9.7.9.25.5, 9.7.9.28).

use ptx_diag::Diagnostic;
use ptx_ir::Operand;
use ptx_isa::{Constants, Field, Mod, Role, Sem, Since, Sm};

use crate::codes;
use crate::context::{Checker, Site};
use crate::operands::{Place, check_constants};

/// The numbers of the bytes and threads that hold the scales of a block (manual 9.7.14.3.1).
pub(crate) fn check_scale_ids(cx: &mut Checker<'_>, site: Site<'_>) {
    let bytes = match site.mnemonic().get(Field::ScaleVec) {
        Some(Mod::ScaleVec4X) => Constants::Range(0, 0),
        Some(Mod::ScaleVec2X) => Constants::Either(0, 2),
        None if site.has(Mod::KindMxf4) => Constants::Either(0, 2),
        _ => Constants::Range(0, 3),
    };
    for (at, place) in site.form().operands.iter().enumerate() {
        let threads = match place.name {
            "scale-a-ids" => Constants::Range(0, 1),
            "scale-b-ids" => Constants::Range(0, 3),
            _ => continue,
        };
        let Operand::Vector(list) = site.operand(at) else { continue };
        let entries = site.body.list(list).iter().zip(site.body.list_spans(list));
        for ((&entry, &span), constants) in entries.zip([bytes, threads]) {
            let inner = Place { at, role: Role::Use, name: place.name, span };
            check_constants(cx, site, inner, constants, entry);
        }
    }
}

/// Warpgroups multiply bytes of both signs since PTX ISA 8.4 (manual 9.7.15.5.2).
pub(crate) fn check_signs(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.has(Mod::S8) && site.has(Mod::U8) {
        const LATER: Since = Since::on(8, 4, &[Sm::arch(90)]);
        cx.require(LATER, site.whole(), "a product of signed and unsigned bytes");
    }
}

/// Types of elements that tensor maps have had since PTX ISA 8.7 (manual 9.7.9.28).
pub(crate) fn check_replaced(cx: &mut Checker<'_>, site: Site<'_>) {
    const LATER: Since = Since::on(8, 7, &[Sm::family(100), Sm::family(110), Sm::family(120)]);
    let value = match site.operand(1) {
        Operand::Immediate(value) => value.as_integer(),
        _ => None,
    };
    if site.has(Mod::Elemtype) && value.is_some_and(|value| value > 12) {
        cx.require(LATER, site.span(1), "a packed element type");
    }
}

/// Braces around the positions of what a sparse matrix keeps: `ptxas` takes them up to sm_90, and later with a kind alone.
pub(crate) fn check_metadata(cx: &mut Checker<'_>, site: Site<'_>) {
    const KINDS: Since = Since::on(8, 7, &[Sm::family(120)]);
    let Some(at) = site.form().operands.iter().position(|place| place.name == "e") else { return };
    if !matches!(site.operand(at), Operand::Vector(_)) {
        return;
    }
    if site.has(Mod::KindF8f6f4) {
        cx.require(KINDS, site.span(at), "a vector of one register as the positions");
    } else if cx.target.sm_is(100) {
        let text = format!("operand `e` of `{}` must be a register", site.mnemonic());
        let finding = Diagnostic::error(codes::OPERAND_KIND, site.span(at), text);
        cx.report(finding.with_label("a vector of 1").with_help("write the register without braces"));
    }
}

/// Where sizes stand in for those of the tensor map, constants among the coordinates are 0.
pub(crate) fn check_overrides(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.has_any(&[Mod::OverrideGlobalDim, Mod::OverrideGlobalDimStride]).is_none() {
        return;
    }
    for at in 0..site.form().operands.len() {
        let Operand::Bracket(parts) = site.operand(at) else { continue };
        let Some(&Operand::Vector(coordinates)) = site.body.list(parts).last() else { continue };
        let entries = site.body.list(coordinates).iter().zip(site.body.list_spans(coordinates));
        for (&entry, &span) in entries {
            let inner = Place { at, role: Role::Use, name: "tensorCoords", span };
            check_constants(cx, site, inner, Constants::Range(0, 0), entry);
        }
    }
}

/// Parts of a product that are left out: with 8-bit floating-point factors in the family of sm_120 alone, with `.tf32`
/// factors of `wmma` nowhere.
pub(crate) fn check_left_out(cx: &mut Checker<'_>, site: Site<'_>) {
    const NARROW: Since = Since::on(8, 4, &[Sm::family(120)]);
    let Operand::Vector(list) = site.operand(0) else { return };
    if !site.body.list(list).contains(&Operand::Sink) {
        return;
    }
    match (site.mnemonic().sem(), site.mnemonic().get(Field::AType)) {
        (Sem::Wmma, Some(Mod::Tf32)) => {
            let text = format!("no part of the result of `{}` can be left out", site.mnemonic());
            let finding = Diagnostic::error(codes::SINK, site.span(0), text);
            cx.report(finding.with_help("name registers that nothing reads"));
        }
        (Sem::Mma | Sem::MmaSparse, Some(Mod::E4m3 | Mod::E5m2)) => {
            cx.require(NARROW, site.span(0), "a result with parts left out");
        }
        _ => {}
    }
}
