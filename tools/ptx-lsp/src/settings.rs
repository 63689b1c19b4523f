//! The settings that a client sends.

use serde::Deserialize;
use serde_json::Value;

/// The settings, as initialization options or as the section `ptx` of the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Which hints are shown in the text.
    pub inlay_hints: InlayHints,
    /// The path of `ptx2ll`, which gives the LLVM IR of a document.
    pub ptx2ll: String,
    /// Its arguments.
    pub ptx2ll_arguments: Vec<String>,
}

/// Hints in the text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InlayHints {
    /// Whether the first version and target of each instruction are shown.
    pub minimum_version: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { inlay_hints: InlayHints::default(), ptx2ll: "ptx2ll".to_owned(), ptx2ll_arguments: Vec::new() }
    }
}

impl Settings {
    /// Reads settings; those under the key `ptx`, if there is one. `None` if they are not of this form.
    pub fn read(value: &Value) -> Option<Self> {
        let own = value.get("ptx").unwrap_or(value);
        if own.is_null() { Some(Self::default()) } else { Self::deserialize(own).ok() }
    }
}
