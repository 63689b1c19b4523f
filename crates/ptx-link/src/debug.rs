//! Files, lines and DWARF sections of several units (manual 11.5).
//!
//! Files get numbers that hold for all units. Sections of one name become one, and the labels of later units new names. DWARF
//! data names files by numbers inside its bytes (`dwarf.rs`): where a unit's numbers change and its data cannot be read, it would be
//! wrong and is left out with a warning.

use std::collections::BTreeMap;

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{Body, DebugLocation, Imported, Item, Module, Section, SectionLine, Stmt, StrId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::code;
use crate::dwarf::{UnitData, merge_data};
use crate::symbols::Renamed;

const INFO: &str = ".debug_info";
const ABBREVIATIONS: &str = ".debug_abbrev";

/// Words of sections that are no names.
const TYPES: [&str; 4] = [".b8", ".b16", ".b32", ".b64"];

/// Makes the units' debug information one.
pub(crate) fn merge(
    module: &mut Module,
    parts: &mut [Imported],
    renamed: &Renamed,
    findings: &mut Diagnostics,
) {
    let numbers = files(parts);
    merge_data_of(module, parts, &numbers, findings);
    let mut known: FxHashSet<StrId> = FxHashSet::default();
    for (unit, part) in parts.iter_mut().enumerate() {
        let empty = FxHashMap::default();
        let words = new_words(module, part, unit, renamed.get(unit).unwrap_or(&empty), &known);
        known.extend(part.items.iter().filter_map(|item| match item {
            Item::Section(section) => Some(section.name),
            _ => None,
        }));
        rewrite(module, part, numbers.get(unit).unwrap_or(&FxHashMap::default()), &words);
    }
    join_sections(parts);
}

/// One table of files: the number of each unit's files in it. Files of a name and stamp are one.
fn files(parts: &mut [Imported]) -> Vec<FxHashMap<u32, u32>> {
    let mut table = FxHashMap::default();
    let mut taken: FxHashSet<u32> = FxHashSet::default();
    let all = parts.iter().flat_map(|part| &part.items);
    let highest = all.filter_map(|item| match item {
        Item::File(file, _) => Some(file.index),
        _ => None,
    });
    let mut next = highest.fold(0, u32::max);
    let mut maps = Vec::with_capacity(parts.len());
    for part in parts {
        let mut map = FxHashMap::default();
        part.items.retain_mut(|item| {
            let Item::File(file, _) = item else { return true };
            if let Some(known) = table.get(&(file.name, file.stamp)) {
                map.insert(file.index, *known);
                return false;
            }
            let old = file.index;
            // A program has fewer files than there are numbers, so that one is free.
            while !taken.insert(file.index) {
                next = next.wrapping_add(1);
                file.index = next;
            }
            map.insert(old, file.index);
            table.insert((file.name, file.stamp), file.index);
            true
        });
        maps.push(map);
    }
    maps
}

/// Puts the numbers that hold for all units into the data of each, and leaves out what cannot be changed.
fn merge_data_of(
    module: &mut Module,
    parts: &mut [Imported],
    numbers: &[FxHashMap<u32, u32>],
    findings: &mut Diagnostics,
) {
    let changes = |map: &FxHashMap<u32, u32>| map.iter().any(|(old, new)| old != new);
    for (part, map) in parts.iter_mut().zip(numbers) {
        let has_lines = part.items.iter().any(|item| matches!(item, Item::DwarfLine(_)));
        if has_lines && changes(map) {
            leave_out(module, part, findings);
        }
    }
    let texts: Vec<(String, String)> =
        parts.iter().map(|part| (text(module, part, INFO), text(module, part, ABBREVIATIONS))).collect();
    let used = texts.iter().filter(|(info, _)| !info.is_empty()).count();
    if used < 2 && !numbers.iter().zip(&texts).any(|(map, (info, _))| changes(map) && !info.is_empty()) {
        return;
    }
    let units: Vec<UnitData<'_>> = texts
        .iter()
        .zip(numbers)
        .map(|((info, abbreviations), map)| {
            let files = map.iter().map(|(old, new)| (u64::from(*old), u64::from(*new))).collect();
            UnitData { info, abbreviations, files }
        })
        .collect();
    let merged = merge_data(&units);
    // The first unit has the abbreviations of all.
    let mut abbreviations = merged.abbreviations;
    for ((part, info), unit) in parts.iter_mut().zip(merged.infos).zip(&units) {
        match info {
            Ok(_) if unit.info.is_empty() => {}
            Ok(info) => {
                replace(module, part, INFO, &info);
                replace(module, part, ABBREVIATIONS, &std::mem::take(&mut abbreviations));
            }
            Err(_) if unit.is_independent() => {}
            Err(_) => leave_out(module, part, findings),
        }
    }
}

/// The text of a unit's section.
fn text(module: &Module, part: &Imported, name: &str) -> String {
    let sections = part.items.iter().filter_map(|item| match item {
        Item::Section(section) if module.name(section.name) == name => Some(section),
        _ => None,
    });
    let lines = sections.flat_map(|section| &section.lines);
    lines.map(|line| format!("{}\n", module.name(line.text))).collect()
}

/// Gives a unit's section another text.
fn replace(module: &mut Module, part: &mut Imported, name: &str, text: &str) {
    let name = module.strings.intern(name);
    let mut lines: Vec<SectionLine> =
        text.lines().map(|line| SectionLine { text: module.strings.intern(line) }).collect();
    part.items.retain_mut(|item| match item {
        Item::Section(section) if section.name == name => {
            section.lines = std::mem::take(&mut lines);
            !section.lines.is_empty()
        }
        _ => true,
    });
}

/// Leaves out sections that hold numbers of files, and what names them.
fn leave_out(module: &Module, part: &mut Imported, findings: &mut Diagnostics) {
    let mut told = false;
    part.items.retain(|item| {
        let Item::Section(section) = item else { return !matches!(item, Item::DwarfLine(_)) };
        let strings = module.name(section.name) == ".debug_str";
        if !strings && !told {
            let text = "its numbers of files change, and it is not of a form in which they can be found, so this debug information is omitted";
            findings.push(Diagnostic::warning(code::DEBUG, section.at.0, text));
            told = true;
        }
        strings
    });
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split_once("//").map_or(line, |(code, _)| code);
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let words = code.split(move |c| !part(c)).filter(|word| !word.is_empty());
    words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && !TYPES.contains(word))
}

