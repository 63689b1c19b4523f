//! The reader: parses and resolves statements in order, and resumes at the next one after an error.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Item, Stmt};

use crate::codes;
use crate::grammar::MAX_DEPTH;
use crate::grammar::control::label_name;
use crate::grammar::debug::location;
use crate::grammar::error::{Problem, unknown_directive};
use crate::grammar::instruction::{head, instruction};
use crate::grammar::module::{is_linkage, starts_item};
use crate::grammar::statement::{MODULE_DIRECTIVES, statement};
use crate::grammar::variable::variables;
use crate::resolve::module::linkage;
use crate::resolve::{Resolve, Resolved, Resolver, at};
use crate::stream::{Source, Stream};
use crate::token::{Token, TokenKind};
use crate::tree::{Function, Statement};

const STATEMENT_DIRECTIVES: &[&str] =
    &["reg", "param", "local", "shared", "global", "const", "loc", "pragma"];

/// Where parsing resumes after an error.
#[derive(Clone, Copy)]
enum Recovery {
    /// At the next line.
    Line,
    /// After the semicolon, even after braces.
    Declaration,
    /// At the next item.
    Item,
}

/// Whether a body has more statements.
#[derive(PartialEq, Eq)]
enum Next {
    Statement,
    End,
}

/// The text that is read, and the model that is built from it.
pub(crate) struct Reader<'s, 'h> {
    pub(crate) stream: Stream<'s>,
    pub(crate) resolver: Resolver<'s, 'h>,
}

impl<'s, 'h> Reader<'s, 'h> {
    pub(crate) fn new(source: Source<'s>, resolve: Option<Resolve<'h>>) -> Self {
        Self { stream: Stream::new(source), resolver: Resolver::new(source, resolve) }
    }

    /// Reads a whole module.
    pub(crate) fn module(&mut self) {
        self.items();
        let resolver = &mut self.resolver;
        if resolver.module.items.iter().all(|item| matches!(item, Item::Comment(_)))
            && !resolver.diagnostics.has_errors()
        {
            let error = Diagnostic::error(codes::EMPTY, self.stream.last, "the input has no directives");
            resolver.report(error.with_help("a module starts with `.version` and `.target`"));
        }
        self.zero_bytes();
    }

    /// Reads directives up to the end of the text.
    pub(crate) fn items(&mut self) {
        loop {
            let token = self.stream.peek();
            let comments = self.stream.comments_before(token.lo);
            self.resolver.item_comments(comments, true);
            if self.resolver.reached_error_limit() {
                let error =
                    Diagnostic::error(codes::TOO_MANY, self.stream.last, "too many errors, giving up");
                self.resolver.diagnostics.push(error);
                return;
            }
            if token.kind == TokenKind::End {
                return;
            }
            self.item(token);
        }
    }

    /// Reports a zero byte in a comment or string. Elsewhere it is an invalid token, and at the end it is padding.
    pub(crate) fn zero_bytes(&mut self) {
        if self.resolver.diagnostics.has_errors() {
            return;
        }
        if let Some(span) = self.stream.zero_byte() {
            let error = Diagnostic::error(codes::BAD_TOKEN, span, "unexpected zero byte in the input");
            self.resolver.report(error.with_help("zero bytes are only allowed at the end"));
        }
    }

    fn item(&mut self, token: Token) {
        match (token.kind, self.stream.directive(&token)) {
            (TokenKind::DwarfLine, _) => self.parsed_item(token, Recovery::Item),
            (_, Some(word)) => self.directive(token, word),
            (TokenKind::Mark(b'@'), _) => {
                let message = "instructions are only allowed in functions";
                self.refuse(token, *at(codes::EXPECTED, token.span(), message), Recovery::Item);
            }
            (TokenKind::Mark(b'}'), _) => {
                self.stream.advance();
                let error = at(codes::UNBALANCED, token.span(), "unmatched `}`");
                self.refuse(token, *error, Recovery::Item);
            }
            _ => {
                let error = self.stream.diagnostic(Problem::Stray("a directive"));
                let error = match MODULE_DIRECTIVES.contains(&self.stream.text(&token)) {
                    true => {
                        let meant = format!(".{}", self.stream.text(&token));
                        Box::new(error.with_help(format!("write `{meant}`")).with_fix(token.span(), meant))
                    }
                    false => error,
                };
                self.refuse(token, *error, Recovery::Item);
            }
        }
    }

