use ptx_llvm_core::{Context, Gpu, Module, OptLevel};

use super::count_first;
use crate::pass::on_functions;

/// A loop that runs while the counter of the round that ends is below 64.
const LOOP: &str = "define i32 @f(i32 %n, i32 %m, ptr %p) {
  br label %loop
loop:
  %rounds = phi i32 [ 0, %0 ], [ %more, %loop ]
  %i = phi i32 [ %n, %0 ], [ %next, %loop ]
  %more = add i32 %rounds, 1
  store volatile i32 0, ptr %p
  %next = add nuw nsw i32 %i, 192
  %c = icmp ult i32 %i, 64
  br i1 %c, label %loop, label %exit
exit:
  ret i32 %rounds
}
";

fn counted(text: &str) -> String {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    on_functions(&mut module, count_first).expect("runs");
    module.verify().expect("still valid");
    module.to_text()
}

/// The lines about the counter after the pass.
fn lines(text: &str) -> Vec<String> {
    let text = counted(text);
    let about = |line: &&str| ["%i", "%next", "%c", "%0,"].iter().any(|name| line.contains(name));
    text.lines()
        .map(str::trim)
        .filter(|line| !line.contains("%rounds"))
        .filter(about)
        .map(str::to_owned)
        .collect()
}

#[test]
fn step_is_taken_at_the_top() {
    assert_eq!(
        lines(LOOP),
        [
            "%next = phi i32 [ %1, %0 ], [ %i, %loop ]",
            "%i = add i32 %next, 192",
            "%c = icmp ult i32 %i, 64",
            "br i1 %c, label %loop, label %exit",
        ]
    );
    assert!(counted(LOOP).contains("  %1 = sub i32 %n, 192\n  br label %loop"), "{}", counted(LOOP));
    let down = LOOP.replace("%i, 192", "%i, -4").replace("ult i32 %i, 64", "sgt i32 %i, %m");
    assert_eq!(lines(&down)[1..3], ["%i = add i32 %next, -4", "%c = icmp sgt i32 %i, %m"]);
    let wide = LOOP.replace("i32 %i", "i64 %i").replace("%i = phi i32 [ %n", "%i = phi i64 [ 5");
    assert_eq!(lines(&wide)[0], "%next = phi i64 [ -187, %0 ], [ %i, %loop ]");
}

#[test]
fn equation_has_the_step_added_on_both_sides() {
    let found =
        lines(&LOOP.replace("icmp ult i32 %i, 64", "icmp ne i32 %i, -1").replace("0, ptr", "%i, ptr"));
    assert_eq!(
        found[2..],
        ["%next = add i32 %i, 192", "%c = icmp ne i32 %next, 191", "br i1 %c, label %loop, label %exit",]
    );
    let needed = LOOP.replace("ult", "ne").replace("  br i1", "  store volatile i1 %c, ptr %p\n  br i1");
    assert_eq!(lines(&needed)[2..4], ["%c = icmp ne i32 %i, 64", "store volatile i1 %c, ptr %p, align 1"]);
    assert!(counted(&needed).contains("  %1 = icmp ne i32 %next, 256\n  br i1 %1, label %loop"));
}

#[test]
fn equal_signs_make_a_signed_comparison() {
    for (unsigned, signed) in [("ult", "slt"), ("ule", "sle"), ("ugt", "sgt"), ("uge", "sge")] {
        let found = lines(&LOOP.replace("ult", &format!("samesign {unsigned}")));
        assert_eq!(found[2], format!("%c = icmp {signed} i32 %i, 64"));
    }
}

#[test]
fn loops_that_it_would_cost_something_or_that_ptxas_unrolls_stay() {
    let unrolled = LOOP.replace("icmp ult i32 %i", "icmp ult i32 %next");
    let read = LOOP.replace("i32 0, ptr", "i32 %i, ptr");
    let sum = LOOP.replace("ret i32 %rounds", "ret i32 %next");
    let narrow = LOOP.replace("i32 %i", "i16 %i").replace("%i = phi i32 [ %n", "%i = phi i16 [ 5");
    let moving = LOOP.replace("%i, 64", "%i, %more");
    let alone = LOOP.replace(") {", ") noinline optnone {");
    let top = LOOP
        .replace(
            "  store",
            "  %c = icmp ult i32 %i, 64\n  br i1 %c, label %body, label %exit\nbody:\n  store",
        )
        .replace(
            "  %c = icmp ult i32 %i, 64\n  br i1 %c, label %loop, label %exit\nexit",
            "  br label %loop\nexit",
        )
        .replace("%loop ]", "%body ]");
    for text in [unrolled, read, sum, narrow, moving, alone, top] {
        let context = Context::new().expect("LLVM 22");
        let before = Module::parse(&context, "m", text.as_bytes()).expect("valid text").to_text();
        assert_eq!(counted(&text), before);
    }
}

