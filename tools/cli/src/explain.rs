//! `--explain`: the entries of the instruction table for a mnemonic, or the meaning of a diagnostic code.

use ptx_diag::{CodeMeaning, Diagnostic};
use ptx_isa::MnemonicError;

use crate::examples::{ExampleKind, code_examples};
use crate::failure::{ExitStatus, Failure};
use crate::output::Output;

/// Prints the meaning of a diagnostic code, the rows for a complete or partial mnemonic, or the text about a directive, special register or modifier.
pub fn explain(mnemonic: &str) -> Result<(), Failure> {
    if is_code(mnemonic) {
        return explain_code(mnemonic);
    }
    if mnemonic.starts_with(['.', '%']) {
        return match ptx_isa::explain_word(mnemonic) {
            Some(text) => Output::from_argument(None).write(text.as_bytes()),
            None => Err(Failure::about(ExitStatus::Usage, "--explain", unknown_word(mnemonic))),
        };
    }
    match ptx_isa::explain(mnemonic, ptx_program::decode::executes) {
        Ok(text) => Output::from_argument(None).write(text.as_bytes()),
        Err(error) => Err(Failure::about(ExitStatus::Usage, "--explain", finding(mnemonic, &error))),
    }
}

/// Whether a text is a diagnostic code, such as `V0501`; no instruction has a capital letter.
fn is_code(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_uppercase()) && bytes.all(|byte| byte.is_ascii_digit())
}

/// All diagnostic codes.
pub fn all_codes() -> impl Iterator<Item = &'static CodeMeaning> {
    ptx_driver::code_meanings()
        .chain(ptx_program::codes::MEANINGS)
        .chain(ptx_exec::codes::MEANINGS)
        .chain(crate::code::MEANINGS)
        .chain(ptx_profile::codes::MEANINGS)
}

/// The text of the example of a code; empty if there is none.
fn shown_example(code: &str) -> String {
    let Some(example) = code_examples().find(|example| example.code == code) else { return String::new() };
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let with = match (example.kind, example.options) {
        (ExampleKind::None, _) => return String::new(),
        (ExampleKind::Run | ExampleKind::Llvm, options) if !options.is_empty() => {
            format!(" (with {options})")
        }
        _ => String::new(),
    };
    format!("\nWrong{with}:\n\n{}\nRight:\n\n{}", indented(example.wrong), indented(example.right))
}

/// The output of `--explain` for a code, in Markdown: its meaning on one line, and, if there is an example, the wrong and the correct input.
pub fn explanation(meaning: &CodeMeaning) -> String {
    let code = meaning.code.0;
    format!("{code}: {}\n{}", meaning.text(), shown_example(code))
}

fn explain_code(text: &str) -> Result<(), Failure> {
    match all_codes().find(|meaning| meaning.code.0 == text) {
        Some(meaning) => Output::from_argument(None).write(explanation(meaning).as_bytes()),
        None => {
            let message = format!("no diagnostic has the code `{text}`");
            let finding = Diagnostic::error_without_place(crate::code::USAGE, message).with_help(
                "codes are a letter and four digits, as diagnostics show them in brackets: `V0401`",
            );
            Err(Failure::about(ExitStatus::Usage, "--explain", finding))
        }
    }
}

/// The error about a word with a dot or a percent sign that is none of PTX's.
fn unknown_word(word: &str) -> Diagnostic {
    let kind = if word.starts_with('%') { "special register" } else { "directive and no modifier" };
    let finding = Diagnostic::error_without_place(crate::code::USAGE, format!("PTX has no {kind} `{word}`"));
    let known: Vec<String> = ptx_isa::words().collect();
    match ptx_diag::nearest(word, known.iter().map(String::as_str)) {
        Some(near) => finding.with_help(format!("did you mean `{near}`?")),
        None => finding.with_help("as in `.maxntid`, `%laneid`, `.ftz`"),
    }
}

/// The word with a dot or a percent sign that a text without one is; `nearest` gives one that it almost is.
fn meant_word(text: &str, nearest: bool) -> Option<String> {
    let known: Vec<String> = ptx_isa::words().collect();
    let names: Vec<&str> = known.iter().map(|word| word.trim_start_matches(['.', '%'])).collect();
    let name = if nearest { ptx_diag::nearest(text, names.iter().copied())? } else { text };
    let at = names.iter().position(|known| *known == name)?;
    known.get(at).cloned()
}

fn finding(mnemonic: &str, error: &MnemonicError) -> Diagnostic {
    let say = |message: String| Diagnostic::error_without_place(crate::code::USAGE, message);
    let opcode = mnemonic.split('.').next().unwrap_or(mnemonic);
    match error {
        MnemonicError::UnknownOpcode { nearest } => {
            let finding = say(format!("PTX has no instruction `{opcode}`"));
            let near = || nearest.map(str::to_owned).or_else(|| meant_word(mnemonic, true));
            match meant_word(mnemonic, false).or_else(near) {
                Some(near) => finding.with_help(format!("did you mean `{near}`?")),
                None => {
                    finding.with_help("specify an opcode and, optionally, some of its modifiers: `ld.global`")
                }
            }
        }
        MnemonicError::Modifiers(misfit) => say(misfit.message.clone()).with_help(misfit.help.clone()),
    }
}
