//! Accesses of memory that cost more than they have to, as notes at their lines.

use ptx_diag::Span;
use ptx_inspect::{Analysis, FunctionReport, inspect};
use ptx_ir::Module;
use ptx_link::Sources;
use ptx_report::{Place, Remark, Weight};

/// A note for each access that touches more sectors than it needs, or has conflicts of banks, for all that is not known of its address.
pub(super) fn costs(sources: &Sources, module: &Module) -> Vec<Remark> {
    let lines = |spans: &[Span]| -> Vec<u32> {
        // An instruction that no input has is at no line.
        let places = sources.places(spans).into_iter();
        places.map(|place| place.into_iter().map(|(_, position)| position.line).sum()).collect()
    };
    let file = |span: Span| match sources.place(span) {
        Some((file, _)) => file.name().to_owned(),
        None => String::new(),
    };
    let analyses = [Analysis::Coalescing, Analysis::BankConflicts];
    let report = inspect(module, &analyses, None, &lines, &file);
    report.functions.iter().flat_map(|function| of_function(sources, function)).collect()
}

fn of_function(sources: &Sources, function: &FunctionReport) -> Vec<Remark> {
    let file = sources.files().iter().position(|file| file.name() == function.file);
    let assumed =
        function.block.is_none().then(|| "for warps of 32 threads that follow each other in x".to_owned());
    let note = |line: u32, message: String| Remark {
        weight: Weight::Note,
        message,
        details: assumed.iter().cloned().collect(),
        place: file.map(|file| Place { file, line }),
        part: None,
    };
    let mut notes = Vec::new();
    for access in function.coalescing.iter().flatten() {
        if let Some(sectors) = access.sectors.filter(|sectors| sectors.least > sectors.ideal) {
            let (least, ideal) = (sectors.least, sectors.ideal);
            let message = format!("a warp touches {least} sectors of memory, and needs {ideal}");
            notes.push(note(access.line, message));
        }
    }
    for access in function.bank_conflicts.iter().flat_map(|found| &found.accesses) {
        if let Some(found) = access.conflicts.filter(|found| found.least > 0) {
            let cycles = if found.least == 1 { "cycle" } else { "cycles" };
            let message = format!("conflicts of banks take a warp {} more {cycles}", found.least);
            notes.push(note(access.line, message));
        }
    }
    notes
}
