//! Operands of several parts: values in brackets, coordinates, parts of registers (manual 9.7.9.25.5, 9.7.10, 9.7.18).

use ptx_diag::{Diagnostic, counted};
use ptx_ir::{ListId, Operand, RegId, VectorShape};
use ptx_isa::{
    AsyncSem, Construct, OperandKind, ScalarType, Selection, Selector, Sem, StateSpace, TextureSem, TypeRule,
    Width,
};

use crate::context::{Checker, Site};
use crate::elements::{check_alike, check_alike_from, check_components};
use crate::findings::{wrong_kind, wrong_length};
use crate::operand_position::{OperandPosition, Wanted, is_pair_for_number, resolve};
use crate::operands::check_one;
use crate::scalar::{check_constants, check_scalar};
use crate::{address, codes, special_registers, textures};

/// `[map, {c0, c1}]`: each part in its position.
pub(crate) fn check_bracket(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    parts: &'static [ptx_isa::Operand],
    operand: Operand,
) {
    let Operand::Bracket(list) = operand else {
        return wrong_kind(cx, site, position, operand, "several values in brackets");
    };
    let (values, spans) = (site.body.list(list), site.body.list_spans(list));
    let Some(placement) = site.mnemonic().place_values(parts, values.len()) else {
        let text =
            format!("`{}` does not accept {} in brackets", site.mnemonic(), counted(values.len(), "value"));
        let help = format!("the form is `{}`", site.form().syntax());
        return cx.report(Diagnostic::error(codes::OPERAND_MISSING, position.span, text).with_help(help));
    };
    for (part, entry) in parts.iter().zip(placement.spread(parts.len(), values.iter().zip(spans))) {
        let Some((&value, &span)) = entry else { continue };
        let inner = OperandPosition::new(position.at, part, span);
        check_one(cx, site, inner, part.kind, value);
        check_constants(cx, site, inner, part, value);
    }
}

/// An address of shared memory, or the register that holds it without brackets.
pub(crate) fn check_loose(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, operand: Operand) {
    match operand {
        Operand::Register(reg)
            if is_integer(site, reg) && matches!(site.body.reg_type(reg).bits(), 32 | 64) => {}
        _ => address::check(cx, site, position, operand, Some(StateSpace::Shared)),
    }
}

/// A texture, sampler, surface or tensor map.
pub(crate) fn check_reference(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    operand: Operand,
) {
    match operand {
        Operand::Symbol(symbol, _) if site.mnemonic().sem() == Sem::Async(AsyncSem::Fabric) => {
            address::check_symbol(cx, site, position, StateSpace::Shared, symbol);
        }
        Operand::Symbol(symbol, _) if copies_tensors(site) => {
            address::check_symbol(cx, site, position, StateSpace::Global, symbol);
        }
        Operand::Symbol(symbol, offset) => textures::check_object(cx, site, position, symbol, offset),
        // Tensor maps lie in global memory, whose addresses `ptxas` holds to no width.
        Operand::Register(reg) if copies_tensors(site) && is_integer(site, reg) => {}
        Operand::Register(_) => {
            let is_handle = site.mnemonic().opaque(position.role).is_some();
            if is_handle {
                cx.require_construct(Construct::ReferenceHandle, position.span);
            }
            let ty = if is_handle { ScalarType::U64 } else { ScalarType::B64 };
            check_scalar(cx, site, position, Wanted { ty, width: Width::Same }, operand);
        }
        _ => wrong_kind(cx, site, position, operand, "a variable or a register with its address"),
    }
}

/// Whether a register is one integer, and no vector of them.
fn is_integer(site: Site<'_>, reg: RegId) -> bool {
    site.body.reg_type(reg).is_integer_or_bits() && site.body.decl(reg).shape == VectorShape::Scalar
}

fn copies_tensors(site: Site<'_>) -> bool {
    matches!(
        site.mnemonic().sem(),
        Sem::Async(AsyncSem::TensorCopy | AsyncSem::TensorReduce | AsyncSem::TensorPrefetch)
    )
}

/// A register or a vector; arrays begin with an index. A vector may be longer than the geometry requires.
pub(crate) fn check_coordinates(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    rule: TypeRule,
    operand: Operand,
) {
    let Some(ty) = resolve(site, rule) else { return };
    let count = u32::from(site.mnemonic().coordinates());
    let fits = |lanes: u32| matches!(lanes, 1 | 2 | 4) && lanes >= count;
    match operand {
        Operand::Vector(list) if fits(list.len() as u32) => check_position(cx, site, position, ty, list),
        Operand::Vector(list) => wrong_length(cx, site, position, count as u8, list.len() as u32),
        Operand::Register(reg) if site.body.decl(reg).shape != VectorShape::Scalar => {
            if !fits(site.body.decl(reg).shape.lanes()) {
                wrong_length(cx, site, position, count as u8, site.body.decl(reg).shape.lanes());
            }
        }
        Operand::Immediate(_) => wrong_kind(cx, site, position, operand, "a register, or a vector in braces"),
        scalar if count == 1 && is_pair_for_number(site, rule, scalar) => {
            wrong_kind(cx, site, position, scalar, "an integer");
        }
        scalar if count == 1 => check_scalar(cx, site, position, Wanted { ty, width: Width::Same }, scalar),
        other => wrong_kind(cx, site, position, other, &format!("a vector of {count}")),
    }
}

