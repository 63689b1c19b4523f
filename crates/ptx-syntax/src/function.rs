//! Kernels and device functions (manual 11.2, 11.4).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{
    At, Body, Function, FunctionDirective, FunctionId, FunctionKind, Item, Linkage, Param, VarAttribute,
};

use crate::codes;
use crate::lexer::TokenKind;
use crate::names::Entity;
use crate::reader::{Parse, Reader};
use crate::recovery::starts_item;

const FUNCTION_DIRECTIVES: [&str; 17] = [
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "maxnreg",
    "noreturn",
    "pragma",
    "explicitcluster",
    "reqnctapercluster",
    "maxclusterrank",
    "blocksareclusters",
    "abi_preserve",
    "abi_preserve_control",
    "attribute",
    "language",
    "local_maxnreg",
    "minperctamemory",
];

/// Whether a directive starts an item and is none of a device function.
fn ends_head(word: &str) -> bool {
    starts_item(word) || matches!(word, "global" | "const" | "shared" | "pragma")
}

/// The position of a directive of a device function among the others.
fn device_rank(word: &str) -> Option<u8> {
    match word {
        "noreturn" => Some(1),
        "abi_preserve" | "abi_preserve_control" => Some(2),
        "language" | "local_maxnreg" => Some(3),
        _ => None,
    }
}

