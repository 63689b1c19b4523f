//! Multiplications of matrices, tensor maps and copies of tensors (manual 9.7.14.3, 9.7.15.5.2, 9.7.9.25.5, 9.7.9.28).

use ptx_diag::Diagnostic;
use ptx_ir::{Immediate, Operand};
use ptx_isa::{Constants, Field, MatrixSem, Mod, OperandKey, ScalarType, Sem};

use crate::codes;
use crate::context::{Checker, Site};
use crate::operand_position::OperandPosition;
use crate::scalar::check_among;

/// Whether the target multiplies 8-bit floating-point values itself, as sm_89 and those from sm_120 on do. For the others
/// `ptxas` writes the product out, and then holds the operands to more.
fn multiplies_narrow(cx: &Checker<'_>) -> bool {
    !cx.target.sm_at_least(90) || cx.target.sm_at_least(120)
}

fn has_narrow_factors(site: Site<'_>) -> bool {
    const NARROW: &[Mod] = &[Mod::E4m3, Mod::E5m2, Mod::E3m2, Mod::E2m3, Mod::E2m1];
    let is_product = matches!(site.mnemonic().sem(), Sem::Matrix(MatrixSem::Mma | MatrixSem::MmaSparse));
    is_product && site.mnemonic().get(Field::AType).is_some_and(|factor| NARROW.contains(&factor))
}

/// Whether an instruction is written out for the target, so that each element of a fragment must be of just its type.
pub(crate) fn is_written_out(cx: &Checker<'_>, site: Site<'_>) -> bool {
    let moves_doubles =
        matches!(site.mnemonic().sem(), Sem::Matrix(MatrixSem::WmmaLoad | MatrixSem::WmmaStore))
            && site.has(Mod::F64);
    moves_doubles || (has_narrow_factors(site) && !multiplies_narrow(cx))
}

/// The metadata of a sparse matrix: `ptxas` accepts braces around it if the target supports the product, and an integer
/// if it does not.
pub(crate) fn check_metadata(cx: &mut Checker<'_>, site: Site<'_>) {
    let Some(at) = site.form().operand(OperandKey::E) else { return };
    let text = match site.operand(at) {
        Operand::Vector(_) if !has_product(cx, site) => "a register without braces",
        Operand::Register(reg) if is_written_out(cx, site) && site.body.reg_type(reg).is_float() => {
            "an integer register"
        }
        _ => return,
    };
    let text = format!("operand `e` of `{}` must be {text} on this target", site.mnemonic());
    cx.report(Diagnostic::error(codes::OPERAND_KIND, site.span(at), text));
}

/// Whether the target has a sparse product itself; the others are written out for it.
fn has_product(cx: &Checker<'_>, site: Site<'_>) -> bool {
    match site.mnemonic().get(Field::AType) {
        Some(Mod::F16 | Mod::U8 | Mod::S8) => !cx.target.sm_at_least(100) || site.has(Mod::SpOrderedMetadata),
        Some(Mod::U4 | Mod::S4) => !cx.target.sm_at_least(90),
        _ if has_narrow_factors(site) => multiplies_narrow(cx),
        _ => true,
    }
}

/// Sizes of a tensor and masks of bytes in braces: `ptxas` misinterprets them when all of them are `.u16`.
pub(crate) fn check_halves(cx: &mut Checker<'_>, site: Site<'_>) {
    let is_unsigned = |value: &Operand| matches!(value, Operand::Register(reg) if site.body.reg_type(*reg) == ScalarType::U16);
    let all_unsigned = |value: &Operand| match value {
        Operand::Vector(list) => site.body.list(*list).iter().all(is_unsigned),
        _ => false,
    };
    for (at, operand) in site.body.operands(site.inst).iter().enumerate() {
        let found = match operand {
            Operand::Bracket(parts) => site.body.list(*parts).iter().any(all_unsigned),
            value => all_unsigned(value),
        };
        if found {
            let text = format!("a vector of 16-bit values of `{}` cannot be all `.u16`", site.mnemonic());
            let finding = Diagnostic::error(codes::OPERAND_TYPE, site.span(at), text);
            cx.report(finding.with_help("use registers of type `.b16`"));
        }
    }
}

