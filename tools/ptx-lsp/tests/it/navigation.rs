//! Requests for places and texts.

use serde_json::{Value, json};

use crate::client::{Client, KERNEL, URI, position, text_of};

fn hover(client: &mut Client, word: &str, n: usize) -> String {
    let found = client.about("textDocument/hover", KERNEL, word, n);
    found["contents"]["value"].as_str().unwrap_or_else(|| panic!("{word}: {found}")).to_owned()
}

fn lines(found: &Value) -> Vec<u64> {
    found
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["range"]["start"]["line"].as_u64())
        .collect()
}

#[test]
fn hover_tells_rows_registers_special_registers_and_directives() {
    let mut client = Client::with(KERNEL);
    let text = hover(&mut client, "setp", 0);
    for part in ["```ptx\nsetp.CmpOp", "manual 9.7.6.", "Compares `a` with `b`", "As written: PTX 1.0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = hover(&mut client, "setp.lt", 0);
    assert!(text.starts_with("`.lt` (CmpOp)"), "{text}");
    let text = hover(&mut client, "%r2", 3);
    for part in [
        "`%r2`, a register of `%r<..>`",
        "32 untyped bits",
        "in `kernel`",
        "1 write, 1 read",
        "line 36: `ld.param.b32 %r2, [returned];`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = hover(&mut client, "%tid", 0);
    assert!(text.contains("Thread index within the block (10.1)."), "{text}");
    let text = hover(&mut client, ".target", 0);
    assert!(text.contains(".target target {, option}") && text.contains("Manual 11.1.2."), "{text}");
    let text = hover(&mut client, ".b64", 0);
    assert!(text.contains("64 untyped bits"), "{text}");
    let text = hover(&mut client, "double", 1);
    assert!(text.contains(".func (.param .b32 result) double(") && text.contains("a function"), "{text}");
    assert!(hover(&mut client, "16", 0).contains("0x10"));
    assert_eq!(client.about("textDocument/hover", KERNEL, "{", 0), Value::Null);
}

#[test]
fn hover_is_plain_text_for_clients_that_want_it() {
    let capabilities = json!({ "textDocument": { "hover": { "contentFormat": ["plaintext"] } } });
    let mut client = Client::started_with(capabilities, Value::Null);
    client.open(URI, KERNEL);
    let found = client.about("textDocument/hover", KERNEL, "add.s32", 0);
    assert_eq!(found["contents"]["kind"], "plaintext");
}

#[test]
fn definitions_are_those_of_the_scope() {
    let mut client = Client::with(KERNEL);
    let mut line = |word: &str, n: usize| {
        let found = client.about("textDocument/definition", KERNEL, word, n);
        found["range"]["start"]["line"].as_u64()
    };
    // Each function has its own `%r`.
    assert_eq!((line("%r1", 0), line("%r1", 3)), (Some(11), Some(23)));
    assert_eq!(line("DONE", 0), Some(39));
    assert_eq!(line("double", 1), Some(7));
    assert_eq!(line("argument", 2), Some(31));
    assert_eq!(line("[out", 0), Some(19));
    assert_eq!(line("%tid", 0), None);
}

#[test]
fn references_of_one_register_of_a_range_leave_the_others_out() {
    let mut client = Client::with(KERNEL);
    let mut references = |word: &str, n: usize, declaration: bool| {
        let at = position(KERNEL, word, n);
        let context = json!({ "includeDeclaration": declaration });
        let params = json!({ "textDocument": { "uri": URI }, "position": at, "context": context });
        lines(&client.request("textDocument/references", params))
    };
    assert_eq!(references("%r1", 3, true), [23, 27, 28, 33]);
    assert_eq!(references("%r1", 3, false), [27, 28, 33]);
    assert_eq!(references("%r<", 1, false), [27, 28, 33, 35, 37]);
    assert_eq!(references("double", 0, true), [7, 34]);
}

#[test]
fn highlights_tell_reads_from_writes() {
    let mut client = Client::with(KERNEL);
    let found = client.about("textDocument/documentHighlight", KERNEL, "%r2", 2);
    let kinds: Vec<(u64, u64)> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["range"]["start"]["line"].as_u64().unwrap(), one["kind"].as_u64().unwrap()))
        .collect();
    assert_eq!(kinds, [(23, 1), (35, 3), (37, 2)]);
}

