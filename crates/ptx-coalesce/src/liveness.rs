//! Live registers at the start or the end of each block, among the registers of a [`RegisterIndex`].

use ptx_ir::cfg::{Block, Cfg};
use ptx_ir::liveness::{BlockAccesses, End};
use ptx_ir::{Body, Inst, RegId, Stmt};

/// No liveness is computed if the live ranges together have more blocks and edges than this.
const MAX_LIVE_RANGES: usize = 1 << 24;

/// Some registers of a body, numbered in the order in which they were added.
pub(crate) struct RegisterIndex {
    pub(crate) registers: Vec<RegId>,
    /// By register, its number.
    pub(crate) indices: Vec<Option<u32>>,
}

/// How an instruction accesses a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegisterAccess {
    Read,
    Write,
}

impl RegisterIndex {
    /// An empty index for a body with this number of registers.
    pub(crate) fn new(registers: usize) -> Self {
        Self { registers: Vec::new(), indices: vec![None; registers] }
    }

    pub(crate) fn add(&mut self, register: RegId) {
        if let Some(slot @ None) = self.indices.get_mut(register.index()) {
            *slot = Some(self.registers.len() as u32);
            self.registers.push(register);
        }
    }

    pub(crate) fn index(&self, register: RegId) -> Option<usize> {
        self.indices.get(register.index()).copied().flatten().map(|index| index as usize)
    }

    /// Calls `found` for each access of an instruction to one of these registers: twice for a register that it updates.
    pub(crate) fn accesses(&self, body: &Body, inst: &Inst, found: &mut dyn FnMut(usize, RegisterAccess)) {
        body.for_each_register(inst, |register, role| {
            if let Some(index) = self.index(register) {
                if role.is_read() {
                    found(index, RegisterAccess::Read);
                }
                if role.is_written() {
                    found(index, RegisterAccess::Write);
                }
            }
        });
    }
}

/// By block, the numbers of the registers that are live at its start or its end, ascending; `None` if the live ranges are too long.
pub(crate) fn live_at(body: &Body, cfg: &Cfg, registers: &RegisterIndex, end: End) -> Option<Vec<Vec<u32>>> {
    let mut found = BlockAccesses::new(registers.registers.len());
    for (at, block) in cfg.blocks.iter().enumerate() {
        for statement in statements(body, block) {
            let Stmt::Inst(inst) = statement else { continue };
            registers.accesses(body, inst, &mut |index, access| {
                if access == RegisterAccess::Read {
                    found.read(at, index);
                }
            });
            // A guarded write may not happen, so it ends no live range.
            if inst.guard.is_some() {
                continue;
            }
            registers.accesses(body, inst, &mut |index, access| {
                if access == RegisterAccess::Write {
                    found.write(at, index);
                }
            });
        }
    }
    found.live_at(cfg, end, MAX_LIVE_RANGES)
}

/// The statements of a block of the body's graph.
pub(crate) fn statements<'b>(body: &'b Body, block: &Block) -> &'b [Stmt] {
    let statements = body.statements.get(block.statements.clone());
    debug_assert!(statements.is_some(), "a block of another body");
    // Default: as asserted.
    statements.unwrap_or(&[])
}
