//! One module from one input or several.

use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_ir::Module;
use ptx_link::device_runtime::{FILE_NAME, device_runtime, of_module};
use ptx_link::{Sources, Unit};
use ptx_syntax::Comments;

use crate::ptx_leg::read_ptx;
use crate::retarget::{TargetChoice, retarget};

/// The diagnostics of several files.
pub type FindingsByFile = Vec<(SourceFile, Diagnostics)>;

/// A module with the files that it was read from; its positions are numbered across all of them.
#[derive(Debug)]
pub struct Program {
    /// The module. That of a single file is not verified yet; several modules are verified before they are linked.
    pub module: Module,
    /// The files.
    pub sources: Sources,
    /// The warnings about all files.
    pub warnings: Diagnostics,
}

/// Reads PTX files, with or without their comments, for the target of `choice`, and links them if there are several.
///
/// # Errors
///
/// All diagnostics about the files, including warnings, if one of them is an error; otherwise those of the linker.
pub fn read_program(
    files: Vec<SourceFile>,
    choice: TargetChoice,
    comments: Comments,
) -> Result<Program, FindingsByFile> {
    read(files, choice, comments, DeviceRuntime::Declared)
}

/// Reads PTX files to execute them, like [`read_program`], and links the functions of CUDA's device runtime that they use.
///
/// # Errors
///
/// See [`read_program`], and functions of the device runtime that are not supported.
pub fn read_executable(
    files: Vec<SourceFile>,
    choice: TargetChoice,
    comments: Comments,
) -> Result<Program, FindingsByFile> {
    read(files, choice, comments, DeviceRuntime::Linked)
}

/// How functions of CUDA's device runtime are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeviceRuntime {
    /// They remain declarations.
    Declared,
    /// Their definitions are linked.
    Linked,
}

/// The functions of CUDA's device runtime that modules use, as another module.
fn runtime(modules: &[Module], files: &[SourceFile]) -> Result<Option<(SourceFile, Module)>, FindingsByFile> {
    let references: Vec<&Module> = modules.iter().collect();
    let text = device_runtime(&references).map_err(|refused| {
        let files = files.iter().enumerate();
        files.map(|(number, file)| (file.clone(), of_module(&refused, number))).collect::<FindingsByFile>()
    })?;
    let Some(text) = text else { return Ok(None) };
    let file = SourceFile::new(FILE_NAME, text);
    match read_ptx(&file, Comments::Dropped) {
        Ok((module, _)) => Ok(Some((file, module))),
        Err(findings) => Err(vec![(file, findings)]),
    }
}

fn all_sources(files: &[SourceFile]) -> Result<Sources, FindingsByFile> {
    Sources::new(files.to_vec()).map_err(|error| {
        let mut findings = Diagnostics::new();
        findings.push(Diagnostic::error_without_place(ptx_link::code::TARGET, error.to_string()));
        let name = files.iter().map(SourceFile::name).collect::<Vec<_>>().join(" ");
        vec![(SourceFile::new(name, Vec::new()), findings)]
    })
}

fn read(
    files: Vec<SourceFile>,
    choice: TargetChoice,
    comments: Comments,
    device_runtime: DeviceRuntime,
) -> Result<Program, FindingsByFile> {
    let mut files = files;
    let sources = all_sources(&files)?;
    let (mut modules, mut found, mut failed) = (Vec::new(), FindingsByFile::new(), false);
    for source in &files {
        let (module, findings) = match read_ptx(source, comments) {
            Ok((mut module, findings)) => {
                retarget(&mut module, choice);
                (Some(module), findings)
            }
            Err(findings) => (None, findings),
        };
        failed |= findings.has_errors();
        modules.extend(module);
        found.push((source.clone(), findings));
    }
    let mut sources = sources;
    if device_runtime == DeviceRuntime::Linked
        && !failed
        && let Some((file, module)) = runtime(&modules, &files)?
    {
        files.push(file.clone());
        modules.push(module);
        found.push((file, Diagnostics::new()));
        sources = all_sources(&files)?;
    }
    let several = files.len() > 1;
    if several && !failed {
        for (module, (_, findings)) in modules.iter().zip(&mut found) {
            let more = ptx_verify::verify(module).map_or_else(|more| more, |(_, more)| more);
            failed |= more.has_errors();
            findings.append(more);
        }
    }
    if failed {
        return Err(found);
    }
    if !several && let (Some(module), Some((_, warnings))) = (modules.pop(), found.pop()) {
        return Ok(Program { module, sources, warnings });
    }
    let units: Vec<Unit<'_>> =
        modules.iter().zip(&files).map(|(module, source)| Unit { module, source }).collect();
    match ptx_link::link(&units, &sources) {
        Ok((module, warnings)) => Ok(Program { module, sources, warnings }),
        Err(findings) => Err(sources.split(&findings)),
    }
}
