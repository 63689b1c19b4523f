//! The server in an editor, and the grammars in the programs that read them. A test whose program is missing is counted as ignored.

mod neovim;
mod textmate;
mod tree_sitter;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};

/// The document of the other tests.
const KERNEL: &str = include_str!("../it/kernel.ptx");

fn main() -> ExitCode {
    let has = |program: &str, argument: &str| {
        Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
    };
    let has_tree_sitter = tree_sitter::compiles(has("tree-sitter", "--version"), has("node", "--version"));
    let trials = vec![
        Trial::test("neovim_asks_and_is_answered", neovim::is_answered)
            .with_ignored_flag(!has("nvim", "--version")),
        Trial::test("tree_sitter_parses_the_corpus_without_an_error", tree_sitter::parses_the_corpus)
            .with_ignored_flag(!has_tree_sitter),
        Trial::test("tree_sitter_tells_words_by_their_meaning", tree_sitter::highlights)
            .with_ignored_flag(!has_tree_sitter),
        Trial::test("textmate_tells_words_by_their_meaning", textmate::tokenizes)
            .with_ignored_flag(!textmate::is_there()),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The PTX of a folder of the test suite, and of the folders below.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
    found.sort();
}
