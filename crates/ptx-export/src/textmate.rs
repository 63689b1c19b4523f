//! The TextMate grammar, which Visual Studio Code and others highlight with.

use serde_json::{Value, json};

use crate::words;

/// What may follow a word: no letter, and no `::`, with which it would be a longer word.
const END: &str = r"(?![A-Za-z0-9_$]|::)";
/// A name with its `%`, `$` or `_`.
const NAME: &str = "[$%_A-Za-z][A-Za-z0-9_$]*";

/// The grammar as JSON.
pub(crate) fn grammar() -> Value {
    // In the order in which they are tried.
    let groups = [
        ("comments", comments()),
        ("strings", rules(&[("string.quoted.double.ptx", "\"[^\"\\n]*\"".to_owned())])),
        ("dwarf", rules(&[("meta.debug.ptx", "@@DWARF.*$".to_owned())])),
        (
            "labels",
            captured(
                &format!(r"^\s*({NAME})\s*(:)(?!:)"),
                ["entity.name.label.ptx", "punctuation.separator.ptx"],
            ),
        ),
        (
            "functions",
            captured(
                &format!(r"(\.entry)\s+({NAME})"),
                ["keyword.control.directive.ptx", "entity.name.function.ptx"],
            ),
        ),
        (
            "guards",
            captured(
                &format!(r"(@!?)\s*({NAME})"),
                ["keyword.operator.guard.ptx", "variable.other.register.ptx"],
            ),
        ),
        ("instructions", instructions()),
        ("directives", directives()),
        ("registers", registers()),
        ("numbers", numbers()),
        ("names", rules(&[("variable.other.ptx", "[$_A-Za-z][A-Za-z0-9_$]*".to_owned())])),
        (
            "punctuation",
            rules(&[
                ("punctuation.terminator.statement.ptx", ";".to_owned()),
                ("punctuation.separator.ptx", ",".to_owned()),
            ]),
        ),
    ];
    let includes: Vec<Value> = groups.iter().map(|(name, _)| include(name)).collect();
    let mut repository: serde_json::Map<String, Value> = groups
        .into_iter()
        .map(|(name, patterns)| (name.to_owned(), json!({ "patterns": patterns })))
        .collect();
    repository.insert("types".to_owned(), json!({ "patterns": types() }));
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Generated from the instruction table by `cargo xtask grammars`; do not edit.",
        "name": "PTX",
        "scopeName": "source.ptx",
        "fileTypes": ["ptx"],
        "patterns": includes,
        "repository": repository,
    })
}

fn include(name: &str) -> Value {
    json!({ "include": format!("#{name}") })
}

/// Patterns, each with the scope of what it matches.
fn rules(rules: &[(&str, String)]) -> Value {
    rules.iter().map(|(name, pattern)| json!({ "name": name, "match": pattern })).collect()
}

/// A pattern whose two groups have these scopes.
fn captured(pattern: &str, [first, second]: [&str; 2]) -> Value {
    json!([{ "match": pattern, "captures": { "1": { "name": first }, "2": { "name": second } } }])
}

fn comments() -> Value {
    json!([
        { "name": "comment.line.double-slash.ptx", "match": "//.*$" },
        { "name": "comment.block.ptx", "begin": r"/\*", "end": r"\*/" },
        { "name": "meta.preprocessor.ptx", "match": r"^\s*#\s*(?:line\s+)?[0-9]+\s.*$" },
    ])
}

/// An opcode, and its modifiers up to the first blank.
fn instructions() -> Value {
    let opcodes = words::opcodes().join("|");
    json!([{
        "begin": format!(r"(?<![A-Za-z0-9_$%.])({opcodes}){END}"),
        "beginCaptures": { "1": { "name": "keyword.operator.word.mnemonic.ptx" } },
        "end": r"(?=[\s;,]|$|/[/*])",
        "patterns": [
            include("types"),
            { "name": "storage.modifier.ptx", "match": r"\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*(?::4)?" },
        ],
    }])
}

fn types() -> Value {
    rules(&[("storage.type.ptx", format!(r"\.(?:{}){END}", words::types().join("|")))])
}

fn directives() -> Value {
    let words = words::directives().join("|");
    json!([
        { "name": "keyword.control.directive.ptx", "match": format!(r"\.(?:{words}){END}") },
        include("types"),
        { "name": "storage.modifier.ptx", "match": r"\.[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z0-9_]+)*" },
    ])
}

fn registers() -> Value {
    let special = words::special_registers().join("|");
    let numbered = "pm[0-7](?:_64)?|envreg(?:[12]?[0-9]|3[01])";
    rules(&[
        (
            "variable.language.special-register.ptx",
            format!(r"%(?:{special}|{numbered}){END}(?:\.[xyzwrgba]\b)?"),
        ),
        ("variable.language.ptx", r"\bWARP_SZ\b".to_owned()),
        ("variable.other.register.ptx", "%[A-Za-z0-9_$]+".to_owned()),
    ])
}

fn numbers() -> Value {
    let forms = [
        "0[fF][0-9A-Fa-f]{8}",
        "0[dD][0-9A-Fa-f]{16}",
        "0[xX][0-9A-Fa-f]+U?",
        "0[bB][01]+U?",
        r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?U?",
    ];
    let pattern = format!("(?<![A-Za-z0-9_$])(?:{})(?![A-Za-z0-9_$])", forms.join("|"));
    rules(&[("constant.numeric.ptx", pattern)])
}
