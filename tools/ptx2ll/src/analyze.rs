//! What decides how fast kernels are: `--analyze`.

use ptx_cli::{Failure, Output};
use ptx_demangle::demangled_text;
use ptx_diag::Span;
use ptx_driver::Sources;
use ptx_inspect::{Analysis, inspect};
use ptx_ir::Module;

use crate::arguments::{AnalyzeFormat, Arguments};

/// Writes what is asked for.
pub(crate) fn write(
    arguments: &Arguments,
    output: &Output,
    sources: &Sources,
    module: &Module,
) -> Result<(), Failure> {
    let analyses: Vec<Analysis> = arguments.analyze.iter().map(|choice| (*choice).into()).collect();
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
    let report =
        arguments.report.terminal().step("analyze", || inspect(module, &analyses, block, &line, &file));
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
