//! Errors of a kernel are reported with kernel, block, thread, line of the PTX and of the source, as text and as JSON. Each kernel has one mistake,
//! after a `.loc` with a different line, from which the expected report follows.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

const KERNELS: &str = r#".version 8.0
.target sm_80
.address_size 64
.file 1 "bugs.cu"
.global .align 4 .b8 table[16];
.global .align 1 .b8 text[6] = {98, 114, 111, 107, 101, 0};
.extern .func (.param .b64 p) malloc(.param .b64 bytes);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
// Element 2 of the second block is beyond the buffer.
.visible .entry bounds(.param .u64 to) {
    .reg .b64 %a; .reg .b32 %i, %b, %n;
    ld.param.u64 %a, [to];
    mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
    mad.lo.u32 %i, %b, %n, %i;
    mad.wide.u32 %a, %i, 4, %a;
    .loc 1 10 5
    st.global.u32 [%a], %i;
    ret;
}
.visible .entry variable(.param .u64 to) {
    .reg .b64 %a;
    mov.u64 %a, table;
    .loc 1 20 5
    st.global.u64 [%a+16], 1;
    ret;
}
.visible .entry null(.param .u64 to) {
    .reg .b64 %a; .reg .b32 %v;
    mov.u64 %a, 8;
    .loc 1 30 5
    ld.u32 %v, [%a];
    ret;
}
.visible .entry misaligned(.param .u64 to) {
    .reg .b64 %a;
    ld.param.u64 %a, [to];
    .loc 1 40 5
    st.global.u32 [%a+2], 1;
    ret;
}
.visible .entry freed(.param .u64 to) {
    .reg .b64 %a; .reg .b32 %v;
    { .param .b64 b; .param .b64 p; st.param.b64 [b], 16; call.uni (p), malloc, (b); ld.param.b64 %a, [p]; }
    { .param .b64 p; st.param.b64 [p], %a; call.uni free, (p); }
    .loc 1 50 5
    ld.u32 %v, [%a];
    ret;
}
.func deeper() {
    .local .align 8 .b8 room[4096];
    .reg .b64 %a;
    mov.u64 %a, room; st.local.u64 [%a], 1;
    .loc 1 60 5
    call deeper;
    ret;
}
.visible .entry stack(.param .u64 to) { call.uni deeper; ret; }
.visible .entry deadlock(.param .u64 to) {
    .reg .pred %p; .reg .b32 %i;
    mov.u32 %i, %tid.x;
    setp.lt.u32 %p, %i, 32;
    @%p bra other;
    bar.sync 1, 64;
    ret;
other:
    .loc 1 70 5
    bar.sync 2, 64;
    ret;
}
.visible .entry divergent(.param .u64 to) {
    .reg .pred %p; .reg .b32 %i;
    mov.u32 %i, %tid.x;
    setp.lt.u32 %p, %i, 16;
    @!%p bra other;
    .loc 1 80 5
    bar.sync 0;
    ret;
other:
    .loc 1 80 5
    bar.sync 0;
    ret;
}
.visible .entry mask(.param .u64 to) {
    .reg .pred %p; .reg .b32 %i;
    mov.u32 %i, %tid.x;
    .loc 1 90 5
    shfl.sync.idx.b32 %i, %i, 0, 31, 0xfffffffe;
    ret;
}
.visible .entry stop(.param .u64 to) {
    .loc 1 100 5
    trap;
}
.visible .entry assertion(.param .u64 to) {
    .reg .b64 %t;
    mov.u64 %t, text; cvta.global.u64 %t, %t;
    { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
      st.param.b64 [m], %t; st.param.b64 [f], %t; st.param.b32 [l], 7; st.param.b64 [n], %t; st.param.b64 [s], 1;
    .loc 1 110 5
      call.uni __assertfail, (m, f, l, n, s); }
    ret;
}
.visible .entry endless(.param .u64 to) {
    .reg .pred %p; .reg .b32 %i;
    mov.u32 %i, %tid.x;
    setp.ge.u32 %p, %i, 32;
    @%p bra waits;
    .loc 1 120 5
forever:
    bra forever;
waits:
    bar.sync 0;
    ret;
}
"#;