#[test]
fn loops_run_as_often_as_before() {
    let predicates = "eq ne ugt uge ult ule sgt sge slt sle".split(' ');
    let counters = [
        ("0", "1", "9"),
        ("-3", "1", "2"),
        ("2147483646", "1", "-2147483647"),
        ("7", "-3", "1"),
        ("1", "-1", "-2"),
    ];
    let mut known = 0;
    for predicate in predicates {
        for (start, step, bound) in counters {
            let text = LOOP
                .replace("  store volatile i32 0, ptr %p\n", "")
                .replace("nuw nsw ", "")
                .replace("[ %n,", &format!("[ {start},"))
                .replace("%i, 192", &format!("%i, {step}"))
                .replace("ult i32 %i, 64", &format!("{predicate} i32 %i, {bound}"));
            let rounds = |text: &str| {
                let context = Context::new().expect("LLVM 22");
                let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
                crate::optimize(&mut module, OptLevel::O2, None, Gpu::default()).expect("runs");
                module.to_text().lines().find(|line| line.contains("ret i32")).map(str::to_owned)
            };
            let found = rounds(&counted(&text));
            assert_eq!(found, rounds(&text), "{predicate} {start} {step} {bound}");
            known += usize::from(found.is_some_and(|line| !line.contains('%')));
        }
    }
    assert!(known > 20, "LLVM knows the rounds of {known} loops");
}

/// A loop that counts from `start` by `step` until it equals `most` of `%n` and the first sum.
fn limited(most: &str, start: &str, step: &str, first: &str, comparison: &str) -> String {
    let branch = if comparison == "ne" { "label %loop, label %exit" } else { "label %exit, label %loop" };
    format!(
        "define i32 @f(i32 %n, ptr %p) {{
entry:
  %most = call i32 @llvm.{most}.i32(i32 %n, i32 {first})
  br label %loop
loop:
  %i = phi i32 [ {start}, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %rounds, %loop ]
  %rounds = add i32 %k, 1
  store volatile i32 0, ptr %p
  %next = add i32 %i, {step}
  %c = icmp {comparison} i32 %next, %most
  br i1 %c, {branch}
exit:
  ret i32 %rounds
}}
declare i32 @llvm.{most}.i32(i32, i32)
"
    )
}

#[test]
fn counters_are_compared_with_limits_by_order() {
    for (most, start, step, first, kept, left) in [
        ("smax", "0", "1", "1", "slt", "sge"),
        ("smax", "-8", "1", "-7", "slt", "sge"),
        ("umax", "0", "1", "1", "ult", "uge"),
        ("smin", "9", "-1", "8", "sgt", "sle"),
        ("umin", "9", "-1", "8", "ugt", "ule"),
    ] {
        for (comparison, expected) in [("ne", kept), ("eq", left)] {
            let text = counted(&limited(most, start, step, first, comparison));
            assert!(text.contains(&format!("icmp {expected} i32 %next, %n")), "{text}");
            assert!(!text.contains("%most"), "{text}");
        }
    }
    // Another start than the limit's, or another step, is another loop.
    for (start, step, first) in [("0", "1", "2"), ("1", "1", "1"), ("0", "2", "2")] {
        let text = counted(&limited("smax", start, step, first, "ne"));
        assert!(text.contains("icmp ne i32 %next, %most"), "{text}");
    }
}

/// By the loops' definition, for all small numbers and those around where sums wrap.
#[test]
fn limited_loops_run_as_often_as_before() {
    let numbers: Vec<i32> = (-3..=3).chain([i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX]).collect();
    // Where the counter has not arrived after so many rounds, it does not arrive soon in either form.
    const ROUNDS: usize = 9;
    for &start in &numbers {
        for &n in &numbers {
            let rounds = |step: i32, goes_on: &dyn Fn(i32) -> bool| {
                let mut counter = start;
                (1..ROUNDS).find(|_| {
                    counter = counter.wrapping_add(step);
                    !goes_on(counter)
                })
            };
            let (up, down) = (start.wrapping_add(1), start.wrapping_sub(1));
            assert_eq!(rounds(1, &|i| i != n.max(up)), rounds(1, &|i| i < n), "smax {start} {n}");
            assert_eq!(rounds(-1, &|i| i != n.min(down)), rounds(-1, &|i| i > n), "smin {start} {n}");
            let unsigned = |i: i32| i as u32;
            let umax = |i| unsigned(i) != unsigned(n).max(unsigned(up));
            assert_eq!(rounds(1, &umax), rounds(1, &|i| unsigned(i) < unsigned(n)), "umax {start} {n}");
            let umin = |i| unsigned(i) != unsigned(n).min(unsigned(down));
            assert_eq!(rounds(-1, &umin), rounds(-1, &|i| unsigned(i) > unsigned(n)), "umin {start} {n}");
        }
    }
}
