//! `mov`, with its vectors, special registers and addresses, and the source of `cvta` (manual 9.7.9.3, 9.7.9.4, 9.7.9.20).

use ptx_diag::Diagnostic;
use ptx_ir::{FunctionId, FunctionKind, Immediate, ListId, Operand, RegId, Symbol, VectorShape};
use ptx_isa::{Construct, Mod, MoveSem, ScalarType, Sem, StateSpace, TypeKind, TypeRule, Width};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::elements::{check_alike, check_components};
use crate::findings::{wrong_fraction, wrong_kind};
use crate::operand_position::{OperandPosition, Wanted, resolve};
use crate::scalar::{check_scalar, is_number, scalar_type};
use crate::special_registers;

/// Checks the source or destination of `mov`, or the source of `cvta`.
pub(crate) fn check(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    operand: Operand,
) {
    let Some(ty) = resolve(site, rule) else { return };
    match operand {
        Operand::Special(reg, component)
            if !position.is_written() && site.mnemonic().sem() == Sem::Move(MoveSem::Mov) =>
        {
            special_registers::check_moved(cx, site, position, ty, reg, component.is_some());
        }
        Operand::Symbol(symbol, offset) if !position.is_written() => {
            check_symbol(cx, site, position, ty, (symbol, offset));
        }
        Operand::Vector(list) if site.mnemonic().sem() == Sem::Move(MoveSem::Mov) => {
            check_pack(cx, site, position, ty, list);
        }
        Operand::Register(reg)
            if site.mnemonic().sem() == Sem::Move(MoveSem::Mov)
                && site.body.decl(reg).shape != VectorShape::Scalar =>
        {
            check_packed_register(cx, site, position, ty, reg);
        }
        // `ptxas` also accepts 32-bit generic addresses, which are in no window.
        Operand::Register(reg)
            if site.mnemonic().sem() == Sem::Move(MoveSem::Isspacep)
                && site.body.reg_type(reg).bits() == 32
                && site.body.reg_type(reg) != ScalarType::F16x2 =>
        {
            check_scalar(cx, site, position, Wanted { ty: ScalarType::U32, width: Width::Same }, operand);
        }
        _ => check_scalar(cx, site, position, Wanted { ty, width: Width::Same }, operand),
    }
}

fn check_symbol(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    ty: ScalarType,
    (symbol, offset): (Symbol, i64),
) {
    if !ty.is_integer_or_bits() {
        let text = format!("an address cannot be moved as {}", dotted(ty));
        let help = "use `mov.u64`";
        return cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text).with_help(help));
    }
    match site.mnemonic().sem() {
        Sem::Move(MoveSem::Isspacep) => return check_generic_symbol(cx, site, position, symbol, offset),
        Sem::Move(MoveSem::Cvta) if site.has(Mod::To) => {
            return check_generic_symbol(cx, site, position, symbol, offset);
        }
        Sem::Move(MoveSem::Cvta) => return check_converted_symbol(cx, site, position, symbol),
        _ => {}
    }
    let id = match symbol {
        Symbol::Variable(id) => id,
        Symbol::Function(id) => return check_function(cx, site, position, id, offset),
    };
    let variable = site.module.variable(id);
    let name = site.module.name(variable.name);
    let own = cx.inputs.contains(&id) || cx.outputs.contains(&id);
    if variable.space.window() == StateSpace::Param && !own {
        let text = format!("`{name}` is passed to a call and has no address");
        cx.report(
            Diagnostic::error(codes::ADDRESS, position.span, text).with_help("use a variable in `.local`"),
        );
    } else if variable.scalar_type().is_none() || variable.space == StateSpace::Tex {
        cx.require_construct(Construct::ReferenceHandle, position.span);
        if ty == ScalarType::U64 {
            return;
        }
        let text = format!("the handle `{name}` must be moved as `.u64`, not as {}", dotted(ty));
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text).with_help("use `mov.u64`"));
    }
}

/// Addresses of functions came with indirect calls, those of kernels with dynamic parallelism (manual 9.7.9.3).
fn check_function(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    id: FunctionId,
    offset: i64,
) {
    let function = site.module.function(id);
    if offset != 0 {
        let text = format!(
            "an offset cannot be added to the address of function `{}`",
            site.module.name(function.name)
        );
        let help = "move the address to a register and add the offset there";
        cx.report(Diagnostic::error(codes::ADDRESS, position.span, text).with_help(help));
    }
    let construct = match function.kind {
        FunctionKind::Device => Construct::FunctionAddress,
        FunctionKind::Kernel => Construct::KernelAddress,
    };
    cx.require_construct(construct, position.span);
}

/// A name alone is not a generic address; what counts as a number is one.
fn check_generic_symbol(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    symbol: Symbol,
    offset: i64,
) {
    let is_function = matches!(symbol, Symbol::Function(_));
    if !is_number(symbol, offset) || (is_function && site.mnemonic().sem() == Sem::Move(MoveSem::Isspacep)) {
        wrong_kind(cx, site, position, Operand::Symbol(symbol, offset), "a generic address");
    }
}

