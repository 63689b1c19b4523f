//! Diagnostics at the lines that they are about.

use std::collections::BTreeMap;

use ptx_diag::{Diagnostic, Diagnostics, Severity, SourceFile};
use ptx_report::{Column, Place, Remark, Weight};

/// The diagnostics of these files, in their order.
pub(super) fn remarks(files: &[SourceFile], findings: &[(SourceFile, Diagnostics)]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (source, found) in findings {
        let file = files.iter().position(|file| file.name() == source.name());
        remarks.extend(found.iter().map(|finding| remark(source, file, finding)));
    }
    remarks
}

fn remark(source: &SourceFile, file: Option<usize>, finding: &Diagnostic) -> Remark {
    let weight = match finding.severity {
        Severity::Error => Weight::Error,
        Severity::Warning => Weight::Warning,
        Severity::Note => Weight::Note,
    };
    let mut details: Vec<String> = finding.label.iter().cloned().collect();
    details.extend(
        finding
            .related
            .iter()
            .map(|label| format!("line {}: {}", source.position(label.span.lo).line, label.text)),
    );
    details.extend(finding.help.iter().map(|help| format!("help: {help}")));
    let place = finding.span.zip(file).map(|(span, file)| (span, file, source.position(span.lo)));
    let part = place.and_then(|(span, _, position)| {
        let start = source.line_start(position.line)?;
        // What goes on in later lines is marked to the end of the first.
        let length = source.line(position.line)?.len();
        Some((span.lo - start) as usize..((span.hi - start) as usize).min(length))
    });
    Remark {
        weight,
        message: format!("{}[{}]: {}", finding.severity.as_str(), finding.code.0, finding.message),
        details,
        place: place.map(|(_, file, position)| Place { file, line: position.line }),
        part,
    }
}

/// Puts the remarks that have a place at their lines.
pub(super) fn attach(column: &mut Column, remarks: &[Remark]) {
    let mut by_place: BTreeMap<Place, Vec<Remark>> = BTreeMap::new();
    for remark in remarks {
        if let Some(place) = remark.place {
            by_place.entry(place).or_default().push(remark.clone());
        }
    }
    for line in column.sections.iter_mut().flat_map(|section| &mut section.lines) {
        if let Some(found) = line.places.first().and_then(|place| by_place.remove(place)) {
            line.remarks.extend(found);
        }
    }
}
