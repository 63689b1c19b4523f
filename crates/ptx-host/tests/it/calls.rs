//! Calls of functions in both engines, and branches to one of many places.

use crate::common::Case;

fn agrees(before: &str, body: &str) {
    let case = Case { before, ..Case::warp(body) };
    case.agrees();
    Case { grid: 2, block: [45, 1, 1], n: 9, ..case }.agrees();
}

const ADD: &str = ".func (.param .b32 sum) add(.param .b32 a, .param .b32 b)\n{ .reg .b32 %r<4>; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; add.u32 %r3, %r1, %r2; st.param.u32 [sum], %r3; ret; }\n";
const CALL_ADD: &str = "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.u32 [x], %r6; st.param.u32 [y], %r7; call.uni (z), add, (x, y); ld.param.u32 %r8, [z]; }\n";

#[test]
fn parameters_in_memory() {
    let body = format!(
        "ld.global.u32 %r6, [%rd5]; mov.u32 %r7, %r4; {CALL_ADD} mov.u32 %r6, %r8; {CALL_ADD} st.global.u32 [%rd4], %r8; ret;"
    );
    agrees(ADD, &body);
    // Structures, of which the caller fills and reads bytes.
    let before = ".func (.param .align 8 .b8 out[20]) turn(.param .align 8 .b8 in[20], .param .b16 n)\n{ .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .b16 %h<3>;\n\
                  ld.param.u32 %r1, [in]; ld.param.u64 %rd1, [in+8]; ld.param.u8 %h1, [in+17]; ld.param.u16 %h2, [n]; cvt.u32.u16 %r2, %h1; cvt.u32.u16 %r3, %h2; add.u32 %r1, %r1, %r3;\n\
                  st.param.u64 [out], %rd1; st.param.u32 [out+8], %r1; st.param.v2.u32 [out+12], {%r2, %r3}; ret; }\n";
    let before = before.replace(
        "st.param.v2.u32 [out+12], {%r2, %r3}",
        "st.param.u32 [out+12], %r2; st.param.u32 [out+16], %r3",
    );
    let body = "ld.global.u32 %r6, [%rd5]; cvt.u16.u32 %h1, %r6; mul.wide.u32 %rd6, %r6, %r6; { .param .align 8 .b8 x[20]; .param .b16 y; .param .align 8 .b8 z[20];\n\
                st.param.u32 [x], %r4; st.param.u64 [x+8], %rd6; st.param.u8 [x+17], %h1; st.param.u16 [y], %h1; call (z), turn, (x, y);\n\
                ld.param.u64 %rd7, [z]; ld.param.u32 %r7, [z+8]; ld.param.u32 %r8, [z+12]; ld.param.u16 %h2, [z+16]; }\n\
                cvt.u32.u64 %r9, %rd7; add.u32 %r9, %r9, %r7; mad.lo.u32 %r9, %r9, 3, %r8; cvt.u32.u16 %r10, %h2; add.u32 %r9, %r9, %r10; st.global.u32 [%rd4], %r9; ret;";
    agrees(&before, body);
}

/// Values that are passed in memory become rows where all accesses are of them.
#[test]
fn parameters_that_are_read_in_parts() {
    let before = ".func (.param .b32 out) parts(.param .b32 a, .param .b64 b, .param .b16 c, .param .b32 d)\n{ .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .b16 %h<6>; .reg .pred %p;\n\
                  ld.param.s8 %r1, [a]; ld.param.u16 %r2, [a]; ld.param.s16 %r3, [b]; ld.param.s32 %rd1, [b]; ld.param.u64 %rd2, [b]; ld.param.s8 %h1, [c]; ld.param.u16 %h2, [c];\n\
                  ld.param.u8 %r4, [d+1]; ld.param.u16 %r5, [d+2]; cvt.s32.s16 %r6, %h1; cvt.u32.u16 %r7, %h2; cvt.u32.u64 %r8, %rd1; shr.u64 %rd2, %rd2, 9;\n\
                  cvt.u32.u64 %r9, %rd2; mad.lo.u32 %r1, %r1, 3, %r2; mad.lo.u32 %r1, %r1, 3, %r3; mad.lo.u32 %r1, %r1, 3, %r4; mad.lo.u32 %r1, %r1, 3, %r5; mad.lo.u32 %r1, %r1, 3, %r6;\n\
                  mad.lo.u32 %r1, %r1, 3, %r7; mad.lo.u32 %r1, %r1, 3, %r8; mad.lo.u32 %r1, %r1, 3, %r9; setp.gt.u32 %p, %r1, %r4; st.param.u32 [out], %r1; @%p bra over; st.param.u32 [out], %r9; over: ret; }\n";
    let body = "ld.global.u32 %r6, [%rd5]; mul.wide.u32 %rd6, %r6, %r6; cvt.u16.u32 %h1, %r6; not.b32 %r7, %r6; cvt.u16.u32 %h2, %r7;\n\
                { .param .b32 w; .param .b64 x; .param .b16 y; .param .b32 z; .param .b32 r; st.param.u32 [w], %r6; st.param.u64 [x], %rd6; st.param.u16 [y], %h1;\n\
                st.param.u16 [z], %h2; st.param.u16 [z+2], %h1; call (r), parts, (w, x, y, z); ld.param.u32 %r8, [r]; ld.param.u8 %r9, [r]; }\n\
                add.u32 %r8, %r8, %r9; st.global.u32 [%rd4], %r8; ret;";
    agrees(before, body);
}

