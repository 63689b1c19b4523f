//! The values of keys (`KEY=VALUE`) in tensor maps, textures and samplers on the command line.

use std::str::FromStr;

/// Yes or no.
pub const ANSWERS: [(&str, bool); 2] = [("yes", true), ("no", false)];

/// What a name refers to.
///
/// # Errors
/// The names that there are.
pub fn named<T: Copy>(names: &[(&str, T)], key: &str, text: &str) -> Result<T, String> {
    let known = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    known.ok_or_else(|| {
        let all: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("{key}={text}: expected one of {}", all.join(", "))
    })
}

/// A number.
///
/// # Errors
/// What is not one.
pub fn number<T: FromStr>(key: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{key}={text}: `{text}` is not such a number"))
}
