//! Pipelines as text: which part of it is LLVM's, and which are passes of this project.
//!
//! `default<O2>,function(sroa,ptx-count-first,gvn),dce` is LLVM's `default<O2>,function(sroa)`, this project's pass, and LLVM's `function(gvn),dce`.

use std::borrow::Cow;

use crate::pass::Run;
use crate::passes::by_text;

/// A part of a pipeline that runs as a whole.
#[derive(Clone, Debug)]
pub(crate) enum Step<'a> {
    /// A pass of this project.
    Own {
        /// Its name.
        name: &'static str,
        /// What it does.
        run: Run,
    },
    /// Passes of LLVM's, as LLVM reads them. Adjacent ones are one step, so that LLVM keeps its analyses from one to the next.
    Llvm(Cow<'a, str>),
}

impl Step<'_> {
    /// What is written in a pipeline for it.
    pub(crate) fn text(&self) -> &str {
        match self {
            Step::Own { name, .. } => name,
            Step::Llvm(text) => text,
        }
    }
}

/// Pipelines nested deeper are refused.
const DEEPEST: usize = 64;

/// Splits a pipeline at the passes of this project. These are at its top, in `module(..)` or, if they run on functions, in `function(..)`; LLVM parses the text
/// between them.
///
/// # Errors
///
/// The mistake in the text, as far as it concerns passes of this project.
pub(crate) fn steps(text: &str) -> Result<Vec<Step<'_>>, String> {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(format!("pipelines are nested deeper than {DEEPEST} levels"));
        }
    }
    let mut found = Vec::new();
    collect(text, None, &mut found)?;
    Ok(found)
}

/// Adds the steps of a list of passes; `within` is what stands before its bracket, where it is in `function(..)`.
fn collect<'a>(text: &'a str, within: Option<&str>, found: &mut Vec<Step<'a>>) -> Result<(), String> {
    let llvm = |text: &'a str| match within {
        Some(adaptor) => Step::Llvm(Cow::Owned(format!("{adaptor}({text})"))),
        None => Step::Llvm(Cow::Borrowed(text)),
    };
    let mut llvm_start = None;
    for (start, element) in elements(text) {
        if element.is_empty() {
            return Err(format!("a pass name is missing in `{text}`"));
        }
        let own = by_text(element)?;
        if own.is_none() && !has_own(element) {
            llvm_start.get_or_insert(start);
            continue;
        }
        if let Some(from) = llvm_start.take() {
            found.push(llvm(&text[from..start - 1]));
        }
        match own {
            Some((name, run)) if within.is_some() && !matches!(run, Run::Function(_)) => {
                return Err(format!("`{name}` runs on modules, not in `function(..)`"));
            }
            Some((name, run)) => found.push(Step::Own { name, run }),
            None => {
                let (adaptor, inner) = nested(element)?;
                let is_function = adaptor.split('<').next() == Some("function");
                match adaptor {
                    "module" if within.is_none() => collect(inner, None, found)?,
                    _ if is_function => collect(inner, Some(adaptor), found)?,
                    _ => {
                        return Err(format!(
                            "passes of this project run in `module(..)` and `function(..)`, not in `{adaptor}(..)`"
                        ));
                    }
                }
            }
        }
    }
    if let Some(from) = llvm_start {
        found.push(llvm(&text[from..]));
    }
    Ok(())
}

/// Whether a pass of this project is named in a text.
fn has_own(text: &str) -> bool {
    text.split(['(', ')', ',']).any(|part| !matches!(by_text(part), Ok(None)))
}

/// What stands before the bracket of an element, and what is in it.
fn nested(element: &str) -> Result<(&str, &str), String> {
    element
        .strip_suffix(')')
        .and_then(|element| element.split_once('('))
        .ok_or_else(|| format!("a bracket is missing in `{element}`"))
}

/// The parts of `text` between commas outside brackets, each with its offset.
fn elements(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut depth = 0_usize;
    let mut start = 0;
    let ends = text.bytes().map(Some).chain([None]).enumerate();
    ends.filter_map(move |(at, byte)| {
        match byte {
            Some(b'(' | b'<') => depth += 1,
            Some(b')' | b'>') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends_here = byte.is_none() || (byte == Some(b',') && depth == 0);
        ends_here.then(|| {
            let element = (start, &text[start..at]);
            start = at + 1;
            element
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Result<Vec<String>, String> {
        Ok(steps(text)?.iter().map(|step| step.text().to_owned()).collect())
    }

    #[test]
    fn passes_of_this_project_split_what_llvm_runs() {
        for (text, expected) in [
            ("default<O2>", &["default<O2>"][..]),
            ("sroa,gvn,ptx-strip-hints,dce", &["sroa,gvn", "ptx-strip-hints", "dce"]),
            ("function<eager-inv>(sroa,gvn),dce", &["function<eager-inv>(sroa,gvn),dce"]),
            (
                "inline,function<eager-inv>(sroa,gvn,ptx-count-first,loop(licm),dce),globaldce",
                &[
                    "inline",
                    "function<eager-inv>(sroa,gvn)",
                    "ptx-count-first",
                    "function<eager-inv>(loop(licm),dce)",
                    "globaldce",
                ],
            ),
            (
                "module(ptx-strip-hints,inline,function(ptx-point-branches<back>))",
                &["ptx-strip-hints", "inline", "ptx-point-branches"],
            ),
            ("function(function(sroa,ptx-count-first))", &["function(sroa)", "ptx-count-first"]),
        ] {
            assert_eq!(
                texts(text).as_deref(),
                Ok(&expected.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>()[..]),
                "{text}"
            );
        }
    }

    #[test]
    fn places_that_are_none_of_them_are_told() {
        for (text, expected) in [
            ("function(ptx-strip-hints)", "`ptx-strip-hints` runs on modules"),
            ("cgscc(inline,function(ptx-count-first))", "not in `cgscc(..)`"),
            ("function(loop(ptx-count-first))", "not in `loop(..)`"),
            ("function(module(ptx-strip-hints))", "not in `module(..)`"),
            ("repeat<2>(ptx-strip-hints)", "not in `repeat<2>(..)`"),
            ("function(ptx-count-first", "a bracket is missing"),
            ("function(ptx-count-first,)", "a pass name is missing"),
            ("ptx-count-first<back>", "has no parameter `back`"),
            ("", "a pass name is missing"),
        ] {
            assert!(
                texts(text).is_err_and(|message| message.contains(expected)),
                "{text}: {:?}",
                texts(text)
            );
        }
        let deep = format!("{}ptx-strip-hints{}", "module(".repeat(100_000), ")".repeat(100_000));
        assert!(texts(&deep).is_err_and(|message| message.contains("deeper")));
    }
}
