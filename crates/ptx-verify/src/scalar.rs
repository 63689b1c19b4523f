//! Operands of one value: registers, constants, special registers and `_` (manual 6, 9.4).

use ptx_diag::Diagnostic;
use ptx_ir::{Immediate, Operand, Symbol, VectorShape};
use ptx_isa::{Constants, ScalarType, Since};

use crate::context::{Checker, Site, dotted};
use crate::findings::{check_type, out_of_range, wrong_kind};
use crate::operand_position::{OperandPosition, Wanted};
use crate::types::takes_immediate;
use crate::{codes, special_registers, sums};

/// Checks one scalar operand, written or read.
pub(crate) fn check_scalar(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: Wanted,
    operand: Operand,
) {
    match operand {
        Operand::Register(_) | Operand::Element(..) => {
            if let Some(ty) = scalar_type(cx, site, position, operand) {
                check_type(cx, site, position, wanted, ty);
            }
        }
        Operand::Sink => check_sink(cx, site, position),
        Operand::Immediate(value) if !position.is_written() => {
            check_constant(cx, site, position, wanted, value);
        }
        Operand::Special(reg, component) if !position.is_written() => {
            special_registers::check_converted(cx, site, position, wanted, reg, component.is_some());
        }
        Operand::Special(..) => {
            let text = "special registers cannot be written";
            cx.report(Diagnostic::error(codes::SPECIAL_REGISTER, position.span, text));
        }
        Operand::Sum(..) | Operand::SpecialSum(..) if !position.is_written() => {
            sums::check(cx, site, position, wanted, operand);
        }
        Operand::Not(reg) if wanted.ty == ScalarType::Pred && !position.is_written() => {
            check_type(cx, site, position, wanted, site.body.reg_type(reg));
        }
        Operand::Not(_)
        | Operand::Sum(..)
        | Operand::SpecialSum(..)
        | Operand::Selected(..)
        | Operand::Negated(..)
        | Operand::Immediate(_)
        | Operand::Symbol(..)
        | Operand::Address(..)
        | Operand::Bracket(_)
        | Operand::Vector(_)
        | Operand::List(_)
        | Operand::Label(_)
        | Operand::Omitted => {
            wrong_kind(cx, site, position, operand, &format!("a {} operand", dotted(wanted.ty)));
        }
    }
}

/// The type of a register or component; a finding and nothing when it is not a scalar.
pub(crate) fn scalar_type(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    operand: Operand,
) -> Option<ScalarType> {
    let (reg, component) = match operand {
        Operand::Register(reg) => (reg, None),
        Operand::Element(reg, component) => (reg, Some(component)),
        _ => return None,
    };
    let decl = site.body.decl(reg);
    let lanes = decl.shape.lanes();
    match component {
        None if decl.shape == VectorShape::Scalar => return Some(decl.ty),
        Some(component) if decl.shape != VectorShape::Scalar && (component.index() as u32) < lanes => {
            return Some(decl.ty);
        }
        None => {
            let text = format!("operand `{}` of `{}` must be a scalar", position.name, site.mnemonic());
            let label = site.describe(operand);
            let finding = Diagnostic::error(codes::OPERAND_KIND, position.span, text).with_label(label);
            cx.report(finding.with_help("name one component, such as `.x`"));
        }
        Some(component) => {
            let what = if lanes == 1 { "a scalar".to_owned() } else { format!("a vector of {lanes}") };
            let text = format!("{what} has no component `.{}`", component.as_str());
            cx.report(Diagnostic::error(codes::VECTOR_LENGTH, position.span, text));
        }
    }
    None
}

pub(crate) fn check_sink(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition) {
    if !position.is_written() {
        let text = "`_` is only allowed for results that are not used";
        return cx.report(Diagnostic::error(codes::SINK, position.span, text));
    }
    match position.discardable {
        Some(Since::ALWAYS) => {}
        Some(since) => cx.require(since, position.span, &format!("`_` for the result `{}`", position.name)),
        None => {
            let text = format!("the result `{}` of `{}` cannot be discarded", position.name, site.mnemonic());
            let help = "name a register that nothing reads";
            cx.report(Diagnostic::error(codes::SINK, position.span, text).with_help(help));
        }
    }
}

fn check_constant(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: Wanted,
    value: Immediate,
) {
    if takes_immediate(wanted.ty, value) {
        return;
    }
    let found = site.describe(Operand::Immediate(value));
    let text = format!(
        "operand `{}` of `{}` is {found}, which does not agree with {}",
        position.name,
        site.mnemonic(),
        dotted(wanted.ty)
    );
    let finding = Diagnostic::error(codes::OPERAND_TYPE, position.span, text);
    cx.report(match wanted.ty {
        ScalarType::F32 => finding.with_help("write `1.0` or the bits as `0f3F800000`"),
        ScalarType::F64 => finding.with_help("write `1.0` or the bits as `0d3FF0000000000000`"),
        ScalarType::B32 => finding.with_help("write the bits as `0f3F800000` or as an integer"),
        ScalarType::F16 | ScalarType::F16x2 | ScalarType::Bf16 | ScalarType::Bf16x2 => {
            finding.with_help("`mov` the bits into a register first")
        }
        _ => finding,
    });
}

/// Checks integer constants against those that the operand accepts, and their first versions.
pub(crate) fn check_constants(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    row: &ptx_isa::Operand,
    operand: Operand,
) {
    if let (Operand::Vector(list), Constants::Elements(_)) = (operand, row.constants) {
        let entries = site.body.list(list).iter().zip(site.body.list_spans(list)).enumerate();
        for (at, (&entry, &span)) in entries {
            check_among(cx, site, OperandPosition { span, ..position }, row.constants.of_element(at), entry);
        }
        return;
    }
    check_among(cx, site, position, row.constants, operand);
    let Some(value) = integer(operand) else { return };
    for &(low, high, since) in row.newer_constants {
        if (low..=high).contains(&value) {
            cx.require(since, position.span, &format!("the value {value} of operand `{}`", position.name));
        }
    }
}

/// Checks an integer constant against those that are accepted.
pub(crate) fn check_among(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    constants: Constants,
    operand: Operand,
) {
    if let Some(value) = integer(operand)
        && !constants.takes(value, &site.mnemonic())
    {
        out_of_range(cx, site, position, value, &constants.text(&site.mnemonic()));
    }
}

fn integer(operand: Operand) -> Option<i64> {
    match operand {
        Operand::Immediate(value) => value.as_integer().map(|value| value as i64),
        _ => None,
    }
}

/// `ptxas` counts the address of a function, and that of a variable with an offset, as an integer constant.
pub(crate) const fn is_number(symbol: Symbol, offset: i64) -> bool {
    match symbol {
        Symbol::Function(_) => true,
        Symbol::Variable(_) => offset != 0,
    }
}
