//! Checks operands against the kinds and types that the row requires (manual 6, 9.4).

use ptx_diag::{Code, Diagnostic, Span, between};
use ptx_ir::{LabelKind, Operand, VectorShape};
use ptx_isa::{
    ControlSem, Effects, Mod, MoveSem, Note, OperandKind, ScalarType, Sem, Since, TypeRule, VectorLength,
    Width,
};

use crate::context::{Checker, Site, dotted};
use crate::elements::{check_elements, has_untyped};
use crate::findings::{check_type, out_of_range, wrong_kind, wrong_length, wrong_type};
use crate::operand_position::{OperandPosition, Wanted, is_pair_for_number, resolve};
use crate::scalar::{check_constants, check_scalar, check_sink, is_number};
use crate::{address, calls, codes, composite, convert, labels, moves, special_registers};

/// Checks every operand of an instruction; calls have rules of their own.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    let form = site.form();
    for (at, row) in form.operands.iter().enumerate() {
        let value = OperandPosition::new(at, row, site.span(at));
        let operand = site.operand(at);
        if operand.is_omitted() {
            check_omitted(cx, site, value, row);
        } else if row.is_conditional()
            && row.kind != OperandKind::CachePolicy
            && !site.mnemonic().asks_for(row)
        {
            let text = format!("`{}` has no operand `{}`", site.mnemonic(), row.name);
            let needed: Vec<String> = row.when.iter().map(|m| format!("`.{}`", m.as_str())).collect();
            let help = format!("the operand requires {}", needed.join(" or "));
            cx.report(Diagnostic::error(codes::OPERAND_MISSING, value.span, text).with_help(help));
        } else {
            if row.since != Since::ALWAYS {
                let what = format!("operand `{}` of `{}`", row.name, site.mnemonic());
                cx.require(row.since, value.span, &what);
            }
            let before = cx.found();
            check_without(cx, site, value, row, operand);
            check_one(cx, site, value, row.kind, operand);
            if cx.found() == before {
                check_constants(cx, site, value, row, operand);
            }
        }
    }
    if site.mnemonic().sem() == Sem::Control(ControlSem::Call) {
        calls::check(cx, site);
    }
}

fn check_omitted(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, row: &ptx_isa::Operand) {
    if row.required || row.role.is_required() || site.mnemonic().asks_for(row) {
        let text = format!("`{}` needs its operand `{}`", site.mnemonic(), position.name);
        cx.report(
            Diagnostic::error(codes::OPERAND_MISSING, site.whole(), text)
                .with_help(format!("the form is `{}`", site.form().syntax())),
        );
    }
}

/// Reports an operand that does not exist with a modifier of the instruction.
fn check_without(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    row: &ptx_isa::Operand,
    operand: Operand,
) {
    let Some(modifier) = site.has_any(row.without).filter(|_| operand != Operand::Sink) else { return };
    let (code, verb, help) = match row.is_written() {
        true => (codes::SINK, "gives", "write `_`"),
        false => (codes::OPERAND_KIND, "takes", "leave it out"),
    };
    let text = format!("`{}` {verb} no `{}` with `.{}`", site.mnemonic(), position.name, modifier.as_str());
    cx.report(Diagnostic::error(code, position.span, text).with_help(help));
}

