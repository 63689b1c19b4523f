//! `--engine=jit` compared with `--engine=interp`: the same files, the same errors, and the reports which engine executed a kernel.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// `rotate`: each thread passes its number to the next one of the block. `stops`: thread 44 of block 2 stops. `turns`: an endless
/// loop. `stacks`: an instruction that is not compiled. `sums`: variables of the module, which keep their values between launches.
const KERNELS: &str = "
.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 s[1024];
.global .u32 calls = 5;
.const .u32 weights[4] = {3, 1, 4, 1};
.visible .entry rotate(.param .u64 out)
{
    .reg .b32 %r<10>;
    .reg .b64 %rd<5>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
    mov.u32 %r5, s; shl.b32 %r6, %r3, 2; add.u32 %r6, %r5, %r6; st.shared.u32 [%r6], %r4;
    bar.sync 0;
    add.u32 %r7, %r3, 1; setp.eq.u32 %p, %r7, %r2; @%p mov.u32 %r7, 0;
    shl.b32 %r8, %r7, 2; add.u32 %r8, %r5, %r8; ld.shared.u32 %r9, [%r8];
    mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r9;
    ret;
}
.visible .entry stops(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .pred %p;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.eq.u32 %p, %r4, 300;
    @%p trap;
    bar.sync 0;
    ret;
}
.visible .entry waits()
{
    .reg .b32 %r<2>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 32;
    @%p bar.sync 1, 64;
    @!%p bar.sync 2, 96;
    ret;
}
.visible .entry turns()
{
again:
    bra again;
}
.func saves() { .reg .b64 %rd; stacksave.u64 %rd; .reg .pred %p; setp.eq.u64 %p, %rd, 1; @%p call saves; ret; }
.visible .entry stacks()
{
    call saves;
    ret;
}
.visible .entry sums(.param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; mul.wide.u32 %rd2, %r2, 4; mov.u64 %rd3, weights; add.s64 %rd3, %rd3, %rd2;
    ld.const.u32 %r3, [%rd3]; ld.global.u32 %r4, [calls]; add.u32 %r5, %r3, %r4;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd4, %rd1, %rd2; ld.global.u32 %r6, [%rd4]; add.u32 %r6, %r6, %r5; st.global.u32 [%rd4], %r6;
    bar.sync 0;
    add.u32 %r4, %r4, 1; st.global.u32 [calls], %r4;
    ret;
}
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.ptx"), KERNELS).expect("writable");
    folder
}

/// The exit status, standard output and standard error.
fn ptxrun(folder: &Path, arguments: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptxrun").expect("built");
    command.current_dir(folder).env("XDG_CACHE_HOME", folder);
    let output = command.args(["k.ptx"]).args(arguments.split_whitespace());
    let output = output.output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("a status"), text(output.stdout), text(output.stderr))
}

/// Checks that both engines, and code that checks the results of the compiler's analysis, print the same. Returns the output.
fn alike(folder: &Path, arguments: &str) -> (i32, String, String) {
    let interpreted = ptxrun(folder, &format!("--engine=interp {arguments}"));
    let compiled = ptxrun(folder, &format!("--engine=jit {arguments}"));
    assert_eq!(interpreted, compiled, "{arguments}");
    let checked = ptxrun(folder, &format!("--engine=jit --jit-check-shapes {arguments}"));
    assert_eq!(interpreted, checked, "{arguments}");
    let (_, _, remarks) = ptxrun(folder, &format!("--engine=jit --remarks {arguments}"));
    assert!(!remarks.contains("T0012"), "the interpreter executes it: {remarks}");
    compiled
}

#[test]
fn both_engines_leave_the_same() {
    let folder = folder();
    let (status, shown, _) =
        alike(folder.path(), "--entry rotate --grid 5 --block 100 --arg zero=2000 --print 0:u32:101");
    let expected: Vec<String> = (1..100).chain([0, 101]).map(|number: u32| number.to_string()).collect();
    assert_eq!((status, shown), (0, format!("0:u32 = {}\n", expected.join(" "))));
    // Launch n adds weight + 5 + n.
    let (_, shown, _) =
        alike(folder.path(), "--entry sums --grid 1 --block 4 --arg zero=16 --repeat 3 --print 0:u32");
    assert_eq!(shown, "0:u32 = 27 21 30 21\n");
}

#[test]
fn both_engines_stop_alike() {
    let folder = folder();
    let (status, _, error) = alike(folder.path(), "--entry stops --grid 4 --block 128 --arg zero=4");
    assert_eq!(status, 3);
    assert!(error.contains("`trap` in kernel stops, block (2, 0, 0), thread (44, 0, 0)"), "{error}");
    assert!(error.contains("k.ptx:28:5"), "{error}");
    let (status, _, error) = alike(folder.path(), "--entry waits --grid 1 --block 64");
    assert_eq!(status, 3);
    assert!(
        error.contains("error[X0203]: deadlock") && error.contains("32 of 96 threads have come"),
        "{error}"
    );
    let (status, _, error) =
        ptxrun(folder.path(), "--engine=jit --entry turns --grid 3 --block 33 --timeout 3");
    assert_eq!(status, 3);
    assert!(error.contains("error[X0204]") && error.contains("k.ptx:45"), "{error}");
    // A launch that does not fit the kernel.
    let (status, _, error) = alike(folder.path(), "--entry rotate --grid 1 --block 2000 --arg zero=4");
    assert!(status == 1 && error.contains("X0002"), "{error}");
}

