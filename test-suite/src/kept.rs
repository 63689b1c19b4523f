//! What PTX text says beside its instructions: comments, `.file`, `.loc`, `.pragma`, sections and DWARF lines.
//!
//! The scanner here knows nothing of the reader under test. It walks over the text once and notes each such part with the
//! number of statements before it, so that a print that drops, changes or moves one is told apart from its input.

use anyhow::{Result, bail};

/// One part, with blanks that mean nothing taken out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// How many statements end before it: semicolons outside comments, strings and sections.
    pub statements: usize,
    /// The part itself. A line of a section is a part of its own.
    pub text: String,
}

/// The directives that end with their line.
const LINES: [&str; 2] = [".file", ".loc"];

/// The parts of a text in their order.
pub fn kept(text: &str) -> Vec<Kept> {
    Scanner { rest: text, statements: 0, word: false, found: Vec::new() }.scan()
}

/// Compares what two texts keep, part by part.
///
/// # Errors
/// The first part that the second text lacks, changes or has elsewhere.
pub fn keeps_all(input: &str, print: &str) -> Result<()> {
    let (input, print) = (kept(input), kept(print));
    for (at, part) in input.iter().enumerate() {
        match print.get(at) {
            Some(found) if found == part => {}
            Some(found) => bail!(
                "`{}` after statement {} became `{}` after statement {}",
                part.text,
                part.statements,
                found.text,
                found.statements
            ),
            None => bail!("`{}` after statement {} is lost", part.text, part.statements),
        }
    }
    match print.get(input.len()) {
        Some(more) => bail!("the print adds `{}` after statement {}", more.text, more.statements),
        None => Ok(()),
    }
}

struct Scanner<'t> {
    rest: &'t str,
    statements: usize,
    /// Whether the character before `rest` is part of a word.
    word: bool,
    found: Vec<Kept>,
}

impl<'t> Scanner<'t> {
    fn scan(mut self) -> Vec<Kept> {
        while let Some(first) = self.rest.chars().next() {
            if self.comment() {
                continue;
            }
            match first {
                '"' => drop(self.take_string()),
                '.' if !self.word && self.directive() => {}
                '@' if self.rest.starts_with("@@") => self.line(),
                '#' => self.line(),
                _ => {
                    self.statements += usize::from(first == ';');
                    self.word = first.is_ascii_alphanumeric() || matches!(first, '_' | '$' | '%' | '.');
                    self.take(first.len_utf8());
                    continue;
                }
            }
            self.word = false;
        }
        self.found
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn note(&mut self, text: &str) {
        if !text.is_empty() {
            self.found.push(Kept { statements: self.statements, text: text.to_owned() });
        }
    }

    /// Takes a comment, if one is here.
    fn comment(&mut self) -> bool {
        let length = if self.rest.starts_with("//") {
            self.rest.find('\n').unwrap_or(self.rest.len())
        } else if self.rest.starts_with("/*") {
            self.rest.find("*/").map_or(self.rest.len(), |end| end + 2)
        } else {
            return false;
        };
        let text = self.take(length).trim_end();
        self.note(text);
        self.word = false;
        true
    }

    fn take_string(&mut self) -> &'t str {
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        self.take(end.map_or(self.rest.len(), |(at, _)| at + 1))
    }

    /// Takes the rest of the line, but not a comment in it.
    fn line(&mut self) {
        let line = self.rest.find('\n').unwrap_or(self.rest.len());
        let text = self.until(&self.rest[..line]);
        let text = without_blanks(self.take(text));
        self.note(&text);
    }

    /// Where a comment or the text ends.
    fn until(&self, text: &str) -> usize {
        let mut quoted = false;
        for (at, c) in text.char_indices() {
            quoted ^= c == '"';
            if !quoted && (text[at..].starts_with("//") || text[at..].starts_with("/*")) {
                return at;
            }
        }
        text.len()
    }

    /// Takes one of the directives that are kept, if one is here.
    fn directive(&mut self) -> bool {
        let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = self.rest[1..].find(|c| !part_of_word(c)).map_or(self.rest.len(), |end| end + 1);
        let word = &self.rest[..length];
        if LINES.contains(&word) {
            self.line();
        } else if word == ".pragma" {
            let end = self.rest.find(';').unwrap_or(self.rest.len());
            let text = without_blanks(self.take(end));
            self.note(&text);
        } else if word == ".section" {
            self.section();
        } else {
            return false;
        }
        true
    }

    /// Takes a section up to its closing brace, a part for each line.
    fn section(&mut self) {
        let open = self.rest.find('{').unwrap_or(self.rest.len());
        let head = without_blanks(self.take(open));
        self.note(&head);
        self.take(usize::from(!self.rest.is_empty()));
        while !self.rest.is_empty() {
            if self.comment() {
                continue;
            }
            if self.rest.starts_with('}') {
                self.take(1);
                return;
            }
            let end = self.rest.find(['\n', '}']).unwrap_or(self.rest.len());
            let end = self.until(&self.rest[..end]);
            let text = without_blanks(self.take(end));
            self.note(&text);
            if self.rest.starts_with('\n') {
                self.take(1);
            }
        }
    }
}

/// The text with single blanks between words and none beside commas.
fn without_blanks(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace(" ,", ",").replace(", ", ",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(usize, String)> {
        kept(text).into_iter().map(|part| (part.statements, part.text)).collect()
    }

    fn part(statements: usize, text: &str) -> (usize, String) {
        (statements, text.to_owned())
    }

    #[test]
    fn comments_are_found_outside_strings_only() {
        let text = ".file 1 \"a//b\" // one\nret; /* two\n three */ .pragma \"/*\";";
        let expected = [
            part(0, ".file 1 \"a//b\""),
            part(0, "// one"),
            part(1, "/* two\n three */"),
            part(1, ".pragma \"/*\""),
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn locations_differ_from_words_that_begin_like_them() {
        assert_eq!(
            texts(".local .u32 a; .loc 1  2 3 , inlined_at 1 4 5\n"),
            [part(1, ".loc 1 2 3,inlined_at 1 4 5")]
        );
    }

    #[test]
    fn sections_are_kept_line_by_line() {
        let text = ".section .debug_abbrev { .b8 1; // x\n.b8 2}\nret;@@DWARF .byte 0x1\n";
        let expected = [
            part(0, ".section .debug_abbrev"),
            part(0, ".b8 1;"),
            part(0, "// x"),
            part(0, ".b8 2"),
            part(1, "@@DWARF .byte 0x1"),
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn what_is_lost_changed_or_moved_is_told() {
        let told = |input, print| keeps_all(input, print).map_err(|error| error.to_string());
        assert_eq!(
            told("// a\nret;", "//  a\nret;"),
            Err("`// a` after statement 0 became `//  a` after statement 0".into())
        );
        assert_eq!(
            told("ret; // a", "// a\nret;"),
            Err("`// a` after statement 1 became `// a` after statement 0".into())
        );
        assert_eq!(told("// a", ""), Err("`// a` after statement 0 is lost".into()));
        assert_eq!(told("", "// a"), Err("the print adds `// a` after statement 0".into()));
        assert_eq!(told("// a\n\tret ;", "// a\nret;"), Ok(()));
    }
}