    /// A directive of a module, if it is allowed there.
    fn directive(&mut self, token: Token, word: &'s str) {
        let span = token.span();
        let is_variable =
            |word: &str| matches!(word, "global" | "const" | "shared" | "tex" | "align" | "attribute");
        let has_thread_state = self.resolver.has_thread_state();
        let is_thread_state = |word: &str| has_thread_state && matches!(word, "reg" | "local");
        match word {
            "version" | "target" | "address_size" | "file" => self.parsed_item(token, Recovery::Line),
            "section" | "pragma" | "alias" | "entry" | "func" => self.parsed_item(token, Recovery::Item),
            word if is_variable(word) || is_thread_state(word) => {
                self.parsed_item(token, Recovery::Declaration);
            }
            word if is_linkage(word) => self.linked(token, |word| is_variable(word) || is_thread_state(word)),
            "loc" => {
                self.stream.advance();
                let error = at(codes::DIRECTIVE, span, "`.loc` is only allowed in functions");
                self.refuse(token, *error, Recovery::Line);
            }
            "texref" | "samplerref" | "surfref" => {
                self.stream.advance();
                if self.stream.peek().kind != TokenKind::Mark(b';') {
                    let problem = Problem::Expected("`;`, or a state space before it");
                    let error = self.stream.diagnostic(problem);
                    return self.refuse(token, *error, Recovery::Item);
                }
                self.stream.advance();
                let message = "this declares nothing: no state space and no name follow";
                self.resolver.report(Diagnostic::warning(codes::EMPTY, span, message));
            }
            "reg" | "local" | "param" => {
                let message = format!("`.{word}` is only allowed in functions");
                self.refuse(token, *at(codes::DIRECTIVE, span, message), Recovery::Item);
            }
            _ => {
                let error = unknown_directive(word, span, MODULE_DIRECTIVES);
                self.refuse(token, *error, Recovery::Item);
            }
        }
    }

    /// Reads an item that begins with a linking directive.
    fn linked(&mut self, token: Token, is_variable: impl Fn(&str) -> bool) {
        let second = self.stream.peek_second();
        let word = second.and_then(|second| self.stream.directive(&second));
        match (second, word) {
            (Some(second), Some("entry" | "func")) if self.stream.text(&token) == ".common" => {
                self.stream.advance();
                let error = at(codes::CONFLICT, second.span(), "only variables can be `.common`");
                self.refuse(token, *error, Recovery::Item);
            }
            (_, Some("entry" | "func")) => self.parsed_item(token, Recovery::Item),
            (_, Some(word)) if is_variable(word) => self.parsed_item(token, Recovery::Declaration),
            _ => {
                self.stream.advance();
                let error = self.stream.diagnostic(Problem::Expected("a function or variable"));
                self.refuse(token, *error, Recovery::Item);
            }
        }
    }

    /// Reports an error and skips to where parsing resumes.
    fn refuse(&mut self, started: Token, error: Diagnostic, recovery: Recovery) {
        self.resolver.report(error);
        let invalidate = |name| self.resolver.invalidate(name);
        match recovery {
            Recovery::Line => self.stream.skip_line(started),
            Recovery::Declaration => self.stream.skip_declaration(started, invalidate),
            Recovery::Item => self.stream.skip_item(started, 0, invalidate),
        }
    }

    /// Marks the names that the last production took as invalid, because their statement has an error.
    fn invalidate_taken(&mut self) {
        for token in self.stream.taken() {
            if token.kind == TokenKind::Ident {
                self.resolver.invalidate(self.stream.text(token));
            }
        }
    }

    /// An item of the module, parsed and resolved.
    fn parsed_item(&mut self, token: Token, recovery: Recovery) {
        let item = match self.stream.parse(statement) {
            Ok(item) => item,
            Err(problem) => {
                self.invalidate_taken();
                let error = self.stream.diagnostic(problem);
                return self.refuse(token, *error, recovery);
            }
        };
        let comments = self.stream.comments_before(self.stream.last.hi);
        self.resolver.item_comments(comments, false);
        let resolved = match item {
            Statement::Function(function) => return self.function(token, &function),
            item => self.resolver.item(item),
        };
        if let Err(error) = resolved {
            self.invalidate_taken();
            self.resolver.report(*error);
            if matches!(recovery, Recovery::Line) {
                self.stream.skip_line(token);
            }
        }
    }

    /// A function with its body.
    fn function(&mut self, token: Token, function: &Function<'s>) {
        let id = match self.resolver.function(function, linkage(function.linkage)) {
            Ok(id) => id,
            Err(error) => {
                self.invalidate_taken();
                self.resolver.report(*error);
                if function.body.is_some() {
                    let invalidate = |name| self.resolver.invalidate(name);
                    self.stream.skip_item(token, 1, invalidate);
                }
                return;
            }
        };
        if let Some(open) = function.body {
            let mut opened = vec![open];
            self.statements(&mut opened);
            opened.iter().skip(1).for_each(|_| self.resolver.leave_scope());
            self.resolver.end_function(id, true);
        }
    }