#[test]
fn what_is_not_compiled_is_an_error_where_compiled_code_is_asked_for() {
    let folder = folder();
    let stacks = "--engine=jit --entry stacks --grid 1 --block 1";
    let (status, printed, error) = ptxrun(folder.path(), stacks);
    assert_eq!((status, printed.as_str()), (1, ""), "{error}");
    assert!(error.contains("error[T0012]: the kernel is not compiled: "), "{error}");
    assert!(error.contains("k.ptx:47:32") && error.contains("`stacksave.u64`"), "{error}");
    assert!(error.contains("--engine=auto"), "{error}");
    let (_, _, json) = ptxrun(folder.path(), &format!("{stacks} --error-format=json"));
    let object: serde_json::Value = serde_json::from_str(json.trim()).expect("one object");
    assert_eq!((&object["severity"], &object["line"]), (&"error".into(), &47.into()));
    // Options that only the interpreter supports, for all kernels.
    for option in ["--async=late", "--reconverge=late", "--profile", "--trace"] {
        let arguments = format!("--engine=jit --entry rotate --grid 2 --block 32 --arg zero=256 {option}");
        let (status, printed, error) = ptxrun(folder.path(), &arguments);
        assert!(status == 1 && printed.is_empty() && error.contains("error[T0012]"), "{option}: {error}");
    }
}

#[test]
fn remarks_tell_what_the_interpreter_executes() {
    let folder = folder();
    let stacks = "--entry stacks --grid 1 --block 1";
    assert_eq!(ptxrun(folder.path(), stacks), (0, String::new(), String::new()));
    let (status, _, remark) = ptxrun(folder.path(), &format!("{stacks} --remarks"));
    assert_eq!(status, 0);
    assert!(remark.contains("note[T0012]: the interpreter executes the kernel: "), "{remark}");
    assert!(remark.contains("k.ptx:47:32") && remark.contains("`stacksave.u64`"), "{remark}");
    let (_, _, json) = ptxrun(folder.path(), &format!("{stacks} --remarks --error-format=json"));
    let object: serde_json::Value = serde_json::from_str(json.trim()).expect("one object");
    assert_eq!((&object["severity"], &object["line"]), (&"note".into(), &47.into()));
    // Options that only the interpreter supports, for all kernels.
    for option in ["--async=late", "--profile"] {
        let arguments = format!("--remarks --entry rotate --grid 2 --block 32 --arg zero=256 {option}");
        let (status, _, remark) = ptxrun(folder.path(), &arguments);
        assert!(status == 0 && remark.contains("note[T0012]"), "{option}: {remark}");
    }
}

