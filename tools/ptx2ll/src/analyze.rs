//! What decides how fast kernels are: `--analyze`.

use std::path::{Path, PathBuf};

use ptx_cli::{ExitStatus, Failure, Output, code, read_input, refuse_folders, rejected};
use ptx_demangle::demangled_text;
use ptx_diag::{Diagnostic, Span};
use ptx_driver::Sources;
use ptx_inspect::{Analysis, Executions, executed_roofline, inspect};
use ptx_ir::Module;
use ptx_profile::{Placed, Profile};

use crate::arguments::{AnalyzeFormat, Arguments};

/// Writes what is asked for.
pub(crate) fn write(
    arguments: &Arguments,
    output: &Output,
    sources: &Sources,
    module: &Module,
) -> Result<(), Failure> {
    let executed = arguments.profile.as_ref().map(|path| executed(path, sources, module)).transpose()?;
    let analyses = arguments.analyze.iter().map(|choice| Analysis::from(*choice));
    // What was executed takes the place of what a thread does.
    let analyses: Vec<Analysis> =
        analyses.filter(|one| executed.is_none() || *one != Analysis::Roofline).collect();
    let line = |spans: &[Span]| -> Vec<u32> {
        // An instruction that no input has is at no line.
        sources
            .places(spans)
            .into_iter()
            .map(|place| place.into_iter().map(|(_, at)| at.line).sum())
            .collect()
    };
    let file = |span: Span| match sources.place(span) {
        Some((file, _)) => file.name().to_owned(),
        None => String::new(),
    };
    let block = arguments.target.block.first().copied();
    let mut report =
        arguments.report.terminal().step("analyze", || inspect(module, &analyses, block, &line, &file));
    report.executed = executed.map(|placed| {
        let counts = |span| {
            let counts = placed.of(span);
            Executions { threads: counts.threads, sectors: counts.sectors }
        };
        executed_roofline(module, &counts, arguments.peak)
    });
    let name = |name: &str| demangled_text(name);
    output.write(
        match arguments.analyze_format {
            AnalyzeFormat::Text => report.to_text(&name),
            AnalyzeFormat::Dot => report.to_dot(&name),
            AnalyzeFormat::Json => format!("{}\n", serde_json::json!(report)),
        }
        .as_bytes(),
    )
}

/// What was executed of the module.
fn executed(path: &Path, sources: &Sources, module: &Module) -> Result<Placed, Failure> {
    let [text] = sources.files() else {
        let finding = Diagnostic::error_without_place(code::USAGE, "--profile is for one input");
        return Err(Failure::about(ExitStatus::Usage, "<command line>", finding));
    };
    refuse_folders(&[PathBuf::from(path)])?;
    let file = read_input(path)?;
    let placed = Profile::parse(&file).and_then(|profile| profile.place(text, module));
    placed.map_err(|found| rejected(&file, found))
}
