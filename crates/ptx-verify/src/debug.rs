//! Debug directives and pragmas (manual 11.5, 12).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{DebugFile, DebugLocation, StrId};

use crate::codes;
use crate::context::Checker;

/// Checks a `.file`: its index stands once.
pub(crate) fn check_file(cx: &mut Checker<'_>, file: &DebugFile, span: Span) {
    if let Some(first) = cx.files.insert(file.index, span) {
        let text = format!("the file index {} is used already", file.index);
        cx.report(Diagnostic::error(codes::DEBUG_INFO, span, text).with_related(first, "first used here"));
    }
}

/// Checks the strings of a `.pragma` outside a body that the manual describes for bodies alone (manual 12). Strings that
/// nobody knows are ignored, as the manual asks.
pub(crate) fn check_outer_pragma(cx: &mut Checker<'_>, strings: &[StrId], span: Span) {
    let module = cx.module;
    for &string in strings {
        let word = module.name(string).trim_matches('"').split_whitespace().next().unwrap_or_default();
        if matches!(word, "used_bytes_mask" | "enable_smem_spilling" | "frequency") {
            let text = format!("the pragma `{word}` stands only in the body of a function");
            cx.report(Diagnostic::error(codes::PRAGMA, span, text));
        }
    }
}

/// Checks a `.loc`: an inlined function was called from a place that an earlier `.loc` names.
pub(crate) fn check_location(cx: &mut Checker<'_>, location: &DebugLocation) {
    cx.locations.insert((location.file, location.line, location.column));
    let Some(inlined) = &location.inlined else { return };
    if !cx.locations.contains(&(inlined.file, inlined.line, inlined.column)) {
        let text = format!(
            "no earlier `.loc` names the place of the call, {} {} {}",
            inlined.file, inlined.line, inlined.column
        );
        cx.report(Diagnostic::error(codes::DEBUG_INFO, location.at.0, text));
    }
}
