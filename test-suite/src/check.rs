//! Check lines: what a text must contain, in order.

use anyhow::{Context, Result, bail};
use regex_lite::Regex;

use crate::directive::{Check, CheckKind};

/// Matches the check lines of one prefix against `text`; the error names the first line that fails.
pub fn run(checks: &[&Check], text: &str) -> Result<()> {
    let mut at = 0;
    let mut forbidden: Vec<(&Check, Regex)> = Vec::new();
    for &check in checks {
        let regex = compile(&check.pattern).with_context(|| format!("line {}", check.line))?;
        let range = match check.kind {
            CheckKind::Not => {
                forbidden.push((check, regex));
                continue;
            }
            CheckKind::After => at..text.len(),
            CheckKind::Next => next_line(text, at),
        };
        let Some(found) = regex.find(&text[range.clone()]) else {
            bail!("line {}: `{}` is not found after\n{}", check.line, check.pattern, excerpt(text, at));
        };
        refuse(&forbidden, &text[at..range.start + found.start()])?;
        forbidden.clear();
        at = range.start + found.end();
    }
    refuse(&forbidden, &text[at..])
}

fn refuse(forbidden: &[(&Check, Regex)], text: &str) -> Result<()> {
    for (check, regex) in forbidden {
        if let Some(found) = regex.find(text) {
            bail!("line {}: found what must not be there: {}", check.line, found.as_str());
        }
    }
    Ok(())
}

/// Literal text with `{{...}}` as regular expressions; blanks match any blanks within a line.
fn compile(pattern: &str) -> Result<Regex> {
    let mut regex = String::new();
    let mut rest = pattern;
    while let Some((literal, tail)) = rest.split_once("{{") {
        let (expression, tail) = tail.split_once("}}").context("`{{` is not closed")?;
        regex.push_str(&literal_regex(literal));
        regex.push_str(&format!("(?:{expression})"));
        rest = tail;
    }
    regex.push_str(&literal_regex(rest));
    Ok(Regex::new(&regex)?)
}

fn literal_regex(text: &str) -> String {
    let mut regex = String::new();
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            regex.push_str("[ \t]+");
        }
        regex.push_str(&regex_lite::escape(c.encode_utf8(&mut [0; 4])));
    }
    if blank {
        regex.push_str("[ \t]+");
    }
    regex
}

fn next_line(text: &str, at: usize) -> std::ops::Range<usize> {
    let start = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
    let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
    start..end
}

fn excerpt(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = text[start..].char_indices().nth(3000).map_or(text.len(), |(n, _)| start + n);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(lines: &[(CheckKind, &str)], text: &str) -> bool {
        let checks: Vec<Check> = lines
            .iter()
            .map(|&(kind, pattern)| Check { prefix: "CHECK".into(), kind, pattern: pattern.into(), line: 1 })
            .collect();
        run(&checks.iter().collect::<Vec<_>>(), text).is_ok()
    }

    #[test]
    fn checks_are_ordered_and_negations_lie_between() {
        use CheckKind::{After, Next, Not};
        let text = "one\ntwo   three\nfour\n";
        assert!(judge(&[(After, "one"), (Next, "two three"), (After, "four")], text));
        assert!(!judge(&[(After, "four"), (After, "one")], text));
        assert!(!judge(&[(After, "one"), (Next, "four")], text));
        assert!(!judge(&[(After, "one"), (Not, "three"), (After, "four")], text));
        assert!(judge(&[(After, "two"), (Not, "one")], text));
        assert!(!judge(&[(Not, "f{{o+}}ur")], text));
        assert!(judge(&[(After, "t{{[a-z]+}} three")], text));
        assert!(!judge(&[(After, "t.o")], text), "outside braces text is literal");
    }
}