/// Launches a kernel with 64 threads in each of 2 blocks, or in one, and a buffer of 66 numbers.
fn run(folder: &Path, entry: &str, format: &str, engine: &str) -> String {
    // Which of several blocks runs at the time limit depends on the machine.
    let grid = if entry == "endless" { "1" } else { "2" };
    let arguments =
        ["k.ptx", "--entry", entry, "--grid", grid, "--block", "64", "--arg", "zero=264", "--engine", engine];
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let command = command.current_dir(folder).args(arguments).args(["--threads", "1", "--timeout", "0.5"]);
    let output = command.args(["--error-format", format]).output().expect("runs");
    assert_eq!(output.status.code(), Some(3), "{entry}: {output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// The lines of the PTX after the `.loc` of a line of the source.
fn lines(source: u64) -> Vec<u64> {
    let wanted = format!(".loc 1 {source} 5");
    let numbered = KERNELS.lines().zip(2u64..);
    numbered.filter(|(line, _)| line.trim() == wanted).map(|(_, number)| number).collect()
}

#[test]
fn each_failure_is_reported_with_its_places() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), KERNELS).expect("writable");
    let access =
        |what: &str, space: &str, bytes: u64| json!({"access": what, "space": space, "bytes": bytes});
    // The kernel, its code, the line of the source, the block and thread, further details, and a part of the text.
    for (entry, code, source, block, thread, details, part) in [
        (
            "bounds",
            "X0201",
            10,
            1,
            2,
            access("out of bounds", ".global", 4),
            "offset 264 of argument 0 (`to`), which has 264 bytes",
        ),
        (
            "variable",
            "X0201",
            20,
            0,
            0,
            access("out of bounds", ".global", 8),
            "offset 16 of variable `table`, which has 16 bytes",
        ),
        ("null", "X0201", 30, 0, 0, access("out of bounds", "generic", 4), "null pointer"),
        ("misaligned", "X0201", 40, 0, 0, access("misaligned", ".global", 4), "is not aligned"),
        ("freed", "X0201", 50, 0, 0, json!({}), "freed"),
        ("stack", "X0205", 60, 0, 0, json!({"function": "deeper"}), "more stack than a thread may have"),
        (
            "deadlock",
            "X0203",
            70,
            0,
            0,
            json!({}),
            "wait at barrier 2, to which thread (32, 0, 0) and 31 more have not come",
        ),
        ("divergent", "X0206", 80, 0, 16, json!({}), "threads of a warp come to different barriers"),
        ("mask", "X0206", 90, 0, 0, json!({}), "mask"),
        ("stop", "X0202", 100, 0, 0, json!({"instruction": "trap"}), "the thread executed `trap`"),
        ("assertion", "X0202", 110, 0, 0, json!({}), "assertion failed: "),
        ("endless", "X0204", 120, 0, 0, json!({}), "longer than its time limit"),
    ] {
        let found: Value =
            serde_json::from_str(run(folder.path(), entry, "json", "auto").lines().next().expect("a line"))
                .expect("JSON");
        let at = |key: &str| &found["details"][key];
        assert_eq!(found["code"], code, "{found}");
        let line = found["line"].as_u64().expect("a line");
        // A label may be between the directive and the instruction.
        assert!(lines(source).iter().any(|&first| (first..=first + 1).contains(&line)), "{entry}: {found}");
        assert_eq!((at("kernel"), at("block")), (&json!(entry), &json!([block, 0, 0])), "{found}");
        assert_eq!(at("thread"), &json!([thread, 0, 0]), "{found}");
        assert_eq!((at("source_file"), at("source_line")), (&json!("bugs.cu"), &json!(source)), "{found}");
        for (key, value) in details.as_object().expect("an object") {
            assert_eq!(at(key), value, "{entry}: {found}");
        }
        let message = found["message"].as_str().expect("a text");
        assert!(message.contains(part), "{entry}: {message}");
        let text = run(folder.path(), entry, "short", "auto");
        assert!(text.contains(&format!("k.ptx:{line}:")) && text.contains(part), "{text}");
        let whole =
            format!("in kernel {entry}, block ({block}, 0, 0), thread ({thread}, 0, 0), at bugs.cu:{source}");
        let whole = if entry == "stack" { whole.replace("stack,", "stack, function deeper,") } else { whole };
        assert!(text.contains(&whole), "{text}\n{whole}");
    }
}

#[test]
fn other_threads_of_a_deadlock_have_their_places() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), KERNELS).expect("writable");
    let related = |entry: &str, engine: &str| -> Vec<(u64, String)> {
        let found: Value =
            serde_json::from_str(run(folder.path(), entry, "json", engine).lines().next().expect("a line"))
                .expect("JSON");
        let related = found["related"].as_array().expect("a list").clone();
        let one = |place: Value| {
            (place["line"].as_u64().expect("a line"), place["message"].as_str().expect("a text").to_owned())
        };
        related.into_iter().map(one).collect()
    };
    let line = |text: &str| KERNELS.lines().position(|line| line.trim() == text).expect("there") as u64 + 1;
    let waits = |thread: u32, barrier: u32, other: u32| {
        format!(
            "thread ({thread}, 0, 0) and 31 more of its warp: wait at barrier {barrier}, to which thread ({other}, 0, 0) and 31 more have not come"
        )
    };
    let wanted = [
        (line("bar.sync 2, 64;"), waits(0, 2, 32) + ", at bugs.cu:70:5"),
        (line("bar.sync 1, 64;"), waits(32, 1, 0)),
    ];
    assert_eq!(related("deadlock", "auto"), wanted);
    // The positions of the warps at a time-out, which compiled code does not report.
    let found = related("endless", "interp");
    assert_eq!(
        found[0],
        (
            line("bra forever;"),
            "thread (0, 0, 0) and 31 more of its warp: run here, at bugs.cu:120:5".to_owned()
        )
    );
    assert!(
        found[1].1.starts_with("thread (32, 0, 0) and 31 more of its warp: wait at barrier 0"),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
}
