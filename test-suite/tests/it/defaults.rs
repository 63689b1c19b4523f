//! How often code goes on with a made-up value where there is none: `unwrap_or(0)`, `map_or(false, ..)`, `unwrap_or_default()`.
//!
//! Such a default is right where absence means that value. Where an earlier check makes absence impossible, it turns a broken
//! check into a wrong answer; there a type proves the presence, an error reports the absence, or a `debug_assert!` states it.
//! Each default that is left has its reason in a comment that begins with `Default:`, on the same line or above it:
//!
//! ```text
//! // Default: a kernel without `.maxntid` has no limit.
//! let most = limit.unwrap_or(u32::MAX);
//! ```
//!
//! Code of tests does not count.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex_lite::Regex;

use crate::imports::{crates, rust_files};

/// The number of defaults without a reason in crates that have not been revised. It only goes down; crates that are not
/// listed have none.
const UNEXPLAINED: &[(&str, usize)] = &[];

/// Defaults in 1,000 lines of a crate that has been revised, those with a reason included.
const MOST_PER_THOUSAND: f64 = 0.7;

/// A crate so small that one default is more than [`MOST_PER_THOUSAND`] may have this many.
const MOST_IN_SMALL: usize = 2;

/// A number, a truth value, a text, or an empty list.
const LITERAL: &str = r#"(?:-?[0-9]|true\b|false\b|"|&?\[(?:\]|-?[0-9][^,;\]]*[,;\]])|[iu](?:8|16|32|64|128|size)::M(?:AX|IN)|[\w:]*\b(?:new|default)\(\))"#;

/// The defaults in the code of one or more files.
#[derive(Debug, Default, PartialEq, Eq)]
struct Defaults {
    lines: usize,
    explained: usize,
    /// Where there is one without a reason.
    unexplained: Vec<String>,
}

impl Defaults {
    fn of_crate(src: &Path) -> Self {
        let mut all = Self::default();
        for file in rust_files(src) {
            let is_test = file.strip_prefix(src).expect("a file below").components().any(|part| {
                let name = Path::new(&part).file_stem().unwrap_or_default();
                matches!(name.to_str(), Some("tests"))
            });
            if is_test || is_only_for_tests(&file) {
                continue;
            }
            let text = fs::read_to_string(&file).expect("readable");
            all.add(&text, &file.strip_prefix(src).expect("a file below").to_string_lossy());
        }
        all
    }

    fn add(&mut self, text: &str, file: &str) {
        static FORM: LazyLock<Regex> = LazyLock::new(|| {
            let made = r"(?:\|\w?\|\s*LITERAL|[\w:]+::(?:new|default)\b)".replace("LITERAL", LITERAL);
            let form = format!(r"^_or(?:_default\b|\(\s*{LITERAL}|_else\(\s*{made})");
            Regex::new(&form).expect("a pattern")
        });
        let code = without_tests(code_of(text));
        let lines: Vec<&str> = text.lines().collect();
        self.lines += code.lines().filter(|line| !line.starts_with(REMOVED)).count();
        let starts = ["unwrap_or", "map_or"]
            .into_iter()
            .flat_map(|start| code.match_indices(start).map(move |(at, _)| at + start.len() - "_or".len()));
        let mut found: Vec<usize> = starts.filter(|&at| FORM.is_match(&code[at..])).collect();
        found.sort_unstable();
        for at in found {
            let at = code[..at].matches('\n').count();
            if is_explained(&lines, at) {
                self.explained += 1;
            } else {
                self.unexplained.push(format!("{file}:{}: {}", at + 1, lines[at].trim()));
            }
        }
    }

    fn per_thousand(&self) -> f64 {
        1000.0 * (self.explained + self.unexplained.len()) as f64 / self.lines.max(1) as f64
    }
}

/// Whether a line, or the comment above it, states the reason for a default.
fn is_explained(lines: &[&str], at: usize) -> bool {
    let reason = |line: &&str| line.contains("// Default: ");
    let above = lines[..at].iter().rev().take_while(|line| line.trim_start().starts_with("//"));
    reason(&lines[at]) || { above }.any(reason)
}

/// Marks lines of tests.
const REMOVED: char = '\u{1}';

/// A module of the file's parent that only tests have: `#[cfg(test)] mod name;`.
fn is_only_for_tests(file: &Path) -> bool {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = file.parent().expect("a folder");
    let parents = ["mod.rs", "lib.rs", "main.rs"].map(|name| folder.join(name));
    let declares = |parent: &PathBuf| {
        let text = fs::read_to_string(parent).unwrap_or_default();
        let code = without_tests(text.clone());
        let declaration = format!("mod {name};");
        text.contains(&declaration) && !code.contains(&declaration)
    };
    parents.iter().chain([&folder.with_extension("rs")]).any(declares)
}

