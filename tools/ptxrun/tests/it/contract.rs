//! The contract of ptxrun, from outside: launches, buffers, exit status.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// `out[i] = factor * in[i]` for `i < n`; every thread with `i >= n` does nothing.
const SCALE: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u32 n, .param .f32 factor, .param .u64 in, .param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u32 %r4, [n];
    setp.ge.u32 %p, %r1, %r4;
    @%p bra done;
    ld.param.f32 %f1, [factor];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd1, %rd3;
    add.u64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f3, %f1, %f2;
    st.global.f32 [%rd5], %f3;
done:
    ret;
}
";

/// Traps, waits for ever or loops for ever, by the parameter.
const FAIL: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry fail(.param .u32 how)
{
    .reg .pred %p, %q;
    .reg .b32 %r<3>;
    .reg .b64 %rd;
    ld.param.u32 %r1, [how];
    setp.eq.u32 %p, %r1, 0;
    @%p trap;
    setp.eq.u32 %p, %r1, 1;
    @!%p bra store;
forever:
    bra forever;
store:
    mov.u64 %rd, 8;
    st.global.u32 [%rd], %r1;
    ret;
}
";

/// Copies a box of one tensor to the same place of another.
const MOVE: &str = "
.version 8.6
.target sm_100
.address_size 64
.visible .entry move(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u32 row)
{
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    .shared .align 128 .b8 s[128];
    .shared .b64 bar;
    mov.b64 %rd1, from;
    cvta.param.u64 %rd1, %rd1;
    mov.b64 %rd2, to;
    cvta.param.u64 %rd2, %rd2;
    ld.param.u32 %r1, [row];
    mov.b32 %r2, s;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 32;
    cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1, {0, %r1}], [bar];
wait:
    mbarrier.test_wait.shared.b64 %p, [bar], %rd3;
    @!%p bra wait;
    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {0, %r1}], [%r2];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
";

fn ptxrun(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    command.env("XDG_CACHE_HOME", folder);
    let output = command.current_dir(folder).args(arguments).write_stdin(input).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn kernel_reads_and_writes_buffers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("in.bin"), floats(&[1.0, 2.0, 3.5, -4.0, 5.0])).expect("writable");
    let arguments = [
        "-",
        "--entry",
        "scale",
        "--grid",
        "3",
        "--block",
        "2,1,1",
        "--arg",
        "u32=5",
        "--arg",
        "f32=0.5",
        "--arg",
        "in=in.bin",
        "--arg",
        "out=24:out.bin",
        "--print",
        "3:f32:2",
        "--print",
        "3:u8:1",
    ];
    let (status, out, err) = ptxrun(folder.path(), &arguments, SCALE);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, "3:f32 = 0.5 1.0\n3:u8 = 0\n");
    let written = fs::read(folder.path().join("out.bin")).expect("written");
    assert_eq!(written, floats(&[0.5, 1.0, 1.75, -2.0, 2.5, 0.0]));
}

#[test]
fn llvm_ir_is_executed_too() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @square(ptr addrspace(1) %p) "target-cpu"="sm_80" "target-features"="+ptx80" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %square = mul i32 %tid, %tid
  %place = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  store i32 %square, ptr addrspace(1) %place
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"#;
    let arguments =
        ["-", "--entry", "square", "--grid", "1", "--block", "5", "--arg", "zero=20", "--print", "0:i32"];
    let (status, out, err) = ptxrun(folder.path(), &arguments, text);
    assert_eq!((status, err.as_str(), out.as_str()), (0, "", "0:i32 = 0 1 4 9 16\n"));
    let (status, _, err) = ptxrun(
        folder.path(),
        &["-", "--entry", "square", "--grid", "1", "--block", "6", "--arg", "zero=20"],
        text,
    );
    assert_eq!(status, 3);
    assert!(err.contains("<stdin> (as PTX):"), "{err}");
}

