//! A page that shows the program: `--view`.

use std::path::{Path, PathBuf};

use ptx_cli::{Failure, Output, is_same_file, refuse_input, rejected};
use ptx_demangle::demangled;
use ptx_diag::{Diagnostics, SourceFile};
use ptx_driver::{Sources, Translated, llvm_context, llvm_finding, locate_lines, view, view_of_rejected};
use ptx_ir::Module;
use ptx_llvm_core::OptLevel;
use ptx_report::View;

use crate::arguments::{Arguments, Emit};
use crate::failures::{first_source, no_meaning};
use crate::translation::{listing, to_llvm};

/// Rejects a view that is an input or another output, or that cannot be made.
pub(crate) fn check(arguments: &Arguments, path: &Path, output: &Output) -> Result<(), Failure> {
    let read = arguments.inputs.iter().chain(&arguments.link_bitcode).map(PathBuf::as_path);
    refuse_input(&Output::File(path.to_owned()), read)?;
    if let Output::File(other) = output
        && is_same_file(path, other)
    {
        return Err(no_meaning(arguments, "-o and --view name the same file".to_owned()));
    }
    if arguments.target.is_processor() {
        let message = "--view shows LLVM IR for a GPU; for a CPU there is --emit=ll".to_owned();
        return Err(no_meaning(arguments, message));
    }
    Ok(())
}

/// Writes a page with the inputs and their diagnostics, if one is asked for.
pub(crate) fn write_rejected(
    arguments: &Arguments,
    inputs: &[SourceFile],
    findings: &[(SourceFile, Diagnostics)],
) -> Result<(), Failure> {
    match &arguments.view {
        Some(path) => write_page(path, &view_of_rejected(inputs, findings)),
        None => Ok(()),
    }
}

/// Writes a page with a verified program, if one is asked for. It is written, too, if the program cannot be translated, which is the failure.
pub(crate) fn write(
    arguments: &Arguments,
    sources: &Sources,
    module: &Module,
    warnings: &[(SourceFile, Diagnostics)],
) -> Result<(), Failure> {
    let Some(path) = &arguments.view else { return Ok(()) };
    let (translated, failure) = match translated(arguments, sources, module) {
        Ok((translated, more)) => (Some((translated, more)), None),
        Err(failure) => (None, Some(failure)),
    };
    let mut findings = warnings.to_vec();
    match (&translated, &failure) {
        (Some((_, more)), _) => findings.push((first_source(sources), more.clone())),
        (None, failure) => {
            findings.extend(failure.iter().flat_map(|failure| failure.parts().iter().cloned()));
        }
    }
    let translated = translated.map(|(translated, _)| translated);
    let mut page = view(sources, module, translated.as_ref(), &findings);
    page.subtitle = options(arguments);
    let written = write_page(path, &page);
    match failure {
        None => written,
        Some(failure) => Err(match written {
            Ok(()) => failure,
            Err(unwritable) => failure.and(unwritable),
        }),
    }
}

/// The program as LLVM IR, and as PTX again, with the lines of the PTX.
fn translated(
    arguments: &Arguments,
    sources: &Sources,
    module: &Module,
) -> Result<(Translated, Diagnostics), Failure> {
    let mut located = module.clone();
    locate_lines(&mut located, sources);
    let source = first_source(sources);
    let context = llvm_context(&source).map_err(|found| rejected(&source, found))?;
    // What is told about passes is told once, when there is an output, too.
    let silent = arguments.has_output() && matches!(arguments.product(), Emit::Ll | Emit::Bc);
    let told = if silent { Default::default() } else { arguments.told.clone() };
    let arguments = Arguments { told, ..arguments.clone() };
    let (result, warnings) = to_llvm(&arguments, sources, &located, (&context, &source))?;
    if !silent {
        arguments.report.terminal().warn(vec![(source.clone(), warnings.clone())])?;
    }
    let failed = |error| {
        let mut findings = Diagnostics::new();
        findings.push(llvm_finding(&error, &source));
        rejected(&source, findings)
    };
    let mut text = result.to_text();
    if arguments.no_hints {
        let copy = ptx_llvm_core::Module::parse(&context, "ptx", text.as_bytes()).map_err(failed)?;
        text = listing(copy).map_err(failed)?;
    }
    let raise = || Translated::new(text, result);
    Ok((arguments.report.terminal().step("raise", raise), warnings))
}

/// The options that the program was translated with.
fn options(arguments: &Arguments) -> String {
    let level = match arguments.optimize.level {
        OptLevel::O0 => "-O0",
        OptLevel::O1 => "-O1",
        OptLevel::O2 => "-O2",
        OptLevel::O3 => "-O3",
        OptLevel::Os => "-Os",
        OptLevel::Oz => "-Oz",
    };
    let passes = arguments.optimize.passes.as_ref().map(|passes| format!("--passes={passes}"));
    let hints = arguments.no_hints.then(|| "--no-hints".to_owned());
    let options = ["ptx2ll".to_owned(), level.to_owned()].into_iter().chain(passes).chain(hints);
    options.collect::<Vec<_>>().join(" ")
}

fn write_page(path: &Path, page: &View) -> Result<(), Failure> {
    let mut page = page.clone();
    for function in &mut page.functions {
        if let Some(name) = demangled(&function.name) {
            function.name = format!("{name} ({})", function.name);
        }
    }
    Output::from_argument(Some(path)).write(page.to_html().as_bytes())
}
