//! Which kernel is launched, and how kernels are named.

use std::fs;

use assert_cmd::Command;
use serde_json::Value;

/// `saxpy(int)` and two instances of a template in a namespace, each of which traps.
const MANGLED: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5saxpyi(.param .u32 n) { trap; }
.visible .entry _ZN2ns3addIfEEvPT_(.param .u64 p) { trap; }
.visible .entry _ZN2ns3addIiEEvPT_(.param .u64 p) { trap; }
";

fn ptxrun(arguments: &[&str], program: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), program).expect("writable");
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let output = command.current_dir(folder.path()).arg("k.ptx").args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

#[test]
fn the_only_kernel_of_a_file_needs_no_name() {
    let one = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
    let (status, _, err) = ptxrun(&["--grid", "1", "--block", "1"], one);
    assert_eq!((status, err.as_str()), (0, ""));
    let (status, _, err) = ptxrun(&["--grid", "1", "--block", "1"], MANGLED);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("--entry is missing") && err.contains("`_Z5saxpyi` (saxpy(int))"), "{err}");
}

#[test]
fn kernels_are_named_as_in_the_source() {
    let shape = ["--grid", "1", "--block", "1", "--arg"];
    for (name, argument, kernel) in [
        ("saxpy", "u32=1", "saxpy(int)"),
        ("saxpy(int)", "u32=1", "saxpy(int)"),
        ("ns::add<float>", "zero=8", "void ns::add<float>(float*)"),
        ("void ns::add<int>( int* )", "zero=8", "void ns::add<int>(int*)"),
    ] {
        let arguments = [&shape[..], &[argument, "--entry", name, "--error-format=short"]].concat();
        let (status, _, err) = ptxrun(&arguments, MANGLED);
        assert!(
            status == 3 && err.contains(&format!("in kernel {kernel}, block (0, 0, 0)")),
            "{name}: {err}"
        );
    }
    let (status, _, err) = ptxrun(&[&shape[..], &["zero=8", "--entry", "add"]].concat(), MANGLED);
    assert_eq!(status, 2, "{err}");
    for part in
        ["several kernels have this name", "(void ns::add<float>(float*))", "(void ns::add<int>(int*))"]
    {
        assert!(err.contains(part), "{part}: {err}");
    }
    let (status, _, err) = ptxrun(&[&shape[..], &["zero=8", "--entry", "sub"]].concat(), MANGLED);
    assert!(status == 1 && err.contains("no kernel `sub`") && err.contains("saxpy(int), "), "{err}");
}

#[test]
fn lists_reports_and_profiles_have_both_names() {
    let (status, out, err) = ptxrun(&["--list"], MANGLED);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("_Z5saxpyi(.u32 n) // saxpy(int)\n"), "{out}");
    let launch = ["--grid", "1", "--block", "1", "--arg", "u32=1", "--entry", "saxpy", "--error-format=json"];
    let (_, _, err) = ptxrun(&launch, MANGLED);
    let found: Value = serde_json::from_str(err.lines().next().expect("a line")).expect("JSON");
    let details = &found["details"];
    assert_eq!((&details["kernel"], &details["demangled"]), (&"_Z5saxpyi".into(), &"saxpy(int)".into()));
    let (status, out, err) = ptxrun(&[&launch[..], &["--profile"]].concat(), &MANGLED.replace("trap", "ret"));
    assert_eq!((status, err.as_str()), (0, ""));
    // After the line about the launch.
    let row: Value = serde_json::from_str(out.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!((&row["function"], &row["demangled"]), (&"_Z5saxpyi".into(), &"saxpy(int)".into()));
}

#[test]
fn findings_of_the_verifier_name_functions_as_their_source_does() {
    let (status, _, err) = ptxrun(
        &["--list", "--error-format=short"],
        &format!("{MANGLED}.visible .entry _Z5saxpyi() {{ ret; }}\n"),
    );
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("k.ptx:7:") && err.contains("`saxpy(int)`"), "{err}");
}
