//! Functions that call themselves and functions that are called through their address, in both engines. What is expected is computed here in
//! Rust.

use crate::common::{Case, launched_alike, words};
use ptx_exec::{Argument, Launch};

/// What each of the threads stores for its number.
fn ran(functions: &str, body: &str, block: u32) -> Result<Vec<u32>, String> {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .pred %p<9>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %rd2, %r0, 4, %rd1;\n{body}\nst.global.u32 [%rd2], %r1; ret;\n}}\n"
    );
    let arguments = vec![Argument::Buffer(vec![0; 4 * block as usize])];
    let launch = Launch { block: [block, 1, 1], arguments, ..Launch::new("k") };
    launched_alike(&text, &launch).map(|outcome| words(outcome.buffers[0].as_ref().unwrap()))
}

/// A call of a function of one number with one result, `%r1 = name(argument)`.
fn call(name: &str, argument: &str, result: &str) -> String {
    format!(
        "{{ .param .b32 x; .param .b32 z; st.param.u32 [x], {argument}; call (z), {name}, (x); ld.param.u32 {result}, [z]; }}\n"
    )
}

const HEAD: &str = ".reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<9>; ld.param.u32 %r1, [n];";

fn fibonacci() -> String {
    format!(
        ".func (.param .b32 out) fib(.param .b32 n)\n{{ {HEAD} setp.lt.u32 %p1, %r1, 2; @%p1 bra end; sub.u32 %r2, %r1, 1; {} sub.u32 %r4, %r1, 2; {} add.u32 %r1, %r3, %r5;\n\
         end: st.param.u32 [out], %r1; ret; }}\n",
        call("fib", "%r2", "%r3"),
        call("fib", "%r4", "%r5")
    )
}

fn fib(n: u32) -> u32 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[test]
fn a_function_that_calls_itself_twice() {
    // Each lane has a depth of its own; some of them come back sooner.
    let body = format!("rem.u32 %r2, %r0, 11; {}", call("fib", "%r2", "%r1"));
    let stored = ran(&fibonacci(), &body, 70).unwrap();
    assert!((0..70u32).all(|thread| stored[thread as usize] == fib(thread % 11)), "{stored:?}");
    // All lanes the same, under a guard, and in a loop.
    let body = "mov.u32 %r1, 0; mov.u32 %r4, 0; and.b32 %r6, %r0, 1; setp.eq.u32 %p2, %r6, 0;\n\
         again: { .param .b32 x; .param .b32 z; st.param.u32 [x], %r4; @%p2 call (z), fib, (x); ld.param.u32 %r2, [z]; }\n\
         @%p2 add.u32 %r1, %r1, %r2; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra again;";
    let stored = ran(&fibonacci(), body, 32).unwrap();
    let sum: u32 = (0..9).map(fib).sum();
    assert!((0..32).all(|thread| stored[thread] == if thread % 2 == 0 { sum } else { 0 }), "{stored:?}");
}

#[test]
fn functions_that_call_each_other() {
    // Hofstadter's female and male sequences: F(n) = n - M(F(n - 1)), M(n) = n - F(M(n - 1)), F(0) = 1, M(0) = 0.
    let one = |name: &str, other: &str, zero: u32| {
        format!(
            ".func (.param .b32 out) {name}(.param .b32 n)\n{{ {HEAD} mov.u32 %r9, {zero}; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; sub.u32 %r2, %r1, 1; {} {} sub.u32 %r9, %r1, %r4;\n\
             end: st.param.u32 [out], %r9; ret; }}\n",
            call(name, "%r2", "%r3"),
            call(other, "%r3", "%r4")
        )
    };
    let functions = format!(
        ".func (.param .b32 out) male(.param .b32 n);\n{}{}",
        one("female", "male", 1),
        one("male", "female", 0)
    );
    fn female(n: u32) -> u32 {
        if n == 0 { 1 } else { n - male(female(n - 1)) }
    }
    fn male(n: u32) -> u32 {
        if n == 0 { 0 } else { n - female(male(n - 1)) }
    }
    let body = format!(
        "rem.u32 %r2, %r0, 13; {} {} mad.lo.u32 %r1, %r3, 100, %r4;",
        call("female", "%r2", "%r3"),
        call("male", "%r2", "%r4")
    );
    let stored = ran(&functions, &body, 40).unwrap();
    for thread in 0..40 {
        let n = thread % 13;
        assert_eq!(stored[thread as usize], 100 * female(n) + male(n), "{n}");
    }
}

