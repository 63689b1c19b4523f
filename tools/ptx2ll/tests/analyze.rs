//! `ptx2ll --analyze`, from outside.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn run(arguments: &[&str]) -> (i32, String, String) {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::cargo_bin("ptx2ll").expect("built with the tests");
    let output = command.args(arguments).current_dir(root).output().expect("runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("not killed"), text(&output.stdout), text(&output.stderr))
}

const KERNEL: &str = "scripts/demo-data/transpose.ptx";
const ALL: &str = "--analyze=divergence,memory,registers,callgraph,cfg,coalescing,bank-conflicts,roofline";

#[test]
fn all_kinds_are_told_as_text_and_as_one_object() {
    let (status, text, err) = run(&[ALL, "--block", "32,8", KERNEL]);
    assert_eq!((status, err.as_str()), (0, ""));
    let heads = [
        "  branches",
        "  values",
        "  accesses",
        "  sectors of",
        "  conflicts of",
        "  layouts of tile",
        "  registers:",
        "  blocks",
        "  work of",
        "calls",
    ];
    for head in heads {
        assert!(text.lines().any(|line| line.starts_with(head)), "{head} is not in\n{text}");
    }
    assert!(!text.lines().any(|line| line.ends_with(' ')), "blanks at the end of a line");
    let (status, object, _) = run(&[ALL, "--block", "32,8", "--analyze-format=json", KERNEL]);
    assert_eq!(status, 0);
    let object: serde_json::Value = serde_json::from_str(&object).expect("one object");
    let function = &object["functions"][0];
    assert_eq!(function["block"], serde_json::json!([32, 8, 1]));
    for kind in ["divergence", "memory", "registers", "cfg", "coalescing", "bank_conflicts", "roofline"] {
        assert!(!function[kind].is_null(), "{kind}");
    }
    assert_eq!(object["callgraph"]["functions"][0]["name"], "transpose");
    assert_eq!(
        function["bank_conflicts"]["arrays"][0]["padding"],
        serde_json::json!({"row": 128, "bytes": 4})
    );
}

#[test]
fn the_block_that_a_kernel_requires_comes_first() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(KERNEL))
        .expect("there");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("k.ptx");
    let required = text.replace(".param .f32 factor)", ".param .f32 factor) .reqntid 16, 16");
    assert_ne!(required, text);
    std::fs::write(&path, required).expect("written");
    let output = folder.path().join("report.txt");
    let (status, out, _) = run(&[
        "--analyze=bank-conflicts",
        "--block=32,8",
        path.to_str().expect("UTF-8"),
        "-o",
        output.to_str().expect("UTF-8"),
    ]);
    assert_eq!((status, out.as_str()), (0, ""));
    let report = std::fs::read_to_string(output).expect("written");
    assert!(report.contains("blocks of 16,16,1"), "{report}");
}

#[test]
fn graphs_are_for_graphviz() {
    let (status, text, _) =
        run(&["--analyze=callgraph,cfg", "--analyze-format=dot", "scripts/demo-data/stack.ptx"]);
    assert_eq!(status, 0);
    assert_eq!(text.matches("digraph ").count(), 3, "{text}");
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert!(text.contains("\"idle\" -> \"idle\" [label=\"13\"];"), "{text}");
}

#[test]
fn options_that_have_no_meaning_together_are_refused() {
    for (arguments, message) in [
        (&["--analyze=speed", KERNEL][..], "speed"),
        (&["--analyze-format=json", KERNEL], "--analyze"),
        (&["--analyze=cfg", "--emit=ptx", KERNEL], "--emit"),
        (&["--analyze=cfg,memory", "--analyze-format=dot", KERNEL], "--analyze-format=dot is for"),
        (&["--analyze=cfg", "--target=host", KERNEL], "--analyze is for a GPU"),
        (&["--analyze=cfg", "-O2", KERNEL], "no effect with --analyze"),
        (&["--analyze=cfg", "--lines=ptx", KERNEL], "no effect with --analyze"),
        (&["--analyze=coalescing", "--block=32", "--block=64", KERNEL], "one --block"),
        (&["--analyze=coalescing", "--block=32", "--entry=transpose", KERNEL], "require --target"),
    ] {
        let (status, out, err) = run(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(message), "{arguments:?}: {err}");
    }
    let (status, out, err) = run(&["--analyze=cfg", "scripts/demo-data/wrong.ptx"]);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("P0303"), "{err}");
}
