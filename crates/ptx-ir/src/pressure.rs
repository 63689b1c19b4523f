//! Register pressure: how many registers are live at once, in registers of 32 bits: 64-bit registers count twice, predicates not at all.

use ptx_isa::ScalarType;

use crate::body::{Body, Inst, Stmt};
use crate::cfg::{Block, Cfg};
use crate::ids::RegId;
use crate::liveness::{BlockAccesses, End};

/// No pressure is computed if the live ranges together have more blocks and edges than this.
const MOST_LIVE_RANGES: usize = 1 << 24;

/// The 32-bit registers that a register takes; predicates have registers of their own.
fn weight(body: &Body, register: RegId) -> u32 {
    let elements = body.decl(register).shape.lanes();
    match body.reg_type(register) {
        ScalarType::Pred => 0,
        ty => elements * ty.bits().div_ceil(32),
    }
}

/// Calls `found` for each register that an instruction writes in all cases: not under a guard.
fn for_each_written(body: &Body, inst: &Inst, mut found: impl FnMut(usize)) {
    if inst.guard.is_none() {
        body.for_each_register(inst, |register, role| {
            if role.is_written() && !role.is_read() {
                found(register.index());
            }
        });
    }
}

/// The largest number of registers that are live at an instruction ([`pressure_at`]). The largest number there is if the live ranges are too
/// long to be walked.
pub fn register_pressure(body: &Body) -> u32 {
    let mut most = 0;
    match walk(body, |_, live| most = most.max(live)) {
        Some(()) => most,
        None => u32::MAX,
    }
}

/// For each instruction, by the index of its statement and in their order, the registers that are live before or after it, with those that it
/// writes; the larger number of both. `None` if the live ranges are too long to be walked.
pub fn pressure_at(body: &Body) -> Option<Vec<(usize, u32)>> {
    let mut found = Vec::new();
    walk(body, |statement, live| found.push((statement, live)))?;
    found.sort_unstable();
    Some(found)
}

/// Calls `found` with each instruction's statement and the registers that are live there; `None` if the live ranges are too long.
fn walk(body: &Body, mut found: impl FnMut(usize, u32)) -> Option<()> {
    let cfg = Cfg::new(body);
    let live_out = accesses(body, &cfg).live_at(&cfg, End::Finish, MOST_LIVE_RANGES)?;
    let weights: Vec<u32> = (0..body.registers.len()).map(|at| weight(body, RegId(at as u32))).collect();
    // For each register the last block, counted from one, in which it was found live.
    let mut live_in = vec![0; weights.len()];
    for (number, (block, live)) in (1u32..).zip(cfg.blocks.iter().zip(live_out)) {
        let mut now = 0;
        for register in live {
            live_in[register as usize] = number;
            now += weights[register as usize];
        }
        for (statement, inst) in instructions(body, block).rev() {
            let mut written = now;
            body.for_each_register(inst, |register, role| {
                let index = register.index();
                if role.is_written() && live_in[index] != number {
                    live_in[index] = number;
                    written += weights[index];
                }
            });
            now = written;
            for_each_written(body, inst, |register| {
                if std::mem::replace(&mut live_in[register], 0) == number {
                    now -= weights[register];
                }
            });
            body.for_each_register(inst, |register, role| {
                if role.is_read() && std::mem::replace(&mut live_in[register.index()], number) != number {
                    now += weights[register.index()];
                }
            });
            found(statement, written.max(now));
        }
    }
    Some(())
}

/// The registers that each block reads and writes.
fn accesses(body: &Body, cfg: &Cfg) -> BlockAccesses {
    let mut accesses = BlockAccesses::new(body.registers.len());
    for (at, block) in cfg.blocks.iter().enumerate() {
        for (_, inst) in instructions(body, block) {
            body.for_each_register(inst, |register, role| {
                if role.is_read() {
                    accesses.read(at, register.index());
                }
            });
            for_each_written(body, inst, |register| accesses.write(at, register));
        }
    }
    accesses
}

/// The instructions of a block with the indices of their statements.
fn instructions<'b>(body: &'b Body, block: &Block) -> impl DoubleEndedIterator<Item = (usize, &'b Inst)> {
    block.statements.clone().filter_map(|at| match body.statements.get(at)? {
        Stmt::Inst(inst) => Some((at, inst)),
        _ => None,
    })
}