/// New names for what a unit's sections name: labels of later units, renamed symbols, and the starts of sections that an
/// earlier unit has begun.
fn new_words(
    module: &mut Module,
    part: &mut Imported,
    unit: usize,
    renamed: &FxHashMap<StrId, StrId>,
    known: &FxHashSet<StrId>,
) -> BTreeMap<String, String> {
    let mut words: BTreeMap<String, String> = BTreeMap::new();
    for (old, new) in renamed {
        words.insert(module.name(*old).to_owned(), module.name(*new).to_owned());
    }
    let symbols: FxHashSet<&str> = module
        .functions
        .iter()
        .map(|function| module.name(function.name))
        .chain(module.variables.iter().map(|variable| module.name(variable.name)))
        .collect();
    let mut starts = Vec::new();
    for item in &part.items {
        let Item::Section(section) = item else { continue };
        for line in &section.lines {
            for word in words_of(module.name(line.text)) {
                if unit > 0 && !word.starts_with('.') && !symbols.contains(word) {
                    words.entry(word.to_owned()).or_insert_with(|| format!("{word}_{unit}"));
                }
            }
        }
        if known.contains(&section.name) {
            starts.push(section.name);
        }
    }
    for name in starts {
        let text = module.name(name).to_owned();
        let label = format!("$L__start{}_{unit}", text.replace('.', "_"));
        words.insert(text, label.clone());
        let line = module.strings.intern(&format!("{label}:"));
        for item in &mut part.items {
            if let Item::Section(section) = item
                && section.name == name
            {
                section.lines.insert(0, SectionLine { text: line });
            }
        }
    }
    words
}

/// Puts new names and numbers where the old ones are.
fn rewrite(
    module: &mut Module,
    part: &mut Imported,
    numbers: &FxHashMap<u32, u32>,
    words: &BTreeMap<String, String>,
) {
    let new: FxHashMap<StrId, StrId> =
        words.iter().map(|(old, new)| (module.strings.intern(old), module.strings.intern(new))).collect();
    for item in &mut part.items {
        match item {
            Item::Section(section) => {
                for line in &mut section.lines {
                    let text = replaced(module.name(line.text), words);
                    if let Some(text) = text {
                        line.text = module.strings.intern(&text);
                    }
                }
            }
            Item::Location(location) => relocate(location, numbers, &new),
            _ => {}
        }
    }
    for id in part.functions.clone() {
        if let Some(body) = &mut module.functions[id as usize].body {
            rewrite_body(body, numbers, &new);
        }
    }
}

fn rewrite_body(body: &mut Body, numbers: &FxHashMap<u32, u32>, new: &FxHashMap<StrId, StrId>) {
    for statement in &mut body.statements {
        if let Stmt::Location(location) = statement {
            relocate(location, numbers, new);
        }
    }
    for label in &mut body.labels {
        label.name = new.get(&label.name).copied().unwrap_or(label.name);
    }
}

fn relocate(location: &mut DebugLocation, numbers: &FxHashMap<u32, u32>, new: &FxHashMap<StrId, StrId>) {
    location.file = numbers.get(&location.file).copied().unwrap_or(location.file);
    if let Some(inlined) = &mut location.inlined {
        inlined.file = numbers.get(&inlined.file).copied().unwrap_or(inlined.file);
        inlined.name = new.get(&inlined.name).copied().unwrap_or(inlined.name);
    }
}

/// A line with new names; `None` when none is in it.
fn replaced(line: &str, words: &BTreeMap<String, String>) -> Option<String> {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    let mut changed = false;
    for word in words_of(line) {
        let Some(new) = words.get(word) else { continue };
        // The words are in the order of the line.
        let Some((before, after)) = rest.split_once(word) else {
            debug_assert!(false, "`{word}` is not in `{rest}`");
            continue;
        };
        text.push_str(before);
        text.push_str(new);
        rest = after;
        changed = true;
    }
    text.push_str(rest);
    changed.then_some(text)
}

/// Sections of one name are at the place of the first of them.
fn join_sections(parts: &mut [Imported]) {
    let mut joined: FxHashMap<StrId, Vec<SectionLine>> = FxHashMap::default();
    let mut order: FxHashSet<StrId> = FxHashSet::default();
    for part in parts.iter_mut() {
        part.items.retain_mut(|item| {
            let Item::Section(Section { name, lines, .. }) = item else { return true };
            joined.entry(*name).or_default().append(lines);
            order.insert(*name)
        });
    }
    for item in parts.iter_mut().flat_map(|part| &mut part.items) {
        if let Item::Section(section) = item {
            let lines = joined.remove(&section.name);
            debug_assert!(lines.is_some(), "a section is joined once");
            section.lines.extend(lines.into_iter().flatten());
        }
    }
}
