//! `ptx-recompute-indices`: an index that is the same on all ways to a block is computed there.
//!
//! LLVM's GVN makes a phi of a product that one of the ways has computed already, and computes it on the others:
//!
//! ```text
//! one:                                       one:
//!   %a = shl nuw nsw i32 %i, 2                 br label %end
//!   %b = zext nneg i32 %a to i64             other:
//!   br label %end                              %c = shl nuw nsw i32 %i, 2
//! other:                                 -->   %d = zext nneg i32 %c to i64
//!   %c = shl nuw nsw i32 %i, 2                 ..
//!   %d = zext nneg i32 %c to i64             end:
//!   ..                                         %e = shl nuw nsw i32 %i, 2
//! end:                                         %k = zext nneg i32 %e to i64
//!   %k = phi i64 [ %b, %one ], [ %d, %other ]  %p = getelementptr i8, ptr addrspace(1) %base, i64 %k
//!   %p = getelementptr i8, .., i64 %k
//! ```
//!
//! For `ptxas` an address that is a base and a product is one instruction, `IMAD.WIDE`; the phi costs two registers, and an instruction on each way.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp};
use ptx_llvm_core::edit::{Builder, Editor, Function, Inst, Opcode, Type, TypeKind, Value, WrapFlags};

use crate::pass::{Pass, Run, When};

pub(super) const PASS: Pass = Pass {
    name: "ptx-recompute-indices",
    summary: "Computes indices of addresses where they are used, if all ways to there compute the same: ptxas multiplies and adds in one instruction.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

/// How many operations an index is made by.
const MOST_STEPS: usize = 3;

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    for block in function.blocks() {
        let phis = block.phis();
        for phi in phis.collect::<Vec<_>>() {
            if let (Some((steps, base)), Some(first)) = (same_index(phi), block.first_after_phis()) {
                let index = compute(&editor.before(first)?, &steps, base)?;
                let computed: Vec<Value<'e>> = phi.incomings().map(|(value, _)| value).collect();
                editor.replace(phi, index)?;
                computed.into_iter().try_for_each(|value| erase_unused(editor, value))?;
            }
        }
    }
    Ok(())
}

/// One operation of an index.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Operation<'e> {
    /// To a wider integer.
    Extend(CastOp, Type<'e>),
    /// By a constant.
    Multiply(BinaryOp, Value<'e>),
}

/// An operation of an index, and what it promises.
type Step<'e> = (Operation<'e>, WrapFlags);

/// The last operation of an index, and what it is an operation on.
fn last_step(index: Value<'_>) -> Option<(Step<'_>, Value<'_>)> {
    let inst = index.as_inst()?;
    let factor = || inst.operand(1).filter(|by| by.is_constant_integer());
    let operation = match inst.opcode() {
        Opcode::ZExt => Operation::Extend(CastOp::ZExt, inst.ty()),
        Opcode::SExt => Operation::Extend(CastOp::SExt, inst.ty()),
        Opcode::Shl => Operation::Multiply(BinaryOp::Shl, factor()?),
        Opcode::Mul => Operation::Multiply(BinaryOp::Mul, factor()?),
        _ => return None,
    };
    Some(((operation, inst.wrap_flags()), inst.operand(0)?))
}

/// The operations by which all values of a phi are made, the first one first, and what of; absent if they are not the same, or not an index of an address.
fn same_index(phi: Inst<'_>) -> Option<(Vec<Step<'_>>, Value<'_>)> {
    let is_index = |user: Inst<'_>| user.opcode() == Opcode::GetElementPtr;
    if !matches!(phi.ty().kind(), TypeKind::Integer(64)) || !phi.has_users() || !phi.users().all(is_index) {
        return None;
    }
    let mut values: Vec<Value<'_>> = phi.incomings().map(|(value, _)| value).collect();
    let mut steps = Vec::new();
    while steps.len() < MOST_STEPS {
        let mut step: Option<Step<'_>> = None;
        for value in &mut values {
            let ((operation, flags), from) = last_step(*value)?;
            let flags = match step {
                None => flags,
                // What only some of them promise is not promised.
                Some((same, others)) if same == operation => both(flags, others),
                Some(_) => return None,
            };
            (step, *value) = (Some((operation, flags)), from);
        }
        steps.push(step?);
        let (first, others) = values.split_first()?;
        if others.iter().all(|value| value == first) {
            // A constant would have been folded; a phi that is its own value has no other one.
            let is_before = !first.is_constant() && *first != phi.value();
            steps.reverse();
            return is_before.then_some((steps, *first));
        }
    }
    None
}

