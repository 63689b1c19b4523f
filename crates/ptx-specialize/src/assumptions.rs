//! What is assumed of the launches of a kernel, and its text.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::str::FromStr;

/// What is assumed of the launches of a kernel. Its text is `entry=saxpy block=256,1,1 grid=16 noalias arg0=5000 arg1=2.5`, in any order, each part at
/// most once.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Assumptions {
    /// The kernel; it may be omitted for a module with a single one.
    pub entry: Option<String>,
    /// Threads of a block, each 1 or more.
    pub block: Option<[u32; 3]>,
    /// Blocks of the grid, each 1 or more.
    pub grid: Option<[u32; 3]>,
    /// No two arguments point to the same memory, and nothing but the kernel writes what they point to while it runs.
    pub noalias: bool,
    /// Values of arguments, by the index of the parameter.
    pub arguments: BTreeMap<usize, Number>,
}

/// The value of an argument, of which the parameter's type determines the bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// `5000`, `-1`, `0xff`: for parameters of integers and of bits.
    Integer(i128),
    /// `2.5`, `1e-3`: for parameters of floating-point numbers.
    Float(f64),
}

/// Why a text is not a list of assumptions.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AssumptionError {
    /// A part without `=`, or with another name.
    #[error("expected entry=, block=, grid=, noalias or argN=, not `{0}`")]
    Unknown(String),
    /// A part is there twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// The value of a part cannot be read.
    #[error("`{part}` is not {expected}")]
    Value {
        /// The part.
        part: String,
        /// What it should be.
        expected: &'static str,
    },
    /// There is nothing in the text that is assumed.
    #[error("nothing is assumed: expected block=, grid=, noalias or argN=")]
    Nothing,
}

impl Assumptions {
    /// Whether nothing is assumed.
    pub fn is_empty(&self) -> bool {
        self.block.is_none() && self.grid.is_none() && !self.noalias && self.arguments.is_empty()
    }
}

impl FromStr for Assumptions {
    type Err = AssumptionError;

    fn from_str(text: &str) -> Result<Self, AssumptionError> {
        let mut found = Self::default();
        for part in text.split_whitespace() {
            if part == "noalias" {
                if std::mem::replace(&mut found.noalias, true) {
                    return Err(AssumptionError::Twice(part.to_owned()));
                }
                continue;
            }
            let unknown = || AssumptionError::Unknown(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(unknown)?;
            let extents = || {
                let expected = "up to three numbers from 1, as in 256 or 16,16,1";
                extents(value).ok_or(AssumptionError::Value { part: part.to_owned(), expected })
            };
            let is_new = match name {
                "entry" => found.entry.replace(value.to_owned()).is_none(),
                "block" => found.block.replace(extents()?).is_none(),
                "grid" => found.grid.replace(extents()?).is_none(),
                _ => {
                    let index = name.strip_prefix("arg").and_then(|index| index.parse().ok());
                    let expected = "a number, as in 5000, 0xff or 2.5";
                    let number =
                        number(value).ok_or(AssumptionError::Value { part: part.to_owned(), expected });
                    found.arguments.insert(index.ok_or_else(unknown)?, number?).is_none()
                }
            };
            if !is_new {
                return Err(AssumptionError::Twice(name.to_owned()));
            }
        }
        if found.is_empty() { Err(AssumptionError::Nothing) } else { Ok(found) }
    }
}

impl fmt::Display for Assumptions {
    /// The text in its normal form: parts in one order, all three extents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if let Some(entry) = &self.entry {
            write!(text, " entry={entry}")?;
        }
        for (name, extents) in [("block", self.block), ("grid", self.grid)] {
            if let Some([x, y, z]) = extents {
                write!(text, " {name}={x},{y},{z}")?;
            }
        }
        if self.noalias {
            text.push_str(" noalias");
        }
        for (index, number) in &self.arguments {
            match number {
                Number::Integer(number) => write!(text, " arg{index}={number}")?,
                // With the digits that tell it from all others.
                Number::Float(number) => write!(text, " arg{index}={number:?}")?,
            }
        }
        f.write_str(text.trim_start())
    }
}

/// `256`, `16,16` or `8,8,4`; omitted extents are 1.
fn extents(text: &str) -> Option<[u32; 3]> {
    let mut extents = [1; 3];
    let given: Vec<&str> = text.split(',').collect();
    if given.len() > extents.len() {
        return None;
    }
    for (extent, text) in extents.iter_mut().zip(given) {
        *extent = text.parse().ok().filter(|&extent| extent > 0)?;
    }
    Some(extents)
}

fn number(text: &str) -> Option<Number> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let whole = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    match whole.filter(|_| !digits.starts_with(['+', '-'])) {
        Some(whole) => Some(Number::Integer(if is_negative { -whole } else { whole })),
        None => text.parse().ok().map(Number::Float),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Assumptions, AssumptionError> {
        text.parse()
    }

    #[test]
    fn texts_have_a_normal_form() {
        let normal = |text: &str| read(text).expect(text).to_string();
        assert_eq!(
            normal("arg1=0x10  grid=4 block=16,16 entry=k"),
            "entry=k block=16,16,1 grid=4,1,1 arg1=16"
        );
        assert_eq!(normal("arg1=2 noalias grid=4"), "grid=4,1,1 noalias arg1=2");
        assert_eq!(normal("arg0=-1 arg2=2.50 arg10=1e-3"), "arg0=-1 arg2=2.5 arg10=0.001");
        let again = normal("arg0=0.1 block=3");
        assert_eq!(normal(&again), again);
    }

    #[test]
    fn other_texts_are_errors_with_their_part() {
        for (text, part) in [
            ("block", "block"),
            ("blok=3 arg0=1", "blok=3"),
            ("block=0", "block=0"),
            ("block=1,2,3,4", "block=1,2,3,4"),
            ("grid=x", "grid=x"),
            ("arg0=", "arg0="),
            ("arg0=0x", "arg0=0x"),
            ("arg0=--1", "arg0=--1"),
            ("argx=1", "argx=1"),
            ("block=1 block=1", "block"),
            ("arg1=1 arg1=2", "arg1"),
            ("noalias noalias", "noalias"),
            ("noalias=1", "noalias=1"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(&format!("`{part}`")), "{text}: {error}");
        }
        assert_eq!(read("entry=k"), Err(AssumptionError::Nothing));
        assert_eq!(read(""), Err(AssumptionError::Nothing));
    }
}
