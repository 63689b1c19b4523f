//! The pages of the book and their order.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result};
use ptx_cli::{all_codes, explanation};

use crate::cargo::{output_of, workspace};

/// A page: where it is below the sources, which is where it is in the repository if it is a file there, and its text.
pub(super) struct Page {
    /// The path with `/` between its parts.
    pub(super) path: String,
    /// How the table of contents calls it.
    pub(super) title: String,
    /// The part of the book that it begins, if it begins one.
    pub(super) part: Option<&'static str>,
    /// Whether it is listed below the page before it.
    pub(super) below: bool,
    /// Markdown.
    pub(super) text: String,
}

/// What the book has, in order: parts, and files of the repository with their titles. What is generated goes where its name is.
const CONTENTS: &[(&str, &[(&str, &str)])] = &[
    ("", &[("README.md", "ptx-llvm")]),
    (
        "Using the tools",
        &[
            ("tools/ptx2ll.md", ""),
            ("tools/ll2ptx.md", ""),
            ("tools/ptxrun.md", ""),
            ("tools/ptxdiff.md", ""),
            ("docs/ptxdiff.md", "Comparing modules"),
            ("tools/ptx-lsp.md", ""),
            ("docs/editors.md", "Editors"),
            ("docs/diagnostics.md", ""),
            ("docs/pictures.md", "Pictures"),
            ("docs/launching.md", "Launch files"),
            ("docs/textures.md", "Textures and surfaces"),
            ("docs/compiled.md", "Compiled kernels"),
            ("docs/ahead-of-time.md", "Ahead of time"),
            ("docs/specialize.md", "Kernels for known launches"),
            ("docs/analyze.md", "What decides how fast a kernel is"),
            ("docs/instrument.md", "Counting on a GPU"),
            ("docs/library.md", "The library"),
            ("docs/runtime.md", "Running kernels from programs"),
            ("docs/python.md", "Python"),
            ("docs/cuda.md", "Programs for CUDA without a GPU"),
            ("docs/cuda/c.md", "CUDA: C and C++"),
            ("docs/cuda/tinygrad.md", "CUDA: tinygrad"),
            ("docs/cuda/triton.md", "CUDA: Triton"),
            ("docs/cuda/numba-cuda.md", "CUDA: numba-cuda"),
            ("docs/cuda/numba-cuda-mlir.md", "CUDA: numba-cuda-mlir"),
            ("docs/cuda/cuda-core.md", "CUDA: cuda.core"),
            ("docs/cuda/cuda-bindings.md", "CUDA: cuda.bindings"),
            ("docs/cuda/rust.md", "CUDA: cudarc and cust"),
            ("docs/cuda/cutile.md", "CUDA: CUDA Tile"),
            ("docs/cuda/llvm-libc.md", "CUDA: LLVM's libc"),
            ("docs/cuda-functions.md", "Functions of the CUDA driver"),
            ("docs/cudart.md", "Programs of nvcc"),
            ("docs/cudart-functions.md", "Functions of the CUDA runtime"),
        ],
    ),
    (
        "PTX and LLVM IR",
        &[
            ("docs/one-instruction.md", "One instruction through all stages"),
            ("docs/mapping.md", "How PTX and LLVM IR express each other"),
            ("docs/raise.md", "How LLVM IR is translated to PTX"),
            ("docs/coverage.md", "How each instruction is lowered"),
            ("docs/ptx-dialect.md", "The PTX dialect"),
            ("docs/isa.md", "Instructions"),
            ("docs/directives.md", "Directives"),
        ],
    ),
    (
        "Measurements",
        &[
            ("docs/results.md", "Results"),
            ("docs/gpu.md", "Compared with a GPU"),
            ("docs/performance.md", "Performance"),
            ("docs/roundtrip.md", "Round trip of real PTX"),
            ("docs/passes.md", "Passes"),
            ("docs/weighted.md", "Machine code weighted by execution"),
            ("docs/robustness.md", "Robustness"),
        ],
    ),
    (
        "Working on ptx-llvm",
        &[
            ("ARCHITECTURE.md", "Architecture"),
            ("docs/internals.md", "Inside the crates"),
            ("docs/host-code.md", "Code for the host"),
            ("docs/comparison.md", "Compared with others"),
            ("CONTRIBUTING.md", "Contributing"),
            ("docs/releasing.md", "Releases"),
            ("test-suite/README.md", "The conformance suite"),
            ("test-suite/corpus/README.md", "The corpus"),
            ("test-suite/bench/README.md", "The benchmark kernels"),
            ("SECURITY.md", "Security"),
            ("CHANGELOG.md", "Changelog"),
        ],
    ),
];

