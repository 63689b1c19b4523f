//! Loops of two rounds, of which LLVM knows in each whether it is the last.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, IntPredicate};
use ptx_llvm_core::edit::{Block, Editor, Inst, Opcode, Value};

/// Gives the loop that a block ends a counter again. InstCombine makes a truth value of the counter of a loop of two rounds, in which ptxas
/// sees no number of rounds:
///
/// ```text
/// head:                                              head:
///   %more = phi i1 [ true, %0 ], [ false, %latch ]     %last = phi i32 [ 0, %0 ], [ %round, %latch ]
///   ..                                                 ..
/// latch:                                             latch:
///                                                      %round = add i32 %last, 1
///                                                      %more = icmp slt i32 %round, 2
///   br i1 %more, label %head, label %exit              br i1 %more, label %head, label %exit
/// ```
pub(super) fn count_two_rounds<'e>(editor: &Editor<'e>, block: Block<'e>) -> Result<(), LlvmError> {
    let Some(branch) = block.terminator() else { return Ok(()) };
    let Some(truth) = branch.condition().and_then(|truth| truth.as_op(Opcode::Phi)) else { return Ok(()) };
    let Some(TwoRounds { head, before, back, goes_back_if_true }) = TwoRounds::of(truth, branch) else {
        return Ok(());
    };
    let Some(first) = head.first() else { return Ok(()) };
    let word = editor.integer(32);
    // The phi, which is in the head and so dominates the latch, takes the sum when that is there.
    let zero = word.number(0)?;
    let last = editor.before(first)?.phi(word, &[(zero, before), (word.poison()?, back)])?;
    let at_end = editor.before(branch)?;
    let round = at_end.binary(BinaryOp::Add, last.value(), word.number(1)?)?;
    let order = if goes_back_if_true { IntPredicate::Slt } else { IntPredicate::Sge };
    let more = at_end.int_compare(order, round, word.number(2)?)?;
    last.set_operand(1, round)?;
    branch.set_condition(more)?;
    match truth.has_users() {
        true => Ok(()),
        false => editor.erase(truth),
    }
}

/// A loop of two rounds.
struct TwoRounds<'e> {
    /// The block that it begins with.
    head: Block<'e>,
    /// The block before it.
    before: Block<'e>,
    /// The block that goes back to its head: that of the branch, or one that only the branch goes to.
    back: Block<'e>,
    goes_back_if_true: bool,
}

impl<'e> TwoRounds<'e> {
    /// The loop of which a branch on the truth value goes back in the first round and not in the second.
    fn of(truth: Inst<'e>, branch: Inst<'e>) -> Option<Self> {
        if truth.incoming_count() != 2 {
            return None;
        }
        let (head, latch) = (truth.block()?, branch.block()?);
        let back_by = |target| match target == head {
            true => Some(latch),
            false => leads_only(latch, target, head).then_some(target),
        };
        let targets = [branch.successor(0)?, branch.successor(1)?];
        let (back, goes_back_if_true) = match targets.map(back_by) {
            [Some(back), None] => (back, true),
            [None, Some(back)] => (back, false),
            _ => return None,
        };
        let at = (0..2).find(|at| truth.incoming(*at).is_some_and(|(_, from)| from == back))?;
        let (first, before) = truth.incoming(1 - at)?;
        let (second, _) = truth.incoming(at)?;
        let constant = |value: Value<'e>| Some(value.as_unsigned()? != 0);
        let (first, second) = (constant(first)?, constant(second)?);
        (before != back && first == goes_back_if_true && second != goes_back_if_true).then_some(Self {
            head,
            before,
            back,
            goes_back_if_true,
        })
    }
}

/// Whether control comes to a block from one block alone, and from it goes to one block alone.
fn leads_only<'e>(from: Block<'e>, block: Block<'e>, to: Block<'e>) -> bool {
    let goes_on = block
        .terminator()
        .is_some_and(|end| end.opcode() == Opcode::Br && end.successors().eq(std::iter::once(to)));
    let mut users = block.users().peekable();
    let is_reached = users.peek().is_some();
    goes_on && is_reached && users.all(|user| user.as_inst().is_some_and(|user| user.block() == Some(from)))
}
