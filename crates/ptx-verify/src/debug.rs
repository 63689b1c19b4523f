//! Debug directives and pragmas (manual 11.5, 12).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{DebugFile, DebugLocation, Section, StrId};
use ptx_isa::Since;

use crate::codes;
use crate::context::Checker;

/// Checks a `.file`: its index is used once.
pub(crate) fn check_file(cx: &mut Checker<'_>, file: &DebugFile, span: Span) {
    if file.stamp.is_some() {
        cx.require(Since::new(3, 2, 10), span, "the time and size of a file");
    }
    if let Some(first) = cx.files.insert(file.index, span) {
        let text = format!("the file index {} is used already", file.index);
        cx.report(Diagnostic::error(codes::DEBUG_INFO, span, text).with_related(first, "first used here"));
    }
}

/// Checks the strings of a `.pragma` outside a body that the manual describes only for bodies (manual 12). Unknown
/// strings are ignored, as the manual requires.
pub(crate) fn check_outer_pragma(cx: &mut Checker<'_>, strings: &[StrId], span: Span) {
    cx.require(Since::new(2, 0, 10), span, "`.pragma`");
    let module = cx.module;
    for &string in strings {
        let word = module.name(string).trim_matches('"').split_whitespace().next().unwrap_or_default();
        if matches!(word, "used_bytes_mask" | "enable_smem_spilling" | "frequency") {
            let text = format!("the pragma `{word}` is only allowed in the body of a function");
            cx.report(Diagnostic::error(codes::PRAGMA, span, text));
        }
    }
}

/// Checks a `.section`: labels, sums, differences and negative numbers came later than sections (manual 11.5.2).
pub(crate) fn check_section(cx: &mut Checker<'_>, section: &Section) {
    cx.require(Since::new(2, 0, 10), section.at.0, "`.section`");
    let sums = Since::new(3, 2, 10);
    let labels = Since::new(7, 0, 10);
    let differences = Since::new(7, 5, 10);
    let module = cx.module;
    let any =
        |wanted: fn(&str) -> bool| section.lines.iter().any(|line| wanted(code(module.name(line.text))));
    if !cx.target.has(labels) && any(|text| text.contains(':')) {
        cx.require(labels, section.at.0, "a label in a `.section`");
    }
    if !cx.target.has(sums) && any(|text| text.contains('+')) {
        cx.require(sums, section.at.0, "a sum in a `.section`");
    }
    if !cx.target.has(differences) && any(|text| text.contains('-')) {
        cx.require(differences, section.at.0, "a difference or a negative number in a `.section`");
    }
}

/// A line without its comment and without strings, which end what can be looked at.
fn code(line: &str) -> &str {
    let end = line.find("//").into_iter().chain(line.find(['"', '\''])).chain(line.find("/*")).min();
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

/// Checks a `.loc`: the call site of an inlined function must be the location of an earlier `.loc`.
pub(crate) fn check_location(cx: &mut Checker<'_>, location: &DebugLocation) {
    check_call_place(cx, location);
    cx.locations.insert((location.file, location.line, location.column));
}

fn check_call_place(cx: &mut Checker<'_>, location: &DebugLocation) {
    let Some(inlined) = &location.inlined else { return };
    // `ptxas` passes over it in modules that are older still.
    if cx.target.version_at_least(4, 0) {
        cx.require(Since::new(7, 0, 10), location.at.0, "the location of an inlined call");
    }
    if !cx.locations.contains(&(inlined.file, inlined.line, inlined.column)) {
        let text = format!(
            "no earlier `.loc` specifies the location of the call, {} {} {}",
            inlined.file, inlined.line, inlined.column
        );
        cx.report(Diagnostic::error(codes::DEBUG_INFO, location.at.0, text));
    }
}