#[test]
fn parameters_in_registers() {
    let before = ".func (.reg .b32 %q, .reg .b64 %w) both(.reg .b32 %a, .reg .b64 %b, .reg .b16 %c)\n{ .reg .b32 %t; cvt.u32.u16 %t, %c; add.u32 %q, %a, %t; mul.wide.u32 %w, %q, %q; add.u64 %w, %w, %b; ret; }\n";
    let body = "ld.global.u32 %r6, [%rd5]; mul.wide.u32 %rd6, %r6, 77; cvt.u16.u32 %h1, %r6; call (%r7, %rd7), both, (%r6, %rd6, %h1); call (%r8, _), both, (3, 5, 9);\n\
                cvt.u32.u64 %r9, %rd7; xor.b32 %r9, %r9, %r7; add.u32 %r9, %r9, %r8; st.global.u32 [%rd4], %r9; ret;";
    agrees(before, body);
}

#[test]
fn lanes_that_call_and_return_apart() {
    // Functions that call others, with returns in loops and in branches, called by some lanes.
    let before = format!(
        "{ADD}.func (.param .b32 steps) collatz(.param .b32 n)\n{{ .reg .b32 %r<12>; .reg .pred %p<4>; ld.param.u32 %r6, [n]; mov.u32 %r9, 0; and.b32 %r6, %r6, 255; or.b32 %r6, %r6, 1;\n\
         again: st.param.u32 [steps], %r9; setp.eq.u32 %p1, %r6, 1; @%p1 ret; mov.u32 %r7, 1; {CALL_ADD} and.b32 %r10, %r6, 1; setp.eq.u32 %p2, %r10, 0;\n\
         mad.lo.u32 %r8, %r6, 2, %r8; shr.u32 %r7, %r6, 1; selp.u32 %r6, %r7, %r8, %p2; add.u32 %r9, %r9, 1; setp.gt.u32 %p3, %r9, 60; @!%p3 bra again; ret; }}\n"
    );
    let body = "ld.global.u32 %r6, [%rd5]; mov.u32 %r8, 7; and.b32 %r9, %r6, 3; setp.eq.u32 %p1, %r9, 0; @%p1 bra over;\n\
                { .param .b32 x; .param .b32 z; st.param.u32 [x], %r6; call (z), collatz, (x); ld.param.u32 %r8, [z]; }\n\
                over: { .param .b32 x; .param .b32 z; st.param.u32 [x], %r4; @!%p1 call (z), collatz, (x); ld.param.u32 %r7, [z]; }\n\
                mad.lo.u32 %r8, %r8, 100, %r7; st.global.u32 [%rd4], %r8; ret;";
    agrees(&before, body);
}

#[test]
fn registers_begin_as_zeros_in_each_call() {
    let before = ".func (.param .b32 out) count(.param .b32 n)\n{ .reg .b32 %r<4>; .reg .pred %p; .local .align 4 .b8 kept[8]; ld.param.u32 %r1, [n];\n\
                  setp.lt.u32 %p, %r1, 9; @%p add.u32 %r2, %r2, %r1; @!%p add.u32 %r3, %r3, 5; add.u32 %r2, %r2, %r3; st.local.u32 [kept+4], %r2; ld.local.u32 %r3, [kept+4]; st.param.u32 [out], %r3; ret; }\n";
    let body = "mov.u32 %r6, 0; mov.u32 %r9, 0; again: { .param .b32 x; .param .b32 z; add.u32 %r7, %r4, %r6; st.param.u32 [x], %r7; call (z), count, (x); ld.param.u32 %r8, [z]; }\n\
                mad.lo.u32 %r9, %r9, 5, %r8; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3; @%p1 bra again; st.global.u32 [%rd4], %r9; ret;";
    agrees(before, body);
}

