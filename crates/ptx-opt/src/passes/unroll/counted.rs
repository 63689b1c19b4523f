//! Loops that count up to a limit.

use std::collections::{HashMap, HashSet};

use ptx_graph::DominatorTree;
use ptx_llvm_core::build::IntPredicate;
use ptx_llvm_core::edit::{Block, Editor, Flow, Inst, Opcode, TypeKind, Value, WrapFlags};

/// How many rounds the unrolled loop has.
pub(super) const COPIES: u64 = 4;

/// Steps of so much are from a thread to its next element, less are of loops that were unrolled.
const LEAST_STRIDE: i64 = 16;
/// Greater constants are no steps.
const MOST_STEP: i64 = 1 << 16;
/// How many blocks a loop has that is unrolled.
const MOST_BLOCKS: usize = 12;
/// How many instructions a round has, without those that address accesses and convert, for each instruction that it saves: if the step is a constant, which takes a shorter
/// guard; if it is not; and in a loop inside of another one, whose guard is executed each time.
const MOST_FOR_SAVED_BY_CONSTANT: usize = 12;
const MOST_FOR_SAVED: usize = 9;
const MOST_FOR_SAVED_INSIDE: usize = 5;
/// How many it has at most, and how many with those.
const MOST_INSTRUCTIONS: usize = 64;
const MOST_IN_ALL: usize = 256;

/// The values of a loop, each with that of a copy.
pub(super) type Values<'e> = HashMap<Value<'e>, Value<'e>>;

/// How a counter grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step<'e> {
    /// By a constant.
    Constant(i64),
    /// By what is the same in all rounds.
    Value(Value<'e>),
}

/// An innermost loop that is left after its last block alone, when its counter reaches a limit.
pub(super) struct Counted<'e> {
    /// The block that control comes from.
    pub(super) before: Block<'e>,
    pub(super) header: Block<'e>,
    /// All blocks, in the function's order.
    pub(super) blocks: Vec<Block<'e>>,
    /// The last block, which control goes back from.
    pub(super) latch: Block<'e>,
    /// The block that control goes to afterwards.
    pub(super) exit: Block<'e>,
    /// The phi that counts.
    pub(super) counter: Inst<'e>,
    /// Its bits, 32 or 64.
    pub(super) bits: u32,
    /// The counter plus the step.
    pub(super) next: Inst<'e>,
    /// The counter before the loop.
    pub(super) start: Value<'e>,
    pub(super) step: Step<'e>,
    pub(super) limit: Value<'e>,
    /// The loop goes on while this holds of the next counter and the limit: it is less, or not greater; if the step is -1 or a power of two, it is not equal.
    pub(super) goes_on: IntPredicate,
    /// What compares them.
    pub(super) comparison: Inst<'e>,
    /// Blocks that every round executes.
    always: HashSet<Block<'e>>,
}

impl<'e> Counted<'e> {
    /// The loop that begins with a block.
    pub(super) fn find(
        editor: &Editor<'e>,
        flow: &Flow<'e>,
        tree: &DominatorTree,
        is_together: &dyn Fn(usize) -> bool,
        header: usize,
    ) -> Option<Self> {
        let &[one, other] = flow.predecessors_of(header) else { return None };
        let (before, latch) = match (tree.dominates(header, one), tree.dominates(header, other)) {
            (false, true) => (one, other),
            (true, false) => (other, one),
            _ => return None,
        };
        let blocks = body(flow, tree, header, latch)?;
        let block = |at: usize| flow.blocks()[at];
        let end = block(latch).terminator()?;
        let is_kept =
            end.metadata(editor.metadata_kind("llvm.loop")).is_some_and(|node| node.disables_unrolling());
        if is_kept || block(before).terminator()?.opcode() != Opcode::Br {
            return None;
        }
        let [yes, no] = [end.successor(0)?, end.successor(1)?];
        let (exit, is_exit_on_true) = if yes == block(header) { (no, false) } else { (yes, true) };
        let mut found = Self::at_end(block(header), block(before), block(latch), end, is_exit_on_true)?;
        found.exit = exit;
        found.always = blocks.iter().filter(|at| tree.dominates(**at, latch)).map(|at| block(*at)).collect();
        found.blocks = blocks.iter().copied().map(block).collect();
        found
            .may_be_unrolled(&|inst| {
                let at = inst.block().and_then(|block| flow.number(block));
                is_together(latch) && at.is_some_and(is_together)
            })
            .then_some(found)
    }

