//! What is refused, in groups: the table `refused-constructs.tsv`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Piece, Verdict};

/// Refused pieces of one construct with one reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The instruction with its flags, the intrinsic, or what else a piece holds, without types.
    pub construct: String,
    /// What is said about it, without types and numbers.
    pub why: String,
    /// Its pieces, by their places in the list.
    pub pieces: Vec<usize>,
}

impl Group {
    /// What identifies the group in the table.
    pub fn key(&self) -> String {
        format!("{}\t{}", self.construct, self.why)
    }
}

/// What is refused or wrong, in the order of constructs.
pub fn groups(pieces: &[Piece], verdicts: &[Verdict]) -> Vec<Group> {
    let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, (piece, verdict)) in pieces.iter().zip(verdicts).enumerate() {
        let why = match verdict {
            Verdict::Raised(_) => continue,
            Verdict::Refused(why) => reason(why),
            Verdict::Wrong(why) => format!("wrong: {}", reason(why)),
        };
        groups.entry((construct(&piece.title), why)).or_default().push(at);
    }
    groups.into_iter().map(|((construct, why), pieces)| Group { construct, why, pieces }).collect()
}

/// The table: constructs, reasons, how many pieces.
pub fn table(groups: &[Group]) -> String {
    let mut text = String::new();
    for group in groups {
        let _ = writeln!(text, "{}\t{}", group.key(), group.pieces.len());
    }
    text
}

/// A title up to its first type; of an intrinsic its name.
fn construct(title: &str) -> String {
    if let Some(at) = title.find("llvm.")
        && let Some(name) = title.get(at..).and_then(|rest| rest.split('(').next())
        && title.ends_with(')')
    {
        return name.to_owned();
    }
    let words: Vec<&str> = title.split(' ').take_while(|word| !is_type(word)).collect();
    words.join(" ").trim_end_matches(',').to_owned()
}

fn is_type(word: &str) -> bool {
    let word = word.trim_end_matches(',');
    let names = ["half", "bfloat", "float", "double", "fp128", "ptr", "x86_fp80", "ppc_fp128"];
    names.contains(&word)
        || word.starts_with(['<', '[', '{'])
        || word.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok())
}

/// A finding without its place, its numbers and the types in names.
fn reason(why: &str) -> String {
    let why = why.lines().next().unwrap_or_default();
    let why = why.split(", in ").next().unwrap_or_default();
    let words = why.split(' ').map(|word| if word.starts_with("llvm.") { "it" } else { word });
    let mut text = String::new();
    for word in words {
        let separator = if text.is_empty() { "" } else { " " };
        text.push_str(separator);
        let mut digits = false;
        for character in word.chars() {
            if character.is_ascii_digit() {
                if !digits {
                    text.push('N');
                }
                digits = true;
            } else {
                text.push(character);
                digits = false;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_told_apart_by_construct_and_reason_alone() {
        assert_eq!(construct("add nsw <2 x i33>"), "add nsw");
        assert_eq!(construct("load volatile i8, ptr addrspace(3)"), "load volatile");
        assert_eq!(construct("i1 llvm.is.fpclass(fp128, i32 0)"), "llvm.is.fpclass");
        assert_eq!(construct("llvm.used"), "llvm.used");
        assert_eq!(reason("a value with 5000 elements, in function f: %x"), "a value with N elements");
    }
}
