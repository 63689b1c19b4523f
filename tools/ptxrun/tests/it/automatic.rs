//! `--engine=auto`, the default: the interpreter for short launches, compiled code that checks memory for long ones.
//!
//! The expected results are computed here: thread `i` starts from `i` and executes `n` steps of `x -> 1664525 x + 1013904223`.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// `loops` writes beyond its buffer where that has room for fewer than 32 numbers; `saves` is not compiled.
const KERNELS: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry loops(.param .u64 out, .param .u32 n, .param .u64 early)
{
    .reg .b32 %r<9>; .reg .b64 %a<6>; .reg .pred %p;
    ld.param.u64 %a1, [out]; ld.param.u32 %r5, [n]; ld.param.u64 %a3, [early];
    mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.s64 %a1, %a1, %a2; add.s64 %a4, %a3, %a2;
    st.global.u32 [%a4], %r1;
    mov.u32 %r4, 0;
again:
    setp.ge.u32 %p, %r4, %r5; @%p bra done;
    mad.lo.u32 %r1, %r1, 1664525, 1013904223; add.u32 %r4, %r4, 1; bra again;
done:
    st.global.u32 [%a1], %r1;
    ret;
}
.func saves() { .reg .b64 %rd; stacksave.u64 %rd; .reg .pred %p; setp.eq.u64 %p, %rd, 1; @%p call saves; ret; }
.visible .entry not_compiled(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
    call saves;
    ld.param.u64 %a, [out]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0;
again:
    add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, %r2; @%p bra again;
    st.global.u32 [%a], %r1;
    ret;
}
";

/// Steps that the interpreter executes to the end.
const SHORT: u32 = 1_000;
/// More than the interpreter executes before the kernel is compiled: five instructions a step.
const LONG: u32 = 300_000;
/// Steps for which the interpreter takes much longer than the compilation.
const LONGEST: u32 = 50_000_000;

struct Found {
    status: i32,
    out: String,
    err: String,
}

impl Found {
    /// Whether the interpreter executed it, which alone counts instructions.
    fn is_interpreted(&self) -> bool {
        self.err.contains("instructions of warps, ")
    }

    fn is_from_cache(&self) -> bool {
        self.err.contains("the kernel was loaded from the cache")
    }

    fn is_found_long(&self) -> bool {
        self.err.contains("the launch is long: its kernel is compiled while the interpreter goes on")
    }
}

