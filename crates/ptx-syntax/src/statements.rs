//! An iterator over the statements of a text, for programs that need only the syntax.

use ptx_diag::Diagnostic;

use crate::codes;
use crate::grammar::statement::statement;
use crate::stream::Stream;
use crate::token::TokenKind;
use crate::tree::Statement;

/// Parses the statements and directives of a text in order. After an error parsing resumes at the next statement.
///
/// Comments are skipped. A text of more than 4 GiB is a single error.
pub fn statements(text: &str) -> Statements<'_> {
    let mut stream = Stream::new(text.into());
    stream.kept = crate::Comments::Dropped;
    Statements { stream, too_large: u32::try_from(text.len()).is_err() }
}

/// The iterator of [`statements`].
pub struct Statements<'s> {
    stream: Stream<'s>,
    too_large: bool,
}

impl Statements<'_> {
    /// The offset of the next statement, or of the end of the text.
    pub fn offset(&mut self) -> u32 {
        self.stream.peek().lo
    }

    /// The offset after the last token of the statement that was returned last, or of the text skipped after its error.
    pub fn end(&self) -> u32 {
        self.stream.last.hi
    }
}

impl<'s> Iterator for Statements<'s> {
    type Item = Result<Statement<'s>, Box<Diagnostic>>;

    fn next(&mut self) -> Option<Self::Item> {
        if std::mem::take(&mut self.too_large) {
            self.stream = Stream::new("".into());
            let message = "the input is larger than 4 GiB";
            return Some(Err(Box::new(Diagnostic::error_without_place(codes::TOO_LARGE, message))));
        }
        let start = self.stream.peek();
        if start.kind == TokenKind::End {
            return None;
        }
        Some(self.stream.parse(statement).map_err(|problem| {
            let error = self.stream.diagnostic(problem);
            self.stream.skip_statement(start, |_| {});
            error
        }))
    }
}
