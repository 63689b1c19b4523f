//! `--explain`: what the instruction table has on a mnemonic.

use ptx_cli::{ExitStatus, Failure, Output};
use ptx_diag::Diagnostic;
use ptx_isa::MnemonicError;

/// The most syntax lines that a finding shows.
const SHOWN: usize = 8;

/// Prints the rows that a mnemonic names, whole or in part.
pub(crate) fn explain(mnemonic: &str) -> Result<(), Failure> {
    match ptx_isa::explain(mnemonic, ptx_exec::executes) {
        Ok(text) => Output::from_argument(None).write(text.as_bytes()),
        Err(error) => Err(Failure::about(ExitStatus::Usage, "--explain", finding(mnemonic, &error))),
    }
}

fn finding(mnemonic: &str, error: &MnemonicError) -> Diagnostic {
    let say = |message: String| Diagnostic::error_without_place(ptx_cli::code::USAGE, message);
    let opcode = mnemonic.split('.').next().unwrap_or_default();
    let forms = |syntax: &[String]| {
        let mut text = format!("the forms of `{opcode}` are:");
        syntax.iter().take(SHOWN).for_each(|line| text.push_str(&format!("\n  {line}")));
        if let more @ 1.. = syntax.len().saturating_sub(SHOWN) {
            text.push_str(&format!("\n  and {more} more, which `--explain {opcode}` shows"));
        }
        text
    };
    match error {
        MnemonicError::UnknownOpcode { nearest } => {
            let finding = say(format!("PTX has no instruction `{opcode}`"));
            match nearest {
                Some(nearest) => finding.with_help(format!("did you mean `{nearest}`?")),
                None => {
                    finding.with_help("give an opcode and, if you like, some of its modifiers: `ld.global`")
                }
            }
        }
        MnemonicError::UnexpectedModifier { modifier, syntax } => {
            say(format!("no form of `{opcode}` has a modifier `.{modifier}`")).with_help(forms(syntax))
        }
        MnemonicError::IncompleteModifiers { syntax } => {
            say(format!("no form of `{opcode}` has all the modifiers of `{mnemonic}`"))
                .with_help(forms(syntax))
        }
    }
}
