//! The words of a document by their meaning, for highlighting.

use ptx_diag::Span;
use ptx_isa::{Mod, ScalarType};
use ptx_syntax::syntax::{Element, ElementKind, elements};

use crate::document::Document;
use crate::index::{Access, Occurrence, StatementKind, SymbolKind};
use crate::instruction::special_register;

/// The meaning of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenType {
    /// A comment.
    Comment,
    /// A string.
    Text,
    /// A number.
    Number,
    /// An opcode.
    Opcode,
    /// A modifier of an instruction.
    Modifier,
    /// A type, of an instruction or a declaration.
    Type,
    /// A directive.
    Directive,
    /// A register, a special register or a variable.
    Variable,
    /// A parameter.
    Parameter,
    /// A function.
    Function,
    /// A label.
    Label,
}

impl TokenType {
    /// All, in the order of their numbers.
    pub const ALL: [TokenType; 11] = [
        TokenType::Comment,
        TokenType::Text,
        TokenType::Number,
        TokenType::Opcode,
        TokenType::Modifier,
        TokenType::Type,
        TokenType::Directive,
        TokenType::Variable,
        TokenType::Parameter,
        TokenType::Function,
        TokenType::Label,
    ];

    /// The name among the token types of the Language Server Protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            TokenType::Comment => "comment",
            TokenType::Text => "string",
            TokenType::Number => "number",
            TokenType::Opcode => "keyword",
            TokenType::Modifier => "modifier",
            TokenType::Type => "type",
            TokenType::Directive => "macro",
            TokenType::Variable => "variable",
            TokenType::Parameter => "parameter",
            TokenType::Function => "function",
            TokenType::Label => "label",
        }
    }
}

/// Properties of a word, each a bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TokenModifiers(pub u32);

impl TokenModifiers {
    /// None.
    pub const NONE: Self = Self(0);
    /// The word declares the name.
    pub const DECLARATION: Self = Self(1);
    /// The instruction writes the register.
    pub const MODIFICATION: Self = Self(2);
    /// The variable is in memory.
    pub const STATIC: Self = Self(4);
    /// The register is a special one, which instructions only read.
    pub const READONLY: Self = Self(8);
    /// The names among the token modifiers of the Language Server Protocol, by their bit.
    pub const NAMES: [&'static str; 4] = ["declaration", "modification", "static", "readonly"];

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A word with its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    /// The word.
    pub span: Span,
    /// Its meaning.
    pub ty: TokenType,
    /// Its properties.
    pub modifiers: TokenModifiers,
}

/// The words between two offsets by their meaning, in the order of the text. Statements are taken as a whole.
pub fn semantic_tokens(document: &Document, lo: u32, hi: u32) -> Vec<SemanticToken> {
    let statements = document.index().statements();
    let first = statements.partition_point(|one| one.span.hi <= lo);
    // Comments before the first statement are taken, too.
    let start = match first.checked_sub(1).and_then(|at| statements.get(at)) {
        Some(before) => before.span.hi,
        None => 0,
    };
    let text = document.slice(Span::new(start, document.text().len() as u32));
    let occurrences = document.index().occurrences();
    let mut highlighter = Highlighter {
        document,
        occurrences: &occurrences[occurrences.partition_point(|one| one.span.lo < start)..],
        statement: first,
        kind: StatementKind::Other,
        mnemonic: Mnemonic::Passed,
        found: Vec::new(),
    };
    for element in elements(text) {
        let span = Span::new(element.span.lo + start, element.span.hi + start);
        if span.lo > hi {
            break;
        }
        highlighter.element(Element { span, ..element });
    }
    highlighter.found
}

/// Where the mnemonic of the current statement is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mnemonic {
    /// It is the next word, after a guard if there is one.
    Expected,
    /// The next name is the predicate of a guard.
    Guard,
    /// It was the last word; modifiers after a blank may follow.
    Open,
    Passed,
}

struct Highlighter<'d> {
    document: &'d Document,
    /// Those not passed yet.
    occurrences: &'d [Occurrence],
    /// The number of the next statement.
    statement: usize,
    kind: StatementKind,
    mnemonic: Mnemonic,
    found: Vec<SemanticToken>,
}

