//! Executes every command that the documents show, and compares its output with the one that they show.
//!
//! A command follows `$` in an indented or fenced block; the lines up to the next command or the end of the block are its
//! output. The commands of a document are executed in order in one folder, where `scripts` is the project's.

use std::fmt::Write as _;
use std::process::Command;

use crate::common::{tools, workspace};

/// A command with its output.
#[derive(Debug)]
struct Example {
    line: usize,
    command: String,
    prints: String,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut fenced = false;
    // Whether the line belongs to the output of the last command.
    let mut prints = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            prints = false;
            continue;
        }
        let code =
            if fenced { Some(line) } else { line.strip_prefix("    ").or(line.is_empty().then_some("")) };
        let Some(code) = code else {
            prints = false;
            continue;
        };
        if let Some(command) = code.strip_prefix("$ ") {
            prints = true;
            examples.push(Example { line: number + 1, command: command.to_owned(), prints: String::new() });
        } else if let Some(last) = examples.last_mut().filter(|_| prints) {
            let _ = writeln!(last.prints, "{code}");
        }
    }
    for example in &mut examples {
        // A block ends with its last line that is not empty.
        example.prints.truncate(example.prints.trim_end().len());
    }
    examples
}

#[test]
fn documents_show_what_the_tools_print() {
    let (root, tools) = (workspace(), tools());
    let mut documents =
        vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("ARCHITECTURE.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("docs are there") {
            let path = entry.expect("readable").path();
            let kept = if path.is_dir() { &mut folders } else { &mut documents };
            kept.push(path);
        }
    }
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a search path"));
    let mut wrong = String::new();
    let mut count = 0;
    for document in documents {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::os::unix::fs::symlink(root.join("scripts"), folder.path().join("scripts")).expect("ours");
        let text = std::fs::read_to_string(&document).expect("readable");
        for example in examples(&text) {
            count += 1;
            let shell = Command::new("bash")
                .args(["-c", &format!("exec 2>&1; {}", example.command)])
                .env("XDG_CACHE_HOME", folder.path())
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .expect("bash runs");
            let printed = String::from_utf8_lossy(&shell.stdout);
            if printed.trim_end() != example.prints {
                let (document, line) = (document.display(), example.line);
                let _ = writeln!(
                    wrong,
                    "{document}:{line}: `{}` prints\n{printed}\nand the document has\n{}\n",
                    example.command, example.prints
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 7, "only {count} examples were found");
}

#[test]
fn commands_and_their_output_are_told_apart() {
    let text = "Text\n\n    $ a\n    $ b c\n    x\n\n    y\n\nMore\n\n    no command\n\n```\n$ d\nz\n```\n";
    let found: Vec<_> = examples(text).into_iter().map(|e| (e.line, e.command, e.prints)).collect();
    let of = |line, command: &str, prints: &str| (line, command.to_owned(), prints.to_owned());
    assert_eq!(found, [of(3, "a", ""), of(4, "b c", "x\n\ny"), of(14, "d", "z")]);
}
