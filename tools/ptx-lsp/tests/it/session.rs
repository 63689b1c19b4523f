//! The session: its start and end, changes of the document, wrong input.

use serde_json::{Value, json};

use crate::client::{Client, KERNEL, URI};

#[test]
fn a_session_begins_with_capabilities_and_ends_with_success() {
    let mut client = Client::new();
    let result =
        client.request("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(result["capabilities"]["textDocumentSync"], 2);
    assert_eq!(result["serverInfo"]["name"], "ptx-lsp");
    client.notify("initialized", json!({}));
    assert!(client.finish().success());
}

#[test]
fn diagnostics_follow_the_text() {
    let mut client = Client::with(KERNEL);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    // The line of `add.s32` without its semicolon, then with an unknown register, then whole again.
    client.change(2, Some([[13, 23], [13, 24]]), "");
    let found = client.diagnostics(2);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["severity"], 1);
    assert!(found[0]["message"].as_str().unwrap().starts_with("expected `,` or `;`"), "{found:?}");
    client.change(3, Some([[13, 20], [13, 23]]), "%r7;");
    let found = client.diagnostics(3);
    assert_eq!((&found[0]["code"], found.len()), (&json!("P0201"), 1), "{found:?}");
    client.change(4, None, KERNEL);
    assert_eq!(client.diagnostics(4), Vec::<Value>::new());
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert!(client.finish().success());
}

#[test]
fn related_places_and_help_are_told() {
    let text = ".version 7.0\n.target sm_80\n.address_size 64\n.global .u32 a;\n.global .u32 a;\n";
    let mut client = Client::with(text);
    let found = client.diagnostics(1);
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(related["location"]["range"]["start"]["line"], 3, "{found:?}");
    client.change(2, None, ".version 7.0\n.target sm_8O\n.address_size 64\n");
    let found = client.diagnostics(2);
    assert!(found[0]["message"].as_str().unwrap().contains("help: did you mean `sm_80`?"), "{found:?}");
}

#[test]
fn columns_are_utf_16_units_or_bytes_as_the_client_asks() {
    // A comment of 6 characters, which are 7 units and 10 bytes, and 14 more before the name.
    let text =
        ".version 7.0\n.target sm_80\n.address_size 64\n/*é😀*/ .global .u32 a;\n.global .u64 b = a;\n";
    for (encodings, column) in [(json!(null), 21), (json!(["utf-16", "utf-8"]), 24)] {
        let capabilities = match &encodings {
            Value::Null => json!({}),
            some => json!({ "general": { "positionEncodings": some } }),
        };
        let mut client = Client::started_with(capabilities, json!(null));
        client.open(URI, text);
        let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 4, "character": 17 } });
        let found = client.request("textDocument/definition", at);
        assert_eq!(found["range"]["start"], json!({ "line": 3, "character": column }), "{encodings}");
        let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 3, "character": column } });
        let found = client.request("textDocument/definition", at);
        assert_eq!(found["range"]["start"]["line"], 3);
    }
}

#[test]
fn wrong_requests_are_errors_and_the_session_goes_on() {
    let mut client = Client::with(KERNEL);
    let error = |response: Value| response["error"]["code"].as_i64();
    let at = json!({ "line": 0, "character": 0 });
    let unknown = json!({ "textDocument": { "uri": "file:///other.ptx" }, "position": at });
    assert_eq!(error(client.respond("textDocument/hover", unknown)), Some(-32602));
    assert_eq!(error(client.respond("textDocument/hover", json!({ "textDocument": 7 }))), Some(-32602));
    assert_eq!(error(client.respond("textDocument/unheardOf", json!({}))), Some(-32601));
    client.notify("textDocument/didChange", json!({ "textDocument": 7 }));
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "file:///other.ptx", "version": 3 }, "contentChanges": [] }),
    );
    client.notify("$/unheardOf", json!({}));
    let command = json!({ "command": "unheardOf", "arguments": [] });
    assert_eq!(error(client.respond("workspace/executeCommand", command)), Some(-32602));
    assert!(client.about("textDocument/hover", KERNEL, "add.s32", 0)["contents"]["value"].is_string());
    assert!(client.finish().success());
}

#[test]
fn positions_outside_of_the_text_are_moved_into_it() {
    let mut client = Client::with(KERNEL);
    for (line, character) in [(0, 9999), (9999, 0), (4_294_967_295_u32, 4_294_967_295_u32)] {
        let at = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": at, "context": { "includeDeclaration": true }, "newName": "x" });
        for method in [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/references",
            "textDocument/documentHighlight",
            "textDocument/completion",
            "textDocument/prepareRename",
            "textDocument/rename",
            "textDocument/prepareCallHierarchy",
        ] {
            client.respond(method, params.clone());
        }
        client.change(2, Some([[line, character], [line, character]]), "");
    }
    assert!(client.finish().success());
}

