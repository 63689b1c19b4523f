//! Positions of a linked module, and back to the files they are in.

use std::fmt;

use ptx_diag::{Diagnostic, Diagnostics, Position, SourceFile, Span};

/// The sources of a linked module: positions count through all of them, one after the other.
#[derive(Clone, Debug)]
pub struct Sources {
    files: Vec<SourceFile>,
    /// Where each file starts.
    starts: Vec<u32>,
}

/// The files are larger together than positions can count: 4 GiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the inputs are larger than 4 GiB together")
    }
}

impl std::error::Error for TooLarge {}

impl Sources {
    /// Puts files one after the other.
    ///
    /// # Errors
    ///
    /// [`TooLarge`].
    pub fn new(files: Vec<SourceFile>) -> Result<Self, TooLarge> {
        let mut starts = Vec::with_capacity(files.len());
        let mut next = 0u32;
        for file in &files {
            starts.push(next);
            // One byte between files, so that the end of one is not the start of the next.
            let length = u32::try_from(file.text().len()).ok().and_then(|length| length.checked_add(1));
            next = length.and_then(|length| next.checked_add(length)).ok_or(TooLarge)?;
        }
        Ok(Self { files, starts })
    }

    /// The files, in order.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Where a file starts.
    pub(crate) fn start(&self, file: usize) -> u32 {
        let start = self.starts.get(file);
        debug_assert!(start.is_some(), "there is no file {file}");
        // Default: as asserted.
        start.copied().unwrap_or(0)
    }

    /// The file a position is in, and the position there.
    fn locate(&self, span: Span) -> (usize, Span) {
        let file = self.starts.partition_point(|start| *start <= span.lo).saturating_sub(1);
        let start = self.start(file);
        (file, Span::new(span.lo - start, span.hi.saturating_sub(start)))
    }

    /// The file that a position is in, and where it begins there.
    pub fn place(&self, span: Span) -> Option<(&SourceFile, Position)> {
        let (file, span) = self.locate(span);
        let file = self.files.get(file)?;
        Some((file, file.position(span.lo)))
    }

    /// The index of the file that each position is in, and where it begins there: what [`Self::place`] gives for each, in one pass over the
    /// files.
    pub fn places(&self, spans: &[Span]) -> Vec<Option<(usize, Position)>> {
        let mut by_file: Vec<(Vec<usize>, Vec<u32>)> = vec![Default::default(); self.files.len()];
        for (at, span) in spans.iter().enumerate() {
            let (file, own) = self.locate(*span);
            if let Some((indices, offsets)) = by_file.get_mut(file) {
                indices.push(at);
                offsets.push(own.lo);
            }
        }
        let mut places = vec![None; spans.len()];
        for (number, (file, (indices, offsets))) in self.files.iter().zip(by_file).enumerate() {
            for (at, position) in indices.into_iter().zip(file.positions(&offsets)) {
                places[at] = Some((number, position));
            }
        }
        places
    }

    /// The text at a position.
    pub fn text(&self, span: Span) -> String {
        let (file, span) = self.locate(span);
        let text = self.files.get(file).and_then(|file| file.text().get(span.lo as usize..span.hi as usize));
        match text {
            Some(text) => String::from_utf8_lossy(text).into_owned(),
            // Only spans of other sources are in no file.
            None => String::new(),
        }
    }

    /// Findings about the linked module as findings about its files, in the order of the files. What explains a finding from another
    /// file is said in its message with file, line and column.
    pub fn split(&self, findings: &Diagnostics) -> Vec<(SourceFile, Diagnostics)> {
        let mut split: Vec<Diagnostics> = self.files.iter().map(|_| Diagnostics::new()).collect();
        for finding in findings {
            let (file, own) = self.moved(finding);
            if let Some(list) = split.get_mut(file) {
                list.push(own);
            }
        }
        let files = self.files.iter().cloned().zip(split);
        files.filter(|(_, findings)| !findings.is_empty()).collect()
    }

    fn moved(&self, finding: &Diagnostic) -> (usize, Diagnostic) {
        let mut own = finding.clone();
        let Some(span) = finding.span else { return (0, own) };
        let (file, span) = self.locate(span);
        own.span = Some(span);
        own.related.clear();
        for label in &finding.related {
            let (other, span) = self.locate(label.span);
            if other == file {
                own = own.with_related(span, label.text.clone());
            } else if let Some(source) = self.files.get(other) {
                let at = source.position(span.lo);
                let place = format!("{}:{}:{}", source.name(), at.line, at.column);
                own.message = format!("{} ({} at {place})", own.message, label.text);
            }
        }
        (file, own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_places_are_those_of_each() {
        let files = ["one\ntwo", "\u{e9} x\n\ny", ""].map(|text| SourceFile::new(text, text));
        let sources = Sources::new(files.to_vec()).unwrap();
        let spans: Vec<Span> = [12, 0, 4, 10, 17, 8, 30].map(|lo| Span::new(lo, lo + 1)).to_vec();
        let each = spans.iter().map(|span| {
            let (file, position) = sources.place(*span)?;
            let number = files.iter().position(|other| other.name() == file.name())?;
            Some((number, position))
        });
        assert_eq!(sources.places(&spans), each.collect::<Vec<_>>());
        assert_eq!(sources.places(&spans)[2], Some((0, Position { line: 2, column: 1 })));
        assert_eq!(sources.places(&[]), []);
    }
}
