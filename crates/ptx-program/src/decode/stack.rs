//! Stack allocations of threads (manual 9.7.17).

use ptx_ir::Operand;
use ptx_isa::{Field, OperandKey};

use super::context::Context;
use super::operand::{dst_operand, src_operand};
use super::output::{Decoded, finding};
use crate::codes;
use crate::program::{Effect, Stack};

/// Minimum alignment of allocations.
const ALIGNMENT: u64 = 8;
/// Maximum alignment.
const LARGEST_ALIGNMENT: u64 = 1 << 23;

/// `alloca`.
pub(super) fn allocate(cx: &mut Context<'_>) -> Decoded<()> {
    let align = match cx.given(OperandKey::ImmAlign) {
        None => ALIGNMENT,
        Some((at, Operand::Immediate(immediate))) => {
            let align = immediate.as_integer();
            let fits = |align: &u64| align.is_power_of_two() && *align <= LARGEST_ALIGNMENT;
            let Some(align) = align.filter(fits) else {
                return finding(codes::OPERAND, cx.span(at), "an alignment is a power of two up to 2^23");
            };
            align.max(ALIGNMENT)
        }
        Some((at, _)) => return finding(codes::OPERAND, cx.span(at), "an alignment is a constant"),
    };
    let (d, size) = (dst_operand(cx, OperandKey::Ptr)?, src_operand(cx, OperandKey::Size)?);
    stack(cx, Stack::Allocate { d, size, align })
}

pub(super) fn stack(cx: &mut Context<'_>, stack: Stack) -> Decoded<()> {
    cx.m.ignore(&[Field::Type], "addresses in local memory fit into 32 bits");
    cx.emit(Effect::Stack(stack));
    Ok(())
}
