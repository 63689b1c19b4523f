//! The text of LLVM IR with the lines that its debug locations name. LLVM numbers instructions and metadata only when it prints them, so that
//! the text is where both are together.

use std::collections::{HashMap, HashSet};

use ptx_diag::SourceFile;
use ptx_llvm_core::marks;
use ptx_report::{Column, Line, Place};

use super::listing::folded;
use crate::lines::quoted_names;

/// Scopes are in each other no deeper than this: a file in a function.
const DEEPEST_SCOPE: usize = 16;

/// LLVM IR without its debug information, each instruction linked to the line that this names.
pub(super) fn column(text: &str, files: &[SourceFile]) -> Column {
    let nodes = Nodes::of(text, &quoted_names(files));
    let (mut lines, mut starts, mut number) = (Vec::new(), Vec::new(), 0);
    for line in text.lines() {
        if nodes.is_hidden(line) {
            continue;
        }
        let (text, location) = without_locations(line);
        number += 1;
        if let Some(name) = defined(&text) {
            starts.push((number, name));
        }
        // A function has no location but a description.
        let location = location.filter(|_| line.starts_with(' '));
        let places = location.and_then(|node| nodes.place(node)).into_iter().collect();
        lines.push(Line { number: Some(number), text, places, ..Line::default() });
    }
    let starts = starts.iter().map(|(line, name)| (*line, name.as_str()));
    Column { title: "LLVM IR".to_owned(), sections: folded(lines, starts), ..Column::default() }
}

/// The name of the function that a line defines.
fn defined(line: &str) -> Option<String> {
    let head = line.strip_prefix("define ")?;
    let name = &head[head.find('@')? + 1..];
    Some(match name.strip_prefix('"') {
        Some(quoted) => quoted[..quoted.find('"')?].to_owned(),
        None => name[..name.find('(')?].to_owned(),
    })
}

/// Attachments that are not shown, that of locations first.
const HIDDEN: [&str; 3] = ["dbg", marks::DEBUG, marks::DEBUG_END];

/// A line without what is not shown, and the number of its location.
fn without_locations(line: &str) -> (String, Option<u32>) {
    let (mut text, mut location) = (line.to_owned(), None);
    for kind in HIDDEN {
        let found = |text: &str| -> Option<(String, u32)> {
            let name = format!("!{kind} !");
            let at = text.rfind(&name)?;
            let rest = &text[at + name.len()..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let before = text[..at].trim_end().trim_end_matches(',');
            Some((format!("{before}{}", &rest[digits..]), rest[..digits].parse().ok()?))
        };
        if let Some((shorter, node)) = found(&text) {
            location = location.or(Some(node).filter(|_| kind == "dbg"));
            text = shorter;
        }
    }
    (text, location)
}

/// The nodes that a text refers to.
fn references(text: &str) -> impl Iterator<Item = u32> {
    text.split('!')
        .skip(1)
        .filter_map(|rest| rest[..rest.bytes().take_while(u8::is_ascii_digit).count()].parse().ok())
}

/// The name and the value of a line of metadata.
fn metadata(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('!')?.split_once(" = ")
}

/// Metadata, by number.
#[derive(Default)]
struct Nodes<'t> {
    /// Where each location is: its line and its scope.
    locations: HashMap<u32, (u32, u32)>,
    /// Of each scope the file or, without one, the scope that it is in.
    scopes: HashMap<u32, Scope>,
    /// The inputs that files are.
    inputs: HashMap<u32, usize>,
    /// The names of what is shown.
    shown: HashSet<&'t str>,
}

#[derive(Clone, Copy)]
enum Scope {
    File(u32),
    Inside(u32),
}

