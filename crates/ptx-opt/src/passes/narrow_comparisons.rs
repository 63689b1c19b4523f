//! `ptx-narrow-comparisons`: comparisons of what fits into 32 bits are comparisons of 32 bits.
//!
//! LLVM's InstCombine turns the comparison of the lower half of a counter into one of all of its bits under a mask:
//!
//! ```text
//! %m = and i64 %i, 4294967295                %t = trunc i64 %i to i32
//! %c = icmp ne i64 %m, 100             -->   %c = icmp ne i32 %t, 100
//! ```
//!
//! On a GPU the lower half is a register, the mask an instruction and the comparison of 64 bits two.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate};
use ptx_llvm_core::edit::{Editor, Function, Inst, Opcode, TypeKind, Value};

use crate::pass::{Pass, Run, When};

pub(super) const PASS: Pass = Pass {
    name: "ptx-narrow-comparisons",
    summary: "Compares 32 bits of a 64-bit integer where a mask leaves no others.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    for inst in function.instructions() {
        if let Some(narrow) = Narrow::of(inst) {
            narrow.replace(editor)?;
        }
    }
    Ok(())
}

/// A comparison of a masked integer with a constant.
struct Narrow<'e> {
    compare: Inst<'e>,
    mask: Inst<'e>,
    predicate: IntPredicate,
    /// The integer of 64 bits.
    value: Value<'e>,
    /// The mask, if it leaves out bits that the lower half may have.
    kept: Option<u32>,
    /// What it is compared with.
    limit: u32,
}

impl<'e> Narrow<'e> {
    fn of(compare: Inst<'e>) -> Option<Self> {
        let predicate = match compare.int_predicate()? {
            // Both are below 2^32, so that they have no sign.
            IntPredicate::Slt => IntPredicate::Ult,
            IntPredicate::Sle => IntPredicate::Ule,
            IntPredicate::Sgt => IntPredicate::Ugt,
            IntPredicate::Sge => IntPredicate::Uge,
            other => other,
        };
        let [left, right] = compare.two_operands()?;
        let limit = u32::try_from(right.as_unsigned()?).ok()?;
        let mask = left.as_op(Opcode::And).filter(|mask| mask.has_one_use())?;
        let [value, kept] = mask.two_operands()?;
        if value.ty().kind() != TypeKind::Integer(64) {
            return None;
        }
        let kept = u32::try_from(kept.as_unsigned()?).ok()?;
        let zeros = kept.trailing_zeros();
        let is_half = kept != 0 && kept.checked_shr(zeros)?.trailing_ones() + zeros == 32;
        let kept = (!(is_half && is_multiple(value, zeros))).then_some(kept);
        Some(Self { compare, mask, predicate, value, kept, limit })
    }

    fn replace(self, editor: &Editor<'e>) -> Result<(), LlvmError> {
        let builder = editor.before(self.compare)?;
        let word = editor.integer(32);
        let number = |number: u32| word.number(i64::from(number.cast_signed()));
        let mut half = builder.cast(CastOp::Trunc, self.value, word)?;
        if let Some(kept) = self.kept {
            half = builder.binary(BinaryOp::And, half, number(kept)?)?;
        }
        let compare = builder.int_compare(self.predicate, half, number(self.limit)?)?;
        editor.replace(self.compare, compare)?;
        editor.erase(self.mask)
    }
}

/// Whether an integer is known to be a multiple of 2^`zeros`: a product, or a counter that starts and grows by one.
fn is_multiple<'e>(value: Value<'e>, zeros: u32) -> bool {
    let is_number = |value: Value<'_>| {
        value.as_unsigned().is_some_and(|number| number == 0 || number.trailing_zeros() >= zeros)
    };
    let sum = |value: Value<'e>| {
        let [counter, by] = value.as_op(Opcode::Add)?.two_operands()?;
        is_number(by).then_some(counter)
    };
    if zeros == 0 {
        return true;
    }
    if let Some(shift) = value.as_op(Opcode::Shl) {
        return shift.operand(1).and_then(Value::as_unsigned).is_some_and(|by| by >= u64::from(zeros));
    }
    // Default: the counter itself is compared.
    let counter = sum(value).unwrap_or(value);
    counter.as_op(Opcode::Phi).is_some_and(|phi| {
        phi.incomings().all(|(from, _)| is_number(from) || from == counter || sum(from) == Some(counter))
    })
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    /// The comparison after the pass, and the values that it is computed by.
    fn compared(body: &str) -> Vec<String> {
        let text = format!(
            "define i1 @f(i64 %x, i64 %n, i1 %c) {{
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 4
{body}
  br i1 %r, label %loop, label %end
end:
  ret i1 %r
}}"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        crate::pass::on_functions(&mut module, super::run).expect("runs");
        module.verify().expect("still valid");
        let text = module.to_text();
        let lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with("%next"));
        lines.skip(1).take_while(|line| !line.starts_with("br ")).map(str::to_owned).collect()
    }

    #[test]
    fn halves_are_compared() {
        assert_eq!(
            compared("  %m = and i64 %x, 4294967295\n  %r = icmp ne i64 %m, 100"),
            ["%1 = trunc i64 %x to i32", "%r = icmp ne i32 %1, 100"]
        );
        assert_eq!(
            compared("  %m = and i64 %x, 7\n  %r = icmp slt i64 %m, 3000000000"),
            ["%1 = trunc i64 %x to i32", "%2 = and i32 %1, 7", "%r = icmp ult i32 %2, -1294967296"]
        );
        assert_eq!(
            compared("  %m = and i64 %next, 4294967292\n  %r = icmp ne i64 %m, 100"),
            ["%1 = trunc i64 %next to i32", "%r = icmp ne i32 %1, 100"]
        );
        // Not known to be a multiple of 8.
        assert_eq!(compared("  %m = and i64 %next, 4294967288\n  %r = icmp ne i64 %m, 100").len(), 3);
        assert_eq!(compared("  %m = and i64 %x, 4294967292\n  %r = icmp ne i64 %m, 100").len(), 3);
    }

    #[test]
    fn other_comparisons_stay() {
        for body in [
            "  %m = and i64 %x, 4294967296\n  %r = icmp ne i64 %m, 0",
            "  %m = and i64 %x, -1\n  %r = icmp ne i64 %m, 0",
            "  %m = and i64 %x, 255\n  %r = icmp slt i64 %m, -1",
            "  %m = and i64 %x, %n\n  %r = icmp eq i64 %m, 1",
            "  %m = and i64 %x, 255\n  %r = icmp eq i64 %m, %n",
        ] {
            let lines: Vec<&str> = body.lines().map(str::trim).collect();
            assert_eq!(compared(body), lines);
        }
    }
}