fn ptxrun(folder: &Path, arguments: &str) -> Found {
    fs::write(folder.join("k.ptx"), KERNELS).expect("writable");
    let mut command = Command::cargo_bin("ptxrun").expect("built");
    command.current_dir(folder).env("XDG_CACHE_HOME", folder);
    let output = command.arg("k.ptx").args(arguments.split_whitespace()).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Found {
        status: output.status.code().expect("a status"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// The arguments of `loops` with so many steps, and buffers with room for so many numbers.
fn loops(steps: u32, room: u32, early: u32) -> String {
    let (room, early) = (4 * room, 4 * early);
    format!(
        "--entry loops --grid 1 --block 32 --arg zero={room} --arg u32={steps} --arg zero={early} --print 0:u32"
    )
}

fn expected(steps: u32) -> String {
    let one = |i: u32| {
        // Both of 2^bit steps, x -> factor x + summand.
        let (mut factor, mut summand, mut x) = (1_664_525u32, 1_013_904_223u32, i);
        for bit in 0..32 {
            if steps >> bit & 1 == 1 {
                x = x.wrapping_mul(factor).wrapping_add(summand);
            }
            (factor, summand) =
                (factor.wrapping_mul(factor), factor.wrapping_mul(summand).wrapping_add(summand));
        }
        x.to_string()
    };
    format!("0:u32 = {}\n", (0..32).map(one).collect::<Vec<_>>().join(" "))
}

/// The files of compiled kernels.
fn kept(folder: &Path) -> usize {
    fs::read_dir(folder.join("ptx-llvm")).into_iter().flatten().count()
}

#[test]
fn short_launches_are_interpreted_and_long_ones_compiled() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |steps| ptxrun(folder.path(), &format!("{} --verbose", loops(steps, 32, 32)));
    let short = run(SHORT);
    assert_eq!((short.status, short.out.as_str()), (0, expected(SHORT).as_str()), "{}", short.err);
    assert!(short.is_interpreted() && kept(folder.path()) == 0, "{}", short.err);
    assert!(short.err.contains("the interpreter executed the launch, which is short"), "{}", short.err);
    let long = run(LONGEST);
    assert_eq!((long.status, long.out.as_str()), (0, expected(LONGEST).as_str()), "{}", long.err);
    assert!(long.is_found_long() && !long.is_interpreted() && kept(folder.path()) == 1, "{}", long.err);
    assert!(long.err.contains("compiled code executes the launch from its beginning"), "{}", long.err);
    // Compiled code in the cache is used for short launches, too.
    for steps in [SHORT, LONG] {
        let found = run(steps);
        assert_eq!((found.status, &found.out), (0, &expected(steps)), "{}", found.err);
        assert!(!found.is_interpreted() && found.is_from_cache(), "{}", found.err);
    }
}

/// The times of a launch have its engine, and a compilation is reported before it ends.
#[test]
fn times_name_the_engine_and_compilations_are_announced() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |options: &str| {
        ptxrun(folder.path(), &format!("{} --time=json --verbose {options}", loops(SHORT, 32, 32)))
    };
    for (options, engine, is_compiled) in [
        ("--engine=interp", "interp", false),
        ("--engine=jit", "jit", true),
        // From the cache.
        ("--engine=jit", "jit", false),
        ("", "jit", true),
        ("--async=late", "interp", false),
    ] {
        let Found { status, out, err } = run(options);
        let told = format!("\"engine\":\"{engine}\"");
        assert!(status == 0 && out.contains(&told), "{options}: {out}{err}");
        let begins = err.find("the kernel is compiled before the launch");
        assert_eq!(begins.is_some(), is_compiled, "{options}: {err}");
        assert!(begins < err.find("compile: "), "{options}: {err}");
    }
}

#[test]
fn the_interpreter_goes_on_while_the_kernel_is_compiled() {
    // Whichever engine is ready first, the results are those of one execution.
    for steps in (200_000..1_200_000).step_by(100_000) {
        let folder = tempfile::tempdir().expect("a folder");
        let found = ptxrun(folder.path(), &format!("{} --verbose", loops(steps, 32, 32)));
        assert_eq!((found.status, found.out.as_str()), (0, expected(steps).as_str()), "{}", found.err);
        // 13 instructions besides the loop.
        let all = 5 * u64::from(steps) + 13;
        assert_eq!(found.is_found_long(), all >= 1 << 20, "{}", found.err);
        if found.is_interpreted() {
            let counted = format!("executed {all} instructions of warps");
            assert!(found.err.contains(&counted), "each instruction is executed once: {}", found.err);
            let ended =
                found.err.contains("the interpreter executed the launch before its kernel was compiled");
            assert_eq!(ended, found.is_found_long(), "{}", found.err);
        }
    }
}

#[test]
fn the_time_limit_bounds_both_engines_and_the_compilation() {
    for (engine, limit) in [("auto", "0.2"), ("interp", "0.2"), ("jit", "0.001")] {
        let folder = tempfile::tempdir().expect("a folder");
        let launch = loops(u32::MAX, 32, 32);
        let found = ptxrun(folder.path(), &format!("{launch} --engine={engine} --timeout={limit}"));
        assert!(found.status == 3 && found.err.contains("X0204"), "{engine}: {}", found.err);
        assert_eq!(
            found.err.contains("was not compiled in time"),
            engine == "jit",
            "{engine}: {}",
            found.err
        );
    }
}

#[test]
fn errors_are_told_as_the_interpreter_does_with_and_without_a_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |engine: &str, arguments: &str| {
        let found = ptxrun(folder.path(), &format!("{arguments} --engine={engine} --threads=1"));
        assert_eq!((found.status, found.out.as_str()), (3, ""), "{}", found.err);
        found.err
    };
    // Thread 31 has no room at the end, or at the beginning.
    let cases = [loops(SHORT, 31, 32), loops(SHORT, 32, 31), loops(LONG, 32, 31)];
    let wanted: Vec<String> = cases.iter().map(|arguments| told("interp", arguments)).collect();
    for (text, argument) in wanted.iter().zip(["0 (`out`)", "2 (`early`)", "2 (`early`)"]) {
        let at = format!("offset 124 of argument {argument}, which has 124 bytes");
        assert!(text.contains("X0201") && text.contains(&at), "{text}");
    }
    let all = || cases.iter().map(|arguments| told("auto", arguments)).collect::<Vec<_>>();
    assert_eq!(all(), wanted);
    assert_eq!(kept(folder.path()), 0);
    // Late errors are reported by compiled code, with addresses of the process.
    let late = told("auto", &loops(LONGEST, 31, 32));
    let at = "offset 124 of argument 0 (`out`), which has 124 bytes; `st.global.u32` in kernel loops, block (0, 0, 0), thread (31, 0, 0)";
    assert!(late.contains("X0201") && late.contains(at), "{late}");
    assert_eq!(kept(folder.path()), 1);
    let found = ptxrun(folder.path(), &format!("{} --verbose", cases[0]));
    assert!(found.is_from_cache(), "{}", found.err);
    assert_eq!(all(), wanted);
}