#[test]
fn launch_file_says_the_same_and_the_command_line_wins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("writable");
    fs::write(data.join("in.bin"), floats(&[8.0, 16.0])).expect("writable");
    fs::write(folder.path().join("scale.ptx"), SCALE).expect("writable");
    let launch = r#"{"entry": "scale", "grid": [1], "block": [2],
        "args": ["u32=2", "f32=2", "in=in.bin", "inout=in.bin:out.bin"], "print": ["3:f32"], "timeout": 60}"#;
    fs::write(data.join("launch.json"), launch).expect("writable");
    let (status, out, err) = ptxrun(folder.path(), &["scale.ptx", "--launch", "data/launch.json"], "");
    assert_eq!((status, err.as_str(), out.as_str()), (0, "", "3:f32 = 16.0 32.0\n"));
    assert_eq!(
        fs::read(data.join("out.bin")).expect("written beside the launch file"),
        floats(&[16.0, 32.0])
    );

    let (status, out, _) =
        ptxrun(folder.path(), &["scale.ptx", "--launch", "data/launch.json", "--block", "1"], "");
    assert_eq!((status, out.as_str()), (0, "3:f32 = 16.0 16.0\n"));
}

#[test]
fn forgotten_waits_show_where_asynchronous_operations_are_late() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = |wait: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64
            .visible .entry k(.param .u64 p) {{ .reg .b32 %r<3>; .reg .b64 %rd; .shared .align 16 .b8 s[16];
            ld.param.u64 %rd, [p]; mov.b32 %r1, s; cp.async.ca.shared.global [%r1], [%rd], 4; {wait}
            ld.shared.u32 %r2, [s]; st.global.u32 [%rd+4], %r2; ret; }}"
        )
    };
    fs::write(folder.path().join("in.bin"), [7, 0, 0, 0, 9, 0, 0, 0]).expect("writable");
    let found = |wait: &str, when: &[&str]| {
        let arguments =
            ["-", "--entry", "k", "--grid", "1", "--block", "1", "--arg", "in=in.bin", "--print", "0:u32"];
        let arguments: Vec<&str> = arguments.iter().chain(when).copied().collect();
        let (status, out, err) = ptxrun(folder.path(), &arguments, &text(wait));
        assert_eq!((status, err.as_str()), (0, ""));
        out
    };
    for when in [&[][..], &["--async", "eager"], &["--async", "late"], &["--async", "random:3"]] {
        assert_eq!(found("cp.async.wait_all;", when), "0:u32 = 7 7\n", "{when:?}");
    }
    assert_eq!(found("", &["--async=eager"]), "0:u32 = 7 7\n");
    assert_eq!(found("", &["--async=late"]), "0:u32 = 7 0\n");
}

/// Stores twice the number of each thread.
const TWICE: &str = ".version 8.0
.target sm_80
.address_size 64
.file 1 \"twice.cu\"
.visible .entry twice(.param .u64 p) {
    .reg .s32 %s<3>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    .loc 1 4 0
    mov.u32 %s1, %tid.x;
    mul.wide.u32 %rd2, %s1, 4;
    .loc 1 5 0
    add.s32 %s2, %s1, %s1;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %s2;
    ret;
}";

#[test]
fn a_profile_counts_by_instruction_and_by_line_of_the_source() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let launch = ["-", "--entry", "twice", "--grid", "2", "--block", "64", "--arg", "zero=256", "--profile"];
    let (status, out, err) = ptxrun(folder.path(), &launch, TWICE);
    assert_eq!((status, err.as_str()), (0, ""));
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    // 2 blocks of 2 warps; 32 words in a row are 4 sectors. Seven instructions are executed by 4 warps.
    let store = ["45.5%", "4", "128", "0", "16", "0", "<stdin>:14", "st.global.u32", "[%rd3],", "%s2"];
    assert_eq!(rows[1], store, "the most work is first: {out}");
    assert!(rows.contains(&vec!["100.0%", "28", "896", "0", "16", "0", "total"]), "{out}");
    // Two instructions of line 4, four of line 5.
    assert!(rows.contains(&vec!["18.2%", "8", "256", "0", "0", "0", "twice.cu:4"]), "{out}");
    assert_eq!(rows[10], ["72.7%", "16", "512", "0", "16", "0", "twice.cu:5"], "{out}");
    let json: Vec<&str> = launch.into_iter().chain(["--error-format=json"]).collect();
    let (_, out, _) = ptxrun(folder.path(), &json, TWICE);
    let objects: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let store = objects.iter().find(|object| object["instruction"] == "st.global.u32").expect("there");
    assert_eq!((&store["line"], &store["sectors"]), (&serde_json::json!(14), &serde_json::json!(16)));
    assert_eq!((&store["text"], &store["work"]), (&"st.global.u32 [%rd3], %s2".into(), &20.into()));
    assert_eq!(
        objects[0],
        serde_json::json!({"kind": "profile-launch", "kernel": "twice", "grid": [2, 1, 1], "block": [64, 1, 1]})
    );
    assert_eq!(objects[1], *store, "the most work is first");
    assert_eq!(store["column"], 5);
    // The same in a file.
    let to_file: Vec<&str> = launch[..launch.len() - 1].iter().copied().chain(["--profile=p.json"]).collect();
    assert_eq!(ptxrun(folder.path(), &to_file, TWICE), (0, String::new(), String::new()));
    assert_eq!(fs::read_to_string(folder.path().join("p.json")).expect("written"), out);
    let total = objects.last().expect("there");
    assert_eq!(
        (&total["kind"], &total["work"], &total["share"]),
        (&"profile-total".into(), &44.into(), &1.0.into())
    );
}

