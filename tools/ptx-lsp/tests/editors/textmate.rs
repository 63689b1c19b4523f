//! The TextMate grammar in Visual Studio Code's own reader of grammars.

use std::io::Write as _;
use std::process::{Command, Stdio};

use libtest_mimic::Failed;

use crate::{KERNEL, root};

/// Whether Node.js and the packages of `editors/vscode` are installed.
pub fn is_there() -> bool {
    let installed = root().join("editors/vscode/node_modules/vscode-textmate").is_dir();
    installed && Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Words have the scopes of their meaning.
pub fn tokenizes() -> Result<(), Failed> {
    let mut child = Command::new("node")
        .arg(root().join("editors/vscode/test/tokenize.js"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().ok_or("no pipe")?.write_all(KERNEL.as_bytes())?;
    let output = child.wait_with_output()?;
    let found: Vec<(u32, String, String)> = serde_json::from_slice(&output.stdout)?;
    for (word, scope) in [
        ("setp", "keyword.operator.word.mnemonic.ptx"),
        (".lt", "storage.modifier.ptx"),
        (".u32", "storage.type.ptx"),
        ("call", "keyword.operator.word.mnemonic.ptx"),
        (".target", "keyword.control.directive.ptx"),
        (".reg", "keyword.control.directive.ptx"),
        ("kernel", "entity.name.function.ptx"),
        ("%tid.x", "variable.language.special-register.ptx"),
        ("%r1", "variable.other.register.ptx"),
        ("%p1", "variable.other.register.ptx"),
        ("16", "constant.numeric.ptx"),
        ("DONE", "variable.other.ptx"),
        ("// Doubles a number.", "comment.line.double-slash.ptx"),
    ] {
        let own = found.iter().find(|(_, text, _)| text == word);
        let own = own.ok_or_else(|| format!("no `{word}` in {found:?}"))?;
        assert_eq!(own.2, scope, "{word}");
    }
    let label = found.iter().rfind(|(_, text, _)| text == "DONE").ok_or("no label")?;
    assert_eq!(label.2, "entity.name.label.ptx");
    Ok(())
}
