//! Moves the copies of an edge up before the branch that leads to it.
//!
//! A branch around a jump, `@%p bra out; mov %a, %b; bra.uni loop;`, splits what compilers write as `mov %a, %b; @%p bra out; bra.uni loop;`: they
//! have no block for the edge. ptxas unrolls and predicates the one otherwise than the other. The copies can stand first where
//! nothing behind the branch needs what they overwrite.

use ptx_ir::cfg::Cfg;
use ptx_ir::{Body, Inst, Operand, RegId, Stmt};
use ptx_isa::{Role, Sem};
use rustc_hash::FxHashSet as HashSet;

use crate::coalesce::for_each_register;

/// Moves what can be moved.
pub(crate) fn hoist(body: &mut Body) {
    let runs = runs(body);
    if runs.is_empty() {
        return;
    }
    let cfg = Cfg::new(body);
    let runs: Vec<Run> = runs.into_iter().filter(|run| is_free(body, &cfg, run)).collect();
    for run in runs {
        // The branch goes behind the copies.
        if let Some(statements) = body.statements.get_mut(run.branch..run.end) {
            statements.rotate_left(1);
        }
    }
}

/// A conditional branch and the copies between it and a jump.
struct Run {
    branch: usize,
    /// Behind the last copy: the jump.
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
        let (Sem::Bra, Some(guard)) = (branch.mnemonic.sem(), branch.guard) else { continue };
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
            Some(Stmt::Inst(inst)) if inst.mnemonic.sem() == Sem::Bra && inst.guard.is_none()
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
        (Sem::Mov, None, &[Operand::Register(to), Operand::Register(_) | Operand::Immediate(_)]) => Some(to),
        _ => None,
    }
}

/// Whether nothing that the branch leads to reads what the copies write before writing it.
fn is_free(body: &Body, cfg: &Cfg, run: &Run) -> bool {
    let Some(from) = cfg.blocks.iter().position(|block| block.statements.contains(&run.branch)) else {
        return false;
    };
    let copies = cfg.blocks.iter().position(|block| block.statements.contains(&(run.branch + 1)));
    let Some(block) = cfg.blocks.get(from) else { return false };
    let targets = block.successors.iter().map(|id| id.index()).filter(|id| Some(*id) != copies);
    let targets: Vec<usize> = targets.collect();
    run.written.iter().all(|register| !is_live(body, cfg, &targets, *register))
}

/// Whether a register may be read from the start of these blocks on before it is written.
fn is_live(body: &Body, cfg: &Cfg, blocks: &[usize], register: RegId) -> bool {
    let mut seen: HashSet<usize> = blocks.iter().copied().collect();
    let mut pending = blocks.to_vec();
    while let Some(at) = pending.pop() {
        let Some(block) = cfg.blocks.get(at) else { continue };
        let mut written = false;
        for statement in body.statements.get(block.statements.clone()).unwrap_or(&[]) {
            let Stmt::Inst(inst) = statement else { continue };
            let (mut reads, mut writes) = (false, false);
            for_each_register(body, inst, &mut |found, role| {
                if found == register {
                    match role {
                        Role::Use | Role::UseOpt => reads = true,
                        Role::Def | Role::DefPair => writes = true,
                    }
                }
            });
            if reads {
                return true;
            }
            if writes && inst.guard.is_none() {
                written = true;
                break;
            }
        }
        if !written {
            for next in block.successors.iter().map(|id| id.index()) {
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
    }
    false
}