impl Highlighter<'_> {
    fn push(&mut self, span: Span, ty: TokenType, modifiers: TokenModifiers) {
        self.found.push(SemanticToken { span, ty, modifiers });
    }

    fn element(&mut self, element: Element) {
        while let Some(extent) = self.document.index().statements().get(self.statement)
            && extent.span.lo <= element.span.lo
        {
            self.kind = extent.kind;
            self.mnemonic = match extent.kind {
                StatementKind::Other => Mnemonic::Passed,
                StatementKind::Instruction | StatementKind::Error => Mnemonic::Expected,
            };
            self.statement += 1;
        }
        let span = element.span;
        match element.kind {
            ElementKind::Comment => self.push(span, TokenType::Comment, TokenModifiers::NONE),
            ElementKind::Text => self.push(span, TokenType::Text, TokenModifiers::NONE),
            ElementKind::Number | ElementKind::Table => {
                self.push(span, TokenType::Number, TokenModifiers::NONE);
            }
            ElementKind::Directive => self.directive(span),
            ElementKind::Mark(b'@') if self.mnemonic == Mnemonic::Expected => self.mnemonic = Mnemonic::Guard,
            ElementKind::Name | ElementKind::Dotted => self.word(span),
            ElementKind::Lines | ElementKind::DwarfLine | ElementKind::Bad => {}
            ElementKind::Mark(_) | ElementKind::Operator(_) => {
                if self.mnemonic == Mnemonic::Open {
                    self.mnemonic = Mnemonic::Passed;
                }
            }
        }
    }

    fn directive(&mut self, span: Span) {
        let word = self.document.slice(span).trim_start_matches('.');
        let ty = match (ScalarType::from_ptx(word), self.mnemonic) {
            (Some(_), _) => TokenType::Type,
            (None, Mnemonic::Open) => TokenType::Modifier,
            (None, _) => TokenType::Directive,
        };
        self.push(span, ty, TokenModifiers::NONE);
        if self.mnemonic == Mnemonic::Expected {
            self.mnemonic = Mnemonic::Passed;
        }
    }

    fn word(&mut self, span: Span) {
        let text = self.document.slice(span);
        match self.mnemonic {
            Mnemonic::Expected => {
                self.mnemonic = Mnemonic::Open;
                return self.opcode(span, text);
            }
            Mnemonic::Guard => self.mnemonic = Mnemonic::Expected,
            Mnemonic::Open => self.mnemonic = Mnemonic::Passed,
            Mnemonic::Passed => {}
        }
        let passed = self.occurrences.partition_point(|one| one.span.lo < span.lo);
        self.occurrences = &self.occurrences[passed..];
        if let Some(one) = self.occurrences.first().copied().filter(|one| one.span.lo == span.lo)
            && let Some((ty, modifiers)) = self.named(one)
        {
            return self.push(one.span, ty, modifiers);
        }
        let name = text.split('.').next().unwrap_or(text);
        if special_register(name).is_some() || name == "WARP_SZ" {
            self.push(span, TokenType::Variable, TokenModifiers::READONLY);
        }
    }

    /// The meaning of a declared name.
    fn named(&self, one: Occurrence) -> Option<(TokenType, TokenModifiers)> {
        let symbol = self.document.index().symbol(one.symbol?)?;
        let (ty, own) = match symbol.kind {
            SymbolKind::Kernel | SymbolKind::Function => (TokenType::Function, TokenModifiers::NONE),
            SymbolKind::Variable => (TokenType::Variable, TokenModifiers::STATIC),
            SymbolKind::Parameter => (TokenType::Parameter, TokenModifiers::NONE),
            SymbolKind::Register => (TokenType::Variable, TokenModifiers::NONE),
            SymbolKind::Label | SymbolKind::Targets => (TokenType::Label, TokenModifiers::NONE),
        };
        let access = match one.access {
            Access::Declare => TokenModifiers::DECLARATION,
            Access::Write | Access::Update if symbol.kind == SymbolKind::Register => {
                TokenModifiers::MODIFICATION
            }
            Access::Write | Access::Update | Access::Read | Access::Call => TokenModifiers::NONE,
        };
        Some((ty, own.and(access)))
    }

    /// An opcode and its modifiers, each with its dot.
    fn opcode(&mut self, span: Span, text: &str) {
        let mut lo = span.lo;
        for (at, word) in text.split('.').enumerate() {
            let start = if at == 0 { lo } else { lo - 1 };
            let hi = lo + word.len() as u32;
            let ty = match (at, Mod::from_ptx(word).and_then(ScalarType::from_mod)) {
                (0, _) => TokenType::Opcode,
                (_, Some(_)) => TokenType::Type,
                (_, None) => TokenType::Modifier,
            };
            if start < hi {
                self.push(Span::new(start, hi), ty, TokenModifiers::NONE);
            }
            lo = hi + 1;
        }
    }
}
