//! DWARF sections (manual 11.5.4) as metadata: text in which symbols and labels are nodes ([`ptx_llvm_core::debug_marks::SectionPart`]).

use ptx_ir::{Item, Module, StrId};
use ptx_llvm_core::build::{Metadata, Types};
use ptx_llvm_core::debug_marks;
use rustc_hash::{FxHashMap, FxHashSet};

/// A file of the source.
#[derive(Clone, Copy)]
pub(crate) struct SourceFile<'m, 'c> {
    pub(crate) path: &'m str,
    pub(crate) node: Metadata<'c>,
}

/// The name of the section that `@@DWARF` lines are.
const DWARF_LINES: &str = "@@DWARF";

/// The longest name of a function.
const LONGEST_NAME: usize = 4096;

/// The sections of a module.
#[derive(Default)]
pub(crate) struct Sections<'m, 'c> {
    /// The labels that sections define, or that are in code and that sections name.
    labels: FxHashMap<&'m str, Metadata<'c>>,
    strings: Strings<'m>,
}

/// The bytes of all sections, as far as their lines have them.
#[derive(Default)]
struct Strings<'m> {
    bytes: Vec<Option<u8>>,
    /// Where each label is.
    labels: FxHashMap<&'m str, usize>,
}

/// The sections by name, each with the texts of its lines.
pub(crate) fn texts(module: &Module) -> Vec<(&str, Vec<StrId>)> {
    let mut found: Vec<(&str, Vec<StrId>)> = Vec::new();
    let mut dwarf = Vec::new();
    for item in &module.items {
        match item {
            Item::Section(section) => {
                let lines = section.lines.iter().map(|line| line.text).collect();
                found.push((module.name(section.name), lines));
            }
            Item::DwarfLine(text) => dwarf.push(*text),
            _ => {}
        }
    }
    if !dwarf.is_empty() {
        found.push((DWARF_LINES, dwarf));
    }
    found
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or(line)
}

/// The words of a line that can be names, with their positions. A dot begins a directive or a section's name.
pub(crate) fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let mut words = Vec::new();
    let mut begin = None;
    let code = code(line);
    for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
        match (begin, part(c)) {
            (None, true) => begin = Some(at),
            (Some(start), false) => {
                begin = None;
                words.extend(code.get(start..at).map(|word| (start, word)));
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    words.into_iter().filter(|(_, word)| !word.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

impl<'m, 'c> Sections<'m, 'c> {
    pub(crate) fn of(module: &'m Module, types: Types<'c>) -> Self {
        let mut sections = Self::default();
        let mut named: FxHashSet<&str> = FxHashSet::default();
        for (_, lines) in texts(module) {
            for line in lines {
                let line = module.name(line);
                named.extend(words(line).map(|(_, word)| word));
                if let Some(label) = sections.strings.add(line) {
                    sections.labels.entry(label).or_insert_with(|| debug_marks::label(types, label));
                }
            }
            // No string continues in another section.
            sections.strings.bytes.push(None);
        }
        if named.is_empty() {
            return sections;
        }
        for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
            let labels = body.labels.iter().map(|label| module.name(label.name));
            for label in labels.filter(|label| named.contains(label)) {
                sections.labels.entry(label).or_insert_with(|| debug_marks::label(types, label));
            }
        }
        sections
    }

    /// The node of a label that sections name.
    pub(crate) fn label(&self, name: &str) -> Option<Metadata<'c>> {
        self.labels.get(name).copied()
    }

    /// The string at a label of a section, with bytes added, if it is a string from its beginning.
    pub(crate) fn string(&self, label: &str, offset: u64) -> Option<String> {
        let at = self.strings.labels.get(label)?.checked_add(usize::try_from(offset).ok()?)?;
        let before = at.checked_sub(1).and_then(|before| self.strings.bytes.get(before)).copied();
        if offset > 0 && before != Some(Some(0)) {
            return None;
        }
        let bytes = self.strings.bytes.get(at..)?.iter();
        let text: Option<Vec<u8>> =
            bytes.take(LONGEST_NAME).take_while(|byte| **byte != Some(0)).copied().collect();
        String::from_utf8(text?).ok().filter(|text| !text.is_empty())
    }
}

impl<'m> Strings<'m> {
    /// Appends what a line states, and returns the label it defines.
    fn add(&mut self, line: &'m str) -> Option<&'m str> {
        let code = code(line);
        let (label, data) = match code.split_once(':') {
            Some((label, data)) => (Some(label.trim()), data),
            None => (None, code),
        };
        if let Some(label) = label {
            self.labels.entry(label).or_insert(self.bytes.len());
        }
        match data.trim().strip_prefix(".b8") {
            Some(numbers) => {
                self.bytes.extend(numbers.split(',').map(|number| number.trim().parse::<u8>().ok()));
            }
            None if data.trim().is_empty() => {}
            None => self.bytes.push(None),
        }
        label
    }
}