/// The text with spaces instead of comments and the contents of strings and characters; it has the same lines.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = length_of_text(rest);
        let (skipped, after) = rest.split_at(length.unwrap_or(c.len_utf8()));
        let is_string = length.is_some() && !skipped.starts_with(['/', '\'']);
        match length {
            None => code.push(c),
            Some(_) => {
                let marks = if is_string { "\"" } else { "" };
                code += marks;
                code.extend(skipped.chars().map(|c| if c == '\n' { c } else { ' ' }));
                code += marks;
            }
        }
        rest = after;
    }
    code
}

/// The length of the comment, string or character that a text begins with.
fn length_of_text(text: &str) -> Option<usize> {
    let to = |from: usize, end: &str| {
        let rest = &text[from..];
        from + rest.find(end).map_or(rest.len(), |at| at + end.len())
    };
    let mut chars = text.chars();
    match (chars.next()?, chars.next()) {
        ('/', Some('/')) => Some(text.find('\n').unwrap_or(text.len())),
        ('/', Some('*')) => Some(to(2, "*/")),
        ('r', Some('"')) => Some(to(2, "\"")),
        ('r', Some('#')) => {
            let marks = text[1..].find(|c| c != '#')?;
            let is_string = text[1 + marks..].starts_with('"');
            is_string.then(|| to(2 + marks, &format!("\"{}", "#".repeat(marks))))
        }
        ('"', _) => {
            let mut escaped = false;
            let end = text.char_indices().skip(1).find(|&(_, c)| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            Some(end.map_or(text.len(), |(at, _)| at + 1))
        }
        ('\'', Some('\\')) => Some(to(3, "'")),
        ('\'', Some(c)) if chars.next() == Some('\'') => Some(2 + c.len_utf8()),
        _ => None,
    }
}

/// What begins items for tests.
const FOR_TESTS: [&str; 2] = ["#[cfg(test)]", "#[cfg(all(test,"];

/// Code whose lines of items for tests are [`REMOVED`].
fn without_tests(mut code: String) -> String {
    while let Some(at) = FOR_TESTS.iter().filter_map(|start| code.find(start)).min() {
        let item = at..at + end_of_item(&code[at..]);
        let lines = code[item.clone()].matches('\n').count();
        code.replace_range(item, &vec![REMOVED.to_string(); lines + 1].join("\n"));
    }
    code
}

/// Where an item or statement with an attribute ends: after its `;` or its last brace.
fn end_of_item(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(c, ';' | '}') {
            return at + 1;
        }
    }
    code.len()
}

#[test]
fn defaults_are_few_and_have_reasons() {
    let mut found = String::new();
    for (name, src) in crates() {
        let defaults = Defaults::of_crate(&src);
        let listed = UNEXPLAINED.iter().find(|(of, _)| *of == name).map(|(_, most)| *most);
        let (count, most) = (defaults.unexplained.len(), listed.unwrap_or(0));
        if count > most {
            found += &format!("\n{name}: {count} without a reason, {most} at most:");
            defaults.unexplained.iter().for_each(|at| found += &format!("\n  {at}"));
        } else if count < most {
            found += &format!("\n{name}: {count} without a reason, the limit is to be lowered from {most}");
        }
        let total = count + defaults.explained;
        if listed.is_none() && total > MOST_IN_SMALL && defaults.per_thousand() > MOST_PER_THOUSAND {
            let (rate, lines) = (defaults.per_thousand(), defaults.lines);
            found += &format!("\n{name}: {total} in {lines} lines, {rate:.2} in 1,000");
        }
    }
    assert!(found.is_empty(), "defaults (see the head of {}):{found}", file!());
}

#[test]
fn defaults_are_found_in_code_only() {
    let text = r##"
fn f(a: Option<u8>) -> u8 {
    let quote = '"'; // a.unwrap_or(0)
    let b = "a.unwrap_or_default()".len();
    let c = a.unwrap_or(
        0,
    );
    // Default: there is none on odd days.
    // It rains then.
    let d = a.map_or(false, |a| a > 1);
    let e = a.unwrap_or_default(); // Default: of course.
    let g = a.map_or("\"", |_| "").len() + a.map_or(b, |_| 1) + a.unwrap_or_else(Vec::new);
    #[cfg(test)]
    let g = a.map_or(1, |a| { a; 2 });
    let raw = r#"a.unwrap_or(0) "#.len() + 'x'.len_utf8() + f::<'a'>;
    a.map_or_else(|| 1, |a| a)
}
#[cfg(test)]
mod tests {
    /* a.unwrap_or(0) */
    fn g(a: Option<u8>) -> u8 { a.unwrap_or(1) }
}
"##;
    let mut found = Defaults::default();
    found.add(text, "x.rs");
    let at: Vec<_> = found.unexplained.iter().map(|one| one.split(':').nth(1).expect("a line")).collect();
    assert_eq!(at, ["5", "12", "12", "16"]);
    assert_eq!((found.explained, found.lines), (2, 16));
}
