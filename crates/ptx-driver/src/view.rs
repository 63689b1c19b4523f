//! What a page of a program shows ([`ptx_report::View`]): its text, the LLVM IR that it becomes and the PTX that this is raised to, linked by
//! debug locations, and the graphs of its functions.

mod costs;
mod debug_text;
mod figures;
mod listing;
mod remarks;

use ptx_diag::{Diagnostics, SourceFile};
use ptx_ir::Module;
use ptx_link::Sources;
use ptx_report::{Column, View};
use ptx_syntax::Comments;

use crate::ptx_leg::{print_checked, raise, read_ptx};
use crate::retarget::TargetChoice;

/// The LLVM IR of a program, and what it is raised to.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The LLVM IR as text, with debug locations.
    llvm: String,
    /// The PTX with `.loc`, or why there is none.
    raised: Result<(SourceFile, Module), Diagnostics>,
}

impl Translated {
    /// Raises a module that was lowered from PTX with its lines ([`locate_lines`](crate::locate_lines)). `llvm` is the text of the module that is shown.
    pub fn new(llvm: String, mut module: ptx_llvm_core::Module<'_>) -> Self {
        let raised = raise(&mut module, TargetChoice::default()).and_then(|(raised, _)| {
            let text = print_checked(&raised, "round-tripped PTX").map_err(|bad| bad.findings)?;
            let source = SourceFile::new("round-tripped PTX", text);
            let (module, _) = read_ptx(&source, Comments::Dropped)?;
            Ok((source, module))
        });
        Self { llvm, raised }
    }
}

/// A view of a program that was read.
pub fn view(
    sources: &Sources,
    module: &Module,
    translated: Option<&Translated>,
    findings: &[(SourceFile, Diagnostics)],
) -> View {
    let files = sources.files();
    let mut view = start(files, listing::inputs(files, &listing::starts(sources, module)), findings);
    if let Some(inputs) = view.columns.first_mut() {
        remarks::attach(inputs, &costs::costs(sources, module));
    }
    let missing =
        |title: &str, why: String| Column { title: title.to_owned(), missing: why, ..Column::default() };
    let untranslated = || "The program was not translated: the diagnostics have the reason.".to_owned();
    let raised = match translated {
        None => {
            view.columns.push(missing("LLVM IR", untranslated()));
            view.columns.push(missing("Round-tripped PTX", untranslated()));
            None
        }
        Some(translated) => {
            view.columns.push(debug_text::column(&translated.llvm, files));
            match &translated.raised {
                Ok((source, raised)) => {
                    view.columns.push(listing::raised(
                        source,
                        raised,
                        files,
                        &listing::parameter_loads(sources, module),
                    ));
                    Some((source, raised))
                }
                Err(found) => {
                    let why: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
                    let why = format!("The LLVM IR cannot be raised to PTX: {}", why.join("; "));
                    view.columns.push(missing("Round-tripped PTX", why));
                    None
                }
            }
        }
    };
    view.functions = figures::figures(sources, module, raised);
    view
}

/// A view of files that were rejected: their text with the diagnostics.
pub fn view_of_rejected(files: &[SourceFile], findings: &[(SourceFile, Diagnostics)]) -> View {
    start(files, listing::inputs(files, &[]), findings)
}

/// A view with the inputs and their diagnostics alone.
fn start(files: &[SourceFile], mut column: Column, findings: &[(SourceFile, Diagnostics)]) -> View {
    let remarks = remarks::remarks(files, findings);
    remarks::attach(&mut column, &remarks);
    let names: Vec<&str> = files.iter().map(SourceFile::name).collect();
    View { title: names.join(", "), remarks, columns: vec![column], ..View::default() }
}

#[cfg(test)]
mod tests;