pub(crate) fn check_one(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    kind: OperandKind,
    operand: Operand,
) {
    match kind {
        OperandKind::Value(rule) => check_value(cx, site, position, rule, operand, Immediates::Allowed),
        OperandKind::Register(rule) => check_value(cx, site, position, rule, operand, Immediates::Forbidden),
        OperandKind::Wide(rule) => {
            if let Some(ty) = resolve(site, rule) {
                let is_widest = |reg| site.body.reg_type(reg) == ScalarType::B128;
                let exact = site.mnemonic().sem() == Sem::Move(MoveSem::Cvt)
                    && (convert::fills_registers(site)
                        || convert::flushes_separately(site)
                            && matches!(operand, Operand::Register(reg) if is_widest(reg)));
                let width = if exact { Width::Same } else { Width::AtLeast };
                check_scalar(cx, site, position, Wanted { ty, width }, operand);
            }
        }
        OperandKind::Untyped(rule) => check_untyped(cx, site, position, rule, operand),
        OperandKind::WideVector(rule, length) => {
            let lanes = site.mnemonic().vector_length(length);
            check_vector(cx, site, position, rule, lanes, Width::AtLeast, operand);
        }
        OperandKind::Vector(rule, length) => {
            let lanes = site.mnemonic().vector_length(length);
            if has_no_constants(cx, site, position, rule, operand) {
                check_vector(cx, site, position, rule, lanes, Width::Same, operand);
                if let Operand::Vector(list) = operand {
                    check_no_pairs(cx, site, position, rule, list);
                }
            }
        }
        OperandKind::Elements(rule, length) => check_bare(cx, site, position, rule, length, operand),
        OperandKind::Registers(rule, length) => {
            if holds_registers(cx, site, position, operand) {
                check_bare(cx, site, position, rule, length, operand);
            }
        }
        OperandKind::Move(rule) => moves::check(cx, site, position, rule, operand),
        OperandKind::Predicate => check_predicate(cx, site, position, operand),
        OperandKind::Immediate(low, high) => check_range(cx, site, position, (low, high), operand),
        OperandKind::CachePolicy => check_cache_policy(cx, site, position, operand),
        OperandKind::Address => address::check(cx, site, position, operand, site.mnemonic().space()),
        OperandKind::AddressIn(space) => address::check(cx, site, position, operand, Some(space)),
        OperandKind::TensorAddress => address::check_tensor(cx, site, position, operand),
        OperandKind::LooseAddress => composite::check_loose(cx, site, position, operand),
        OperandKind::Bracketed(parts) => composite::check_bracket(cx, site, position, parts, operand),
        OperandKind::Reference => composite::check_reference(cx, site, position, operand),
        OperandKind::Coordinates(rule) => composite::check_coordinates(cx, site, position, rule, operand),
        OperandKind::Selected(rule, selection) | OperandKind::Signed(rule, selection) => {
            composite::check_selected(cx, site, position, (rule, selection), operand);
        }
        OperandKind::Braced(rule, length) => match operand {
            Operand::Vector(list) => {
                let lanes = site.mnemonic().vector_length(length);
                check_vector(cx, site, position, rule, lanes, Width::Same, operand);
                check_no_pairs(cx, site, position, rule, list);
            }
            other => wrong_kind(cx, site, position, other, "a vector in braces"),
        },
        OperandKind::Label => labels::check(cx, site, position, LabelKind::Code, operand),
        OperandKind::BranchTargets => labels::check(cx, site, position, LabelKind::BranchTargets, operand),
        // The rules of calls look at all of these together.
        OperandKind::Callee | OperandKind::Results | OperandKind::Arguments | OperandKind::CallTargets => {}
    }
}

/// Whether constants are allowed for an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Immediates {
    Allowed,
    Forbidden,
}

/// A vector of just the type, or its only element without braces.
fn check_bare(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    length: VectorLength,
    operand: Operand,
) {
    let lanes = match (length, operand) {
        (VectorLength::Free, Operand::Vector(list)) if matches!(list.len(), 1 | 2 | 4) => list.len() as u8,
        (VectorLength::Free, Operand::Vector(list)) => {
            let text = format!(
                "operand `{}` of `{}` must have 1, 2 or 4 elements, not {}",
                position.name,
                site.mnemonic(),
                list.len()
            );
            return cx.report(Diagnostic::error(codes::VECTOR_LENGTH, position.span, text));
        }
        _ => site.mnemonic().vector_length(length),
    };
    match operand {
        Operand::Vector(_) => check_vector(cx, site, position, rule, lanes, Width::Same, operand),
        Operand::Register(reg) if site.body.decl(reg).shape != VectorShape::Scalar => {
            check_vector(cx, site, position, rule, lanes, Width::Same, operand);
        }
        scalar if lanes == 1 => check_value(cx, site, position, rule, scalar, Immediates::Allowed),
        other => wrong_kind(cx, site, position, other, &format!("a vector of {lanes}")),
    }
}

