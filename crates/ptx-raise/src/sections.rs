//! The DWARF sections of modules that were PTX (manual 11.5.4).
//!
//! Sections describe code by its labels. Those of a module are preserved if everything in them still exists; those that refer to
//! code or variables that optimizers removed are dropped, and those that refer to these. Sections of strings have no references.
//!
//! Linked modules each have their own sections (`SectionUnit`), and sections of one name become one. Where a later unit counts from
//! the start of such a section, the bytes of the earlier units are added; a label there instead makes `ptxas` ignore all data:
//!
//! ```text
//! .section .debug_info { .. .b32 .debug_loc+131 .. .b32 .debug_loc+393 .. }
//! ```

use std::rc::Rc;

use ptx_ir::{Item, Param, Stmt, StrId};
use ptx_link::{UnitData, data_size, merge_data};
use ptx_llvm_core::debug_marks::{self, SectionPart, SectionUnit};
use ptx_llvm_core::view::{FileId, FunctionId, MetadataId, Symbol};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::context::ModuleContext;
use crate::error::SECTIONS;
use crate::names;

/// The name of the section that `@@DWARF` lines are.
const DWARF_LINES: &str = "@@DWARF";

/// The section of what the code is made from.
const INFO: &str = ".debug_info";

/// The section of the forms of its entries.
const ABBREVIATIONS: &str = ".debug_abbrev";

/// The section of strings.
const STRINGS: &str = ".debug_str";

/// Words of sections that begin with a dot and are no names of sections.
const DIRECTIVES: [&str; 8] = [".b8", ".b16", ".b32", ".b64", ".byte", ".4byte", ".2byte", ".8byte"];

/// A section with names for everything that it refers to.
struct Kept {
    name: String,
    parts: Vec<Part>,
    /// A symbol in it was removed.
    is_broken: bool,
}

/// A part of its text.
enum Part {
    Text(String),
    /// A label that it defines.
    Defined(MetadataId),
    /// A label that it refers to.
    Used(MetadataId),
}

/// The functions' parameters and variables by name, for those functions that sections mention.
type Locals = HashMap<FunctionId, Rc<HashSet<StrId>>>;

/// The words of a text that begin with a dot and can be names of sections, with their positions; comments have none.
fn section_words(text: &str) -> Vec<(usize, &str)> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or(line);
        let mut at = 0;
        while let Some(begin) = code.get(at..).and_then(|rest| rest.find(part)).map(|begin| at + begin) {
            let (_, rest) = code.split_at(begin);
            let word = rest.split_once(|c| !part(c)).map_or(rest, |(word, _)| word);
            at = begin + word.len();
            if word.starts_with('.') && !DIRECTIVES.contains(&word) {
                found.push((start + begin, word));
            }
        }
        start += line.len();
    }
    found
}

/// Whether the part after a label makes it the definition.
fn is_definition(next: Option<&SectionPart<'_>>) -> bool {
    matches!(next, Some(SectionPart::Text(text)) if text.trim_start().starts_with(':'))
}

impl ModuleContext<'_, '_> {
    /// Names the labels of all sections, and finds the strings in them.
    pub(crate) fn name_labels(&mut self) {
        let view = self.view;
        let mut repeats = HashMap::default();
        for section in debug_marks::section_units(view).iter().flat_map(|unit| &unit.sections) {
            for part in &section.parts {
                let SectionPart::Label(id) = *part else { continue };
                if self.debug.labels.contains_key(&id) {
                    continue;
                }
                let Some(own) = debug_marks::label_name(view, id) else {
                    debug_assert!(false, "a label without a name");
                    continue;
                };
                let own = names::escape(own).into_owned();
                let is_taken =
                    |name: &str| self.debug.label_names.contains(name) || self.symbol_names.contains(name);
                let name = names::numbered(own, &mut repeats, is_taken);
                self.debug.label_names.insert(name.clone());
                self.debug.labels.insert(id, name);
            }
            self.note_strings(section);
        }
    }