/// The index of an array is an integer. The other coordinates are of the type, or one of them has untyped bits, which
/// `ptxas` uses as the type of the whole vector.
fn check_position(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    ty: ScalarType,
    list: ListId,
) {
    let before = cx.found();
    let is_fetch = matches!(site.mnemonic().sem(), Sem::Texture(TextureSem::Tex | TextureSem::Tld4));
    let index = site.mnemonic().index_type();
    let (values, spans) = (site.body.list(list), site.body.list_spans(list));
    // The index counts with the coordinates but where a sample number is beside it.
    let counted = usize::from(index == Some(ScalarType::B32));
    let is_untyped = |value: &Operand| matches!(value, Operand::Register(reg) if site.body.reg_type(*reg) == ScalarType::B32);
    let untyped = values.iter().skip(counted).any(is_untyped);
    for (at, (&value, &span)) in values.iter().zip(spans).enumerate() {
        let ty = match index {
            Some(index) if at == 0 => index,
            _ if untyped => ScalarType::B32,
            _ => ty,
        };
        let position = OperandPosition { span, ..position };
        match value {
            Operand::Special(reg, component) if ty != ScalarType::F32 => {
                special_registers::check_element(cx, site, position, ty, reg, component.is_some());
            }
            // Elsewhere `ptxas` accepts a pair of halves for 32 bits.
            Operand::Register(reg)
                if is_fetch && at == 0 && index.is_some() && site.body.reg_type(reg) == ScalarType::F16x2 =>
            {
                wrong_kind(cx, site, position, value, "an integer that selects the layer of the array");
            }
            _ => check_scalar(cx, site, position, Wanted { ty, width: Width::Same }, value),
        }
    }
    if cx.found() == before {
        check_components(cx, site, list);
    }
    if cx.found() == before {
        match index {
            None => check_alike(cx, site, list),
            // After the layer of an array.
            Some(ScalarType::U32) => check_alike_from(cx, site, list, 1),
            Some(_) => {}
        }
    }
}

/// A register or a part of it.
pub(crate) fn check_selected(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    (rule, selection): (TypeRule, Selection),
    operand: Operand,
) {
    let Some(ty) = resolve(site, rule) else { return };
    let wanted = Wanted { ty, width: Width::Same };
    let signed =
        matches!(site.form().operands.get(position.at).map(|o| o.kind), Some(OperandKind::Signed(..)));
    match operand {
        Operand::Register(register) | Operand::Selected(register, _)
            if is_pair_for_number(site, rule, Operand::Register(register)) =>
        {
            wrong_kind(cx, site, position, Operand::Register(register), "an integer register");
        }
        Operand::Selected(register, selector) => {
            check_selector(cx, site, position, selection, selector);
            check_scalar(cx, site, position, wanted, Operand::Register(register));
        }
        Operand::Negated(register, selector) if signed => {
            if let Some(selector) = selector {
                check_selector(cx, site, position, selection, selector);
            }
            check_scalar(cx, site, position, wanted, Operand::Register(register));
        }
        Operand::Immediate(_) if !matches!(selection, Selection::One | Selection::Whole) => {
            wrong_kind(cx, site, position, operand, "a register, parts of which are selected");
        }
        other => check_scalar(cx, site, position, wanted, other),
    }
}

fn check_selector(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    selection: Selection,
    selector: Selector,
) {
    if selection.takes(selector) {
        return;
    }
    let wanted = match selection {
        Selection::Whole => "all of the register",
        Selection::One => "`.b0` to `.b3`, `.h0` or `.h1`",
        Selection::Halves => "`.h` with two of the halves 0 to 3",
        Selection::Bytes => "`.b` with four of the bytes 0 to 7",
        Selection::HalfMask => "`.h0`, `.h1` or `.h10`",
        Selection::ByteMask => "`.b` with bytes 3 to 0, the highest first",
    };
    let text =
        format!("`.{selector}` selects nothing in operand `{}` of `{}`", position.name, site.mnemonic());
    cx.report(
        Diagnostic::error(codes::OPERAND_KIND, position.span, text).with_help(format!("expected {wanted}")),
    );
}
