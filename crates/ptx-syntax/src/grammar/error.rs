//! Syntax errors: the token at which a production failed, and the reason.

use nom::error::{ContextError, ErrorKind, ParseError};
use nom::{Err, IResult};
use ptx_diag::{Code, Diagnostic, Span};

use crate::codes;
use crate::lexer::Fault;
use crate::token::{Token, TokenKind, Tokens};

/// The result of a production.
pub(crate) type Parsed<'a, 's, T> = IResult<Tokens<'a, 's>, T, SyntaxError<'s>>;

/// The error of a production.
pub(crate) type Failed<'s> = Err<SyntaxError<'s>>;

/// An error at a token. Of several errors the one that is furthest in the text is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SyntaxError<'s> {
    /// The number of tokens left, including the wrong one.
    pub(crate) left: usize,
    pub(crate) problem: Problem<'s>,
}

/// The reason why a token is an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Problem<'s> {
    /// Another token was expected; the text describes it.
    Expected(&'static str),
    /// The same, with a help text.
    ExpectedWith(&'static str, &'static str),
    /// No statement begins with the token; the text describes the expected one.
    Stray(&'static str),
    /// A message that does not depend on the token.
    Fixed(&'static Fixed),
    /// The same, with the span of the token that conflicts.
    Related(&'static Fixed, Span),
    /// A message at another span.
    Located(&'static Fixed, Span),
    /// The directive of a function is repeated, or not before those that must follow it.
    Order,
    /// A repeated directive, with the span of its second occurrence.
    Repeated(&'s str, Span),
    /// Brackets after a register of this name.
    Brackets(&'s str),
    /// The word is not a type.
    Type,
    /// A type without its dot, or a name of C; the function returns the type that is meant.
    TypeWord(fn(&str) -> Option<&str>),
    /// The directive is none of these.
    Directive(&'static [&'static str]),
}

/// A message with its code and help.
#[derive(Debug)]
pub(crate) struct Fixed {
    code: Code,
    message: &'static str,
    help: &'static str,
}

/// A message with its code and help, which may be empty.
pub(crate) const fn fixed(code: Code, message: &'static str, help: &'static str) -> Fixed {
    Fixed { code, message, help }
}

impl Fixed {
    fn diagnostic(&self, span: Span) -> Diagnostic {
        let error = Diagnostic::error(self.code, span, self.message);
        if self.help.is_empty() { error } else { error.with_help(self.help) }
    }
}

/// Fails at a token; no alternative is tried.
#[cold]
pub(crate) fn fail<'s, T>(i: Tokens<'_, 's>, problem: Problem<'s>) -> Result<T, Failed<'s>> {
    Err(Err::Failure(SyntaxError { left: i.rest.len(), problem }))
}

/// Fails because another token was expected.
#[cold]
pub(crate) fn expected<'s, T>(i: Tokens<'_, 's>, what: &'static str) -> Result<T, Failed<'s>> {
    fail(i, Problem::Expected(what))
}

impl<'s> ParseError<Tokens<'_, 's>> for SyntaxError<'s> {
    fn from_error_kind(i: Tokens<'_, 's>, _: ErrorKind) -> Self {
        Self { left: i.rest.len(), problem: Problem::Expected("something else") }
    }

    fn append(_: Tokens<'_, 's>, _: ErrorKind, other: Self) -> Self {
        other
    }

    fn or(self, other: Self) -> Self {
        if other.left < self.left { other } else { self }
    }
}

impl<'s> ContextError<Tokens<'_, 's>> for SyntaxError<'s> {
    /// If the first token of a production is wrong, the error names the whole production as expected.
    fn add_context(i: Tokens<'_, 's>, what: &'static str, other: Self) -> Self {
        match other.problem {
            Problem::Expected(_) if other.left == i.rest.len() => {
                Self { problem: Problem::Expected(what), ..other }
            }
            _ => other,
        }
    }
}

/// The parts of a message: the wrong token, its text and bytes, and the span of the token before it.
pub(crate) struct Found<'s> {
    pub(crate) token: Token,
    /// The wrong token as written.
    pub(crate) text: &'s str,
    pub(crate) previous: Span,
    pub(crate) bytes: &'s [u8],
}

/// A short form of bytes for messages.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let cut = bytes.get(..40).unwrap_or(bytes);
    let text: String = String::from_utf8_lossy(cut).escape_debug().collect();
    if cut.len() < bytes.len() { text + ".." } else { text }
}

