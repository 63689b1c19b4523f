//! Directives of a module (manual 11).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Alias, At, FunctionId, Item, Linkage, StrId, Symbol, TargetSpec};
use ptx_isa::{PtxVersion, Sm};

use crate::codes;
use crate::lexer::TokenKind;
use crate::names::Entity;
use crate::reader::{Parse, Reader};

/// The kinds of linking directives.
pub(crate) fn linkage(name: &str) -> Option<Linkage> {
    match name {
        "extern" => Some(Linkage::Extern),
        "visible" => Some(Linkage::Visible),
        "weak" => Some(Linkage::Weak),
        "common" => Some(Linkage::Common),
        _ => None,
    }
}

const MODULE_DIRECTIVES: [&str; 18] = [
    "version",
    "target",
    "address_size",
    "visible",
    "extern",
    "weak",
    "common",
    "entry",
    "func",
    "global",
    "const",
    "shared",
    "file",
    "section",
    "loc",
    "pragma",
    "alias",
    "tex",
];

impl<'s> Reader<'s, '_> {
    /// Reads a whole module.
    pub(crate) fn module_items(&mut self) {
        self.items();
        if self.module.items.iter().all(|item| matches!(item, Item::Comment(_)))
            && !self.diagnostics.has_errors()
        {
            let message = "the input has no directives";
            let error = Diagnostic::error(codes::EMPTY, self.cursor.last, message);
            self.report(error.with_help("a module starts with `.version` and `.target`"));
        }
    }

    /// Reads directives up to the end of the text.
    pub(crate) fn items(&mut self) {
        loop {
            self.comments_between_items();
            let token = self.cursor.peek();
            if self.gives_up() {
                self.report_giving_up();
                break;
            }
            if token.kind == TokenKind::End {
                break;
            }
            if let Err(error) = self.item() {
                self.report(*error);
                self.skip_item(token);
            }
        }
    }

    /// Reports a zero byte in a comment or text; elsewhere it makes no token, and at the end it is padding.
    pub(crate) fn zero_bytes(&mut self) {
        if self.diagnostics.has_errors() {
            return;
        }
        if let Some(span) = self.cursor.zero_byte() {
            let error = Diagnostic::error(codes::BAD_TOKEN, span, "unexpected zero byte in the input");
            self.report(error.with_help("zero bytes are only allowed at the end"));
        }
    }

    fn item(&mut self) -> Parse<()> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Directive(name) => self.module_directive(name, token.span),
            TokenKind::Mark(b'@') => self.dwarf_line(),
            TokenKind::Mark(b'}') => {
                self.cursor.advance();
                Err(self.at(codes::UNBALANCED, token.span, "unmatched `}`"))
            }
            TokenKind::Ident(name) if MODULE_DIRECTIVES.contains(&name) => {
                let error = self.stray("a directive");
                Err(Box::new(error.with_help(format!("write `.{name}`"))))
            }
            _ => Err(self.stray("a directive")),
        }
    }

    fn module_directive(&mut self, name: &'s str, span: Span) -> Parse<()> {
        match name {
            "version" => self.line_item(Self::version),
            "target" => self.line_item(Self::target),
            "address_size" => self.line_item(Self::address_size),
            "file" => self.line_item(Self::file),
            "section" => self.section(),
            "loc" => {
                self.or_next_line(|reader| -> Parse<()> {
                    reader.cursor.advance();
                    Err(reader.at(codes::DIRECTIVE, span, "`.loc` is only allowed in functions"))
                });
                Ok(())
            }
            "pragma" => {
                self.cursor.advance();
                let texts = self.pragma()?;
                self.push_item(Item::Pragma(texts, At(span)));
                Ok(())
            }
            "alias" => self.alias(),
            "entry" | "func" => self.function(Linkage::Internal),
            "visible" | "extern" | "weak" | "common" => self.linked(),
            "global" | "const" | "shared" | "tex" | "align" | "attribute" => {
                self.variables_or_semicolon(Linkage::Internal)
            }
            "texref" | "samplerref" | "surfref" => {
                self.cursor.advance();
                self.expect(b';', "`;`, or a state space before it")?;
                let message = "this declares nothing: no state space and no name follow";
                self.report(Diagnostic::warning(codes::EMPTY, span, message));
                Ok(())
            }
            "reg" if self.has_thread_state() => self.outer_registers(Linkage::Internal),
            "local" if self.has_thread_state() => self.variables_or_semicolon(Linkage::Internal),
            "reg" | "local" | "param" => {
                let message = format!("`.{name}` is only allowed in functions");
                Err(self.at(codes::DIRECTIVE, span, message))
            }
            _ => Err(self.unknown_directive(name, span, &MODULE_DIRECTIVES)),
        }
    }

    /// Whether registers and local variables may be declared outside of functions: before PTX 3.0 (manual 7.1.1).
    fn has_thread_state(&self) -> bool {
        self.module.version().is_some_and(|version| version < PtxVersion::new(3, 0))
    }

    fn line_item(&mut self, read: impl FnOnce(&mut Self) -> Parse<()>) -> Parse<()> {
        self.or_next_line(read);
        Ok(())
    }

    /// Variables; after an error what follows the semicolon is read, even after braces.
    fn variables_or_semicolon(&mut self, linkage: Linkage) -> Parse<()> {
        let start = self.cursor.span();
        if let Err(error) = self.module_variables(linkage) {
            self.report(*error);
            self.skip_declaration(start);
        }
        Ok(())
    }

    /// The error for a directive that does not belong here.
    pub(crate) fn unknown_directive(&self, name: &str, span: Span, known: &[&str]) -> Box<Diagnostic> {
        let shown: String = name.chars().take(40).collect();
        let error = Diagnostic::error(
            codes::DIRECTIVE,
            span,
            format!("`.{shown}` is not a directive that is allowed here"),
        );
        let meant = match name {
            "kernel" => Some("entry"),
            "function" | "device" => Some("func"),
            _ => None,
        };
        let meant = meant.filter(|meant| known.contains(meant));
        Box::new(match meant.or_else(|| ptx_diag::nearest(name, known.iter().copied())) {
            Some(near) => error.with_help(format!("did you mean `.{near}`?")),
            None => error,
        })
    }

    fn version(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        let token = self.cursor.peek();
        let TokenKind::Number(text) = token.kind else {
            return Err(self.unexpected("a version such as `8.7`"));
        };
        self.cursor.advance();
        let Some(version) = PtxVersion::from_text(text) else {
            let message = format!("`{text}` is not a PTX version");
            let error = Diagnostic::error(codes::DIRECTIVE_VALUE, token.span, message);
            return Err(Box::new(error.with_help("a version is two numbers with a dot, such as `8.7`")));
        };
        self.push_item(Item::Version(version, At(start.to(token.span))));
        Ok(())
    }

    fn target(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        let mut target = TargetSpec { sm: None, names: Vec::new() };
        loop {
            let (name, _) = self.expect_ident("a target such as `sm_80`")?;
            target.sm = target.sm.or_else(|| Sm::from_text(name));
            target.names.push(self.module.strings.intern(name));
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.push_item(Item::Target(target, At(start.to(self.cursor.last))));
        Ok(())
    }

    fn address_size(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        let token = self.cursor.peek();
        let bits = self.word("32 or 64")?;
        if !matches!(bits, 32 | 64) {
            let message = format!("the address size must be 32 or 64, not {bits}");
            return Err(self.at(codes::DIRECTIVE_VALUE, token.span, message));
        }
        self.push_item(Item::AddressSize(bits, At(start.to(token.span))));
        Ok(())
    }

    /// The texts of a `.pragma`, whose first word was taken, with the semicolon.
    pub(crate) fn pragma(&mut self) -> Parse<Vec<StrId>> {
        let mut texts = Vec::new();
        loop {
            texts.push(self.expect_text("a text in quotes")?);
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b';', "`;`")?;
        Ok(texts)
    }

    fn alias(&mut self) -> Parse<()> {
        let start = self.cursor.bump().span;
        let name = self.declared_function()?;
        self.expect(b',', "`,`")?;
        let target = self.declared_function()?;
        self.expect(b';', "`;`")?;
        self.push_item(Item::Alias(Alias { name, target }, At(start.to(self.cursor.last))));
        Ok(())
    }

    /// The name of a function that was declared before.
    pub(crate) fn declared_function(&mut self) -> Parse<FunctionId> {
        let (name, span) = self.expect_ident("the name of a function")?;
        match self.lookup(name) {
            Some(Entity::Function(id)) => Ok(id),
            Some(_) => Err(self.at(codes::WRONG_NAME, span, format!("`{name}` is not a function"))),
            None => {
                if let Some(ptx_ir::Operand::Symbol(Symbol::Function(id), _)) = self.resolve_name(name) {
                    return Ok(id);
                }
                Err(self.at(codes::UNDECLARED, span, format!("function `{name}` is not declared")))
            }
        }
    }

    /// What follows linking directives.
    fn linked(&mut self) -> Parse<()> {
        let first = self.cursor.bump();
        let TokenKind::Directive(word) = first.kind else {
            return Err(self.unexpected("a linking directive"));
        };
        let linkage = linkage(word).unwrap_or(Linkage::Internal);
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Directive("entry" | "func") if linkage == Linkage::Common => {
                Err(self.at(codes::CONFLICT, token.span, "only variables can be `.common`"))
            }
            TokenKind::Directive("entry" | "func") => self.function(linkage),
            TokenKind::Directive("global" | "const" | "shared" | "tex" | "align" | "attribute") => {
                self.variables_or_semicolon(linkage)
            }
            TokenKind::Directive("local") if self.has_thread_state() => self.variables_or_semicolon(linkage),
            // It means nothing, for no other module can name a register.
            TokenKind::Directive("reg") if self.has_thread_state() && linkage == Linkage::Visible => {
                self.outer_registers(linkage)
            }
            TokenKind::Directive("reg") if self.has_thread_state() => {
                let message = "a register cannot be visible to other modules";
                let error = Diagnostic::error(codes::CONFLICT, first.span, message);
                Err(Box::new(error.with_help(format!("remove `.{word}`"))))
            }
            _ => Err(self.unexpected("a function or variable")),
        }
    }
}