#[test]
fn the_code_is_printed() {
    let folder = folder();
    let (status, text, _) =
        ptxrun(folder.path(), "--emit=host-ll --entry rotate --grid 1 --block 32 --arg zero=4");
    assert!(status == 0 && text.contains("i32 @kernel(ptr"), "{text}");
    let (status, text, _) =
        ptxrun(folder.path(), "--emit=host-asm --entry rotate --grid 1 --block 32 --arg zero=4");
    assert!(status == 0 && text.contains("kernel:"), "{text}");
    let (status, text, error) = ptxrun(folder.path(), "--emit=host-asm --entry stacks --grid 1 --block 32");
    assert!(status == 1 && text.is_empty() && error.contains("error[T0012]"), "{error}");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn code_is_for_the_cpu_that_is_asked_for() {
    let folder = folder();
    let launch = "--entry rotate --grid 2 --block 64 --arg zero=512 --print 0:u32";
    let usual = ptxrun(folder.path(), &format!("--engine=interp {launch}"));
    // Every CPU of this architecture has SSE2, whose registers have 128 bits.
    assert_eq!(ptxrun(folder.path(), &format!("--engine=jit --cpu=x86-64 {launch}")), usual);
    let (status, text, _) = ptxrun(folder.path(), &format!("--emit=host-asm --cpu=x86-64 {launch}"));
    assert!(status == 0 && text.contains("xmm") && !text.contains("ymm"), "{text}");
    // Code for other CPUs is only shown; no CPU after this one has XOP.
    let (status, text, _) = ptxrun(folder.path(), &format!("--emit=host-asm --cpu=znver4 {launch}"));
    assert!(status == 0 && text.contains("zmm"), "{text}");
    for (cpu, why) in [("bdver4", "lacks some of its features"), ("frob", "no processor `frob`")] {
        let (status, printed, error) = ptxrun(folder.path(), &format!("--cpu={cpu} {launch}"));
        assert!(status == 2 && printed.is_empty() && error.contains(why), "{cpu}: {error}");
    }
}

#[test]
fn a_launch_file_names_the_engine() {
    let folder = folder();
    let launch = r#"{"entry": "stacks", "grid": [1], "block": [1], "engine": "jit"}"#;
    fs::write(folder.path().join("launch.json"), launch).expect("writable");
    let (status, _, error) = ptxrun(folder.path(), "--launch launch.json");
    assert!(status == 1 && error.contains("error[T0012]"), "{error}");
    let (status, _, remark) = ptxrun(folder.path(), "--launch launch.json --remarks --engine=interp");
    assert_eq!((status, remark), (0, String::new()));
}

#[test]
fn remarks_tell_what_is_not_plain() {
    let folder = folder();
    fs::write(
        folder.path().join("k.ptx"),
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"own.cu\"\n.visible .entry k(.param .u64 out)\n{\n\
         .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .pred %p;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n\
         ld.global.u32 %r2, [%rd3]; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4;\n\
         .loc 1 77 3\n\
         st.global.u32 [%rd5], %r1;\n\
         .loc 1 80 3\n\
         setp.lt.u32 %p, %r1, 7;\n\
         @%p bra done;\n\
         add.u32 %r2, %r2, 1;\n\
         st.global.u32 [%rd3], %r2;\n\
         done: ret;\n}\n",
    )
    .expect("writable");
    let launch = "--engine=jit --entry k --grid 1 --block 32 --arg zero=128";
    assert_eq!(ptxrun(folder.path(), launch).2, "");
    let (status, _, text) = ptxrun(folder.path(), &format!("{launch} --remarks --error-format=short"));
    let expected = "k.ptx:11:1: note[T0013]: scatter: the address depends on a loaded value\n\
                    k.ptx:14:1: note[T0014]: divergent branch: the condition depends on `%tid.x`\n";
    assert!(status == 0 && text.contains(expected), "{text}");
    let (_, _, text) = ptxrun(folder.path(), &format!("{launch} --remarks"));
    assert!(text.contains("`st.global.u32`, at own.cu:77:3") && text.contains("it is loaded here"), "{text}");
    let (_, _, text) = ptxrun(folder.path(), &format!("{launch} --remarks --error-format=json"));
    let found: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let scatter = found.iter().find(|remark| remark["code"] == "T0013").expect("a remark");
    assert_eq!(scatter["details"]["kind"], "scatter", "{scatter}");
    assert_eq!(scatter["details"]["reason"], "the address depends on a loaded value", "{scatter}");
    assert_eq!(scatter["details"]["source"], "own.cu:77:3", "{scatter}");
    let (status, rows, _) = ptxrun(folder.path(), &format!("{launch} --print-after=rows"));
    assert!(status == 0 && rows.contains("k.ptx:8:27: mov.u32\n"), "{rows}");
}

#[test]
fn compiled_code_checks_memory_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), KERNELS).expect("writable");
    // 96 threads write a word each; the buffer has room for 90.
    let run = |options: &[&str], room: &str| {
        let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
        let launch =
            ["k.ptx", "--entry", "rotate", "--grid", "3", "--block", "32", "--arg", room, "--threads", "1"];
        let command = command.current_dir(folder.path()).args(launch).args(["--no-cache", "--remarks"]);
        let output = command.args(options).args(["--error-format", "short"]).output().expect("runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    for options in [&["--engine", "interp"] as &[&str], &["--engine", "jit", "--check", "memory"]] {
        let (status, text) = run(options, "zero=360");
        assert_eq!(status, Some(3), "{text}");
        for part in [
            "X0201",
            "k.ptx:19:",
            "access of 4 bytes at 0x",
            "offset 360 of argument 0 (`out`), which has 360 bytes",
            "block (2, 0, 0), thread (26, 0, 0)",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("T0012"), "the interpreter executes it: {text}");
        assert_eq!(run(options, "zero=384").0, Some(0));
    }
}

#[test]
fn code_that_crashes_is_an_execution_that_failed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry wild() {\n.reg .b64 %rd<2>;\n\
                  mov.u64 %rd1, 64;\nst.global.u32 [%rd1], 1;\nret;\n}\n";
    fs::write(folder.path().join("k.ptx"), kernel).expect("writable");
    // The second run finds the kernel in the cache, so that LLVM is not loaded.
    // With more threads several crash at once.
    for threads in ["1", "2"].into_iter().chain(["8"; 40]) {
        let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
        let options = [
            "k.ptx",
            "--engine",
            "jit",
            "--entry",
            "wild",
            "--grid",
            "64",
            "--block",
            "32",
            "--threads",
            threads,
        ];
        let command = command.current_dir(folder.path()).args(options).args(["--cache-dir", "cache"]);
        let output = command.args(["--error-format", "short"]).output().expect("runs");
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert_eq!(text.matches("error[T0015]: the code of `wild` crashed (SIGSEGV)").count(), 1, "{text}");
        assert!(text.starts_with("k.ptx:"), "{text}");
    }
}
