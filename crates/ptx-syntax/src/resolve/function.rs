//! Kernels and device functions (manual 11.2, 11.4).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{At, Body, Function, FunctionDirective, FunctionId, FunctionKind, Item, Linkage};

use crate::codes;
use crate::grammar::function::meaning_of_number;
use crate::resolve::constant::word;
use crate::resolve::names::Entity;
use crate::resolve::variable::attributes;
use crate::resolve::{Resolved, Resolver};
use crate::tree as syntax;

impl<'s> Resolver<'s, '_> {
    /// Adds a function. If it has a body, the caller adds its statements next, and then calls [`Self::end_function`].
    pub(crate) fn function(
        &mut self,
        function: &syntax::Function<'s>,
        linkage: Linkage,
    ) -> Resolved<FunctionId> {
        self.names.enter();
        self.body = Body::default();
        self.reported.clear();
        let resolved = self.function_head(function, linkage);
        match resolved {
            Ok(id) if function.body.is_none() => self.end_function(id, false),
            Ok(_) => self.enter_labels(),
            Err(_) => self.end_names(),
        }
        resolved
    }

    fn function_head(&mut self, head: &syntax::Function<'s>, linkage: Linkage) -> Resolved<FunctionId> {
        let kind = if head.keyword.text == "entry" { FunctionKind::Kernel } else { FunctionKind::Device };
        self.duplicates.clear();
        let results = self.parameters(&head.results)?;
        let (name, span) = (head.name.text, head.name.span);
        self.check_special(name, span)?;
        let params = self.parameters(&head.parameters)?;
        let mut directives = Vec::new();
        for directive in &head.directives {
            self.function_directive(directive, &mut directives)?;
        }
        let defines = head.body.is_some();
        for error in std::mem::take(&mut self.duplicates) {
            if defines {
                self.report(error);
            }
        }
        let (body, reg_params, at) = (None, None, At(span));
        let id = self.intern(head.name);
        let function =
            Function { name: id, kind, linkage, results, params, directives, body, reg_params, at };
        let id = self.module.add_function(function);
        self.invalid_names.remove(name);
        if let Err(error) = self.declare_function(name, span, id, defines) {
            self.report(*error);
        }
        self.module.items.push(Item::Function(id));
        Ok(id)
    }

    /// Ends the scope of a function, whose body is complete if it has one.
    pub(crate) fn end_function(&mut self, id: FunctionId, defines: bool) {
        if defines {
            self.leave_labels();
            self.replace_merged_labels();
        }
        let mut body = std::mem::take(&mut self.body);
        body.shrink();
        if let Some(function) = self.module.functions.get_mut(id.0 as usize) {
            if defines {
                function.body = Some(body);
            } else if !body.reg_decls.is_empty() {
                function.reg_params = Some(Box::new(body));
            }
        }
        self.end_names();
    }

    fn end_names(&mut self) {
        self.names.leave();
        self.names.end_body();
    }

    /// Makes a function's name known to the module; a function may be declared often and defined once.
    fn declare_function(&mut self, name: &'s str, span: Span, id: FunctionId, defines: bool) -> Resolved<()> {
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

    fn function_directive(
        &mut self,
        directive: &syntax::FunctionDirective<'s>,
        directives: &mut Vec<(FunctionDirective, At)>,
    ) -> Resolved<()> {
        let at = At(directive.span);
        let what = meaning_of_number(directive.word.text);
        let mut numbers = Vec::with_capacity(directive.numbers.len());
        for number in &directive.numbers {
            numbers.push(word(*number, what)?);
        }
        let number = |at: usize| numbers.get(at).copied();
        let lengths = [number(0), number(1), number(2)];
        let one = || {
            let missing =
                || Box::new(Diagnostic::error(codes::EXPECTED, directive.span, "expected a number"));
            number(0).ok_or_else(missing)
        };
        let found = match directive.word.text {
            "maxntid" => FunctionDirective::MaxNtid(lengths),
            "reqntid" => FunctionDirective::ReqNtid(lengths),
            "reqnctapercluster" => FunctionDirective::ReqNCtaPerCluster(lengths),
            "minnctapersm" => FunctionDirective::MinNCtaPerSm(one()?),
            "maxnctapersm" => FunctionDirective::MaxNCtaPerSm(one()?),
            "maxnreg" => FunctionDirective::MaxNReg(one()?),
            "maxclusterrank" => FunctionDirective::MaxClusterRank(one()?),
            "abi_preserve" => FunctionDirective::AbiPreserve(one()?),
            "abi_preserve_control" => FunctionDirective::AbiPreserveControl(one()?),
            "noreturn" => FunctionDirective::NoReturn,
            "explicitcluster" => FunctionDirective::ExplicitCluster,
            "blocksareclusters" => FunctionDirective::BlocksAreClusters,
            "pragma" => FunctionDirective::Pragma(self.strings(&directive.texts)?),
            "language" => FunctionDirective::Language(numbers),
            "local_maxnreg" => FunctionDirective::LocalMaxNReg(one()?),
            "minperctamemory" => FunctionDirective::MinPerCtaMemory(one()?),
            "attribute" => {
                let attributes = attributes(&directive.attributes)?.into_iter();
                directives.extend(attributes.map(|attribute| (FunctionDirective::Attribute(attribute), at)));
                return Ok(());
            }
            word => return Err(crate::grammar::error::unknown_directive(word, directive.word.span, &[])),
        };
        directives.push((found, at));
        Ok(())
    }
}