/// Requests of each kind about the whole document, and at some positions.
fn ask_everything(client: &mut Client) {
    let document = json!({ "uri": URI });
    let whole =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 2_000_000, "character": 0 } });
    let options = json!({ "tabSize": 8, "insertSpaces": false });
    for method in [
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/semanticTokens/full",
        "textDocument/formatting",
    ] {
        client.request(method, json!({ "textDocument": document, "options": options }));
    }
    let params = json!({ "textDocument": document, "range": whole, "options": options, "context": { "diagnostics": [] } });
    for method in [
        "textDocument/semanticTokens/range",
        "textDocument/rangeFormatting",
        "textDocument/inlayHint",
        "textDocument/codeAction",
    ] {
        client.request(method, params.clone());
    }
    for line in 0..4 {
        let at = json!({ "line": line, "character": 2 });
        let context = json!({ "includeDeclaration": true, "triggerKind": 1 });
        let params = json!({ "textDocument": document, "position": at, "context": context });
        for method in ["textDocument/hover", "textDocument/completion", "textDocument/references"] {
            client.request(method, params.clone());
        }
    }
}

#[test]
fn strange_texts_are_answered() {
    let binary: String = (0..=255u8).map(char::from).cycle().take(4096).collect();
    let nested = format!("{KERNEL}\n.visible .entry k()\n{{\n{}", "{\n".repeat(5000));
    for text in ["", "\n", "\u{0}", "\u{7F}ELF\u{2}", "}{)(][", ".", "@", "é😀", "/*", "\"", &binary, &nested]
    {
        let mut client = Client::with(text);
        ask_everything(&mut client);
        client.diagnostics(1);
        client.change(2, Some([[0, 0], [0, 1]]), "\r");
        ask_everything(&mut client);
        assert!(client.finish().success(), "{text:?}");
    }
}

#[test]
fn a_document_of_many_lines_is_answered() {
    let body: String =
        (0..100_000).map(|line| format!("\tadd.s32 \t%r{}, %r{}, {line};\n", line % 90, line % 7)).collect();
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n\t.reg .b32 \t%r<100>;\n{body}\tret;\n}}\n"
    );
    let mut client = Client::started_with(json!({}), json!({ "inlayHints": { "minimumVersion": true } }));
    client.open(URI, &text);
    ask_everything(&mut client);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    assert!(client.finish().success());
}

#[test]
fn input_that_is_not_the_protocol_ends_the_server_with_a_message() {
    for input in ["Content-Length: 5\r\n\r\n{bad}", "no header at all\r\n\r\n", "Content-Length: x\r\n\r\n"] {
        let mut client = Client::new();
        client.write(input.as_bytes());
        let (status, message) = client.exit();
        assert_eq!(status.code(), Some(1), "{input:?}");
        assert!(message.starts_with("ptx-lsp: error: "), "{message}");
    }
    // In a session that has begun it is the same.
    let mut client = Client::with(KERNEL);
    client.write(b"Content-Length: 5\r\n\r\n{bad}");
    assert_eq!(client.exit().0.code(), Some(1));
}

#[test]
fn a_client_that_goes_away_is_told_from_one_that_ends_the_session() {
    let (status, message) = Client::with(KERNEL).exit();
    assert_eq!(status.code(), Some(1));
    assert!(message.contains("went away"), "{message}");
}

#[test]
fn settings_can_change_while_the_session_runs() {
    let capabilities = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let mut client = Client::started_with(capabilities, Value::Null);
    client.open(URI, &KERNEL.replacen("\tret;", "\tcp.async.commit_group;\n\tret;", 1));
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    assert_eq!(client.request("textDocument/inlayHint", params.clone()), json!([]));
    let settings = json!({ "settings": { "ptx": { "inlayHints": { "minimumVersion": true } } } });
    client.notify("workspace/didChangeConfiguration", settings);
    let hints = client.request("textDocument/inlayHint", params);
    // The client was asked to show them.
    let asked = |notice: &Value| notice["method"] == "workspace/inlayHint/refresh";
    assert!(client.notices.iter().any(asked), "{:?}", client.notices);
    let labels: Vec<&str> =
        hints.as_array().unwrap().iter().filter_map(|hint| hint["label"].as_str()).collect();
    assert_eq!(labels, ["PTX 7.0, sm_80"]);
    assert_eq!(hints[0]["position"], json!({ "line": 15, "character": 23 }));
}
