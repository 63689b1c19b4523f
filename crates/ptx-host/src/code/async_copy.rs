//! Asynchronous copies by single threads, `cp.async` (manual 9.7.9.25.3.1): they complete when they are issued, which PTX
//! allows, and waits for them are no-ops.
//!
//! If a lane copies only some of the bytes, the others are filled with zeros.

use ptx_exec::Space;
use ptx_exec::program::{Address, AddressWidth, AsyncCopy, Base, CopyAmount};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, CastOp, IntPredicate, Value};

use super::atomic::SHARED_OFFSET;
use super::serial::Held;
use super::state::Code;
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

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn async_copy(
        &mut self,
        guard: Option<(u32, bool)>,
        copy: &AsyncCopy,
        pc: u32,
    ) -> Result<(), CompileError> {
        let size = copy.size;
        let to = self.copy_addresses(0, &copy.to, pc)?;
        let from = self.copy_addresses(1, &copy.from, pc)?;
        let copied = match copy.amount {
            CopyAmount::Whole => None,
            CopyAmount::Bytes(src) => Some(self.hold(2, src, 32)?),
            CopyAmount::UnlessTrue(src) => {
                let chunks = (0..self.chunks).map(|chunk| {
                    let none = self.emit.resize(self.vector(src, chunk)?, 1)?;
                    let word = self.types.vector(self.types.int(32), self.lanes);
                    let all = self.builder().splat(self.int(32, size.into()), self.lanes)?;
                    self.builder().select(none, word.zero(), all)
                });
                let chunks = chunks.collect::<Result<Vec<_>, LlvmError>>()?;
                Some(self.put(2, &chunks)?)
            }
        };
        let copies = Copies { to, from, size, copied };
        let lanes = self.active_warps(guard)?;
        if copied.is_none() {
            self.each_lane_unrolled(&lanes, |code, lane| code.copy_lane(copies, lane))?;
        } else {
            self.each_lane(&lanes, |code, lane| code.copy_lane(copies, lane))?;
        }
        Ok(())
    }

    fn copy_addresses(
        &mut self,
        number: usize,
        address: &Address,
        pc: u32,
    ) -> Result<CopyAddresses<'c>, CompileError> {
        match (address.space, address.base) {
            (Space::Shared, Base::Row(src, _)) => {
                Ok(CopyAddresses::Shared(self.hold_sum(number, src, 32, address.offset)?))
            }
            (Space::Global, Base::Row(src, AddressWidth::Bits64)) => {
                Ok(CopyAddresses::Global(self.hold_sum(number, src, 64, address.offset)?))
            }
            _ => {
                let why = "asynchronous copies between other memory than global and the own shared one are not compiled";
                Err(CompileError::refused(pc, why))
            }
        }
    }

    fn copy_address(&self, addresses: CopyAddresses<'c>, lane: Value<'c>) -> Result<Value<'c>, LlvmError> {
        match addresses {
            CopyAddresses::Global(held) => {
                let address = self.of_lane(held, lane)?;
                self.builder().cast(CastOp::IntToPtr, address, self.types.pointer(0))
            }
            CopyAddresses::Shared(held) => {
                let mut offset = self.emit.resize(self.of_lane(held, lane)?, 64)?;
                if self.launched.clusters {
                    offset = self.builder().binary(BinaryOp::And, offset, self.int(64, SHARED_OFFSET))?;
                }
                self.builder().offset(self.inputs.shared, offset)
            }
        }
    }

    /// The copy of one lane.
    fn copy_lane(&self, copies: Copies<'c>, lane: Value<'c>) -> Result<(), LlvmError> {
        let Copies { to, from, size, copied } = copies;
        let [to, from] = [self.copy_address(to, lane)?, self.copy_address(from, lane)?];
        let whole = self.types.int(8 * size);
        let Some(copied) = copied else {
            let value = self.builder().load(whole, from, size, Ordinary)?;
            return self.builder().store(value, to, size, Ordinary).map(drop);
        };
        let builder = self.builder();
        let copied = self.of_lane(copied, lane)?;
        let all = builder.int_compare(IntPredicate::Uge, copied, self.int(32, size.into()))?;
        let [then, other, after] =
            ["all", "part", "copied"].map(|name| self.function.append_block(self.types, name));
        builder.branch_if(all, then, other)?;
        builder.position_at_end(then);
        builder.store(builder.load(whole, from, size, Ordinary)?, to, size, Ordinary)?;
        builder.branch(after)?;
        builder.position_at_end(other);
        builder.store(whole.zero(), to, size, Ordinary)?;
        for byte in 0..u64::from(size) - 1 {
            let is_copied = builder.int_compare(IntPredicate::Ugt, copied, self.int(32, byte))?;
            self.only_if(is_copied, |code| {
                let at = |place| code.builder().offset(place, code.int(64, byte));
                let value = code.builder().load(code.types.int(8), at(from)?, 1, Ordinary)?;
                code.builder().store(value, at(to)?, 1, Ordinary).map(drop)
            })?;
        }
        builder.branch(after)?;
        builder.position_at_end(after);
        Ok(())
    }
}
