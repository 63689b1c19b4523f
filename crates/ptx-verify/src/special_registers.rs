//! Special registers among the operands: where one is read, with how many components, and how wide (manual 10).

use ptx_diag::{Diagnostic, Span};
use ptx_isa::{Field, MoveSem, ScalarType, Sem, SpecialReg};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::findings::wrong_length;
use crate::operand_position::{OperandPosition, Wanted};

/// A special register as a source of anything but `mov`: conversions between integers alone read one.
pub(crate) fn check_converted(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: Wanted,
    reg: SpecialReg,
    has_component: bool,
) {
    let to_integer = site.mnemonic().type_of(Field::DType).is_some_and(ScalarType::is_integer_or_bits);
    if site.mnemonic().sem() != Sem::Move(MoveSem::Cvt) || !to_integer || !wanted.ty.is_integer_or_bits() {
        let text = format!("`{}` cannot read the special register `{reg}`", site.mnemonic());
        let help = "copy it to a register with `mov` first";
        cx.report(Diagnostic::error(codes::SPECIAL_REGISTER, position.span, text).with_help(help));
        return;
    }
    check_number(cx, position.span, reg, has_component);
    let wide_enough = reg.scalar_type().bits() >= wanted.ty.bits();
    if reg.scalar_type() == ScalarType::Pred || !wide_enough {
        mismatch(cx, site, position, wanted.ty, reg);
    }
}

/// The source of a scalar `mov`.
pub(crate) fn check_moved(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    ty: ScalarType,
    reg: SpecialReg,
    has_component: bool,
) {
    check_number(cx, position.span, reg, has_component);
    let fits = match reg.scalar_type() {
        ScalarType::Pred => ty == ScalarType::Pred,
        _ => moves_as(reg, ty),
    };
    if !fits {
        mismatch(cx, site, position, ty, reg);
    }
}

/// All components of a special register at once, of which there are four.
pub(crate) fn check_components(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    ty: ScalarType,
    lanes: u8,
    reg: SpecialReg,
) {
    check_since(cx, position.span, reg);
    if lanes != 4 {
        return wrong_length(cx, site, position, lanes, 4);
    }
    if position.is_written() || !moves_as(reg, ty) {
        mismatch(cx, site, position, ty, reg);
    }
}

/// A special register in a vector: one number as wide as the elements.
pub(crate) fn check_element(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: ScalarType,
    reg: SpecialReg,
    has_component: bool,
) {
    check_number(cx, position.span, reg, has_component);
    let own = reg.scalar_type();
    if own == ScalarType::Pred || own.bits() != wanted.bits() {
        mismatch(cx, site, position, wanted, reg);
    }
}

/// A special register that a constant is added to.
pub(crate) fn check_summand(cx: &mut Checker<'_>, span: Span, reg: SpecialReg) {
    check_number(cx, span, reg, false);
}

/// Whether a number in a special register moves as a type: of its width, or of one that `mov` still cuts it to.
fn moves_as(reg: SpecialReg, ty: ScalarType) -> bool {
    ty.is_integer_or_bits() && (reg.scalar_type().bits() == ty.bits() || narrows(reg, ty))
}

/// The registers of PTX 1.x were 16 bits wide, `%gridid` was 32; moves of these widths are still taken (manual 10).
const fn narrows(reg: SpecialReg, ty: ScalarType) -> bool {
    match reg {
        SpecialReg::Tid | SpecialReg::Ntid | SpecialReg::CtaId | SpecialReg::NCtaId => ty.bits() == 16,
        SpecialReg::GridId => matches!(ty.bits(), 16 | 32),
        _ => false,
    }
}

fn mismatch(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: ScalarType,
    reg: SpecialReg,
) {
    let own = dotted(reg.scalar_type());
    let text =
        format!("`{reg}` is {own}, which does not agree with {} of `{}`", dotted(wanted), site.mnemonic());
    cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text));
}

/// One number: `%tid` has components, `%laneid` has none.
fn check_number(cx: &mut Checker<'_>, span: Span, reg: SpecialReg, has_component: bool) {
    if reg.is_vector() && !has_component {
        let text = format!("`{reg}` is a vector; one component is needed here");
        let help = format!("write `{reg}.x`, `{reg}.y` or `{reg}.z`");
        cx.report(Diagnostic::error(codes::SPECIAL_REGISTER, span, text).with_help(help));
    } else if !reg.is_vector() && has_component {
        let text = format!("`{reg}` has no components");
        let finding = Diagnostic::error(codes::SPECIAL_REGISTER, span, text);
        cx.report(finding.with_help(format!("write `{reg}`")).with_fix(span, reg.to_string()));
    }
    check_since(cx, span, reg);
}

fn check_since(cx: &mut Checker<'_>, span: Span, reg: SpecialReg) {
    cx.require(reg.since(), span, &format!("`{reg}`"));
}
