//! The passes of this project in LLVM's `opt`, and plugins of others in `ptx2ll` and `ll2ptx`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MODULE: &str = "target triple = \"nvptx64-nvidia-cuda\"
define i32 @f(ptr %p, i32 %n) {
  %acc = alloca i32
  store i32 %n, ptr %acc
  %x = load i32, ptr %acc
  %y = load i32, ptr %p, !ptx.mods !0
  %z = add i32 %x, %y
  ret i32 %z
}
define i32 @g(ptr addrspace(3) %p) {
  %q = addrspacecast ptr addrspace(3) %p to ptr
  %y = load i32, ptr %q, !ptx.mods !0
  ret i32 %y
}
!0 = !{!\".cg\"}
";

const KERNEL: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";

fn built() -> PathBuf {
    testing::built(&["ptx-opt-plugin", "ptx2ll", "ll2ptx"], &[])
}

fn prefix() -> PathBuf {
    env::var_os("LLVM_SYS_221_PREFIX").map_or_else(|| "/usr/lib/llvm-22".into(), PathBuf::from)
}

fn texts(output: &Output) -> (bool, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// What `opt` makes of a module with passes of this project.
fn opt(module: &str, passes: &str) -> (bool, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.ll"), module).expect("writable");
    let mut command = Command::new(prefix().join("bin/opt"));
    command.current_dir(folder.path()).arg("-load-pass-plugin").arg(built().join("libptx_passes.so"));
    texts(&command.args(["-S", "m.ll", "-passes", passes]).output().expect("opt runs"))
}

#[test]
fn opt_runs_passes_of_this_project_between_its_own() {
    for passes in [
        "function(mem2reg,ptx-count-first),ptx-strip-hints,ptx-infer-address-spaces",
        "ptx-strip-hints,function(mem2reg,ptx-sink,function(ptx-point-branches<back>)),ptx-infer-address-spaces,ptx-sink",
    ] {
        let (succeeded, out, err) = opt(MODULE, passes);
        assert!(succeeded && !out.contains("alloca") && !out.contains("!ptx.mods"), "{passes}: {out}{err}");
        assert!(out.contains("load i32, ptr addrspace(3) %p"), "{passes}: {out}");
    }
}

/// The same passes give the same module as in the tools of this project.
#[test]
fn a_pass_does_in_opt_what_it_does_here() {
    let guarded = "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr addrspace(1) %p, float %x, i1 %c) {
  %a = fdiv float %x, 3.0
  %b = call float @llvm.sqrt.f32(float %a)
  br i1 %c, label %then, label %end
then:
  store float %b, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
";
    let body = |text: &str| {
        let start = text.find("define").unwrap_or_else(|| panic!("no function: {text}"));
        text[start..].split_once("\n}").map(|(body, _)| body.to_owned())
    };
    let (succeeded, in_opt, err) = opt(guarded, "ptx-sink");
    assert!(succeeded, "{err}");
    let then = in_opt.find("then:").expect("the block");
    assert!(in_opt[..then].find("llvm.sqrt").is_none() && in_opt[then..].contains("llvm.sqrt"), "{in_opt}");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.ll"), guarded).expect("writable");
    let mut here = Command::new(built().join("ll2ptx"));
    here.current_dir(folder.path()).args(["m.ll", "--passes=ptx-sink", "--print-after=ptx-sink", "-o", "-"]);
    let (succeeded, _, err) = texts(&here.output().expect("runs"));
    assert!(succeeded, "{err}");
    assert_eq!(body(&in_opt), body(&err));
}

#[test]
fn opt_reports_what_is_no_pass_and_what_fails() {
    for (passes, expected) in [
        ("ptx-point-branches<forward>", "unknown pass name 'ptx-point-branches<forward>'"),
        ("function(ptx-strip-hints)", "unknown function pass 'ptx-strip-hints'"),
        ("ptx-nothing", "unknown pass name 'ptx-nothing'"),
        ("ptx-sink(dce)", "ptx-sink"),
    ] {
        let (succeeded, _, err) = opt(MODULE, passes);
        assert!(!succeeded && err.contains(expected), "{passes}: {err}");
    }
    let other = MODULE.replace("nvptx64-nvidia-cuda", "x86_64-unknown-linux-gnu");
    let (succeeded, _, err) = opt(&other, "ptx-infer-address-spaces");
    assert!(!succeeded && err.contains("error: the module is for `x86_64-unknown-linux-gnu`"), "{err}");
}

/// A plugin that is compiled as its authors do.
fn other_plugin(folder: &Path) -> PathBuf {
    let file = folder.join("other.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/other.cpp");
    let mut command = Command::new("c++");
    command
        .args(["-std=c++17", "-w", "-fno-exceptions", "-shared", "-fPIC", "-I"])
        .arg(prefix().join("include"));
    let (succeeded, _, err) = texts(&command.arg(source).arg("-o").arg(&file).output().expect("c++ runs"));
    assert!(succeeded, "{err}");
    file
}

#[test]
fn tools_run_passes_of_plugins() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.ptx"), KERNEL).expect("writable");
    fs::write(folder.path().join("m.ll"), MODULE).expect("writable");
    let plugin = other_plugin(folder.path());
    let run = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(built().join(tool));
        command.current_dir(folder.path()).arg("--load-pass-plugin").arg(&plugin).args(arguments);
        texts(&command.output().expect("runs"))
    };
    for (arguments, named, last) in [
        (&["k.ptx", "--passes=other-named,dce"][..], true, false),
        (&["k.ptx", "-O2"], false, true),
        (&["k.ptx", "-O2", "--passes=function(dce),ptx-strip-hints,other-named"], true, true),
        (&["k.ptx"], false, false),
    ] {
        let (succeeded, out, err) = run("ptx2ll", arguments);
        assert!(succeeded, "{arguments:?}: {err}");
        let found = (out.contains("!other.named = "), out.contains("!other.last = "));
        assert_eq!(found, (named, last), "{arguments:?}: {out}");
    }
    // In the current folder, without a slash.
    let mut command = Command::new(built().join("ptx2ll"));
    command.current_dir(folder.path()).args(["k.ptx", "--load-pass-plugin=other.so", "--passes=other-named"]);
    let (succeeded, out, err) = texts(&command.output().expect("runs"));
    assert!(succeeded && out.contains("!other.named = "), "{err}");
    let (succeeded, out, err) = run("ll2ptx", &["m.ll", "-O2", "--passes=other-named"]);
    assert!(succeeded && out.contains(".func"), "{err}");
    let (succeeded, _, err) = run("ptx2ll", &["k.ptx", "--passes=other-unknown"]);
    assert!(!succeeded && err.contains("other-unknown"), "{err}");
}

#[test]
fn what_is_not_a_plugin_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.ptx"), KERNEL).expect("writable");
    fs::write(folder.path().join("text.so"), "no library").expect("writable");
    for file in ["missing.so", "text.so", "/usr/lib/llvm-22/lib/libLLVM-22.so"] {
        let mut command = Command::new(built().join("ptx2ll"));
        command.current_dir(folder.path()).args(["k.ptx", "-O1", "--load-pass-plugin", file]);
        let output = command.output().expect("runs");
        let (_, out, err) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{file}: {err}");
        assert!(err.contains("O0004") && err.contains(file), "{file}: {err}");
    }
}
