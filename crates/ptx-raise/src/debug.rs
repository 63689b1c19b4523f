//! Files, sections and the labels they name (manual 11.5).
//!
//! DWARF sections describe code by its labels. They come back as they were as long as every name in them is still there;
//! those that name what optimizers removed are left out, and those that name these. Sections of strings name nothing.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use ptx_ir::{At, DebugFile, Item, Section, SectionLine};
use ptx_llvm::view::{FileId, LocationId};

use crate::module::ModuleRaiser;

/// A section, or all lines of `@@DWARF`.
struct Kept {
    /// The section's name; `None` for `@@DWARF`.
    name: Option<String>,
    lines: Vec<String>,
}

/// What the module's debug information says beside its locations.
#[derive(Debug, Default)]
pub(crate) struct DebugTables {
    /// The number of each file of the view.
    files: HashMap<FileId, u32>,
    /// Labels of sections that name nothing else: what `function_name` can stand for.
    pub(crate) string_labels: HashSet<String>,
    /// Labels of code that were placed: sections may name them.
    pub(crate) placed: HashSet<String>,
}

impl DebugTables {
    /// The number of the file of a location.
    pub(crate) fn file_of(&self, file: FileId) -> u32 {
        self.files.get(&file).copied().unwrap_or(file.index() as u32 + 1)
    }
}

/// The names in a line of a section, and whether each is a label that stands there.
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

impl ModuleRaiser<'_, '_> {
    /// `.file`: with the numbers of `!ptx.file`, others after them.
    pub(crate) fn files(&mut self) {
        let view = self.view;
        let mut numbers: HashMap<String, u32> = HashMap::default();
        let mut highest = 0;
        for &node in view.named("ptx.file") {
            let parts = view.strings(node);
            let [number, path, stamp @ ..] = parts.as_slice() else { continue };
            let Ok(index) = number.parse::<u32>() else { continue };
            let stamp = match stamp {
                [time] => time.parse().ok().map(|time| (time, None)),
                [time, size] => time.parse().ok().zip(size.parse().ok().map(Some)),
                _ => None,
            };
            highest = highest.max(index);
            numbers.entry((*path).to_owned()).or_insert(index);
            let name = self.ir.strings.intern(&plain(path));
            self.ir.items.push(Item::File(DebugFile { index, name, stamp }, At::default()));
        }
        for (at, file) in view.files().iter().enumerate() {
            let joined = if file.directory.is_empty() || file.name.starts_with('/') {
                file.name.clone()
            } else {
                format!("{}/{}", file.directory.trim_end_matches('/'), file.name)
            };
            let index = match numbers.get(&joined) {
                Some(index) => *index,
                None => {
                    highest += 1;
                    numbers.insert(joined.clone(), highest);
                    let name = self.ir.strings.intern(&plain(&joined));
                    let file = DebugFile { index: highest, name, stamp: None };
                    self.ir.items.push(Item::File(file, At::default()));
                    highest
                }
            };
            self.debug.files.insert(FileId::new(at), index);
        }
        self.debug.string_labels = self.string_labels();
    }

    fn kept_sections(&self) -> Vec<Kept> {
        let view = self.view;
        let mut found = Vec::new();
        for &node in view.named("ptx.section") {
            if let [name, text] = view.strings(node).as_slice() {
                let lines = text.lines().map(str::to_owned).collect();
                found.push(Kept { name: Some((*name).to_owned()), lines });
            }
        }
        let lines: Vec<String> =
            view.named("ptx.dwarf").iter().flat_map(|&node| view.strings(node)).map(str::to_owned).collect();
        if !lines.is_empty() {
            found.push(Kept { name: None, lines });
        }
        found
    }

    fn string_labels(&self) -> HashSet<String> {
        let mut labels = HashSet::default();
        for section in self.kept_sections() {
            let names: Vec<(&str, bool)> = section.lines.iter().flat_map(|line| names(line)).collect();
            if names.iter().all(|(_, stands)| *stands) {
                labels.extend(names.iter().map(|(name, _)| (*name).to_owned()));
                labels.extend(section.name);
            }
        }
        labels
    }

    /// `.section` and `@@DWARF`, as far as what they name is there.
    pub(crate) fn sections(&mut self) {
        let mut sections = self.kept_sections();
        let own: HashSet<String> = sections.iter().filter_map(|section| section.name.clone()).collect();
        // Sections that the assembler makes, such as `.debug_line`, are always there.
        let foreign = |name: &str| name.starts_with('.') && !own.contains(name);
        loop {
            let mut known = self.debug.placed.clone();
            known.extend(self.symbol_names.iter().cloned());
            for section in &sections {
                let labels = section.lines.iter().flat_map(|line| names(line));
                known.extend(labels.filter(|(_, stands)| *stands).map(|(name, _)| name.to_owned()));
                known.extend(section.name.clone());
            }
            let before = sections.len();
            sections.retain(|section| {
                section
                    .lines
                    .iter()
                    .flat_map(|line| names(line))
                    .all(|(name, _)| foreign(name) || known.contains(name))
            });
            if sections.len() == before {
                break;
            }
        }
        if !sections.iter().any(|section| section.name.as_deref().is_none_or(|name| name == ".debug_info")) {
            self.target.drop_debug();
        }
        for section in sections {
            match section.name {
                Some(name) => {
                    let name = self.ir.strings.intern(&name);
                    let lines = section.lines.iter();
                    let lines =
                        lines.map(|line| SectionLine { text: self.ir.strings.intern(line) }).collect();
                    self.ir.items.push(Item::Section(Section { name, lines, at: At::default() }));
                }
                None => {
                    for line in section.lines {
                        let line = self.ir.strings.intern(&line);
                        self.ir.items.push(Item::DwarfLine(line));
                    }
                }
            }
        }
    }

    /// The label of the function that a location's code was inlined from, with its offset, where a section has it.
    pub(crate) fn inlined_name(&self, id: LocationId) -> Option<(String, Option<u64>)> {
        let name = self.view.location(id).function.as_deref()?;
        let (label, offset) = match name.rsplit_once('+') {
            Some((label, offset)) => (label, Some(offset.parse().ok()?)),
            None => (name, None),
        };
        self.debug.string_labels.contains(label).then(|| (label.to_owned(), offset))
    }
}

/// A path as a string of PTX can hold it.
fn plain(path: &str) -> String {
    path.chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect()
}