#[test]
fn symbols_are_a_tree() {
    let mut client = Client::with(KERNEL);
    let found = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&found), ["table", "double", "kernel"]);
    assert_eq!(
        names(&found[2]["children"]),
        ["out", "%p<2>", "%r<5>", "%rd<3>", "argument", "returned", "DONE"]
    );
    assert_eq!(found[2]["detail"], ".visible .entry");
    assert_eq!(text_of(KERNEL, &found[1]["selectionRange"]), "double");
    assert!(text_of(KERNEL, &found[1]["range"]).ends_with('}'));
    let found = client.request("workspace/symbol", json!({ "query": "KER" }));
    assert_eq!(names(&found), ["kernel"]);
}

#[test]
fn bodies_and_comments_fold() {
    let text = format!("// One.\n// Two.\n{KERNEL}");
    let mut client = Client::with(&text);
    let found = client.request("textDocument/foldingRange", json!({ "textDocument": { "uri": URI } }));
    let ranges: Vec<(u64, u64)> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["startLine"].as_u64().unwrap(), one["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(ranges, [(0, 1), (9, 10), (12, 17), (20, 21), (23, 42), (32, 37)]);
    assert_eq!(found[0]["kind"], "comment");
}

#[test]
fn calls_have_a_hierarchy() {
    let mut client = Client::with(KERNEL);
    let found = client.about("textDocument/prepareCallHierarchy", KERNEL, "double", 1);
    let item = found[0].clone();
    assert_eq!(item["name"], "double");
    let incoming = client.request("callHierarchy/incomingCalls", json!({ "item": item }));
    assert_eq!(incoming[0]["from"]["name"], "kernel");
    assert_eq!(text_of(KERNEL, &incoming[0]["fromRanges"][0]), "double");
    let outgoing = client.request("callHierarchy/outgoingCalls", json!({ "item": incoming[0]["from"] }));
    assert_eq!(outgoing[0]["to"]["name"], "double");
    assert_eq!(client.request("callHierarchy/outgoingCalls", json!({ "item": item })), json!([]));
    assert_eq!(client.about("textDocument/prepareCallHierarchy", KERNEL, "%r1", 0), Value::Null);
}

/// The words that tokens describe, with the names of their types and modifiers.
fn decoded(text: &str, data: &Value, legend: &Value) -> Vec<(String, String, Vec<String>)> {
    let numbers: Vec<u64> = data.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    let lines: Vec<&str> = text.split('\n').collect();
    let (mut line, mut column) = (0, 0);
    let mut found = Vec::new();
    for token in numbers.chunks(5) {
        line += token[0] as usize;
        column = if token[0] == 0 { column + token[1] as usize } else { token[1] as usize };
        let name = |list: &str, at: usize| legend[list][at].as_str().unwrap().to_owned();
        let modifiers = (0..4).filter(|bit| token[4] >> bit & 1 == 1).map(|bit| name("tokenModifiers", bit));
        let word = lines[line][column..column + token[2] as usize].to_owned();
        found.push((word, name("tokenTypes", token[3] as usize), modifiers.collect()));
    }
    found
}

#[test]
fn semantic_tokens_tell_the_meaning_of_words_and_what_changed() {
    let mut client = Client::new();
    let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
    let started = client.request("initialize", params);
    let legend = started["capabilities"]["semanticTokensProvider"]["legend"].clone();
    client.notify("initialized", json!({}));
    client.open(URI, KERNEL);
    let document = json!({ "textDocument": { "uri": URI } });
    let whole = client.request("textDocument/semanticTokens/full", document.clone());
    let tokens = decoded(KERNEL, &whole["data"], &legend);
    let of = |word: &str, n: usize| {
        let found = tokens.iter().filter(|(own, ..)| own == word).nth(n).unwrap_or_else(|| panic!("{word}"));
        (found.1.as_str(), found.2.join(" "))
    };
    assert_eq!(of("setp", 0), ("keyword", String::new()));
    assert_eq!(of(".lt", 0), ("modifier", String::new()));
    assert_eq!(of(".u32", 0), ("type", String::new()));
    assert_eq!(of(".target", 0), ("macro", String::new()));
    assert_eq!(of("%r1", 0), ("variable", "modification".to_owned()));
    assert_eq!(of("%r1", 1), ("variable", String::new()));
    assert_eq!(of("%tid.x", 0), ("variable", "readonly".to_owned()));
    assert_eq!(of("table", 0), ("variable", "declaration static".to_owned()));
    assert_eq!(of("double", 0), ("function", "declaration".to_owned()));
    assert_eq!(of("DONE", 0), ("label", String::new()));
    assert_eq!(of("// Doubles a number.", 0), ("comment", String::new()));
    // A change of one word gives the tokens from it on that differ.
    client.change(2, Some([[13, 1], [13, 8]]), "mul.lo.s32");
    let asked = json!({ "textDocument": { "uri": URI }, "previousResultId": whole["resultId"] });
    let delta = client.request("textDocument/semanticTokens/full/delta", asked);
    let edit = &delta["edits"][0];
    assert!(edit["data"].as_array().unwrap().len() <= 20, "{delta}");
    let mut data = whole["data"].as_array().unwrap().clone();
    let start = edit["start"].as_u64().unwrap() as usize;
    let count = edit["deleteCount"].as_u64().unwrap() as usize;
    data.splice(start..start + count, edit["data"].as_array().unwrap().iter().cloned());
    let fresh = client.request("textDocument/semanticTokens/full", document);
    assert_eq!(json!(data), fresh["data"]);
}

#[test]
fn mangled_names_are_followed_by_those_of_the_source() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.func _Z5scalef(.param .b32 x) { ret; }\n\
                .entry _Z1kv() {\n.reg .f32 %a;\ncall _Z5scalef, (%a);\n}\n";
    let mut client = Client::with(text);
    let found = client.about("textDocument/hover", text, "_Z5scalef", 1);
    let hover = found["contents"]["value"].as_str().expect("a text");
    assert!(hover.contains("`_Z5scalef`, a function, in its source `scale(float)`"), "{hover}");
    let found = client.about("textDocument/hover", text, "%a", 0);
    let hover = found["contents"]["value"].as_str().expect("a text");
    assert!(hover.contains("in `k()`"), "{hover}");
    let found = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    assert_eq!((&found[1]["name"], &found[1]["detail"]), (&json!("_Z1kv"), &json!(".entry k()")));
    for (query, count) in [("SCALE(", 1), ("z5scale", 1), ("scale(int", 0)] {
        let found = client.request("workspace/symbol", json!({ "query": query }));
        assert_eq!(found.as_array().map(Vec::len), Some(count), "{query}: {found}");
    }
    let found = client.about("textDocument/prepareCallHierarchy", text, "_Z5scalef", 0);
    assert_eq!(found[0]["detail"], "scale(float)");
}

#[test]
fn diagnostics_name_functions_as_their_source_does() {
    let mut client = Client::with(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry _Z1ki() { ret; }\n.entry _Z1ki() { ret; }\n",
    );
    let found = client.diagnostics(1);
    let messages: Vec<&str> = found.iter().filter_map(|one| one["message"].as_str()).collect();
    assert!(messages.iter().any(|message| message.contains("`k(int)`")), "{messages:?}");
}
