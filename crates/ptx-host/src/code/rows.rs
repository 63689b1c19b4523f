//! Operations that the runtime executes for all lanes: those on registers that have no code here, with the interpreter's row functions, and
//! system calls.

use std::mem::offset_of;

use ptx_exec::program::{Alu, Call, Op, Slot, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Value;
use ptx_llvm::build::Volatility::Ordinary;

use super::serial::Held;
use super::state::Code;
use crate::analysis::{Access, BlockId};
use crate::error::CompileError;
use crate::run::{ARGUMENTS, Runtime};

impl<'c> Code<'_, '_, 'c> {
    /// Computes an operation for all lanes, also inactive ones: each function is total.
    pub(super) fn by_interpreter(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        alu: &Alu,
        pc: u32,
    ) -> Result<(), LlvmError> {
        const SOURCES: usize = 4;
        let access = Access::of(&Op::Alu(*alu));
        for (n, &src) in access.reads.iter().enumerate() {
            let chunks: Result<Vec<_>, LlvmError> =
                (0..self.chunks).map(|chunk| self.emit.resize(self.vector(src, chunk)?, 64)).collect();
            self.put(n, &chunks?)?;
        }
        let mut arguments = vec![self.int(32, pc.into())];
        for n in 0..SOURCES + 2 {
            arguments.push(self.array(n)?);
        }
        self.call_runtime(offset_of!(Runtime, row), &arguments, self.types.void())?;
        for (n, &dst) in access.writes.iter().enumerate() {
            let result = Held::Array(self.array(SOURCES + n)?, 64);
            let values: Vec<Value<'c>> = if self.is_vector(dst) {
                self.taken(result)?
            } else {
                let firsts =
                    self.chunks_of(dst).into_iter().map(|chunk| chunk as u64 * u64::from(self.lanes));
                firsts.map(|lane| self.of_lane(result, self.int(64, lane))).collect::<Result<_, _>>()?
            };
            self.write_index(guard, dst, &access.reads)?;
            self.write(id, guard, dst, &values)?;
        }
        Ok(())
    }

    /// Calls a system function. Its arguments and its result are rows (`inline.rs`).
    pub(super) fn call_system(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        call: &Call,
        pc: u32,
    ) -> Result<(), CompileError> {
        let refused = || CompileError::refused(pc, "the call is not compiled");
        let word = self.types.int(64);
        // The rows of the arguments are one after the other in memory.
        let rows = self.types.array(word, (WARP * ARGUMENTS) as u64);
        let arguments = self.builder().alloca_in_entry(rows, 64)?;
        for (n, slot) in call.arguments.iter().enumerate().take(ARGUMENTS) {
            let Slot::Rows { first, count: 1, .. } = *slot else { return Err(refused()) };
            for chunk in 0..self.chunks {
                let value = self.emit.resize(self.vector(first, chunk)?, 64)?;
                let bytes = 8 * (n * WARP + chunk * self.lanes as usize) as u64;
                let place = self.builder().offset(arguments, self.int(64, bytes))?;
                self.builder().store(value, place, 8, Ordinary)?;
            }
        }
        let result = self.results(0, 64)?;
        let results = self.array(0)?;
        let lanes = self.active_lanes(guard)?;
        let local = self.local.unwrap_or_else(|| self.types.pointer(0).zero());
        let given = [self.int(32, pc.into()), lanes, arguments, results, local];
        self.call_checked(offset_of!(Runtime, call), &given)?;
        if let Some(Slot::Rows { first, .. }) = call.results.first() {
            let dst = first.as_register().ok_or_else(refused)?;
            let values = self.taken(result)?;
            self.write(id, guard, dst, &values)?;
        }
        Ok(())
    }
}
