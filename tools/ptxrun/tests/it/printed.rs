//! The output of a kernel is written before the error that stops it, for every error and engine: kernels report their errors with
//! `printf(..); __trap();`. Every thread prints a line, the output of blocks is in order, and no output is lost.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

/// Each thread prints its block and its number; then thread 33 of the second block, or its warp, stops the launch.
const KERNEL: &str = r#".version 8.0
.target sm_80
.address_size 64
.global .align 1 .b8 text[7] = {37, 117, 32, 37, 117, 10, 0};
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.func deeper() {
    .local .align 8 .b8 room[4096];
    .reg .b64 %a;
    mov.u64 %a, room; st.local.u64 [%a], 1;
    call deeper;
    ret;
}
.visible .entry k(.param .u64 to) {
    .local .align 8 .b8 values[8];
    .reg .pred %one, %warp, %p;
    .reg .b32 %b, %t, %x;
    .reg .b64 %to, %f, %v, %y;
    mov.u32 %b, %ctaid.x; mov.u32 %t, %tid.x;
    ld.param.u64 %to, [to]; cvta.to.global.u64 %to, %to;
    mov.u64 %f, text; cvta.global.u64 %f, %f;
    mov.u64 %v, values; cvta.local.u64 %v, %v;
    st.u32 [%v], %b; st.u32 [%v+4], %t;
    { .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %f; st.param.b64 [v], %v;
      call (r), vprintf, (f, v); }
    bar.sync 0;
    setp.eq.u32 %one, %t, 33; setp.eq.and.u32 %one, %b, 1, %one;
    setp.ge.u32 %warp, %t, 32; setp.eq.and.u32 %warp, %b, 1, %warp;
    STOP
    st.global.u32 [%to], %t;
    ret;
}
"#;

/// The statements that stop the launch, with a name and the code of the error.
const STOPS: [(&str, &str, &str); 17] = [
    ("trap", "X0202", "@%one trap;"),
    ("brkpt", "X0202", "@%one brkpt;"),
    (
        "assertion",
        "X0202",
        "@!%one bra over;
         { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
           st.param.b64 [m], %f; st.param.b64 [f], %f; st.param.b32 [l], 7; st.param.b64 [n], %f; st.param.b64 [s], 1;
           call.uni __assertfail, (m, f, l, n, s); }
         over:",
    ),
    ("null", "X0201", "mov.u64 %y, 8; @%one st.global.u32 [%y], 1;"),
    ("beyond", "X0201", "@%one ld.global.u32 %x, [%to+4096];"),
    ("misaligned", "X0201", "@%one ld.global.u32 %x, [%to+2];"),
    ("beyond shared", "X0201", "mov.u32 %x, 0x00400000; @%one st.shared.u32 [%x], %x;"),
    (
        "printf of what cannot be read",
        "X0201",
        "@!%one bra over; mov.u64 %y, 16;
         { .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %y; st.param.b64 [v], %v;
           call (r), vprintf, (f, v); }
         over:",
    ),
    (
        "free",
        "X0206",
        "@!%one bra over; { .param .b64 p; st.param.b64 [p], %to; call.uni free, (p); } over:",
    ),
    ("stack", "X0205", "@!%one bra over; call deeper; over:"),
    ("brx", "X0206", "list: .branchtargets over; @!%one bra over; brx.idx %t, list; over:"),
    (
        "call",
        "X0206",
        "what: .callprototype _ (); mov.u64 %y, 24; @!%one bra over; call %y, (), what; over:",
    ),
    ("count", "X0206", "@!%one bra over; barrier.sync 1, %t; over:"),
    ("number", "X0206", "@!%one bra over; barrier.sync %t; over:"),
    ("mask", "X0206", "mov.u32 %x, 1; @%one shfl.sync.idx.b32 %x, %x, 0, 31, 1;"),
    ("deadlock", "X0203", "@%warp bar.sync 1, 96;"),
    ("endless", "X0204", "again: @%one bra again;"),
];