#[test]
fn local_memory_of_callers() {
    // The address of an array of the caller, in which the function sorts.
    let before = ".func swap(.param .b64 at)\n{ .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p; .local .align 8 .b8 own[16]; ld.param.u64 %rd1, [at]; ld.u32 %r1, [%rd1]; ld.u32 %r2, [%rd1+4];\n\
                  st.local.u32 [own+8], %r1; setp.gt.u32 %p, %r1, %r2; @!%p ret; st.u32 [%rd1], %r2; ld.local.u32 %r3, [own+8]; st.u32 [%rd1+4], %r3; ret; }\n";
    let body = ".local .align 8 .b8 depot[16]; ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 0xff; st.local.u32 [depot], %r6; st.local.u32 [depot+4], %r7; xor.b32 %r8, %r6, 0xffff;\n\
                st.local.u32 [depot+8], %r8; mov.u64 %rd6, depot; cvta.local.u64 %rd7, %rd6; add.u64 %rd8, %rd7, 4;\n\
                { .param .b64 x; st.param.u64 [x], %rd7; call swap, (x); st.param.u64 [x], %rd8; call swap, (x); st.param.u64 [x], %rd7; call swap, (x); }\n\
                ld.local.u32 %r6, [depot]; ld.local.u32 %r7, [depot+4]; ld.local.u32 %r8, [depot+8]; mad.lo.u32 %r6, %r6, 3, %r7; mad.lo.u32 %r6, %r6, 3, %r8; st.global.u32 [%rd4], %r6; ret;";
    agrees(before, body);
}

#[test]
fn threads_may_exit_in_a_function() {
    let before = ".func leave(.param .b32 n)\n{ .reg .b32 %r; .reg .pred %p; ld.param.u32 %r, [n]; and.b32 %r, %r, 4; setp.eq.u32 %p, %r, 0; @%p exit; ret; }\n";
    let body = "st.global.u32 [%rd4], %r4; { .param .b32 x; st.param.u32 [x], %r4; call leave, (x); } st.global.u32 [%rd4+512], %r4; ret;";
    agrees(before, body);
}

#[test]
fn branches_to_one_of_many_places() {
    let places = "list: .branchtargets zero, one, two, one, three, zero;\n@%p7 brx.idx %r7, list; mov.u32 %r8, 99; bra done;\n\
                  zero: mov.u32 %r8, 5; bra done; one: add.u32 %r8, %r6, 7; two: xor.b32 %r8, %r8, 0x77; bra done; three: mul.lo.u32 %r8, %r6, 3; add.u32 %r7, %r6, 0; and.b32 %r7, %r7, 3;\n\
                  bra again; done: st.global.u32 [%rd4], %r8; ret;";
    let begin = "ld.global.u32 %r6, [%rd5]; mov.u32 %r8, 1;";
    for guard in ["setp.eq.u32 %p7, %r8, %r8;", "and.b32 %r9, %r6, 1; setp.eq.u32 %p7, %r9, 0;"] {
        // Each lane has its own place, or all have one.
        for index in ["rem.u32 %r7, %r6, 6;", "rem.u32 %r7, %r1, 6;"] {
            let places = places.replace("@%p7 ", if guard.contains("%r8, %r8") { "" } else { "@%p7 " });
            let body = format!("{begin}{guard}{index}again: {places}");
            for n in [0, 1, 3, 4] {
                Case { n, ..Case::warp(&body) }.agrees();
            }
            agrees("", &body);
        }
    }
    let uniform = format!(
        "{begin}mov.u32 %r7, 9; setp.eq.u32 %p7, %r8, %r8; rem.u32 %r7, %r2, 6;again: {}",
        places.replace("@%p7 ", "")
    );
    Case { grid: 6, ..Case::warp(&uniform) }.agrees();
}

#[test]
fn indices_without_a_place_stop_the_launch() {
    for (index, at) in [("sub.u32 %r7, %r4, 4;", 0), ("mov.u32 %r7, %r4;", 3), ("add.u32 %r7, %r2, 3;", 0)] {
        let body = format!("{index} list: .branchtargets one, one, one; brx.idx %r7, list; one: ret;");
        let case = Case { block: [32, 1, 1], ..Case::warp(&body) };
        assert_eq!(case.stops_alike(), at, "{body}");
    }
}

