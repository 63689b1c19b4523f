//! The TextMate grammar, which Visual Studio Code and others highlight with.

use serde_json::{Value, json};

use crate::words;

/// The grammar as JSON.
pub(crate) fn grammar() -> Value {
    let alternatives = |words: &[&str]| words.join("|");
    let opcodes = alternatives(&words::opcodes());
    let directives = alternatives(&words::directives());
    let types = alternatives(&words::types());
    let special = words::special_registers().join("|");
    // What may follow a word: no letter, and no `::`, with which it would be a longer word.
    let end = r"(?![A-Za-z0-9_$]|::)";
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Generated from the instruction table by `cargo xtask grammars`; do not edit.",
        "name": "PTX",
        "scopeName": "source.ptx",
        "fileTypes": ["ptx"],
        "patterns": [
            { "include": "#comments" },
            { "include": "#strings" },
            { "include": "#dwarf" },
            { "include": "#labels" },
            { "include": "#functions" },
            { "include": "#guards" },
            { "include": "#instructions" },
            { "include": "#directives" },
            { "include": "#registers" },
            { "include": "#numbers" },
            { "include": "#names" },
            { "include": "#punctuation" },
        ],
        "repository": {
            "comments": { "patterns": [
                { "name": "comment.line.double-slash.ptx", "match": "//.*$" },
                { "name": "comment.block.ptx", "begin": r"/\*", "end": r"\*/" },
                { "name": "meta.preprocessor.ptx", "match": r"^\s*#\s*(?:line\s+)?[0-9]+\s.*$" },
            ] },
            "strings": { "patterns": [
                { "name": "string.quoted.double.ptx", "match": "\"[^\"\\n]*\"" },
            ] },
            "dwarf": { "patterns": [
                { "name": "meta.debug.ptx", "match": r"@@DWARF.*$" },
            ] },
            "labels": { "patterns": [
                {
                    "match": r"^\s*([$%_A-Za-z][A-Za-z0-9_$]*)\s*(:)(?!:)",
                    "captures": {
                        "1": { "name": "entity.name.label.ptx" },
                        "2": { "name": "punctuation.separator.ptx" },
                    },
                },
            ] },
            "functions": { "patterns": [
                {
                    "match": r"(\.entry)\s+([$%_A-Za-z][A-Za-z0-9_$]*)",
                    "captures": {
                        "1": { "name": "keyword.control.directive.ptx" },
                        "2": { "name": "entity.name.function.ptx" },
                    },
                },
            ] },
            "guards": { "patterns": [
                {
                    "match": r"(@!?)\s*([$%_A-Za-z][A-Za-z0-9_$]*)",
                    "captures": {
                        "1": { "name": "keyword.operator.guard.ptx" },
                        "2": { "name": "variable.other.register.ptx" },
                    },
                },
            ] },
            "instructions": { "patterns": [
                {
                    "begin": format!(r"(?<![A-Za-z0-9_$%.])({opcodes}){end}"),
                    "beginCaptures": { "1": { "name": "keyword.operator.word.mnemonic.ptx" } },
                    "end": r"(?=[\s;,]|$|/[/*])",
                    "patterns": [
                        { "include": "#types" },
                        {
                            "name": "storage.modifier.ptx",
                            "match": r"\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*(?::4)?",
                        },
                    ],
                },
            ] },
            "types": { "patterns": [
                { "name": "storage.type.ptx", "match": format!(r"\.(?:{types}){end}") },
            ] },
            "directives": { "patterns": [
                { "name": "keyword.control.directive.ptx", "match": format!(r"\.(?:{directives}){end}") },
                { "include": "#types" },
                { "name": "storage.modifier.ptx", "match": r"\.[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z0-9_]+)*" },
            ] },
            "registers": { "patterns": [
                {
                    "name": "variable.language.special-register.ptx",
                    "match": format!(r"%(?:{special}|pm[0-7](?:_64)?|envreg(?:[12]?[0-9]|3[01])){end}(?:\.[xyzwrgba]\b)?"),
                },
                { "name": "variable.language.ptx", "match": r"\bWARP_SZ\b" },
                { "name": "variable.other.register.ptx", "match": r"%[A-Za-z0-9_$]+" },
            ] },
            "numbers": { "patterns": [
                {
                    "name": "constant.numeric.ptx",
                    "match": r"(?<![A-Za-z0-9_$])(?:0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}|0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?U?)(?![A-Za-z0-9_$])",
                },
            ] },
            "names": { "patterns": [
                { "name": "variable.other.ptx", "match": r"[$_A-Za-z][A-Za-z0-9_$]*" },
            ] },
            "punctuation": { "patterns": [
                { "name": "punctuation.terminator.statement.ptx", "match": ";" },
                { "name": "punctuation.separator.ptx", "match": "," },
            ] },
        },
    })
}
