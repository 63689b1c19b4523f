//! docs/cuda-functions.md: which functions of the CUDA driver `libcuda.so.1` has.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cuda::table::{NAMES, Name};

use crate::cargo::workspace;

const HEAD: &str = "\
<!-- Written by `cargo xtask docs` from crates/ptx-cuda/src/symbols.rs; a test fails when it is out of date. -->

# Functions of the CUDA driver

Every name of `cuda.h` 13.5 is exported by `libcuda.so.1` ([cuda.md](cuda.md)). A function that is not implemented returns
`CUDA_ERROR_NOT_SUPPORTED` and is named once in the log. Names with the suffixes of versions (`_v2`) are listed by their first name; variants for the
default stream of a thread (`_ptds`, `_ptsz`) belong to their functions. The number is the first version of CUDA with a symbol.

";

fn path() -> PathBuf {
    workspace().join("docs/cuda-functions.md")
}

/// Writes the page.
pub(crate) fn write() -> Result<()> {
    fs::write(path(), page()).with_context(|| format!("cannot write {}", path().display()))
}

/// A symbol with its version, as `_v2 (CUDA 3.2)`.
fn shown(name: &Name) -> String {
    let suffix = name.symbol.strip_prefix(name.base()).filter(|suffix| !suffix.is_empty());
    // Default: the first version of a name has no suffix.
    let suffix = suffix.map_or_else(|| format!("`{}`", name.symbol), |suffix| format!("`{suffix}`"));
    format!("{suffix} ({}.{})", name.since / 1000, name.since % 1000 / 10)
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut subjects: BTreeMap<_, BTreeMap<&str, Vec<&Name>>> = BTreeMap::new();
    for name in NAMES {
        subjects.entry(name.subject).or_default().entry(name.base()).or_default().push(name);
    }
    let count = |names: &mut dyn Iterator<Item = &Name>| names.filter(|name| name.implemented).count();
    page += "| subject | symbols | implemented |\n|---|---|---|\n";
    for (subject, names) in &subjects {
        let all: usize = names.values().map(Vec::len).sum();
        let done = count(&mut names.values().flatten().copied());
        writeln!(page, "| {} | {all} | {done} |", subject.title()).expect("a text");
    }
    writeln!(page, "| all | {} | {} |", NAMES.len(), count(&mut NAMES.iter())).expect("a text");
    for (subject, names) in subjects {
        write!(page, "\n## {}\n\n| implemented | not implemented |\n|---|---|\n", subject.title())
            .expect("a text");
        for mut versions in names.into_values() {
            versions.retain(|name| !name.is_per_thread());
            versions.sort_by_key(|name| name.since);
            let of = |implemented| {
                let of: Vec<_> = versions
                    .iter()
                    .filter(|name| name.implemented == implemented)
                    .map(|name| shown(name))
                    .collect();
                let has_base = of.first().is_some_and(|first| first.contains(versions[0].base()));
                let base = if of.is_empty() || has_base {
                    String::new()
                } else {
                    format!("`{}` ", versions[0].base())
                };
                base + &of.join(", ")
            };
            writeln!(page, "| {} | {} |", of(true), of(false)).expect("a text");
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_up_to_date() {
        let written = fs::read_to_string(path()).unwrap_or_default();
        assert!(written == page(), "docs/cuda-functions.md is out of date: run `cargo xtask docs`");
    }
}