    /// Notes the labels and strings of a section that refers to nothing.
    fn note_strings(&mut self, section: &debug_marks::Section<'_>) {
        let parts = &section.parts;
        let is_plain = |(at, part): (usize, &SectionPart<'_>)| match part {
            SectionPart::Text(text) => section_words(text).is_empty(),
            SectionPart::Label(_) => is_definition(parts.get(at + 1)),
            SectionPart::Symbol(_) | SectionPart::Local(..) | SectionPart::Removed => false,
        };
        if !parts.iter().enumerate().all(is_plain) {
            return;
        }
        let mut label = None;
        for part in parts {
            match part {
                SectionPart::Label(id) => {
                    self.debug.string_labels.insert(*id);
                    if let Some(text) = debug_marks::label_name(self.view, *id) {
                        let known = self.debug.stated_labels.entry(text.to_owned()).or_insert(Some(*id));
                        *known = known.filter(|known| known == id);
                    }
                    label = Some(*id);
                }
                SectionPart::Text(text) => {
                    let Some(label) = label else { continue };
                    for (offset, string) in strings(text) {
                        let known = *self.debug.known_strings.entry(string).or_insert((label, offset));
                        self.debug.first_strings.insert((label, offset), known);
                    }
                }
                SectionPart::Symbol(_) | SectionPart::Local(..) | SectionPart::Removed => {}
            }
        }
    }

    /// Emits `.section` and `@@DWARF`, if what they refer to exists.
    pub(crate) fn sections(&mut self) {
        let units = debug_marks::section_units(self.view);
        let mut locals = Locals::default();
        let mut texts: Vec<Vec<(String, String)>> = Vec::with_capacity(units.len());
        for unit in &units {
            let mut kept: Vec<Kept> =
                unit.sections.iter().map(|section| self.kept(section, &mut locals)).collect();
            self.drop_dangling(&mut kept);
            texts.push(self.texts(kept));
        }
        // For ptxas any section makes the module debug code; whether it is must not depend on the sections that remain.
        if texts.iter().all(Vec::is_empty) {
            self.target.drop_debug();
        }
        self.merge_data(&units, &mut texts);
        let mut sizes = HashMap::default();
        for unit in texts {
            self.append_unit(unit, &mut sizes);
        }
    }

    fn kept(&mut self, section: &debug_marks::Section<'_>, locals: &mut Locals) -> Kept {
        let mut kept = Kept { name: section.name.to_owned(), parts: Vec::new(), is_broken: false };
        for (at, part) in section.parts.iter().enumerate() {
            let name = match *part {
                SectionPart::Text(text) => Some(text.to_owned()),
                SectionPart::Label(id) => {
                    let is_defined = is_definition(section.parts.get(at + 1));
                    kept.parts.push(if is_defined { Part::Defined(id) } else { Part::Used(id) });
                    continue;
                }
                SectionPart::Symbol(symbol) => self.symbol_text(symbol),
                SectionPart::Local(function, name) => self.local_text(function, name, locals),
                SectionPart::Removed => None,
            };
            kept.is_broken |= name.is_none();
            kept.parts.extend(name.map(Part::Text));
        }
        kept
    }

    /// The name of a symbol, if it is in the module.
    fn symbol_text(&self, symbol: Symbol) -> Option<String> {
        let (symbol, _, 0) = self.symbol(symbol).ok()? else { return None };
        let name = match symbol {
            ptx_ir::Symbol::Variable(id) => self.ir.variable(id).name,
            ptx_ir::Symbol::Function(id) => self.ir.function(id).name,
        };
        Some(self.ir.name(name).to_owned())
    }

    /// The name of a function's parameter or variable, if the function has it.
    fn local_text(&self, function: FunctionId, name: &str, locals: &mut Locals) -> Option<String> {
        let own = locals.entry(function).or_insert_with(|| Rc::new(self.locals(function)));
        let renamed = self.debug.renamed.get(&(function, name.to_owned()));
        let name = renamed.map_or(name, String::as_str);
        self.ir.strings.find(name).is_some_and(|id| own.contains(&id)).then(|| name.to_owned())
    }