impl<'t> Nodes<'t> {
    fn of(text: &'t str, files: &[String]) -> Self {
        let mut nodes = Self::default();
        let (mut by_number, mut wanted) = (HashMap::new(), Vec::new());
        for line in text.lines() {
            let Some((name, value)) = metadata(line) else {
                wanted.extend(references(&without_locations(line).0));
                continue;
            };
            if let Ok(number) = name.parse() {
                by_number.insert(number, (name, value));
                if let Some((kind, fields)) = value.trim_start_matches("distinct ").split_once('(') {
                    nodes.read(number, kind, fields, files);
                }
            }
        }
        for (name, value) in text.lines().filter_map(metadata) {
            if name.parse::<u32>().is_err() && is_shown(name, value, &by_number) {
                nodes.shown.insert(name);
                wanted.extend(references(value));
            }
        }
        while let Some(number) = wanted.pop() {
            if let Some((name, value)) = by_number.get(&number)
                && nodes.shown.insert(name)
            {
                wanted.extend(references(value));
            }
        }
        nodes
    }

    fn read(&mut self, id: u32, kind: &str, fields: &str, files: &[String]) {
        match kind {
            "!DILocation" => {
                let line = field(fields, "line: ").zip(field(fields, "scope: !"));
                self.locations.extend(line.map(|location| (id, location)));
            }
            "!DIFile" => {
                let name = quoted(fields, "filename: \"");
                let folder = quoted(fields, "directory: \"").filter(|folder| !folder.is_empty());
                let path = name.map(|name| match folder {
                    Some(folder) if folder.ends_with('/') => format!("{folder}{name}"),
                    Some(folder) => format!("{folder}/{name}"),
                    None => name,
                });
                self.inputs.extend(
                    path.and_then(|path| files.iter().position(|file| *file == path)).map(|file| (id, file)),
                );
            }
            _ => {
                let file = field(fields, "file: !").map(Scope::File);
                let scope = file.or_else(|| field(fields, "scope: !").map(Scope::Inside));
                self.scopes.extend(scope.map(|scope| (id, scope)));
            }
        }
    }

    /// The line that a location names; `None` for code that has none, and for other files.
    fn place(&self, node: u32) -> Option<Place> {
        let (line, mut scope) = self.locations.get(&node).copied().filter(|(line, _)| *line > 0)?;
        for _ in 0..DEEPEST_SCOPE {
            match self.scopes.get(&scope)? {
                Scope::File(file) => return Some(Place { file: *self.inputs.get(file)?, line }),
                Scope::Inside(outer) => scope = *outer,
            }
        }
        None
    }

    fn is_hidden(&self, line: &str) -> bool {
        metadata(line).is_some_and(|(name, _)| !self.shown.contains(name))
    }
}

/// Whether named metadata is not about debug information alone.
fn is_shown(name: &str, value: &str, nodes: &HashMap<u32, (&str, &str)>) -> bool {
    let is_version = |number| {
        nodes.get(&number).is_some_and(|(_, value): &(&str, &str)| value.contains("!\"Debug Info Version\""))
    };
    match name {
        "llvm.dbg.cu" => false,
        "llvm.module.flags" => !references(value).all(is_version),
        _ => name != marks::FILE,
    }
}

/// The number in a field.
fn field(fields: &str, name: &str) -> Option<u32> {
    let at = fields.find(name)?;
    // `scopeLine: ` has no `line: `, but `file: !1` may be part of another name.
    let before = fields[..at].chars().next_back();
    if before.is_some_and(|before| before.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = &fields[at + name.len()..];
    rest[..rest.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
}

/// The text in a field: LLVM writes a backslash as two, and some bytes as one with two hexadecimal digits.
fn quoted(fields: &str, name: &str) -> Option<String> {
    let rest = &fields[fields.find(name)? + name.len()..];
    let mut text = &rest.as_bytes()[..rest.find('"')?];
    let mut bytes = Vec::with_capacity(text.len());
    while let Some((&byte, rest)) = text.split_first() {
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escape = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (byte, length) = match (byte, rest.first(), escape) {
            (b'\\', Some(b'\\'), _) => (b'\\', 2),
            (b'\\', _, Some(value)) => (value, 3),
            _ => (byte, 1),
        };
        bytes.push(byte);
        text = &text[length..];
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
