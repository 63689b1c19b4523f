//! Links between pages: which of them lead nowhere, and what becomes of those that leave the book.

use std::fmt::Write as _;
use std::ops::Range;

use super::pages::Page;
use crate::cargo::workspace;

/// A link `[..](target)` of a page; ranges are bytes of the line.
struct Link<'t> {
    /// The brackets and the parentheses.
    whole: Range<usize>,
    /// What is shown.
    text: &'t str,
    /// What it leads to.
    target: &'t str,
}

/// The links of a line that go to files of the repository: not into the web, and not in code.
fn links(line: &str) -> Vec<Link<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(middle) = line[from..].find("](").map(|at| from + at) {
        from = middle + 2;
        let Some(length) = line[from..].find(')') else { break };
        let target = &line[from..from + length];
        // Between two backticks there is code.
        let is_code = line[..middle].matches('`').count() % 2 == 1 && line[from..].contains('`');
        let open = line[..middle].rfind('[');
        if let Some(open) = open.filter(|_| !is_code && !target.contains("://") && !target.is_empty()) {
            found.push(Link { whole: open..from + length + 1, text: &line[open + 1..middle], target });
        }
        from += length;
    }
    found
}

/// The lines of a page, each with whether it is prose rather than a block of code.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fenced = false;
    text.lines().map(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (line, !(fence || fenced || line.starts_with("    ")))
    })
}

/// The path that a target means on a page, from the repository's root, and the heading that it names.
pub(super) fn resolve<'t>(page: &str, target: &'t str) -> (String, Option<&'t str>) {
    let (file, heading) = match target.split_once('#') {
        Some((file, heading)) => (file, Some(heading)),
        None => (target, None),
    };
    if file.is_empty() {
        return (page.to_owned(), heading);
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            _ => parts.push(part),
        }
    }
    (parts.join("/"), heading)
}

/// How a heading is named in a link.
pub(super) fn anchor(heading: &str) -> String {
    let mut out = String::new();
    for letter in heading.trim().chars() {
        match letter {
            ' ' => out.push('-'),
            _ if letter.is_alphanumeric() || matches!(letter, '-' | '_') => out.extend(letter.to_lowercase()),
            _ => {}
        }
    }
    out
}

fn has_heading(page: &Page, name: &str) -> bool {
    lines(&page.text).any(|(line, is_prose)| {
        is_prose && line.starts_with('#') && anchor(line.trim_start_matches('#')) == name
    })
}

/// The links that lead to no file of the repository, or to no heading of the page.
pub(super) fn broken(pages: &[Page]) -> Vec<String> {
    let mut wrong = Vec::new();
    for page in pages {
        for (number, (line, _)) in lines(&page.text).enumerate().filter(|(_, (_, is_prose))| *is_prose) {
            for link in links(line) {
                let (path, heading) = resolve(&page.path, link.target);
                let is_right = match pages.iter().find(|other| other.path == path) {
                    Some(other) => heading.is_none_or(|heading| has_heading(other, heading)),
                    None => workspace().join(&path).exists(),
                };
                if !is_right {
                    wrong.push(format!("{}:{}: {}", page.path, number + 1, link.target));
                }
            }
        }
    }
    wrong
}

/// The text of a page in which links to files that are not pages are only their texts, with the file's path in parentheses.
pub(super) fn inside(page: &Page, pages: &[Page]) -> String {
    let mut out = String::with_capacity(page.text.len());
    for (line, is_prose) in lines(&page.text) {
        let mut done = 0;
        for link in if is_prose { links(line) } else { Vec::new() } {
            let (path, _) = resolve(&page.path, link.target);
            if pages.iter().any(|other| other.path == path) {
                continue;
            }
            out.push_str(&line[done..link.whole.start]);
            let _ = match link.text.trim_matches('`') == path {
                true => write!(out, "`{path}`"),
                false => write!(out, "{} (`{path}`)", link.text),
            };
            done = link.whole.end;
        }
        out.push_str(&line[done..]);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(line: &str) -> Vec<&str> {
        links(line).iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_in_prose_are_found() {
        assert_eq!(targets("see [a](a.md), [b](../b.md#c) and [web](https://x.org/)"), ["a.md", "../b.md#c"]);
        assert_eq!(targets("in code `[%rd1](x)` no, [`a`](a.md) yes"), ["a.md"]);
    }

    #[test]
    fn targets_are_paths_from_the_root() {
        assert_eq!(resolve("docs/a.md", "../test-suite/x.md#y"), ("test-suite/x.md".to_owned(), Some("y")));
        assert_eq!(resolve("docs/a.md", "#y"), ("docs/a.md".to_owned(), Some("y")));
        assert_eq!(resolve("README.md", "docs/a.md"), ("docs/a.md".to_owned(), None));
    }

    #[test]
    fn headings_have_names() {
        assert_eq!(anchor(" What `ptxas` unrolls"), "what-ptxas-unrolls");
        assert_eq!(anchor(" Hints: `!ptx.mods`"), "hints-ptxmods");
    }
}