    fn locals(&self, function: FunctionId) -> HashSet<StrId> {
        let mut names = HashSet::default();
        let Some(&id) = self.debug.definitions.get(&function) else { return names };
        let function = self.ir.function(id);
        for param in &function.params {
            if let Param::Variable(var) = param {
                names.insert(self.ir.variable(*var).name);
            }
        }
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            if let Stmt::Variable(var) = statement {
                names.insert(self.ir.variable(*var).name);
            }
        }
        names
    }

    /// Removes sections that refer to something that does not exist, until none does.
    fn drop_dangling(&self, sections: &mut Vec<Kept>) {
        let own: HashSet<String> = sections.iter().map(|section| section.name.clone()).collect();
        loop {
            let mut defined: HashSet<MetadataId> = HashSet::default();
            let mut present: HashSet<String> = HashSet::default();
            for section in sections.iter() {
                present.insert(section.name.clone());
                defined.extend(section.parts.iter().filter_map(|part| match part {
                    Part::Defined(id) => Some(*id),
                    Part::Text(_) | Part::Used(_) => None,
                }));
            }
            // Sections that the assembler generates, such as `.debug_line`, always exist.
            let exists = |word: &str| !own.contains(word) || present.contains(word);
            let resolves = |part: &Part| match part {
                Part::Text(text) => section_words(text).iter().all(|(_, word)| exists(word)),
                Part::Used(id) => self.debug.placed.contains(id) || defined.contains(id),
                Part::Defined(_) => true,
            };
            let before = sections.len();
            sections.retain(|section| !section.is_broken && section.parts.iter().all(resolves));
            if sections.len() == before {
                return;
            }
        }
    }

    /// A unit's sections as text.
    fn texts(&self, sections: Vec<Kept>) -> Vec<(String, String)> {
        let one = |section: Kept| {
            let mut text = String::new();
            for part in &section.parts {
                match part {
                    Part::Defined(id) | Part::Used(id) => {
                        let name = self.label_name(*id);
                        debug_assert!(name.is_some(), "a label of a section that has no name");
                        text.extend(name);
                    }
                    Part::Text(own) => text.push_str(own),
                }
            }
            (section.name, text)
        };
        sections.into_iter().map(one).collect()
    }

    /// The numbers of files that differ from those in a unit's sections.
    fn changed_files(&self, unit: &SectionUnit<'_>) -> std::collections::HashMap<u64, u64> {
        let new = |(file, number): &(FileId, u32)| {
            let new = *self.debug.files.get(file)?;
            (new != *number).then_some((u64::from(*number), u64::from(new)))
        };
        unit.files.iter().filter_map(new).collect()
    }

    /// Changes the data of the units so that it holds in one module, and removes what cannot be changed.
    fn merge_data(&mut self, units: &[SectionUnit<'_>], texts: &mut [Vec<(String, String)>]) {
        let text = |sections: &[(String, String)], name: &str| -> String {
            sections.iter().filter(|(own, _)| own == name).map(|(_, text)| text.as_str()).collect()
        };
        let pairs: Vec<(String, String)> =
            texts.iter().map(|sections| (text(sections, INFO), text(sections, ABBREVIATIONS))).collect();
        let mut data = Vec::with_capacity(units.len());
        for (unit, (info, abbreviations)) in units.iter().zip(&pairs) {
            data.push(UnitData { info, abbreviations, files: self.changed_files(unit) });
        }
        let described = data.iter().filter(|unit| !unit.info.is_empty()).count();
        let has_lines = |sections: &[(String, String)]| sections.iter().any(|(name, _)| name == DWARF_LINES);
        let changes = data
            .iter()
            .zip(&*texts)
            .any(|(unit, texts)| !unit.files.is_empty() && (!unit.info.is_empty() || has_lines(texts)));
        if described < 2 && !changes {
            return;
        }
        let merged = merge_data(&data);
        // The first unit has the abbreviations of all.
        let mut abbreviations = merged.abbreviations;
        let mut is_complete = true;
        for ((sections, info), unit) in texts.iter_mut().zip(merged.infos).zip(&data) {
            let is_readable = unit.files.is_empty() || !has_lines(sections);
            match info {
                Ok(_) if is_readable && unit.info.is_empty() => {}
                Ok(info) if is_readable => {
                    replace(sections, INFO, info);
                    replace(sections, ABBREVIATIONS, std::mem::take(&mut abbreviations));
                }
                Err(_) if is_readable && unit.is_independent() => {}
                _ => {
                    is_complete = false;
                    sections.retain(|(name, _)| name == STRINGS);
                }
            }
        }
        if !is_complete {
            let message = "debug information is omitted that names files by number, in a form other than DWARF 2 to 4 or without \
                           room for the numbers after linking";
            self.warn(SECTIONS, message.to_owned(), "link the device code after compiling it");
        }
    }

    /// Emits the sections of one unit. `sizes` has the bytes of the sections so far, `None` where they cannot be counted.
    fn append_unit(&mut self, texts: Vec<(String, String)>, sizes: &mut HashMap<String, Option<u64>>) {
        // All units have one table of abbreviations.
        let begun = sizes.iter().filter(|(name, size)| *name != ABBREVIATIONS && **size != Some(0));
        let begun: HashMap<String, Option<u64>> = begun.map(|(name, size)| (name.clone(), *size)).collect();
        let own: HashSet<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
        let is_countable = |(_, text): &(String, String)| {
            let refers = |(_, word): &(usize, &str)| own.contains(word) && begun.get(*word) == Some(&None);
            !section_words(text).iter().any(refers)
        };
        if !texts.iter().all(is_countable) {
            let message = "debug information is omitted that refers to the start of a section with data other than numbers";
            self.warn(SECTIONS, message.to_owned(), "link the device code after compiling it");
            return;
        }
        let texts: Vec<(String, String)> =
            texts.iter().map(|(name, text)| (name.clone(), with_starts(text, &begun))).collect();
        for (name, text) in texts {
            let size = sizes.entry(name.clone()).or_insert(Some(0));
            *size = size.zip(data_size(&text)).map(|(before, own)| before + own);
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            if name == DWARF_LINES {
                self.dwarf_lines(&lines);
            } else {
                self.dwarf_section(&name, lines);
            }
        }
    }

    /// `@@DWARF` lines, which change between sections themselves: those of several modules cannot follow one another.
    fn dwarf_lines(&mut self, lines: &[String]) {
        if self.ir.items.iter().rev().any(|item| matches!(item, Item::DwarfLine(_))) {
            let message = "the `@@DWARF` lines of all linked modules but one are omitted".to_owned();
            return self.warn(SECTIONS, message, "`.section` can be linked");
        }
        for line in lines {
            let line = self.ir.strings.intern(line);
            self.ir.items.push(Item::DwarfLine(line));
        }
    }
}

