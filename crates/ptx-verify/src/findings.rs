//! Findings that several rules report: about modifiers, and about the kinds, types, lengths and values of operands.

use ptx_diag::{Diagnostic, counted};
use ptx_ir::Operand;
use ptx_isa::{Mod, ScalarType, Width};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::operand_position::{OperandPosition, Wanted};
use crate::types::agreeing;

/// A finding that two modifiers cannot be combined.
pub(crate) fn conflict(cx: &mut Checker<'_>, site: Site<'_>, one: Mod, other: Mod) {
    let text =
        format!("`.{}` and `.{}` cannot be combined in `{}`", one.as_str(), other.as_str(), site.mnemonic());
    cx.report(Diagnostic::error(codes::MODIFIER_CONFLICT, site.whole(), text));
}

/// Reports a modifier that is not allowed here, with the reason.
pub(crate) fn misplaced(cx: &mut Checker<'_>, site: Site<'_>, modifier: Mod, reason: &str) {
    let text = format!("`.{}` of `{}` {reason}", modifier.as_str(), site.mnemonic());
    cx.report(Diagnostic::error(codes::MODIFIER_PLACE, site.whole(), text));
}

/// A finding that a modifier needs one of others.
pub(crate) fn needs(cx: &mut Checker<'_>, site: Site<'_>, modifier: Mod, needed: &[Mod]) {
    let names: Vec<String> = needed.iter().map(|one| format!("`.{}`", one.as_str())).collect();
    let list = match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => names.concat(),
    };
    let text = format!("`.{}` of `{}` needs {list}", modifier.as_str(), site.mnemonic());
    missing(cx, site, text, &format!("add {list}"));
}

/// A finding that no such instruction exists, for a reason that concerns several modifiers.
pub(crate) fn impossible(cx: &mut Checker<'_>, site: Site<'_>, reason: &str) {
    let text = format!("there is no `{}`: {reason}", site.mnemonic());
    cx.report(Diagnostic::error(codes::MODIFIER_CONFLICT, site.whole(), text));
}

/// A finding that something is missing, with what to write.
pub(crate) fn missing(cx: &mut Checker<'_>, site: Site<'_>, text: String, help: &str) {
    cx.report(Diagnostic::error(codes::MODIFIER_MISSING, site.whole(), text).with_help(help));
}

/// The requirement for memory operands.
pub(crate) const ADDRESS: &str = "a memory address in brackets";

pub(crate) fn wrong_kind(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    operand: Operand,
    wanted: &str,
) {
    let found = site.describe(operand);
    let text = format!("operand `{}` of `{}` must be {wanted}", position.name, site.mnemonic());
    let finding = Diagnostic::error(codes::OPERAND_KIND, position.span, text).with_label(found);
    let help = match operand {
        Operand::Symbol(..) | Operand::Register(_) if wanted == ADDRESS => {
            Some("write it in brackets: `[a]`")
        }
        Operand::Symbol(..) => Some("take the address with `mov` first"),
        Operand::Address(..) => Some("load the value with `ld` first"),
        _ => None,
    };
    cx.report(match help {
        Some(help) if !position.is_written() || wanted == ADDRESS => finding.with_help(help),
        _ => finding,
    });
}

pub(crate) fn wrong_type(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: Wanted,
    actual: ScalarType,
) {
    let text = format!(
        "operand `{}` of `{}` is {}, which does not agree with {}",
        position.name,
        site.mnemonic(),
        dotted(actual),
        dotted(wanted.ty)
    );
    let help = match wanted.width {
        Width::Same => format!("use a register of type {}", agreeing(wanted.ty)),
        Width::AtLeast => format!("use a register of type {}, or a wider one", agreeing(wanted.ty)),
    };
    cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text).with_help(help));
}

pub(crate) fn wrong_length(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    lanes: u8,
    found: u32,
) {
    let text = format!(
        "operand `{}` of `{}` must have {}, not {found}",
        position.name,
        site.mnemonic(),
        counted(lanes, "element")
    );
    cx.report(Diagnostic::error(codes::VECTOR_LENGTH, position.span, text));
}

/// Reports an immediate that the operand does not accept.
pub(crate) fn out_of_range(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    value: i64,
    range: &str,
) {
    let text = format!("operand `{}` of `{}` is {value}; it must be {range}", position.name, site.mnemonic());
    cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, position.span, text));
}

/// A decimal fraction that is not an element of a vector.
pub(crate) fn wrong_fraction(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition) {
    let name = position.name;
    let text =
        format!("the elements of operand `{name}` of `{}` cannot be decimal fractions", site.mnemonic());
    let help = "write the bits of a single-precision number: `0f3FC00000`";
    cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text).with_help(help));
}

/// Reports a register whose type does not agree with the required one.
pub(crate) fn check_type(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: Wanted,
    actual: ScalarType,
) {
    if !wanted.ty.agrees(actual, wanted.width) {
        wrong_type(cx, site, position, wanted, actual);
    }
}
