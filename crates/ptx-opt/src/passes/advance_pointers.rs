//! `ptx-advance-pointers`: an address that moves by a constant in each round of a loop becomes a pointer that is advanced.
//!
//! LLVM IR promises that the sums of an index do not wrap; PTX has no word for that. `ptxas` has to assume that an index of 32 bits wraps before it is
//! extended, unless the loop counts by one up to a limit: it computes the whole address for every access, and unrolls fewer of such loops.
//!
//! ```text
//!   br label %loop                                   %s = add nsw i32 %lane, %row
//!                                                    %t = sext i32 %s to i64
//!                                                    %u = getelementptr float, ptr addrspace(1) %x, i64 %t
//!                                                    br label %loop
//! loop:                                            loop:
//!                                            -->     %q = phi ptr addrspace(1) [ %u, %0 ], [ %r, %loop ]
//!   %i = phi i32 [ %lane, %0 ], [ %n, %loop ]        %i = phi i32 [ %lane, %0 ], [ %n, %loop ]
//!   %j = add nsw i32 %i, %row                        %v = load float, ptr addrspace(1) %q
//!   %k = sext i32 %j to i64                          ..
//!   %p = getelementptr float, .. %x, i64 %k          %n = add nsw i32 %i, 32
//!   %v = load float, ptr addrspace(1) %p             %r = getelementptr i8, ptr addrspace(1) %q, i64 128
//!   ..
//!   %n = add nsw i32 %i, 32
//! ```
//!
//! Only in loops of one block, in which every round executes an access by the address: if the index of the first round wrapped, there was undefined behavior
//! before.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp};
use ptx_llvm_core::edit::{Block, Builder, Editor, Function, GepFlags, Inst, Opcode, Value, WrapFlags};

use crate::pass::{Pass, Run, When};

pub(super) const PASS: Pass = Pass {
    name: "ptx-advance-pointers",
    summary: "Advances pointers by a constant in loops whose indices are extended after sums that do not wrap, which PTX cannot say: ptxas unrolls more of them.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

/// How many operations an index is made by, before it is extended.
const MOST_STEPS: usize = 3;
/// How many pointers a loop gets, each two registers.
const MOST_POINTERS: usize = 4;
/// The state spaces with addresses of 64 bits that kernels index most: generic and global.
const SPACES: [u32; 2] = [0, 1];

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    for block in function.blocks() {
        let Some(one) = Loop::of(block).filter(|one| !one.is_left_rolled()) else { continue };
        let addresses: Vec<Address<'e>> =
            block.instructions().into_iter().filter_map(|inst| one.address(editor, inst)).collect();
        for address in addresses.iter().take(MOST_POINTERS) {
            one.advance(editor, address)?;
        }
    }
    Ok(())
}

/// A loop of one block that one other block leads to.
struct Loop<'e> {
    block: Block<'e>,
    /// The end of the block before it.
    entry: Inst<'e>,
    before: Block<'e>,
}

/// A `getelementptr` whose address moves by a constant.
struct Address<'e> {
    inst: Inst<'e>,
    /// The operations that make the index of the counter, the last one first.
    steps: Vec<(Inst<'e>, Operation<'e>)>,
    /// What the counter is before the loop.
    start: Value<'e>,
    /// Bytes from one round to the next.
    stride: i64,
}

/// One operation of an index.
#[derive(Clone, Copy)]
enum Operation<'e> {
    /// To 64 bits.
    Extend(CastOp),
    /// With what is the same in all rounds.
    With(BinaryOp, Value<'e>),
}

impl<'e> Loop<'e> {
    fn of(block: Block<'e>) -> Option<Self> {
        let phi =
            block.first().filter(|first| first.opcode() == Opcode::Phi && first.incoming_count() == 2)?;
        let froms: Vec<Block<'e>> = phi.incomings().map(|(_, from)| from).collect();
        let before = froms.iter().copied().find(|from| *from != block).filter(|_| froms.contains(&block))?;
        // Where the branch does not enter the loop, the pointer is computed for nothing.
        let entry = before.terminator().filter(|end| end.opcode() == Opcode::Br)?;
        Some(Self { block, entry, before })
    }