fn check_converted_symbol(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, symbol: Symbol) {
    let wanted = site.mnemonic().space();
    let own = match symbol {
        Symbol::Variable(id) => site.module.variables.get(id.0 as usize).map(|variable| variable.space),
        Symbol::Function(_) => None,
    };
    let agrees = match (wanted, own) {
        (Some(wanted), Some(own)) => wanted.window() == own.window(),
        _ => false,
    };
    if !agrees {
        let text = format!("`{}` needs the address of a variable of its state space", site.mnemonic());
        cx.report(Diagnostic::error(codes::ADDRESS_SPACE, position.span, text));
    }
}

/// A vector packs into, or unpacks from, bits whose width is the sum of the elements' (manual 9.7.9.4).
fn check_pack(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, ty: ScalarType, list: ListId) {
    if !packs(cx, site, position, ty) {
        return;
    }
    let lanes = list.len() as u32;
    // `ptxas` takes a vector of one element for the element.
    if !matches!(lanes, 1 | 2 | 4) {
        let text = format!("`mov` packs 2 or 4 elements, not {lanes}");
        return cx.report(Diagnostic::error(codes::VECTOR_LENGTH, position.span, text));
    }
    check_packed_elements(cx, site, position, ty.bits() / lanes, list);
}

/// A vector register whose elements fill the type.
fn check_packed_register(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    ty: ScalarType,
    reg: RegId,
) {
    if !packs(cx, site, position, ty) {
        return;
    }
    let decl = site.body.decl(reg);
    let bits = decl.shape.lanes() * decl.ty.bits();
    if bits != ty.bits() {
        let text = format!(
            "operand `{}` of `{}` has {bits} bits in all its elements, not {}",
            position.name,
            site.mnemonic(),
            ty.bits()
        );
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text));
    }
}

/// Whether an operand is a vector that is packed or unpacked.
fn is_packed(site: Site<'_>, operand: Operand) -> bool {
    match operand {
        Operand::Vector(_) => true,
        Operand::Register(reg) => site.body.decl(reg).shape != VectorShape::Scalar,
        _ => false,
    }
}

/// Whether a vector may occur here; otherwise it is reported. The other side is not a vector, and the type is of untyped bits.
fn packs(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, ty: ScalarType) -> bool {
    if position.at == 1 && is_packed(site, site.operand(0)) {
        let text = "`mov` either packs a vector or unpacks one, not both";
        let help = "with `.v2` or `.v4` it copies one vector to another";
        cx.report(Diagnostic::error(codes::OPERAND_KIND, position.span, text).with_help(help));
        return false;
    }
    if ty.kind() != TypeKind::Bits || ty.bits() < 16 {
        let text = format!("vectors must be packed and unpacked as untyped bits, not as {}", dotted(ty));
        let help = format!("use `mov.b{}`", ty.bits());
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, position.span, text).with_help(help));
        return false;
    }
    true
}

fn check_packed_elements(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    bits: u32,
    list: ListId,
) {
    let (elements, spans) = (site.body.list(list), site.body.list_spans(list));
    let before = cx.found();
    let mut wrong = Vec::new();
    for (&element, &span) in elements.iter().zip(spans) {
        let position = OperandPosition { span, ..position };
        match element {
            Operand::Register(_) | Operand::Element(..) => {
                let ty = scalar_type(cx, site, position, element);
                wrong.extend(
                    ty.filter(|ty| *ty == ScalarType::Pred || ty.bits() != bits).map(|ty| (ty, span)),
                );
            }
            Operand::Immediate(Immediate::F64(..)) if bits < 64 => wrong_fraction(cx, site, position),
            Operand::Immediate(_) if !position.is_written() => {}
            Operand::Special(reg, component) if !position.is_written() => {
                let bits = ScalarType::ALL.iter().find(|ty| ty.kind() == TypeKind::Bits && ty.bits() == bits);
                let wanted = bits.copied().unwrap_or(ScalarType::B32);
                special_registers::check_element(cx, site, position, wanted, reg, component.is_some());
            }
            Operand::Sink if position.is_written() => {}
            Operand::Sink => {
                let text = "`_` is only allowed for results that are not used";
                cx.report(Diagnostic::error(codes::SINK, span, text));
            }
            other => wrong_kind(cx, site, position, other, "a vector of registers"),
        }
    }
    // When all elements are wrong the vector is.
    let span = if wrong.len() == elements.len() { Some(position.span) } else { None };
    for (ty, own) in wrong {
        let text =
            format!("an element of this vector must have {bits} bits, {} has {}", dotted(ty), ty.bits());
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, span.unwrap_or(own), text));
        if span.is_some() {
            break;
        }
    }
    if position.is_written() && elements.iter().all(|&element| element == Operand::Sink) {
        let text = "at least one element must not be `_`";
        cx.report(Diagnostic::error(codes::SINK, position.span, text));
    }
    if cx.found() == before {
        check_components(cx, site, list);
    }
    if cx.found() == before {
        check_alike(cx, site, list);
    }
}
