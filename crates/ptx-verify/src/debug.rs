//! Debug directives and pragmas (manual 11.5, 12).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{DebugFile, DebugLocation, Item, Module, Section, SectionLine, StrId};
use ptx_isa::Construct;
use rustc_hash::FxHashSet;

use crate::codes;
use crate::context::Checker;
use crate::targets::Target;

/// Checks a `.file`: its index is used once.
pub(crate) fn check_file(cx: &mut Checker<'_>, file: &DebugFile, span: Span) {
    if file.stamp.is_some() {
        cx.require_construct(Construct::FileStamp, span);
    }
    if let Some(first) = cx.files.insert(file.index, span) {
        let text = format!("the file index {} is used already", file.index);
        cx.report(Diagnostic::error(codes::DEBUG_INFO, span, text).with_related(first, "first used here"));
    }
}

/// Checks the strings of a `.pragma` outside a body that the manual describes only for bodies (manual 12). Unknown
/// strings are ignored, as the manual requires.
pub(crate) fn check_outer_pragma(cx: &mut Checker<'_>, strings: &[StrId], span: Span) {
    cx.require_construct(Construct::Pragma, span);
    let module = cx.module;
    for &string in strings {
        let word = module.name(string).trim_matches('"').split_whitespace().next();
        if let Some(word @ ("used_bytes_mask" | "enable_smem_spilling" | "frequency")) = word {
            let text = format!("the pragma `{word}` is only allowed in the body of a function");
            cx.report(Diagnostic::error(codes::PRAGMA, span, text));
        }
    }
}

/// Checks a `.section`: labels, sums, differences and negative numbers came later than sections (manual 11.5.2).
pub(crate) fn check_section(cx: &mut Checker<'_>, section: &Section) {
    cx.require_construct(Construct::Section, section.at.0);
    let module = cx.module;
    let later =
        [(':', Construct::SectionLabel), ('+', Construct::SectionSum), ('-', Construct::SectionDifference)];
    for (sign, construct) in later {
        let has = |line: &SectionLine| code(module.name(line.text)).contains(sign);
        if !cx.target.has(construct.since()) && section.lines.iter().any(has) {
            cx.require_construct(construct, section.at.0);
        }
    }
    if has_code_differences(cx.target, module.name(section.name)) {
        return;
    }
    let is_of_code = |name: &&str| !cx.section_labels.contains(name);
    let differences = section.lines.iter().flat_map(|line| differences(code(module.name(line.text))));
    if let Some(label) = differences.flatten().find(is_of_code) {
        let name = module.name(section.name);
        let text = format!("`{label}` is a label of code, of which `{name}` cannot have differences");
        let help = "write the address itself, or the difference in `.debug_info`";
        cx.report(Diagnostic::error(codes::DEBUG_INFO, section.at.0, text).with_help(help));
    }
}

/// Whether a section may have differences of the addresses of code. `ptxas` knows them only while it copies the first sections, and without
/// `debug` it does not copy most of the others.
fn has_code_differences(target: Target, section: &str) -> bool {
    matches!(section, ".debug_info" | ".debug_line")
        || !target.has_debug_information() && section != ".debug_str"
}

/// The names in each difference of two names that a line of a section has.
fn differences(line: &str) -> impl Iterator<Item = [&str; 2]> {
    let data = line.rsplit_once(':').map_or(line, |(_, data)| data).trim();
    let values = data.strip_prefix('.').and_then(|typed| typed.split_once(char::is_whitespace));
    let name =
        |text: &&str| text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'));
    values.into_iter().flat_map(|(_, values)| values.split(',')).filter_map(move |value| {
        let (from, to) = value.split_once('-')?;
        Some([from.trim(), to.trim()]).filter(|names| names.iter().all(name))
    })
}

/// The labels of all debug sections of a module.
pub(crate) fn section_labels(module: &Module) -> FxHashSet<&str> {
    let sections = module.items.iter().filter_map(|item| match item {
        Item::Section(section) => Some(section),
        _ => None,
    });
    let lines = sections.flat_map(|section| &section.lines);
    lines.filter_map(|line| Some(code(module.name(line.text)).split_once(':')?.0.trim())).collect()
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
        cx.require_construct(Construct::InlinedCall, location.at.0);
    }
    if !cx.locations.contains(&(inlined.file, inlined.line, inlined.column)) {
        let text = format!(
            "no earlier `.loc` specifies the location of the call, {} {} {}",
            inlined.file, inlined.line, inlined.column
        );
        cx.report(Diagnostic::error(codes::DEBUG_INFO, location.at.0, text));
    }
}
