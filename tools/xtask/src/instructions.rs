//! docs/isa.md and docs/directives.md: the instruction table for people to read.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use executed_rows::{Claims, key};
use ptx_isa::Form;

use crate::cargo::workspace;

/// What is above the table's own page.
const ORIGIN: &str = "\
<!-- Written by `cargo xtask docs` from the instruction table (crates/ptx-isa/src/table); a test fails when it is out of
date. `ptx2ll --explain MNEMONIC` prints an entry. -->

";
const CONSTRUCTS_ORIGIN: &str = "\
<!-- Written by `cargo xtask docs` from crates/ptx-isa/src/construct.rs; a test fails when it is out of date. -->

";

/// Writes the pages.
pub(crate) fn write() -> Result<()> {
    for (path, text) in pages()? {
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Each page, and where it is.
fn pages() -> Result<[(PathBuf, String); 2]> {
    let docs = workspace().join("docs");
    let constructs = format!("{CONSTRUCTS_ORIGIN}{}", ptx_isa::construct_page());
    Ok([(docs.join("isa.md"), instruction_page()?), (docs.join("directives.md"), constructs)])
}

fn instruction_page() -> Result<String> {
    let claims = Claims::read().context("cannot read which tests execute which rows")?;
    let tested = |form: &Form| {
        let row = key(form);
        let quoted = |tests: &Vec<String>| tests.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>();
        let by = claims.tests.get(&row).map(|tests| format!("tested by {}", quoted(tests).join(" and ")));
        by.or_else(|| claims.reasons.get(&row).map(|reason| format!("not tested: {reason}")))
    };
    Ok(format!("{ORIGIN}{}", ptx_isa::page(ptx_program::decode::executes, &tested)))
}

/// Rewrites the grammars of editors.
pub(crate) fn write_grammars() -> Result<()> {
    for grammar in ptx_export::grammars() {
        let path = workspace().join(grammar.path);
        fs::write(&path, grammar.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_up_to_date() {
        for (path, text) in pages().unwrap() {
            let written = fs::read_to_string(&path).unwrap_or_default();
            assert!(written == text, "{} is out of date: run `cargo xtask docs`", path.display());
        }
    }
}
