//! Statements of a body.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{At, LabelKind, LabelTarget, Prototype, Stmt};

use crate::codes;
use crate::cursor::Cursor;
use crate::lexer::TokenKind;
use crate::reader::{MAX_DEPTH, Parse, Reader, is_reserved};
use crate::recovery::starts_item;

const STATEMENT_DIRECTIVES: [&str; 8] =
    ["reg", "param", "local", "shared", "global", "const", "loc", "pragma"];

/// How many labels one range may name.
const MAX_LABELS: u32 = 65_536;

/// Whether the statements go on.
enum Next {
    Statement,
    End,
}

impl<'s> Reader<'s, '_> {
    /// The statements up to the brace that matches `open`, which was taken.
    ///
    /// The names of a function's parameters share their scope with those between the outermost braces.
    pub(crate) fn body_statements(&mut self, open: Span) {
        let mut opened = vec![open];
        self.enter_labels();
        self.statements(&mut opened);
        for _ in opened.iter().skip(1) {
            self.leave_scope();
        }
        self.leave_labels();
        self.settle_labels();
    }

    /// The statements of inline assembly, up to the end of the text.
    pub(crate) fn inline_statements(&mut self) {
        self.names.enter();
        self.enter_scope();
        let mut opened = Vec::new();
        self.statements(&mut opened);
        for _ in opened {
            self.leave_scope();
        }
        self.leave_scope();
        self.names.leave();
        self.settle_labels();
    }

    fn enter_scope(&mut self) {
        self.names.enter();
        self.enter_labels();
    }

    fn leave_scope(&mut self) {
        self.names.leave();
        self.leave_labels();
    }

    /// Statements; `opened` are the braces that are open, and it ends when the last of them is closed.
    fn statements(&mut self, opened: &mut Vec<Span>) {
        loop {
            self.comments_between_statements();
            if self.gives_up() {
                return;
            }
            let start = self.cursor.span();
            self.broken = false;
            match self.statement(opened) {
                Ok(Next::Statement) => {}
                Ok(Next::End) => return,
                Err(error) => {
                    self.report(*error);
                    // A missing semicolon at the end of a line: the next line is a statement of its own.
                    let token = self.cursor.peek();
                    let resumes = token.starts_line && token.span.lo > start.lo;
                    if !(resumes
                        && matches!(
                            token.kind,
                            TokenKind::Ident(_) | TokenKind::Directive(_) | TokenKind::Mark(b'@')
                        ))
                    {
                        self.skip_statement(start);
                    }
                }
            }
        }
    }

    fn statement(&mut self, opened: &mut Vec<Span>) -> Parse<Next> {
        if let TokenKind::Ident(_) = *self.cursor.kind() {
            self.label_or_instruction()?;
            return Ok(Next::Statement);
        }
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Mark(b'@') => self.guarded()?,
            TokenKind::Directive(name) if starts_item(name) && token.starts_line && !self.inline => {
                let message = format!("`.{name}` is not allowed in a function");
                let error = Diagnostic::error(codes::UNBALANCED, token.span, message);
                let error = match opened.last() {
                    Some(&open) => error.with_related(open, "this `{` is not closed before"),
                    None => error,
                };
                self.report(error.with_help("add `}` before it"));
                return Ok(Next::End);
            }
            TokenKind::Directive(name) => self.statement_directive(name, token.span)?,
            TokenKind::Mark(b'{') => {
                self.cursor.advance();
                if opened.len() as u32 >= MAX_DEPTH {
                    let message = format!("braces are nested deeper than {MAX_DEPTH} levels");
                    self.report(Diagnostic::error(codes::TOO_DEEP, token.span, message));
                    // The meaning of such a function is unknown.
                    self.skip_to_item();
                    return Ok(Next::End);
                }
                opened.push(token.span);
                self.enter_scope();
                self.push_statement(Stmt::ScopeStart);
            }
            TokenKind::Mark(b'}') => {
                self.cursor.advance();
                return self.close(opened, token.span);
            }
            // Inline assembly often ends in one semicolon too many.
            TokenKind::Mark(b';') if self.inline => {
                self.cursor.advance();
            }
            TokenKind::End => {
                // A comment without an end has swallowed the braces.
                if !opened.is_empty() && !self.cursor.is_cut {
                    self.unclosed(opened, token.span, "the input ends here");
                }
                return Ok(Next::End);
            }
            _ => return Err(self.stray("an instruction or directive")),
        }
        Ok(Next::Statement)
    }

    fn close(&mut self, opened: &mut Vec<Span>, span: Span) -> Parse<Next> {
        match opened.len() {
            0 => Err(self.at(codes::UNBALANCED, span, "unmatched `}`")),
            // The outermost braces of inline assembly are a scope of the body around it.
            1 if !self.inline => Ok(Next::End),
            _ => {
                opened.pop();
                self.leave_scope();
                self.push_statement(Stmt::ScopeEnd);
                Ok(Next::Statement)
            }
        }
    }

    fn unclosed(&mut self, opened: &[Span], end: Span, why: &str) {
        let Some(&open) = opened.last() else { return };
        let error = Diagnostic::error(codes::UNBALANCED, open, "this `{` is never closed");
        let error = error.with_related(end, why);
        self.report(error.with_help("add `}`"));
    }

    fn statement_directive(&mut self, name: &'s str, span: Span) -> Parse<()> {
        match name {
            "reg" | "param" | "local" | "shared" | "global" | "const" | "align" | "attribute" => {
                self.body_variables()
            }
            "loc" => {
                if let Some(location) = self.or_next_line(Self::location) {
                    self.push_statement(Stmt::Location(location));
                }
                Ok(())
            }
            "pragma" => {
                self.cursor.advance();
                let texts = self.pragma()?;
                self.push_statement(Stmt::Pragma(texts));
                Ok(())
            }
            "branchtargets" | "calltargets" | "callprototype" => {
                let message = format!("`.{name}` needs a label before it");
                Err(self.at(codes::DIRECTIVE, span, message))
            }
            _ => Err(self.unknown_directive(name, span, &STATEMENT_DIRECTIVES)),
        }
    }

    fn label_or_instruction(&mut self) -> Parse<()> {
        // A name with a colon after it is a label, wherever the colon is.
        let certain = matches!(self.cursor.byte_behind(), Some(b'.' | b';'));
        let reserved =
            matches!(*self.cursor.kind(), TokenKind::Ident(name) if name == "_" || is_reserved(name));
        if certain || reserved || !self.colon_follows() {
            return self.instruction(None);
        }
        let (name, span) = self.expect_ident("a label")?;
        self.expect(b':', "`:`")?;
        match *self.cursor.kind() {
            TokenKind::Directive("branchtargets") => self.branch_targets(name, span),
            TokenKind::Directive("calltargets") => self.call_targets(name, span),
            TokenKind::Directive("callprototype") => self.call_prototype(name, span),
            _ => {
                match self.define_label(name, span, LabelKind::Code) {
                    Ok(label) => self.push_statement(Stmt::Label(label)),
                    Err(error) => self.report(*error),
                }
                Ok(())
            }
        }
    }

    /// Whether a colon follows the next token, after blanks and comments.
    fn colon_follows(&mut self) -> bool {
        let end = self.cursor.span().hi;
        let rest = self.cursor.text_from(end);
        match rest.trim_ascii_start() {
            [b':', ..] => true,
            [b'/', b'/' | b'*', ..] => Cursor::new(rest).peek().kind == TokenKind::Mark(b':'),
            _ => false,
        }
    }

    /// `name: .branchtargets a, b;` (manual 11.3.1)
    fn branch_targets(&mut self, name: &'s str, span: Span) -> Parse<()> {
        self.cursor.advance();
        let id = self.define_label(name, span, LabelKind::BranchTargets)?;
        let mut targets = Vec::new();
        loop {
            let (target, at) = self.expect_ident("a label")?;
            if self.eat(b'<').is_some() {
                self.range_of_labels((target, at), &mut targets)?;
            } else {
                targets.push(LabelTarget { label: self.use_label(target, at), at: At(at) });
            }
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b';', "`;`")?;
        self.push_statement(Stmt::BranchTargets(id, targets));
        Ok(())
    }

    /// `L<4>`: the labels `L0` to `L3`; the bracket was taken.
    fn range_of_labels(&mut self, (name, at): (&str, Span), targets: &mut Vec<LabelTarget>) -> Parse<()> {
        let count = self.range_count()?;
        if count == 0 || count > MAX_LABELS {
            let message = format!("a range has 1 to {MAX_LABELS} labels, not {count}");
            return Err(self.at(codes::DIRECTIVE_VALUE, at, message));
        }
        for number in 0..count {
            let label = self.use_label(format!("{name}{number}"), at);
            targets.push(LabelTarget { label, at: At(at) });
        }
        Ok(())
    }

    /// `name: .calltargets f, g;` (manual 11.3.2)
    fn call_targets(&mut self, name: &'s str, span: Span) -> Parse<()> {
        self.cursor.advance();
        let id = self.define_label(name, span, LabelKind::CallTargets)?;
        let mut targets = Vec::new();
        loop {
            targets.push(self.declared_function()?);
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b';', "`;`")?;
        self.push_statement(Stmt::CallTargets(id, targets));
        Ok(())
    }

    /// `name: .callprototype (..) _ (..);` (manual 11.3.3)
    fn call_prototype(&mut self, name: &'s str, span: Span) -> Parse<()> {
        self.cursor.advance();
        let id = self.define_label(name, span, LabelKind::CallPrototype)?;
        // Names of a prototype's parameters mean nothing outside it.
        self.enter_scope();
        let prototype = self.prototype();
        self.leave_scope();
        self.duplicates.clear();
        let prototype = prototype?;
        self.push_statement(Stmt::CallPrototype(id, Box::new(prototype)));
        Ok(())
    }

    fn prototype(&mut self) -> Parse<Prototype> {
        let mut prototype = Prototype::default();
        if *self.cursor.kind() == TokenKind::Mark(b'(') {
            prototype.results = self.params()?;
        }
        match *self.cursor.kind() {
            TokenKind::Ident("_") => self.cursor.bump(),
            _ => return Err(self.unexpected("`_`")),
        };
        if *self.cursor.kind() == TokenKind::Mark(b'(') {
            prototype.params = self.params()?;
        }
        if *self.cursor.kind() == TokenKind::Directive("noreturn") {
            prototype.noreturn = Some(At(self.cursor.bump().span));
        }
        while let TokenKind::Directive(word) = *self.cursor.kind() {
            let start = self.cursor.bump().span;
            let again = match word {
                "abi_preserve" => {
                    let count = self.word("the number of registers")?;
                    prototype.abi_preserve.replace((count, At(start))).is_some()
                }
                "abi_preserve_control" => {
                    let count = self.word("the number of registers")?;
                    prototype.abi_preserve_control.replace((count, At(start))).is_some()
                }
                _ => {
                    let known = ["abi_preserve", "abi_preserve_control"];
                    return Err(self.unknown_directive(word, start, &known));
                }
            };
            if again {
                let message = format!("`.{word}` is given twice");
                return Err(self.at(codes::CONFLICT, start, message));
            }
        }
        self.expect(b';', "`;`")?;
        Ok(prototype)
    }
}