#[test]
fn a_trace_shows_values_of_the_threads_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let traced = |filter: &str| {
        let trace = format!("--trace={filter}");
        let launch =
            ["-", "--entry", "twice", "--grid", "2", "--block", "64", "--arg", "zero=256", trace.as_str()];
        let (status, out, err) = ptxrun(folder.path(), &launch, TWICE);
        assert_eq!((status, err.as_str()), (0, ""));
        out
    };
    let expected =
        "(1,0,0) (33,0,0) <stdin>:12: add.s32 %s2, %s1, %s1; %s1 = 33, %s1 = 33 -> %s2 = 66 [twice.cu:5]\n";
    assert_eq!(traced("block=1,thread=33,line=12"), expected);
    assert_eq!(traced("block=1,thread=33,source=twice.cu:5,line=1-12"), expected);
    assert_eq!(traced("block=1,thread=33,line=12,line=14").lines().count(), 2);
    assert_eq!(traced("block=1,thread=33,line=12,line=14,line=10-12").lines().count(), 3);
    // The store and the return too.
    assert_eq!(traced("block=1,thread=33,source=twice.cu:5").lines().count(), 4);
    assert_eq!(traced("thread=5").lines().count(), 2 * 7);
    let launch = ["-", "--entry", "twice", "--grid", "1", "--block", "1", "--trace=warp=1"];
    let (status, _, err) = ptxrun(folder.path(), &launch, TWICE);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("not `warp=1`"), "{err}");
}

#[test]
fn failed_executions_are_status_3_and_write_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (how, code) in [("u32=0", "X0202"), ("u32=1", "X0204"), ("u32=2", "X0201")] {
        let arguments = [
            "-",
            "--entry",
            "fail",
            "--grid",
            "1",
            "--block",
            "1",
            "--arg",
            how,
            "--timeout",
            "0.5",
            "--error-format",
            "json",
        ];
        let (status, out, err) = ptxrun(folder.path(), &arguments, FAIL);
        assert_eq!((status, out.as_str()), (3, ""), "{how}: {err}");
        assert!(err.contains(&format!(r#""code":"{code}""#)) && err.contains(r#""line":"#), "{how}: {err}");
    }
}

#[test]
fn output_files_stay_when_the_execution_fails() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("out.bin"), "precious").expect("writable");
    // The input buffer is too small, so the second thread reads past its end.
    let arguments = [
        "-",
        "--entry",
        "scale",
        "--grid",
        "1",
        "--block",
        "2",
        "--arg",
        "u32=2",
        "--arg",
        "f32=1",
        "--arg",
        "zero=4",
        "--arg",
        "out=8:out.bin",
    ];
    let (status, _, err) = ptxrun(folder.path(), &arguments, SCALE);
    assert_eq!(status, 3, "{err}");
    assert_eq!(fs::read_to_string(folder.path().join("out.bin")).expect("there"), "precious");
}

#[test]
fn launch_that_does_not_fit_the_kernel_is_status_1() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let shape = ["--grid", "1", "--block", "1"];
    let wrong: [&[&str]; 4] = [
        &["--entry", "nothing"],
        &["--entry", "scale"],
        &["--entry", "scale", "--arg", "u64=5", "--arg", "f32=1", "--arg", "zero=4", "--arg", "zero=4"],
        &[
            "--entry",
            "scale",
            "--arg",
            "u32=5",
            "--arg",
            "f32=1",
            "--arg",
            "zero=4",
            "--arg",
            "in=missing.bin",
        ],
    ];
    for arguments in wrong {
        let arguments: Vec<&str> = ["-"].iter().chain(&shape).chain(arguments).copied().collect();
        let (status, out, err) = ptxrun(folder.path(), &arguments, SCALE);
        assert_eq!((status, out.as_str()), (1, ""), "{arguments:?}: {err}");
        assert!(err.starts_with("error["), "{arguments:?}: {err}");
    }
}

