//! Constants that are added to registers in operands, which `ptxas` accepts and the manual does not have.

use ptx_diag::Diagnostic;
use ptx_ir::{Operand, VectorShape};
use ptx_isa::{OperandKind, ScalarType, Selection, Sem, VideoSem};

use crate::codes;
use crate::context::{Checker, Site};
use crate::findings::check_type;
use crate::operand_position::{OperandPosition, Wanted};
use crate::special_registers;

/// A register plus a constant: an integer, as `ptxas` crashes on floating-point registers, or loses them, and does not end on
/// predicates. The sum may be read as a floating-point number.
pub(crate) fn check(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    wanted: Wanted,
    operand: Operand,
) {
    let adds = |ty: ScalarType| ty.is_integer_or_bits() && (16..=64).contains(&ty.bits());
    let (ty, is_scalar) = match operand {
        Operand::Sum(reg, _) => (site.body.reg_type(reg), site.body.decl(reg).shape == VectorShape::Scalar),
        Operand::SpecialSum(reg, _) => {
            special_registers::check_summand(cx, position.span, reg);
            (reg.scalar_type(), true)
        }
        _ => return,
    };
    let text = if is_picked(site, position) {
        "a constant cannot be added to a register that parts are selected from"
    } else if !adds(ty) || !is_scalar {
        "constants can only be added to integer registers of 16, 32 or 64 bits"
    } else {
        return check_type(cx, site, position, wanted, ty);
    };
    let help = "compute the sum in a separate register first";
    cx.report(Diagnostic::error(codes::OPERAND_KIND, position.span, text).with_help(help));
}

/// Whether an instruction picks parts of its operand, or of all its operands.
fn is_picked(site: Site<'_>, position: OperandPosition) -> bool {
    let kind = site.form().operands.get(position.at).map(|operand| operand.kind);
    let whole = !matches!(
        kind,
        Some(OperandKind::Selected(_, selection) | OperandKind::Signed(_, selection)) if selection != Selection::Whole
    );
    site.mnemonic().sem() == Sem::Video(VideoSem::VideoSimd) || !whole
}
