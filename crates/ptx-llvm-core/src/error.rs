//! Errors at the boundary to LLVM, and LLVM's own messages.

use thiserror::Error;

/// A place in LLVM IR text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextPosition {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl TextPosition {
    /// The column of a byte, from 1, in the line that starts at another.
    pub(crate) fn column(byte: usize, line_start: usize) -> u32 {
        debug_assert!(line_start <= byte, "byte {byte} precedes its line at {line_start}");
        // Default: in a line of more than 4 GiB all that follows has the last column.
        u32::try_from(byte.saturating_sub(line_start).saturating_add(1)).unwrap_or(u32::MAX)
    }
}

/// A message LLVM reported while it worked, with LLVM's own severity word (`error`, `warning`, `remark` or `note`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// LLVM's severity word.
    pub severity: &'static str,
    /// LLVM's sentence.
    pub text: String,
}

/// An error LLVM reported, or one that this crate found while it talked to LLVM.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LlvmError {
    /// LLVM's library cannot be loaded.
    #[error("LLVM 22 cannot be loaded: {message}")]
    Missing {
        /// The system loader's sentence.
        message: String,
    },
    /// The text is not LLVM IR.
    #[error("{message}")]
    Parse {
        /// LLVM's sentence, without the place and the quoted line.
        message: String,
        /// Where in the text, when LLVM knows.
        position: Option<TextPosition>,
    },
    /// The bytes look like bitcode but cannot be read.
    #[error("invalid bitcode: {message}")]
    Bitcode {
        /// LLVM's sentence.
        message: String,
    },
    /// LLVM's verifier refuses the module.
    #[error("LLVM's verifier refuses the module: {message}")]
    Invalid {
        /// The verifier's findings, one a line.
        message: String,
    },
    /// The module uses something the view has no form for.
    #[error("{construct} in {place} is not supported")]
    Unsupported {
        /// What it is, in LLVM's terms.
        construct: String,
        /// The function or global that uses it.
        place: String,
    },
    /// The text is not a pass pipeline.
    #[error("invalid pass pipeline: {message}")]
    Pipeline {
        /// LLVM's sentence.
        message: String,
    },
    /// The module is for another target, or LLVM does not know the one that was asked for.
    #[error("{message}")]
    Target {
        /// What does not fit.
        message: String,
    },
    /// LLVM failed in another way.
    #[error("LLVM: {message}")]
    Other {
        /// LLVM's sentence.
        message: String,
    },
}

impl LlvmError {
    /// Reads the message of LLVM's assembly parser: `NAME:LINE:COLUMN: error: SENTENCE`, then the quoted line.
    pub(crate) fn from_parser(text: &str) -> Self {
        let first = text.split_once('\n').map_or(text, |(first, _)| first).trim_end_matches('\r');
        let Some((place, sentence)) = first.split_once(": error: ") else {
            return LlvmError::Parse { message: first.to_owned(), position: None };
        };
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next().and_then(|column| column.parse().ok());
        let line = parts.next().and_then(|line| line.parse().ok());
        let position = line.zip(column).map(|(line, column)| TextPosition { line, column });
        LlvmError::Parse { message: sentence.to_owned(), position }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parser_message_keeps_place_and_sentence() {
        let error = LlvmError::from_parser("<string>:3:7: error: expected type\n  foo\n  ^");
        let position = Some(TextPosition { line: 3, column: 7 });
        assert_eq!(error, LlvmError::Parse { message: "expected type".into(), position });
    }

    #[test]
    fn parser_message_without_place_is_kept_whole() {
        let error = LlvmError::from_parser("something else");
        assert_eq!(error, LlvmError::Parse { message: "something else".into(), position: None });
    }
}
