//! The contract of ptxdiff, from outside.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn ptxdiff(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptxdiff").expect("built with the tests");
    let output = command.current_dir(folder).args(arguments).write_stdin(input).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

fn module(name: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 counter;\n.visible .entry {name}(.param .u64 {name}_p, .param .u32 {name}_n)\n{{\n{body}\n}}\n"
    )
}

const BODY: &str = ".reg .pred %p<2>;
.reg .b32 %r<5>;
.reg .b64 %rd<3>;
.shared .align 4 .b8 tile[64];
ld.param.u64 %rd1, [k_p];
ld.param.u32 %r1, [k_n];
setp.eq.s32 %p1, %r1, 0;
@%p1 bra $done;
mov.u32 %r2, tile;
add.s32 %r3, %r1, -1;
st.shared.u32 [%r2], %r3;
st.global.u32 [%rd1], %r3;
$done:
ret;";

/// The same with other names, comments and an immediate in another form.
fn renamed() -> String {
    let mut body = BODY.to_owned();
    for (old, new) in [
        ("%rd", "%address"),
        ("%r3", "%less"),
        (".reg .b32 %r<5>;", ".reg .b32 %r<3>, %less; // names"),
        ("$done", "END"),
        ("tile", "words"),
        (", -1", ", 0xFFFFFFFF"),
    ] {
        body = body.replace(old, new);
    }
    body
}

fn in_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).expect("writable"));
    folder
}

#[test]
fn names_layout_and_the_form_of_constants_do_not_matter() {
    let folder = in_folder(&[("a.ptx", &module("k", BODY)), ("b.ptx", &module("k", &renamed()))]);
    assert_eq!(ptxdiff(folder.path(), &["a.ptx", "b.ptx"], ""), (0, String::new(), String::new()));
    let (status, out, _) = ptxdiff(folder.path(), &["--format=json", "-", "b.ptx"], &module("k", BODY));
    assert!(status == 0 && out.contains("\"same\":true"), "{out}");
}

/// Each of these changes what the program does, or may do.
#[test]
fn what_matters_is_shown_with_its_lines() {
    for (old, new, expected) in [
        ("add.s32 %r3, %r1, -1", "add.s32 %r3, %r1, 1", "- add.s32 %r3, %r1, -1;\n+ add.s32 %r3, %r1, 1;"),
        ("setp.eq.s32", "setp.ne.s32", "~ setp.eq.s32 %p1, %r1, 0;\n~ setp.ne.s32 %p1, %r1, 0;"),
        ("@%p1 bra", "@!%p1 bra", "- @%p1 bra $done;\n+ @!%p1 bra $done;"),
        ("[%rd1], %r3", "[%rd1], %r1", "~ st.global.u32 [%rd1], %r3;\n~ st.global.u32 [%rd1], %r1;"),
        (
            "st.global.u32",
            "st.global.cg.u32",
            "~ st.global.u32 [%rd1], %r3;\n~ st.global.cg.u32 [%rd1], %r3;",
        ),
        ("tile[64]", "tile[128]", "- .shared .align 4 .b8 tile[64];\n+ .shared .align 4 .b8 tile[128];"),
        ("st.shared.u32 [%r2], %r3;\n", "", "- st.shared.u32 [%r2], %r3;\n"),
        ("mov.u32 %r2, tile;", "bar.sync 0;\nmov.u32 %r2, tile;", "+ bar.sync 0;\n"),
        ("[k_n]", "[k_n+0];\nld.param.u32 %r1, [k_p]", "+ ld.param.u32 %r1, [k_p];\n"),
    ] {
        let changed = BODY.replace(old, new);
        let folder = in_folder(&[("a.ptx", &module("k", BODY)), ("b.ptx", &module("k", &changed))]);
        let (status, out, err) = ptxdiff(folder.path(), &["a.ptx", "b.ptx"], "");
        assert_eq!((status, err.as_str()), (1, ""), "{old} -> {new}: {out}");
        assert!(out.contains(expected), "{old} -> {new}: {out}");
        assert!(out.starts_with("--- a.ptx\n+++ b.ptx\n") && out.contains("@@ -"), "{out}");
        // The other way round it is the opposite.
        let (status, back, _) = ptxdiff(folder.path(), &["b.ptx", "a.ptx", "-U0"], "");
        assert!(status == 1 && !back.contains("\n  "), "{back}");
    }
}