    /// The statements of inline assembly, up to the end of the text.
    pub(crate) fn assembly(&mut self) {
        self.resolver.enter_assembly();
        let mut opened = Vec::new();
        self.statements(&mut opened);
        opened.iter().for_each(|_| self.resolver.leave_scope());
        self.resolver.leave_assembly();
    }

    /// Reads statements until the last brace of `opened`, the open braces, is closed.
    fn statements(&mut self, opened: &mut Vec<Span>) {
        loop {
            let token = self.stream.peek();
            if self.stream.has_comments_before(token.lo) {
                let comments = self.stream.comments_before(token.lo);
                self.resolver.statement_comments(comments, true);
            }
            if self.resolver.reached_error_limit() {
                return;
            }
            match self.statement(token, opened) {
                Ok(Next::Statement) => {}
                Ok(Next::End) => return,
                Err(error) => {
                    self.resolver.report(*error);
                    self.stream.skip_statement(token, |name| self.resolver.invalidate(name));
                }
            }
        }
    }

    /// Reads a statement. After an error the caller skips the rest of the statement.
    #[inline]
    fn statement(&mut self, token: Token, opened: &mut Vec<Span>) -> Resolved<Next> {
        match token.kind {
            TokenKind::Ident | TokenKind::Dotted | TokenKind::Mark(b'@') => {}
            TokenKind::Directive => match self.stream.text(&token) {
                ".loc" => return self.location(token),
                ".reg" | ".param" | ".local" => return self.variables(token),
                word => {
                    if let Some(next) = self.check_directive(token, word.trim_start_matches('.'), opened)? {
                        return Ok(next);
                    }
                }
            },
            TokenKind::Mark(b'{') => return Ok(self.open(token, opened)),
            TokenKind::Mark(b'}') => return self.close(token, opened),
            // Inline assembly often ends in one semicolon too many.
            TokenKind::Mark(b';') if self.resolver.inline => {
                self.stream.advance();
                return Ok(Next::Statement);
            }
            TokenKind::End => {
                self.unclosed(opened, token.span());
                return Ok(Next::End);
            }
            _ => return Err(self.stream.diagnostic(Problem::Stray("an instruction or directive"))),
        }
        let second = self.stream.peek_second().map(|second| second.kind);
        if token.kind != TokenKind::Directive && second != Some(TokenKind::Mark(b':')) {
            return self.instruction(token);
        }
        match self.stream.parse(statement) {
            Ok(statement) => {
                if let Err(error) = self.resolved_statement(statement) {
                    self.resolver.report(*error);
                }
                Ok(Next::Statement)
            }
            Err(problem) => self.statement_error(token, problem),
        }
    }

    /// `.loc`
    fn location(&mut self, token: Token) -> Resolved<Next> {
        match self.stream.parse(location) {
            Ok(location) => {
                self.comments_inside();
                if let Err(error) = self.resolver.location(&location) {
                    self.refuse(token, *error, Recovery::Line);
                }
            }
            Err(problem) => {
                self.invalidate_taken();
                let error = self.stream.diagnostic(problem);
                self.refuse(token, *error, Recovery::Line);
            }
        }
        Ok(Next::Statement)
    }

    /// Declarations of variables or registers.
    fn variables(&mut self, token: Token) -> Resolved<Next> {
        match self.stream.parse(|tokens| variables(tokens, None)) {
            Ok(variables) => {
                self.comments_inside();
                if let Err(error) = self.resolver.body_variables(&variables) {
                    self.invalidate_taken();
                    self.resolver.report(*error);
                }
                Ok(Next::Statement)
            }
            Err(problem) => self.statement_error(token, problem),
        }
    }

    /// Reads an instruction, the most common statement. It is resolved where it was parsed, because moving it takes time.
    #[inline]
    fn instruction(&mut self, token: Token) -> Resolved<Next> {
        match instruction(self.stream.tokens()) {
            Ok((rest, instruction)) => {
                let left = rest.rest.len();
                self.stream.take_to(left);
                self.comments_inside();
                if let Err(error) = self.resolver.instruction(&instruction) {
                    self.resolver.report(*error);
                }
                self.stream.context.spare.put_back(instruction.operands);
                Ok(Next::Statement)
            }
            Err(error) => {
                let problem = self.stream.take_to_error(error);
                self.statement_error(token, problem)
            }
        }
    }

    /// Adds the comments inside a statement before it.
    #[inline]
    fn comments_inside(&mut self) {
        let end = self.stream.last.hi;
        if self.stream.has_comments_before(end) {
            let comments = self.stream.comments_before(end);
            self.resolver.statement_comments(comments, false);
        }
    }

