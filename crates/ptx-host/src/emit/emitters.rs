//! Which operations have emitters.

use ptx_llvm_core::build::{Builder, Types};
use ptx_llvm_core::{Context, LlvmError, Module};
use ptx_program::Alu;

use super::Emit;
use super::alu::{Style, alu_with};

/// Whether all of these operations have emitters, each given with the widths of its operands, for vectors of `lanes` lanes.
///
/// # Errors
/// LLVM's.
pub(crate) fn emits_all(
    operations: impl Iterator<Item = (Alu, Vec<u32>)>,
    style: Style,
    lanes: u32,
) -> Result<bool, LlvmError> {
    // An emitter is asked by having it generate code, which is thrown away: no second list of what has one.
    let context = Context::new()?;
    let module = Module::new(&context, "emitters");
    let types = Types::new(module.context());
    let function = module.function("emitters", types.function(types.int(32), &[]))?;
    let builder = Builder::simplifying(types);
    builder.position_at_end(function.append_block(types, "entry"));
    let emit = Emit { module: &module, types, builder };
    for (alu, widths) in operations {
        let operands: Vec<_> =
            widths.into_iter().map(|width| types.vector(types.int(width), lanes).zero()).collect();
        if alu_with(&emit, &alu, &operands, style)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}
