//! `ptx-strip-hints`: removes metadata that only affects speed on a GPU.

use ptx_llvm_core::edit::{Editor, edit};
use ptx_llvm_core::{LlvmError, Module, marks};

use crate::pass::{Pass, Run, When};

/// Runs where it is named.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-strip-hints",
    summary: "Drops the performance hints kept from the source: cache operators, eviction priorities, prefetch sizes.",
    when: When::Named,
    // Of functions that are `optnone` too.
    run: Run::Module(strip),
    parameters: &[],
};

/// The metadata in which the lowering keeps modifiers that do not change a result (docs/mapping.md, "Hints").
const HINTS: &str = marks::MODS;

fn strip(editor: &Editor<'_>) -> Result<(), LlvmError> {
    drop_kind(editor, HINTS);
    Ok(())
}

/// Removes the metadata of one kind from every instruction.
pub fn drop_metadata(module: &mut Module<'_>, kind: &str) {
    edit(module, |editor| drop_kind(editor, kind));
}

fn drop_kind(editor: &Editor<'_>, kind: &str) {
    let kind = editor.metadata_kind(kind);
    for inst in editor.functions().flat_map(|function| function.instructions()) {
        inst.set_metadata(kind, None);
    }
}