#[test]
fn wrong_input_is_status_1() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["-", "--entry", "scale", "--grid", "1", "--block", "1"];
    for input in ["", "garbage", ".version 8.0\n.target sm_80\nfrob;\n", "define nonsense"] {
        let (status, out, err) = ptxrun(folder.path(), &arguments, input);
        assert_eq!((status, out.as_str()), (1, ""), "{input}: {err}");
    }
}

#[test]
fn repeated_launches_keep_what_was_stored_and_are_timed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("x.bin"), floats(&[1.0, -3.0])).expect("writable");
    // In place, so that a launch reads the results of the one before it.
    let double = SCALE.replace("ld.param.u64 %rd2, [out];", "ld.param.u64 %rd2, [in];");
    let arguments = [
        "-",
        "--entry",
        "scale",
        "--grid",
        "1",
        "--block",
        "2",
        "--arg",
        "u32=2",
        "--arg",
        "f32=2",
        "--arg",
        "inout=x.bin:y.bin",
        "--arg",
        "zero=8",
        "--repeat",
        "5",
        "--time=json",
        "--engine=interp",
        "--print",
        "2:f32",
    ];
    let (status, out, err) = ptxrun(folder.path(), &arguments, &double);
    assert_eq!(status, 0, "{err}");
    // 2^5 times the first values.
    assert_eq!(fs::read(folder.path().join("y.bin")).expect("written"), floats(&[32.0, -96.0]));
    let (times, rest) = out.split_at(out.find("2:f32").expect("the view comes last"));
    assert_eq!(rest, "2:f32 = 32.0 -96.0\n");
    let times: Vec<serde_json::Value> =
        times.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(times.len(), 5, "{out}");
    for (number, time) in times.iter().enumerate() {
        assert_eq!(time["launch"], number);
        assert!(time["engine"] == "jit" || time["engine"] == "interp", "{time}");
        assert!(time["wall_ns"].as_u64().is_some_and(|time| time > 0), "{time}");
        assert!(time["cpu_ns"].is_u64(), "{time}");
        assert_eq!(time["compile_ns"].as_u64().is_some_and(|time| time > 0), number == 0, "{time}");
    }
    let (status, _, err) = ptxrun(folder.path(), &[&arguments[..], &["--trace"]].concat(), &double);
    assert_eq!(status, 2, "{err}");
}

#[test]
fn wrong_usage_is_status_2_and_says_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let full = ["-", "--entry", "scale", "--grid", "1", "--block", "1"];
    let wrong: [(&[&str], &[&str], &str); 12] = [
        (&[], &[], "INPUT"),
        (&["-"], &["--entry", "k", "--block", "1"], "--grid is missing"),
        (&["-"], &["--entry", "k", "--grid", "1"], "--block is missing"),
        (&full, &["--engine", "pocl"], "[possible values: auto, interp, jit]"),
        (&full, &["--arg", "u8=256"], "does not fit u8"),
        (&full, &["--arg", "5"], "KIND=VALUE"),
        (&["-"], &["--entry", "k", "--grid", "0", "--block", "1"], "not a dimension"),
        (&full, &["--timeout", "0"], "above 0"),
        (&full, &["--async", "random"], "expected eager, late or random:SEED"),
        (&full, &["--threads", "0"], "at least one thread"),
        (&full, &["--print", "0:f32"], "no such argument"),
        (&full, &["--arg", "u32=1", "--print", "0:f32"], "not a buffer"),
    ];
    for (first, second, part) in wrong {
        let arguments: Vec<&str> = first.iter().chain(second).copied().collect();
        let (status, out, err) = ptxrun(folder.path(), &arguments, SCALE);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
}

#[test]
fn launch_file_that_is_not_understood_is_status_1() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("launch.json"), r#"{"gird": [1]}"#).expect("writable");
    let (status, _, err) = ptxrun(folder.path(), &["-", "--launch", "launch.json"], SCALE);
    assert_eq!(status, 1);
    assert!(err.contains("unknown field `gird`"), "{err}");
}

