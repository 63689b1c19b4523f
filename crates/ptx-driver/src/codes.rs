//! The meanings of diagnostic codes.

use ptx_diag::CodeMeaning;

use crate::code;

/// The codes of all stages between PTX and LLVM IR, with their meanings, each once.
pub fn code_meanings() -> impl Iterator<Item = &'static CodeMeaning> {
    let stages = [
        ptx_syntax::codes::MEANINGS,
        ptx_verify::codes::MEANINGS,
        ptx_link::code::MEANINGS,
        ptx_lower::CODES,
        code::MEANINGS,
        ptx_raise::CODES,
    ];
    stages.into_iter().flatten()
}