/// Gives a unit's section another text, or removes it.
fn replace(sections: &mut Vec<(String, String)>, name: &str, mut text: String) {
    sections.retain_mut(|(own, old)| {
        if own != name {
            return true;
        }
        *old = std::mem::take(&mut text);
        !old.is_empty()
    });
}

/// A text in which the names of sections that have begun have the bytes before the text's own part added.
fn with_starts(own: &str, begun: &HashMap<String, Option<u64>>) -> String {
    let mut text = String::with_capacity(own.len());
    let mut rest = own;
    for (at, word) in section_words(own) {
        let Some(&Some(before)) = begun.get(word) else { continue };
        let done = own.len() - rest.len();
        let (named, after) = rest.split_at(at + word.len() - done);
        text.push_str(named);
        let digits = after
            .strip_prefix('+')
            .map(|added| added.split_once(|c: char| !c.is_ascii_digit()).map_or(added, |(digits, _)| digits));
        let place;
        (place, rest) = match digits.and_then(|digits| Some((digits, digits.parse::<u64>().ok()?))) {
            Some((digits, added)) => (before + added, after.split_at(1 + digits.len()).1),
            None => (before, after),
        };
        text += &format!("+{place}");
    }
    text.push_str(rest);
    text
}

/// The strings in the lines of a section's text, each with the bytes before it.
fn strings(text: &str) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut string: Option<Vec<u8>> = Some(Vec::new());
    for line in text.trim_start().strip_prefix(':').unwrap_or(text).lines() {
        let code = line.split("//").next().unwrap_or(line).trim();
        let Some(numbers) = code.strip_prefix(".b8") else {
            if code.is_empty() {
                continue;
            }
            // Other data is not of strings, and its size is not of interest.
            break;
        };
        for number in numbers.split(',') {
            at += 1;
            match number.trim().parse::<u8>() {
                Ok(0) => {
                    let text = string.replace(Vec::new()).and_then(|bytes| String::from_utf8(bytes).ok());
                    found.extend(text.filter(|text| !text.is_empty()).map(|text| (start, text)));
                    start = at;
                }
                Ok(byte) => {
                    if let Some(bytes) = &mut string {
                        bytes.push(byte);
                    }
                }
                Err(_) => string = None,
            }
        }
    }
    found
}
