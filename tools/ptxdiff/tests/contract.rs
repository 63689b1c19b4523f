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
        let shown = back.split_once("@@ -").map(|(_, shown)| shown);
        assert!(status == 1 && shown.is_some_and(|shown| !shown.contains("\n  ")), "{back}");
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
        (&["-", "-"], "only one file"),
        (&["-", "a.ptx", "--profile-before=-"], "only one file"),
        (&["a.ptx", "a.ptx", "--profile-before=missing"], "cannot read `missing`"),
        (&["a.ptx", "a.ptx", "--profile-after=a.ptx"], "a.ptx:1:1: error[T0022]"),
        (&["a.ptx", "a.ptx", "--arch=sm_80"], "--machine"),
        (&["a.ptx", "a.ptx", "--machine", "--arch=sm_7"], "sm_7"),
        (&["a.ptx", "a.ptx", "--machine=nowhere"], "no ptxas and no nvdisasm in nowhere"),
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

/// Two texts whose difference has no meaning.
#[test]
fn names_without_meaning_and_forms_of_constants_do_not_matter() {
    let module = |text: &str| format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}\n");
    let prototype = |result: &str, parameter: &str| {
        format!(
            ".visible .func f()\n{{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.param .b32 given;\n.param .b32 back;\np: .callprototype (.param .b32 {result}) _ (.param .b32 {parameter});\n\
             st.param.b32 [given], %r1;\ncall (back), %rd1, (given), p;\nret;\n}}"
        )
    };
    let registers = |parameter: &str| {
        format!(".func f()\n{{\n.reg .b64 %rd<3>;\np: .callprototype (.reg .b32 {parameter}) _ ();\nret;\n}}")
    };
    let local = |name: &str| {
        format!(
            ".func f()\n{{\n.shared .align 4 .b8 {name}[64];\n.reg .b32 %r<3>;\nmov.u32 %r1, {name};\nret;\n}}"
        )
    };
    let parameter = |name: &str| format!(".visible .entry k(.param .align 4 .b8 {name}[16])\n{{\nret;\n}}");
    let declared = |name: &str| format!(".extern .func (.param .b32 {name}) f(.param .b32 {name}x);");
    let targets = |one: &str, other: &str| {
        format!(
            ".func f()\n{{\n.reg .b32 %r<3>;\nt: .branchtargets {one}, {other};\nbrx.idx %r1, t;\n{one}: ret;\n{other}: trap;\nret;\n}}"
        )
    };
    let section = |label: &str| {
        format!(".func f()\n{{\nret;\n}}\n.section .debug_str\n{{\n{label}:\n.b8 115\n.b8 0\n}}")
    };
    for (one, other) in [
        (prototype("a", "b"), prototype("result", "_")),
        (registers("%a"), registers("%other")),
        // Names that are a part of their own declaration.
        (local("tile"), local("b")),
        (local("s"), local("align")),
        (parameter("p"), parameter("b8")),
        (declared("a"), declared("b32")),
        (targets("$a", "$b"), targets("x", "$a")),
        (section("$name"), section("$other")),
        (
            ".global .u32 x[3] = {0x10, 7, -1};".to_owned(),
            ".global .u32 x[3] = {16, 007, 4294967295};".to_owned(),
        ),
        (".global .f32 x = 1.5;".to_owned(), ".global .f32 x = 0f3FC00000;".to_owned()),
        (
            ".func f()\n{\n.reg .f32 %f;\nmov.f32 %f, 1.5;\nret;\n}".to_owned(),
            ".func f()\n{\n.reg .f32 %f;\nmov.f32 %f, 0f3FC00000;\nret;\n}".to_owned(),
        ),
    ] {
        let folder = in_folder(&[("a.ptx", &module(&one)), ("b.ptx", &module(&other))]);
        let found = ptxdiff(folder.path(), &["a.ptx", "b.ptx"], "");
        assert_eq!(found, (0, String::new(), String::new()), "{one}\n{other}");
    }
    // These have a meaning.
    for (one, other) in [
        (prototype("a", "b"), prototype("a", "b").replacen("_ (.param .b32", "_ (.param .b64", 1)),
        (local("tile"), local("tile").replace(".b8", ".b16")),
        (parameter("p"), parameter("p").replace("16", "32")),
        (targets("$a", "$b"), targets("$a", "$b").replace("$a, $b", "$b, $a")),
        (".global .u32 x = 16;".to_owned(), ".global .u32 x = 17;".to_owned()),
        (".global .u32 x;".to_owned(), ".global .u32 y;".to_owned()),
        (
            ".global .u32 x;\n.global .u64 y = x;".to_owned(),
            ".global .u32 x;\n.global .u64 y = generic(x);".to_owned(),
        ),
    ] {
        let folder = in_folder(&[("a.ptx", &module(&one)), ("b.ptx", &module(&other))]);
        let (status, _, err) = ptxdiff(folder.path(), &["a.ptx", "b.ptx"], "");
        assert_eq!((status, err.as_str()), (1, ""), "{one}\n{other}");
    }
}

