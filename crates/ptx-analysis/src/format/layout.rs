//! What is between two words: decided by the statement that they are in, and by the words.

use ptx_diag::Span;
use ptx_isa::{Directive, Place};
use ptx_syntax::syntax::{Element, ElementKind};

use crate::document::Document;
use crate::index::{Extent, StatementKind};

/// The state of formatting, between two words.
pub(super) struct Layout<'d> {
    document: &'d Document,
    line_end: &'static str,
    /// The number of the next statement.
    next: usize,
    statement: Statement,
    /// The statement before.
    before: Kind,
    /// The number of open braces.
    depth: usize,
    /// Whether the last statement, or an empty text before this one, is an error.
    follows_error: bool,
    /// Whether the comment before began its line.
    comment_began_line: bool,
}

/// What a statement is, as far as its layout differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Instruction,
    /// A label, or a directive with one.
    Label,
    /// `{`
    Open,
    /// `}`
    Close,
    /// `.entry` or `.func`, with or without a body.
    Function,
    /// `.reg`
    Registers,
    /// `.loc`, `.file` and `.section`, which are indented everywhere.
    Debug,
    /// A line of `@@DWARF`.
    DwarfLine,
    /// Other directives.
    Other,
    /// A text that is no statement.
    Error,
    /// None: before the first one.
    None,
}

/// The statement that is being laid out.
struct Statement {
    kind: Kind,
    extent: Span,
    part: Part,
    /// The brackets that are open.
    brackets: Vec<u8>,
    /// The last word, and the one before it.
    last: Option<ElementKind>,
    second: Option<ElementKind>,
    /// Whether `=` was passed.
    assigns: bool,
}

/// The part of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// The guard of an instruction; the words before the name of a function or register.
    Start,
    /// The mnemonic with its modifiers.
    Mnemonic,
    /// The number in the brackets of `ld.const[0]`.
    Bank,
    /// What follows.
    Rest,
    /// The parameters of a function.
    Parameters,
    /// The directives of a function.
    Directives,
}