#[test]
fn help_shows_arguments_examples_and_exit_status() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (status, out, _) = ptxrun(folder.path(), &["--help"], "");
    assert_eq!(status, 0);
    for part in ["out=BYTES:FILE", "Launch file", "Examples:", "Exit status:"] {
        assert!(out.contains(part), "{part}");
    }
    // Who has only the tool has no files of the project.
    assert!(!out.contains("docs/") && !out.contains(".rs"), "{out}");
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let output = command.env("COLUMNS", "60").arg("--help").output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let options = text.split("Arguments (--arg)").next().expect("the options");
    assert!(options.lines().all(|line| line.chars().count() <= 60), "{options}");
}

#[test]
fn several_inputs_are_linked_and_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let main = format!(
        "{head}.extern .func (.param .b32 r) f(.param .b32 a);\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n\
         ld.param.u64 %rd1, [p];\n{{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], 20;\ncall.uni (y), f, (x);\nld.param.b32 %r1, [y];\n}}\n\
         st.global.u32 [%rd1], %r1;\nret;\n}}\n"
    );
    let other = "target triple = \"nvptx64-nvidia-cuda\"\ndefine i32 @f(i32 %a) {\n  %r = add i32 %a, 22\n  ret i32 %r\n}\n";
    let (first, second) = (folder.path().join("main.ptx"), folder.path().join("f.ll"));
    fs::write(&first, main).expect("writable");
    fs::write(&second, other).expect("writable");
    let output = Command::cargo_bin("ptxrun")
        .expect("built with the tests")
        .args([&first, &second])
        .args(["--entry", "k", "--grid", "1", "--block", "1", "--print", "0:u32:1"])
        .args(["--arg".to_owned(), format!("out=4:{}", folder.path().join("out").display())])
        .output()
        .expect("runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0:u32 = 42\n");
}

#[test]
fn faults_and_time_outs_name_what_the_user_knows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let full = ["-", "--entry", "scale", "--grid", "1", "--block", "4", "--error-format=short"];
    let arguments = ["--arg", "u32=4", "--arg", "f32=1", "--arg", "zero=8", "--arg", "zero=64"];
    let (status, _, err) = ptxrun(folder.path(), &[&full[..], &arguments].concat(), SCALE);
    assert_eq!(status, 3, "{err}");
    assert!(
        err.contains("offset 8 of argument 2 (`") && err.contains("`), which has 8 bytes; `ld.global"),
        "{err}"
    );
    let endless = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nL: bra L;\n}\n";
    let arguments = ["-", "--entry", "k", "--grid", "1", "--block", "64", "--timeout", "0.1"];
    // Where all warps are the interpreter tells alone.
    let all = ["thread (0, 0, 0) and 31 more", "thread (32, 0, 0) and 31 more"];
    for (engine, groups) in [("--engine=auto", &all[..1]), ("--engine=interp", &all)] {
        let (status, _, err) = ptxrun(folder.path(), &[&arguments[..], &[engine]].concat(), endless);
        assert_eq!(status, 3, "{err}");
        for part in ["error[X0204]", "<stdin>:5:4"].iter().chain(groups) {
            assert!(err.contains(part), "{part}: {err}");
        }
    }
}

#[test]
fn sizes_and_limits_that_cannot_be_are_said_in_true_sentences() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let full = ["-", "--entry", "scale", "--grid", "1", "--block", "1", "--arg", "u32=1", "--arg", "f32=1"];
    let cases: [(&[&str], i32, &str); 7] = [
        (&["--timeout", "1e300"], 2, "--timeout 1e300: a time-out is at most 1e9 seconds"),
        (&["--timeout", "nan"], 2, "a time-out is a number of seconds above 0"),
        (&["--shared", "1152921504606846976"], 2, "less than 4 GiB of shared memory"),
        (
            &["--arg", "zero=1152921504606846976", "--arg", "zero=4"],
            1,
            "1152921504606846976 bytes for a buffer: all buffers together may have at most 16 GiB",
        ),
        (
            &["--arg", "zero=64", "--arg", "zero=4", "--print", "2:u32:17"],
            2,
            "has 64 bytes, which are 16 of u32",
        ),
        (&["--arg", "zero=64", "--arg", "zero=4", "--threads", "1000000", "--print", "2:u32:1"], 0, ""),
        (&["--print-targets"], 2, "--print-targets"),
    ];
    for (arguments, expected, part) in cases {
        let arguments: Vec<&str> = full.iter().chain(arguments).copied().collect();
        let (status, _, err) = ptxrun(folder.path(), &arguments, SCALE);
        assert_eq!(status, expected, "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
    let (status, out, _) = ptxrun(folder.path(), &["--explain", "X0203"], "");
    assert!(status == 0 && out.starts_with("X0203: "), "{out}");
}

/// A folder with programs and their launch files: one that succeeds, one in a nested folder that fails, and one in LLVM IR.
fn folder_of_programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join("in").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    };
    write("scale.ptx", SCALE);
    fs::write(folder.path().join("in/x.bin"), floats(&[1.0, 2.0])).expect("writable");
    write(
        "scale.json",
        r#"{"entry": "scale", "grid": [1], "block": [2], "args": ["u32=2", "f32=2", "in=x.bin", "out=8:y.bin"], "print": ["3:f32"]}"#,
    );
    write("nested/fail.ptx", FAIL);
    write("nested/fail.json", r#"{"entry": "fail", "grid": [1], "block": [1], "args": ["u32=0"]}"#);
    write(
        "silent.ll",
        "target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @silent(i32 %n, [4 x i8] %bytes) {\n  ret void\n}\n",
    );
    write(
        "silent.json",
        r#"{"entry": "silent", "grid": [1], "block": [1], "args": ["u32=1", "hex=00010203"]}"#,
    );
    write("notes.txt", "not a program");
    folder
}

