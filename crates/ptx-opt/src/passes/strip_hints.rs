//! `ptx-strip-hints`: removes metadata that only affects speed on a GPU.

use ptx_llvm::marks;
use ptx_llvm::{LlvmError, Module, drop_instruction_metadata};

/// The metadata in which the lowering keeps modifiers that do not change a result (docs/mapping.md, "Hints").
const HINTS: &str = marks::MODS;

pub(super) fn run(module: &mut Module<'_>) -> Result<(), LlvmError> {
    drop_instruction_metadata(module, HINTS);
    Ok(())
}