    /// What is known of the counter and of the comparison at the end.
    fn at_end(
        header: Block<'e>,
        before: Block<'e>,
        latch: Block<'e>,
        end: Inst<'e>,
        is_exit_on_true: bool,
    ) -> Option<Self> {
        let comparison = end.condition()?.as_op(Opcode::ICmp)?;
        let predicate = comparison.int_predicate()?;
        let predicate = if is_exit_on_true { predicate.inverse() } else { predicate };
        let [lhs, rhs] = comparison.two_operands()?;
        let sides = [(lhs, rhs, predicate), (rhs, lhs, predicate.swapped())];
        let (counter, next, step, limit, goes_on) =
            sides.into_iter().find_map(|(value, limit, goes_on)| {
                let next = value.as_op(Opcode::Add).or_else(|| {
                    let phi = value.as_op(Opcode::Phi).filter(|phi| phi.block() == Some(header))?;
                    phi.incoming_from(latch)?.as_op(Opcode::Add)
                })?;
                let (counter, step) = counter(next, header, latch)?;
                let is_before = value == counter.value();
                let limit = if is_before { limit_of_next(limit, step, goes_on)? } else { limit };
                is_known(goes_on, step).then_some((counter, next, step, limit, goes_on))
            })?;
        let start = counter.incoming_from(before)?;
        let bits = counter.ty().integer_bits().filter(|bits| matches!(bits, 32 | 64))?;
        let always = HashSet::new();
        Some(Self {
            before,
            header,
            blocks: Vec::new(),
            latch,
            exit: header,
            counter,
            bits,
            next,
            start,
            step,
            limit,
            goes_on,
            comparison,
            always,
        })
    }

    /// Whether it may be copied, and its step and limit are the same in all rounds; `is_together` tells that all threads of a block execute it alike.
    fn may_be_unrolled(&self, is_together: &dyn Fn(Inst<'e>) -> bool) -> bool {
        let is_known = |value: Value<'e>| value.is_constant_integer();
        let is_step_kept = match self.step {
            // How often it is executed is a constant, too: for LLVM and ptxas.
            Step::Constant(_) => !is_known(self.start) || !is_known(self.limit),
            Step::Value(step) => self.is_invariant(step),
        };
        is_step_kept
            && self.is_invariant(self.limit)
            && self.instructions().all(|inst| may_be_copied(inst, is_together))
    }

    /// Whether a round takes little more than what the unrolled loop saves of it; `addresses` take a base and a product, `sums` of them a sum of 64 bits before.
    pub(super) fn is_worth_it(&self, addresses: usize, sums: usize, is_inside: bool) -> bool {
        use Opcode::*;
        let is_counted = |inst: &Inst<'e>| {
            !matches!(inst.opcode(), Phi | GetElementPtr | SExt | ZExt | Trunc | BitCast | Br)
        };
        let most = match self.step {
            _ if is_inside => MOST_FOR_SAVED_INSIDE,
            Step::Constant(_) => MOST_FOR_SAVED_BY_CONSTANT,
            Step::Value(_) => MOST_FOR_SAVED,
        };
        // The comparison and the branch. If addresses are constants apart, all of them and the sum of the counter.
        let saved = match self.step {
            Step::Constant(_) => 3 + addresses + 3 * sums,
            Step::Value(_) => 2 + 3 * sums,
        };
        let cost = self.instructions().filter(is_counted).count();
        cost <= MOST_INSTRUCTIONS.min(most * saved) && self.instructions().count() <= MOST_IN_ALL
    }

    fn instructions(&self) -> impl Iterator<Item = Inst<'e>> {
        self.blocks.iter().flat_map(|block| block.instructions())
    }

    /// Whether something of it changed when the loops of these blocks were unrolled: it begins with one of them, with what one leaves, or with a phi that was replaced.
    pub(super) fn follows(&self, changed: &HashSet<Block<'e>>) -> bool {
        let step = match self.step {
            Step::Value(step) => Some(step),
            Step::Constant(_) => None,
        };
        let is_changed = |value: Value<'e>| {
            value.as_inst().is_some_and(|inst| inst.block().is_none_or(|block| changed.contains(&block)))
        };
        changed.contains(&self.before) || [self.start, self.limit].into_iter().chain(step).any(is_changed)
    }

    pub(super) fn contains(&self, block: Block<'e>) -> bool {
        self.blocks.contains(&block)
    }

    /// Whether a value is computed before the loop.
    pub(super) fn is_invariant(&self, value: Value<'e>) -> bool {
        value.as_inst().and_then(Inst::block).is_none_or(|block| !self.contains(block))
    }

    /// Whether every round executes a block.
    pub(super) fn always_executes(&self, block: Block<'e>) -> bool {
        self.always.contains(&block)
    }

    /// Whether the counter is compared as a number with a sign, or without one; `None` if it is compared for equality.
    pub(super) fn is_signed(&self) -> Option<bool> {
        match self.goes_on {
            IntPredicate::Slt | IntPredicate::Sle => Some(true),
            IntPredicate::Ult | IntPredicate::Ule => Some(false),
            _ => None,
        }
    }

    /// Whether the counter does not wrap as a number with a sign, or without one, in the rounds of the unrolled loop.
    pub(super) fn keeps(&self, is_signed: bool) -> bool {
        let WrapFlags { nuw, nsw } = self.next.wrap_flags();
        self.is_signed() == Some(is_signed) || if is_signed { nsw } else { nuw }
    }
}

