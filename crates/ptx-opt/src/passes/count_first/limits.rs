//! Loops that end when their counter equals the greater of a limit and the counter's first value.
//!
//! LLVM's IndVarSimplify writes `do .. while (++i < n)` so, without a test of `n` before the loop. ptxas does not unroll it if the loop has a barrier,
//! a shuffle, an atomic operation, `ldmatrix` or `cp.async`; with the comparison by order it does.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::IntPredicate;
use ptx_llvm_core::edit::{Block, Editor, Opcode, Value};

use super::{Counter, compared_branch, constant_sum};

/// Compares the counter with the limit itself:
///
/// ```text
///   %most = call i32 @llvm.smax.i32(i32 %n, i32 1)     br label %loop
///   br label %loop                                   loop:
/// loop:                                                %i = phi i32 [ 0, %0 ], [ %next, %loop ]
///   %i = phi i32 [ 0, %0 ], [ %next, %loop ]           ..
///   ..                                                 %next = add i32 %i, 1
///   %next = add i32 %i, 1                              %more = icmp slt i32 %next, %n
///   %more = icmp ne i32 %next, %most                   br i1 %more, label %loop, label %exit
///   br i1 %more, label %loop, label %exit
/// ```
///
/// The first value that is compared is the other operand of `smax`. If the limit is greater, the counter grows by one to the limit and stays below it
/// until then; otherwise both comparisons end the loop at once. Likewise for `umax` and, counting down, for `smin` and `umin`.
pub(super) fn compare_with_limit<'e>(editor: &Editor<'e>, block: Block<'e>) -> Result<(), LlvmError> {
    let Some((_, comparison)) = compared_branch(block) else { return Ok(()) };
    let continues = match comparison.int_predicate() {
        Some(IntPredicate::Ne) => true,
        Some(IntPredicate::Eq) => false,
        _ => return Ok(()),
    };
    let Some([lhs, rhs]) = comparison.two_operands() else { return Ok(()) };
    for (sum, most) in [(lhs, rhs), (rhs, lhs)] {
        let Some((first, step)) = first_sum(sum, block)? else { continue };
        let Some((predicate, limit)) = limit_of(most, &first, step) else { continue };
        let predicate = if continues { predicate } else { predicate.inverse() };
        let ordered = editor.before(comparison)?.int_compare(predicate, sum, limit)?;
        editor.replace(comparison, ordered)?;
        return match most.as_inst().filter(|most| !most.has_users()) {
            Some(most) => editor.erase(most),
            None => Ok(()),
        };
    }
    Ok(())
}

/// The first value of a counter's sum.
enum First<'e> {
    Constant(Value<'e>),
    /// A value plus the step.
    Sum(Value<'e>),
}

/// What a sum is in the loop's first round, and the step; `None` if it is not a counter that counts by a constant.
fn first_sum<'e>(sum: Value<'e>, block: Block<'e>) -> Result<Option<(First<'e>, Value<'e>)>, LlvmError> {
    let counter = sum.as_op(Opcode::Add).and_then(|sum| sum.operand(0));
    let counter = counter.and_then(|counter| Counter::of(counter, block));
    let Some(counter) = counter.filter(|counter| counter.sum.value() == sum) else { return Ok(None) };
    let Some((start, _)) = counter.start() else { return Ok(None) };
    let first = match constant_sum(start, counter.step)? {
        Some(first) => First::Constant(first),
        None => First::Sum(start),
    };
    Ok(Some((first, counter.step)))
}

/// The comparison by which the loop goes on, and the limit.
fn limit_of<'e>(most: Value<'e>, first: &First<'e>, step: Value<'e>) -> Option<(IntPredicate, Value<'e>)> {
    let call = most.as_op(Opcode::Call)?;
    let name = call.called_function()?.name();
    let is = |prefix: &str| name.starts_with(prefix.as_bytes());
    let predicate = match step.as_signed()? {
        1 if is("llvm.smax.") => IntPredicate::Slt,
        1 if is("llvm.umax.") => IntPredicate::Ult,
        -1 if is("llvm.smin.") => IntPredicate::Sgt,
        -1 if is("llvm.umin.") => IntPredicate::Ugt,
        _ => return None,
    };
    let operands = call.two_operands()?;
    let at = operands.iter().position(|operand| is_first(*operand, first, step))?;
    Some((predicate, operands[1 - at]))
}

/// Whether a value is the first that is compared. Whether that sum wraps makes no difference: the counter goes on from there.
fn is_first<'e>(value: Value<'e>, first: &First<'e>, step: Value<'e>) -> bool {
    match *first {
        First::Constant(number) => value == number,
        First::Sum(start) => {
            value.as_op(Opcode::Add).and_then(|sum| sum.two_operands()) == Some([start, step])
        }
    }
}
