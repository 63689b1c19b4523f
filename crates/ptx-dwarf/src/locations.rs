//! The location lists of variables.

use crate::entry::{ExpressionPart, Lines, size_of};

/// `.debug_loc`: the location lists of all units (DWARF 2, 2.4.6).
#[derive(Default)]
pub(crate) struct LocationLists {
    pub(crate) lines: Lines,
    pub(crate) labels: u32,
    pub(crate) allowed: bool,
}

impl LocationLists {
    /// Adds a list; gives its label. `None` where the version of PTX has no labels in sections: then where the variable is
    /// is not said.
    pub(crate) fn add(
        &mut self,
        stem: &str,
        ranges: &[(String, String, Vec<ExpressionPart>)],
    ) -> Option<String> {
        if !self.allowed {
            return None;
        }
        let label = format!("{stem}{}", self.labels);
        self.labels += 1;
        self.lines.text(format!("{label}:"), "");
        for (start, end, parts) in ranges {
            let Ok(size) = u16::try_from(size_of(parts)) else { continue };
            self.lines.text(format!(".b64 {start}"), "");
            self.lines.text(format!(".b64 {end}"), "");
            self.lines.bytes(&size.to_le_bytes(), "size of the expression");
            self.lines.parts(parts, "");
        }
        self.lines.text(".b64 0".to_owned(), "end of the list");
        self.lines.text(".b64 0".to_owned(), "");
        Some(label)
    }
}
