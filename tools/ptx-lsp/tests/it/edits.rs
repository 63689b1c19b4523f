//! Requests for changes of the text.

use serde_json::{Value, json};

use crate::client::{Client, KERNEL, URI, edited, position};

/// The labels of the completions at the end of what is inserted before the last `ret;`.
fn completions(client: &mut Client, version: i64, inserted: &str) -> Vec<String> {
    let at = KERNEL.rfind("\tret;").unwrap();
    let text = format!("{}\t{inserted}\n{}", &KERNEL[..at], &KERNEL[at..]);
    client.change(version, None, &text);
    let end = at + 1 + inserted.len();
    let line = text[..end].matches('\n').count();
    let column = end - text[..end].rfind('\n').map_or(0, |before| before + 1);
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": column } });
    let found = client.request("textDocument/completion", params);
    let mut items = found["items"].as_array().unwrap().clone();
    items.sort_by_key(|item| item["sortText"].as_str().unwrap().to_owned());
    items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn completions_are_those_of_the_table_at_the_place() {
    let mut client = Client::with(KERNEL);
    let mut at = {
        let mut version = 1;
        move |inserted: &str| {
            version += 1;
            completions(&mut client, version, inserted)
        }
    };
    let has = |list: &[String], word: &str| list.iter().any(|one| one == word);
    let opcodes = at("");
    assert!(has(&opcodes, "add") && has(&opcodes, ".reg") && !has(&opcodes, ".version"), "{opcodes:?}");
    // Instructions of later versions and targets than those of the document are left out.
    assert!(has(&opcodes, "mma") && !has(&opcodes, "wgmma") && !has(&opcodes, "tcgen05"), "{opcodes:?}");
    let modifiers = at("add.");
    assert!(
        has(&modifiers, ".f32") && has(&modifiers, ".rn") && !has(&modifiers, ".global"),
        "{modifiers:?}"
    );
    let modifiers = at("ld.global.");
    assert!(
        has(&modifiers, ".u32") && has(&modifiers, ".v4") && !has(&modifiers, ".shared"),
        "{modifiers:?}"
    );
    let modifiers = at("setp.l");
    assert!(has(&modifiers, ".lt") && has(&modifiers, ".ltu"), "{modifiers:?}");
    let operands = at("add.s32 %");
    assert!(has(&operands, "%r") && !has(&operands, "%p") && !has(&operands, "DONE"), "{operands:?}");
    assert!(operands.iter().position(|one| one == "%r") < operands.iter().position(|one| one == "%rd"));
    let sources = at("mov.u32 %r1, %t");
    assert!(has(&sources, "%tid"), "{sources:?}");
    let labels = at("bra D");
    assert_eq!(labels, ["DONE"]);
    let guards = at("@");
    assert_eq!(guards, ["%p"]);
    let addresses = at("ld.global.u32 %r1, [");
    assert!(has(&addresses, "%rd") && has(&addresses, "table") && has(&addresses, "out"), "{addresses:?}");
    let callees = at("call.uni (returned), ");
    assert!(has(&callees, "double") && !has(&callees, "kernel"), "{callees:?}");
    let types = at(".reg .");
    assert!(has(&types, ".pred") && has(&types, ".b64"), "{types:?}");
    assert_eq!(at("// add."), Vec::<String>::new());
    // After a line whose end is not written yet another statement begins.
    let opcodes = at("add.s32 %r1, %r2, %r3\n");
    assert!(has(&opcodes, "add") && has(&opcodes, ".reg") && !has(&opcodes, "%r"), "{opcodes:?}");
    let operands = at("add.s32 %r1,\n");
    assert!(has(&operands, "%r") && !has(&operands, "add"), "{operands:?}");
}

#[test]
fn completions_of_a_module_are_its_directives() {
    let mut client = Client::with(".version 7.0\n.target \n");
    let mut at = |line: u32, character: u32| -> Vec<String> {
        let at = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": at });
        let found = client.request("textDocument/completion", params);
        found["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect()
    };
    // Only the targets that the version has.
    let targets = at(1, 8);
    assert!(targets.contains(&"sm_80".to_owned()) && !targets.contains(&"sm_90".to_owned()), "{targets:?}");
    let mut client = Client::with(".version 7.0\n.target sm_80\n\n.visible \n.entry k(.param .u64 p) \n");
    let mut at = |line: u32, character: u32| -> Vec<String> {
        let at = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": at });
        let found = client.request("textDocument/completion", params);
        found["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect()
    };
    let items = at(2, 0);
    assert!(items.contains(&".entry".to_owned()) && !items.contains(&"add".to_owned()), "{items:?}");
    let items = at(3, 9);
    assert!(items.contains(&".entry".to_owned()) && !items.contains(&".version".to_owned()), "{items:?}");
    let items = at(4, 24);
    assert!(
        items.contains(&".maxntid".to_owned()) && !items.contains(&".explicitcluster".to_owned()),
        "{items:?}"
    );
}

#[test]
fn a_completion_replaces_the_word_that_was_begun() {
    let mut client = Client::with(KERNEL);
    let text = KERNEL.replacen("add.s32", "add.s", 1);
    client.change(2, None, &text);
    let at = position(&text, "add.s ", 0);
    let params = json!({ "textDocument": { "uri": URI }, "position": at });
    let found = client.request("textDocument/completion", params);
    let items = found["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["label"] == ".s32").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(edited(&text, &json!([item["textEdit"]])), KERNEL);
}

fn rename(client: &mut Client, word: &str, n: usize, name: &str) -> Value {
    let at = position(KERNEL, word, n);
    let params = json!({ "textDocument": { "uri": URI }, "position": at, "newName": name });
    client.respond("textDocument/rename", params)
}

#[test]
fn renaming_changes_each_occurrence_in_the_scope() {
    let mut client = Client::with(KERNEL);
    let mut renamed = |word: &str, n: usize, name: &str| {
        let found = rename(&mut client, word, n, name);
        edited(KERNEL, &found["result"]["changes"][URI])
    };
    let text = renamed("DONE", 0, "END");
    assert_eq!(text, KERNEL.replace("DONE", "END"));
    // A range is renamed with its numbers, in its function only.
    let text = renamed("%r1", 3, "%index");
    let (first, second) = KERNEL.split_at(KERNEL.find(".visible").unwrap());
    let second = second.replace("%r<", "%index<").replace("%r1", "%index1").replace("%r2", "%index2");
    assert_eq!(text, format!("{first}{second}"));
    assert_eq!(renamed("double", 1, "twice"), KERNEL.replace("double", "twice"));
    let prepared = client.about("textDocument/prepareRename", KERNEL, "%r1", 3);
    assert_eq!(prepared["placeholder"], "%r");
}

#[test]
fn names_that_cannot_be_are_refused() {
    let mut client = Client::with(KERNEL);
    for (word, name, reason) in [
        ("DONE", "1x", "not a name"),
        ("DONE", "a b", "not a name"),
        ("DONE", "", "not a name"),
        ("DONE", "%tid", "reserved"),
        ("DONE", "double", "declared already"),
        ("DONE", "%rd2", "declared already"),
        ("%r<", "%r1", "ends with a digit"),
        ("%r<", "%rd", "declared already"),
        ("{", "x", "no declared name"),
    ] {
        let n = usize::from(word == "%r<");
        let error = rename(&mut client, word, n, name);
        let message = error["error"]["message"].as_str().unwrap_or_else(|| panic!("{word} {name}: {error}"));
        assert!(message.contains(reason), "{word} {name}: {message}");
    }
}

#[test]
fn formatting_gives_the_printers_layout() {
    let untidy = KERNEL
        .replace("\tadd.s32 \t%r2, %r1, %r1;", "      add.s32 %r2 ,%r1,%r1 ;")
        .replace("\tret;\n}\n\n.visible", "  ret; }\n.visible")
        .replace("kernel(\n\t.param .u64 out\n)", "kernel( .param .u64 out )");
    let mut client = Client::with(&untidy);
    let options = json!({ "tabSize": 8, "insertSpaces": false });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    let edits = client.request("textDocument/formatting", params.clone());
    assert_eq!(edited(&untidy, &edits), KERNEL);
    // Only the blanks that differ are replaced.
    assert!(edits.as_array().unwrap().len() < 12, "{edits}");
    client.change(2, None, KERNEL);
    assert_eq!(client.request("textDocument/formatting", params), json!([]));
    // One line of it.
    client.change(3, None, &untidy);
    let range = json!({ "start": { "line": 13, "character": 0 }, "end": { "line": 13, "character": 30 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "options": options });
    let edits = client.request("textDocument/rangeFormatting", params);
    let expected = untidy.replace("      add.s32 %r2 ,%r1,%r1 ;", "\tadd.s32 \t%r2, %r1, %r1;");
    assert_eq!(edited(&untidy, &edits), expected);
}

#[test]
fn code_actions_correct_what_the_diagnostics_say() {
    for (wrong, right) in [
        ("\tad.s32 \t%r2", "\tadd.s32 \t%r2"),
        ("\tadd.s23 \t%r2", "\tadd.s32 \t%r2"),
        ("bra \tDONF;", "bra \tDONE;"),
        ("\tret;\n}\n\n.visible", "\tret\n}\n\n.visible"),
        ("%tidx.x", "%tid.x"),
    ] {
        let (text, fixed) = match wrong.contains("ret;") {
            // The correct text is the first one here.
            true => (KERNEL.replacen(wrong, right, 1), KERNEL.to_owned()),
            false => (KERNEL.replacen(right, wrong, 1), KERNEL.to_owned()),
        };
        let mut client = Client::with(&text);
        let found = client.diagnostics(1);
        assert_eq!(found.len(), 1, "{wrong}: {found:?}");
        let context = json!({ "diagnostics": found });
        let range = found[0]["range"].clone();
        let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": context });
        let actions = client.request("textDocument/codeAction", params);
        let results: Vec<String> = actions
            .as_array()
            .unwrap()
            .iter()
            .map(|action| edited(&text, &action["edit"]["changes"][URI]))
            .collect();
        assert!(results.contains(&fixed), "{wrong}: {found:?} {actions}");
        assert_eq!(actions[0]["kind"], "quickfix");
    }
    let mut client = Client::with(KERNEL);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 40, "character": 0 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    assert_eq!(client.request("textDocument/codeAction", params), json!([]));
}

#[test]
fn llvm_ir_comes_from_the_program_that_the_settings_name() {
    // A program that gives its input back stands in for `ptx2ll`, which needs LLVM.
    let mut client = Client::started_with(json!({}), json!({ "ptx2ll": "cat" }));
    client.open(URI, KERNEL);
    let command = json!({ "command": "ptx.llvmIr", "arguments": [URI] });
    assert_eq!(client.request("workspace/executeCommand", command.clone()), json!(KERNEL));
    let mut client = Client::started_with(json!({}), json!({ "ptx2ll": "/no/such/program" }));
    client.open(URI, KERNEL);
    let error = client.respond("workspace/executeCommand", command);
    assert!(error["error"]["message"].as_str().unwrap().starts_with("cannot start"), "{error}");
}