    /// Whether `ptxas` makes no copies of the loop, which has atomic operations in it: then the pointer is two instructions, and the address one.
    fn is_left_rolled(&self) -> bool {
        let is_atomic = |inst: Inst<'e>| {
            matches!(inst.opcode(), Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::Fence)
        };
        self.block.instructions().into_iter().any(is_atomic)
    }

    /// Whether a value is the same in all rounds: what the only block of the loop does not compute.
    fn is_invariant(&self, value: Value<'e>) -> bool {
        value.as_inst().is_none_or(|inst| inst.block() != Some(self.block))
    }

    /// What is known of an address of the loop.
    fn address(&self, editor: &Editor<'e>, inst: Inst<'e>) -> Option<Address<'e>> {
        let space = inst.ty().pointer_space().filter(|_| inst.opcode() == Opcode::GetElementPtr)?;
        let [base, index] = inst.two_operands()?;
        if !SPACES.contains(&space) || !self.is_invariant(base) {
            return None;
        }
        let extended = index.as_inst().filter(|inst| inst.block() == Some(self.block))?;
        let (is_signed, extension) = match extended.opcode() {
            Opcode::SExt => (true, CastOp::SExt),
            Opcode::ZExt => (false, CastOp::ZExt),
            _ => return None,
        };
        let mut value = extended.operand(0)?;
        let (mut steps, mut factor) = (vec![(extended, Operation::Extend(extension))], 1i64);
        while !self.is_counter(value) {
            let step = value.as_inst().filter(|step| keeps(*step, is_signed) && steps.len() <= MOST_STEPS)?;
            let [left, right] = step.two_operands()?;
            let (inner, operation, by) = match step.opcode() {
                Opcode::Add if self.is_invariant(right) => (left, Operation::With(BinaryOp::Add, right), 1),
                Opcode::Add if self.is_invariant(left) => (right, Operation::With(BinaryOp::Add, left), 1),
                Opcode::Mul => (left, Operation::With(BinaryOp::Mul, right), number(right, is_signed)?),
                Opcode::Shl => {
                    let bits = right.as_unsigned().filter(|bits| *bits < 31)?;
                    (left, Operation::With(BinaryOp::Shl, right), 1 << bits)
                }
                _ => return None,
            };
            factor = factor.checked_mul(by)?;
            steps.push((step, operation));
            value = inner;
        }
        if !self.is_accessed(inst, steps.len()) {
            return None;
        }
        let (start, by) = self.counter(value, is_signed)?;
        let elements = factor.checked_mul(by)?;
        let size = editor.layout().abi_size(inst.value().gep_source()?)?;
        // One up to a limit does not wrap, which ptxas finds by itself.
        let stride = elements.checked_mul(i64::try_from(size).ok()?)?;
        (elements.unsigned_abs() > 1).then_some(Address { inst, steps, start, stride })
    }

    /// Whether each round loads from the address or stores to it, or to one at a constant distance, and nothing else is done with it. A loop with several accesses has
    /// been unrolled: it needs fewer copies, and a base and a product is one instruction for `ptxas`, where the pointer would be two. An index that takes another
    /// instruction costs as much.
    fn is_accessed(&self, address: Inst<'e>, steps: usize) -> bool {
        let is_access = |user: Inst<'e>, of: Inst<'e>| {
            user.block() == Some(self.block) && user.access().is_some_and(|(place, _)| place == of.value())
        };
        let is_near = |user: Inst<'e>| {
            steps > 1
                && user.opcode() == Opcode::GetElementPtr
                && user.operands().skip(1).all(|index| index.is_constant_integer())
                && user.users().all(|access| is_access(access, user))
        };
        address.has_users() && address.users().all(|user| is_access(user, address) || is_near(user))
    }

    fn is_counter(&self, value: Value<'e>) -> bool {
        value.as_op(Opcode::Phi).is_some_and(|phi| phi.block() == Some(self.block))
    }

    /// What a counter of 32 bits is before the loop, and the constant that it counts by without wrapping.
    fn counter(&self, value: Value<'e>, is_signed: bool) -> Option<(Value<'e>, i64)> {
        let phi = value.as_op(Opcode::Phi).filter(|phi| phi.ty().integer_bits() == Some(32))?;
        let sum = phi.incoming_from(self.block)?.as_op(Opcode::Add).filter(|sum| keeps(*sum, is_signed))?;
        let [counter, by] = sum.two_operands()?;
        let by = number(by, is_signed)?;
        (counter == value).then_some((phi.incoming_from(self.before)?, by))
    }

    /// Builds the pointer, and replaces the address.
    fn advance(&self, editor: &Editor<'e>, address: &Address<'e>) -> Result<(), LlvmError> {
        let (Some(first), Some(end)) = (self.block.first(), self.block.terminator()) else { return Ok(()) };
        let (Some(source), Some(base)) = (address.inst.value().gep_source(), address.inst.operand(0)) else {
            return Ok(());
        };
        let before = editor.before(self.entry)?;
        let index =
            address.steps.iter().rev().try_fold(address.start, |value, (step, operation)| {
                once(&before, *step, *operation, value)
            })?;
        let start = before.gep(source, base, &[index], GepFlags::default())?;
        let ty = address.inst.ty();
        let phi = editor.before(first)?.phi(ty, &[(start, self.before), (start, self.block)])?;
        let distance = editor.integer(64).number(address.stride)?;
        let next =
            editor.before(end)?.gep(editor.integer(8), phi.value(), &[distance], GepFlags::default())?;
        phi.set_operand(1, next)?;
        editor.replace(address.inst, phi.value())?;
        let unused = |step: &&Inst<'e>| !step.is_erased() && !step.has_users();
        address.steps.iter().map(|(step, _)| step).filter(unused).try_for_each(|step| editor.erase(*step))
    }
}

/// An operation of the first round, before the loop.
fn once<'e>(
    builder: &Builder<'_, 'e>,
    step: Inst<'e>,
    operation: Operation<'e>,
    value: Value<'e>,
) -> Result<Value<'e>, LlvmError> {
    let built = match operation {
        Operation::Extend(op) => builder.cast(op, value, step.ty())?,
        Operation::With(op, other) => builder.binary(op, value, other)?,
    };
    if let Some(inst) = built.as_inst() {
        inst.set_wrap_flags(step.wrap_flags());
    }
    Ok(built)
}