fn both(a: WrapFlags, b: WrapFlags) -> WrapFlags {
    WrapFlags { nuw: a.nuw && b.nuw, nsw: a.nsw && b.nsw }
}

/// Builds the operations.
fn compute<'e>(
    builder: &Builder<'_, 'e>,
    steps: &[Step<'e>],
    base: Value<'e>,
) -> Result<Value<'e>, LlvmError> {
    steps.iter().try_fold(base, |value, &(operation, flags)| {
        let value = match operation {
            Operation::Extend(op, to) => builder.cast(op, value, to)?,
            Operation::Multiply(op, by) => builder.binary(op, value, by)?,
        };
        if let Some(inst) = value.as_inst() {
            inst.set_wrap_flags(flags);
        }
        Ok(value)
    })
}

/// Erases what computed an index, as far as nothing uses it.
fn erase_unused<'e>(editor: &Editor<'e>, value: Value<'e>) -> Result<(), LlvmError> {
    let mut next = Some(value);
    for _ in 0..MOST_STEPS {
        let unused =
            next.and_then(|value| value.as_inst().filter(|inst| !inst.is_erased() && !inst.has_users()));
        let Some((inst, (_, from))) = unused.and_then(|inst| Some((inst, last_step(inst.value())?))) else {
            break;
        };
        editor.erase(inst)?;
        next = Some(from);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    /// What the join of two ways computes before its address, after the pass, and how many instructions the ways have left.
    fn joined(one: &str, other: &str, end: &str) -> (Vec<String>, usize) {
        let text = format!(
            "define void @f(ptr addrspace(1) %p, i32 %i, i32 %j, i1 %c) {{
  br i1 %c, label %one, label %other
one:
{one}
  br label %end
other:
{other}
  br label %end
end:
{end}
  store i32 0, ptr addrspace(1) %g
  ret void
}}"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        crate::pass::on_functions(&mut module, super::run).expect("runs");
        module.verify().expect("still valid");
        let text = module.to_text();
        let (ways, end) = text.split_once("\nend:").expect("the join");
        let lines =
            end.lines().skip(1).filter_map(|line| line.split_once(" = ")).map(|(_, op)| op.to_owned());
        (
            lines.take_while(|op| !op.starts_with("getelementptr")).collect(),
            ways.lines().filter(|line| line.starts_with("  %")).count(),
        )
    }

    const ONE: &str = "  %a = shl nuw nsw i32 %i, 2\n  %b = zext i32 %a to i64";
    const OTHER: &str = "  %s = shl nsw i32 %i, 2\n  %t = zext i32 %s to i64\n  %h = getelementptr i8, ptr addrspace(1) %p, i64 %t\n  store i32 1, ptr addrspace(1) %h";
    const END: &str =
        "  %k = phi i64 [ %b, %one ], [ %t, %other ]\n  %g = getelementptr i8, ptr addrspace(1) %p, i64 %k";

    #[test]
    fn the_same_index_is_computed_at_the_join() {
        let (computed, left) = joined(ONE, OTHER, END);
        assert_eq!(computed.len(), 2, "{computed:?}");
        assert!(computed[0].starts_with("shl nsw i32 %i, 2"), "{computed:?}");
        assert!(computed[1].starts_with("zext i32"), "{computed:?}");
        assert_eq!(left, 3, "those that the other way uses");
    }

    #[test]
    fn other_phis_stay() {
        let is_phi = |one: &str, other: &str, end: &str| {
            let (computed, _) = joined(one, other, end);
            assert!(computed[0].starts_with("phi"), "{computed:?}");
        };
        is_phi(&ONE.replace("%i", "%j"), OTHER, END);
        is_phi(&ONE.replace(", 2", ", 3"), OTHER, END);
        is_phi(&ONE.replace("zext", "sext"), OTHER, END);
        is_phi(ONE, OTHER, &END.replace("[ %b, %one ]", "[ 4, %one ]"));
        let also = format!("{END}\n  store i64 %k, ptr addrspace(1) %p");
        is_phi(ONE, OTHER, &also);
    }
}