const SYSTEM: &str = ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 list);\n.extern .func (.param .b64 r) malloc(.param .b64 bytes);\n\
    .extern .func free(.param .b64 at);\n.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n\
    .global .align 1 .b8 format[] = {108, 97, 110, 101, 32, 37, 117, 32, 37, 46, 50, 102, 32, 37, 115, 10, 0};\n.global .align 1 .b8 word[] = {97, 98, 0};\n\
    .const .align 1 .b8 fixed[] = {99, 111, 110, 115, 116, 97, 110, 116, 0};\n";
const PRINT: &str = ".local .align 8 .b8 list[24]; cvt.rn.f64.u32 %fd1, %r5; div.rn.f64 %fd1, %fd1, 0d4010000000000000; mov.u64 %rd6, word; cvta.global.u64 %rd6, %rd6; mov.u64 %rd7, fixed; cvta.const.u64 %rd7, %rd7;\n\
    and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, 0; selp.b64 %rd6, %rd6, %rd7, %p1; st.local.u32 [list], %r4; st.local.f64 [list+8], %fd1; st.local.u64 [list+16], %rd6;\n\
    mov.u64 %rd8, list; cvta.local.u64 %rd8, %rd8; mov.u64 %rd9, format; cvta.global.u64 %rd9, %rd9; mov.u32 %r7, 77;\n";

#[test]
fn printed_texts() {
    let print = "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.u64 [a], %rd9; st.param.u64 [b], %rd8; GUARD call (c), vprintf, (a, b); ld.param.u32 %r7, [c]; }\n";
    for (guard, then) in [("", "bra on;"), ("@%p1", "bra on;"), ("", "setp.gt.u32 %p2, %r4, 3; @%p2 bra on;")]
    {
        let print = print.replace("GUARD", guard);
        let body = format!(
            "{PRINT}{then}\non: {print} add.u32 %r8, %r7, %r4; {print} st.global.u32 [%rd4], %r8; st.global.u32 [%rd4+512], %r7; ret;"
        );
        let case = Case { before: SYSTEM, block: [37, 1, 1], grid: 2, ..Case::warp(&body) };
        let text = case.launches_alike().expect("it ends");
        assert!(text.starts_with("lane 0 0.00 ab\n"), "{text}");
    }
}

#[test]
fn memory_from_the_heap() {
    let body = "cvt.u64.u32 %rd6, %r4; add.u64 %rd6, %rd6, 8; { .param .b64 a; .param .b64 b; st.param.u64 [a], %rd6; call (b), malloc, (a); ld.param.u64 %rd7, [b]; }\n\
                st.u32 [%rd7], %r5; st.u32 [%rd7+4], %r4; setp.eq.u64 %p1, %rd7, 0; @%p1 trap; ld.u32 %r6, [%rd7]; ld.u32 %r7, [%rd7+4]; mad.lo.u32 %r6, %r6, 3, %r7;\n\
                { .param .b64 a; st.param.u64 [a], %rd7; call free, (a); } st.global.u32 [%rd4], %r6; ret;";
    let case = Case { before: SYSTEM, block: [40, 1, 1], grid: 3, ..Case::warp(body) };
    assert_eq!(case.launches_alike(), Ok(String::new()));
    let body = "{ .param .b64 a; mov.u64 %rd6, 4096; st.param.u64 [a], %rd6; call free, (a); } ret;";
    let case = Case { before: SYSTEM, ..Case::warp(body) };
    let error = case.launches_alike().expect_err("nothing that `malloc` gave");
    assert!(error.contains("which `malloc` did not give"), "{error}");
}

#[test]
fn failed_assertions() {
    let body = "ld.global.u32 %r6, [%rd5]; setp.ne.u32 %p1, %r5, 21; @%p1 bra fine; mov.u64 %rd6, word; cvta.global.u64 %rd6, %rd6; mov.u64 %rd7, fixed; cvta.const.u64 %rd7, %rd7; mov.u64 %rd8, 1; mov.u32 %r7, 12;\n\
                { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 o; .param .b64 s; st.param.u64 [m], %rd6; st.param.u64 [f], %rd7; st.param.u32 [l], %r7; st.param.u64 [o], %rd6; st.param.u64 [s], %rd8;\n\
                call __assertfail, (m, f, l, o, s); } trap; fine: st.global.u32 [%rd4], %r6; ret;";
    let case = Case { before: SYSTEM, block: [40, 1, 1], ..Case::warp(body) };
    let error = case.launches_alike().expect_err("the assertion fails");
    assert!(error.contains("constant:12: ab: ab"), "{error}");
    let body = body.replace("21;", "2100;");
    let case = Case { before: SYSTEM, block: [40, 1, 1], ..Case::warp(&body) };
    assert_eq!(case.launches_alike(), Ok(String::new()));
}
