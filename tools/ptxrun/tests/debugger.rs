//! Compiled kernels in debuggers and profilers. If gdb is missing or the system forbids debugging, its tests are counted as skipped; with
//! CI=true gdb is required.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};

/// The reason that gdb is missing.
const MISSING: &str = "no gdb";

/// The reason why gdb cannot be used, if there is one.
fn obstacle() -> Option<&'static str> {
    let output = Command::new("gdb").args(["-nx", "-batch", "-ex", "run", "--args", "true"]).output();
    match output {
        _ if !IS_SUPPORTED => Some("another system"),
        Err(_) => Some(MISSING),
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains("exited normally") => None,
        Ok(_) => Some("debugging is forbidden"),
    }
}

/// LLVM tells debuggers of its code, and profilers look for maps, on this system.
const IS_SUPPORTED: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

fn main() -> ExitCode {
    let obstacle = obstacle();
    let is_required = std::env::var_os("CI").is_some_and(|value| value == "true");
    let in_gdb = |name, test: fn()| {
        let run = move || match obstacle {
            Some(MISSING) => Err("with CI=true gdb is required".into()),
            _ => {
                test();
                Ok(())
            }
        };
        let is_skipped = obstacle.is_some_and(|why| why != MISSING || !is_required);
        Trial::test(name, run).with_kind(obstacle.unwrap_or_default()).with_ignored_flag(is_skipped)
    };
    let profiler = || {
        profilers_find_the_names_of_kernels();
        Ok(())
    };
    let trials = vec![
        in_gdb("gdb stops at lines of PTX", gdb_stops_at_lines_of_ptx),
        in_gdb("gdb stops at lines of functions that are called", gdb_stops_at_lines_of_functions),
        Trial::test("profilers find the names of kernels", profiler).with_ignored_flag(!IS_SUPPORTED),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The store is at line 13, that of the function which is called at line 7.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.func keep(.param .u64 at, .param .u32 value)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [value];
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry scale(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mul.lo.u32 %r2, %r1, 3;
    st.global.u32 [%rd3], %r2;
    { .param .u64 a; .param .u32 b; st.param.u64 [a], %rd1; st.param.u32 [b], %r1; call keep, (a, b); }
    ret;
}
";

const LAUNCH: [&str; 11] = [
    "k.ptx",
    "--engine=jit",
    "--entry",
    "scale",
    "--grid",
    "1",
    "--block",
    "64",
    "--arg",
    "out=256:written",
    "--threads=1",
];

/// The file with the kernel's results.
const WRITTEN: &str = "written";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.ptx"), KERNEL).expect("writable");
    folder
}

/// The output of gdb for commands.
fn gdb(folder: &Path, commands: &[&str]) -> String {
    let output = Command::new("gdb")
        .current_dir(folder)
        // gdb copies the instruction at a breakpoint to another address to step over it, and breaks the relative addresses of AVX-512 instructions.
        .args(["-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", "set displaced-stepping off"])
        .args(commands.iter().flat_map(|command| ["-ex", command]))
        .args(["--args", assert_cmd::cargo::cargo_bin("ptxrun").to_str().expect("a path")])
        .args(LAUNCH)
        .arg("--debug")
        .output()
        .expect("gdb runs");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn gdb_stops_at_lines_of_ptx() {
    let folder = folder();
    let text = gdb(folder.path(), &["break k.ptx:13", "run", "backtrace", "delete", "detach"]);
    let frames: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert!(
        frames.first().is_some_and(|frame| frame.contains("scale ()") && frame.contains("k.ptx:13")),
        "{text}"
    );
    // The frames of compiled code lead to those that called it.
    assert!(frames.len() > 3 && frames.iter().any(|frame| frame.contains("ptx_host_rt")), "{text}");
    // After it the kernel goes on to its end. gdb 13 may lose a process whose threads end while it watches them.
    let written = fs::read(folder.path().join(WRITTEN)).unwrap_or_else(|error| panic!("{error}: {text}"));
    let expected: Vec<u8> = (0..64_u32).flat_map(|thread| (thread * 3).to_le_bytes()).collect();
    // All threads write their number to the first element after that.
    assert_eq!(written.get(4..), expected.get(4..), "{text}");
}

fn gdb_stops_at_lines_of_functions() {
    let folder = folder();
    let text = gdb(folder.path(), &["break k.ptx:7", "run", "backtrace 1"]);
    let frame = text.lines().find(|line| line.starts_with("#0"));
    assert!(frame.is_some_and(|frame| frame.contains("k.ptx:7")), "{text}");
}

fn profilers_find_the_names_of_kernels() {
    let folder = folder();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("ptxrun"));
    let child = command.current_dir(folder.path()).args(LAUNCH).arg("--perf-map").spawn().expect("runs");
    let map = format!("/tmp/perf-{}.map", child.id());
    assert!(child.wait_with_output().expect("ends").status.success());
    let text = fs::read_to_string(&map).expect("a map");
    fs::remove_file(&map).expect("writable");
    // `START SIZE NAME`, both numbers in hexadecimal.
    let line = text.lines().find(|line| line.ends_with(" kernel scale k.ptx")).expect("the kernel");
    let numbers: Vec<u64> =
        line.split(' ').take(2).map(|number| u64::from_str_radix(number, 16).expect("a number")).collect();
    assert!(numbers[0] > 0x1000 && (16..1 << 20).contains(&numbers[1]), "{text}");
}
