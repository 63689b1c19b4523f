//! Each diagnostic code has an example, whose wrong input causes only this code and whose correct input causes none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::tools;
use ptx_cli::{CodeExample, ExampleKind, all_codes, code_examples};

/// The codes of the tool's diagnostics for a text of the example.
fn codes_of(tools: &Path, folder: &Path, example: &CodeExample, text: &str) -> BTreeSet<String> {
    let write = |name: &str, text: String| fs::write(folder.join(name), text).expect("writable");
    let mut command: Vec<&str> = match example.kind {
        ExampleKind::Body | ExampleKind::Module | ExampleKind::File => {
            write("x.ptx", example.file(text));
            // Errors of lowering require LLVM IR as output.
            if example.code.starts_with('L') {
                vec!["ptx2ll", "x.ptx"]
            } else if example.code == "T0020" {
                vec!["ptx2ll", "--target=host", "--block=32", "--emit=ll", "x.ptx"]
            } else {
                vec!["ptx2ll", "--emit=none", "x.ptx"]
            }
        }
        ExampleKind::Link => {
            let (first, second) = text.split_once("\n=====\n").expect("two files");
            write("x.ptx", example.file(first));
            write("y.ptx", example.file(second));
            vec!["ptx2ll", "--emit=ptx", "x.ptx", "y.ptx"]
        }
        ExampleKind::Llvm => {
            write("x.ll", example.file(text));
            vec!["ll2ptx", "x.ll"]
        }
        ExampleKind::Run => {
            write("x.ptx", example.file(text));
            vec!["ptxrun", "x.ptx"]
        }
        ExampleKind::Command => text.split_whitespace().collect(),
        ExampleKind::None => panic!("{}: there is nothing to run", example.code),
    };
    if matches!(example.kind, ExampleKind::Llvm | ExampleKind::Run) {
        command.extend(example.options.split_whitespace());
    }
    let (tool, arguments) = command.split_first().expect("a tool");
    let output = Command::new(tools.join(tool))
        .arg("--error-format=json")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("runs");
    let findings = String::from_utf8(output.stderr).expect("UTF-8");
    let code = |line: &str| {
        let object: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        object["code"].as_str().expect("a code").to_owned()
    };
    findings.lines().map(code).collect()
}

/// The code of the remark on how a kernel is executed.
const STRATEGY: &str = "T0016";

#[test]
fn wrong_examples_give_their_code_and_right_ones_none() {
    let tools = tools();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = |head: &str| {
        format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry {head} {{ ret; }}\n")
    };
    fs::write(folder.path().join("k.ptx"), kernel("k()")).expect("writable");
    fs::write(folder.path().join("p.ptx"), kernel("p(.param .u64 a)")).expect("writable");
    let mut wrong = Vec::new();
    for example in code_examples().filter(|example| example.kind != ExampleKind::None) {
        // Every compiled kernel has a strategy, which `--remarks` reports in addition to the code of the example.
        let codes = |command| {
            let mut found = codes_of(&tools, folder.path(), &example, command);
            found.retain(|code| code == example.code || code != STRATEGY);
            found
        };
        let found = codes(example.wrong);
        if found != BTreeSet::from([example.code.to_owned()]) {
            wrong.push(format!("{}: the wrong one gives {found:?}", example.code));
        }
        let found = codes(example.right);
        if !found.is_empty() {
            wrong.push(format!("{}: the right one gives {found:?}", example.code));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_code_has_an_example_or_a_reason_for_none() {
    let examples: Vec<CodeExample> = code_examples().collect();
    for meaning in all_codes() {
        let of_code = examples.iter().filter(|example| example.code == meaning.code.0).count();
        assert_eq!(of_code, 1, "{:?}", meaning.code);
    }
    for example in &examples {
        assert!(all_codes().any(|meaning| meaning.code.0 == example.code), "{} is not a code", example.code);
        match example.kind {
            ExampleKind::None => assert!(example.options.len() > 10, "{} has no reason", example.code),
            _ => assert!(example.wrong != example.right && !example.wrong.is_empty(), "{}", example.code),
        }
    }
    let without = examples.iter().filter(|example| example.kind == ExampleKind::None).count();
    assert!(without * 5 < examples.len(), "{without} of {} have none", examples.len());
}
