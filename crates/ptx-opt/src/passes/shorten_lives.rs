//! `ptx-shorten-lives`: keeps values from living across calls where that saves registers.

use ptx_llvm::{LlvmError, Module};

pub(super) fn run(module: &Module<'_>) -> Result<(), LlvmError> {
    ptx_llvm::shorten_lives(module);
    Ok(())
}

#[cfg(test)]
mod tests {
    use ptx_llvm::{Context, Module};

    /// The instructions of a function's only block after the pass, each by its name.
    fn order(body: &str) -> Vec<String> {
        let context = Context::new().expect("LLVM 22");
        let text = format!(
            "declare void @g()\ndeclare float @llvm.fabs.f32(float)\ndefine void @f(i32 %x, i32 %y, i64 %w, ptr %p) {{\n{body}\n  ret void\n}}\n"
        );
        let module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        ptx_llvm::shorten_lives(&module);
        module.verify().expect("still valid");
        let text = module.to_text();
        let body = text.split("define").nth(1).expect("the function");
        let instruction = |line: &str| match line.trim().split_once(" = ") {
            Some((name, _)) => name.to_owned(),
            None => line.trim().split(' ').next().unwrap_or_default().to_owned(),
        };
        body.lines().skip(1).take_while(|line| !line.starts_with('}')).map(instruction).collect()
    }

    #[test]
    fn select_whose_operands_wait_for_it_comes_before_the_call() {
        let order = order(
            "  %c = icmp eq i32 %x, 0
  %a = add i32 %x, 1
  call void @g()
  %s = select i1 %c, i32 %a, i32 7
  store i32 %s, ptr %p",
        );
        assert_eq!(order, ["%c", "%a", "%s", "call", "store", "ret"]);
    }

    #[test]
    fn operand_that_is_needed_later_too_leaves_things_as_they_are() {
        let order = order(
            "  %a = add i32 %x, 1
  call void @g()
  %s = sub i32 7, %a
  store i32 %s, ptr %p
  store i32 %a, ptr %p",
        );
        assert_eq!(order, ["%a", "call", "%s", "store", "store", "ret"]);
    }

    #[test]
    fn what_is_wider_than_its_operands_stays_behind_the_call() {
        let order = order(
            "  %a = add i32 %x, 1
  call void @g()
  %s = sext i32 %a to i64
  store i64 %s, ptr %p",
        );
        assert_eq!(order, ["%a", "call", "%s", "store", "ret"]);
    }

    #[test]
    fn cast_of_the_bits_is_the_same_register() {
        let order = order(
            "  %a = add i32 %x, 1
  %f = bitcast i32 %a to float
  call void @g()
  %n = fneg float %f
  store float %n, ptr %p
  store i32 %a, ptr %p",
        );
        assert_eq!(order, ["%a", "%f", "call", "%n", "store", "store", "ret"]);
    }

    #[test]
    fn chains_move_together_and_past_all_calls() {
        let order = order(
            "  %a = add i32 %x, 1
  %b = add i32 %y, 2
  call void @g()
  call void @g()
  %s = mul i32 %a, %b
  %t = sub i32 0, %s
  %u = xor i32 %t, %s
  store i32 %u, ptr %p",
        );
        assert_eq!(order, ["%a", "%b", "%s", "call", "call", "%t", "%u", "store", "ret"]);
    }

    #[test]
    fn step_that_saves_nothing_itself_comes_along_where_the_next_one_saves() {
        let order = order(
            "  %a = add i32 %x, 1
  %b = add i32 %y, 2
  call void @g()
  %n = sub i32 0, %a
  %s = mul i32 %n, %b
  store i32 %s, ptr %p",
        );
        assert_eq!(order, ["%a", "%n", "%b", "%s", "call", "store", "ret"]);
    }

    #[test]
    fn what_takes_as_many_registers_as_before_stays_behind_the_call() {
        let order = order(
            "  %a = add i32 %x, 1
  call void @g()
  %n = sub i32 0, %a
  store i32 %n, ptr %p",
        );
        assert_eq!(order, ["%a", "call", "%n", "store", "ret"]);
    }

    #[test]
    fn addresses_of_variables_on_the_stack_wait_in_no_register() {
        let order = order(
            "  %v = alloca i64
  %s = addrspacecast ptr %v to ptr addrspace(5)
  %t = getelementptr i8, ptr addrspace(5) %s, i64 4
  call void @g()
  %d = ptrtoint ptr addrspace(5) %t to i32
  store i32 %d, ptr %p",
        );
        assert_eq!(order, ["%v", "%s", "%t", "call", "%d", "store", "ret"]);
    }

    #[test]
    fn comparison_with_what_the_next_round_takes_stays_behind_the_call() {
        let order = order(
            "  br label %loop
loop:
  %i = phi ptr [ %p, %0 ], [ %next, %loop ]
  %l = load i32, ptr %i
  call void @g()
  %next = getelementptr i8, ptr %i, i64 4
  %number = ptrtoint ptr %next to i64
  %c = icmp eq i64 %number, %w
  br i1 %c, label %out, label %loop
out:",
        );
        let after_load: Vec<&str> =
            order.iter().skip_while(|name| *name != "%l").map(String::as_str).collect();
        assert_eq!(after_load[..5], ["%l", "call", "%next", "%number", "%c"]);
    }

    #[test]
    fn accesses_divisions_and_what_no_call_precedes_stay() {
        let order = order(
            "  %a = add i32 %x, 1
  %l = load i32, ptr %p
  %n = call float @llvm.fabs.f32(float 1.0)
  %s = xor i32 %a, 5
  call void @g()
  %d = sdiv i32 %s, %y
  %m = load i32, ptr %p
  store i32 %d, ptr %p",
        );
        assert_eq!(order, ["%a", "%l", "%n", "%s", "call", "%d", "%m", "store", "ret"]);
    }
}