#[test]
fn what_concerns_code_compiles_at_once() {
    for option in ["--repeat=2", "--time=json", "--remarks", "--debug", "--jit-check-shapes"] {
        let folder = tempfile::tempdir().expect("a folder");
        let found = ptxrun(folder.path(), &format!("{} {option} --verbose", loops(SHORT, 32, 32)));
        assert_eq!(found.status, 0, "{}", found.err);
        assert!(found.out.ends_with(&expected(SHORT)), "{option}: {}", found.out);
        assert!(!found.is_interpreted() && !found.is_found_long(), "{option}: {}", found.err);
    }
    // Memory is checked in it.
    let folder = tempfile::tempdir().expect("a folder");
    let found = ptxrun(folder.path(), &format!("{} --repeat=2", loops(SHORT, 31, 32)));
    assert!(found.status == 3 && found.err.contains("X0201"), "{}", found.err);
}

#[test]
fn many_warps_are_compiled_at_once() {
    let run = |grid: u32| {
        let folder = tempfile::tempdir().expect("a folder");
        let launch =
            format!("--entry loops --grid {grid} --block 1 --arg zero=4 --arg u32=0 --arg zero=4 --verbose");
        let found = ptxrun(folder.path(), &launch);
        assert_eq!(found.status, 0, "{}", found.err);
        (found.is_interpreted(), found.is_found_long())
    };
    // 13 instructions a warp are fewer than 16.
    assert_eq!(run(65_536), (true, false));
    assert_eq!(run(65_537), (false, false));
}

#[test]
fn the_interpreter_executes_what_is_not_compiled_to_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = "--entry not_compiled --grid 1 --block 1 --arg zero=4 --arg u32=400000 --print 0:u32";
    let found = ptxrun(folder.path(), launch);
    assert_eq!((found.status, found.out.as_str(), found.err.as_str()), (0, "0:u32 = 400000\n", ""));
    let found = ptxrun(folder.path(), &format!("{launch} --remarks --verbose"));
    assert!(found.err.contains("T0012") && found.is_interpreted(), "{}", found.err);
    // Options that only it has.
    for option in ["--async=late", "--profile"] {
        let found = ptxrun(folder.path(), &format!("{} {option} --verbose", loops(LONG, 32, 32)));
        assert!(found.status == 0 && found.is_interpreted() && !found.is_found_long(), "{}", found.err);
    }
}

#[test]
fn unchecked_code_and_other_engines_can_be_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    for options in ["--check=none", "--engine=jit"] {
        let found = ptxrun(folder.path(), &format!("{} {options} --verbose", loops(LONGEST, 32, 32)));
        assert_eq!((found.status, &found.out), (0, &expected(LONGEST)), "{}", found.err);
        assert!(!found.is_interpreted(), "{}", found.err);
    }
    // Both have the code without checks.
    assert_eq!(kept(folder.path()), 1);
    let found = ptxrun(folder.path(), &format!("{} --engine=interp --verbose", loops(LONG, 32, 32)));
    assert!(found.is_interpreted() && !found.is_found_long(), "{}", found.err);
    assert_eq!(found.out, expected(LONG));
}