#[test]
fn blocks_are_matched_and_named() {
    let changed = BODY.replace("st.global.u32 [%rd1], %r3;\n", "st.global.u32 [%rd1], %r3;\nbar.sync 0;\n");
    let folder = in_folder(&[
        ("a.ptx", &module("k", BODY)),
        ("b.ptx", &module("k", &changed.replace("$done", "$end"))),
    ]);
    let (_, out, _) = ptxdiff(folder.path(), &["a.ptx", "b.ptx", "-U0"], "");
    assert!(
        out.contains("\n  block entry+1: 4 the same, 1 added\n@@ -none +19 @@ entry+1\n+ bar.sync 0;\n"),
        "{out}"
    );
    let (_, out, _) = ptxdiff(folder.path(), &["a.ptx", "b.ptx", "--format=json"], "");
    let found: serde_json::Value = serde_json::from_str(&out).expect("an object");
    let blocks = found["functions"][0]["blocks"].as_array().expect("blocks");
    let names: Vec<(&str, &str)> = blocks
        .iter()
        .map(|block| {
            (block["before"]["name"].as_str().expect("one"), block["after"]["name"].as_str().expect("one"))
        })
        .collect();
    assert_eq!(names, [("entry", "entry"), ("entry+1", "entry+1"), ("$done", "$end")], "{out}");
    assert_eq!(
        (&blocks[1]["same"], &blocks[1]["added"], &blocks[1]["before"]["instructions"]),
        (&4.into(), &1.into(), &4.into())
    );
    assert_eq!(found["functions"][0]["edits"][0]["after"]["block"], "entry+1");
}

/// A profile with a row for each statement of the module's kernel, which 3 warps executed.
fn profile(text: &str, warps: u64) -> String {
    let mut profile =
        String::from("{\"kind\":\"profile-launch\",\"kernel\":\"k\",\"grid\":[3,1,1],\"block\":[32,1,1]}\n");
    for (at, line) in text.lines().enumerate() {
        let is_instruction = line.ends_with(';') && !line.starts_with('.') && at > 3;
        if is_instruction {
            let row = serde_json::json!({
                "kind": "profile", "file": "k.ptx", "line": at + 1, "column": 1, "function": "k", "text": line.trim_end_matches(';'),
                "warps": warps, "threads": 32 * warps, "divergent": 0, "sectors": 0, "conflicts": 0,
            });
            profile.push_str(&format!("{row}\n"));
        }
    }
    profile
}

#[test]
fn statements_are_weighted_by_profiles() {
    let (old, new) =
        (module("k", BODY), module("k", &BODY.replace("add.s32 %r3, %r1, -1", "sub.s32 %r3, %r1, 1")));
    let folder = in_folder(&[
        ("a.ptx", &old),
        ("b.ptx", &new),
        ("a.json", &profile(&old, 1000)),
        ("b.json", &profile(&new, 250)),
    ]);
    let both = ["--profile-before=a.json", "--profile-after=b.json", "a.ptx", "b.ptx"];
    let (status, out, err) = ptxdiff(folder.path(), &[&both[..], &["-U0"]].concat(), "");
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.contains("\n  issued 9,000 -> 2,250 warps (0.250)\n"), "{out}");
    assert!(out.contains("-         1,000               add.s32 %r3, %r1, -1;\n+                         250 sub.s32 %r3, %r1, 1;\n"), "{out}");
    let (_, out, _) = ptxdiff(folder.path(), &[&both[..], &["--format=json"]].concat(), "");
    let found: serde_json::Value = serde_json::from_str(&out).expect("an object");
    let function = &found["functions"][0];
    assert_eq!(function["issued"]["before"], serde_json::json!({ "warps": 9000, "threads": 288_000 }));
    assert_eq!(
        (&function["edits"][0]["before"]["warps"], &function["edits"][1]["after"]["threads"]),
        (&1000.into(), &8000.into())
    );
    // One side alone.
    let (_, out, _) = ptxdiff(folder.path(), &["--profile-after=b.json", "a.ptx", "b.ptx"], "");
    assert!(out.contains("\n  issued 2,250 warps after\n"), "{out}");
    // The profile of the other module.
    let (status, out, err) =
        ptxdiff(folder.path(), &["--profile-before=b.json", "a.ptx", "b.ptx", "--error-format=short"], "");
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.starts_with("b.json:7:1: error[T0023]: `add.s32 %r3, %r1, -1` at a.ptx:16:1, where `sub.s32 %r3, %r1, 1` was executed"), "{err}");
}

