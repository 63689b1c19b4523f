//! Which location each variable has at each statement.
//!
//! In: a body whose registers are final, and its marks. Out: ranges of statements with the location of a variable in each. A location
//! is propagated along the edges between blocks as long as it is the same on all paths and its registers are not written: by LLVM's
//! `#dbg_value` a variable keeps its value until the next record.

use std::ops::Range;
use std::rc::Rc;

use ptx_ir::cfg::Cfg;
use ptx_ir::{Body, RegId, Stmt};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::expression::Step;
use crate::marks::{Held, Mark, Marks};

/// The maximum size of the table of variables by blocks; above it nothing is known across blocks.
const MAX_TABLE: usize = 1 << 22;

/// Ranges of statements, and the location of a variable there, by parts.
pub(crate) type Ranges = Vec<(Range<usize>, Vec<Rc<Held>>)>;

/// By variable: the ranges of statements with its location in each; `settled` maps a register of the marks to its final one.
pub(crate) fn ranges(body: &Body, marks: &Marks, settled: &dyn Fn(RegId) -> RegId) -> Vec<Ranges> {
    Propagation::new(body, marks, settled).ranges()
}

/// The location of each variable at a position: its parts, none if it is unknown.
type State = Vec<Vec<Rc<Held>>>;

/// The propagation of variable locations from statement to statement.
struct Propagation<'b> {
    body: &'b Body,
    cfg: Cfg,
    /// The variable that a statement sets the location of, and the location.
    sets: HashMap<usize, (usize, Option<Rc<Held>>)>,
    /// The variables whose location becomes unknown when a register is written.
    held_in: HashMap<RegId, Vec<usize>>,
    variables: usize,
}

impl<'b> Propagation<'b> {
    fn new(body: &'b Body, marks: &Marks, settled: &dyn Fn(RegId) -> RegId) -> Self {
        let mut flow = Propagation {
            body,
            cfg: Cfg::new(body),
            sets: HashMap::default(),
            held_in: HashMap::default(),
            variables: marks.variables.len(),
        };
        let mut written: HashSet<RegId> = HashSet::default();
        for statement in &body.statements {
            let Stmt::Inst(inst) = statement else { continue };
            body.for_each_register(inst, |register, role| {
                if role.is_written() {
                    written.insert(register);
                }
            });
        }
        for (at, statement) in body.statements.iter().enumerate() {
            let Stmt::Mark(mark) = statement else { continue };
            let Some(Mark::Variable(number, held)) = marks.marks.get(*mark as usize) else { continue };
            let held = held.as_ref().map(|held| {
                let mut held = Held::clone(held);
                for step in &mut held.steps {
                    match step {
                        Step::Register(register) | Step::Based(register, _) => *register = settled(*register),
                        Step::Byte(_) | Step::Symbol(_) => {}
                    }
                }
                held
            });
            let held = held
                .filter(|held| held.steps.iter().filter_map(Step::register).all(|r| written.contains(&r)));
            for register in held.iter().flat_map(|held| held.steps.iter().filter_map(Step::register)) {
                flow.held_in.entry(register).or_default().push(*number);
            }
            flow.sets.insert(at, (*number, held.map(Rc::new)));
        }
        for list in flow.held_in.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        flow
    }

    /// Steps over a statement, telling which variables may have changed.
    fn step(&self, at: usize, state: &mut State, changed: &mut dyn FnMut(usize)) {
        match self.body.statements.get(at) {
            Some(Stmt::Inst(inst)) => {
                self.body.for_each_register(inst, |register, role| {
                    if !role.is_written() {
                        return;
                    }
                    for &number in self.held_in.get(&register).into_iter().flatten() {
                        if let Some(parts) = state.get_mut(number) {
                            let names = |held: &Rc<Held>| {
                                held.steps.iter().any(|step| step.register() == Some(register))
                            };
                            parts.retain(|held| !names(held));
                            changed(number);
                        }
                    }
                });
            }
            Some(Stmt::Mark(_)) => {
                let Some((number, held)) = self.sets.get(&at) else { return };
                let Some(parts) = state.get_mut(*number) else { return };
                match held {
                    Some(held) => {
                        parts.retain(|other| !overlaps(other.fragment, held.fragment));
                        parts.push(Rc::clone(held));
                    }
                    None => parts.clear(),
                }
                changed(*number);
            }
            _ => {}
        }
    }

    /// The variable locations at the start of each block.
    fn at_starts(&self) -> Vec<State> {
        let blocks = self.cfg.blocks.len();
        let nothing: State = vec![Vec::new(); self.variables];
        if blocks.saturating_mul(self.variables) > MAX_TABLE {
            return vec![nothing; blocks];
        }
        let mut ends: Vec<Option<State>> = vec![None; blocks];
        let mut starts: Vec<State> = vec![nothing.clone(); blocks];
        let order = self.cfg.reverse_post_order();
        loop {
            let mut changed = false;
            for block in &order {
                let Some(own) = self.cfg.blocks.get(block.index()) else { continue };
                let mut known = own.predecessors.iter().filter_map(|p| ends.get(p.index())?.as_ref());
                let mut state = match known.next() {
                    Some(first) if block.index() != 0 => first.clone(),
                    Some(_) | None => nothing.clone(),
                };
                for other in known {
                    for (mine, theirs) in state.iter_mut().zip(other) {
                        mine.retain(|held| theirs.contains(held));
                    }
                }
                if let Some(start) = starts.get_mut(block.index()) {
                    start.clone_from(&state);
                }
                for at in own.statements.clone() {
                    self.step(at, &mut state, &mut |_| {});
                }
                if let Some(end) = ends.get_mut(block.index())
                    && end.as_ref() != Some(&state)
                {
                    *end = Some(state);
                    changed = true;
                }
            }
            if !changed {
                return starts;
            }
        }
    }

    /// By variable: the ranges of statements with its location in each.
    fn ranges(&self) -> Vec<Ranges> {
        let mut ranges: Vec<Ranges> = vec![Vec::new(); self.variables];
        let starts = self.at_starts();
        for (block, start) in self.cfg.blocks.iter().zip(starts) {
            let mut state = start;
            let mut since: Vec<(usize, Vec<Rc<Held>>)> =
                state.iter().map(|held| (block.statements.start, held.clone())).collect();
            let mut close = |since: &mut (usize, Vec<Rc<Held>>), number: usize, end: usize| {
                let (start, held) = std::mem::take(since);
                let Some(list) = ranges.get_mut(number) else { return };
                if held.is_empty() || start >= end {
                    return;
                }
                match list.last_mut() {
                    Some((last, same)) if last.end == start && *same == held => last.end = end,
                    Some(_) | None => list.push((start..end, held)),
                }
            };
            for at in block.statements.clone() {
                let mut touched = Vec::new();
                self.step(at, &mut state, &mut |number| touched.push(number));
                for number in touched {
                    let (Some(open), Some(held)) = (since.get_mut(number), state.get(number)) else {
                        continue;
                    };
                    if open.1 != *held {
                        close(open, number, at + 1);
                        *open = (at + 1, held.clone());
                    }
                }
            }
            for (number, open) in since.iter_mut().enumerate() {
                close(open, number, block.statements.end);
            }
        }
        ranges
    }
}

/// Whether two parts of a variable share bits.
fn overlaps(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> bool {
    match (a, b) {
        (Some((a, a_bits)), Some((b, b_bits))) => {
            a < b.saturating_add(b_bits) && b < a.saturating_add(a_bits)
        }
        (None, _) | (_, None) => true,
    }
}

#[cfg(test)]
mod tests;