impl<'d> Layout<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        let line_end = if document.text().contains("\r\n") { "\r\n" } else { "\n" };
        let statement = Statement {
            kind: Kind::None,
            extent: Span::default(),
            part: Part::Rest,
            brackets: Vec::new(),
            last: None,
            second: None,
            assigns: false,
        };
        Self {
            document,
            line_end,
            next: 0,
            statement,
            before: Kind::None,
            depth: 0,
            follows_error: false,
            comment_began_line: false,
        }
    }

    pub(super) fn line_end(&self) -> &'static str {
        self.line_end
    }

    /// What belongs between two elements; `None` if it stays as it is. `following` is the element after `element`.
    pub(super) fn gap(
        &mut self,
        gap: Span,
        before: Option<Element>,
        element: Element,
        following: Option<Element>,
    ) -> Option<String> {
        let source = self.document.slice(gap);
        let begins = self.begins_statement(element);
        if begins {
            self.enter_statement(element, following);
        }
        let is_kept = self.statement.kind == Kind::Error || (begins && self.follows_error);
        let text = if element.kind == ElementKind::Comment {
            self.before_comment(source, before, element)
        } else if begins {
            self.before_statement(source, before)
        } else {
            self.within(source, before, element, following)
        };
        if element.kind == ElementKind::Comment {
            self.comment_began_line = before.is_none() || source.contains('\n');
        } else {
            self.pass(element);
        }
        // Beside an error a comment stays where it is, too.
        (!is_kept).then_some(text)
    }

    fn begins_statement(&self, element: Element) -> bool {
        let next = self.document.index().statements().get(self.next);
        next.is_some_and(|next| next.span.lo <= element.span.lo) && element.kind != ElementKind::Comment
    }

    fn enter_statement(&mut self, first: Element, second: Option<Element>) {
        let statements = self.document.index().statements();
        let Some(mut extent) = statements.get(self.next).copied() else { return };
        self.next += 1;
        self.follows_error = self.statement.kind == Kind::Error;
        // A text that is no statement may have no words.
        while let Some(next) = statements.get(self.next).filter(|next| next.span.lo <= first.span.lo) {
            self.follows_error |= extent.kind == StatementKind::Error;
            extent = *next;
            self.next += 1;
        }
        let kind = self.kind_of(extent, first, second);
        self.before = self.statement.kind;
        if self.before == Kind::Function {
            let is_open = self.document.slice(self.statement.extent).ends_with('{');
            self.depth = usize::from(is_open);
        }
        match kind {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth = self.depth.saturating_sub(1),
            Kind::Function => self.depth = 0,
            _ => {}
        }
        self.statement = Statement {
            kind,
            extent: extent.span,
            part: Part::Start,
            brackets: Vec::new(),
            last: None,
            second: None,
            assigns: false,
        };
    }

    fn kind_of(&self, extent: Extent, first: Element, second: Option<Element>) -> Kind {
        match (extent.kind, first.kind) {
            (StatementKind::Error, _) => Kind::Error,
            (StatementKind::Instruction, _) => Kind::Instruction,
            (StatementKind::Other, ElementKind::Mark(b'{')) => Kind::Open,
            (StatementKind::Other, ElementKind::Mark(b'}')) => Kind::Close,
            (StatementKind::Other, ElementKind::Name | ElementKind::Dotted) => Kind::Label,
            (StatementKind::Other, ElementKind::DwarfLine) => Kind::DwarfLine,
            (StatementKind::Other, _) => {
                let words = [Some(first), second].into_iter().flatten();
                let words: Vec<&str> = words.map(|word| self.document.slice(word.span)).collect();
                match words.as_slice() {
                    [".entry" | ".func", ..] | [_, ".entry" | ".func"] => Kind::Function,
                    [".reg", ..] | [_, ".reg"] => Kind::Registers,
                    [".loc" | ".file" | ".section", ..] => Kind::Debug,
                    _ => Kind::Other,
                }
            }
        }
    }

    fn in_body(&self) -> bool {
        self.depth > 0
    }

    /// One line end, or two if the source has an empty line.
    fn lines(&self, source: &str, is_empty_line_kept: bool) -> String {
        let has_empty_line = source.matches('\n').count() >= 2;
        self.line_end.repeat(if has_empty_line && is_empty_line_kept { 2 } else { 1 })
    }

    fn before_statement(&self, source: &str, before: Option<Element>) -> String {
        let Some(before) = before else { return String::new() };
        let kind = self.statement.kind;
        let follows_comment = before.kind == ElementKind::Comment;
        if follows_comment && self.is_block(before) && !source.contains('\n') {
            return " ".to_owned();
        }
        let opens = matches!(self.before, Kind::Open) || (self.before == Kind::Function && self.in_body());
        let begins_text = self.before == Kind::None;
        // Functions, and labels of code, are apart from what is before them.
        let is_apart = match kind {
            Kind::Function => !begins_text,
            Kind::Label => !opens && self.before != Kind::Label,
            _ => false,
        };
        let follows_own_comment = follows_comment && self.comment_began_line;
        let lines = match is_apart && !follows_own_comment {
            true => self.line_end.repeat(2),
            false => self.lines(source, kind != Kind::Close && (!opens || follows_comment)),
        };
        lines + self.indentation()
    }

    fn indentation(&self) -> &'static str {
        match self.statement.kind {
            Kind::Label | Kind::DwarfLine | Kind::Function => "",
            // The braces of the body are not indented.
            Kind::Close if !self.in_body() => "",
            Kind::Debug => "\t",
            _ if self.in_body() => "\t",
            _ => "",
        }
    }

    /// Whether a comment may be followed by something on its line.
    fn is_block(&self, comment: Element) -> bool {
        self.document.slice(comment.span).starts_with("/*")
    }

    fn is_marker(&self, comment: Element) -> bool {
        self.document.slice(comment.span).starts_with('#')
    }

    fn before_comment(&self, source: &str, before: Option<Element>, comment: Element) -> String {
        let Some(before) = before else { return String::new() };
        if self.is_marker(comment) {
            return self.lines(source, true);
        }
        if !source.contains('\n') && (before.kind != ElementKind::Comment || self.is_block(before)) {
            return " ".to_owned();
        }
        let is_within = comment.span.lo < self.statement.extent.hi;
        let opens = matches!(before.kind, ElementKind::Mark(b'{'));
        let body = match self.statement.kind {
            Kind::Function if !is_within => self.document.slice(self.statement.extent).ends_with('{'),
            _ => self.in_body(),
        };
        let indentation = match (is_within, body) {
            (true, _) => self.continuation(),
            (false, true) => "\t",
            (false, false) => "",
        };
        self.lines(source, !is_within && !opens) + indentation
    }

    /// The indentation of a line within a statement.
    fn continuation(&self) -> &'static str {
        match (self.statement.kind, self.statement.part) {
            (Kind::Function, Part::Parameters) => "\t",
            (Kind::Function, _) => "",
            _ if self.in_body() => "\t\t",
            _ => "\t",
        }
    }

    fn within(
        &mut self,
        source: &str,
        before: Option<Element>,
        element: Element,
        following: Option<Element>,
    ) -> String {
        let Some(before) = before else { return String::new() };
        // The lines of a large list are left.
        if self.statement.assigns && before.kind != ElementKind::Comment && source.contains('\n') {
            return source.to_owned();
        }
        let breaks = self.breaks(before, element);
        if before.kind == ElementKind::Comment {
            return match (self.is_block(before), breaks) {
                (true, None) if !source.contains('\n') => " ".to_owned(),
                (_, Some(indentation)) => format!("{}{indentation}", self.line_end),
                (_, None) => format!("{}{}", self.line_end, self.continuation()),
            };
        }
        match breaks {
            Some(indentation) => format!("{}{indentation}", self.line_end),
            None => self.between(source, before, element, following).to_owned(),
        }
    }

    /// The indentation of an element within a statement that begins a line.
    fn breaks(&self, before: Element, element: Element) -> Option<&'static str> {
        let statement = &self.statement;
        let is_last = element.span.hi == statement.extent.hi;
        match (statement.kind, statement.part, element.kind) {
            (Kind::Function, Part::Parameters, ElementKind::Mark(b')')) if statement.brackets.len() == 1 => {
                (before.kind != ElementKind::Mark(b'(')).then_some("")
            }
            (Kind::Function, Part::Parameters, _) if statement.brackets.len() == 1 => {
                matches!(statement.last, Some(ElementKind::Mark(b'(' | b','))).then_some("\t")
            }
            (Kind::Function, _, ElementKind::Mark(b'{')) if is_last => Some(""),
            (Kind::Function, Part::Directives, ElementKind::Mark(b';')) if is_last => Some(""),
            (Kind::Function, Part::Directives, ElementKind::Directive) if statement.brackets.is_empty() => {
                let word = self.document.slice(element.span).trim_start_matches('.');
                Directive::at(Place::Function).any(|row| row.word == word).then_some("")
            }
            (Kind::Debug, _, ElementKind::Mark(b'{')) => Some("\t"),
            _ => None,
        }
    }

    /// What is between two words of a line.
    fn between(
        &self,
        source: &str,
        before: Element,
        element: Element,
        following: Option<Element>,
    ) -> &'static str {
        use ElementKind::{Directive, Dotted, Lines, Mark, Name, Number, Operator, Table, Text};
        let statement = &self.statement;
        let own = if source.is_empty() { "" } else { " " };
        let is_instruction = statement.kind == Kind::Instruction;
        if is_instruction && statement.part == Part::Mnemonic {
            return match (element.kind, following.map(|one| one.kind)) {
                (Mark(b';'), _) => "",
                (Directive, _) => own,
                (Mark(b'['), Some(Number)) if source.is_empty() && self.is_bank(element) => "",
                _ => " \t",
            };
        }
        if statement.part == Part::Bank {
            return "";
        }
        let in_address = statement.brackets.contains(&b'[');
        let is_word = |kind| matches!(kind, Name | Dotted | Directive | Number | Text | Table);
        match (before.kind, element.kind) {
            (Lines, _) | (_, Lines) => "",
            (_, Mark(b',' | b';' | b')' | b']' | b'}')) | (Mark(b'(' | b'[' | b'{' | b'@' | b'!'), _) => "",
            (Mark(b','), _) => " ",
            (_, Mark(b'=')) | (Mark(b'='), _) if !is_instruction => " ",
            (Name | Dotted, Mark(b'+')) if in_address => "",
            (Mark(b'+'), _) if in_address && matches!(statement.second, Some(Name | Dotted)) => "",
            (Name | Dotted, Mark(b'|')) if is_instruction && statement.brackets.is_empty() => "",
            (Mark(b'|'), Name | Dotted)
                if is_instruction && matches!(statement.second, Some(Name | Dotted)) =>
            {
                ""
            }
            (_, Mark(b':')) if statement.kind == Kind::Label => "",
            (Mark(b':'), _) if statement.kind == Kind::Label => " ",
            (_, Mark(b'<' | b'>')) | (Mark(b'<'), _) if !is_instruction && !statement.assigns => "",
            (Name | Dotted, Mark(b'[')) => "",
            (Directive | Mark(b']'), Mark(b'[')) if !is_instruction => "",
            (Directive, Mark(b'(')) => match self.document.slice(before.span) {
                ".func" | ".callprototype" => " ",
                _ => "",
            },
            (Name, Mark(b'(')) if statement.kind == Kind::Label => " ",
            (Name, Mark(b'(')) => "",
            (Directive, _) if statement.kind == Kind::Debug && statement.part == Part::Start => "\t",
            (_, Name) if statement.kind == Kind::Registers && statement.part == Part::Start => " \t",
            (Mark(b')' | b']'), other) if is_word(other) => " ",
            (one, other) if is_word(one) && is_word(other) => " ",
            (Operator(_) | Mark(_), _) | (_, Operator(_) | Mark(_)) => own,
            _ => " ",
        }
    }

    /// Whether a bracket begins the bank of a mnemonic: `ld.const[0].u32`.
    fn is_bank(&self, bracket: Element) -> bool {
        let rest = self.document.slice(Span::new(bracket.span.hi, self.statement.extent.hi));
        rest.split_once(']').is_some_and(|(_, after)| after.starts_with('.'))
    }

    /// Moves past an element of the statement.
    fn pass(&mut self, element: Element) {
        let statement = &mut self.statement;
        statement.part = match (statement.kind, statement.part, element.kind) {
            // A name after a guard's mark is its predicate.
            (Kind::Instruction, Part::Start, ElementKind::Name)
                if matches!(statement.last, Some(ElementKind::Mark(b'@' | b'!'))) =>
            {
                Part::Start
            }
            (Kind::Instruction, Part::Start, ElementKind::Name | ElementKind::Dotted) => Part::Mnemonic,
            (Kind::Instruction, Part::Mnemonic, ElementKind::Directive) => Part::Mnemonic,
            (Kind::Instruction, Part::Mnemonic, ElementKind::Mark(b'[')) => {
                let rest = self.document.slice(Span::new(element.span.hi, statement.extent.hi));
                match rest.split_once(']') {
                    Some((_, after)) if after.starts_with('.') => Part::Bank,
                    _ => Part::Rest,
                }
            }
            (Kind::Instruction, Part::Mnemonic, _) => Part::Rest,
            (Kind::Instruction, Part::Bank, ElementKind::Mark(b']')) => Part::Mnemonic,
            (Kind::Function, Part::Start, ElementKind::Name) if statement.brackets.is_empty() => {
                Part::Directives
            }
            (Kind::Function, Part::Directives, ElementKind::Mark(b'('))
                if statement.brackets.is_empty() && statement.last == Some(ElementKind::Name) =>
            {
                Part::Parameters
            }
            (Kind::Function, Part::Parameters, ElementKind::Mark(b')')) if statement.brackets.len() == 1 => {
                Part::Directives
            }
            (Kind::Registers, Part::Start, ElementKind::Name) => Part::Rest,
            (Kind::Debug, Part::Start, _) if statement.last.is_some() => Part::Rest,
            (_, part, _) => part,
        };
        match element.kind {
            ElementKind::Mark(open @ (b'(' | b'[' | b'{')) => statement.brackets.push(open),
            ElementKind::Mark(b')' | b']' | b'}') => {
                statement.brackets.pop();
            }
            ElementKind::Mark(b'=') => statement.assigns = true,
            _ => {}
        }
        statement.second = statement.last.replace(element.kind);
    }
}
