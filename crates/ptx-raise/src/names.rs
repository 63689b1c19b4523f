//! Names that PTX can spell (manual 4.4).
//!
//! An identifier of PTX is a letter followed by letters, digits, `_` and `$`, or one of `_`, `$`, `%` followed by at
//! least one of those. LLVM's names can hold any byte. Characters that PTX does not allow are written `_$` and two
//! hexadecimal digits for each byte; if a name contains that pattern itself, its `_` is escaped, too, so that
//! different names stay different.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::borrow::Cow;

/// Words that have another meaning where a name may occur.
const RESERVED: &[&str] = &["WARP_SZ", "inlined_at", "function_name"];

/// The PTX spelling of a symbol's name.
pub fn escape(name: &str) -> Cow<'_, str> {
    let bytes = name.as_bytes();
    let reserved = RESERVED.contains(&name);
    let lone = bytes.len() == 1 && !bytes[0].is_ascii_alphabetic();
    let must = |at: usize, byte: u8| match byte {
        b'_' => is_pattern(&bytes[at..]) || (at == 0 && (reserved || lone)),
        b'$' => at == 0 && lone,
        b'0'..=b'9' => at == 0,
        b'a'..=b'z' | b'A'..=b'Z' => at == 0 && reserved,
        _ => true,
    };
    if !bytes.is_empty() && !bytes.iter().enumerate().any(|(at, &byte)| must(at, byte)) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() + 8);
    for (at, &byte) in bytes.iter().enumerate() {
        if must(at, byte) {
            escaped += &format!("_${byte:02X}");
        } else {
            escaped.push(char::from(byte));
        }
    }
    if escaped.is_empty() {
        escaped.push_str("_$");
    }
    Cow::Owned(escaped)
}

/// Whether the bytes begin with `_$` and two upper-case hexadecimal digits.
fn is_pattern(bytes: &[u8]) -> bool {
    let hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    matches!(bytes, [b'_', b'$', high, low, ..] if hex(high) && hex(low))
}

/// An identifier as close to LLVM's name as possible: characters that PTX does not allow are `_`. Two names may become one; `None` for the
/// empty name, names that begin with a digit, and reserved words of PTX.
pub(crate) fn readable(name: &str) -> Option<String> {
    let found = spelled(name);
    is_plain(&found).then_some(found)
}

/// A name with `_` for characters that PTX does not allow, to follow a `%` or another prefix.
pub(crate) fn spelled(name: &str) -> String {
    let part = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' };
    name.chars().map(part).collect()
}

/// Whether a name needs no escape, and does not read as an instruction where a statement begins.
pub(crate) fn is_plain(name: &str) -> bool {
    matches!(escape(name), Cow::Borrowed(_)) && ptx_isa::Opcode::from_ptx(name).is_none()
}

/// A name like `stem` that is not taken: with `_` after it as often as needed.
pub(crate) fn free(stem: String, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = stem;
    while is_taken(&name) {
        name.push('_');
    }
    name
}

/// A name like `stem` that is not taken: with a number after it if needed. `repeats` has the highest number so far of each stem.
pub(crate) fn numbered(
    stem: String,
    repeats: &mut HashMap<String, u32>,
    is_taken: impl Fn(&str) -> bool,
) -> String {
    let mut name = stem.clone();
    // Default: the first name of a stem has no number.
    let mut number = repeats.get(&stem).copied().unwrap_or_default();
    while is_taken(&name) {
        number += 1;
        name = format!("{stem}_{number}");
    }
    if number > 0 {
        repeats.insert(stem, number);
    }
    name
}

/// The words of a text that can be names.
pub(crate) fn assembly_words(text: &str) -> HashSet<&str> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let mut found = HashSet::default();
    let mut rest = text;
    while let Some(start) = rest.find(part) {
        let is_directive = rest.get(..start).is_some_and(|before| before.ends_with('.'));
        let (_, tail) = rest.split_at(start);
        let end = tail.find(|c| !part(c)).unwrap_or(tail.len());
        let (word, after) = tail.split_at(end);
        if !is_directive {
            found.insert(word);
        }
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_stay() {
        // CUDA's own headers call functions as instructions are called.
        for name in ["_Z3fooPf", "kernel", "$L1", "_a", "a$b_c9", "abs", "min"] {
            assert_eq!(escape(name), name);
        }
    }

    #[test]
    fn readable_names_lose_what_ptx_cannot_spell() {
        for (name, found) in
            [("x.addr", Some("x_addr")), ("for.body-2", Some("for_body_2")), ("näh", Some("n_h"))]
        {
            assert_eq!(readable(name).as_deref(), found);
        }
        for name in ["", "9lives", "add", "WARP_SZ", "."] {
            assert_eq!(readable(name), None, "{name}");
        }
    }

    #[test]
    fn every_name_stays_different_and_is_an_identifier() {
        let names = [
            ".str", "a.b-c", "9lives", "_", "$", "", "add", "WARP_SZ", "_$2E", "x_$41y", "%tid", "naïve",
            "a b",
        ];
        let mut seen = std::collections::HashSet::new();
        for name in names {
            let spelled = escape(name).into_owned();
            assert!(seen.insert(spelled.clone()), "{spelled} twice");
            let mut bytes = spelled.bytes();
            let first = bytes.next().expect("not empty");
            let follow = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
            assert!(
                first.is_ascii_alphabetic() || (matches!(first, b'_' | b'$') && spelled.len() > 1),
                "{spelled}"
            );
            assert!(bytes.all(follow), "{spelled}");
        }
    }
}
