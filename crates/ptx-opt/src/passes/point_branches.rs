//! `ptx-point-branches`: which way conditional branches point.
//!
//! PTX branches to one target and runs on into the next block, under a predicate or under its negation (`@%p bra`, `@!%p bra`). A branch whose
//! first successor is the next block needs the negation. ptxas unrolls no loop that a negated predicate keeps going or ends
//! (docs/roundtrip.md, "What ptxas unrolls"), and LLVM's passes write every loop so: `br i1 %done, label %exit, label %loop`.

use std::collections::HashMap;

use ptx_llvm_core::edit::{Block, Editor, Function, Inst, Opcode, Value};
use ptx_llvm_core::{LlvmError, Module};

use crate::pass::{Parameter, Pass, Run, When, on_functions};

/// Runs at every level that optimizes, last.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-point-branches",
    summary: "Inverts comparisons so that branches need no negated predicate: ptxas does not unroll loops with one.",
    when: When::LastAtLevels,
    run: Run::Function(|editor, function| point(editor, function, Branches::All)),
    parameters: &[Parameter {
        name: "back",
        summary: "Only of branches back to an earlier block, as before raising.",
        run: Run::Function(|editor, function| point(editor, function, Branches::Back)),
    }],
};

/// The branches that [`point_branches`] looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branches {
    /// Those that lead back to an earlier block, or to their own.
    Back,
    /// All.
    All,
}

/// Inverts the comparisons of conditional branches that would need a negated predicate, and swaps their successors:
///
/// ```text
///   %done = icmp eq i32 %n, 0                      %done = icmp ne i32 %n, 0
///   br i1 %done, label %exit, label %loop          br i1 %done, label %loop, label %exit
/// exit:                                          exit:
/// ```
///
/// A comparison that has other uses stays, and a branch back gets one of its own; other branches stay as they are then.
/// So do branches around a block that ends the thread, which raising handles better, and functions that are `optnone`.
///
/// # Errors
///
/// What the editor refuses, which a valid module does not lead to.
pub fn point_branches(module: &mut Module<'_>, wanted: Branches) -> Result<(), LlvmError> {
    match wanted {
        Branches::Back => on_functions(module, |editor, function| point(editor, function, Branches::Back)),
        Branches::All => on_functions(module, |editor, function| point(editor, function, Branches::All)),
    }
}

fn point<'e>(editor: &Editor<'e>, function: Function<'e>, wanted: Branches) -> Result<(), LlvmError> {
    let blocks = function.blocks();
    let places: HashMap<Block<'_>, usize> =
        blocks.iter().enumerate().map(|(at, block)| (*block, at)).collect();
    for (at, &block) in blocks.iter().enumerate() {
        if let Some(branch) = Branch::at_end_of(block)
            && block.next() == Some(branch.then)
            && !ends_thread(branch.other)
        {
            let back = places.get(&branch.other).is_some_and(|other| *other <= at);
            if back || wanted == Branches::All {
                branch.turn(editor, back)?;
            }
        }
    }
    Ok(())
}

/// Whether control does not come out of a block.
fn ends_thread(block: Block<'_>) -> bool {
    block.terminator().is_some_and(|end| end.opcode() == Opcode::Unreachable)
}

/// A conditional branch on a comparison, with two successors.
struct Branch<'e> {
    instruction: Inst<'e>,
    comparison: Inst<'e>,
    then: Block<'e>,
    other: Block<'e>,
}

impl<'e> Branch<'e> {
    fn at_end_of(block: Block<'e>) -> Option<Self> {
        let instruction = block.terminator()?;
        let comparison = instruction.condition()?.as_inst()?;
        // LLVM's builder gives no instruction for a comparison of constants.
        let is_comparison = matches!(comparison.opcode(), Opcode::ICmp | Opcode::FCmp);
        if !is_comparison || comparison.operand(0)?.is_constant() {
            return None;
        }
        let (then, other) = (instruction.successor(0)?, instruction.successor(1)?);
        (then != other).then_some(Branch { instruction, comparison, then, other })
    }

    /// Makes the other successor the first, where the comparison serves only this branch or may get a second one beside it.
    fn turn(&self, editor: &Editor<'e>, may_add: bool) -> Result<(), LlvmError> {
        let own = self.comparison.has_one_use();
        let here = self.comparison.block() == self.instruction.block();
        if !(own || may_add && here) {
            return Ok(());
        }
        let Some(inverted) = invert(editor, self.comparison)? else { return Ok(()) };
        self.instruction.set_condition(inverted)?;
        self.instruction.set_successor(0, self.other)?;
        self.instruction.set_successor(1, self.then)?;
        // Weights would be for the other side each.
        self.instruction.set_metadata(editor.metadata_kind("prof"), None);
        if own {
            let name = self.comparison.name();
            editor.erase(self.comparison)?;
            inverted.set_name(&name);
        }
        Ok(())
    }
}

