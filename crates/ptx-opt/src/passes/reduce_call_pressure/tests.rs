use ptx_llvm_core::{Context, Module};

use super::reduce_call_pressure;
use crate::pass::on_functions;

/// The metadata that `#dbg_value` refers to.
const DEBUG: &str = r#"
!llvm.module.flags = !{!7}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!3 = !DILocalVariable(name: "a", scope: !2, file: !1, line: 1, type: !5)
!4 = !DISubroutineType(types: !{})
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DILocation(line: 1, scope: !2)
!7 = !{i32 2, !"Debug Info Version", i32 3}
"#;

/// The instructions of a function after the pass, each by its name or first word.
fn order(body: &str) -> Vec<String> {
    let context = Context::new().expect("LLVM 22");
    let text = format!(
        "declare void @g()\ndeclare float @llvm.fabs.f32(float)\ndefine void @f(i32 %x, i32 %y, i64 %w, ptr %p) !dbg !2 {{\n{body}\n  ret void\n}}\n{DEBUG}"
    );
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    on_functions(&mut module, reduce_call_pressure).expect("runs");
    module.verify().expect("still valid");
    let text = module.to_text();
    let body = text.split("define").nth(1).expect("the function");
    let instruction = |line: &str| match line.trim().split_once(" = ") {
        Some((name, _)) => name.to_owned(),
        None => line.trim().split(' ').next().unwrap_or_default().to_owned(),
    };
    body.lines()
        .skip(1)
        .take_while(|line| !line.starts_with('}'))
        .filter(|line| line.starts_with("  "))
        .map(instruction)
        .collect()
}

#[test]
fn what_instructions_that_moved_together_read_moves_before_the_first_of_them() {
    let order = order(
        "  %a = add i32 %x, 1
  %b = mul i32 %a, %y
  %c = xor i32 %b, %a
  %z = zext i32 %a to i64
  %d = mul i64 %z, 3
  call void @g()
  store i32 %c, ptr %p
  store i64 %d, ptr %p
  store i32 %x, ptr %p
  store i32 %y, ptr %p",
    );
    let stores = ["store"; 3];
    assert_eq!(order[..6], ["call", "%a", "%z", "%b", "%c", "store"]);
    assert_eq!(order[6..10], [&["%d"][..], &stores].concat());
}

