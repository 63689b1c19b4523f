//! Diagnostics and errors as objects of Python, whose classes are in `python/ptx_llvm/_errors.py`.

use std::ffi::CString;

use ptx_device::{DeviceError, ErrorKind, Finding};
use ptx_diag::{Color, Diagnostics, Format, Position, SourceFile, render};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// The module with the classes.
const ERRORS: &str = "ptx_llvm._errors";

/// Diagnostics with the texts that they are about.
pub(crate) type Findings = Vec<(SourceFile, Diagnostics)>;

/// A class, imported once.
macro_rules! class {
    ($name:ident) => {{
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        |py| CLASS.import(py, ERRORS, stringify!($name))
    }};
}

/// The diagnostics as text, as the tools print them.
fn text_of(source: &SourceFile, diagnostics: &Diagnostics) -> String {
    render(source, diagnostics, Format::Human(Color::Never)).trim_end().to_owned()
}

/// The diagnostics as objects.
pub(crate) fn diagnostics<'py>(py: Python<'py>, findings: &Findings) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut objects = Vec::new();
    for (source, diagnostics) in findings {
        for diagnostic in diagnostics {
            let fields = PyDict::new(py);
            let place = diagnostic.span.map(|span| source.position(span.lo));
            let notes = diagnostic.related.iter().map(|label| {
                let Position { line, column } = source.position(label.span.lo);
                format!("{}:{line}:{column}: {}", source.name(), label.text)
            });
            let mut one = Diagnostics::new();
            one.push(diagnostic.clone());
            // Without the last line, which counts the diagnostics.
            let text = text_of(source, &one);
            let text = text.rsplit_once("\n\n").map_or(text.as_str(), |(text, _)| text);
            fields.set_item("code", diagnostic.code.0)?;
            fields.set_item("severity", diagnostic.severity.as_str())?;
            fields.set_item("message", &diagnostic.message)?;
            fields.set_item("file", source.name())?;
            fields.set_item("line", place.map(|place| place.line))?;
            fields.set_item("column", place.map(|place| place.column))?;
            fields.set_item("help", diagnostic.help.as_deref())?;
            fields.set_item("notes", PyTuple::new(py, notes.collect::<Vec<_>>())?)?;
            fields.set_item("text", text)?;
            objects.push(class!(Diagnostic)(py)?.call((), Some(&fields))?);
        }
    }
    Ok(objects)
}

/// The error that texts are rejected.
pub(crate) fn rejected(py: Python<'_>, findings: &Findings) -> PyErr {
    let make = || {
        let texts: Vec<String> = findings
            .iter()
            .filter(|(_, diagnostics)| !diagnostics.is_empty())
            .map(|(source, diagnostics)| text_of(source, diagnostics))
            .collect();
        class!(PtxError)(py)?.call1((texts.join("\n\n"), diagnostics(py, findings)?))
    };
    raised(make())
}

/// The error itself, or the one that making it raised.
fn raised(error: PyResult<Bound<'_, PyAny>>) -> PyErr {
    error.map_or_else(|error| error, PyErr::from_value)
}

/// Issues a `PtxWarning` for each diagnostic.
pub(crate) fn warn(py: Python<'_>, findings: &Findings) -> PyResult<()> {
    for diagnostic in diagnostics(py, findings)? {
        let text: String = diagnostic.getattr("text")?.extract()?;
        issue(py, &text)?;
    }
    Ok(())
}

/// Issues a `PtxWarning`.
fn issue(py: Python<'_>, text: &str) -> PyResult<()> {
    // A text of PTX has no zero byte that could be quoted.
    let text = CString::new(text.replace('\0', " "))?;
    PyErr::warn(py, class!(PtxWarning)(py)?, &text, 1)
}

/// Issues a `PtxWarning` for each warning about a module on a device.
pub(crate) fn warn_of_module(py: Python<'_>, findings: &[Finding]) -> PyResult<()> {
    findings.iter().try_for_each(|finding| issue(py, &finding.text))
}

/// The diagnostics of a device as objects.
fn device_diagnostics<'py>(py: Python<'py>, findings: &[Finding]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let parse = py.import("json")?.getattr("loads")?;
    let object = |finding: &Finding| {
        let fields = PyDict::new(py);
        let json = parse.call1((&finding.json,))?;
        fields.set_item("code", finding.code)?;
        fields.set_item("severity", json.get_item("severity")?)?;
        fields.set_item("message", &finding.message)?;
        fields.set_item("file", &finding.file)?;
        fields.set_item("line", finding.position.map(|place| place.line))?;
        fields.set_item("column", finding.position.map(|place| place.column))?;
        fields.set_item("help", json.get_item("help")?)?;
        fields.set_item("notes", PyTuple::new(py, &finding.related)?)?;
        fields.set_item("text", &finding.text)?;
        class!(Diagnostic)(py)?.call((), Some(&fields))
    };
    findings.iter().map(object).collect()
}

/// The error of a device.
pub(crate) fn device_error(py: Python<'_>, error: &DeviceError) -> PyErr {
    let make = || {
        let diagnostics = device_diagnostics(py, error.findings())?;
        let text = error.to_string();
        let class = match error {
            DeviceError::Module(_) => return class!(PtxError)(py)?.call1((text, diagnostics)),
            DeviceError::Kernel(_) | DeviceError::Launch(_) | DeviceError::Stopped(_) => {
                class!(LaunchError)(py)?
            }
            DeviceError::Target { .. }
            | DeviceError::Arguments(_)
            | DeviceError::Memory(_)
            | DeviceError::Texture(_)
            | DeviceError::Event(_)
            | DeviceError::Capture(_)
            | DeviceError::Limit(_)
            | DeviceError::Graph(_)
            | DeviceError::Host(_)
            | DeviceError::Internal(_) => class!(DeviceError)(py)?,
        };
        let kind = error.kind();
        class.call1((text, name_of(kind), kind.cuda_result(), diagnostics))
    };
    raised(make())
}

/// The name of a kind of error.
fn name_of(kind: ErrorKind) -> String {
    let mut name = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
