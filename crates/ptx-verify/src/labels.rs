//! Labels of code, and of lists of targets and prototypes.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Label, LabelKind, Operand};

use crate::codes;
use crate::context::{Checker, Site};
use crate::findings::wrong_kind;
use crate::operand_position::OperandPosition;

/// Checks an operand that is the label of code or of a list.
pub(crate) fn check(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    kind: LabelKind,
    operand: Operand,
) {
    let found = match operand {
        Operand::Label(label) => site.body.labels.get(label.0 as usize),
        _ => None,
    };
    let Some(label) = found else {
        return wrong_kind(cx, site, position, operand, "a label");
    };
    if label.kind != kind {
        let wanted = match kind {
            LabelKind::Code => "code",
            LabelKind::BranchTargets => "a `.branchtargets` list",
            LabelKind::CallTargets => "a `.calltargets` list",
            LabelKind::CallPrototype => "a `.callprototype`",
        };
        let name = site.module.name(label.name);
        let text = format!("`{name}` is not the label of {wanted}");
        cx.report(
            Diagnostic::error(codes::LABEL, position.span, text).with_related(label.at.0, "it is here"),
        );
    } else if kind != LabelKind::Code {
        check_order(cx, site, position.span, label);
    }
}

/// Lists of targets and prototypes precede what uses them.
pub(crate) fn check_order(cx: &mut Checker<'_>, site: Site<'_>, span: Span, label: &Label) {
    if label.at.0.lo > site.whole().lo {
        let name = site.module.name(label.name);
        let text = format!("`{name}` must be before the instruction that uses it");
        let finding = Diagnostic::error(codes::LABEL, span, text);
        cx.report(finding.with_related(label.at.0, "it is here"));
    }
}
