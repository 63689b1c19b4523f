//! What compilers make of the CUDA sources of kernels, without optimization and in LLVM IR.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::oracle::nvidia_folder;

/// The levels of clang whose LLVM IR is in test-suite/clang; `kernels.py --clang` writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClangLevel {
    /// `-O0`: every function is `optnone`.
    O0,
    /// `-O3`.
    O3,
}

/// The PTX that `nvcc -G` makes of a source, for sm_80.
///
/// # Errors
/// When nvcc is missing or refuses the source.
pub fn debug_ptx(source: &Path) -> Result<String> {
    let nvcc = nvidia_folder().join("bin/nvcc");
    let output = tempfile::NamedTempFile::new()?;
    let mut command = Command::new(&nvcc);
    command.args(["-std=c++17", "-G", "-ptx", "-arch=sm_80"]).arg(source).arg("-o").arg(output.path());
    let run = command.output().with_context(|| nvcc.display().to_string())?;
    ensure!(run.status.success(), "nvcc: {}", String::from_utf8_lossy(&run.stderr).trim());
    Ok(std::fs::read_to_string(output.path())?)
}

/// The LLVM IR that clang made of a source.
///
/// # Errors
/// When there is none.
pub fn clang_ir(source: &Path, level: ClangLevel) -> Result<String> {
    let folder = match level {
        ClangLevel::O0 => "O0",
        ClangLevel::O3 => "O3",
    };
    let name = source.file_stem().context("a source without a name")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("clang");
    let path = root.join(folder).join(name).with_extension("ll");
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}
