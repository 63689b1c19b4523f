//! Translation of texts: PTX to LLVM IR, LLVM IR to PTX, and optimization.

use ptx_diag::{Diagnostics, SourceFile};
use ptx_driver::{Atomics, Unoptimized};
use ptx_driver::{
    Comments, InputKind, JudgedText, Style, TargetChoice, explain, llvm_context, lower, optimize,
    print_checked, raise, read_llvm, read_ptx, settle_atomics, settle_unoptimized,
};
use ptx_isa::{PtxVersion, Sm};
use ptx_llvm_core::{Context, OptLevel};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::errors::{Findings, rejected, warn};

/// What a translation does besides translating.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The level of optimization.
    pub(crate) level: OptLevel,
    /// Passes after it, as LLVM's `opt` names them.
    pub(crate) passes: Option<String>,
    /// The target in place of that of the module.
    pub(crate) target: TargetChoice,
}

impl Options {
    /// The options as Python gives them.
    pub(crate) fn new(
        level: &Bound<'_, PyAny>,
        passes: Option<String>,
        target: Option<&str>,
        version: Option<&str>,
    ) -> PyResult<Self> {
        let sm = target.map(architecture).transpose()?;
        let version = version.map(|text| {
            PtxVersion::from_text(text).ok_or_else(|| {
                PyValueError::new_err(format!("{text:?} is not a version of PTX, such as \"8.7\""))
            })
        });
        let target = TargetChoice { sm, version: version.transpose()? };
        Ok(Self { level: level_of(level)?, passes, target })
    }
}

/// An architecture by its name: `sm_90a`, or `90a` alone.
pub(crate) fn architecture(text: &str) -> PyResult<Sm> {
    let found = Sm::from_text(text).or_else(|| Sm::from_text(&format!("sm_{text}")));
    let is_known = |sm: &Sm| ptx_driver::known_targets().any(|(known, _)| known == *sm);
    found
        .filter(is_known)
        .ok_or_else(|| PyValueError::new_err(format!("{text:?} is not an architecture, such as \"sm_90a\"")))
}

/// A level of optimization: a number, or `"s"` and `"z"` for size.
fn level_of(level: &Bound<'_, PyAny>) -> PyResult<OptLevel> {
    let text = level.str()?;
    Ok(match text.to_str()? {
        "0" => OptLevel::O0,
        "1" => OptLevel::O1,
        "2" => OptLevel::O2,
        "3" => OptLevel::O3,
        "s" => OptLevel::Os,
        "z" => OptLevel::Oz,
        other => {
            let text = format!("the level of optimization is 0, 1, 2, 3, \"s\" or \"z\", not {other:?}");
            return Err(PyValueError::new_err(text));
        }
    })
}

/// The bytes of a text, as `str` or `bytes`.
pub(crate) fn bytes_of(text: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = text.cast::<PyString>() {
        return Ok(text.to_str()?.as_bytes().to_vec());
    }
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(bytes) = text.cast::<PyByteArray>() {
        return Ok(bytes.to_vec());
    }
    Err(PyTypeError::new_err(format!("a text is str or bytes, not {}", text.get_type().name()?)))
}

/// The result of a stage: what it makes, with warnings, or the diagnostics that reject its input.
type Staged<T> = Result<(T, Findings), Findings>;

/// Runs a stage without holding Python's lock, issues its warnings, and raises its errors.
fn staged<T: Send>(py: Python<'_>, stage: impl FnOnce() -> Staged<T> + Send) -> PyResult<T> {
    match py.detach(stage) {
        Ok((made, warnings)) => {
            warn(py, &warnings)?;
            Ok(made)
        }
        Err(findings) => Err(rejected(py, &findings)),
    }
}

/// PTX as LLVM IR.
pub(crate) fn ptx_to_llvm(py: Python<'_>, source: &SourceFile, options: &Options) -> PyResult<String> {
    staged(py, || lowered(source, options))
}

