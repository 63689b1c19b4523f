//! Guards (manual 8.3): a short block that a branch skips becomes instructions under the branch's predicate.
//!
//! Lowering emits a guarded instruction as a separate block and marks the branch `!ptx.guard`; ptxas compiles a guard and a branch
//! around a block differently, so that the mark decides. Values that the block writes for phis are copied to the phi's register
//! under the guard; the predecessor has written the other value there before.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use ptx_ir::{Guard, Inst, LabelId, Operand, RegId, Stmt};
use ptx_isa::{ControlSem, Effects, Sem};
use ptx_llvm_core::marks;
use ptx_llvm_core::view::BlockId;

use super::state::Emitter;

/// More instructions than this stay after a branch.
const LONGEST: usize = 16;

impl Emitter<'_, '_, '_> {
    /// Turns marked branches around one block into guards.
    pub(super) fn predicate(&mut self, parts: &mut HashMap<BlockId, Vec<Stmt>>) {
        let mut predecessors: HashMap<BlockId, usize> = HashMap::default();
        for &block in &self.blocks.layout {
            for successor in self.source.successors(block) {
                *predecessors.entry(successor).or_default() += 1;
            }
        }
        for from in self.blocks.layout.clone() {
            let marked = self.function.block(from).inst_ids().next_back();
            if marked.is_none_or(|id| self.function.inst(id).metadata(marks::GUARD).is_none()) {
                continue;
            }
            let Some(block) = self.blocks.following.get(&from).copied() else { continue };
            let Some(after) = self.blocks.following.get(&block).copied() else { continue };
            if predecessors.get(&block) != Some(&1) || !self.source.successors(from).contains(&block) {
                continue;
            }
            let successors = self.source.successors(block);
            if !(successors.is_empty() || successors == [after]) {
                continue;
            }
            let Some(guard) = self.guard_around(parts.get(&from), after) else { continue };
            let Some(guarded) = parts.get(&block).and_then(|part| self.under(guard, part)) else { continue };
            parts.insert(block, guarded);
            if let Some(part) = parts.get_mut(&from) {
                part.pop();
            }
        }
        self.forget_targets(parts);
    }

    /// The guard that is true if the branch to `after` at the end of a block is not taken.
    fn guard_around(&self, part: Option<&Vec<Stmt>>, after: BlockId) -> Option<Guard> {
        let Some(Stmt::Inst(inst)) = part?.last() else { return None };
        let branches = inst.mnemonic.sem() == Sem::Control(ControlSem::Bra)
            && self
                .builder
                .body()
                .operands(inst)
                .contains(&Operand::Label(self.blocks.labels[after.index()]));
        let guard = inst.guard.filter(|_| branches)?;
        Some(Guard { negated: !guard.negated, ..guard })
    }

    /// The statements of a block under a guard, when all of them can be.
    fn under(&mut self, guard: Guard, part: &[Stmt]) -> Option<Vec<Stmt>> {
        let count = part.iter().filter(|statement| matches!(statement, Stmt::Inst(_))).count();
        if count > LONGEST || !part.iter().all(can_be_guarded) {
            return None;
        }
        let mut part = part.to_vec();
        let kept: HashSet<RegId> = self.computed.phi_inputs.values().flatten().copied().collect();
        while let Some(at) = part.iter().position(|statement| self.is_result(statement, &part, &kept)) {
            let Stmt::Inst(inst) = part.remove(at) else { return None };
            let (to, from) = self.builder.body().copied(&inst)?;
            for statement in &mut part {
                if let Stmt::Inst(inst) = statement {
                    let body = self.builder.body_mut();
                    inst.operands =
                        body.renamed(inst, |register| if register == from { to } else { register });
                }
            }
        }
        for statement in &mut part {
            if let Stmt::Inst(inst) = statement
                && !self.may_always_run(inst, &kept)
            {
                inst.guard = Some(guard);
            }
        }
        Some(part)
    }

    /// Whether a statement copies the result of one other statement of the block to a register that does not occur in the
    /// block otherwise. Results of the block are used outside only through such copies; a register that already belongs to a
    /// phi is not replaced, so that two phis with the same operand both get it.
    fn is_result(&self, statement: &Stmt, part: &[Stmt], kept: &HashSet<RegId>) -> bool {
        let body = self.builder.body();
        let Stmt::Inst(copy) = statement else { return false };
        let Some((to, from)) = body.copied(copy) else { return false };
        if body.reg_type(to) != body.reg_type(from) || kept.contains(&from) {
            return false;
        }
        let instructions = || {
            part.iter().filter_map(|statement| match statement {
                Stmt::Inst(inst) => Some(inst),
                _ => None,
            })
        };
        let mentions = |inst: &&Inst| body.any_register(inst, |register, _| register == to);
        let makes = |inst: &&Inst| self.writes(inst, |register| register == from);
        instructions().filter(makes).count() == 1 && instructions().filter(mentions).count() == 1
    }

    /// Whether an instruction only computes values that only the block reads.
    fn may_always_run(&self, inst: &Inst, kept: &HashSet<RegId>) -> bool {
        inst.mnemonic.effects() == Effects::NONE && !self.writes(inst, |register| kept.contains(&register))
    }

    fn writes(&self, inst: &Inst, register: impl Fn(RegId) -> bool) -> bool {
        let is_written = |own, role: ptx_isa::Role| register(own) && role.is_written();
        self.builder.body().any_register(inst, is_written)
    }

    /// Removes labels that are no longer used.
    fn forget_targets(&mut self, parts: &HashMap<BlockId, Vec<Stmt>>) {
        let mut named: HashSet<LabelId> = HashSet::default();
        for statement in parts.values().flatten() {
            match statement {
                Stmt::Inst(inst) => {
                    let operands = self.builder.body().operands(inst).iter();
                    named.extend(operands.filter_map(|operand| match operand {
                        Operand::Label(label) => Some(*label),
                        _ => None,
                    }));
                }
                Stmt::BranchTargets(_, targets) => named.extend(targets.iter().map(|target| target.label)),
                _ => {}
            }
        }
        let labels = &self.blocks.labels;
        self.blocks
            .targets
            .retain(|block| labels.get(block.index()).is_some_and(|label| named.contains(label)));
    }
}

/// Whether a statement means the same under a guard or needs none.
fn can_be_guarded(statement: &Stmt) -> bool {
    match statement {
        Stmt::Inst(inst) => {
            inst.guard.is_none()
                && !matches!(
                    inst.mnemonic.sem(),
                    Sem::Control(ControlSem::Bra | ControlSem::BrxIdx | ControlSem::Call)
                )
        }
        Stmt::Label(_)
        | Stmt::BranchTargets(..)
        | Stmt::CallTargets(..)
        | Stmt::CallPrototype(..)
        | Stmt::Variable(_) => false,
        _ => true,
    }
}
