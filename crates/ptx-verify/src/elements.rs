//! Vectors in braces: what their elements are, and which are beside each other (manual 6.4.3).

use ptx_diag::Diagnostic;
use ptx_ir::{Immediate, Operand, VectorShape};
use ptx_isa::{AsyncSem, MatrixSem, MemorySem, Mod, MoveSem, ScalarType, Sem, TextureSem, TypeKind, Width};

use crate::context::{Checker, Site};
use crate::findings::wrong_fraction;
use crate::operand_position::{OperandPosition, Wanted};
use crate::scalar::check_scalar;
use crate::{codes, special_registers, tensors};

/// Checks the elements of a vector in braces: registers, `_` where written (not everywhere), constants where read.
pub(crate) fn check_elements(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: Wanted,
    list: ptx_ir::ListId,
) {
    let elements = site.body.list(list);
    let spans = site.body.list_spans(list);
    let before = cx.found();
    let untyped = wanted.width == Width::Same
        && site.mnemonic().sem() != Sem::Async(AsyncSem::Fabric)
        && has_untyped(site, wanted.ty, elements)
        && !tensors::is_written_out(cx, site);
    let led = is_led_by_constant(site, wanted.ty, elements);
    for (&element, &span) in elements.iter().zip(spans) {
        match element {
            // Beside an untyped register, what has the same width counts as untyped too.
            Operand::Register(reg)
                if untyped
                    && site.body.reg_type(reg).bits() == wanted.ty.bits()
                    && site.body.decl(reg).shape == VectorShape::Scalar => {}
            Operand::Immediate(Immediate::F64(..)) if !takes_fractions(site, wanted.ty) => {
                wrong_fraction(cx, site, OperandPosition { span, ..position });
            }
            Operand::Immediate(_) if untyped && !position.is_written() && !led => {}
            Operand::Sink
                if (position.is_written() && may_leave_out(site)) || leaves_gaps(site, elements) => {}
            Operand::Special(reg, component) if !position.is_written() && !is_matrix(site) => {
                special_registers::check_element(
                    cx,
                    site,
                    OperandPosition { span, ..position },
                    wanted.ty,
                    reg,
                    component.is_some(),
                );
            }
            // `ptxas` loads single-precision vectors into integer registers.
            Operand::Register(reg)
                if elements.len() > 1
                    && wanted.width == Width::AtLeast
                    && wanted.ty == ScalarType::F32
                    && matches!(site.body.reg_type(reg), ScalarType::U32 | ScalarType::S32) => {}
            _ => check_scalar(cx, site, OperandPosition { span, ..position }, wanted, element),
        }
    }
    let nothing = position.is_written() && elements.iter().all(|&element| element == Operand::Sink);
    if nothing && !elements.is_empty() {
        let text = format!("at least one result of `{}` must not be `_`", site.mnemonic());
        cx.report(Diagnostic::error(codes::SINK, position.span, text));
    }
    if cx.found() == before {
        check_components(cx, site, list);
    }
    if cx.found() == before {
        check_alike(cx, site, list);
    }
}

/// Refuses a vector with both constants and components of vectors, wherever in it: `{%v.x, %r1, 7}`, `{7, %tid.x}`.
/// `ptxas` does so in every instruction, and accepts each of the two beside registers.
pub(crate) fn check_components(cx: &mut Checker<'_>, site: Site<'_>, list: ptx_ir::ListId) {
    let elements = site.body.list(list);
    let component = elements
        .iter()
        .find(|element| matches!(element, Operand::Element(..) | Operand::Special(_, Some(_))));
    let mut located = elements.iter().zip(site.body.list_spans(list));
    let constant = located.find(|(element, _)| matches!(element, Operand::Immediate(_)));
    if let (Some(&component), Some((&constant, &span))) = (component, constant) {
        let (constant, component) = (site.describe(constant), site.describe(component));
        let text = format!(
            "a vector cannot have constants and components of vectors: {constant} is in one with {component}"
        );
        let help = "`mov` the constant into a register first";
        cx.report(Diagnostic::error(codes::OPERAND_KIND, span, text).with_help(help));
    }
}

/// Whether a constant that is the first element of a vector of an atomic determines its type, which may be an
/// integer only for halves; after a register constants are as untyped as the register.
fn is_led_by_constant(site: Site<'_>, ty: ScalarType, elements: &[Operand]) -> bool {
    let Some(Operand::Immediate(first)) = elements.first() else { return false };
    let fits = ty == ScalarType::F16 && first.as_integer().is_some();
    let is_led = match site.mnemonic().sem() {
        Sem::Memory(MemorySem::AtomVector | MemorySem::RedVector) => true,
        Sem::Memory(MemorySem::MultimemStore | MemorySem::MultimemReduce) => {
            matches!(ty, ScalarType::F16 | ScalarType::F16x2 | ScalarType::Bf16 | ScalarType::Bf16x2)
        }
        _ => false,
    };
    is_led && !fits
}