impl Found<'_> {
    fn shown(&self) -> String {
        match self.token.kind {
            TokenKind::End => "the end of the input".to_owned(),
            _ => format!("`{}`", excerpt(self.bytes)),
        }
    }

    /// The message for a problem.
    pub(crate) fn diagnostic(&self, problem: Problem<'_>) -> Box<Diagnostic> {
        let span = self.token.span();
        if let TokenKind::Bad(fault) = self.token.kind {
            return self.bad(fault);
        }
        let word = self.text.strip_prefix('.').unwrap_or(self.text);
        Box::new(match problem {
            Problem::Expected(what) => self.expected(what),
            Problem::ExpectedWith(what, help) => self.expected(what).with_help(help),
            Problem::Stray(what) => {
                Diagnostic::error(codes::EXPECTED, span, format!("expected {what}, found {}", self.shown()))
            }
            Problem::Fixed(fixed) => fixed.diagnostic(span),
            Problem::Located(fixed, span) => fixed.diagnostic(span),
            Problem::Related(Fixed { code, message, .. }, related) => {
                Diagnostic::error(*code, span, *message).with_related(related, "this one")
            }
            Problem::Order => {
                let message = format!("`.{word}` must be given once, and before the other directives");
                Diagnostic::error(codes::CONFLICT, span, message)
            }
            Problem::Repeated(word, span) => {
                Diagnostic::error(codes::CONFLICT, span, format!("`.{word}` is given twice"))
            }
            Problem::Brackets(name) => self
                .expected("`;`")
                .with_help(format!("`{name}<4>` declares the registers `{name}0` to `{name}3`")),
            Problem::Type => {
                let known = ptx_isa::ScalarType::ALL.iter().map(|ty| ty.as_str());
                nearest(word, span, "a type", ptx_diag::nearest(word, known))
            }
            Problem::TypeWord(meant) => {
                let error = self.expected("a type");
                match meant(word) {
                    Some(meant) => {
                        error.with_help(format!("write `.{meant}`")).with_fix(span, format!(".{meant}"))
                    }
                    None => error,
                }
            }
            Problem::Directive(known) => return unknown_directive(word, span, known),
        })
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.shown());
        // A token missing at the end of a line is reported there, not at the start of the next line.
        if (self.token.starts_line || self.token.kind == TokenKind::End) && self.previous.hi > 0 {
            let end = Span::new(self.previous.hi - 1, self.previous.hi);
            let error = Diagnostic::error(codes::EXPECTED, end, message)
                .with_label(format!("{what} is missing after this"));
            let after = Span::new(self.previous.hi, self.previous.hi);
            return if what.ends_with("`;`") { error.with_fix(after, ";") } else { error };
        }
        Diagnostic::error(codes::EXPECTED, self.token.span(), message).with_label(format!("expected {what}"))
    }

    fn bad(&self, fault: Fault) -> Box<Diagnostic> {
        let span = self.token.span();
        Box::new(match fault {
            Fault::Byte => {
                let message = format!("`{}` is not a valid token in PTX", excerpt(self.bytes));
                let error = Diagnostic::error(codes::BAD_TOKEN, span, message);
                if self.bytes.starts_with(b"#") {
                    error.with_help(
                        "PTX has no preprocessor; only `# 1 \"file\"` is allowed, on a line of its own",
                    )
                } else if self.bytes.is_ascii() {
                    error
                } else {
                    error.with_help("outside comments PTX is written in ASCII")
                }
            }
            Fault::Section => Diagnostic::error(codes::UNBALANCED, self.previous, "this `{` is never closed")
                .with_help("add `}`")
                .with_fix(Span::new(span.hi, span.hi), "\n}\n"),
            Fault::Quote => Diagnostic::error(codes::UNCLOSED, span, "unterminated string")
                .with_help("add `\"`")
                .with_fix(Span::new(span.hi, span.hi), "\""),
            Fault::Comment => {
                let start = Span::new(span.lo, span.lo + 2);
                Diagnostic::error(codes::UNCLOSED, start, "unterminated comment")
                    .with_help("add `*/`")
                    .with_fix(Span::new(span.hi, span.hi), " */")
            }
        })
    }
}

/// The error for a directive that is not allowed here; `known` lists those that are.
pub(crate) fn unknown_directive(word: &str, span: Span, known: &[&'static str]) -> Box<Diagnostic> {
    let meant = match word {
        "kernel" => Some("entry"),
        "function" | "device" => Some("func"),
        _ => None,
    };
    let meant = meant.filter(|meant| known.contains(meant));
    let near = meant.or_else(|| ptx_diag::nearest(word, known.iter().copied()));
    Box::new(nearest(word, span, "a directive that is allowed here", near))
}

/// The error for a word with a dot that is not of the expected kind, with a suggestion.
fn nearest(word: &str, span: Span, what: &str, near: Option<&str>) -> Diagnostic {
    let shown: String = word.chars().take(40).collect();
    let error = Diagnostic::error(codes::DIRECTIVE, span, format!("`.{shown}` is not {what}"));
    match near {
        Some(near) => error.with_help(format!("did you mean `.{near}`?")).with_fix(span, format!(".{near}")),
        None => error,
    }
}