#[test]
fn what_moves_before_moved_instructions_still_stands_behind_what_is_before_them() {
    let order = order(
        "  %h = add i32 %x, 5
  %k = add i32 %h, 1
  %a = add i32 %k, 1
  %b = mul i32 %a, %y
  %c = xor i32 %b, %a
  %z = zext i32 %a to i64
  %d = mul i64 %z, 3
  %n = zext i32 %k to i64
  %m = mul i64 %n, 5
  call void @g()
  store i32 %h, ptr %p
  store i32 %c, ptr %p
  store i64 %d, ptr %p
  store i64 %m, ptr %p
  store i32 %x, ptr %p
  store i32 %y, ptr %p",
    );
    assert_eq!(order[..3], ["call", "%h", "store"]);
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
fn chains_move_together_and_past_all_calls_as_far_as_they_free_something() {
    let order = order(
        "  %a = add i32 %x, 1
  %b = add i32 %y, 2
  call void @g()
  call void @g()
  %s = xor i32 %a, 5
  %t = mul i32 %s, %b
  %u = xor i32 %t, 5
  store i32 %u, ptr %p",
    );
    assert_eq!(order, ["%a", "%s", "%b", "%t", "call", "call", "%u", "store", "ret"]);
}

#[test]
fn what_frees_as_much_as_it_takes_stays_where_it_is() {
    let order = order(
        "  %a = load float, ptr %p
  call void @g()
  %s = call float @llvm.fabs.f32(float %a)
  store float %s, ptr %p",
    );
    assert_eq!(order, ["%a", "call", "%s", "store", "ret"]);
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

#[test]
fn element_of_a_vector_that_is_needed_later_frees_nothing() {
    let order = order(
        "  %v = load <2 x float>, ptr %p
  %e = extractelement <2 x float> %v, i64 0
  call void @g()
  %s = fneg float %e
  store float %s, ptr %p
  store <2 x float> %v, ptr %p",
    );
    assert_eq!(order, ["%v", "%e", "call", "%s", "store", "store", "ret"]);
}

#[test]
fn low_half_and_parts_of_structures_are_their_registers() {
    let order = order(
        "  %a = load { i64, float }, ptr %p
  %i = extractvalue { i64, float } %a, 0
  %t = trunc i64 %i to i32
  call void @g()
  %s = xor i32 %t, 5
  store i32 %s, ptr %p
  store { i64, float } %a, ptr %p",
    );
    assert_eq!(order, ["%a", "%i", "%t", "call", "%s", "store", "store", "ret"]);
}

#[test]
fn what_is_computed_from_values_that_live_on_waits_until_it_is_needed() {
    let order = order(
        "  %a = add i32 %x, %y
  %c = icmp slt i32 %a, 7
  %z = zext i1 %c to i32
  call void @g()
  call void @g()
  store i32 %z, ptr %p
  store i32 %x, ptr %p
  store i32 %y, ptr %p",
    );
    assert_eq!(order, ["call", "call", "%a", "%c", "%z", "store", "store", "store", "ret"]);
}

#[test]
fn what_is_needed_before_a_call_too_or_reads_what_is_not_stays_before_it() {
    let order = order(
        "  %a = add i32 %x, 1
  %b = add i32 %y, 1
  store i32 %b, ptr %p
  call void @g()
  store i32 %a, ptr %p
  store i32 %b, ptr %p
  store i32 %y, ptr %p",
    );
    assert_eq!(order, ["%a", "%b", "store", "call", "store", "store", "store", "ret"]);
}

#[test]
fn value_of_the_next_round_of_a_loop_is_computed_behind_the_call() {
    let order = order(
        "  br label %loop
loop:
  %i = phi i64 [ %w, %0 ], [ %n, %loop ]
  %n = add i64 %i, 8
  %c = icmp eq i64 %n, 96
  store i64 %i, ptr %p
  call void @g()
  store i64 %i, ptr %p
  br i1 %c, label %out, label %loop
out:",
    );
    assert_eq!(order, ["br", "%i", "store", "call", "store", "%n", "%c", "br", "ret"]);
}

#[test]
fn sum_that_the_next_round_takes_alone_does_not_free_what_it_takes() {
    let order = order(
        "  br label %loop
loop:
  %i = phi i32 [ %x, %0 ], [ %a, %loop ]
  %a = add i32 %i, 8
  call void @g()
  %c = icmp eq i32 %a, 96
  br i1 %c, label %out, label %loop
out:",
    );
    assert_eq!(order, ["br", "%i", "%a", "call", "%c", "br", "ret"]);
}

#[test]
fn blocks_that_say_where_variables_are_keep_what_stands_before_calls() {
    let order = order(
        "  %a = add i32 %x, 1
    #dbg_value(i32 %a, !3, !DIExpression(), !6)
  call void @g(), !dbg !6
  store i32 %a, ptr %p
  store i32 %x, ptr %p",
    );
    assert_eq!(order, ["%a", "#dbg_value(i32", "call", "store", "store", "ret"]);
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
    let after_load: Vec<&str> = order.iter().skip_while(|name| *name != "%l").map(String::as_str).collect();
    assert_eq!(after_load[..5], ["%l", "call", "%next", "%number", "%c"]);
}

#[test]
fn value_that_a_phi_takes_over_many_edges_is_looked_at_once_for_the_phi() {
    const CASES: usize = 20_000;
    let cases: String = (0..CASES).map(|case| format!(" i32 {case}, label %join")).collect();
    let edges = "[ %m, %0 ], ".repeat(CASES);
    let body = format!(
        "  %m = add i32 %x, 1
  call void @g()
  %n = sub i32 0, %m
  store i32 %n, ptr %p
  switch i32 %y, label %join [{cases} ]
join:
  %r = phi i32 {edges}[ %m, %0 ]
  store i32 %r, ptr %p"
    );
    let start = std::time::Instant::now();
    assert_eq!(order(&body)[..4], ["%m", "call", "%n", "store"]);
    // Milliseconds; a quadratic algorithm would take minutes and gigabytes.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
