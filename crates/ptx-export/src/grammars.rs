//! The generated files of `editors/`.

use serde_json::{Value, json};

use crate::{textmate, words};

/// A generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grammar {
    /// Its path from the root of the repository.
    pub path: &'static str,
    /// Its contents.
    pub text: String,
}

/// The generated files.
pub fn grammars() -> Vec<Grammar> {
    let words = json!({
        "comment": "Generated from the instruction table by `cargo xtask grammars`; do not edit.",
        "opcodes": words::opcodes(),
        "directives": words::directives(),
        "types": words::types(),
        "specialRegisters": words::special_registers(),
    });
    vec![
        file("editors/vscode/syntaxes/ptx.tmLanguage.json", &textmate::grammar()),
        file("editors/tree-sitter-ptx/words.json", &words),
    ]
}

fn file(path: &'static str, value: &Value) -> Grammar {
    Grammar { path, text: format!("{value:#}\n") }
}