/// The lines of two blocks of 64 threads.
fn lines() -> String {
    (0..2).flat_map(|block| (0..64).map(move |thread| format!("{block} {thread}\n"))).collect()
}

fn run(folder: &Path, stop: &str, arguments: &[&str]) -> Output {
    fs::write(folder.join("k.ptx"), KERNEL.replace("STOP", stop)).expect("writable");
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let command = command.current_dir(folder).args(["k.ptx", "--entry", "k", "--grid", "2", "--block", "64"]);
    let command =
        command.args(["--arg", "zero=16", "--timeout", "1", "--cache-dir", ".", "--print", "0:u32"]);
    command.args(arguments).output().expect("runs")
}

/// Checks that standard output has exactly all lines, without the views of a completed launch, and standard error has the error.
fn check((name, code, stop): (&str, &str, &str), arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = run(folder.path(), stop, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{name}, {arguments:?}: {errors}");
    assert!(errors.contains(&format!("error[{code}]")), "{name}, {arguments:?}: {errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), lines(), "{name}, {arguments:?}");
}

#[test]
fn what_the_interpreter_has_printed_precedes_the_error() {
    for stop in STOPS {
        check(stop, &["--engine", "interp"]);
        check(stop, &["--engine", "interp", "--threads", "1"]);
    }
}

#[test]
fn what_compiled_code_has_printed_precedes_the_error() {
    for stop in STOPS {
        check(stop, &["--engine", "jit", "--check", "memory"]);
    }
}

#[cfg(unix)]
#[test]
fn what_was_printed_precedes_the_report_of_a_crash() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Nothing is mapped at low addresses.
    let output = run(folder.path(), "mov.u64 %y, 8; @%one st.global.u32 [%y], 1;", &["--engine", "jit"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && errors.contains("crashed (SIGSEGV)"), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), lines());
}

#[test]
fn blocks_that_wait_for_others_lose_nothing_when_those_stop() {
    // The first block waits for a store that the second one never executes.
    let stop = "@%one trap; again: ld.volatile.global.u32 %x, [%to+8]; setp.eq.u32 %p, %x, 0;
                setp.eq.and.u32 %p, %b, 0, %p; @%p bra again;";
    for threads in ["1", "2"] {
        for engine in [&["--engine", "interp"][..], &["--engine", "jit", "--check", "memory"], &[]] {
            check(("waiting", "X0202", stop), &[engine, &["--threads", threads]].concat());
        }
    }
}

#[test]
fn what_was_printed_precedes_the_error_with_the_default_engine() {
    for stop in STOPS {
        check(stop, &[]);
    }
    // Compiled code from the cache detects the error, and the interpreter reports it.
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in [&["--engine", "jit", "--check", "memory"][..], &[], &[]] {
        let output = run(folder.path(), "@%one trap;", arguments);
        assert_eq!(String::from_utf8_lossy(&output.stdout), lines());
    }
}

#[test]
fn what_was_printed_precedes_the_error_of_a_watched_launch() {
    for stop in [STOPS[0], STOPS[3], STOPS[15]] {
        check(stop, &["--trace=line=999"]);
    }
}

#[test]
fn launches_before_the_stopped_one_are_printed_once() {
    // The second launch loads the value that the first one has stored.
    let stop = "ld.global.u32 %x, [%to+4]; bar.sync 0; mov.u32 %x, 1; @%one st.global.u32 [%to+4], %x;";
    let stop = stop.replace("bar.sync 0;", "setp.ne.u32 %p, %x, 0; @%p trap; bar.sync 0;");
    for engine in ["interp", "jit"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let output = run(folder.path(), &stop, &["--engine", engine, "--repeat", "3", "--threads", "1"]);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{printed}");
        // Block 0 stops before block 1 begins.
        let first: String = (0..64).map(|thread| format!("0 {thread}\n")).collect();
        assert_eq!(printed, lines() + &first, "{engine}");
    }
}
