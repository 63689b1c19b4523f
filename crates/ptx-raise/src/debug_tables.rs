//! Files, names and labels that the module's debug information mentions.

use ptx_llvm::view::FileId;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// The module's debug information without its locations.
#[derive(Debug, Default)]
pub(crate) struct DebugTables {
    /// The number of each file of the view.
    pub(crate) files: HashMap<FileId, u32>,
    /// The number of each path.
    pub(crate) numbers: HashMap<String, u32>,
    /// The name of each file without its folder, for comments.
    pub(crate) names: HashMap<u32, String>,
    /// The highest number.
    pub(crate) highest: u32,
    /// Functions that locations name, with their labels in `.debug_str`, for code that was no PTX.
    pub(crate) strings: Vec<(String, String)>,
    pub(crate) string_numbers: HashMap<String, usize>,
    /// Labels of sections that have no other use, to which `function_name` can refer.
    pub(crate) string_labels: HashSet<String>,
    /// Labels of code that were placed: sections may name them.
    pub(crate) placed: HashSet<String>,
}

impl DebugTables {
    /// The name of a file in comments.
    pub(crate) fn name_of(&self, file: u32) -> Option<&str> {
        self.names.get(&file).map(String::as_str)
    }

    /// The number of the file of a location.
    pub(crate) fn file_of(&self, file: FileId) -> u32 {
        self.files.get(&file).copied().unwrap_or(file.index() as u32 + 1)
    }
}
