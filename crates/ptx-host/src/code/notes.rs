//! What code is made for accesses and branches, where it is not the plain one: noted while it is made, for remarks (`remarks.rs`).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use ptx_exec::program::Src;

use super::Code;
use crate::analysis::BlockId;
use crate::remarks::RemarkKind;

/// The notes of a kernel.
#[derive(Default, Debug)]
pub(crate) struct Notes {
    /// The instruction that code is made for, and its block.
    at: Cell<(u32, BlockId)>,
    all: RefCell<BTreeMap<(u32, RemarkKind), Note>>,
}

/// A note on an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    pub(crate) block: BlockId,
    /// The operand that decided: an address, a condition. Nothing where it is where lanes wait.
    pub(crate) src: Option<Src>,
    /// For accesses to addresses with a stride, what that would have to be.
    pub(crate) bytes: i64,
}

impl Notes {
    /// All of them, in the order of instructions.
    pub(crate) fn take(self) -> BTreeMap<(u32, RemarkKind), Note> {
        self.all.into_inner()
    }
}

impl Code<'_, '_, '_> {
    /// Code is made for an instruction from now on.
    pub(super) fn begin_notes(&self, id: BlockId, pc: u32) {
        if let Some(notes) = self.notes {
            notes.at.set((pc, id));
        }
    }

    /// Notes that the instruction has such code, and which operand decided that.
    pub(super) fn note(&self, kind: RemarkKind, src: Option<Src>) {
        self.note_access(kind, src, 0);
    }

    /// The same of an access of so many bytes.
    pub(super) fn note_access(&self, kind: RemarkKind, src: Option<Src>, bytes: i64) {
        let Some(notes) = self.notes else { return };
        let (pc, block) = notes.at.get();
        // What was added to join operations is no one's instruction.
        if self.joined.is_some_and(|joined| joined.place(pc) != pc) {
            return;
        }
        notes.all.borrow_mut().entry((pc, kind)).or_insert(Note { block, src, bytes });
    }

    /// Notes that an access has a mask, unless all lanes make it.
    pub(super) fn note_mask(&self, guard: Option<(u32, bool)>) {
        let Some(notes) = self.notes else { return };
        let (_, block) = notes.at.get();
        let guard = guard.map(|(row, _)| Src::register(row));
        match guard.filter(|&guard| !self.analysis.shapes.src(guard).is_uniform()) {
            Some(guard) => self.note(RemarkKind::Masked, Some(guard)),
            None if !self.analysis.schedule.is_together(block) => self.note(RemarkKind::Masked, None),
            None => {}
        }
    }
}
