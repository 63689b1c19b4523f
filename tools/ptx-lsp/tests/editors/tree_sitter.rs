//! The tree-sitter grammar, compiled by tree-sitter's program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::Failed;

use crate::{KERNEL, files_below, root};

/// Whether what compiles the grammar is there: tree-sitter's program, Node.js, which runs `grammar.js`, and a C compiler.
pub fn compiles(has_tree_sitter: bool, has_node: bool) -> bool {
    has_tree_sitter && has_node && Command::new("cc").arg("--version").output().is_ok()
}

/// A copy of the grammar's folder, in which its parser is made.
struct Compiled {
    folder: tempfile::TempDir,
}

impl Compiled {
    fn new() -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        let grammar = folder.path().join("tree-sitter-ptx");
        fs::create_dir_all(grammar.join("queries"))?;
        for file in ["grammar.js", "words.json", "package.json", "tree-sitter.json", "queries/highlights.scm"]
        {
            fs::copy(root().join("editors/tree-sitter-ptx").join(file), grammar.join(file))?;
        }
        let compiled = Self { folder };
        let output = compiled.run(&["generate"], &[])?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(compiled)
    }

    fn grammar(&self) -> PathBuf {
        self.folder.path().join("tree-sitter-ptx")
    }

    fn run(&self, words: &[&str], files: &[PathBuf]) -> Result<Output, Failed> {
        let home = self.folder.path();
        // Its settings and compiled parsers stay in the folder.
        let output = Command::new("tree-sitter")
            .args(words)
            .args(files)
            .current_dir(self.grammar())
            .env("HOME", home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("TREE_SITTER_DIR", home.join("settings"))
            .output()?;
        Ok(output)
    }
}

/// No file that the parser of `ptx-syntax` accepts has an error in its tree.
pub fn parses_the_corpus() -> Result<(), Failed> {
    let compiled = Compiled::new()?;
    let mut all = Vec::new();
    for folder in ["cases", "corpus"] {
        files_below(&root().join("test-suite").join(folder), &mut all);
    }
    let valid: Vec<PathBuf> = all.into_iter().filter(|path| is_valid(path)).collect();
    assert!(valid.len() > 400, "{} files", valid.len());
    let taken = testing::sample("files of PTX for tree-sitter", valid, 200);
    let list = compiled.folder.path().join("files.txt");
    let lines: String = taken.iter().map(|path| format!("{}\n", path.display())).collect();
    fs::write(&list, lines)?;
    let output = compiled.run(&["parse", "--quiet", "--paths", &list.to_string_lossy()], &[])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(());
    }
    let wrong: Vec<&str> = text.lines().take(20).collect();
    Err(format!("{}\n{}", wrong.join("\n"), String::from_utf8_lossy(&output.stderr)).into())
}

fn is_valid(path: &Path) -> bool {
    let Some(text) = fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return false;
    };
    !ptx_analysis::check(&text)
        .iter()
        .any(|one| one.code.0.starts_with('P') && one.severity == ptx_diag::Severity::Error)
}

/// The query of highlights names nodes that exist, and tells the words of a kernel.
pub fn highlights() -> Result<(), Failed> {
    let compiled = Compiled::new()?;
    let file = compiled.folder.path().join("kernel.ptx");
    fs::write(&file, KERNEL)?;
    let query = compiled.grammar().join("queries/highlights.scm");
    let output = compiled.run(&["query", "--captures", &query.to_string_lossy()], &[file])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let captures = |word: &str| -> Vec<&str> {
        let own = text.lines().filter(|line| line.ends_with(&format!("text: `{word}`")));
        own.filter_map(|line| line.split(" - ").nth(1)?.split(',').next()).collect()
    };
    for (word, name) in [
        ("setp", "keyword"),
        (".lt", "attribute"),
        (".u32", "type"),
        (".target", "keyword.directive"),
        ("kernel", "function"),
        ("DONE", "label"),
        ("%tid", "variable.builtin"),
        ("out", "variable.parameter"),
        ("table", "variable"),
        ("16", "number"),
    ] {
        assert!(captures(word).contains(&name), "{word}: {:?}\n{text}", captures(word));
    }
    Ok(())
}
