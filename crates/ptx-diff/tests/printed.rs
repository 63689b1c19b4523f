//! Modules of the test suite, compared with themselves after printing, and with one instruction less.

use std::fs;
use std::path::{Path, PathBuf};

use ptx_diag::SourceFile;
use ptx_diff::{Edit, compare};
use ptx_ir::{Module, Stmt, print};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "ptx") {
            found.push(path);
        }
    }
}

fn parse(text: impl Into<Vec<u8>>) -> Option<Module> {
    let (module, findings) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
    (!findings.has_errors()).then_some(module)
}

/// Removes the last instruction of the last function that has one; false if there is none.
fn remove_one(module: &mut Module) -> bool {
    let bodies = module.functions.iter_mut().rev().filter_map(|function| function.body.as_mut());
    for body in bodies {
        if let Some(at) = body.statements.iter().rposition(|statement| matches!(statement, Stmt::Inst(_))) {
            body.statements.remove(at);
            return true;
        }
    }
    false
}

#[test]
fn printed_modules_are_the_same_and_shorter_ones_are_not() {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test-suite"), &mut paths);
    let mut compared = 0;
    for path in paths {
        let Some(module) = parse(fs::read(&path).expect("readable")) else { continue };
        let again = parse(print(&module)).unwrap_or_else(|| panic!("{}", path.display()));
        let found = compare(&module, &again);
        assert!(found.is_same(), "{}: {found:?}", path.display());
        let mut shorter = again;
        if remove_one(&mut shorter) {
            let found = compare(&module, &shorter);
            let edits = found.functions.iter().flat_map(|function| &function.edits);
            let changed: Vec<&Edit> = edits.filter(|edit| !edit.is_same()).collect();
            let is_one = matches!(changed[..], [Edit::Removed(_)]);
            assert!(!found.is_same() && is_one, "{}: {changed:?}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}
