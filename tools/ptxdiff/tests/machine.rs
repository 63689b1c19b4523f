//! Machine code compared and weighted, with NVIDIA's ptxas and nvdisasm. Without them these tests are counted as skipped, but for CI, which requires them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use assert_cmd::Command;
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;

/// The folder with ptxas and nvdisasm.
fn oracle() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join(std::env::var_os("PTX_ORACLE").map_or_else(|| ".oracle".into(), PathBuf::from));
    let has_both = |folder: &PathBuf| ["ptxas", "nvdisasm"].iter().all(|name| folder.join(name).is_file());
    [folder.join("bin"), folder].into_iter().find(has_both)
}

fn main() -> ExitCode {
    let oracle = oracle();
    let is_required = std::env::var_os("CI").is_some_and(|value| value == "true");
    let is_left_out = oracle.is_none() && !is_required;
    let trial = |name, test: fn(&Path)| {
        let oracle = oracle.clone();
        let run = move || {
            test(&oracle.expect("ptxas and nvdisasm are there"));
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_left_out)
    };
    let trials = vec![
        trial("names change no machine code", names),
        trial("what differs is counted and listed", differences),
        trial("issued instructions are those of a known loop", issued),
        trial("what ptxas rejects is told at its line", rejected),
        trial("an old target is assembled for another", old_target),
        trial("kernels with another name are compared", renamed_kernel),
        trial("what cannot be estimated has its reason", not_measured),
        trial("a module that calls what another one has is assembled", relocatable),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Squares `n` times; ptxas makes copies of the loop unless it is told not to.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .pred %p<3>;
.reg .b32 %r<8>;
.reg .b64 %rd<5>;
.reg .f32 %f<5>;
ld.param.u64 %rd1, [p];
ld.param.u32 %r1, [n];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r2, %tid.x;
mul.wide.u32 %rd3, %r2, 4;
add.s64 %rd4, %rd2, %rd3;
ld.global.f32 %f1, [%rd4];
mov.u32 %r3, 0;
$loop:
.pragma \"nounroll\";
mul.rn.f32 %f1, %f1, %f1;
add.s32 %r3, %r3, 1;
setp.lt.s32 %p2, %r3, %r1;
@%p2 bra $loop;
st.global.f32 [%rd4], %f1;
ret;
}
";

fn changed() -> String {
    KERNEL.replace("mul.rn.f32 %f1, %f1, %f1;", "mul.rn.f32 %f1, %f1, %f1;\nadd.rn.f32 %f1, %f1, 0f3F000000;")
}

fn in_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).expect("writable"));
    folder
}