/// Whether there is no constant among the operand and its elements; else a finding.
fn holds_registers(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    operand: Operand,
) -> bool {
    let elements = match operand {
        Operand::Vector(list) => site.body.list(list),
        _ => &[operand],
    };
    let holds = !elements.iter().any(|element| matches!(element, Operand::Immediate(_)));
    if !holds {
        let text = format!("operand `{}` of `{}` must be a register", position.name, site.mnemonic());
        cx.report(Diagnostic::error(codes::OPERAND_KIND, position.span, text).with_label("a constant"));
    }
    holds
}

/// Vectors of untyped 32-bit values, packed fragments above all, have constants only beside untyped registers.
fn has_no_constants(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    operand: Operand,
) -> bool {
    let untyped = match operand {
        Operand::Vector(list) => has_untyped(site, ScalarType::B32, site.body.list(list)),
        _ => false,
    };
    resolve(site, rule) != Some(ScalarType::B32) || untyped || holds_registers(cx, site, position, operand)
}

fn check_value(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    operand: Operand,
    immediates: Immediates,
) {
    if immediates == Immediates::Forbidden
        && !position.is_written()
        && let Operand::Immediate(_) | Operand::Symbol(..) = operand
    {
        let text = format!("operand `{}` of `{}` must be a register", position.name, site.mnemonic());
        cx.report(Diagnostic::error(codes::OPERAND_KIND, position.span, text).with_label("a constant"));
        return;
    }
    let Some(ty) = resolve(site, rule) else { return };
    if let Operand::Symbol(symbol, offset) = operand
        && !position.is_written()
        && ty.is_integer_or_bits()
        && !matches!(rule, TypeRule::Is(_))
        // Arithmetic accepts such constants.
        && site.form().effects == Effects::NONE
        && !site.mnemonic().sem().has(Note::NoSymbols)
        && is_number(symbol, offset)
    {
        return;
    }
    if is_pair_for_number(site, rule, operand) {
        return wrong_type(cx, site, position, Wanted { ty, width: Width::Same }, ScalarType::F16x2);
    }
    check_scalar(cx, site, position, Wanted { ty, width: Width::Same }, operand);
}

/// A register of untyped bits; a typed one of the same width is refused with that.
fn check_untyped(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    operand: Operand,
) {
    let Some(bits) = resolve(site, rule).and_then(ScalarType::as_bits) else { return };
    let before = cx.found();
    check_value(cx, site, position, rule, operand, Immediates::Forbidden);
    if cx.found() > before {
        return;
    }
    let (Operand::Register(reg) | Operand::Element(reg, _)) = operand else { return };
    let actual = site.body.reg_type(reg);
    if actual != bits {
        let text = format!(
            "operand `{}` of `{}` is {}, but must be untyped",
            position.name,
            site.mnemonic(),
            dotted(actual)
        );
        let help = format!("use a register of type {}", dotted(bits));
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text).with_help(help));
    }
}

fn check_no_pairs(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    list: ptx_ir::ListId,
) {
    let Some(ty) = resolve(site, rule) else { return };
    // Beside an untyped register a pair counts as untyped too.
    if has_untyped(site, ty, site.body.list(list)) {
        return;
    }
    for (&element, &span) in site.body.list(list).iter().zip(site.body.list_spans(list)) {
        if is_pair_for_number(site, rule, element) {
            let wanted = Wanted { ty, width: Width::Same };
            wrong_type(cx, site, OperandPosition { span, ..position }, wanted, ScalarType::F16x2);
        }
    }
}