/// From sm_100 on the results of double-precision products of 16 rows lie in registers of just that type, or untyped ones.
pub(crate) fn check_doubles(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Vector(list) = site.operand(0) else { return };
    if !site.has(Mod::F64) || site.has(Mod::M8n8k4) || !cx.target.sm_at_least(100) {
        return;
    }
    let is_integer = |value: &Operand| matches!(value, Operand::Register(reg) if matches!(site.body.reg_type(*reg), ScalarType::U64 | ScalarType::S64));
    if site.body.list(list).iter().any(is_integer) {
        let text = format!("operand `d` of `{}` is not an integer on this target", site.mnemonic());
        let finding = Diagnostic::error(codes::OPERAND_TYPE, site.span(0), text);
        cx.report(finding.with_help("use registers of type `.f64` or `.b64`"));
    } else if site.body.list(list).contains(&Operand::Sink) {
        left_out(cx, site);
    }
}

/// Eight-row products of bytes accept an integer register for `a`.
pub(crate) fn check_bytes(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Vector(list) = site.operand(1) else { return };
    let bytes = site.has_any(&[Mod::U8, Mod::S8]).is_some();
    let is_other = |value: &Operand| matches!(value, Operand::Register(reg) if !site.body.reg_type(*reg).is_integer_or_bits());
    if site.has(Mod::M8n8k16) && bytes && site.body.list(list).iter().any(is_other) {
        let text = format!("operand `a` of `{}` must be an integer register", site.mnemonic());
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, site.span(1), text));
    }
}

/// If sizes replace those of the tensor map, constants among the coordinates must be 0.
pub(crate) fn check_overrides(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.has_any(&[Mod::OverrideGlobalDim, Mod::OverrideGlobalDimStride]).is_none() {
        return;
    }
    for at in 0..site.form().operands.len() {
        let (Operand::Bracket(parts), Some(row)) = (site.operand(at), site.form().operands.get(at)) else {
            continue;
        };
        let Some(&Operand::Vector(coordinates)) = site.body.list(parts).last() else { continue };
        let entries = site.body.list(coordinates).iter().zip(site.body.list_spans(coordinates));
        for (&entry, &span) in entries {
            check_among(cx, site, OperandPosition::new(at, row, span), Constants::Range(0, 0), entry);
        }
    }
}

/// Parts of a product that are left out: with 8-bit floating-point factors only where the target multiplies them itself,
/// with `.tf32` factors of `wmma` nowhere.
pub(crate) fn check_left_out(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Vector(list) = site.operand(0) else { return };
    if !site.body.list(list).contains(&Operand::Sink) {
        return;
    }
    let refused = match (site.mnemonic().sem(), site.mnemonic().get(Field::AType)) {
        (Sem::Matrix(MatrixSem::Wmma), Some(Mod::Tf32)) => true,
        _ => has_narrow_factors(site) && !multiplies_narrow(cx),
    };
    if refused {
        left_out(cx, site);
    }
}

fn left_out(cx: &mut Checker<'_>, site: Site<'_>) {
    let text = format!("no element of the result of `{}` can be `_`", site.mnemonic());
    let finding = Diagnostic::error(codes::SINK, site.span(0), text);
    cx.report(finding.with_help("name registers that nothing reads"));
}

/// The factors of `wmma.mma` that must be registers: `b` on bytes, those of one register on bytes and bits; `b` on
/// `.tf32` untyped ones.
pub(crate) fn check_factors(cx: &mut Checker<'_>, site: Site<'_>) {
    if !matches!(site.mnemonic().get(Field::AType), Some(Mod::Tf32 | Mod::U8 | Mod::S8 | Mod::B1)) {
        return;
    }
    let untyped = site.has(Mod::Tf32);
    for at in [1, 2] {
        let Operand::Vector(list) = site.operand(at) else { continue };
        if at == 1 && list.len() > 1 {
            continue;
        }
        let entries = site.body.list(list).iter().zip(site.body.list_spans(list));
        for (&entry, &span) in entries {
            let fits = match entry {
                Operand::Register(reg) => !untyped || site.body.reg_type(reg) == ScalarType::B32,
                // Bits of a single are let through beside untyped registers.
                Operand::Immediate(Immediate::F32(..)) => !untyped,
                Operand::Immediate(_) => false,
                _ => true,
            };
            if !fits {
                let wanted = if untyped { "`.b32` registers" } else { "registers" };
                let name = site.form().operands[at].name;
                let text = format!("operand `{name}` of `{}` must be {wanted}", site.mnemonic());
                cx.report(Diagnostic::error(codes::OPERAND_TYPE, span, text));
            }
        }
    }
}
