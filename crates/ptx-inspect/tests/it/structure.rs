//! Loops, calls, registers and work.

use ptx_inspect::{Analysis, LoopFacts, Work};

use crate::{kernel, module};

fn loops(body: &str) -> Vec<LoopFacts> {
    kernel(body, &[Analysis::Cfg], None).functions[0].cfg.clone().unwrap().loops
}

/// The constant, or the term.
fn trips(body: &str) -> String {
    let found = loops(body);
    assert_eq!(found.len(), 1, "{found:?}");
    let own = &found[0];
    match (own.trips, &own.trips_term) {
        (Some(count), None) => count.to_string(),
        (None, Some(term)) => term.clone(),
        (None, None) => "unknown".to_owned(),
        both => panic!("{both:?}"),
    }
}

#[test]
fn iterations_are_counted_where_the_condition_is() {
    let at_end = "mov.u32 %r1, 0; $l: add.s32 %r1, %r1, 3; setp.lt.s32 %p1, %r1, 10; @%p1 bra $l; ret;";
    assert_eq!(trips(at_end), "4");
    let at_start =
        "mov.u32 %r1, 0; $l: setp.ge.s32 %p1, %r1, 10; @%p1 bra $e; add.s32 %r1, %r1, 3; bra $l; $e: ret;";
    assert_eq!(trips(at_start), "4");
    let down = "mov.u32 %r1, 16; $l: add.s32 %r1, %r1, -2; setp.ne.s32 %p1, %r1, 0; @%p1 bra $l; ret;";
    assert_eq!(trips(down), "8");
    // It is never equal to the bound.
    let missed = "mov.u32 %r1, 15; $l: add.s32 %r1, %r1, -2; setp.ne.s32 %p1, %r1, 0; @%p1 bra $l; ret;";
    assert_eq!(trips(missed), "unknown");
    let turned = "mov.u32 %r1, 0; $l: add.s32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, 10; @!%p1 bra $l; ret;";
    assert_eq!(trips(turned), "10");
}

#[test]
fn iterations_may_be_a_term() {
    let all = "ld.param.u32 %r2, [n]; mov.u32 %r1, 0; $l: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra $l; ret;";
    assert_eq!(trips(all), "[n]");
    let fourth = "ld.param.u32 %r2, [n]; mov.u32 %r1, 0; $l: setp.ge.s32 %p1, %r1, %r2; @%p1 bra $e; add.s32 %r1, %r1, 4; bra $l; $e: ret;";
    assert_eq!(trips(fourth), "ceil(([n]) / 4)");
    let loaded =
        "ld.param.u64 %rd1, [p]; $l: ld.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra $l; ret;";
    assert_eq!(trips(loaded), "unknown");
}

#[test]
fn loops_are_nested_and_have_exits() {
    let found = loops(
        "mov.u32 %r1, 0; $a: mov.u32 %r2, 0; $b: add.s32 %r2, %r2, 1; setp.eq.s32 %p2, %r9, %r2; @%p2 bra $e; setp.lt.s32 %p1, %r2, 5; @%p1 bra $b; \
         add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 7; @%p1 bra $a; $e: ret;",
    );
    let facts: Vec<_> = found
        .iter()
        .map(|own| (own.depth, own.parent, own.trips, own.may_end_before, own.blocks.len(), own.exits.len()))
        .collect();
    assert_eq!(facts, [(1, None, Some(7), true, 4, 2), (2, Some(0), Some(5), true, 2, 2)]);
}

#[test]
fn cycles_with_two_ways_in_are_no_loops() {
    let report = kernel(
        "setp.lt.u32 %p1, %r1, 3; @%p1 bra $b; $a: add.u32 %r1, %r1, 1; $b: setp.lt.u32 %p2, %r1, 9; @%p2 bra $a; ret;",
        &[Analysis::Cfg],
        None,
    );
    let flow = report.functions[0].cfg.as_ref().unwrap();
    assert!(flow.has_other_cycles && flow.loops.is_empty(), "{flow:?}");
}

