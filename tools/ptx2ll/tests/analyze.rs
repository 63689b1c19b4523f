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

/// What was executed of scripts/demo-data/scale.ptx, as `ptxrun --profile=FILE.json` writes it: `stores` threads of 64 stored.
fn profile(stores: u32) -> String {
    let row = |line: u32, text: &str, threads: u32, sectors: u32| {
        serde_json::json!({
            "kind": "profile", "file": "scale.ptx", "line": line, "column": 5, "function": "scale", "text": text,
            "warps": 2, "threads": threads, "divergent": 0, "sectors": sectors, "conflicts": 0,
        })
    };
    let launch = serde_json::json!({"kind": "profile-launch", "kernel": "scale", "grid": [1, 1, 1], "block": [64, 1, 1]});
    let rows = [
        launch,
        row(14, "ld.global.f32 %f2, [%rd3]", 64, 8),
        row(15, "mul.rn.f32 %f3, %f2, %f1", 64, 0),
        row(16, "st.global.f32 [%rd3], %f3", stores, 8),
    ];
    rows.iter().map(|row| format!("{row}\n")).collect()
}

#[test]
fn a_roofline_is_of_what_a_profile_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("p.json");
    let path = path.to_str().expect("UTF-8");
    std::fs::write(path, profile(32)).expect("written");
    let roofline = |options: &[&str]| {
        let scale = "scripts/demo-data/scale.ptx";
        let found =
            run(&[&["--analyze=roofline", "--profile", path, "--error-format=short"], options, &[scale]]
                .concat());
        assert_eq!((found.0, found.2.as_str()), (0, ""));
        found.1
    };
    let object: serde_json::Value =
        serde_json::from_str(&roofline(&["--analyze-format=json", "--peak=1K,96"])).expect("one object");
    let kernel = &object["executed"]["functions"][0];
    assert!(object["functions"][0]["roofline"].is_null(), "{object}");
    assert_eq!(
        kernel["work"],
        serde_json::json!({"float": 64.0, "integer": 0.0, "read": 256.0, "written": 128.0})
    );
    assert_eq!(
        (&kernel["sector_bytes"], &kernel["attainable"]),
        (&512.0.into(), &serde_json::json!({"flops": 16.0, "bound": "memory", "seconds": 4.0}))
    );
    let text = roofline(&["--peak=10,1G"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[2], ["scale", "64", "0", "256", "128", "0.17", "512", "0.12"], "{text}");
    assert_eq!(rows[5], ["scale", "10", "operations", "6.400e0"], "{text}");
    assert!(!roofline(&[]).contains("attainable"));
}

#[test]
fn a_profile_of_another_module_is_an_error_at_its_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("p.json");
    let path = path.to_str().expect("UTF-8");
    std::fs::write(path, profile(64)).expect("written");
    for (module, message) in [
        (
            KERNEL,
            ":1:1: error[T0023]: `scripts/demo-data/transpose.ptx` has no kernel `scale`, which was launched",
        ),
        ("scripts/demo-data/transpose.ptx", ":2:1: error[T0023]: "),
    ] {
        let (status, out, err) =
            run(&["--analyze=roofline", "--profile", path, "--error-format=short", module]);
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(&format!("p.json{message}")), "{err}");
    }
    std::fs::write(path, "{}").expect("written");
    let (status, _, err) = run(&["--analyze=roofline", "--profile", path, "--error-format=short", KERNEL]);
    assert!(
        status == 1 && err.contains("p.json:1:") && err.contains("error[T0022]: not a row of a profile: "),
        "{err}"
    );
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
        (&["--profile=p.json", KERNEL], "--analyze"),
        (&["--analyze=cfg", "--profile=p.json", KERNEL], "--profile is for --analyze=roofline"),
        (&["--analyze=roofline", "--peak=1,1", KERNEL], "--profile"),
        (&["--analyze=roofline", "--profile=p.json", "--peak=1", KERNEL], "67T,3.35T"),
        (&["--analyze=roofline", "--profile=p.json", "--peak=1,-2", KERNEL], "67T,3.35T"),
        (
            &["--analyze=roofline", "--profile=p.json", KERNEL, "scripts/demo-data/scale.ptx"],
            "--profile is for one input",
        ),
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