#[test]
fn functions_directives_and_variables_are_matched() {
    let other =
        module("k", BODY).replace("sm_80", "sm_90").replace(".global .u32 counter", ".global .u64 counter");
    let other = other + ".func added()\n{\nret;\n}\n";
    let folder = in_folder(&[
        ("a.ptx", &module("k", BODY)),
        ("b.ptx", &other),
        ("c.ptx", &module("_Z3newv", &BODY.replace("k_", "_Z3newv_"))),
    ]);
    let (status, out, _) = ptxdiff(folder.path(), &["a.ptx", "b.ptx"], "");
    assert_eq!(status, 1);
    for line in [
        "- .target sm_80",
        "+ .target sm_90",
        "- .global .u32 counter",
        "+ .global .u64 counter",
        "+ added: only in b.ptx",
        "1 of 1 functions are the same",
    ] {
        assert!(out.lines().any(|found| found.trim_end_matches(';') == line), "{line}: {out}");
    }
    // A kernel with another name is found by its body, and is not the same for who launches it.
    let (status, out, _) = ptxdiff(folder.path(), &["-q", "a.ptx", "c.ptx"], "");
    assert!(status == 1 && out.contains("\nk -> new(): 9 instructions, 5 registers; "), "{out}");
    let (_, out, _) = ptxdiff(folder.path(), &["--format=json", "a.ptx", "b.ptx"], "");
    assert!(
        out.contains(r#""added":["added"]"#) && out.ends_with("}\n") && out.lines().count() == 1,
        "{out}"
    );
}

#[test]
fn parameters_and_directives_of_kernels_are_compared() {
    let wider = module("k", BODY).replace(".param .u32 k_n", ".param .u64 k_n");
    let bounded = module("k", BODY).replace("k_n)\n", "k_n)\n.maxntid 128, 1, 1\n");
    for (text, expected) in [(wider, "+ \t.param .u64 k_n"), (bounded, "+ .maxntid 128, 1, 1")] {
        let folder = in_folder(&[("a.ptx", &module("k", BODY)), ("b.ptx", &text)]);
        let (status, out, err) = ptxdiff(folder.path(), &["a.ptx", "b.ptx"], "");
        assert_eq!((status, err.as_str()), (1, ""));
        assert!(out.contains(expected), "{out}");
    }
}

#[test]
fn aliases_and_pragmas_are_compared() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.pragma \"nounroll\";\n.visible .func f()\n{\nret;\n}\n.visible .func g();\n.alias g, f;\n";
    let folder = in_folder(&[
        ("a.ptx", text),
        ("alias.ptx", &text.replace(".alias g, f;\n", "")),
        ("pragma.ptx", &text.replace("nounroll", "other")),
    ]);
    for (file, expected) in [("alias.ptx", "- .alias g, f;\n"), ("pragma.ptx", "+ .pragma \"other\";\n")] {
        let (status, out, err) = ptxdiff(folder.path(), &["a.ptx", file], "");
        assert_eq!((status, err.as_str()), (1, ""), "{file}: {out}");
        assert!(out.contains(expected), "{file}: {out}");
    }
    assert_eq!(ptxdiff(folder.path(), &["a.ptx", "a.ptx"], "").0, 0);
}

#[test]
fn parameters_in_registers_have_names_without_meaning() {
    let function = |register: &str, name: &str, ty: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.func (.reg {ty} {register}) {name}(.reg {ty} {register}x)\n{{\nmov{ty} {register}, {register}x;\nret;\n}}\n"
        )
    };
    let folder = in_folder(&[
        ("a.ptx", &function("%r", "f", ".b32")),
        ("b.ptx", &function("%s", "f", ".b32")),
        ("c.ptx", &function("%r", "g", ".b32")),
        ("d.ptx", &function("%r", "f", ".f32")),
    ]);
    assert_eq!(ptxdiff(folder.path(), &["a.ptx", "b.ptx"], ""), (0, String::new(), String::new()));
    let (status, out, _) = ptxdiff(folder.path(), &["a.ptx", "c.ptx"], "");
    assert!(
        status == 1 && out.contains("f -> g: ") && out.contains("1 of 1 functions are the same"),
        "{out}"
    );
    let (status, out, _) = ptxdiff(folder.path(), &["a.ptx", "d.ptx"], "");
    assert!(status == 1 && out.contains("0 of 1 functions are the same"), "{out}");
}

#[test]
fn what_cannot_be_compared_is_status_2() {
    let folder = in_folder(&[("a.ptx", &module("k", BODY)), ("bad.ptx", "add.s32 %r1;\n")]);
    for (arguments, part) in [
        (&["a.ptx", "bad.ptx"][..], "bad.ptx:1:1"),
        (&["missing.ptx", "a.ptx"], "cannot read `missing.ptx`"),
        (&["-", "-"], "only one module"),
        (&["a.ptx"], "<AFTER>"),
        (&[".", "a.ptx"], "folder"),
        (&["a.ptx", "a.ptx", "--format=xml"], "xml"),
    ] {
        let (status, out, err) = ptxdiff(folder.path(), &[arguments, &["--error-format=short"]].concat(), "");
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
    for document in ["--man", "--help", "--version", "--completions=bash"] {
        let (status, out, _) = ptxdiff(folder.path(), &[document], "");
        assert!(status == 0 && out.contains("ptxdiff"), "{document}: {out}");
    }
}

/// The time grows with the size of functions that have nothing in common, too.
#[test]
fn large_functions_with_little_in_common_are_compared_at_once() {
    let body = |opcodes: [&str; 3], count: usize| {
        let lines = (0..count).map(|at| format!("{} %r1, %r2, {at};\n", opcodes[at * at % 7 % 3]));
        format!(".reg .b32 %r<5>;\nmov.u32 %r2, 0;\n{}ret;", lines.collect::<String>())
    };
    let (one, other) = (
        body(["add.s32", "sub.s32", "mul.lo.s32"], 100_000),
        body(["xor.b32", "sub.s32", "and.b32"], 100_000),
    );
    let folder = in_folder(&[("a.ptx", &module("k", &one)), ("b.ptx", &module("k", &other))]);
    let mut command = Command::cargo_bin("ptxdiff").expect("built with the tests");
    let output = command
        .current_dir(folder.path())
        .args(["-q", "a.ptx", "b.ptx"])
        .timeout(std::time::Duration::from_secs(300));
    let output = output.output().expect("runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}
