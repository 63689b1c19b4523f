//! Where registers are live: from each read backward to the writes that reach it.
//!
//! Most registers live in a block or two, so walking each one's life costs less than tables of all registers by all blocks, and
//! grows as the text does.

use ptx_ir::cfg::Cfg;
use ptx_ir::{Body, Inst, RegId, Stmt};

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

/// An end of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Start,
    Finish,
}

impl RegisterIndex {
    /// None yet, of a body with so many registers.
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

    /// Calls `found` for every one of these registers that an instruction touches.
    pub(crate) fn accesses(&self, body: &Body, inst: &Inst, found: &mut dyn FnMut(usize, RegisterAccess)) {
        body.for_each_register(inst, |register, role| {
            if let Some(index) = self.index(register) {
                let access = if role.is_written() { RegisterAccess::Write } else { RegisterAccess::Read };
                found(index, access);
            }
        });
    }
}

/// What the blocks do to each register.
struct Facts {
    /// The blocks that read it before they write it.
    reads: Vec<Vec<u32>>,
    /// The blocks that surely write it.
    writes: Vec<Vec<u32>>,
}

impl Facts {
    fn new(body: &Body, cfg: &Cfg, registers: &RegisterIndex) -> Self {
        let count = registers.registers.len();
        let mut facts = Facts { reads: vec![Vec::new(); count], writes: vec![Vec::new(); count] };
        for (at, block) in cfg.blocks.iter().enumerate() {
            let at = at as u32;
            for statement in body.statements.get(block.statements.clone()).unwrap_or(&[]) {
                let Stmt::Inst(inst) = statement else { continue };
                registers.accesses(body, inst, &mut |index, access| {
                    if access == RegisterAccess::Read
                        && facts.writes[index].last() != Some(&at)
                        && facts.reads[index].last() != Some(&at)
                    {
                        facts.reads[index].push(at);
                    }
                });
                // A guarded write may not happen, so it ends no life.
                if inst.guard.is_some() {
                    continue;
                }
                registers.accesses(body, inst, &mut |index, access| {
                    if access == RegisterAccess::Write && facts.writes[index].last() != Some(&at) {
                        facts.writes[index].push(at);
                    }
                });
            }
        }
        facts
    }
}

/// By block, the numbers of the registers that are alive at one of its ends, ascending; `None` when the lives add up to more than
/// `most` blocks.
pub(crate) fn live_at(
    body: &Body,
    cfg: &Cfg,
    registers: &RegisterIndex,
    end: End,
    most: usize,
) -> Option<Vec<Vec<u32>>> {
    let facts = Facts::new(body, cfg, registers);
    let mut found = vec![Vec::new(); cfg.blocks.len()];
    let mut steps = 0;
    // For each block the last register, counted from one, that it writes, that is alive at its start and at its end.
    let (mut written, mut at_start, mut at_finish) =
        (vec![0; cfg.blocks.len()], vec![0; cfg.blocks.len()], vec![0; cfg.blocks.len()]);
    for (index, (reads, writes)) in facts.reads.iter().zip(&facts.writes).enumerate() {
        let mark = index as u32 + 1;
        let number = index as u32;
        writes.iter().for_each(|&block| written[block as usize] = mark);
        reads.iter().for_each(|&block| at_start[block as usize] = mark);
        let mut pending = reads.clone();
        while let Some(block) = pending.pop() {
            steps += 1;
            let block = block as usize;
            if end == End::Start {
                found[block].push(number);
            }
            for before in cfg.blocks[block].predecessors.iter().map(|id| id.index()) {
                steps += 1;
                if std::mem::replace(&mut at_finish[before], mark) == mark {
                    continue;
                }
                if end == End::Finish {
                    found[before].push(number);
                }
                if written[before] != mark && at_start[before] != mark {
                    at_start[before] = mark;
                    pending.push(before as u32);
                }
            }
        }
        if steps > most {
            return None;
        }
    }
    Some(found)
}
