//! docs/cudart-functions.md: which functions of the CUDA runtime `libcudart.so.12` and `libcudart.so.13` have.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cudart::table::{NAMES, Name, Versions};

use crate::cargo::workspace;

const HEAD: &str = "\
<!-- Written by `cargo xtask docs` from crates/ptx-cudart/src/symbols.rs; a test fails when it is out of date. -->

# Functions of the CUDA runtime

Every name that NVIDIA's libraries export is exported by `libcudart.so.12` (those of CUDA 12.9) and `libcudart.so.13` (CUDA 13.5) of this project
([cudart.md](cudart.md)). A function that is not implemented returns `cudaErrorNotSupported` and is named once in the log. Names that only one version
has are marked with it; variants for the default stream of a thread (`_ptds`, `_ptsz`) belong to their functions.

";

fn path() -> PathBuf {
    workspace().join("docs/cudart-functions.md")
}

/// Writes the page.
pub(crate) fn write() -> Result<()> {
    fs::write(path(), page()).with_context(|| format!("cannot write {}", path().display()))
}

fn shown(name: &Name) -> String {
    match name.versions {
        Versions::Both => format!("`{}`", name.symbol),
        Versions::Only12 => format!("`{}` (12)", name.symbol),
        Versions::Only13 => format!("`{}` (13)", name.symbol),
    }
}

/// The numbers of names of a version and of those that are implemented, as two cells.
fn counts<'a>(names: impl Iterator<Item = &'a Name>, other: Versions) -> String {
    let (mut all, mut done) = (0, 0);
    for name in names.filter(|name| name.versions != other) {
        all += 1;
        done += u32::from(name.implemented);
    }
    format!("{all} | {done}")
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut subjects: BTreeMap<_, Vec<&Name>> = BTreeMap::new();
    for name in NAMES {
        subjects.entry(name.subject).or_default().push(name);
    }
    page += "| subject | CUDA 12 | implemented | CUDA 13 | implemented |\n|---|---|---|---|---|\n";
    let both = |names: &[&Name]| {
        let of = |other| counts(names.iter().copied(), other);
        format!("{} | {}", of(Versions::Only13), of(Versions::Only12))
    };
    for (subject, names) in &subjects {
        writeln!(page, "| {} | {} |", subject.title(), both(names)).expect("a text");
    }
    let all: Vec<&Name> = NAMES.iter().collect();
    writeln!(page, "| all | {} |", both(&all)).expect("a text");
    for (subject, names) in subjects {
        write!(page, "\n## {}\n\n| implemented | not implemented |\n|---|---|\n", subject.title())
            .expect("a text");
        for name in names.iter().filter(|name| name.base() == name.symbol) {
            let cells =
                if name.implemented { (shown(name), String::new()) } else { (String::new(), shown(name)) };
            writeln!(page, "| {} | {} |", cells.0, cells.1).expect("a text");
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
        assert!(written == page(), "docs/cudart-functions.md is out of date: run `cargo xtask docs`");
    }
}