impl<'s> Reader<'s, '_> {
    /// `.entry` or `.func` up to its body's end or its semicolon.
    pub(crate) fn function(&mut self, linkage: Linkage) -> Parse<()> {
        self.names.enter();
        self.body = Body::default();
        self.reported.clear();
        let read = self.function_inside(linkage);
        self.names.leave();
        self.names.end_body();
        read
    }

    fn function_inside(&mut self, linkage: Linkage) -> Parse<()> {
        let (function, name) = self.function_head(linkage)?;
        let span = function.at.0;
        let open = self.cursor.peek();
        let defines = open.kind == TokenKind::Mark(b'{');
        if !defines {
            self.declaration_ends(&function)?;
        }
        for error in std::mem::take(&mut self.duplicates) {
            if defines {
                self.report(error);
            }
        }
        let id = self.module.add_function(function);
        self.spoiled.remove(name);
        if let Err(error) = self.declare_function(name, span, id, defines) {
            self.report(*error);
        }
        self.push_item_before_body(Item::Function(id), defines);
        if defines {
            self.cursor.advance();
            self.body_statements(open.span);
        }
        let mut body = std::mem::take(&mut self.body);
        body.shrink();
        let Some(function) = self.module.functions.get_mut(id.0 as usize) else { return Ok(()) };
        if defines {
            function.body = Some(body);
        } else if !body.reg_decls.is_empty() {
            function.reg_params = Some(Box::new(body));
        }
        Ok(())
    }

    /// The semicolon of a declaration, which only few directives may precede. `ptxas` does without the semicolon of
    /// a device function.
    fn declaration_ends(&mut self, function: &Function) -> Parse<()> {
        let kept = |directive: &FunctionDirective| match directive {
            FunctionDirective::NoReturn
            | FunctionDirective::AbiPreserve(_)
            | FunctionDirective::AbiPreserveControl(_) => function.kind == FunctionKind::Device,
            _ => false,
        };
        if *self.cursor.kind() == TokenKind::Mark(b';')
            && let Some((_, at)) = function.directives.iter().find(|(directive, _)| !kept(directive))
            && at.0.lo > function.at.0.lo
        {
            let span = self.cursor.span();
            let error = Diagnostic::error(
                codes::EXPECTED,
                span,
                "expected `{`: this directive is not allowed on a declaration",
            );
            return Err(Box::new(error.with_related(at.0, "this one")));
        }
        let goes_on = match *self.cursor.kind() {
            TokenKind::Directive(_) | TokenKind::End => function.kind == FunctionKind::Device,
            _ => false,
        };
        if goes_on {
            return Ok(());
        }
        self.expect(b';', "`{` or `;`")?;
        Ok(())
    }

    /// Everything before the body or the semicolon, and the name.
    fn function_head(&mut self, linkage: Linkage) -> Parse<(Function, &'s str)> {
        let kind = match self.cursor.bump().kind {
            TokenKind::Directive("entry") => FunctionKind::Kernel,
            _ => FunctionKind::Device,
        };
        let mut directives = Vec::new();
        while *self.cursor.kind() == TokenKind::Directive("attribute") {
            self.function_attributes(&mut directives)?;
        }
        let mut results = Vec::new();
        self.duplicates.clear();
        if kind == FunctionKind::Device && *self.cursor.kind() == TokenKind::Mark(b'(') {
            results = self.params()?;
        }
        let (name, span) = match *self.cursor.kind() {
            TokenKind::Ident("_") => return Err(self.unexpected("the function's name")),
            _ => self.expect_ident("the function's name")?,
        };
        self.check_special(name, span)?;
        // Until the rest of the head was read; its callers are not wrong too.
        self.spoiled.insert(name);
        let params = if *self.cursor.kind() == TokenKind::Mark(b'(') { self.params()? } else { Vec::new() };
        self.function_directives(kind, &mut directives)?;
        let at = At(span);
        let (body, reg_params) = (None, None);
        let id = self.module.strings.intern(name);
        let function =
            Function { name: id, kind, linkage, results, params, directives, body, reg_params, at };
        Ok((function, name))
    }

    /// Comments before the body precede the function.
    fn push_item_before_body(&mut self, item: Item, defines: bool) {
        if defines {
            for comment in std::mem::take(&mut self.cursor.comments) {
                let text = self.comment_text(comment);
                self.module.items.push(Item::Comment(text));
            }
        }
        self.push_item(item);
    }

    /// Makes a function's name known to the module; a function may be declared often and defined once.
    fn declare_function(&mut self, name: &'s str, span: Span, id: FunctionId, defines: bool) -> Parse<()> {
        let duplicate = |message: String, first: Span| {
            let error = Diagnostic::error(codes::DUPLICATE, span, message);
            Err(Box::new(error.with_related(first, "first declared here")))
        };
        let first = match self.names.module_name(name) {
            Some((Entity::Function(_), first)) => first,
            Some((_, first)) => return duplicate(format!("`{name}` is declared twice"), first),
            None => span,
        };
        if first == span {
            self.names.add_function(name, id, span);
        }
        let redefined =
            if defines { !self.names.defined.insert(name) } else { self.names.defined.contains(name) };
        if redefined {
            return duplicate(format!("function `{name}` is already defined"), first);
        }
        Ok(())
    }

    /// Parameters or results in parentheses.
    pub(crate) fn params(&mut self) -> Parse<Vec<Param>> {
        self.expect(b'(', "`(`")?;
        let mut params = Vec::new();
        if self.eat(b')').is_some() {
            return Ok(params);
        }
        loop {
            params.push(self.param()?);
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b')', "`,` or `)`")?;
        Ok(params)
    }

    fn function_attributes(&mut self, directives: &mut Vec<(FunctionDirective, At)>) -> Parse<()> {
        let start = self.cursor.bump().span;
        let mut attributes: Vec<VarAttribute> = Vec::new();
        self.attributes(&mut attributes)?;
        let at = At(start.to(self.cursor.last));
        directives
            .extend(attributes.into_iter().map(|attribute| (FunctionDirective::Attribute(attribute), at)));
        Ok(())
    }

    /// The directives after the parameters. Those of device functions have an order: `.noreturn`, what is preserved, the
    /// others; a `.pragma` after one is the module's.
    fn function_directives(
        &mut self,
        kind: FunctionKind,
        directives: &mut Vec<(FunctionDirective, At)>,
    ) -> Parse<()> {
        let mut rank = 0;
        loop {
            let token = self.cursor.peek();
            let TokenKind::Directive(word) = token.kind else { return Ok(()) };
            if kind == FunctionKind::Device {
                if ends_head(word) {
                    return Ok(());
                }
                if let Some(own) = device_rank(word) {
                    if own < rank || (own == rank && word == "noreturn") {
                        let message =
                            format!("`.{word}` must be given once, and before the other directives");
                        return Err(self.at(codes::CONFLICT, token.span, message));
                    }
                    rank = own;
                }
            }
            if word == "attribute" && kind == FunctionKind::Kernel {
                self.function_attributes(directives)?;
                continue;
            }
            self.cursor.advance();
            let directive = match word {
                "maxntid" => FunctionDirective::MaxNtid(self.lengths()?),
                "reqntid" => FunctionDirective::ReqNtid(self.lengths()?),
                "reqnctapercluster" => FunctionDirective::ReqNCtaPerCluster(self.lengths()?),
                "minnctapersm" => FunctionDirective::MinNCtaPerSm(self.word("the number of blocks")?),
                "maxnctapersm" => FunctionDirective::MaxNCtaPerSm(self.word("the number of blocks")?),
                "maxnreg" => FunctionDirective::MaxNReg(self.word("the number of registers")?),
                "maxclusterrank" => FunctionDirective::MaxClusterRank(self.word("the number of blocks")?),
                "abi_preserve" => FunctionDirective::AbiPreserve(self.word("the number of registers")?),
                "abi_preserve_control" => {
                    FunctionDirective::AbiPreserveControl(self.word("the number of registers")?)
                }
                "noreturn" => FunctionDirective::NoReturn,
                "explicitcluster" => FunctionDirective::ExplicitCluster,
                "blocksareclusters" => FunctionDirective::BlocksAreClusters,
                "pragma" => FunctionDirective::Pragma(self.pragma()?),
                "language" => FunctionDirective::Language(self.numbers("the number of a language")?),
                "local_maxnreg" => FunctionDirective::LocalMaxNReg(self.word("the number of registers")?),
                "minperctamemory" => FunctionDirective::MinPerCtaMemory(self.word("a number of bytes")?),
                _ => return Err(self.unknown_directive(word, token.span, &FUNCTION_DIRECTIVES)),
            };
            directives.push((directive, At(token.span.to(self.cursor.last))));
        }
    }

    /// Numbers with commas between them.
    fn numbers(&mut self, what: &str) -> Parse<Vec<u32>> {
        let mut numbers = Vec::new();
        loop {
            numbers.push(self.word(what)?);
            if self.eat(b',').is_none() {
                return Ok(numbers);
            }
        }
    }

    /// One to three numbers.
    fn lengths(&mut self) -> Parse<[Option<u32>; 3]> {
        let mut lengths = [None; 3];
        for place in &mut lengths {
            *place = Some(self.word("a number of threads or blocks")?);
            if self.eat(b',').is_none() {
                return Ok(lengths);
            }
        }
        Err(self.unexpected("at most three numbers"))
    }
}
