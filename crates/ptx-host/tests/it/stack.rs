//! Memory that threads allocate on their stacks (manual 9.7.17): what is stored there, where it is, and what stops a thread. Sums are worked
//! out by formulas.

use crate::common::{Case, launched_alike, words};
use ptx_exec::{Argument, Launch};

/// In four rounds each thread fills as many numbers as its own number and the round have it, another count in each, and adds them up; all
/// of it is freed at the end of the round. `%rd15` is where the last ones were.
const ROUNDS: &str = ".local .align 4 .b8 own[12]; mov.u32 %r6, 0; mov.u32 %r7, 1; st.local.u32 [own+8], %r4;\n\
    round: stacksave.u64 %rd6; add.u32 %r8, %r4, 1; mul.lo.u32 %r8, %r8, %r7; mul.wide.u32 %rd7, %r8, 4; alloca.u64 %rd8, %rd7, 32;\n\
    and.b64 %rd9, %rd8, 31; cvt.u32.u64 %r9, %rd9; add.u32 %r6, %r6, %r9; mov.u32 %r10, 0;\n\
    fill: mul.lo.u32 %r11, %r10, %r7; mul.wide.u32 %rd10, %r10, 4; add.u64 %rd10, %rd8, %rd10; st.local.u32 [%rd10], %r11;\n\
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r8; @%p1 bra fill;\n\
    cvta.local.u64 %rd11, %rd8; mov.u32 %r10, 0;\n\
    more: mul.wide.u32 %rd10, %r10, 4; add.u64 %rd10, %rd11, %rd10; ld.u32 %r11, [%rd10]; add.u32 %r6, %r6, %r11;\n\
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r8; @%p1 bra more;\n\
    stackrestore.u64 %rd6; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, 4; @%p1 bra round; ld.local.u32 %r11, [own+8]; sub.u32 %r11, %r11, %r4; add.u32 %r6, %r6, %r11;\n";

#[test]
fn threads_allocate_as_much_as_they_need() {
    let body = format!("{ROUNDS} st.global.u32 [%rd4], %r6; ret;");
    let case = Case { block: [40, 1, 1], ..Case::warp(&body) };
    case.agrees();
    case.holds();
    // Round k of thread t has n = (t + 1) * k numbers, the i-th of which is i * k.
    let sum = |t: u32| (1..=4).map(|k| k * ((t + 1) * k - 1) * ((t + 1) * k) / 2).sum::<u32>();
    assert_eq!(words(&case.interpreted())[..40], (0..40).map(sum).collect::<Vec<_>>());
}

#[test]
fn places_are_those_of_the_interpreter() {
    // With and without local memory, by some threads of a warp, aligned to 8, 64 and 4096.
    for own in ["", ".local .align 8 .b8 own[20]; mov.u64 %rd6, own; st.local.u32 [%rd6], 7;"] {
        let body = format!(
            "{own} setp.lt.u32 %p1, %r4, 9; mov.u64 %rd7, 5; @%p1 alloca.u64 %rd8, %rd7; add.u32 %r8, %r4, 1; cvt.u64.u32 %rd7, %r8; alloca.u64 %rd9, %rd7, 64; stacksave.u64 %rd10;\n\
             @!%p1 alloca.u64 %rd11, 1, 4096; st.local.b8 [%rd9], 3; cvt.u32.u64 %r6, %rd9; cvt.u32.u64 %r7, %rd10; shl.b32 %r7, %r7, 16; add.u32 %r6, %r6, %r7;\n\
             stacksave.u64 %rd12; cvt.u32.u64 %r7, %rd12; xor.b32 %r6, %r6, %r7; st.global.u32 [%rd4], %r6; ret;"
        );
        let case = Case { block: [40, 1, 1], ..Case::warp(&body) };
        case.agrees();
        case.holds();
    }
}

/// What stops a kernel of one warp.
fn stopped(body: &str) -> String {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 5;\n{body}\nret; }}\n"
    );
    let launch =
        Launch { block: [32, 1, 1], arguments: vec![Argument::Buffer(vec![0; 4])], ..Launch::new("k") };
    launched_alike(&text, &launch).expect_err("it is stopped")
}

#[test]
fn the_stack_has_bounds() {
    for body in [
        "alloca.u64 %rd2, 0x80001;",
        "@%p1 alloca.u64 %rd2, 0xfffffffffffffff0;",
        "alloca.u64 %rd2, 0x7fff8; alloca.u64 %rd3, 8; @%p1 alloca.u64 %rd4, 1;",
        "again: alloca.u64 %rd2, 0x1000; bra again;",
    ] {
        let text = stopped(body);
        assert!(text.contains("stack"), "{text}");
    }
    for (body, value) in [
        ("mov.u64 %rd1, 4096; stackrestore.u64 %rd1;", "0x1000"),
        (".local .b8 own[64]; mov.u64 %rd1, 63; @%p1 stackrestore.u64 %rd1;", "0x3f"),
    ] {
        let text = stopped(body);
        assert!(
            text.contains(value) && text.contains("is not a place that the stack of this call had"),
            "{text}"
        );
    }
}