/// All pages, in the order of the table of contents.
pub(super) fn all() -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for (part, files) in CONTENTS {
        let mut part = Some(*part).filter(|part| !part.is_empty());
        for (path, title) in *files {
            let first = pages.len();
            match *path {
                "docs/isa.md" => instructions(path, title, &mut pages)?,
                "docs/diagnostics.md" => pages.push(diagnostics(path)),
                _ => match path.strip_prefix("tools/").and_then(|file| file.strip_suffix(".md")) {
                    Some(tool) => pages.push(manual(path, tool)?),
                    None => pages.push(page(path, title, file(path)?)),
                },
            }
            pages[first].part = part.take();
        }
    }
    Ok(pages)
}

fn page(path: &str, title: &str, text: String) -> Page {
    Page { path: path.to_owned(), title: title.to_owned(), part: None, below: false, text }
}

fn file(path: &str) -> Result<String> {
    fs::read_to_string(workspace().join(path)).with_context(|| path.to_owned())
}

/// What `--help` of a tool prints.
fn manual(path: &str, tool: &str) -> Result<Page> {
    let help = String::from_utf8(output_of(tool, &["--help"])?).context("help is UTF-8")?;
    Ok(page(
        path,
        tool,
        format!("# {tool}\n\nWhat `{tool} --help` prints.\n\n```text\n{}\n```\n", help.trim_end()),
    ))
}

/// Every code that a diagnostic may have, with an input that gives it and one that does not.
fn diagnostics(path: &str) -> Page {
    let mut text = String::from(
        "# Diagnostics\n\nEvery diagnostic has a code; its letter names the stage: `P` parse, `V` verify, `K` link, `L` lower, `I` read LLVM IR, \
         `O` optimize, `R` raise, `G` generate code, `X` execute, `T` tools. `ptx2ll --explain CODE` prints an entry. Where statements are shown, \
         they are those of a kernel with the registers that they name.\n",
    );
    for meaning in all_codes() {
        let body = explanation(meaning);
        let body = body.split_once(": ").map_or(body.as_str(), |(_, body)| body);
        let _ = write!(text, "\n## {}\n\n{}\n", meaning.code.0, body.trim_end());
    }
    page(path, "Diagnostics", text)
}

/// The instruction table: a page for each opcode below one that lists them.
fn instructions(path: &str, title: &str, pages: &mut Vec<Page>) -> Result<()> {
    let text = file(path)?;
    let (head, entries) = text.split_once("\n## ").context("docs/isa.md has no entries")?;
    let mut list = format!("{head}\n");
    let at = pages.len();
    for entry in entries.split("\n## ") {
        let opcode = entry.lines().next().unwrap_or(entry);
        // `.` in a file's name is read as the begin of its extension.
        let name = format!("{}.md", opcode.replace('.', "-"));
        let _ = writeln!(list, "- [`{opcode}`](isa/{name})");
        let mut one = page(&format!("docs/isa/{name}"), opcode, format!("# {}\n", entry.trim_end()));
        one.below = true;
        pages.push(one);
    }
    pages.insert(at, page(path, title, list));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_document_is_in_the_book() {
        let listed =
            |path: &str| CONTENTS.iter().flat_map(|(_, files)| *files).any(|(file, _)| *file == path);
        let mut folders = vec!["docs".to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(workspace().join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.file_type().unwrap().is_dir() {
                    folders.push(path);
                } else {
                    assert!(listed(&path), "{path} is not in the table of contents (CONTENTS)");
                }
            }
        }
    }
}