/// LLVM IR as PTX.
pub(crate) fn llvm_to_ptx(py: Python<'_>, source: &SourceFile, options: &Options) -> PyResult<String> {
    staged(py, || raised(source, options))
}

/// PTX or LLVM IR, optimized, in the same language.
pub(crate) fn optimized(py: Python<'_>, source: &SourceFile, options: &Options) -> PyResult<String> {
    staged(py, || match InputKind::of_content(source.text()) {
        InputKind::Llvm => improved(source, options),
        InputKind::Ptx => {
            let (text, mut warnings) = lowered(source, options)?;
            let llvm = SourceFile::new(source.name(), text);
            // It has been optimized, and has the target that was chosen.
            let again = Options { level: OptLevel::O0, passes: None, target: options.target };
            let (text, more) = raised(&llvm, &again)?;
            warnings.extend(more);
            Ok((text, warnings))
        }
    })
}

/// Has a function give its diagnostics about one text.
fn about<T>(source: &SourceFile, made: Result<T, Diagnostics>) -> Result<T, Findings> {
    made.map_err(|found| vec![(source.clone(), found)])
}

fn lowered(source: &SourceFile, options: &Options) -> Staged<String> {
    let (mut module, mut warnings) = about(source, read_ptx(source, Comments::Dropped))?;
    ptx_driver::retarget(&mut module, options.target);
    let (verified, more) = match ptx_verify::verify(&module) {
        Ok(verified) => verified,
        Err(found) => {
            warnings.append(found);
            return Err(vec![(source.clone(), warnings)]);
        }
    };
    warnings.append(more);
    let context = about(source, llvm_context(source))?;
    let module = about(source, lower(verified, &context))?;
    let (text, more) = finished(module, options, source)?;
    warnings.append(more);
    Ok((text, vec![(source.clone(), warnings)]))
}

/// Optimizes a module; gives it as text, with warnings.
fn finished(
    module: ptx_llvm_core::Module<'_>,
    options: &Options,
    source: &SourceFile,
) -> Result<(String, Diagnostics), Findings> {
    let settled = settle_unoptimized(module, Unoptimized::default(), options.level, source);
    let (mut module, warnings) = about(source, settled)?;
    let Options { level, passes, target } = options;
    about(source, optimize(&mut module, *level, passes.as_deref(), *target, source))?;
    Ok((module.to_text(), warnings))
}

fn read<'c>(
    context: &'c Context,
    source: &SourceFile,
) -> Result<(ptx_llvm_core::Module<'c>, Diagnostics), Findings> {
    let (mut module, warnings) = about(source, read_llvm(context, source))?;
    settle_atomics(&mut module, Atomics::default());
    Ok((module, warnings))
}

/// LLVM IR, optimized.
fn improved(source: &SourceFile, options: &Options) -> Staged<String> {
    let context = about(source, llvm_context(source))?;
    let (module, mut warnings) = read(&context, source)?;
    let (text, more) = finished(module, options, source)?;
    warnings.append(more);
    Ok((text, vec![(source.clone(), warnings)]))
}

fn raised(source: &SourceFile, options: &Options) -> Staged<String> {
    let context = about(source, llvm_context(source))?;
    let (module, mut warnings) = read(&context, source)?;
    let settled = settle_unoptimized(module, Unoptimized::default(), options.level, source);
    let (mut module, more) = about(source, settled)?;
    warnings.append(more);
    let Options { level, passes, target } = options;
    about(source, optimize(&mut module, *level, passes.as_deref(), *target, source))?;
    let (ptx, more) = about(source, raise(&mut module, *target))?;
    warnings.append(more);
    let style = (*target, Style::default());
    let text = print_checked(&ptx, source.name())
        .map_err(|bad| vec![(source.clone(), explain(&bad, &module, style, JudgedText::Unknown))])?;
    Ok((text, vec![(source.clone(), warnings)]))
}