    fn resolved_statement(&mut self, statement: Statement<'s>) -> Resolved<()> {
        self.comments_inside();
        match statement {
            Statement::Instruction(instruction) => self.resolver.instruction(&instruction),
            Statement::Label(name) => self.resolver.label(name),
            Statement::Pragma(texts, _) => self.resolver.strings(&texts).map(|texts| {
                self.resolver.body.statements.push(Stmt::Pragma(texts));
            }),
            Statement::BranchTargets(name, targets) => self.resolver.branch_targets(name, &targets),
            Statement::CallTargets(name, functions) => self.resolver.call_targets(name, &functions),
            Statement::CallPrototype(name, prototype) => self.resolver.call_prototype(name, &prototype),
            // Other statements were rejected at their first token, or are read by separate functions.
            Statement::Location(_)
            | Statement::Variables(_)
            | Statement::Version(..)
            | Statement::Target(..)
            | Statement::AddressSize(..)
            | Statement::File(_)
            | Statement::Section(_)
            | Statement::DwarfLine(_)
            | Statement::Alias(..)
            | Statement::Function(_)
            | Statement::Open(_)
            | Statement::Close(_)
            | Statement::Empty(_) => {
                debug_assert!(false, "not a statement of a body");
                Ok(())
            }
        }
    }

    /// Returns the error of a statement that could not be parsed.
    #[cold]
    fn statement_error(&mut self, token: Token, problem: Problem<'s>) -> Resolved<Next> {
        if let Some((name, _)) = self.stream.again(label_name) {
            self.resolver.invalidate(name.text);
        } else if token.kind != TokenKind::Directive
            && let Some(((_, mnemonic), left)) = self.stream.again(head)
        {
            // If the mnemonic is invalid, this is the only error to report.
            let known = self.resolver.candidates(&mnemonic);
            known.inspect_err(|_| self.stream.take_to(left))?;
        }
        if token.kind == TokenKind::Directive {
            self.invalidate_taken();
        }
        Err(self.stream.diagnostic(problem))
    }

    /// Reads a directive in a body, or rejects it. Returns `None` if it is allowed and the caller is to parse it.
    fn check_directive(&mut self, token: Token, word: &str, opened: &[Span]) -> Resolved<Option<Next>> {
        let span = token.span();
        if starts_item(word) && token.starts_line && !self.resolver.inline {
            let message = format!("`.{word}` is not allowed in a function");
            let error = Diagnostic::error(codes::UNBALANCED, span, message);
            let error = match opened.last() {
                Some(&open) => error.with_related(open, "this `{` is not closed before"),
                None => error,
            };
            let before = Span::new(span.lo, span.lo);
            self.resolver.report(error.with_help("add `}` before it").with_fix(before, "}\n\n"));
            return Ok(Some(Next::End));
        }
        match word {
            "shared" | "global" | "const" | "align" | "attribute" => self.variables(token).map(Some),
            "pragma" => Ok(None),
            "branchtargets" | "calltargets" | "callprototype" => {
                Err(at(codes::DIRECTIVE, span, format!("`.{word}` needs a label before it")))
            }
            _ => Err(unknown_directive(word, span, STATEMENT_DIRECTIVES)),
        }
    }

    fn open(&mut self, token: Token, opened: &mut Vec<Span>) -> Next {
        self.stream.advance();
        if opened.len() as u32 >= MAX_DEPTH {
            let message = format!("braces are nested deeper than {MAX_DEPTH} levels");
            self.resolver.report(Diagnostic::error(codes::TOO_DEEP, token.span(), message));
            // The rest of such a function is not read.
            self.stream.skip_to_item();
            return Next::End;
        }
        opened.push(token.span());
        self.resolver.enter_scope();
        self.push_brace(Stmt::ScopeStart);
        Next::Statement
    }

    fn close(&mut self, token: Token, opened: &mut Vec<Span>) -> Resolved<Next> {
        self.stream.advance();
        match opened.len() {
            0 => Err(at(codes::UNBALANCED, token.span(), "unmatched `}`")),
            // The outermost braces of inline assembly are a scope of the body around it.
            1 if !self.resolver.inline => Ok(Next::End),
            _ => {
                opened.pop();
                self.resolver.leave_scope();
                self.push_brace(Stmt::ScopeEnd);
                Ok(Next::Statement)
            }
        }
    }

    fn push_brace(&mut self, brace: Stmt) {
        self.resolver.body.statements.push(brace);
    }

    fn unclosed(&mut self, opened: &[Span], end: Span) {
        // An unterminated comment includes the closing braces.
        let Some(&open) = opened.last().filter(|_| !self.stream.unterminated_comment) else { return };
        let error = Diagnostic::error(codes::UNBALANCED, open, "this `{` is never closed");
        let error = error.with_related(end, "the input ends here").with_help("add `}`");
        self.resolver.report(error.with_fix(Span::new(end.hi, end.hi), "}\n"));
    }
}
