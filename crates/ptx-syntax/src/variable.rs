//! Variables, registers and parameters (manual 5).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{
    At, Item, Linkage, Param, ParamPointer, Reference, RegDecl, RegDeclId, Stmt, VarAttribute, VarId,
    VarType, Variable, VectorShape,
};
use ptx_isa::{ScalarType, StateSpace};

use crate::codes;
use crate::lexer::TokenKind;
use crate::names::Entity;
use crate::reader::{Parse, Reader};

/// How many variables one range may declare; each becomes a variable of its own.
const MAX_RANGE: u32 = 65_536;

/// What may occur on either side of a state space.
#[derive(Default)]
struct Prefix {
    align: Option<u32>,
    attributes: Vec<VarAttribute>,
}

/// What precedes the names of a declaration.
#[derive(Clone)]
pub(crate) struct Declaration {
    pub(crate) space: StateSpace,
    /// The bank of `.const[2]`.
    pub(crate) bank: Option<u32>,
    pub(crate) ty: VarType,
    pub(crate) shape: VectorShape,
    pub(crate) align: Option<u32>,
    pub(crate) attributes: Vec<VarAttribute>,
    pub(crate) pointer: Option<ParamPointer>,
}

impl<'s> Reader<'s, '_> {
    /// Variables of a module: one directive, one or more names.
    pub(crate) fn module_variables(&mut self, linkage: Linkage) -> Parse<()> {
        let declaration = self.declaration()?;
        self.variables(&declaration, linkage, |reader, id| reader.push_item(Item::Variable(id)))
    }

    /// Variables or registers of a function.
    pub(crate) fn body_variables(&mut self) -> Parse<()> {
        let declaration = self.declaration()?;
        if declaration.space == StateSpace::Reg {
            return self.registers(&declaration);
        }
        self.variables(&declaration, Linkage::Internal, |reader, id| {
            reader.push_statement(Stmt::Variable(id));
        })
    }

    fn variables(
        &mut self,
        declaration: &Declaration,
        linkage: Linkage,
        keep: impl Fn(&mut Self, VarId),
    ) -> Parse<()> {
        if self.declares_nothing() {
            return Ok(());
        }
        loop {
            let (name, span) = self.variable_name()?;
            if self.eat(b'<').is_some() {
                let count = self.range_count()?;
                let first = self.range_of_variables(declaration, linkage, (name, span), count)?;
                (0..count).for_each(|number| keep(self, VarId(first.0 + number)));
            } else {
                let mut variable = self.named_variable(declaration, linkage, name, span);
                variable.dims = self.dimensions()?;
                let id = self.add_variable(name, variable)?;
                self.initial_value(id)?;
                keep(self, id);
            }
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b';', "`;`")?;
        Ok(())
    }

    /// Takes the semicolon of a declaration without names, of which nothing is left but a warning.
    fn declares_nothing(&mut self) -> bool {
        let span = self.cursor.last;
        let ends = self.eat(b';').is_some();
        if ends {
            self.report(Diagnostic::warning(codes::EMPTY, span, "this declares nothing: no name follows"));
        }
        ends
    }

    /// A name; `_` is none.
    fn variable_name(&mut self) -> Parse<(&'s str, Span)> {
        match *self.cursor.kind() {
            TokenKind::Ident("_") => Err(self.unexpected("the name of a variable")),
            _ => self.expect_ident("the name of a variable"),
        }
    }

    /// `.reg` outside of functions.
    pub(crate) fn outer_registers(&mut self, linkage: Linkage) -> Parse<()> {
        let declaration = self.declaration()?;
        let ty = self.register_type(&declaration)?;
        if !declaration.attributes.is_empty() {
            return Err(self.at(codes::CONFLICT, self.cursor.last, "registers cannot have attributes"));
        }
        let first = RegDeclId(self.module.registers.len() as u32);
        if self.declares_nothing() {
            return Ok(());
        }
        loop {
            let (name, span) = self.variable_name()?;
            let count = match self.eat(b'<') {
                None => None,
                Some(_) => Some(self.range_count()?),
            };
            let id = self.module.strings.intern(name);
            let decl = RegDecl { name: id, ty, shape: declaration.shape, count, at: At(span) };
            self.declare_outer_register((name, span), decl)?;
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b';', "`;`")?;
        let end = RegDeclId(self.module.registers.len() as u32);
        self.push_item(Item::Registers(first, end, linkage));
        Ok(())
    }

    /// The names of `.reg`.
    fn registers(&mut self, declaration: &Declaration) -> Parse<()> {
        let ty = self.register_type(declaration)?;
        if !declaration.attributes.is_empty() {
            return Err(self.at(codes::CONFLICT, self.cursor.last, "registers cannot have attributes"));
        }
        let first = RegDeclId(self.body.reg_decls.len() as u32);
        if self.declares_nothing() {
            return Ok(());
        }
        loop {
            let name = self.variable_name()?;
            let count = match self.eat(b'<') {
                None => None,
                Some(_) => Some(self.range_count()?),
            };
            if let Err(error) = self.declare_register(name, ty, declaration.shape, count) {
                self.report(*error);
            }
            if *self.cursor.kind() == TokenKind::Mark(b'[') {
                let error = self.unexpected("`;`");
                let name = name.0;
                return Err(Box::new(
                    error.with_help(format!("`{name}<4>` declares the registers `{name}0` to `{name}3`")),
                ));
            }
            if self.eat(b',').is_none() {
                break;
            }
        }
        let end = RegDeclId(self.body.reg_decls.len() as u32);
        if self.eat(b';').is_none() {
            let error = self.unexpected("`;`");
            self.push_statement(Stmt::Registers(first, end));
            return Err(error);
        }
        self.push_statement(Stmt::Registers(first, end));
        Ok(())
    }

    fn register_type(&mut self, declaration: &Declaration) -> Parse<ScalarType> {
        match declaration.ty {
            VarType::Scalar(ty) => Ok(ty),
            VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => {
                Err(self.at(codes::CONFLICT, self.cursor.last, "a register must have a fundamental type"))
            }
        }
    }

    /// A parameter or result of a function, or of a prototype.
    pub(crate) fn param(&mut self) -> Parse<Param> {
        let mut declaration = self.declaration()?;
        if !matches!(declaration.space, StateSpace::Param | StateSpace::Reg) {
            let message = format!(
                "a parameter must be in `.param` or `.reg`, not in `.{}`",
                declaration.space.as_str()
            );
            return Err(self.at(codes::EXPECTED, self.cursor.last, message));
        }
        declaration.pointer = self.pointer()?;
        let (name, span) = self.param_name()?;
        if declaration.space == StateSpace::Reg {
            let ty = self.register_type(&declaration)?;
            if declaration.pointer.is_some() {
                let message = "only parameters in `.param` can have `.ptr`";
                return Err(self.at(codes::CONFLICT, span, message));
            }
            let named = self.declare_register_param((name, span), ty, declaration.shape);
            let (decl, register) = match named {
                Ok(named) => named,
                Err(error) => {
                    self.duplicates.push(*error);
                    self.declare_register_param(("_", span), ty, declaration.shape)?
                }
            };
            return Ok(Param::Register(decl, register));
        }
        let mut variable = self.named_variable(&declaration, Linkage::Internal, name, span);
        if *self.cursor.kind() == TokenKind::Mark(b'[') {
            variable.dims = self.one_dimension()?;
        }
        Ok(Param::Variable(self.add_param(name, variable)))
    }

    /// The name of a parameter, or `_`.
    fn param_name(&mut self) -> Parse<(&'s str, Span)> {
        self.expect_ident("the name of a parameter")
    }

    /// `[4]` or `[]`; parameters have one dimension only.
    fn one_dimension(&mut self) -> Parse<Vec<Option<u64>>> {
        self.expect(b'[', "`[`")?;
        if self.eat(b']').is_some() {
            return Ok(vec![None]);
        }
        let length = self.word("the length of an array")?;
        self.expect(b']', "`]`")?;
        Ok(vec![Some(u64::from(length))])
    }

    /// Adds a parameter. That its name occurs twice is wrong only where the function has a body, which comes later.
    fn add_param(&mut self, name: &'s str, variable: Variable) -> VarId {
        let span = variable.at.0;
        let id = self.module.add_variable(variable);
        if name != "_"
            && let Err(error) = self.declare(name, span, Entity::Variable(id))
        {
            self.duplicates.push(*error);
        }
        id
    }

    /// State space, alignment, attributes, vector length and type (manual 5.4).
    ///
    /// Alignments and attributes come before or after the state space, any number of them; then the vector length and
    /// the type. Of several alignments the largest counts.
    fn declaration(&mut self) -> Parse<Declaration> {
        let start = self.cursor.span();
        let mut prefix = Prefix::default();
        self.prefix(&mut prefix)?;
        let (space, bank) = self.space()?;
        self.prefix(&mut prefix)?;
        let shape = self.vector_shape();
        let ty = self.variable_type()?;
        self.check_type(ty, space, start.to(self.cursor.last))?;
        let Prefix { align, attributes } = prefix;
        Ok(Declaration { space, bank, ty, shape, align, attributes, pointer: None })
    }

    /// Alignments and attributes.
    fn prefix(&mut self, prefix: &mut Prefix) -> Parse<()> {
        loop {
            match *self.cursor.kind() {
                TokenKind::Directive("align") => {
                    self.cursor.advance();
                    prefix.align = prefix.align.max(Some(self.alignment()?));
                }
                TokenKind::Directive("attribute") => {
                    self.cursor.advance();
                    self.attributes(&mut prefix.attributes)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The state space, with the bank of `.const[2]`.
    fn space(&mut self) -> Parse<(StateSpace, Option<u32>)> {
        let token = self.cursor.peek();
        let found = match token.kind {
            TokenKind::Directive(word) => declared_space(word),
            _ => None,
        };
        let Some(space) = found else {
            return Err(self.unexpected("a state space"));
        };
        self.cursor.advance();
        if space != StateSpace::Const || self.eat(b'[').is_none() {
            return Ok((space, None));
        }
        let bank = self.word("the number of a bank")?;
        self.expect(b']', "`]`")?;
        Ok((space, Some(bank)))
    }

    fn vector_shape(&mut self) -> VectorShape {
        let shape = match *self.cursor.kind() {
            TokenKind::Directive("v2") => VectorShape::V2,
            TokenKind::Directive("v4") => VectorShape::V4,
            TokenKind::Directive("v8") => VectorShape::V8,
            _ => return VectorShape::Scalar,
        };
        self.cursor.advance();
        shape
    }

    fn variable_type(&mut self) -> Parse<VarType> {
        let token = self.cursor.peek();
        let TokenKind::Directive(word) = token.kind else {
            let error = self.unexpected("a type");
            let meant = if let TokenKind::Ident(word) = token.kind { type_meant(word) } else { None };
            return Err(match meant {
                Some(meant) => Box::new(error.with_help(format!("write `.{meant}`"))),
                None => error,
            });
        };
        let Some(ty) = variable_type(word) else { return Err(self.unknown_type(word, token.span)) };
        self.cursor.advance();
        Ok(ty)
    }

    /// Checks that variables can have the type: the alternate and most packed formats are types of instructions only
    /// (manual 5.2.3, 5.2.5).
    fn check_type(&self, ty: VarType, space: StateSpace, span: Span) -> Parse<()> {
        let VarType::Scalar(ty) = ty else { return Ok(()) };
        if ty == ScalarType::Pred && !matches!(space, StateSpace::Reg | StateSpace::Param) {
            let message = "only registers can be predicates";
            return Err(self.at(codes::CONFLICT, span, message));
        }
        if ty.is_declarable() {
            return Ok(());
        }
        let name = ty.as_str();
        let error =
            Diagnostic::error(codes::CONFLICT, span, format!("`.{name}` is a type of instructions only"));
        Err(Box::new(match ty.as_bits() {
            Some(bits) => error.with_help(format!("declare it as `.{}`", bits.as_str())),
            None => error,
        }))
    }

    fn unknown_type(&self, word: &str, span: Span) -> Box<Diagnostic> {
        let shown: String = word.chars().take(40).collect();
        let error = Diagnostic::error(codes::DIRECTIVE, span, format!("`.{shown}` is not a type"));
        let known = ScalarType::ALL.iter().map(|ty| ty.as_str());
        Box::new(match ptx_diag::nearest(word, known) {
            Some(near) => error.with_help(format!("did you mean `.{near}`?")),
            None => error,
        })
    }

    fn alignment(&mut self) -> Parse<u32> {
        let span = self.cursor.span();
        let bytes = self.word("an alignment")?;
        if bytes.is_power_of_two() {
            return Ok(bytes);
        }
        let message = format!("an alignment must be a power of two, not {bytes}");
        Err(self.at(codes::DIRECTIVE_VALUE, span, message))
    }

    /// `.ptr` and what follows it (manual 5.1.6.3); an alignment alone is that of what a parameter points at too.
    fn pointer(&mut self) -> Parse<Option<ParamPointer>> {
        let mut pointer = ParamPointer::default();
        match *self.cursor.kind() {
            TokenKind::Directive("ptr") => {
                self.cursor.advance();
            }
            TokenKind::Directive("align") => {}
            _ => return Ok(None),
        }
        if let TokenKind::Directive(word) = *self.cursor.kind() {
            match word {
                "const" | "global" | "local" | "shared" => pointer.space = StateSpace::from_ptx(word),
                "texref" => pointer.reference = Some(Reference::Texture),
                "samplerref" => pointer.reference = Some(Reference::Sampler),
                "surfref" => pointer.reference = Some(Reference::Surface),
                _ => {}
            }
            if pointer != ParamPointer::default() {
                self.cursor.advance();
            }
        }
        if *self.cursor.kind() == TokenKind::Directive("align") {
            self.cursor.advance();
            pointer.align = Some(self.alignment()?);
        }
        Ok(Some(pointer))
    }

    /// What follows `.attribute` (manual 5.4.8).
    pub(crate) fn attributes(&mut self, attributes: &mut Vec<VarAttribute>) -> Parse<()> {
        self.expect(b'(', "`(`")?;
        loop {
            let token = self.cursor.peek();
            match token.kind {
                TokenKind::Directive("managed") => {
                    self.cursor.advance();
                    attributes.push(VarAttribute::Managed);
                }
                TokenKind::Directive("unified") => {
                    self.cursor.advance();
                    self.expect(b'(', "`(`")?;
                    let upper = self.long_word("the first half of an identifier")?;
                    self.expect(b',', "`,`")?;
                    let lower = self.long_word("the second half of an identifier")?;
                    self.expect(b')', "`)`")?;
                    attributes.push(VarAttribute::Unified(upper, lower));
                }
                _ => return Err(self.unexpected("`.managed` or `.unified`")),
            }
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b')', "`)`")?;
        Ok(())
    }

    /// `p<4>` (manual 5.4.6): four variables `p0` to `p3`; gives the first.
    fn range_of_variables(
        &mut self,
        declaration: &Declaration,
        linkage: Linkage,
        (name, span): (&'s str, Span),
        count: u32,
    ) -> Parse<VarId> {
        if count > MAX_RANGE {
            let message = format!("a range of {count} variables is too large");
            return Err(self.at(codes::DIRECTIVE_VALUE, span, message));
        }
        let model = self.named_variable(declaration, linkage, &format!("{name}0"), span);
        let first = VarId(self.module.variables.len() as u32);
        self.declare_variables((name, span), first, count)?;
        for number in 0..count {
            let name = self.module.strings.intern(&format!("{name}{number}"));
            self.module.add_variable(Variable { name, ..model.clone() });
        }
        Ok(first)
    }

    /// The number and the closing bracket of a range (manual 5.4.6), where `>` is not an operator.
    pub(crate) fn range_count(&mut self) -> Parse<u32> {
        let count = self.word("how many a range declares")?;
        self.expect(b'>', "`>`")?;
        Ok(count)
    }

    fn named_variable(
        &mut self,
        declaration: &Declaration,
        linkage: Linkage,
        name: &str,
        span: Span,
    ) -> Variable {
        Variable {
            name: self.module.strings.intern(name),
            space: declaration.space,
            bank: declaration.bank,
            ty: declaration.ty,
            shape: declaration.shape,
            dims: Vec::new(),
            align: declaration.align,
            linkage,
            attributes: declaration.attributes.clone(),
            pointer: declaration.pointer,
            count: None,
            init: None,
            at: At(span),
        }
    }

    /// `= value` after a variable, which can name the variable itself.
    fn initial_value(&mut self, id: VarId) -> Parse<()> {
        if self.eat(b'=').is_none() {
            return Ok(());
        }
        let opaque =
            matches!(self.module.variable(id).ty, VarType::TexRef | VarType::SamplerRef | VarType::SurfRef);
        let init = if opaque { self.fields(1)? } else { self.initializer(1)? };
        if let Some(variable) = self.module.variables.get_mut(id.0 as usize) {
            variable.init = Some(init);
        }
        Ok(())
    }

    /// `[4][2]`: a number in each pair of brackets, which only the first can leave out; `ptxas` reads a 0 there the same.
    fn dimensions(&mut self) -> Parse<Vec<Option<u64>>> {
        let mut dims = Vec::new();
        while let Some(open) = self.eat(b'[') {
            if self.eat(b']').is_some() {
                if !dims.is_empty() {
                    let message = "only the first dimension can be omitted";
                    return Err(self.at(codes::DIRECTIVE_VALUE, open, message));
                }
                dims.push(None);
                continue;
            }
            let length = self.long_word("the length of an array")?;
            dims.push((length > 0 || !dims.is_empty()).then_some(length));
            self.expect(b']', "`]`")?;
        }
        Ok(dims)
    }

    fn add_variable(&mut self, name: &'s str, variable: Variable) -> Parse<VarId> {
        let span = variable.at.0;
        let outside = variable.linkage;
        if self.names.entities.depth() == 0 {
            self.check_special(name, span)?;
        }
        let id = self.module.add_variable(variable);
        if name == "_" {
            return Ok(id);
        }
        if let Some(entry) = self.names.entities.get_here(name)
            && let Entity::Variable(first) = entry.value
            && (self.module.variable(first).linkage == Linkage::Extern || outside == Linkage::Extern)
        {
            // A declaration and the definition of one variable.
            if outside != Linkage::Extern {
                self.names.entities.replace(name, Entity::Variable(id));
            }
            return Ok(id);
        }
        self.declare(name, span, Entity::Variable(id))?;
        Ok(id)
    }
}

/// The spaces that variables are declared in.
fn declared_space(word: &str) -> Option<StateSpace> {
    match word {
        "reg" | "const" | "global" | "local" | "param" | "shared" | "tex" => StateSpace::from_ptx(word),
        _ => None,
    }
}

fn variable_type(word: &str) -> Option<VarType> {
    match word {
        "texref" => Some(VarType::TexRef),
        "samplerref" => Some(VarType::SamplerRef),
        "surfref" => Some(VarType::SurfRef),
        _ => ScalarType::from_ptx(word).map(VarType::Scalar),
    }
}

/// The type that a word without its dot means, also as C calls it.
fn type_meant(word: &str) -> Option<&str> {
    Some(match word {
        "int" => "s32",
        "unsigned" => "u32",
        "long" => "s64",
        "short" => "s16",
        "char" => "s8",
        "float" => "f32",
        "double" => "f64",
        "half" => "f16",
        "bool" => "pred",
        word => return variable_type(word).map(|_| word),
    })
}
