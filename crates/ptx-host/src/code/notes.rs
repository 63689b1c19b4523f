//! Notes on accesses and branches whose code is not the plain one, taken during code generation.

use ptx_program::Src;

use super::state::{Code, Guard};
use crate::analysis::BlockId;
use crate::notes::{Note, RemarkKind};

/// Starts the code of an instruction.
pub(super) fn begin_notes(code: &Code<'_, '_, '_>, id: BlockId, pc: u32) {
    if let Some(notes) = code.reports.notes {
        notes.at.set((pc, id));
    }
}

/// Notes that the instruction has this kind of code, and the operand that decided that.
pub(super) fn note(code: &Code<'_, '_, '_>, kind: RemarkKind, src: Option<Src>) {
    note_access(code, kind, src, 0);
}

/// As [`note`], for an access of `bytes` bytes.
pub(super) fn note_access(code: &Code<'_, '_, '_>, kind: RemarkKind, src: Option<Src>, bytes: i64) {
    let Some(notes) = code.reports.notes else { return };
    let (pc, block) = notes.at.get();
    // Instructions that were added to join operations are not in the source.
    if code.reports.joined.is_some_and(|joined| joined.place(pc) != pc) {
        return;
    }
    notes.all.borrow_mut().entry((pc, kind)).or_insert(Note { block, src, bytes });
}

/// Notes that an access is masked, unless all lanes execute it.
pub(super) fn note_mask(code: &Code<'_, '_, '_>, guard: Guard) {
    let Some(notes) = code.reports.notes else { return };
    let (_, block) = notes.at.get();
    let guard = guard.map(|(row, _)| Src::register(row));
    match guard.filter(|&guard| !code.analysis.shapes.src(guard).is_uniform()) {
        Some(guard) => note(code, RemarkKind::Masked, Some(guard)),
        None if !code.analysis.schedule.is_together(block) => note(code, RemarkKind::Masked, None),
        None => {}
    }
}
