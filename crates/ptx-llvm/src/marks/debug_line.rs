//! The contents of [`DEBUG`](super::DEBUG) and [`DEBUG_END`](super::DEBUG_END): what lowering writes there and raising reads.
//!
//! ```text
//! call void @f(), !ptx.debug !{!"$L_tmp1:", !".loc 1 22 5", !".loc 2 7 1 $L_name 4 1 22 5"}
//! ```

use std::fmt;

/// A line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugLine<'t> {
    /// A label, written `name:`.
    Label(&'t str),
    /// A `.loc`.
    Location(Location<'t>),
}

/// A `.loc` (manual 11.5.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<'t> {
    /// The number that a `.file` gives.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 for none.
    pub column: u32,
    /// Where the function was inlined.
    pub inlined: Option<Call<'t>>,
}

/// `function_name label {+ offset}, inlined_at file line column`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call<'t> {
    /// The label of the function's name in a section.
    pub label: &'t str,
    /// Bytes added to the label, written `-` for none.
    pub offset: Option<u64>,
    /// The file of the call.
    pub file: u32,
    /// The line of the call.
    pub line: u32,
    /// The column of the call.
    pub column: u32,
}

impl<'t> DebugLine<'t> {
    /// The line that a text is; `None` if it is none.
    pub fn parse(text: &'t str) -> Option<Self> {
        if let Some(label) = text.strip_suffix(':') {
            return Some(Self::Label(label));
        }
        let mut words = text.strip_prefix(".loc ")?.split(' ');
        let [file, line, column] = numbers(&mut words)?;
        let inlined = match words.next() {
            None => None,
            Some(label) => {
                let offset = words.next()?.parse().ok();
                let [file, line, column] = numbers(&mut words)?;
                Some(Call { label, offset, file, line, column })
            }
        };
        Some(Self::Location(Location { file, line, column, inlined }))
    }
}

fn numbers<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<[u32; 3]> {
    let mut next = || words.next()?.parse().ok();
    Some([next()?, next()?, next()?])
}

impl fmt::Display for DebugLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(name) => write!(f, "{name}:"),
            Self::Location(Location { file, line, column, inlined }) => {
                write!(f, ".loc {file} {line} {column}")?;
                let Some(Call { label, offset, file, line, column }) = inlined else { return Ok(()) };
                match offset {
                    Some(offset) => write!(f, " {label} {offset} {file} {line} {column}"),
                    None => write!(f, " {label} - {file} {line} {column}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let call = |offset| Some(Call { label: "$L_name", offset, file: 1, line: 22, column: 5 });
        let location = |inlined| DebugLine::Location(Location { file: 2, line: 7, column: 1, inlined });
        for (line, text) in [
            (DebugLine::Label("$L_tmp1"), "$L_tmp1:"),
            (location(None), ".loc 2 7 1"),
            (location(call(Some(4))), ".loc 2 7 1 $L_name 4 1 22 5"),
            (location(call(None)), ".loc 2 7 1 $L_name - 1 22 5"),
        ] {
            assert_eq!(line.to_string(), text);
            assert_eq!(DebugLine::parse(text), Some(line), "{text}");
        }
        for text in ["", ".loc", ".loc 1 2", ".loc 1 2 x", ".loc 1 2 3 $L_name", "// a comment"] {
            assert_eq!(DebugLine::parse(text), None, "{text}");
        }
    }
}
