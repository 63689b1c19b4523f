//! Files, names and labels that the module's debug information mentions.

use ptx_llvm_core::view::{FileId, FunctionId, MetadataId};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// The module's debug information without its locations.
#[derive(Debug, Default)]
pub(crate) struct DebugTables {
    /// The number of each file, once it has one.
    pub(crate) files: HashMap<FileId, u32>,
    /// The number of each path.
    pub(crate) numbers: HashMap<String, u32>,
    /// The name of each file without its folder, for comments.
    pub(crate) names: HashMap<u32, String>,
    /// The numbers in use.
    taken: HashSet<u32>,
    /// The number before the next one to be tried.
    last: u32,
    /// Functions that locations name, with their labels in `.debug_str`, unless a section had their names already.
    pub(crate) strings: Vec<(String, String)>,
    pub(crate) string_numbers: HashMap<String, usize>,
    /// The names of the labels that sections have or name.
    pub(crate) labels: HashMap<MetadataId, String>,
    /// All these names.
    pub(crate) label_names: HashSet<String>,
    /// Labels of sections that have no other use, to which `function_name` can refer.
    pub(crate) string_labels: HashSet<MetadataId>,
    /// The same by their names in PTX; `None` if several had the name.
    pub(crate) stated_labels: HashMap<String, Option<MetadataId>>,
    /// The strings at these labels or after them, each with its label and the bytes between.
    pub(crate) known_strings: HashMap<String, (MetadataId, u64)>,
    /// For the place of each of these strings the first one with the same text.
    pub(crate) first_strings: HashMap<(MetadataId, u64), (MetadataId, u64)>,
    /// Labels of code that were placed: sections may name them.
    pub(crate) placed: HashSet<MetadataId>,
    /// Variables on the stack that have another name than in LLVM IR, by their function and that name.
    pub(crate) renamed: HashMap<(FunctionId, String), String>,
    /// The entries of functions that have bodies; those of their prototypes have no variables.
    pub(crate) definitions: HashMap<FunctionId, ptx_ir::FunctionId>,
}

impl DebugTables {
    /// The name of a file in comments.
    pub(crate) fn name_of(&self, file: u32) -> Option<&str> {
        self.names.get(&file).map(String::as_str)
    }

    /// A number for a file: the one that it had, if no other file has it.
    pub(crate) fn number(&mut self, wanted: Option<u32>) -> u32 {
        if let Some(wanted) = wanted.filter(|&wanted| self.taken.insert(wanted)) {
            // Files that had no number get those after the others.
            self.last = self.last.max(wanted);
            return wanted;
        }
        loop {
            // Memory has room for fewer files than there are numbers.
            self.last = match self.last {
                u32::MAX => 1,
                last => last + 1,
            };
            if self.taken.insert(self.last) {
                return self.last;
            }
        }
    }
}