fn run(program: &str, folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let program = testing::built(&["ptxdiff", "ptxrun"], &[]).join(program);
    let output = Command::new(program).current_dir(folder).args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

fn ptxdiff(oracle: &Path, folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let machine = format!("--machine={}", oracle.canonicalize().expect("there").display());
    run("ptxdiff", folder, &[&[machine.as_str(), "--error-format=short"], arguments].concat())
}

fn json(oracle: &Path, folder: &Path, arguments: &[&str]) -> Value {
    let (_, out, err) = ptxdiff(oracle, folder, &[&["--format=json"], arguments].concat());
    assert_eq!(err, "");
    serde_json::from_str(&out).expect("an object")
}

fn names(oracle: &Path) {
    let renamed = KERNEL.replace("%f1", "%number").replace(".reg .f32 %f<5>", ".reg .f32 %number");
    let folder = in_folder(&[("a.ptx", KERNEL), ("b.ptx", &renamed)]);
    let same = (0, String::new(), String::new());
    assert_eq!(ptxdiff(oracle, folder.path(), &["a.ptx", "b.ptx"]), same);
    let found = json(oracle, folder.path(), &["a.ptx", "b.ptx"]);
    assert_eq!((&found["machine"]["functions"], &found["machine"]["same"]), (&1.into(), &1.into()));
    let machine = &found["functions"][0]["machine"];
    assert_eq!((&machine["same"], &machine["same_but_registers"]), (&true.into(), &true.into()));
}

fn differences(oracle: &Path) {
    let folder = in_folder(&[("a.ptx", KERNEL), ("b.ptx", &changed())]);
    let (status, out, err) = ptxdiff(oracle, folder.path(), &["a.ptx", "b.ptx"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    for part in [
        "  machine code: ",
        "floating point 1 -> 2",
        "\n+ FADD R",
        "machine code of 0 of 1 functions is the same (sm_80)",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let found = json(oracle, folder.path(), &["a.ptx", "b.ptx"]);
    let machine = &found["functions"][0]["machine"];
    assert_eq!(machine["same"], false);
    let (before, after) = (&machine["before"], &machine["after"]);
    let number = |value: &Value| value.as_u64().expect("a number");
    assert_eq!(number(&after["instructions"]), number(&before["instructions"]) + 1, "{machine}");
    assert!(number(&before["registers"]) > 2 && before["stack"] == 0 && before["spilled"] == 0, "{before}");
    assert_eq!(
        (&before["classes"]["global.32"], &before["classes"]["floating point"]),
        (&2.into(), &1.into())
    );
    // The other way round it is the opposite.
    let (_, back, _) = ptxdiff(oracle, folder.path(), &["b.ptx", "a.ptx"]);
    assert!(back.contains("\n- FADD R"), "{back}");
    // In brief without the instructions.
    let (_, brief, _) = ptxdiff(oracle, folder.path(), &["-q", "a.ptx", "b.ptx"]);
    assert!(brief.contains("machine code: ") && !brief.contains("FADD"), "{brief}");
}

/// A profile of 4 warps of 32 threads that repeat the loop 100 times.
fn profile(folder: &Path, module: &str, to: &str) {
    let profile = format!("--profile={to}");
    let launch =
        ["--grid", "2", "--block", "64", "--arg", "zero=256", "--arg", "u32=100", "--reconverge=late"];
    let (status, _, err) = run("ptxrun", folder, &[&[module, &profile], &launch[..]].concat());
    assert_eq!((status, err.as_str()), (0, ""));
}

fn issued(oracle: &Path) {
    let folder = in_folder(&[("a.ptx", KERNEL), ("b.ptx", &changed())]);
    profile(folder.path(), "a.ptx", "a.json");
    profile(folder.path(), "b.ptx", "b.json");
    let weights = ["--profile-before=a.json", "--profile-after=b.json", "a.ptx", "b.ptx"];
    let found = json(oracle, folder.path(), &weights);
    let function = &found["functions"][0];
    // 8 instructions before the loop, 4 or 5 in it, and 2 after it.
    assert_eq!(function["issued"]["before"]["warps"], 4 * (8 + 400 + 2), "{function}");
    assert_eq!(function["issued"]["after"]["warps"], 4 * (8 + 500 + 2));
    let warps = |side: &str| function["machine"][side]["issued"]["warps"].as_f64().expect("measured");
    // The loop of the second has one instruction more, which 4 warps issue 100 times.
    assert!((warps("after") - warps("before") - 400.0).abs() < 1.0, "{function}");
    let float = |side: &str| function["machine"][side]["issued"]["classes"]["floating point"].as_f64();
    assert_eq!((float("before").map(f64::round), float("after").map(f64::round)), (Some(400.0), Some(800.0)));
    let edits = function["edits"].as_array().expect("edits");
    assert_eq!(
        (edits.len(), &edits[0]["after"]["warps"], &edits[0]["after"]["block"]),
        (1, &400.into(), &"$loop".into())
    );
    let (_, out, _) = ptxdiff(oracle, folder.path(), &weights);
    for part in
        ["issued 1,640 -> 2,040 warps (1.244)\n", "           400 add.rn.f32 ", " warps (1.", ", estimated\n"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
}

fn rejected(oracle: &Path) {
    // Comparing does not verify, so that ptxas is the first to reject it.
    let wrong = KERNEL.replace("ret;\n", "tcgen05.fence::before_thread_sync;\nret;\n");
    let folder = in_folder(&[("a.ptx", KERNEL), ("b.ptx", &wrong)]);
    let (status, out, err) = ptxdiff(oracle, folder.path(), &["a.ptx", "b.ptx"]);
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("b.ptx:25:1: error[T0025]: ptxas: "), "{err}");
    let (status, _, err) = ptxdiff(oracle, folder.path(), &["--arch=sm_20", "a.ptx", "a.ptx"]);
    assert!(status == 2 && err.contains("error[T0025]: ptxas does not make code for `sm_20`"), "{err}");
}

fn old_target(oracle: &Path) {
    let old = KERNEL.replace("sm_80", "sm_30");
    let folder = in_folder(&[("a.ptx", KERNEL), ("old.ptx", &old)]);
    let found = json(oracle, folder.path(), &["old.ptx", "a.ptx"]);
    let architecture = |side: &str| found["machine"][side]["architecture"].as_str().expect("one").to_owned();
    assert_eq!((architecture("before"), architecture("after")), ("sm_90".to_owned(), "sm_90".to_owned()));
    assert_eq!(found["functions"][0]["machine"]["same"], true);
    let (_, out, _) = ptxdiff(oracle, folder.path(), &["--arch=sm_100", "old.ptx", "a.ptx"]);
    assert!(out.ends_with("machine code of 1 of 1 functions is the same (sm_100)\n"), "{out}");
}

fn renamed_kernel(oracle: &Path) {
    let other = KERNEL.replace("entry k(", "entry _Z3newv(");
    let alone = format!("{KERNEL}.visible .entry alone()\n{{\nret;\n}}\n");
    let folder = in_folder(&[("a.ptx", KERNEL), ("other.ptx", &other), ("more.ptx", &alone)]);
    let (status, out, _) = ptxdiff(oracle, folder.path(), &["-q", "a.ptx", "other.ptx"]);
    assert!(
        status == 1
            && out.contains("\nk -> new(): ")
            && out.contains("machine code of 1 of 1 functions is the same"),
        "{out}"
    );
    let (_, out, _) = ptxdiff(oracle, folder.path(), &["a.ptx", "more.ptx"]);
    assert!(out.contains("+ alone: machine code only of more.ptx\n"), "{out}");
}

/// Two kernels that call a function, which stays one: the counts of it are those of both.
fn not_measured(oracle: &Path) {
    let kernel = |name: &str| {
        format!(
            ".visible .entry {name}(.param .u64 p)\n{{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.param .b32 back;\nld.param.u64 %rd1, [p];\n\
             call (back), f, ();\nld.param.b32 %r1, [back];\nst.global.u32 [%rd1], %r1;\nret;\n}}\n"
        )
    };
    let module = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func (.param .b32 r) f()\n{{\n.reg .b32 %r<3>;\nmov.u32 %r1, %clock;\nst.param.b32 [r], %r1;\nret;\n}}\n{}{}",
        kernel("one"),
        kernel("other")
    );
    let folder = in_folder(&[
        ("a.ptx", &module),
        ("b.ptx", &module.replace("mov.u32 %r1, %clock", "mov.u32 %r1, %laneid")),
    ]);
    let mut profiles = String::new();
    for entry in ["one", "other"] {
        let profile = format!("--profile={entry}.json");
        let launch =
            ["a.ptx", "--entry", entry, "--grid", "1", "--block", "32", "--arg", "zero=256", &profile];
        let (status, _, err) = run("ptxrun", folder.path(), &launch);
        assert_eq!((status, err.as_str()), (0, ""));
        profiles += &fs::read_to_string(folder.path().join(format!("{entry}.json"))).expect("written");
        let name = format!("--profile-before={entry}.json");
        let found = json(oracle, folder.path(), &[&name, "a.ptx", "b.ptx"]);
        let of = |name: &str| {
            let functions = found["functions"].as_array().expect("functions");
            functions.iter().find(|function| function["name"] == name).expect("there")["machine"]["before"]
                .clone()
        };
        assert!(of(entry)["issued"]["warps"].as_f64().is_some_and(|warps| warps > 3.0), "{found}");
    }
    fs::write(folder.path().join("both.json"), profiles).expect("writable");
    let (_, out, err) =
        ptxdiff(oracle, folder.path(), &["-q", "--profile-before=both.json", "a.ptx", "b.ptx"]);
    assert_eq!(err, "");
    let reason = "before: not measured: several kernels were launched, and `f` may be called by any of them";
    let found = json(oracle, folder.path(), &["--profile-before=both.json", "a.ptx", "b.ptx"]);
    let told = found["functions"].as_array().expect("functions").iter().filter(|function| {
        function["machine"]["before"]["not_measured"].as_str().is_some_and(|text| reason.ends_with(text))
    });
    assert_eq!(told.count(), 2, "{found}\n{out}");
}

fn relocatable(oracle: &Path) {
    let module = format!(
        "{}.visible .entry other()\n{{\ncall elsewhere, ();\nret;\n}}\n",
        KERNEL.replace(".visible .entry k", ".extern .func elsewhere();\n.visible .entry k")
    );
    let folder = in_folder(&[
        ("a.ptx", &module),
        ("b.ptx", &module.replace("add.s32 %r3, %r3, 1", "add.s32 %r3, %r3, 2")),
    ]);
    let (status, out, err) = ptxdiff(oracle, folder.path(), &["a.ptx", "b.ptx"]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("machine code of 1 of 2 functions is the same (sm_80)"), "{out}");
}
