//! The time of an answer after a change of a large document.
#![expect(clippy::print_stdout, reason = "the times, for those who measure")]

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, KERNEL, URI};

/// A text of about a megabyte: kernels that load, compute and store.
fn megabyte() -> String {
    let mut text = KERNEL.to_owned();
    let mut kernel = 0;
    while text.len() < 1_000_000 {
        kernel += 1;
        text.push_str(&format!(
            "\n.visible .entry k{kernel}(\n\t.param .u64 p\n)\n{{\n\t.reg .b32 \t%r<20>;\n\t.reg .b64 \t%rd<3>;\n\tld.param.u64 \t%rd1, [p];\n"
        ));
        for line in 0..200 {
            let (a, b, c) = (line % 19, (line * 7) % 19, (line * 3) % 19);
            text.push_str(&format!("\tmad.lo.s32 \t%r{a}, %r{b}, %r{c}, {line};\n"));
        }
        text.push_str("\tst.global.u32 \t[%rd1], %r1;\n\tret;\n}\n");
    }
    text
}

/// What changing a word and asking for a hover text and the tokens of a screen takes, and the diagnostics after the last change.
#[test]
fn a_change_of_a_megabyte_is_answered_at_once() {
    const CHANGES: i64 = 20;
    let text = megabyte();
    let mut client = Client::with(&text);
    client.diagnostics(1);
    let mut times = Vec::new();
    for version in 2..2 + CHANGES {
        let start = Instant::now();
        // A letter of a comment, and back.
        let letter = if version % 2 == 0 { "E" } else { "D" };
        client.change(version, Some([[6, 3], [6, 4]]), letter);
        assert!(client.about("textDocument/hover", KERNEL, "add.s32", 0)["contents"].is_object());
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 60, "character": 0 } });
        let params = json!({ "textDocument": { "uri": URI }, "range": range });
        client.request("textDocument/semanticTokens/range", params);
        times.push(start.elapsed());
    }
    let start = Instant::now();
    assert!(client.diagnostics(1 + CHANGES).is_empty());
    let checked = start.elapsed();
    times.sort();
    let middle = times[times.len() / 2];
    println!(
        "a change and two answers: {middle:?} (at most {:?}); diagnostics: {checked:?}",
        times[times.len() - 1]
    );
    // 50 ms in an optimized build (docs/editors.md); this is one that is not, on a machine with other work.
    assert!(middle < Duration::from_secs(2), "{times:?}");
}