#[test]
fn each_program_of_a_folder_is_executed_as_the_launch_file_beside_it_has_it() {
    let folder = folder_of_programs();
    let (status, out, err) = ptxrun(folder.path(), &["in"], "");
    // The results of successful programs are shown and written, and a failure does not prevent the execution of the others.
    assert_eq!((status, out.as_str()), (3, "==> in/scale.ptx <==\n3:f32 = 2.0 4.0\n"), "{err}");
    assert!(
        err.contains("in/nested/fail.ptx") && err.ends_with("1 of 3 files failed: in/nested/fail.ptx\n"),
        "{err}"
    );
    assert_eq!(fs::read(folder.path().join("in/y.bin")).expect("written"), floats(&[2.0, 4.0]));
    fs::remove_dir_all(folder.path().join("in/nested")).expect("there");
    let (status, out, err) = ptxrun(folder.path(), &["in", "--print", "3:f32:1", "-O2"], "");
    assert_eq!(status, 2, "{err}");
    assert!(
        out.contains("3:f32 = 2.0\n")
            && err.contains("--print 3: there is no such argument\n--> in/silent.ll")
            && err.ends_with("1 of 2 files were rejected: in/silent.ll\n"),
        "{out}{err}"
    );
}

#[test]
fn programs_of_a_folder_share_a_launch_without_output_files() {
    let folder = folder_of_programs();
    fs::remove_dir_all(folder.path().join("in/nested")).expect("there");
    let launch = ["--entry", "silent", "--grid", "1", "--block", "1", "--arg", "u32=1"];
    let (status, out, err) =
        ptxrun(folder.path(), &[&["in"], &launch[..], &["--arg", "out=8:all.bin"]].concat(), "");
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(
        err.contains("every program of the folder would write `all.bin`") && err.contains("k.json"),
        "{err}"
    );
    let shared = r#"{"args": ["u32=1", "out=8:all.bin"]}"#;
    fs::write(folder.path().join("shared.json"), shared).expect("writable");
    let (status, _, err) = ptxrun(folder.path(), &["in", "--launch", "shared.json"], "");
    assert!(status == 2 && err.contains("would write `all.bin`"), "{err}");
}

