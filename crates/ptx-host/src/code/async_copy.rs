//! Asynchronous copies by single threads, `cp.async` (manual 9.7.9.25.3.1): they complete when they are issued, which PTX
//! allows, and waits for them are no-ops.
//!
//! If a lane copies only some of the bytes, the others are filled with zeros.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::memory::Space;
use ptx_program::{Address, AddressWidth, AsyncCopy, Base, CopyAmount};

use super::cluster::SHARED_OFFSET;
use super::fork::Fork;
use super::serial::Held;
use super::state::{Code, Guard};
use super::{atomic, registers, serial};
use crate::error::CompileError;

/// The source or destination address of each lane.
#[derive(Clone, Copy)]
enum CopyAddresses<'c> {
    Global(Held<'c>),
    Shared(Held<'c>),
}

/// The operands of a copy.
#[derive(Clone, Copy)]
struct Copies<'c> {
    to: CopyAddresses<'c>,
    from: CopyAddresses<'c>,
    size: u32,
    /// How many bytes are copied; all if `None`.
    copied: Option<Held<'c>>,
}

pub(super) fn async_copy(
    code: &mut Code<'_, '_, '_>,
    guard: Guard,
    copy: &AsyncCopy,
    pc: u32,
) -> Result<(), CompileError> {
    let size = copy.size;
    let to = copy_addresses(code, 0, &copy.to, pc)?;
    let from = copy_addresses(code, 1, &copy.from, pc)?;
    let copied = match copy.amount {
        CopyAmount::Whole => None,
        CopyAmount::Bytes(src) => Some(serial::hold(code, 2, src, 32)?),
        CopyAmount::UnlessTrue(src) => {
            let chunks = (0..code.chunks).map(|chunk| {
                let none = code.emit.resize(registers::vector(code, src, chunk)?, 1)?;
                let word = code.vector_of(32);
                let all = code.builder().splat(code.int(32, size.into()), code.lanes)?;
                code.builder().select(none, word.zero(), all)
            });
            let chunks = chunks.collect::<Result<Vec<_>, LlvmError>>()?;
            Some(serial::put(code, 2, &chunks)?)
        }
    };
    let copies = Copies { to, from, size, copied };
    let lanes = serial::active_warps(code, guard)?;
    if copied.is_none() {
        serial::each_lane_unrolled(code, &lanes, |code, lane| copy_lane(code, copies, lane))?;
    } else {
        serial::each_lane(code, &lanes, |code, lane| copy_lane(code, copies, lane))?;
    }
    Ok(())
}

fn copy_addresses<'c>(
    code: &mut Code<'_, '_, 'c>,
    number: usize,
    address: &Address,
    pc: u32,
) -> Result<CopyAddresses<'c>, CompileError> {
    match (address.space, address.base) {
        (Space::Shared, Base::Row(src, _)) => {
            Ok(CopyAddresses::Shared(atomic::hold_sum(code, number, src, 32, address.offset)?))
        }
        (Space::Global, Base::Row(src, AddressWidth::Bits64)) => {
            Ok(CopyAddresses::Global(atomic::hold_sum(code, number, src, 64, address.offset)?))
        }
        _ => {
            let why = "asynchronous copies between other memory than global and the own shared one are not compiled";
            Err(CompileError::refused(pc, why))
        }
    }
}

fn copy_address<'c>(
    code: &Code<'_, '_, 'c>,
    addresses: CopyAddresses<'c>,
    lane: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    match addresses {
        CopyAddresses::Global(held) => {
            let address = serial::of_lane(code, held, lane)?;
            code.builder().cast(CastOp::IntToPtr, address, code.types.pointer(0))
        }
        CopyAddresses::Shared(held) => {
            let mut offset = code.emit.resize(serial::of_lane(code, held, lane)?, 64)?;
            if code.launched.clusters {
                offset = code.builder().binary(BinaryOp::And, offset, code.int(64, SHARED_OFFSET))?;
            }
            code.builder().offset(code.inputs.shared, offset)
        }
    }
}

/// The copy of one lane.
fn copy_lane<'c>(code: &Code<'_, '_, 'c>, copies: Copies<'c>, lane: Value<'c>) -> Result<(), LlvmError> {
    let Copies { to, from, size, copied } = copies;
    let [to, from] = [copy_address(code, to, lane)?, copy_address(code, from, lane)?];
    let whole = code.types.int(8 * size);
    let Some(copied) = copied else {
        let value = code.builder().load(whole, from, size, Ordinary)?;
        return code.builder().store(value, to, size, Ordinary).map(drop);
    };
    let builder = code.builder();
    let copied = serial::of_lane(code, copied, lane)?;
    let all = builder.int_compare(IntPredicate::Uge, copied, code.int(32, size.into()))?;
    let fork = Fork::new(code, all, None, ["all", "part", "copied"])?;
    builder.store(builder.load(whole, from, size, Ordinary)?, to, size, Ordinary)?;
    let other = fork.other(code)?;
    builder.store(whole.zero(), to, size, Ordinary)?;
    for byte in 0..u64::from(size) - 1 {
        let is_copied = builder.int_compare(IntPredicate::Ugt, copied, code.int(32, byte))?;
        serial::only_if(code, is_copied, |code| {
            let at = |place| code.builder().offset(place, code.int(64, byte));
            let value = code.builder().load(code.types.int(8), at(from)?, 1, Ordinary)?;
            code.builder().store(value, at(to)?, 1, Ordinary).map(drop)
        })?;
    }
    other.meet(code)?;
    Ok(())
}
