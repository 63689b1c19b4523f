//! Register pressure: how many registers are live at once.

use ptx_ir::cfg::{Block, Cfg};
use ptx_ir::liveness::{BlockAccesses, End};
use ptx_ir::{Body, Inst, RegId, Stmt};
use ptx_isa::ScalarType;

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

/// The largest number of 32-bit registers that are live before or after an instruction, with those that it writes: 64-bit registers count
/// twice, predicates not at all. The largest number there is if the live ranges are too long to be walked.
pub(crate) fn register_pressure(body: &Body) -> u32 {
    let cfg = Cfg::new(body);
    let mut accesses = BlockAccesses::new(body.registers.len());
    for (at, block) in cfg.blocks.iter().enumerate() {
        for inst in instructions(body, block) {
            body.for_each_register(inst, |register, role| {
                if role.is_read() {
                    accesses.read(at, register.index());
                }
            });
            for_each_written(body, inst, |register| accesses.write(at, register));
        }
    }
    let Some(live_out) = accesses.live_at(&cfg, End::Finish, MOST_LIVE_RANGES) else { return u32::MAX };
    let weights: Vec<u32> = (0..body.registers.len()).map(|at| weight(body, RegId(at as u32))).collect();
    // For each register the last block, counted from one, in which it was found live.
    let mut live_in = vec![0; weights.len()];
    let mut most = 0;
    for (number, (block, live)) in (1u32..).zip(cfg.blocks.iter().zip(live_out)) {
        let mut now = 0;
        for register in live {
            live_in[register as usize] = number;
            now += weights[register as usize];
        }
        for inst in instructions(body, block).rev() {
            let mut written = now;
            body.for_each_register(inst, |register, role| {
                let index = register.index();
                if role.is_written() && live_in[index] != number {
                    live_in[index] = number;
                    written += weights[index];
                }
            });
            most = most.max(written);
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
            most = most.max(now);
        }
    }
    most
}

/// The instructions of a block.
fn instructions<'b>(body: &'b Body, block: &Block) -> impl DoubleEndedIterator<Item = &'b Inst> {
    let statements = body.statements.get(block.statements.clone());
    debug_assert!(statements.is_some(), "a block of another body");
    statements.into_iter().flatten().filter_map(|statement| match statement {
        Stmt::Inst(inst) => Some(inst),
        _ => None,
    })
}