/// A function that allocates as many numbers as its argument has, fills them with another function, which allocates as many again, and adds both up.
const FUNCTIONS: &str = ".func fill(.reg .b64 %at, .reg .b32 %n) { .local .align 8 .b8 own[24]; .reg .b64 %d<8>; .reg .b32 %i<8>; .reg .pred %q<3>;\n\
    mul.wide.u32 %d1, %n, 4; alloca.u64 %d2, %d1, 16; mov.u32 %i1, 0; st.local.u32 [own+8], %n;\n\
    more: mul.wide.u32 %d3, %i1, 4; add.u64 %d4, %d2, %d3; mul.lo.u32 %i2, %i1, 3; st.local.u32 [%d4], %i2; ld.local.u32 %i3, [%d4]; add.u64 %d4, %at, %d3; st.local.u32 [%d4], %i3;\n\
    add.u32 %i1, %i1, 1; ld.local.u32 %i4, [own+8]; setp.lt.u32 %q1, %i1, %i4; @%q1 bra more; ret; }\n\
    .func (.param .b32 sum) total(.param .align 8 .b8 given[12]) { .reg .b64 %d<8>; .reg .b32 %i<8>; .reg .pred %q<3>; .local .align 4 .b8 own[4];\n\
    ld.param.u32 %i1, [given]; ld.param.u32 %i6, [given+8]; st.local.u32 [own], %i6; stacksave.u64 %d6; mul.wide.u32 %d1, %i1, 4; alloca.u64 %d2, %d1, 8; call fill, (%d2, %i1); mov.u32 %i2, 0; ld.local.u32 %i3, [own];\n\
    more: mul.wide.u32 %d3, %i2, 4; add.u64 %d4, %d2, %d3; ld.local.u32 %i4, [%d4]; add.u32 %i3, %i3, %i4; add.u32 %i2, %i2, 1; setp.lt.u32 %q1, %i2, %i1; @%q1 bra more;\n\
    stackrestore.u64 %d6; st.param.b32 [sum], %i3; ret; }\n";

#[test]
fn functions_allocate_after_their_callers() {
    // The kernel allocates as much as the round has, calls, and finds what it has stored before.
    let body = ".local .align 4 .b8 own[8]; mov.u32 %r6, 0; mov.u32 %r7, 1; st.local.u32 [own+4], %r4;\n\
        round: mul.wide.u32 %rd7, %r7, 12; alloca.u64 %rd8, %rd7, 64; st.local.u32 [%rd8], %r7; and.b32 %r9, %r4, 7; add.u32 %r9, %r9, %r7;\n\
        setp.eq.u32 %p2, %r9, 3; @%p2 bra skip;\n\
        { .param .align 8 .b8 given[12]; .param .b32 sum; st.param.u32 [given], %r9; st.param.u32 [given+4], 0; st.param.u32 [given+8], 1000; call (sum), total, (given); ld.param.u32 %r10, [sum]; }\n\
        add.u32 %r6, %r6, %r10; skip: ld.local.u32 %r11, [%rd8]; add.u32 %r6, %r6, %r11; ld.local.u32 %r12, [own+4]; sub.u32 %r12, %r12, %r4; add.u32 %r6, %r6, %r12;\n\
        add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, 4; @%p1 bra round; st.global.u32 [%rd4], %r6; ret;";
    let case = Case { before: FUNCTIONS, block: [40, 1, 1], ..Case::warp(body) };
    case.agrees();
    case.holds();
    case.is_right_when_checked();
    let sum = |t: u32| -> u32 {
        let of_round = |k: u32| match (t & 7) + k {
            3 => k,
            n => k + 1000 + 3 * n * (n - 1) / 2,
        };
        (1..=4).map(of_round).sum()
    };
    assert_eq!(words(&case.interpreted())[..40], (0..40).map(sum).collect::<Vec<_>>());
}

#[test]
fn only_a_function_allocates() {
    let body = "{ .param .align 8 .b8 given[12]; .param .b32 sum; st.param.u32 [given], 5; st.param.u32 [given+4], 0; st.param.u32 [given+8], %r4; call (sum), total, (given); ld.param.u32 %r10, [sum]; }\n\
        st.global.u32 [%rd4], %r10; ret;";
    let case = Case { before: FUNCTIONS, ..Case::warp(body) };
    case.agrees();
    assert_eq!(words(&case.interpreted())[..3], [30, 31, 32]);
}

#[test]
fn the_stack_of_functions_has_bounds() {
    let before = ".func much() { .reg .b64 %a; alloca.u64 %a, 0x70000; ret; }\n.func low() { .local .b8 own[32]; .reg .b64 %a; mov.u64 %a, 8; stackrestore.u64 %a; ret; }";
    let ran = |body: &str| {
        let text = format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n{before}\n.visible .entry k(.param .u64 out) {{\n\
             .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 5;\n{body}\nret; }}\n"
        );
        let launch =
            Launch { block: [32, 1, 1], arguments: vec![Argument::Buffer(vec![0; 4])], ..Launch::new("k") };
        launched_alike(&text, &launch)
    };
    ran("call much; call much;").expect("what a function has allocated is free after it");
    let text = ran("alloca.u64 %rd2, 0x10000; @%p1 call much; alloca.u64 %rd3, 0x10000; call much;");
    let text = text.expect_err("it is stopped");
    assert!(text.contains("stack"), "{text}");
    let text = ran("alloca.u64 %rd2, 64; call low;").expect_err("it is stopped");
    assert!(text.contains("is not a place that the stack of this call had"), "{text}");
}

#[test]
fn kernels_with_recursive_calls_are_refused() {
    let before = ".func f(.reg .b32 %n) { .reg .b64 %a; .reg .b32 %m; .reg .pred %p; stacksave.u64 %a; sub.u32 %m, %n, 1; setp.eq.u32 %p, %n, 0; @!%p call f, (%m); ret; }";
    let case = Case { before, ..Case::warp("call f, (%r4); st.global.u32 [%rd4], %r4; ret;") };
    assert_eq!(
        case.refusal(),
        "memory allocated on the stack is not compiled in kernels with recursive calls, or through addresses"
    );
}
