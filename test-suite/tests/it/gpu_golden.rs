//! `scripts/gpu-golden` on a machine without a GPU. What runs on one is not tested here; what is recorded and compared is, in `src/gpu`.

use std::path::Path;
use std::process::{Command, Output};

/// The script, with a CUDA driver that is not there.
fn script(arguments: &[&str]) -> (Output, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/gpu-golden");
    let mut command = Command::new("python3");
    command.arg(script).args(arguments).env("PTX_LIBCUDA", "no-such-library.so.1");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, text)
}

#[test]
fn without_a_gpu_the_launches_are_counted_as_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let (cases, outputs) = (folder.path().join("cases"), folder.path().join("outputs"));
    std::fs::write(&cases, "{\"launches\": [{}, {}]}\n{\"launches\": [{}]}\n").unwrap();
    let (output, text) = script(&["--run", cases.to_str().unwrap(), outputs.to_str().unwrap()]);
    assert!(output.status.success());
    assert!(text.starts_with("no CUDA GPU: 3 launches skipped (no-such-library.so.1"), "{text}");
    assert!(!outputs.exists(), "nothing came back of a GPU");
}

#[test]
fn layouts_and_targets_are_as_the_examples_have_it() {
    let (output, text) = script(&["--self-test"]);
    assert!(output.status.success(), "{text}");
}

#[test]
fn help_tells_the_usage() {
    let (output, text) = script(&["--help"]);
    assert!(output.status.success());
    assert!(text.contains("--run CASES OUTPUTS") && text.contains("status 0"), "{text}");
}