/// The opposite of a comparison, inserted after it; `None` of another instruction.
fn invert<'e>(editor: &Editor<'e>, comparison: Inst<'e>) -> Result<Option<Value<'e>>, LlvmError> {
    let (Some([lhs, rhs]), Some(next)) = (comparison.two_operands(), comparison.next()) else {
        return Ok(None);
    };
    let builder = editor.before(next)?;
    let inverted = match (comparison.int_predicate(), comparison.float_predicate()) {
        (Some(predicate), _) => builder.int_compare(predicate.inverse(), lhs, rhs)?,
        (None, Some(predicate)) => {
            builder.float_compare(predicate.inverse(), lhs, rhs, comparison.fast_math())?
        }
        (None, None) => return Ok(None),
    };
    if let Some(inst) = inverted.as_inst() {
        inst.take_location(comparison);
    }
    Ok(Some(inverted))
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    use super::{Branches, point_branches};

    /// The comparisons and branches of a function after the pass.
    fn branches(wanted: Branches, body: &str) -> Vec<String> {
        let context = Context::new().expect("LLVM 22");
        let text = format!("define void @f(i32 %n, float %x, ptr %p) {{\n{body}\n  ret void\n}}\n");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        point_branches(&mut module, wanted).expect("runs");
        module.verify().expect("still valid");
        let text = module.to_text();
        let shown = |line: &&str| line.contains("cmp") || line.trim_start().starts_with("br i1");
        text.lines().filter(shown).map(|line| line.trim().to_owned()).collect()
    }

    const LOOP: &str = "  br label %loop
loop:
  %i = phi i32 [ %n, %0 ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add i32 %i, -1
  %done = icmp eq i32 %next, 0
  br i1 %done, label %exit, label %loop, !prof !{!\"branch_weights\", i32 1, i32 99}
exit:";

    #[test]
    fn latch_leads_back_on_a_true_comparison() {
        for wanted in [Branches::Back, Branches::All] {
            let found = branches(wanted, LOOP);
            assert_eq!(found, ["%done = icmp ne i32 %next, 0", "br i1 %done, label %loop, label %exit"]);
        }
    }

    #[test]
    fn comparison_that_is_needed_elsewhere_stays_beside_that_of_the_latch() {
        let body = LOOP.replace("  br i1", "  store volatile i1 %done, ptr %p\n  br i1");
        let found = branches(Branches::All, &body);
        assert_eq!(
            found,
            [
                "%done = icmp eq i32 %next, 0",
                "%1 = icmp ne i32 %next, 0",
                "br i1 %1, label %loop, label %exit"
            ]
        );
    }

    const FORWARD: &str = "  %c = fcmp nnan olt float %x, 1.0
  br i1 %c, label %next, label %far
next:
  store i32 1, ptr %p
  br label %far
far:";

    #[test]
    fn branch_forward_is_turned_with_its_only_comparison_where_all_are_wanted() {
        let found = branches(Branches::All, FORWARD);
        assert_eq!(found, ["%c = fcmp nnan uge float %x, 1.000000e+00", "br i1 %c, label %far, label %next"]);
        let stays = ["%c = fcmp nnan olt float %x, 1.000000e+00", "br i1 %c, label %next, label %far"];
        assert_eq!(branches(Branches::Back, FORWARD), stays);
        let shared = FORWARD.replace("  br i1", "  store i1 %c, ptr %p\n  br i1");
        assert_eq!(branches(Branches::All, &shared), stays);
    }

    #[test]
    fn branches_that_run_on_or_lead_to_the_end_of_the_thread_stay() {
        let ends = FORWARD.replace("far:", "out:\n  ret void\nfar:\n  unreachable\ndead:");
        assert!(branches(Branches::All, &ends)[1].ends_with("label %next, label %far"));
        let away = FORWARD.replace("label %next, label %far", "label %far, label %next");
        assert!(branches(Branches::All, &away)[1].ends_with("label %far, label %next"));
    }

    #[test]
    fn every_predicate_has_its_opposite() {
        let predicates = "eq ne ugt uge ult ule sgt sge slt sle".split(' ').map(|p| ("icmp", p, "i32 %n, 0"));
        let floats = "oeq one ogt oge olt ole ord ueq une ugt uge ult ule uno".split(' ');
        for (opcode, predicate, operands) in predicates.chain(floats.map(|p| ("fcmp", p, "float %x, 1.0"))) {
            let context = Context::new().expect("LLVM 22");
            // The optimizer finds that the comparison and its opposite are never equal.
            let text = format!(
                "define i1 @f(i32 %n, float %x, ptr %p) {{
  %a = {opcode} {predicate} {operands}
  br label %loop
loop:
  %c = {opcode} {predicate} {operands}
  br i1 %c, label %exit, label %loop
exit:
  ret i1 %a
}}"
            );
            let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
            point_branches(&mut module, Branches::Back).expect("runs");
            let text = module.to_text().replace("br i1 %c, label %loop, label %exit", "br label %exit");
            let text = text.replace("ret i1 %a", "%same = icmp eq i1 %a, %c\n  ret i1 %same");
            let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
            crate::optimize(&mut module, ptx_llvm_core::OptLevel::O2, None, ptx_llvm_core::Gpu::default())
                .expect("runs");
            assert!(module.to_text().contains("ret i1 false"), "{predicate}: {}", module.to_text());
        }
    }
}
