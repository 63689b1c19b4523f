//! Files, and the names of functions that were inlined (manual 11.5).

use ptx_dwarf::string_lines;
use ptx_ir::{At, DebugFile, Item};
use ptx_isa::Since;
use ptx_llvm_core::view::{FileId, LocationId, MetadataId};
use ptx_llvm_core::{debug_marks, marks};

use crate::context::ModuleContext;

/// `function_name` and `inlined_at` of `.loc`, with a label in a section (manual 11.5.4). `ptxas` of today accepts them from PTX 7.0 on
/// (`Construct::InlinedCall`); assemblers of that version are not documented to.
const INLINED: Since = Since::new(7, 2, 0);

impl ModuleContext<'_, '_> {
    /// `.file`: with the numbers of `!ptx.file` as far as they differ, others after them.
    pub(crate) fn files(&mut self) {
        let view = self.view;
        for &node in view.named(marks::FILE) {
            if let Some(file) = debug_marks::File::read(view, node) {
                self.stated_file(&file);
            }
        }
        for file in view.files() {
            self.file_number(file);
        }
        self.name_labels();
    }

    /// A file of `!ptx.file`. In linked modules a file may be listed several times, and different files may have the same number.
    fn stated_file(&mut self, stated: &debug_marks::File<'_, FileId>) {
        let debug_marks::File { file, number, path, time, size } = *stated;
        if self.debug.files.contains_key(&file) {
            return;
        }
        let index = match self.debug.numbers.get(path) {
            Some(&known) => known,
            None => {
                let index = self.debug.number(Some(number));
                self.debug.numbers.insert(path.to_owned(), index);
                let name = self.ir.strings.intern(&plain(path));
                let stamp = time.map(|time| (time, size));
                self.ir.items.push(Item::File(DebugFile { index, name, stamp }, At::default()));
                index
            }
        };
        self.debug.files.insert(file, index);
    }

    /// The number of a file, with its `.file` after the others when it is new.
    pub(crate) fn file_number(&mut self, file: FileId) -> u32 {
        if let Some(&index) = self.debug.files.get(&file) {
            return index;
        }
        let index = self.path_number(file);
        self.debug.files.insert(file, index);
        index
    }

    fn path_number(&mut self, file: FileId) -> u32 {
        let path = self.view.file(file);
        let joined = if path.directory.is_empty() || path.name.starts_with('/') {
            path.name.clone()
        } else {
            format!("{}/{}", path.directory.trim_end_matches('/'), path.name)
        };
        if let Some(&index) = self.debug.numbers.get(&joined) {
            return index;
        }
        let index = self.debug.number(None);
        self.debug.names.insert(index, plain(&path.name));
        let name = self.ir.strings.intern(&plain(&joined));
        self.debug.numbers.insert(joined, index);
        let last = self.ir.items.iter().rposition(|item| matches!(item, Item::File(..)));
        let file = Item::File(DebugFile { index, name, stamp: None }, At::default());
        let place = match last {
            Some(last) => last + 1,
            // The first file precedes everything that can name it.
            None => 0,
        };
        self.ir.items.insert(place, file);
        index
    }

    /// The name of a label of code or of a section; `None` for a label of a block.
    pub(crate) fn label_name(&self, label: MetadataId) -> Option<&str> {
        self.debug.labels.get(&label).map(String::as_str)
    }

    /// The label of the function that a location's code was inlined from, with its offset. A name that no section has gets a section if
    /// the PTX version supports that.
    pub(crate) fn inlined_name(&mut self, id: LocationId) -> Option<(String, Option<u64>)> {
        let view = self.view;
        let name = view.location(id).function.as_deref()?;
        if let Some(&(label, offset)) = self.debug.known_strings.get(name) {
            return Some((self.label_name(label)?.to_owned(), (offset > 0).then_some(offset)));
        }
        if let Some((label, offset)) = name.rsplit_once('+').filter(|_| self.was_ptx()) {
            // The name of the function could not be read from the section, so it is the place there.
            let label = self.debug.stated_labels.get(label).copied().flatten()?;
            return Some((
                self.label_name(label)?.to_owned(),
                offset.parse().ok().filter(|&offset| offset > 0),
            ));
        }
        self.target.has_already(INLINED).then(|| (self.string_label(name), None))
    }

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