fn check_vector(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    lanes: u8,
    width: Width,
    operand: Operand,
) {
    let Some(ty) = resolve(site, rule) else { return };
    let wanted = Wanted { ty, width };
    match operand {
        Operand::Vector(list) if list.len() == usize::from(lanes) => {
            check_elements(cx, site, position, wanted, list);
        }
        Operand::Vector(list) => wrong_length(cx, site, position, lanes, list.len() as u32),
        Operand::Register(reg) if site.body.decl(reg).shape != VectorShape::Scalar => {
            let decl = site.body.decl(reg);
            if decl.shape.lanes() == u32::from(lanes) {
                check_type(cx, site, position, wanted, decl.ty);
            } else {
                wrong_length(cx, site, position, lanes, decl.shape.lanes());
            }
        }
        Operand::Special(reg, None)
            if site.mnemonic().sem() == Sem::Move(MoveSem::MovVector) && reg.is_vector() =>
        {
            special_registers::check_components(cx, site, position, ty, lanes, reg);
        }
        scalar if lanes == 1 && width == Width::AtLeast => check_scalar(cx, site, position, wanted, scalar),
        other => wrong_kind(cx, site, position, other, &format!("a vector of {lanes}")),
    }
}

fn check_predicate(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, operand: Operand) {
    match operand {
        Operand::Not(reg) if !position.is_written() => {
            if site.body.reg_type(reg) != ScalarType::Pred {
                wrong_predicate(cx, site, position, operand);
            }
        }
        Operand::Register(reg) if site.body.reg_type(reg) == ScalarType::Pred => {}
        Operand::Sink => check_sink(cx, site, position),
        // Every constant but 0 is true.
        Operand::Immediate(value) if !position.is_written() && value.as_integer().is_some() => {}
        _ => wrong_predicate(cx, site, position, operand),
    }
}

fn wrong_predicate(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, operand: Operand) {
    let text = format!("operand `{}` of `{}` must be a predicate register", position.name, site.mnemonic());
    let label = site.describe(operand);
    cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text).with_label(label));
}

fn check_range(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    range: (i64, i64),
    operand: Operand,
) {
    let value = match operand {
        Operand::Immediate(value) => value.as_integer(),
        _ => None,
    };
    let Some(value) = value else {
        return wrong_kind(cx, site, position, operand, "an integer constant");
    };
    let (low, high) = range;
    if !(low..=high).contains(&(value as i64)) {
        out_of_range(cx, site, position, value as i64, &between(low, high));
    }
}

fn check_cache_policy(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, operand: Operand) {
    if !site.has(Mod::L2CacheHint) {
        let text = format!("the cache policy of `{}` requires `.L2::cache_hint`", site.mnemonic());
        return cx.report(Diagnostic::error(codes::OPERAND_MISSING, position.span, text));
    }
    let wanted = Wanted { ty: ScalarType::U64, width: Width::Same };
    check_scalar(cx, site, position, wanted, operand);
}

/// Guards are predicate registers (manual 8.7).
pub(crate) fn check_guard(cx: &mut Checker<'_>, site: Site<'_>) {
    if let Some(guard) = site.inst.guard
        && site.body.reg_type(guard.register) != ScalarType::Pred
    {
        let code: Code = codes::GUARD;
        let span = Span::new(site.whole().lo, site.whole().lo.saturating_add(1).min(site.whole().hi));
        let found = site.describe(Operand::Register(guard.register));
        let text = format!("the guard must be a predicate register, not {found}");
        let finding = Diagnostic::error(code, span, text);
        let ty = site.body.reg_type(guard.register);
        cx.report(match ty.as_bits() {
            Some(bits) if ty.is_integer_or_bits() && matches!(ty.bits(), 16 | 32 | 64) => {
                finding.with_help(format!("compare it with 0 first, by `setp.ne.{}`", bits.as_str()))
            }
            _ => finding,
        });
    }
}
