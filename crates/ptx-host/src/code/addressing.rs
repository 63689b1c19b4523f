//! The addresses of elements in memory, and values between memory and rows.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp, Value};
use ptx_program::memory::Space;
use ptx_program::{Load, Src};

use super::cluster::SHARED_OFFSET;
use super::state::Code;
use crate::analysis::Accessed;

/// The first chunk that has the same values of a source.
pub(super) fn same_as(code: &Code<'_, '_, '_>, src: Src, chunk: usize) -> usize {
    chunk & code.analysis.shapes.chunkwise_of(src) as usize
}

/// The host address of an element that one lane accesses.
pub(super) fn element_place<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    address: Value<'c>,
    element: usize,
) -> Result<Value<'c>, LlvmError> {
    let offset = accessed.offset(element);
    let facts = code.analysis.shapes.facts(accessed.base);
    let least = i64::try_from(facts.least).ok().and_then(|least| least.checked_add(offset));
    let most = i64::try_from(facts.most).ok().and_then(|most| most.checked_add(offset));
    // Shared addresses in a cluster contain the rank of the block.
    let is_offset = accessed.address.space != Space::Shared || !code.launched.clusters;
    let has_no_carry = is_offset
        && facts.are_small(32)
        && least.is_some_and(|least| least >= 0)
        && most.is_some_and(|most| most <= i64::from(i32::MAX));
    match window(code, accessed.address.space) {
        // This folds the constant into the addressing mode of the access.
        Some(window) if has_no_carry => {
            let address = code.cast(CastOp::ZExt, code.emit.resize(address, 32)?, 64)?;
            code.builder().offset(code.builder().offset(window, address)?, code.int(64, offset as u64))
        }
        _ => place(code, accessed.address.space, address, offset),
    }
}

/// Extends a loaded element to the width of its register.
pub(super) fn fill<'c>(
    code: &Code<'_, '_, 'c>,
    load: &Load,
    value: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let bits = u64::BITS - load.fill.register.leading_zeros();
    if load.fill.sign_shift == 0 {
        return code.emit.resize(value, bits);
    }
    code.emit.resize_signed(value, bits)
}

/// The host address of one PTX address.
pub(super) fn place<'c>(
    code: &Code<'_, '_, 'c>,
    space: Space,
    address: Value<'c>,
    offset: i64,
) -> Result<Value<'c>, LlvmError> {
    let address = extended(code, space, address, offset)?;
    match window(code, space) {
        Some(window) => code.builder().offset(window, address),
        None => code.builder().cast(CastOp::IntToPtr, address, code.types.pointer(0)),
    }
}

/// The host addresses of the lanes of a chunk.
pub(super) fn places<'c>(
    code: &Code<'_, '_, 'c>,
    space: Space,
    addresses: Value<'c>,
    offset: i64,
) -> Result<Value<'c>, LlvmError> {
    let addresses = extended(code, space, addresses, offset)?;
    match window(code, space) {
        Some(window) => code.builder().vector_offset(window, addresses),
        None => {
            let pointers = code.types.vector(code.types.pointer(0), code.lanes);
            code.builder().cast(CastOp::IntToPtr, addresses, pointers)
        }
    }
}

/// Addresses extended to 64 bits. Those in windows have 32 bits and are sign-extended: the first lane of a chunk may be below the
/// window if it is not active.
pub(super) fn extended<'c>(
    code: &Code<'_, '_, 'c>,
    space: Space,
    address: Value<'c>,
    offset: i64,
) -> Result<Value<'c>, LlvmError> {
    let address = match window(code, space) {
        Some(_) => {
            let narrow = code.emit.resize(address, 32)?;
            let offset = code.emit.constant(narrow, 32, offset as u64 & u64::from(u32::MAX));
            let mut sum = code.builder().binary(BinaryOp::Add, narrow, offset)?;
            if space == Space::Shared && code.launched.clusters {
                // The rank of the block is above the offset.
                let above = code.emit.constant(sum, 32, u64::from(SHARED_OFFSET.leading_zeros()) - 32);
                sum = code.builder().binary(BinaryOp::Shl, sum, above)?;
                sum = code.builder().binary(BinaryOp::AShr, sum, above)?;
            }
            return code.cast(CastOp::SExt, sum, 64);
        }
        None => code.emit.resize(address, 64)?,
    };
    let offset = code.emit.constant(address, 64, offset as u64);
    code.builder().binary(BinaryOp::Add, address, offset)
}

pub(super) fn window<'c>(code: &Code<'_, '_, 'c>, space: Space) -> Option<Value<'c>> {
    match space {
        Space::Param => Some(code.inputs.params),
        Space::Const => Some(code.inputs.constant),
        Space::Shared => Some(code.inputs.shared),
        Space::Generic | Space::Global | Space::SharedCluster | Space::Local => None,
    }
}