/// Whether decimal fractions, which are doubles, may occur in a vector: unless `ptxas` converts them to the type of the
/// elements, it uses the lower half of their bits.
fn takes_fractions(site: Site<'_>, ty: ScalarType) -> bool {
    match site.mnemonic().sem() {
        Sem::Memory(MemorySem::Store)
        | Sem::Move(MoveSem::MovVector)
        | Sem::Texture(TextureSem::Tex | TextureSem::Tld4) => ty == ScalarType::F32 || ty.bits() == 64,
        Sem::Matrix(MatrixSem::WmmaStore | MatrixSem::TensorMemory | MatrixSem::Tcgen05Mma) => false,
        _ => ty.bits() == 64,
    }
}

/// Whether vectors are fragments of matrices, which lie in registers of the program alone.
fn is_matrix(site: Site<'_>) -> bool {
    site.mnemonic().effects().convergent
}

/// Neighbours in a vector have types that agree, as far as they are typed at all (manual 6.4.3).
pub(crate) fn check_alike(cx: &mut Checker<'_>, site: Site<'_>, list: ptx_ir::ListId) {
    check_alike_from(cx, site, list, 0);
}

/// The same for the elements from one of them on.
pub(crate) fn check_alike_from(cx: &mut Checker<'_>, site: Site<'_>, list: ptx_ir::ListId, first: usize) {
    let mut earlier: Option<Operand> = None;
    for (&element, &span) in site.body.list(list).iter().zip(site.body.list_spans(list)).skip(first) {
        if element == Operand::Sink {
            continue;
        }
        if let Some(neighbour) = earlier.replace(element)
            && !are_alike(site, neighbour, element)
        {
            let (one, other) = (site.describe(neighbour), site.describe(element));
            let text = format!("the elements of a vector must have the same type: {one} is next to {other}");
            return cx.report(Diagnostic::error(codes::OPERAND_TYPE, span, text));
        }
    }
}

fn are_alike(site: Site<'_>, one: Operand, other: Operand) -> bool {
    let ty = |operand: Operand| match operand {
        Operand::Register(reg) | Operand::Element(reg, _) => Some(site.body.reg_type(reg)),
        Operand::Special(reg, _) => reg.scalar_type().as_bits(),
        _ => None,
    };
    let is_integer =
        |operand: Operand| matches!(operand, Operand::Immediate(value) if value.as_integer().is_some());
    match (ty(one), ty(other)) {
        (Some(one), Some(other)) => {
            let untyped = one.kind() == TypeKind::Bits || other.kind() == TypeKind::Bits;
            let integers = one.is_integer_or_bits() && other.is_integer_or_bits();
            one.bits() == other.bits() && (one == other || untyped || integers)
        }
        (Some(ty), None) => fits_beside(ty, is_integer(other)),
        (None, Some(ty)) => fits_beside(ty, is_integer(one)),
        (None, None) => is_integer(one) == is_integer(other),
    }
}

/// Whether a constant, an integer or not, fits beside a register.
fn fits_beside(ty: ScalarType, integer: bool) -> bool {
    match ty.kind() {
        TypeKind::Bits => true,
        TypeKind::Unsigned | TypeKind::Signed => integer,
        TypeKind::Float => !integer,
        TypeKind::Packed | TypeKind::Predicate => false,
    }
}

/// Whether one of the elements is an untyped register of the width.
pub(crate) fn has_untyped(site: Site<'_>, wanted: ScalarType, elements: &[Operand]) -> bool {
    let untyped = |element: &Operand| match element {
        Operand::Register(reg) => Some(site.body.reg_type(*reg)) == wanted.as_bits(),
        Operand::Special(reg, _) => reg.scalar_type().as_bits() == wanted.as_bits(),
        _ => false,
    };
    elements.iter().any(untyped)
}

/// Whether elements of a result may be left out: not where the old value is read too, nor from tensor memory, nor of
/// texels in pairs.
fn may_leave_out(site: Site<'_>) -> bool {
    match site.mnemonic().sem() {
        Sem::Matrix(MatrixSem::Wgmma | MatrixSem::WgmmaSparse | MatrixSem::TensorMemory) => false,
        Sem::Texture(TextureSem::Tex) => !site.has(Mod::V2),
        _ => true,
    }
}

/// Stores of 256 bits omit the elements that are `_` (manual 9.7.9.11).
fn leaves_gaps(site: Site<'_>, elements: &[Operand]) -> bool {
    let is_wide = |ty: ScalarType| ty.bits() * elements.len() as u32 == 256;
    site.mnemonic().sem() == Sem::Memory(MemorySem::Store)
        && site.mnemonic().scalar_type().is_some_and(is_wide)
}
