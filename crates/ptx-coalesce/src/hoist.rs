//! Moves the copies of an edge before the conditional branch that skips them.
//!
//! Input: a body in which an edge's copies are a block of their own. Output: the body with these copies in the block before, where the
//! branch's target does not read what they overwrite.
//!
//! ```text
//! @%p1 bra $L_out;      mov.b32 %r1, %r2;
//! mov.b32 %r1, %r2;     @%p1 bra $L_out;
//! bra.uni $L_loop;      bra.uni $L_loop;
//! ```
//!
//! Compilers write the latter, which has no block for the edge. ptxas unrolls and predicates the two forms differently.

use ptx_ir::cfg::Cfg;
use ptx_ir::liveness::End;
use ptx_ir::{Body, Inst, Operand, RegId, Stmt};
use ptx_isa::{ControlSem, MoveSem, Sem};

use crate::liveness::{RegisterIndex, live_at};

/// Moves edge copies before the branch wherever that preserves the program's meaning.
pub fn hoist(body: &mut Body) {
    let runs = runs(body);
    if runs.is_empty() {
        return;
    }
    let cfg = Cfg::new(body);
    let mut written = RegisterIndex::new(body.registers.len());
    runs.iter().flat_map(|run| &run.written).for_each(|register| written.add(*register));
    let Some(live_in) = live_at(body, &cfg, &written, End::Start) else { return };
    let runs: Vec<Run> =
        runs.into_iter().filter(|run| is_dead_at_target(&cfg, run, &written, &live_in)).collect();
    for run in runs {
        // The branch goes after the copies.
        if let Some(statements) = body.statements.get_mut(run.branch..run.end) {
            statements.rotate_left(1);
        }
    }
}

/// A conditional branch and the copies between it and an unconditional one.
struct Run {
    branch: usize,
    /// The unconditional branch, after the last copy.
    end: usize,
    /// The registers that the copies write.
    written: Vec<RegId>,
}

/// All runs in which no copy writes the branch's predicate.
fn runs(body: &Body) -> Vec<Run> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < body.statements.len() {
        let start = at;
        at += 1;
        let Some(Stmt::Inst(branch)) = body.statements.get(start) else { continue };
        let (Sem::Control(ControlSem::Bra), Some(guard)) = (branch.mnemonic.sem(), branch.guard) else {
            continue;
        };
        let mut written = Vec::new();
        while let Some(Stmt::Inst(inst)) = body.statements.get(at)
            && let Some(register) = copied_to(body, inst)
            && register != guard.register
        {
            written.push(register);
            at += 1;
        }
        let jumps = matches!(
            body.statements.get(at),
            Some(Stmt::Inst(inst)) if inst.mnemonic.sem() == Sem::Control(ControlSem::Bra) && inst.guard.is_none()
        );
        if jumps && !written.is_empty() {
            found.push(Run { branch: start, end: at, written });
        }
    }
    found
}

/// The destination of an unguarded copy of a register or a constant.
fn copied_to(body: &Body, inst: &Inst) -> Option<RegId> {
    match (inst.mnemonic.sem(), inst.guard, body.operands(inst)) {
        (
            Sem::Move(MoveSem::Mov),
            None,
            &[Operand::Register(to), Operand::Register(_) | Operand::Immediate(_)],
        ) => Some(to),
        _ => None,
    }
}

/// Whether no register that the copies write is live at the start of the branch's target; `live_in` has the numbers of the live ones
/// by block.
fn is_dead_at_target(cfg: &Cfg, run: &Run, written: &RegisterIndex, live_in: &[Vec<u32>]) -> bool {
    let Some(from) = block_of(cfg, run.branch) else { return false };
    let Some(block) = cfg.blocks.get(from) else { return false };
    let copies = block_of(cfg, run.branch + 1);
    let targets = block.successors.iter().map(|id| id.index()).filter(|id| Some(*id) != copies);
    let mut live_in = targets.filter_map(|target| live_in.get(target));
    let numbers = || run.written.iter().filter_map(|register| written.index(*register));
    !live_in.any(|live| numbers().any(|number| live.binary_search(&(number as u32)).is_ok()))
}

/// The block that a statement is in.
fn block_of(cfg: &Cfg, statement: usize) -> Option<usize> {
    let at = cfg.blocks.partition_point(|block| block.statements.end <= statement);
    cfg.blocks.get(at).is_some_and(|block| block.statements.contains(&statement)).then_some(at)
}
