//! PTX instructions that are several of LLVM's, recognized by their marks.
//!
//! `!ptx.inst` specifies which PTX instruction (or chain of instructions that share the carry flag) some LLVM instructions came
//! from. Passes may have changed them since, so a mark is only a hint of where to look: its text is lowered again, and the
//! result must match the function, operation by operation. Then the text replaces all of it, and the parts without other uses
//! disappear.

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{Block, CastOp, InstId, Op, Value};
use rustc_hash::FxHashSet as HashSet;
use std::rc::Rc;

use super::decision::{Action, Decision, Match, Narrow, Text};
use super::matching::{Matching, Operands};
use super::pattern::inst_of;
use super::state::Covering;
use crate::constraint::parse_constraints;

/// A text, and the instructions that it replaces.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) text: Text,
    /// All instructions that the text computes.
    pub(super) covered: Vec<InstId>,
    /// The instruction at which the text is emitted.
    pub(super) place: InstId,
}

/// The parts of one `!ptx.inst`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark<'v> {
    text: &'v str,
    constraints: &'v str,
    output: usize,
}

/// Finds the marked instructions that still match their text.
pub(super) fn find(cover: &mut Covering<'_, '_, '_>) {
    let mut found: Vec<Found> = Vec::new();
    let mut taken: HashSet<InstId> = HashSet::default();
    for &block in &cover.flow.layout {
        for id in cover.source.insts(block) {
            if taken.contains(&id) {
                continue;
            }
            let Some(text) = cover.text_at(id, cover.source.function.block(block)) else { continue };
            if text.covered.iter().any(|id| taken.contains(id)) {
                continue;
            }
            taken.extend(&text.covered);
            found.push(text);
        }
    }
    // The operands of a text must be computed, even if another text covers them.
    let needed: HashSet<InstId> =
        found.iter().flat_map(|found| found.text.values()).filter_map(inst_of).collect();
    for text in found {
        cover.accept(text, &needed);
    }
}

impl<'v> Covering<'_, 'v, '_> {
    fn mark(&self, id: InstId) -> Option<Mark<'v>> {
        let node = self.source.inst(id).metadata(marks::INST)?;
        match self.source.view.strings(node).as_slice() {
            &[text, constraints, output] => Some(Mark { text, constraints, output: output.parse().ok()? }),
            _ => None,
        }
    }

    fn text_at(&mut self, id: InstId, block: &Block) -> Option<Found> {
        let mark = self.mark(id)?;
        let Mark { text, constraints, .. } = mark;
        let module = &mut *self.module;
        let pattern = module.patterns.get(&module.target, module.llvm.context(), text, constraints)?;
        let (source, shared) = (self.source, self.module.leaves.shared());
        let mut matching = Matching::new(&pattern, Operands::Values, source.view, source.function, shared);
        let mut roots = vec![None; pattern.roots.len()];
        if !matching.same(Value::Inst((*pattern.roots.get(mark.output)?)?), Value::Inst(id), 0) {
            return None;
        }
        *roots.get_mut(mark.output)? = Some(id);
        for (output, root) in pattern.roots.iter().enumerate() {
            let (Some(root), None) = (root, roots.get(output)?) else { continue };
            let wanted = Mark { output, ..mark };
            let mut others =
                block.inst_ids().filter(|other| *other > id && self.mark(*other) == Some(wanted));
            *roots.get_mut(output)? = others.find(|other| {
                matching.attempt(|attempt| attempt.same(Value::Inst(*root), Value::Inst(*other), 0))
            });
        }
        let inputs: Vec<Value> =
            matching.inputs.iter().map(|input| input.and_then(Narrow::value)).collect::<Option<_>>()?;
        let mut covered: Vec<InstId> = matching.pairs.values().copied().collect();
        covered.sort_unstable();
        let constraints = parse_constraints(constraints).ok()?;
        if !inputs.iter().all(|input| is_known_or_result(*input, &roots, &covered)) {
            return None;
        }
        let place = self.place_of(&roots, &inputs, &covered, block)?;
        let inputs = inputs.into_iter().map(Narrow::Value).collect();
        Some(Found {
            text: Text { text: text.to_owned().into(), constraints, roots, inputs },
            covered,
            place,
        })
    }

    /// The position of a text: at its first result if all operands are computed there, else at the last one if nothing
    /// uses the earlier ones before it.
    pub(super) fn place_of(
        &self,
        roots: &[Option<InstId>],
        inputs: &[Value],
        covered: &[InstId],
        block: &Block,
    ) -> Option<InstId> {
        let mut present: Vec<InstId> = roots.iter().flatten().copied().collect();
        present.sort_unstable();
        let (first, last) = (*present.first()?, *present.last()?);
        let here = |id: &InstId| block.insts.contains(&(id.index() as u32));
        // Instructions covered by another text are at that text's position.
        let place = |id: &InstId| match self.cover.decision(*id) {
            Some(Decision::Absorbed(place)) => *place,
            _ => *id,
        };
        let late = inputs.iter().any(|input| match input {
            // The result of an earlier instruction of the text is available to a later one.
            Value::Inst(id) => here(id) && place(id) >= first && !present.contains(id),
            _ => false,
        });
        if !late {
            return Some(first);
        }
        let early_use = present.iter().filter(|root| **root != last).any(|root| {
            let users = self.cover.uses.users(*root);
            users.iter().any(|user| {
                here(user)
                    && place(user) < last
                    && !covered.contains(user)
                    && !matches!(self.source.inst(*user).op, Op::Phi { .. })
            })
        });
        (!early_use).then_some(last)
    }

    /// Removes instructions that only the text uses from the function.
    pub(super) fn accept(&mut self, found: Found, needed: &HashSet<InstId>) {
        let Found { text, covered, place } = found;
        let roots: HashSet<InstId> = text.roots.iter().flatten().copied().collect();
        let mut gone: HashSet<InstId> = roots.clone();
        for id in covered.iter().rev() {
            let read = self.cover.uses.users(*id).iter().all(|user| gone.contains(user));
            if read && !roots.contains(id) && !needed.contains(id) {
                gone.insert(*id);
            }
        }
        gone.extend(self.views_for(&gone, needed));
        for id in &gone {
            for used in self.source.operands(*id).into_iter().filter_map(inst_of) {
                self.cover.uses.release(used);
            }
            // Instructions with other users stay, although the text computes them, too.
            self.decide(*id, Decision::Absorbed(place));
        }
        text.values().for_each(|input| self.cover.uses.take(input));
        self.text_inputs.extend(text.values());
        let reads = text.values().collect();
        self.decide(place, Decision::Emit(Rc::new(Match { action: Action::Text(text), reads })));
    }

    /// Bit casts that only removed instructions use: the text uses their operands.
    fn views_for(&self, gone: &HashSet<InstId>, needed: &HashSet<InstId>) -> Vec<InstId> {
        let mut views = Vec::new();
        for id in gone {
            for view in self.source.operands(*id).into_iter().filter_map(inst_of) {
                let is_view = matches!(self.source.op(view), Op::Cast { op: CastOp::BitCast, .. });
                let users = self.cover.uses.users(view);
                if is_view && !needed.contains(&view) && users.iter().all(|user| gone.contains(user)) {
                    views.push(view);
                }
            }
        }
        views
    }
}

/// Whether an operand is computed before the text, or is a result of an instruction of the text that a later one uses.
fn is_known_or_result(input: Value, roots: &[Option<InstId>], covered: &[InstId]) -> bool {
    match input {
        Value::Inst(id) => roots.contains(&Some(id)) || !covered.contains(&id),
        _ => true,
    }
}