#[test]
fn kernels_are_listed_with_their_parameters() {
    let folder = folder_of_programs();
    let (status, out, err) = ptxrun(folder.path(), &["--list", "in"], "");
    assert_eq!((status, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines,
        [
            "in/nested/fail.ptx: fail(.u32 how)",
            "in/scale.ptx: scale(.u32 n, .f32 factor, .u64 in, .u64 out)",
            "in/silent.ll: silent(.u32 n, .align 1 .b8 bytes[4])",
        ]
    );
    let (status, out, _) = ptxrun(folder.path(), &["--list", "-"], SCALE);
    assert_eq!((status, out.as_str()), (0, "scale(.u32 n, .f32 factor, .u64 in, .u64 out)\n"));
    let (status, _, err) = ptxrun(folder.path(), &["--list", "in", "--entry", "k"], "");
    assert!(status == 2 && err.contains("--entry"), "{err}");
}

#[test]
fn programs_are_optimized_before_they_are_executed() {
    let folder = folder_of_programs();
    let launch = ["in/scale.ptx", "--launch", "in/scale.json", "--verbose"];
    let executed = |err: &str| {
        let line = err.lines().find(|line| line.starts_with("executed ")).unwrap_or_else(|| panic!("{err}"));
        line.split(' ').nth(1).and_then(|count| count.parse::<u32>().ok()).expect("a number")
    };
    let (status, plain, err) = ptxrun(folder.path(), &launch, "");
    assert_eq!(status, 0, "{err}");
    let count = executed(&err);
    for level in ["-O1", "-O2", "-O3", "-Os", "-Oz"] {
        let (status, out, err) = ptxrun(folder.path(), &[&launch[..], &[level]].concat(), "");
        assert_eq!((status, out.as_str()), (0, plain.as_str()), "{level}: {err}");
        assert!(err.contains("optimize: ") && err.contains("raise: "), "{level}: {err}");
        assert!(executed(&err) <= count, "{level}: {err}");
    }
    let (status, _, err) = ptxrun(folder.path(), &[&launch[..], &["--passes=nope"]].concat(), "");
    assert!(status == 2 && err.contains("O0001"), "{err}");
    let (status, out, _) = ptxrun(folder.path(), &[&launch[..], &["--passes=instcombine"]].concat(), "");
    assert_eq!((status, out.as_str()), (0, plain.as_str()));
}

#[test]
fn tensor_maps_bring_the_buffers_of_their_tensors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let memory: Vec<f32> = (0..16).map(|n| n as f32).collect();
    fs::write(folder.path().join("in.bin"), floats(&memory)).expect("writable");
    let base = ["-", "--entry", "move", "--grid", "1", "--block", "1", "--print", "1:f32"];
    let run = |maps: [&str; 2]| {
        let arguments = ["--arg", maps[0], "--arg", maps[1], "--arg", "u32=1"];
        ptxrun(folder.path(), &[&base[..], &arguments[..]].concat(), MOVE)
    };
    // Rows of 4, of which two are copied; the second tensor has one row fewer, and begins 16 bytes into its buffer.
    let from = "tensormap=in=in.bin,type=f32,dims=4x4,box=4x2";
    let (status, printed, errors) =
        run([from, "tensormap=out=64:out.bin,type=f32,dims=4x2,strides=16,box=4x2,offset=16"]);
    assert_eq!(status, 0, "{errors}");
    assert_eq!(printed, "1:f32 = 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 4.0 5.0 6.0 7.0 0.0 0.0 0.0 0.0\n");
    let written = fs::read(folder.path().join("out.bin")).expect("written");
    assert_eq!(written, [floats(&[0.0; 8]), floats(&[4.0, 5.0, 6.0, 7.0]), floats(&[0.0; 4])].concat());

    // The map of another argument's buffer has none to show.
    let (status, _, errors) = run([from, "tensormap=0,type=f32,dims=4x2,box=4x2"]);
    assert_eq!(status, 2);
    assert!(errors.contains("--print 1: the argument is not a buffer"), "{errors}");
    let (status, _, errors) = run([from, "tensormap=2,type=f32,dims=4x2,box=4x2"]);
    assert_eq!((status, errors.contains("not a buffer")), (2, true), "{errors}");
    let (status, _, errors) = run([from, "tensormap=zero=64,type=f32,dims=4x2,box=3x2"]);
    assert_eq!(status, 2);
    assert!(errors.contains("not a multiple of 16 bytes"), "{errors}");
}

/// Blends neighbours of a texture at the middle between them into a surface of the module, and doubles in linear memory.
const BLEND: &str = "\
.version 8.0
.target sm_80
.address_size 64
.global .surfref written;
.visible .entry blend(.param .u64 from, .param .u64 words, .param .u64 line)
{
    .reg .u64 %t, %w, %l;
    .reg .u32 %i, %n, %a, %b, %c;
    .reg .f32 %x, %f<4>;
    ld.param.u64 %t, [from];
    ld.param.u64 %w, [words];
    ld.param.u64 %l, [line];
    mov.u32 %i, %tid.x;
    cvt.rn.f32.u32 %x, %i;
    add.f32 %x, %x, 0f3F800000;
    tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x}];
    sust.p.1d.b32.zero [written, {%i}], {%f0};
    tex.1d.v4.u32.s32 {%n, %a, %b, %c}, [%l, {%i}];
    add.u32 %n, %n, %n;
    mad.wide.u32 %w, %i, 4, %w;
    st.global.u32 [%w], %n;
    ret;
}
";

