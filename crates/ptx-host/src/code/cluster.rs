//! Addresses in the shared memory of the blocks (CTAs) of a cluster.

use ptx_host_rt::{PEERS, field};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, Value};
use ptx_program::Src;

use super::state::Code;
use crate::error::defect;

/// The bits of a shared address below the rank of its block.
pub(super) const SHARED_OFFSET: u64 = (1 << 24) - 1;

/// The lowest bit of a block's rank in an address of shared memory.
pub(super) const RANK_SHIFT: u64 = 24;

/// The rank of the block in its cluster, shifted to its bits of an address.
fn rank_bits<'c>(code: &Code<'_, '_, 'c>, bits: u32) -> Result<Value<'c>, LlvmError> {
    let place = code.builder().offset(code.frame, code.int(64, field::RANK as u64))?;
    let rank = code.builder().load(code.types.int(32), place, 4, Ordinary)?;
    code.builder().binary(BinaryOp::Shl, code.emit.resize(rank, bits)?, code.int(bits, RANK_SHIFT))
}

/// A constant that is an address in the shared memory of the block.
pub(super) fn own_address<'c>(code: &Code<'_, '_, 'c>, src: Src, bits: u32) -> Result<Value<'c>, LlvmError> {
    let rows = code.program.constants.rows();
    let row = src.as_constant().and_then(|at| rows.get(at as usize));
    let first = row.ok_or_else(|| defect("a constant without a value"))?[0];
    code.builder().binary(BinaryOp::Add, code.int(bits, first), rank_bits(code, bits)?)
}

/// The host address of a 64-bit address in the shared memory of the blocks of the cluster.
pub(super) fn in_cluster<'c>(code: &Code<'_, '_, 'c>, address: Value<'c>) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let offset = builder.binary(BinaryOp::And, address, code.int(64, SHARED_OFFSET))?;
    if !code.launched.clusters {
        return builder.offset(code.inputs.shared, offset);
    }
    let rank = builder.binary(BinaryOp::LShr, address, code.int(64, RANK_SHIFT))?;
    let rank = builder.binary(BinaryOp::And, rank, code.int(64, PEERS as u64 - 1))?;
    let entry = builder.binary(BinaryOp::Mul, rank, code.int(64, 8))?;
    let peers = builder.offset(code.frame, code.int(64, field::PEERS as u64))?;
    let peers = builder.load(code.types.pointer(0), peers, 8, Ordinary)?;
    let start = builder.load(code.types.pointer(0), builder.offset(peers, entry)?, 8, Ordinary)?;
    builder.offset(start, offset)
}