/// The number that a constant is.
fn number(constant: Value<'_>, is_signed: bool) -> Option<i64> {
    if is_signed { constant.as_signed() } else { i64::try_from(constant.as_unsigned()?).ok() }
}

/// Whether an operation promises that its result is that of unbounded integers.
fn keeps(inst: Inst<'_>, is_signed: bool) -> bool {
    let WrapFlags { nuw, nsw } = inst.wrap_flags();
    if is_signed { nsw } else { nuw }
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    /// The function after the pass: a loop that accesses an address by these lines, and counts by a step.
    fn advanced(index: &str, step: &str) -> String {
        advanced_after("br label %loop", index, step)
    }

    /// The same, where the loop is entered by this branch.
    fn advanced_after(branch: &str, index: &str, step: &str) -> String {
        let text = format!(
            "define float @f(ptr addrspace(1) %x, i32 %lane, i32 %row, i32 %n, i1 %enters) {{
entry:
  {branch}
none:
  ret float 0.0
loop:
  %i = phi i32 [ %lane, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
{index}
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %next = {step}
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %end
end:
  ret float %more
}}"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        crate::pass::on_functions(&mut module, super::run).expect("runs");
        module.verify().expect("still valid");
        module.to_text()
    }

    const INDEX: &str = "  %j = add nsw i32 %i, %row
  %k = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %k";
    const STEP: &str = "add nsw i32 %i, 32";

    fn round(text: &str) -> &str {
        text.split_once("\nloop:").expect("the loop").1
    }

    #[test]
    fn a_pointer_is_advanced_by_the_stride_in_bytes() {
        let text = advanced(INDEX, STEP);
        assert!(
            round(&text).contains("phi ptr addrspace(1)") && round(&text).contains(", i64 128"),
            "{text}"
        );
        assert!(!round(&text).contains("sext") && !round(&text).contains("%row"), "{text}");
        assert!(text.contains("add nsw i32 %lane, %row"), "{text}");
    }

    #[test]
    fn products_count_for_their_factor() {
        let index = "  %m = mul nsw i32 %i, 3
  %j = add nsw i32 %row, %m
  %k = sext i32 %j to i64
  %p = getelementptr float, ptr addrspace(1) %x, i64 %k";
        let text = advanced(index, "add nsw i32 %i, -1");
        assert!(round(&text).contains(", i64 -12"), "{text}");
        let index = "  %m = shl nuw i32 %i, 2
  %k = zext i32 %m to i64
  %p = getelementptr float, ptr addrspace(1) %x, i64 %k";
        let text = advanced(index, "add nuw i32 %i, 1");
        assert!(round(&text).contains(", i64 16"), "{text}");
    }

    #[test]
    fn unrolled_loops_get_pointers_where_the_index_is_a_sum() {
        let near = INDEX.replace("%p =", "%q =") + "\n  %p = getelementptr i8, ptr addrspace(1) %q, i64 64";
        let text = advanced(&near, STEP);
        assert!(round(&text).contains("phi ptr addrspace(1)") && round(&text).contains("i64 64"), "{text}");
    }

    #[test]
    fn loops_with_atomic_operations_stay() {
        let counted = format!("{INDEX}\n  %a = atomicrmw add ptr addrspace(1) %x, i32 1 monotonic");
        assert!(!round(&advanced(&counted, STEP)).contains("phi ptr"));
    }

    #[test]
    fn a_loop_may_be_entered_by_a_conditional_branch() {
        let text = advanced_after("br i1 %enters, label %loop, label %none", INDEX, STEP);
        assert!(round(&text).contains("phi ptr addrspace(1)"), "{text}");
    }

    #[test]
    fn indices_that_may_wrap_or_that_ptxas_understands_stay() {
        let stays = |index: &str, step: &str| {
            let text = advanced(index, step);
            assert!(!round(&text).contains("phi ptr"), "{text}");
        };
        stays(&INDEX.replace("add nsw", "add"), STEP);
        stays(&INDEX.replace("add nsw", "add nuw"), STEP);
        stays(INDEX, "add i32 %i, 32");
        stays(INDEX, "add nsw i32 %i, 1");
        stays(INDEX, "add nsw i32 %i, %n");
        stays(&INDEX.replace("%row", "%i"), STEP);
        stays(&INDEX.replace("sext", "zext"), STEP);
        // Unrolled, and the index takes none of its own.
        let near = "  %k = sext i32 %i to i64
  %q = getelementptr float, ptr addrspace(1) %x, i64 %k
  %p = getelementptr i8, ptr addrspace(1) %q, i64 64";
        stays(near, STEP);
        // Not every round has the access.
        let chosen = INDEX.replace("%p =", "%q =")
            + "\n  %g = icmp sgt i32 %i, 7\n  %p = select i1 %g, ptr addrspace(1) %q, ptr addrspace(1) %x";
        stays(&chosen, STEP);
    }
}
