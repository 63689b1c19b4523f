//! Operations on registers that have no form here: the runtime computes them with the interpreter's functions of rows.

use std::mem::offset_of;

use ptx_exec::program::{Alu, Op};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Value;

use super::Code;
use super::serial::Held;
use crate::analysis::{Access, BlockId};
use crate::run::Runtime;

impl<'c> Code<'_, '_, 'c> {
    /// Computes an operation for all lanes, also those that do not run: each function is defined for all numbers.
    pub(super) fn by_interpreter(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        alu: &Alu,
        pc: u32,
    ) -> Result<(), LlvmError> {
        const SOURCES: usize = 4;
        let access = Access::of(&Op::Alu(*alu)).unwrap_or_default();
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
                let firsts = (0..self.copies(dst)).map(|chunk| chunk as u64 * u64::from(self.lanes));
                firsts.map(|lane| self.of_lane(result, self.int(64, lane))).collect::<Result<_, _>>()?
            };
            self.write_index(guard, dst, &access.reads)?;
            self.write(id, guard, dst, &values)?;
        }
        Ok(())
    }
}