const CALLS: &str = ".extern .func outside();
.func leaf() { .local .align 4 .b8 a[100]; ret; }
.func middle() { .local .align 4 .b8 a[20]; call leaf; call outside; ret; }
.func (.param .u32 r) first(.param .u32 x) { .local .align 4 .b8 a[8]; st.param.u32 [r], 1; ret; }
.func (.param .u64 r) other(.param .u32 x) { st.param.u64 [r], 1; ret; }
.func again() { .local .align 4 .b8 a[8]; call again; ret; }
.visible .entry k() { .reg .u64 %rd<3>; .local .align 4 .b8 a[4]; .param .u32 x; .param .u32 r;
mov.u64 %rd1, first; mov.u64 %rd2, other;
p: .callprototype (.param .u32 _) _ (.param .u32 _);
st.param.u32 [x], 0;
call (r), %rd1, (x), p;
call leaf; ret; }
.visible .entry q() { call again; ret; }";

#[test]
fn calls_have_targets_and_take_local_memory() {
    let report = module(CALLS, &[Analysis::CallGraph], None);
    let calls = report.callgraph.unwrap();
    let stacks: Vec<_> = calls
        .functions
        .iter()
        .map(|function| (function.name.as_str(), function.local, function.stack, function.is_recursive))
        .collect();
    assert_eq!(
        stacks,
        [
            ("outside", 0, None, false),
            ("leaf", 100, Some(100), false),
            ("middle", 20, None, false),
            ("first", 8, Some(8), false),
            ("other", 0, Some(0), false),
            ("again", 8, None, true),
            ("k", 4, Some(104), false),
            ("q", 0, None, false),
        ]
    );
    let k = &calls.functions[6];
    let targets: Vec<_> =
        k.calls.iter().map(|call| (call.line, call.is_indirect, call.targets.join(" "))).collect();
    // `other` has a result of another size.
    assert_eq!(targets, [(11, true, "first".to_owned()), (12, false, "leaf".to_owned())]);
    assert_eq!(k.deepest, ["k", "leaf"]);
}

#[test]
fn work_is_counted_by_loops() {
    let report = kernel(
        "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0;
$l: ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; fma.rn.f32 %f5, %f1, %f2, %f5; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra $l;
st.global.f32 [%rd1], %f5; ret;",
        &[Analysis::Roofline],
        None,
    );
    let roofline = report.functions[0].roofline.as_ref().unwrap();
    let parts: Vec<Work> = roofline.parts.iter().map(|part| part.work).collect();
    let outside = Work { float: 0.0, integer: 0.0, read: 0.0, written: 4.0 };
    let inside = Work { float: 2.0, integer: 2.0, read: 16.0, written: 0.0 };
    assert_eq!(parts, [outside, inside]);
    assert_eq!(roofline.total.len(), 2);
    assert_eq!(roofline.intensity, Some(0.125));
}

#[test]
fn live_registers_are_named_at_the_point_with_most() {
    let report = kernel(
        "ld.param.u64 %rd1, [p];
ld.global.u32 %r1, [%rd1];
ld.global.u32 %r2, [%rd1+4];
setp.lt.u32 %p1, %r1, %r2;
add.u32 %r3, %r1, %r2;
st.global.u32 [%rd1], %r3;
@%p1 st.global.u32 [%rd1+4], %r3;
ret;",
        &[Analysis::Registers],
        None,
    );
    let registers = report.functions[0].registers.as_ref().unwrap();
    let live = registers.most.live;
    // Two inputs, the address and the predicate after the comparison.
    assert_eq!(
        (registers.most.line, live.units(), live.bits32, live.bits64, live.predicates),
        (4, 4, 2, 1, 1)
    );
    let names: Vec<_> = registers.live.iter().map(|live| (live.register.as_str(), live.written)).collect();
    assert_eq!(names.len(), 4);
    assert!(names.contains(&("%rd1", 1)) && names.contains(&("%p1", 4)), "{names:?}");
}

#[test]
fn json_has_what_was_asked_for() {
    let report = kernel(
        "mov.u32 %r1, s; ld.shared.u32 %r2, [%r1]; ret;",
        &[Analysis::BankConflicts],
        Some([64, 1, 1]),
    );
    let value = serde_json::to_value(&report).unwrap();
    assert_eq!(
        value,
        serde_json::json!({"functions": [{
            "name": "k", "is_kernel": true, "file": "k.ptx", "line": 1, "block": [64, 1, 1], "is_too_large": false,
            "bank_conflicts": {"arrays": [], "accesses": [{
                "line": 1, "instruction": "ld.shared.u32 %r2, [%r1]", "address": "s", "bytes": 4, "array": "s",
                "conflicts": {"least": 0, "most": 0, "ways": 1},
            }]},
        }]})
    );
}
