//! Operations on registers.

use ptx_exec::program::Alu;
use ptx_llvm::LlvmError;
use ptx_llvm::build::Value;

use super::Emit;

/// Emits an operation on registers at the width of its arguments, which are integers or vectors of integers of 1, 16, 32 or 64
/// bits, in the order of the operation's sources; bits above a register's width are zero. Gives the results, of any width,
/// or nothing where the operation has no form of its own here: then the runtime computes it.
///
/// # Errors
/// What LLVM does not take, which is a defect of this crate.
pub fn alu<'c>(
    _emit: &Emit<'_, 'c>,
    _alu: &Alu,
    _arguments: &[Value<'c>],
) -> Result<Option<Vec<Value<'c>>>, LlvmError> {
    Ok(None)
}
