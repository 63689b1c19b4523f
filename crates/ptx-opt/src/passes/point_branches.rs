//! `ptx-point-branches`: branches that PTX writes without negated predicates.

use ptx_llvm::{Branches, LlvmError, Module};

pub(super) fn run(module: &mut Module<'_>) -> Result<(), LlvmError> {
    ptx_llvm::point_branches(module, Branches::All);
    Ok(())
}

#[cfg(test)]
mod tests {
    use ptx_llvm::{Branches, Context, Module, point_branches};

    /// The comparisons and branches of a function after the pass.
    fn branches(wanted: Branches, body: &str) -> Vec<String> {
        let context = Context::new().expect("LLVM 22");
        let text = format!("define void @f(i32 %n, float %x, ptr %p) {{\n{body}\n  ret void\n}}\n");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        point_branches(&mut module, wanted);
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
            point_branches(&mut module, Branches::Back);
            let text = module.to_text().replace("br i1 %c, label %loop, label %exit", "br label %exit");
            let text = text.replace("ret i1 %a", "%same = icmp eq i1 %a, %c\n  ret i1 %same");
            let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
            crate::optimize(&mut module, ptx_llvm::OptLevel::O2, None, ptx_llvm::Gpu::default())
                .expect("runs");
            assert!(module.to_text().contains("ret i1 false"), "{predicate}: {}", module.to_text());
        }
    }
}
