//! Files, sections and the labels they name (manual 11.5).
//!
//! DWARF sections describe code by its labels. They are preserved if every name in them still exists; those that refer
//! to names that optimizers removed are dropped, and those that refer to these. Sections of strings have no references.

use rustc_hash::FxHashSet as HashSet;

use ptx_dwarf::string_lines;
use ptx_ir::{At, DebugFile, Item};
use ptx_isa::Since;
use ptx_llvm::marks;
use ptx_llvm::view::{FileId, LocationId};

use crate::context::ModuleContext;

/// `function_name` and `inlined_at` of `.loc`, with a label in a section (manual 11.5.4). `ptxas` of today accepts them from PTX 7.0 on
/// (`Construct::InlinedCall`); assemblers of that version are not documented to.
const INLINED: Since = Since::new(7, 2, 0);

/// A section, or all lines of `@@DWARF`.
struct Kept {
    /// The section's name; `None` for `@@DWARF`.
    name: Option<String>,
    lines: Vec<String>,
}

impl Kept {
    fn names(&self) -> impl Iterator<Item = (&str, bool)> {
        self.lines.iter().flat_map(|line| names(line))
    }
}

/// The names in a line of a section, and whether each is a label that the line defines.
fn names(line: &str) -> Vec<(&str, bool)> {
    let code = line.split("//").next().unwrap_or_default();
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.' | ':');
    let words = code.split(move |c| !part(c)).filter(|word| !word.is_empty());
    words
        .filter(|word| !matches!(*word, ".b8" | ".b16" | ".b32" | ".b64" | "@@DWARF" | ".byte" | ".4byte"))
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .map(|word| match word.strip_suffix(':') {
            Some(label) => (label, true),
            None => (word, false),
        })
        .collect()
}

impl ModuleContext<'_, '_> {
    /// `.file`: with the numbers of `!ptx.file`, others after them.
    pub(crate) fn files(&mut self) {
        let view = self.view;
        for &node in view.named(marks::FILE) {
            let parts = view.strings(node);
            let [number, path, stamp @ ..] = parts.as_slice() else { continue };
            let Ok(index) = number.parse::<u32>() else { continue };
            let stamp = match stamp {
                [time] => time.parse().ok().map(|time| (time, None)),
                [time, size] => time.parse().ok().zip(size.parse().ok().map(Some)),
                _ => None,
            };
            self.debug.highest = self.debug.highest.max(index);
            self.debug.numbers.entry((*path).to_owned()).or_insert(index);
            let name = self.ir.strings.intern(&plain(path));
            self.ir.items.push(Item::File(DebugFile { index, name, stamp }, At::default()));
        }
        for (at, file) in view.files().iter().enumerate() {
            let index = self.file_number(&file.directory, &file.name);
            self.debug.files.insert(FileId::new(at), index);
        }
        self.debug.string_labels = self.string_labels();
    }

    /// The number of a file, with its `.file` after the others when it is new.
    pub(crate) fn file_number(&mut self, directory: &str, name: &str) -> u32 {
        let joined = if directory.is_empty() || name.starts_with('/') {
            name.to_owned()
        } else {
            format!("{}/{name}", directory.trim_end_matches('/'))
        };
        if let Some(&index) = self.debug.numbers.get(&joined) {
            return index;
        }
        self.debug.highest += 1;
        let index = self.debug.highest;
        self.debug.names.insert(index, plain(name));
        let name = self.ir.strings.intern(&plain(&joined));
        self.debug.numbers.insert(joined, index);
        let place = self.ir.items.iter().rposition(|item| matches!(item, Item::File(..)));
        let file = Item::File(DebugFile { index, name, stamp: None }, At::default());
        self.ir.items.insert(place.map_or(0, |place| place + 1), file);
        index
    }