#[test]
fn local_memory_of_each_call() {
    // Each call has an array, to which the calls that it makes add through its address: the depth of each is counted in all above it.
    let functions = ".func (.param .b32 out) deep(.param .b32 n, .param .b64 above);\n\
         .func (.param .b32 out) deep(.param .b32 n, .param .b64 above)\n{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .local .align 8 .b8 own[20];\n\
         ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [above]; ld.u32 %r2, [%rd1+8]; add.u32 %r2, %r2, %r1; st.u32 [%rd1+8], %r2;\n\
         st.local.u32 [own+8], %r1; mov.u64 %rd2, own; cvta.local.u64 %rd3, %rd2; setp.eq.u32 %p1, %r1, 0; mov.u32 %r5, 0; @%p1 bra end; sub.u32 %r3, %r1, 1;\n\
         { .param .b32 x; .param .b64 y; .param .b32 z; st.param.u32 [x], %r3; st.param.u64 [y], %rd3; call (z), deep, (x, y); ld.param.u32 %r5, [z]; }\n\
         end: ld.local.u32 %r4, [own+8]; mad.lo.u32 %r5, %r5, 3, %r4; st.param.u32 [out], %r5; ret; }\n";
    let body = ".local .align 8 .b8 first[16]; st.local.u32 [first+8], 5; mov.u64 %rd5, first; cvta.local.u64 %rd6, %rd5; and.b32 %r2, %r0, 7;\n\
         { .param .b32 x; .param .b64 y; .param .b32 z; st.param.u32 [x], %r2; st.param.u64 [y], %rd6; call (z), deep, (x, y); ld.param.u32 %r3, [z]; }\n\
         ld.local.u32 %r4, [first+8]; mad.lo.u32 %r1, %r3, 100, %r4;";
    // In each call: the array holds n, and n - 1 of the call it makes is added.
    fn deep(n: u32) -> u32 {
        let below = if n == 0 { 0 } else { deep(n - 1) };
        3 * below + if n == 0 { 0 } else { n + (n - 1) }
    }
    let stored = ran(functions, body, 64).unwrap();
    for thread in 0..64 {
        assert_eq!(stored[thread as usize], 100 * deep(thread & 7) + 5 + (thread & 7), "{thread}");
    }
}

/// Three functions of one number.
const THREE: &str = ".func (.param .b32 out) twice(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.u32 %r2, %r1, %r1; st.param.u32 [out], %r2; ret; }\n\
     .func (.param .b32 out) square(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; mul.lo.u32 %r2, %r1, %r1; st.param.u32 [out], %r2; ret; }\n\
     .func (.param .b32 out) lanes(.param .b32 n)\n{ .reg .b32 %r<3>; activemask.b32 %r2; popc.b32 %r2, %r2; st.param.u32 [out], %r2; ret; }\n\
     .func other(.param .b64 n)\n{ ret; }\n";
const PROTOTYPE: &str = "proto: .callprototype (.param .b32 _) _ (.param .b32 _);";

#[test]
fn calls_through_addresses() {
    // Threads 0, 3, .. of each warp square, 1, 4, .. double, 2, 5, .. count the lanes that are there: ten of 32.
    let body = format!(
        "{PROTOTYPE} mov.u32 %r5, %laneid; rem.u32 %r2, %r5, 3; mov.u64 %rd3, square; mov.u64 %rd4, twice; mov.u64 %rd5, lanes;\n\
         setp.eq.u32 %p1, %r2, 1; selp.u64 %rd3, %rd4, %rd3, %p1; setp.eq.u32 %p2, %r2, 2; selp.u64 %rd3, %rd5, %rd3, %p2;\n\
         {{ .param .b32 x; .param .b32 z; st.param.u32 [x], %r0; call (z), %rd3, (x), proto; ld.param.u32 %r1, [z]; }}"
    );
    let stored = ran(THREE, &body, 64).unwrap();
    for thread in 0..64u32 {
        let expected = [thread * thread, 2 * thread, 10][(thread % 32 % 3) as usize];
        assert_eq!(stored[thread as usize], expected, "{thread}");
    }
    // A table of the module, and a function that calls itself through an address that it is given.
    let functions = ".func (.param .b32 out) sum(.param .b32 n, .param .b64 next)\n{ .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<3>;\n\
         proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [next]; mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; sub.u32 %r2, %r1, 1;\n\
         { .param .b32 x; .param .b64 y; .param .b32 z; st.param.u32 [x], %r2; st.param.u64 [y], %rd1; call (z), %rd1, (x, y), proto; ld.param.u32 %r3, [z]; }\n\
         end: add.u32 %r3, %r3, %r1; st.param.u32 [out], %r3; ret; }\n.global .align 8 .u64 table[2] = { sum, sum };\n";
    let body = "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); mov.u64 %rd3, table; ld.global.u64 %rd4, [%rd3+8]; and.b32 %r2, %r0, 15;\n\
         { .param .b32 x; .param .b64 y; .param .b32 z; st.param.u32 [x], %r2; st.param.u64 [y], %rd4; call (z), %rd4, (x, y), proto; ld.param.u32 %r1, [z]; }";
    let stored = ran(functions, body, 33).unwrap();
    for thread in 0..33u32 {
        let n = thread & 15;
        assert_eq!(stored[thread as usize], n * (n + 1) / 2);
    }
}

