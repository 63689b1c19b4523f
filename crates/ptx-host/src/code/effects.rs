//! Instructions that the interpreter's runtime executes (`ptx-host-rt/src/effect.rs`): their operands are rows in memory, one after the other.

use std::mem::offset_of;

use ptx_exec::program::{Effect, Src, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Value;
use ptx_llvm::build::Volatility::Ordinary;

use super::state::Code;
use crate::analysis::BlockId;
use crate::run::{Operands, Runtime, operands};

/// Bytes of a row.
const ROW: u64 = 8 * WARP as u64;

impl<'c> Code<'_, '_, 'c> {
    /// Calls the runtime for an instruction that each lane executes on its own.
    pub(super) fn perform(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        effect: &Effect,
        pc: u32,
    ) -> Result<(), LlvmError> {
        let operands = operands(effect);
        let rows = self.rows_in_memory(operands.len())?;
        for (n, operand) in operands.iter().enumerate() {
            match *operand {
                Operands::Read(src) => self.put_row(rows, n, src)?,
                Operands::Update(row) => self.put_row(rows, n, Src::register(row))?,
                Operands::Write(_) => {}
            }
        }
        let lanes = self.active_lanes(guard)?;
        self.call_checked(offset_of!(Runtime, effect), &[self.int(32, pc.into()), lanes, rows])?;
        for (n, operand) in operands.iter().enumerate() {
            if let Operands::Write(row) | Operands::Update(row) = *operand {
                let values = self.row_at(rows, n)?;
                self.write_lanes(id, guard, row, &values)?;
            }
        }
        Ok(())
    }

    /// Multiplies matrices with the interpreter's function.
    pub(super) fn multiply_by_interpreter(
        &mut self,
        id: BlockId,
        (srcs, dsts): (&[Src], &[u32]),
        pc: u32,
    ) -> Result<(), LlvmError> {
        self.expect_whole(pc)?;
        let rows = self.rows_in_memory(srcs.len() + dsts.len())?;
        for (n, &src) in srcs.iter().enumerate() {
            self.put_row(rows, n, src)?;
        }
        let results = self.builder().offset(rows, self.int(64, srcs.len() as u64 * ROW))?;
        self.call_checked(offset_of!(Runtime, multiply), &[self.int(32, pc.into()), rows, results])?;
        for (n, &dst) in dsts.iter().enumerate() {
            let values = self.row_at(results, n)?;
            self.write_lanes(id, None, dst, &values)?;
        }
        Ok(())
    }

    /// Memory for `count` rows, shared by all instructions that need no more.
    fn rows_in_memory(&mut self, count: usize) -> Result<Value<'c>, LlvmError> {
        if let Some((memory, rows)) = self.rows.passed
            && rows >= count
        {
            return Ok(memory);
        }
        let ty = self.types.array(self.types.int(64), (count * WARP) as u64);
        let memory = self.builder().alloca_in_entry(ty, 64)?;
        self.rows.passed = Some((memory, count));
        Ok(memory)
    }

    /// The address of the lanes of a chunk in a row.
    fn place_in_row(&self, rows: Value<'c>, row: usize, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let bytes = row as u64 * ROW + 8 * chunk as u64 * u64::from(self.lanes);
        self.builder().offset(rows, self.int(64, bytes))
    }

    fn put_row(&self, rows: Value<'c>, row: usize, src: Src) -> Result<(), LlvmError> {
        for chunk in 0..self.chunks {
            let value = self.emit.resize(self.vector(src, chunk)?, 64)?;
            self.builder().store(value, self.place_in_row(rows, row, chunk)?, 8, Ordinary)?;
        }
        Ok(())
    }

    fn row_at(&self, rows: Value<'c>, row: usize) -> Result<Vec<Value<'c>>, LlvmError> {
        let ty = self.types.vector(self.types.int(64), self.lanes);
        (0..self.chunks)
            .map(|chunk| self.builder().load(ty, self.place_in_row(rows, row, chunk)?, 8, Ordinary))
            .collect()
    }
}