    fn kept_sections(&self) -> Vec<Kept> {
        let view = self.view;
        let mut found = Vec::new();
        for &node in view.named(marks::SECTION) {
            if let [name, text] = view.strings(node).as_slice() {
                let lines = text.lines().map(str::to_owned).collect();
                found.push(Kept { name: Some((*name).to_owned()), lines });
            }
        }
        let lines: Vec<String> =
            view.named(marks::DWARF).iter().flat_map(|&node| view.strings(node)).map(str::to_owned).collect();
        if !lines.is_empty() {
            found.push(Kept { name: None, lines });
        }
        found
    }

    fn string_labels(&self) -> HashSet<String> {
        let mut labels = HashSet::default();
        for section in self.kept_sections() {
            if section.names().all(|(_, is_defined)| is_defined) {
                labels.extend(section.names().map(|(name, _)| name.to_owned()));
                labels.extend(section.name);
            }
        }
        labels
    }

    /// Emits `.section` and `@@DWARF`, if the names that they refer to exist.
    pub(crate) fn sections(&mut self) {
        let mut sections = self.kept_sections();
        let own: HashSet<String> = sections.iter().filter_map(|section| section.name.clone()).collect();
        // Sections that the assembler generates, such as `.debug_line`, always exist.
        let foreign = |name: &str| name.starts_with('.') && !own.contains(name);
        loop {
            let mut known = self.debug.placed.clone();
            known.extend(self.symbol_names.iter().cloned());
            known.extend(self.ir.variables.iter().map(|variable| self.ir.name(variable.name).to_owned()));
            for section in &sections {
                known.extend(
                    section.names().filter(|(_, is_defined)| *is_defined).map(|(name, _)| name.to_owned()),
                );
                known.extend(section.name.clone());
            }
            let before = sections.len();
            sections.retain(|section| section.names().all(|(name, _)| foreign(name) || known.contains(name)));
            if sections.len() == before {
                break;
            }
        }
        // For ptxas any section makes the module debug code; whether it is must not depend on the sections that remain.
        if sections.is_empty() {
            self.target.drop_debug();
        }
        for section in sections {
            match section.name {
                Some(name) => self.dwarf_section(&name, section.lines),
                None => {
                    for line in section.lines {
                        let line = self.ir.strings.intern(&line);
                        self.ir.items.push(Item::DwarfLine(line));
                    }
                }
            }
        }
    }

    /// The label of the function that a location's code was inlined from, with its offset, where a section has it. Code that was
    /// not PTX gets a section with such names if its PTX version supports that.
    pub(crate) fn inlined_name(&mut self, id: LocationId) -> Option<(String, Option<u64>)> {
        let view = self.view;
        let name = view.location(id).function.as_deref()?;
        if !self.was_ptx() {
            return self.target.has_already(INLINED).then(|| (self.string_label(name), None));
        }
        let (label, offset) = match name.rsplit_once('+') {
            Some((label, offset)) => (label, Some(offset.parse().ok()?)),
            None => (name, None),
        };
        self.debug.string_labels.contains(label).then(|| (label.to_owned(), offset))
    }
}

impl ModuleContext<'_, '_> {
    /// The label of a function's name in `.debug_str`.
    fn string_label(&mut self, name: &str) -> String {
        let known = self.debug.string_numbers.get(name).and_then(|&number| self.debug.strings.get(number));
        if let Some((_, label)) = known {
            return label.clone();
        }
        let label = self.dwarf_label("info_string");
        self.debug.string_numbers.insert(name.to_owned(), self.debug.strings.len());
        self.debug.strings.push((name.to_owned(), label.clone()));
        label
    }

    /// `.debug_str`: the functions that locations name.
    pub(crate) fn strings_section(&mut self) {
        let strings = std::mem::take(&mut self.debug.strings);
        self.debug.string_numbers.clear();
        if !strings.is_empty() {
            let lines = string_lines(&strings);
            self.dwarf_section(".debug_str", lines);
        }
    }
}

/// A path as a string of PTX can hold it.
fn plain(path: &str) -> String {
    path.chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect()
}
