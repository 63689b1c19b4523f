//! Moves the copies of an edge up before the branch that leads to it.
//!
//! A branch around a jump, `@%p bra out; mov %a, %b; bra.uni loop;`, splits what compilers write as `mov %a, %b; @%p bra out; bra.uni loop;`: they
//! have no block for the edge. ptxas unrolls and predicates the one otherwise than the other. The copies can occur first where
//! nothing after the branch needs what they overwrite.

use ptx_ir::cfg::Cfg;
use ptx_ir::liveness::End;
use ptx_ir::{Body, Inst, Operand, RegId, Stmt};
use ptx_isa::{ControlSem, MoveSem, Sem};

use crate::liveness::{RegisterIndex, live_at};

/// Lives over more blocks than this, all together, are too long to look at.
const MAX_LIVES: usize = 1 << 24;

/// Moves what can be moved.
pub fn hoist(body: &mut Body) {
    let runs = runs(body);
    if runs.is_empty() {
        return;
    }
    let cfg = Cfg::new(body);
    let mut written = RegisterIndex::new(body.registers.len());
    runs.iter().flat_map(|run| &run.written).for_each(|register| written.add(*register));
    let Some(alive) = live_at(body, &cfg, &written, End::Start, MAX_LIVES) else { return };
    let runs: Vec<Run> = runs.into_iter().filter(|run| is_free(&cfg, run, &written, &alive)).collect();
    for run in runs {
        // The branch goes after the copies.
        if let Some(statements) = body.statements.get_mut(run.branch..run.end) {
            statements.rotate_left(1);
        }
    }
}

/// A conditional branch and the copies between it and a jump.
struct Run {
    branch: usize,
    /// After the last copy: the jump.
    end: usize,
    written: Vec<RegId>,
}

/// All runs in which no copy touches the branch's condition.
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

/// The register that an instruction copies something to, if it does nothing else.
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

/// Whether nothing that the branch leads to reads what the copies write before writing it; `alive` has by block the numbers of
/// what they write that is alive at its start.
fn is_free(cfg: &Cfg, run: &Run, written: &RegisterIndex, alive: &[Vec<u32>]) -> bool {
    let Some(from) = block_with(cfg, run.branch) else { return false };
    let Some(block) = cfg.blocks.get(from) else { return false };
    let copies = block_with(cfg, run.branch + 1);
    let targets = block.successors.iter().map(|id| id.index()).filter(|id| Some(*id) != copies);
    let mut alive = targets.filter_map(|target| alive.get(target));
    let numbers = || run.written.iter().filter_map(|register| written.index(*register));
    !alive.any(|alive| numbers().any(|number| alive.binary_search(&(number as u32)).is_ok()))
}

/// The block that a statement is in.
fn block_with(cfg: &Cfg, statement: usize) -> Option<usize> {
    let at = cfg.blocks.partition_point(|block| block.statements.end <= statement);
    cfg.blocks.get(at).is_some_and(|block| block.statements.contains(&statement)).then_some(at)
}