/// The phi of the header that a sum counts on, and its step.
fn counter<'e>(next: Inst<'e>, header: Block<'e>, latch: Block<'e>) -> Option<(Inst<'e>, Step<'e>)> {
    let [left, right] = next.two_operands()?;
    let is_counter = |value: Value<'e>| {
        let phi = value.as_op(Opcode::Phi).filter(|phi| phi.block() == Some(header));
        phi.filter(|phi| phi.incoming_from(latch) == Some(next.value()))
    };
    let (counter, step) = match (is_counter(left), is_counter(right)) {
        (Some(counter), None) => (counter, right),
        (None, Some(counter)) => (counter, left),
        _ => return None,
    };
    Some((counter, step.as_signed().map_or(Step::Value(step), Step::Constant)))
}

/// Whether a loop by such a step can be unrolled.
fn is_known(goes_on: IntPredicate, step: Step<'_>) -> bool {
    use IntPredicate::*;
    match (goes_on, step) {
        (Slt | Sle | Ult | Ule, Step::Value(_)) => true,
        (Slt | Sle | Ult | Ule, Step::Constant(by)) => by > 0 && is_rolled(by),
        (Ne, Step::Constant(by)) => is_rolled(by) && by.unsigned_abs().is_power_of_two(),
        _ => false,
    }
}

/// What the next counter is compared with, if the counter before is compared with a constant: InstCombine subtracts the step on both sides. Two steps above it there is room, so that no sum
/// wraps while the loop goes on.
fn limit_of_next<'e>(limit: Value<'e>, step: Step<'e>, goes_on: IntPredicate) -> Option<Value<'e>> {
    let Step::Constant(by) = step else { return None };
    let bits = limit.ty().integer_bits()?;
    let number = limit.as_signed()?;
    let most = (1_i64 << (bits - 2).min(61)) - 1;
    let is_certain = goes_on == IntPredicate::Ne || (0..most).contains(&number) && by > 0;
    let next = number.checked_add(by).filter(|_| is_certain)?;
    limit.ty().number(next).ok()
}

/// The blocks of the loop of a branch back, if it is an innermost one that control leaves after that branch alone.
fn body(flow: &Flow<'_>, tree: &DominatorTree, header: usize, latch: usize) -> Option<Vec<usize>> {
    let (mut blocks, mut work) = (vec![header], vec![latch]);
    while let Some(block) = work.pop() {
        if blocks.contains(&block) {
            continue;
        }
        blocks.push(block);
        if blocks.len() > MOST_BLOCKS || !tree.dominates(header, block) {
            return None;
        }
        work.extend(flow.predecessors_of(block));
    }
    blocks.sort_unstable();
    let leads_on = |from: usize, to: usize| match (from == latch, to == header) {
        (true, true) => true,
        (true, false) => !blocks.contains(&to),
        (false, _) => blocks.contains(&to) && !tree.dominates(to, from),
    };
    let is_whole = |&block: &usize| {
        let successors = flow.successors_of(block);
        let count =
            if block == latch { successors.len() == 2 && successors[0] != successors[1] } else { true };
        count && successors.iter().all(|to| leads_on(block, *to))
    };
    blocks.iter().all(is_whole).then_some(blocks)
}

/// Whether a loop that counts by a constant is as it was written, and not unrolled by a compiler.
fn is_rolled(step: i64) -> bool {
    matches!(step, -1 | 1 | 2 | LEAST_STRIDE..MOST_STEP)
}

/// Whether a copy of an instruction does what it does, also where fewer threads execute it together unless all execute the loop alike.
fn may_be_copied<'e>(inst: Inst<'e>, is_together: &dyn Fn(Inst<'e>) -> bool) -> bool {
    if inst.ty().kind() == TypeKind::Other {
        return false;
    }
    match inst.opcode() {
        // Atomic operations take longer than what is saved.
        Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::Alloca | Opcode::VAArg => false,
        opcode if opcode.is_terminator() => opcode == Opcode::Br,
        opcode if opcode.is_call() => {
            let function = inst.called_function().filter(|function| function.is_intrinsic());
            function.is_some_and(|function| {
                let has = |name: &str| function.attribute(name).is_some() || inst.has_call_attribute(name);
                !has("noreturn") && !has("noduplicate") && (!has("convergent") || is_together(inst))
            })
        }
        _ => true,
    }
}
