//! Debug directives (manual 11.5).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{DebugFile, DebugLocation};

use crate::codes;
use crate::context::Checker;

/// Checks a `.file`: its index stands once.
pub(crate) fn check_file(cx: &mut Checker<'_>, file: &DebugFile, span: Span) {
    if let Some(first) = cx.files.insert(file.index, span) {
        let text = format!("the file index {} is used already", file.index);
        cx.report(Diagnostic::error(codes::DEBUG_INFO, span, text).with_related(first, "first used here"));
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
