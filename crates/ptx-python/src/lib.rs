//! The native part of the Python package `ptx_llvm`: reading, checking and translating PTX (`ptx-driver`), and executing it (`ptx-device`).
//!
//! The package itself is in `python/ptx_llvm`, with the classes of errors and the types of all names for checkers of types. What is documented
//! here is what Python's `help` shows.

mod arguments;
mod device;
mod errors;
mod interruptible;
mod memory;
mod model;
mod texture;
mod translate;

use pyo3::prelude::*;

/// The native part of `ptx_llvm`.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::device::{ConfiguredKernel, Device, Kernel, LoadedModule, Report};
    #[pymodule_export]
    use crate::memory::DeviceArray;
    use crate::model::source_of;
    #[pymodule_export]
    use crate::model::{Function, Instruction, Module, Parameter, Register, Variable};
    #[pymodule_export]
    use crate::texture::TextureObject;
    use crate::translate::{self, Options, bytes_of};

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "it is a name of Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Reads PTX, as ``str`` or ``bytes``. ``name`` is the name of the text in diagnostics.
    ///
    /// ``PtxError`` if the text has errors, with all of them.
    #[pyfunction]
    #[pyo3(signature = (text, name = None))]
    fn parse(py: Python<'_>, text: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Module> {
        Module::parse(py, bytes_of(text)?, name.unwrap_or(PTX))
    }

    /// The name of a text that has none.
    const PTX: &str = "<ptx>";
    const LLVM: &str = "<llvm>";

    /// Translates PTX, a text or a :class:`Module`, to LLVM IR in NVPTX style.
    ///
    /// ``level`` is the level of optimization: 0 to 3, ``"s"`` or ``"z"``; ``passes`` are passes that run after it, as LLVM's ``opt`` names them.
    #[pyfunction]
    #[pyo3(signature = (ptx, *, level = None, passes = None, target = None, name = None))]
    fn ptx_to_llvm(
        py: Python<'_>,
        ptx: &Bound<'_, PyAny>,
        level: Option<Bound<'_, PyAny>>,
        passes: Option<String>,
        target: Option<&str>,
        name: Option<&str>,
    ) -> PyResult<String> {
        let options = options(py, level, 0, passes, target, None)?;
        translate::ptx_to_llvm(py, &source_of(ptx, name, PTX)?, &options)
    }

    /// Translates LLVM IR for NVPTX, text or bitcode, to PTX.
    ///
    /// ``target`` is the architecture (``"sm_90a"``) and ``version`` the PTX version (``"8.7"``), by default those of the module; ``level`` and
    /// ``passes`` as for :func:`ptx_to_llvm`.
    #[pyfunction]
    #[pyo3(signature = (ir, target = None, *, version = None, level = None, passes = None, name = None))]
    fn llvm_to_ptx(
        py: Python<'_>,
        ir: &Bound<'_, PyAny>,
        target: Option<&str>,
        version: Option<&str>,
        level: Option<Bound<'_, PyAny>>,
        passes: Option<String>,
        name: Option<&str>,
    ) -> PyResult<String> {
        let options = options(py, level, 0, passes, target, version)?;
        translate::llvm_to_ptx(py, &source_of(ir, name, LLVM)?, &options)
    }

    /// Optimizes PTX, a text or a :class:`Module`, or LLVM IR, text or bitcode. Returns a text in the same language.
    #[pyfunction]
    #[pyo3(signature = (text, level = None, passes = None, *, target = None, name = None))]
    fn optimize(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        level: Option<Bound<'_, PyAny>>,
        passes: Option<String>,
        target: Option<&str>,
        name: Option<&str>,
    ) -> PyResult<String> {
        let options = options(py, level, 2, passes, target, None)?;
        translate::optimized(py, &source_of(text, name, "<text>")?, &options)
    }

    fn options(
        py: Python<'_>,
        level: Option<Bound<'_, PyAny>>,
        usual: u8,
        passes: Option<String>,
        target: Option<&str>,
        version: Option<&str>,
    ) -> PyResult<Options> {
        let level = match level {
            Some(level) => level,
            None => usual.into_pyobject(py)?.into_any(),
        };
        Options::new(&level, passes, target, version)
    }

    /// The versions of this package and of LLVM, which is loaded for that: ``{"ptx_llvm": "0.1.0", "llvm": "22.1.0"}``.
    #[pyfunction]
    fn version(py: Python<'_>) -> PyResult<Bound<'_, pyo3::types::PyDict>> {
        let versions = pyo3::types::PyDict::new(py);
        versions.set_item("ptx_llvm", env!("CARGO_PKG_VERSION"))?;
        let llvm = ptx_llvm_core::version();
        let llvm = llvm.map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))?;
        versions.set_item("llvm", llvm)?;
        Ok(versions)
    }
}