#[test]
fn textures_and_surfaces_are_given_by_files_and_arguments() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("in.bin"), floats(&[1.0, 3.0, 7.0, 15.0])).expect("writable");
    let words: Vec<u8> = [5u32, 6, 7].iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(folder.path().join("words.bin"), &words).expect("writable");
    let base =
        ["-", "--entry", "blend", "--grid", "1", "--block", "3", "--print", "1:u32", "--print", "3:f32"];
    let run = |texture: &str, line: &str, written: &str| {
        let arguments = ["--arg", texture, "--arg", "in=words.bin", "--arg", line, "--reference", written];
        ptxrun(folder.path(), &[&base[..], &arguments[..]].concat(), BLEND)
    };
    let texture = "texture=in=in.bin,type=f32,dims=4,filter=linear";
    let written = "written=surface=out=16:out.bin,type=f32,dims=4";
    let (status, printed, errors) = run(texture, "texture=1,type=u32,dims=3", written);
    assert_eq!(status, 0, "{errors}");
    // x = 1, 2, 3 are the edges between texels: the mean of both.
    assert_eq!(printed, "1:u32 = 10 12 14\n3:f32 = 2.0 5.0 11.0 0.0\n");
    let found = fs::read(folder.path().join("out.bin")).expect("written");
    assert_eq!(found, floats(&[2.0, 5.0, 11.0, 0.0]));

    // The same in a launch file.
    let launch = r#"{"entry": "blend", "grid": [1], "block": [3], "print": ["3:f32:1"],
        "args": ["texture=in=in.bin,type=f32,dims=4,filter=linear", "in=words.bin", "texture=1,type=u32,dims=3"],
        "references": ["written=surface=zero=16,type=f32,dims=4"]}"#;
    fs::write(folder.path().join("k.json"), launch).expect("writable");
    let (status, printed, errors) = ptxrun(folder.path(), &["-", "--launch", "k.json"], BLEND);
    assert_eq!((status, printed.as_str()), (0, "3:f32 = 2.0\n"), "{errors}");

    // A surface of the texture's own image. It has no buffer, so that it cannot be shown.
    let (status, printed, errors) = run(texture, "texture=1,type=u32,dims=3", "written=surface=0");
    assert_eq!((status, printed.as_str()), (2, ""), "{errors}");
    assert!(errors.contains("--print 3: the argument is not a buffer"), "{errors}");
    for (line, written, wanted) in [
        (
            "texture=0",
            "written=surface=7",
            "texture or surface of argument 7, which is not a texture or surface",
        ),
        (
            "texture=0,type=u32,dims=3",
            "written=surface=0",
            "texture or surface of argument 0, which is not a buffer",
        ),
        (
            "texture=0",
            "other=surface=zero=16,type=f32,dims=4",
            "the module has no texture, sampler or surface `other`",
        ),
        (
            "texture=0",
            "written=surface=zero=12,type=f32,dims=4",
            "has 12 bytes of texels; its shape takes 16",
        ),
    ] {
        let arguments = ["--arg", texture, "--arg", "in=words.bin", "--arg", line, "--reference", written];
        let (status, _, errors) = ptxrun(folder.path(), &[&base[..7], &arguments[..]].concat(), BLEND);
        assert!(status != 0 && errors.contains(wanted), "{status} {errors}");
    }
}

#[test]
fn ptx_of_llvm_ir_is_kept_and_errors_about_it_name_the_instruction() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ir = "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k() {
  call void asm sideeffect \"bar.sync 99;\", \"\"()
  ret void
}
";
    let launch = ["-", "--entry", "k", "--grid", "1", "--block", "1"];
    let (status, _, err) = ptxrun(folder.path(), &launch, ir);
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("V0403") && err.contains("in function k: call void asm"), "{err}");
    let keep = [launch.as_slice(), &["--keep-ptx", "kept.ptx"]].concat();
    let (status, _, err) = ptxrun(folder.path(), &keep, &ir.replace("99", "1"));
    assert_eq!(status, 0, "{err}");
    assert!(fs::read_to_string(folder.path().join("kept.ptx")).expect("written").contains("bar.sync"));
    let (status, _, err) =
        ptxrun(folder.path(), &keep, ".version 8.0\n.target sm_80\n.visible .entry k() { ret; }\n");
    assert!(status == 2 && err.contains("--keep-ptx"), "{err}");
}