#[test]
fn calls_of_what_is_no_function_stop_the_thread() {
    for address in ["mov.u64 %rd6, 0x123456789abcdef0;", "mov.u64 %rd6, 0;", "mov.u64 %rd6, other;"] {
        let body = format!(
            "{PROTOTYPE} mov.u64 %rd7, twice; setp.gt.u32 %p1, %r4, 11; @%p1 bra other_one; mov.u64 %rd6, %rd7; bra go; other_one: {address} go:\n\
             {{ .param .b32 x; .param .b32 z; st.param.u32 [x], %r4; call (z), %rd6, (x), proto; ld.param.u32 %r6, [z]; }} st.global.u32 [%rd4], %r6; ret;"
        );
        let case = Case { before: THREE, block: [40, 1, 1], ..Case::warp(&body) };
        assert_eq!(case.stops_alike(), 12, "{address}");
    }
}

#[test]
fn calls_that_need_too_much_stack_stop_the_thread() {
    let functions = format!(
        ".func (.param .b32 out) down(.param .b32 n)\n{{ {HEAD} .local .align 8 .b8 own[3000]; st.local.u32 [own+2000], %r1; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; sub.u32 %r2, %r1, 1; {}\n\
         end: ld.local.u32 %r4, [own+2000]; st.param.u32 [out], %r4; ret; }}\n",
        call("down", "%r2", "%r3")
    );
    let body = format!(
        "mov.u32 %r6, 100; setp.eq.u32 %p1, %r4, 7; @%p1 mov.u32 %r6, 100000; {} st.global.u32 [%rd4], %r7; ret;",
        call("down", "%r6", "%r7")
    );
    let case = Case { before: &functions, ..Case::warp(&body) };
    assert_eq!(case.stops_alike(), 7);
    let shallow = body.replace("100000", "150");
    Case { before: &functions, ..Case::warp(&shallow) }.agrees();
}

#[test]
fn the_deepest_call_is_that_of_the_interpreter() {
    // 512 KiB have room for 25 or 26 of these frames of 20,000 bytes and registers, with the kernel's.
    let functions = format!(
        ".func (.param .b32 out) down(.param .b32 n)\n{{ {HEAD} .local .align 4 .b8 own[20000]; st.local.u32 [own+2000], %r1; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; sub.u32 %r2, %r1, 1; {}\n\
         end: st.param.u32 [out], %r1; ret; }}\n",
        call("down", "%r2", "%r3")
    );
    let mut was_stopped = [false; 2];
    for depth in 24..28 {
        let body = format!("mov.u32 %r2, {depth}; {}", call("down", "%r2", "%r1"));
        was_stopped[usize::from(ran(&functions, &body, 32).is_err())] = true;
    }
    assert_eq!(was_stopped, [true, true]);
}

#[test]
fn operations_of_lanes_and_barriers_in_functions_that_call_themselves() {
    // All lanes are at one depth: each level adds the value of a neighbour, and waits for the block.
    let functions = format!(
        ".func (.param .b32 out) level(.param .b32 n)\n{{ {HEAD} and.b32 %r2, %r1, 0xff; shr.u32 %r3, %r1, 8; setp.eq.u32 %p1, %r2, 0; @%p1 bra end;\n\
         shfl.sync.bfly.b32 %r4, %r3, %r2, 31, -1; add.u32 %r3, %r3, %r4; bar.sync 0; sub.u32 %r2, %r2, 1; shl.b32 %r5, %r3, 8; or.b32 %r5, %r5, %r2; {}\n\
         end: st.param.u32 [out], %r3; ret; }}\n",
        call("level", "%r5", "%r3")
    );
    let body = format!("shl.b32 %r2, %r0, 8; or.b32 %r2, %r2, 5; {}", call("level", "%r2", "%r1"));
    let stored = ran(&functions, &body, 64).unwrap();
    let mut expected: Vec<u32> = (0..64).collect();
    for distance in (1..=5u32).rev() {
        expected = (0..64u32)
            .map(|thread| expected[thread as usize] + expected[(thread ^ distance) as usize])
            .collect();
    }
    assert_eq!(stored, expected);
}

#[test]
fn threads_that_exit_in_a_call() {
    let functions = format!(
        ".func (.param .b32 out) leave(.param .b32 n)\n{{ {HEAD} setp.eq.u32 %p2, %r1, 3; @%p2 exit; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; sub.u32 %r2, %r1, 1; {} end: st.param.u32 [out], 9; ret; }}\n",
        call("leave", "%r2", "%r3")
    )
    .replace("st.param.u32 [out], 9;", "mov.u32 %r9, 9; st.param.u32 [out], %r9;");
    let body = format!("and.b32 %r2, %r0, 7; {}", call("leave", "%r2", "%r1"));
    let stored = ran(&functions, &body, 32).unwrap();
    assert!((0..32).all(|thread| stored[thread] == if thread & 7 < 3 { 9 } else { 0 }), "{stored:?}");
}
