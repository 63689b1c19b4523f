//! A client of the server that does what a test says.

use std::io::{BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Far more than any answer takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// The address of the document of most tests.
pub const URI: &str = "file:///kernel.ptx";

/// The document of most tests.
pub const KERNEL: &str = include_str!("kernel.ptx");

/// The server and the pipes to it.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: i64,
    /// Notifications that came before the answer that was waited for.
    pub notices: Vec<Value>,
}

impl Client {
    /// The server before `initialize`.
    pub fn new() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ptx-lsp"))
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let output = child.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, messages, next: 0, notices: Vec::new() }
    }

    /// A session that has begun, with these capabilities of the client and options.
    pub fn started_with(capabilities: Value, options: Value) -> Self {
        let mut client = Self::new();
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options });
        client.request("initialize", params);
        client.notify("initialized", json!({}));
        client
    }

    /// A session in which a document is open.
    pub fn with(text: &str) -> Self {
        let mut client = Self::started_with(json!({}), json!(null));
        client.open(URI, text);
        client
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "ptx", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range of the document; the whole text without one.
    pub fn change(&mut self, version: i64, range: Option<[[u32; 2]; 2]>, text: &str) {
        let at = |[line, character]: [u32; 2]| json!({ "line": line, "character": character });
        let change = match range {
            Some([start, end]) => json!({ "range": { "start": at(start), "end": at(end) }, "text": text }),
            None => json!({ "text": text }),
        };
        let document = json!({ "uri": URI, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open pipe");
        // A server that has ended does not read.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The whole response to a request.
    pub fn respond(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a response");
            if message["id"] == json!(id) {
                return message;
            }
            self.notices.push(message);
        }
    }

    /// The result of a request, which must not be an error.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.respond(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    /// The result of a request about a word of [`KERNEL`], or another text: the `n`th one, from 0, at its last letter but one.
    pub fn about(&mut self, method: &str, text: &str, word: &str, n: usize) -> Value {
        self.request(method, json!({ "textDocument": { "uri": URI }, "position": position(text, word, n) }))
    }

    /// The diagnostics of a version of the document.
    pub fn diagnostics(&mut self, version: i64) -> Vec<Value> {
        loop {
            let found = self.notices.iter().position(|notice| {
                notice["method"] == "textDocument/publishDiagnostics"
                    && notice["params"]["version"] == version
            });
            if let Some(at) = found {
                let notice = self.notices.remove(at);
                return notice["params"]["diagnostics"].as_array().expect("a list").clone();
            }
            let message = self.messages.recv_timeout(PATIENCE).expect("diagnostics");
            self.notices.push(message);
        }
    }

    /// Ends the session as clients do.
    pub fn finish(mut self) -> ExitStatus {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.exit().0
    }

    /// Closes the pipe; the status, and what the server wrote to standard error.
    pub fn exit(&mut self) -> (ExitStatus, String) {
        self.input = None;
        let mut text = String::new();
        let errors = self.child.stderr.as_mut().expect("a pipe");
        errors.read_to_string(&mut text).expect("text");
        (self.child.wait().expect("a status"), text)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a message; `None` at the end.
fn message(output: &mut impl std::io::BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            line => {
                length = line.strip_prefix("Content-Length: ").and_then(|text| text.parse().ok()).or(length);
            }
        }
    }
    let mut bytes = vec![0; length?];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("JSON"))
}

/// The position within the `n`th occurrence of a word in an ASCII text.
pub fn position(text: &str, word: &str, n: usize) -> Value {
    let (at, _) = text.match_indices(word).nth(n).unwrap_or_else(|| panic!("`{word}`"));
    let at = at + word.len().saturating_sub(1);
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |before| before + 1);
    json!({ "line": line, "character": column })
}

/// The text of a range of an ASCII text.
pub fn text_of<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}

/// The offset of a position of an ASCII text.
pub fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().expect("a line") as usize;
    let column = position["character"].as_u64().expect("a column") as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    start + column
}

/// A text after edits that do not overlap.
pub fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<&Value> = edits.as_array().expect("edits").iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(text, &edit["range"]["start"])));
    let mut text = text.to_owned();
    for edit in edits {
        let range = offset(&text, &edit["range"]["start"])..offset(&text, &edit["range"]["end"]);
        text.replace_range(range, edit["newText"].as_str().expect("a text"));
    }
    text
}