/// Functions of which most was executed come first.
#[test]
fn functions_are_in_the_order_of_their_weights() {
    let two = |operation: &str| {
        let kernel = |name: &str| {
            format!(".visible .entry {name}()\n{{\n.reg .b32 %r<3>;\n{operation} %r1, 1, 2;\nret;\n}}\n")
        };
        format!(".version 8.0\n.target sm_80\n.address_size 64\n{}{}", kernel("first"), kernel("k"))
    };
    let (old, new) = (two("add.s32"), two("sub.s32"));
    let row = "{\"kind\":\"profile\",\"file\":\"a.ptx\",\"line\":14,\"column\":1,\"function\":\"k\",\"text\":\"ret\",\"warps\":7,\"threads\":1,\"divergent\":0,\"sectors\":0,\"conflicts\":0}";
    let launch = "{\"kind\":\"profile-launch\",\"kernel\":\"k\",\"grid\":[3,1,1],\"block\":[32,1,1]}";
    let folder = in_folder(&[("a.ptx", &old), ("b.ptx", &new), ("p.json", &format!("{launch}\n{row}\n"))]);
    let order = |options: &[&str]| {
        let (_, out, _) = ptxdiff(folder.path(), &[&["-q", "a.ptx", "b.ptx"], options].concat(), "");
        out.find("\nk: ").expect("there") < out.find("\nfirst: ").expect("there")
    };
    assert_eq!((order(&[]), order(&["--profile-before=p.json"])), (false, true));
}

#[test]
fn the_page_is_well_formed_and_has_both_sides() {
    let changed = BODY.replace("add.s32 %r3, %r1, -1", "add.s32 %r3, %r1, 1");
    let folder = in_folder(&[("a.ptx", &module("k", BODY)), ("b<i>.ptx", &module("k", &changed))]);
    let (status, page, err) = ptxdiff(folder.path(), &["--format=html", "a.ptx", "b<i>.ptx"], "");
    assert_eq!((status, err.as_str()), (1, ""));
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let tree = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
    let row = |class: &str| -> Vec<String> {
        let row = tree.descendants().find(|node| node.attribute("class") == Some(class)).expect("a row");
        row.children().map(|cell| cell.text().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(row("removed"), ["-", "16", "", "add.s32 %r3, %r1, -1;", "", "", ""]);
    assert_eq!(row("added"), ["+", "", "", "", "16", "", "add.s32 %r3, %r1, 1;"]);
    let headings: Vec<&str> = tree
        .descendants()
        .filter(|node| node.attribute("class") == Some("heading"))
        .filter_map(|node| node.children().nth(2)?.text())
        .collect();
    let expected = [
        "block entry: 5 the same",
        "block entry+1: 3 the same, 1 removed, 1 added",
        "block $done: 2 the same",
    ];
    assert_eq!(headings, expected);
    for request in ["src=", "@import", "url(http", "fetch(", "<link"] {
        assert!(!page.contains(request), "{request}");
    }
    let (status, page, _) = ptxdiff(folder.path(), &["--format=html", "a.ptx", "a.ptx"], "");
    assert!(status == 0 && page.contains("1 of 1 functions are the same"), "{page}");
}

/// Programs that take the place of ptxas, so that no toolkit is needed.
#[cfg(unix)]
#[test]
fn failures_of_ptxas_are_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = in_folder(&[("a.ptx", &module("k", BODY))]);
    let with = |ptxas: &str, nvdisasm: Option<&str>, options: &[&str]| {
        let bin = tempfile::tempdir().expect("a folder");
        for (name, script) in [("ptxas", Some(ptxas)), ("nvdisasm", nvdisasm)] {
            let Some(script) = script else { continue };
            let path = bin.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("writable");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        }
        let machine = format!("--machine={}", bin.path().display());
        let arguments = [&[machine.as_str(), "--error-format=short", "a.ptx", "a.ptx"], options].concat();
        let (status, out, err) = ptxdiff(folder.path(), &arguments, "");
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        err
    };
    // The last argument is the file that is to be written.
    let makes = "for last; do :; done; echo made > \"$last\"";
    for (ptxas, nvdisasm, options, part) in [
        (
            "echo 'ptxas a, line 13; error   : no such thing' >&2; exit 1",
            Some(""),
            &[][..],
            "a.ptx:13:1: error[T0025]: ptxas: no such thing",
        ),
        ("echo strange >&2; exit 3", Some(""), &[], "error[T0025]: ptxas: strange"),
        (
            "exit 0",
            Some(""),
            &[],
            "error[T0025]: ptxas: it ended with exit status: 0 and wrote no machine code",
        ),
        ("exec sleep 60", Some(""), &["--timeout=1"], "error[T0024]: `"),
        (makes, Some("echo broken >&2; exit 1"), &[], "error[T0024]: nvdisasm fails: broken"),
        (makes, None, &[], "error[T0024]: no nvdisasm in "),
    ] {
        let err = with(ptxas, nvdisasm, options);
        assert!(err.contains(part), "{ptxas}: {err}");
    }
    let err = with("exec sleep 60", Some(""), &["--timeout=1"]);
    assert!(err.contains("did not end within 1 s"), "{err}");
    let mut command = Command::cargo_bin("ptxdiff").expect("built with the tests");
    let command = command.current_dir(folder.path()).env("PATH", folder.path()).env_remove("CUDA_HOME");
    let output = command.args(["--machine", "a.ptx", "a.ptx"]).output().expect("runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2)
            && err.contains("error[T0024]: no ptxas and no nvdisasm in PATH and in CUDA_HOME/bin")
            && err.contains("CUDA toolkit"),
        "{err}"
    );
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
