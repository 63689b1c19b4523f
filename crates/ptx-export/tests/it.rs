//! The exports agree with the table, and the committed files with the exports.

use std::collections::BTreeSet;
use std::path::Path;

use ptx_export::{grammars, json};
use ptx_isa::{all_forms, candidates};
use serde_json::Value;

fn table() -> Value {
    serde_json::from_str(&json()).expect("JSON")
}

#[test]
fn each_row_is_one_line_with_its_modifiers_and_operands() {
    let table = table();
    assert_eq!(table["schema"], 1);
    let rows = table["instructions"].as_array().expect("rows");
    assert_eq!(rows.len(), all_forms().len());
    for (row, form) in rows.iter().zip(all_forms()) {
        assert_eq!(row["syntax"], form.syntax());
        assert_eq!(row["modifiers"].as_array().map(Vec::len), Some(form.slots.len()));
        assert_eq!(row["operands"].as_array().map(Vec::len), Some(form.operands.len()));
    }
    // A row that the manual describes in 9.7.1.1 (`add`), and one with later targets.
    let add = rows
        .iter()
        .find(|row| row["syntax"].as_str().is_some_and(|line| line.starts_with("add.type ")))
        .expect("add");
    assert_eq!((&add["section"], &add["since"]["ptx"]), (&"9.7.1.1".into(), &"1.0".into()));
    assert_eq!(add["operands"][0]["written"], true);
    assert_eq!(add["operands"][1]["type"]["of"], "type");
    let wgmma = rows.iter().find(|row| row["opcode"] == "wgmma").expect("wgmma");
    assert_eq!(wgmma["since"]["targets"][0], "sm_90a");
}

/// What a reader of the JSON makes of it: with the first choice of each required modifier most rows are an instruction.
#[test]
fn the_text_of_a_row_names_it() {
    let table = table();
    let mut named = 0;
    for row in table["instructions"].as_array().expect("rows") {
        let mut text = row["opcode"].as_str().expect("a text").to_owned();
        for slot in row["modifiers"].as_array().expect("a list") {
            if slot["required"] == true {
                text += slot["choices"][0]["text"].as_str().expect("a text");
            }
        }
        named += usize::from(candidates(&text).is_ok());
    }
    // Rules between modifiers make some of these texts no instruction.
    assert!(named * 10 > all_forms().len() * 8, "{named} of {}", all_forms().len());
}

#[test]
fn directives_and_special_registers_are_listed() {
    let table = table();
    let texts = |name: &str| -> BTreeSet<String> {
        let rows = table[name].as_array().expect("rows");
        rows.iter().map(|row| row["text"].as_str().expect("a text").to_owned()).collect()
    };
    assert!(texts("directives").contains(".maxntid") && texts("special_registers").contains("%envreg31"));
    assert!(texts("types").contains(".pred"));
}

/// `PTX_RENEW_GRAMMARS=1` writes the files, as `cargo xtask grammars` does.
#[test]
fn the_committed_grammars_are_those_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for grammar in grammars() {
        let path = root.join(grammar.path);
        if std::env::var_os("PTX_RENEW_GRAMMARS").is_some() {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, &grammar.text).expect("written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == grammar.text, "{} is not up to date: `cargo xtask grammars`", grammar.path);
    }
}
