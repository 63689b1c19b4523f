//! Variables, registers and parameters (manual 5).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{
    At, Item, Linkage, Param, ParamPointer, RegDeclId, Stmt, VarAttribute, VarId, VarType, Variable,
    VectorShape,
};
use ptx_isa::{ScalarType, StateSpace};

use crate::codes;
use crate::lexer::Kind;
use crate::names::Entity;
use crate::reader::{Parse, Reader};

/// How many variables one range may declare; each becomes a variable of its own.
const MAX_RANGE: u32 = 65_536;

/// What stands before the names of a declaration.
#[derive(Clone)]
pub(crate) struct Declaration {
    pub(crate) space: StateSpace,
    pub(crate) ty: VarType,
    pub(crate) shape: VectorShape,
    pub(crate) align: Option<u32>,
    pub(crate) attributes: Vec<VarAttribute>,
    pub(crate) pointer: Option<ParamPointer>,
}

impl<'s> Reader<'s, '_> {
    /// Variables of a module: one directive, one or more names.
    pub(crate) fn module_variables(&mut self, linkage: Linkage) -> Parse<()> {
        self.variables(linkage, |reader, id| reader.push_item(Item::Variable(id)))
    }

    /// Variables of a function.
    pub(crate) fn body_variables(&mut self) -> Parse<()> {
        self.variables(Linkage::Internal, |reader, id| reader.push_statement(Stmt::Variable(id)))
    }

    fn variables(&mut self, linkage: Linkage, keep: impl Fn(&mut Self, VarId)) -> Parse<()> {
        let declaration = self.declaration()?;
        loop {
            let (name, span) = self.variable_name()?;
            if self.eat(b'<').is_some() {
                let count = self.range_count()?;
                let first = self.range_of_variables(&declaration, linkage, (name, span), count)?;
                (0..count).for_each(|number| keep(self, VarId(first.0 + number)));
            } else {
                let variable = self.named_variable(&declaration, linkage, name, span)?;
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

    /// A name; `_` is none.
    fn variable_name(&mut self) -> Parse<(&'s str, Span)> {
        match *self.cursor.kind() {
            Kind::Ident("_" | "WARP_SZ") => Err(self.unexpected("the name of a variable")),
            _ => self.expect_ident("the name of a variable"),
        }
    }

    /// `.reg` with all its names.
    pub(crate) fn registers(&mut self) -> Parse<()> {
        let declaration = self.declaration()?;
        let ty = self.register_type(&declaration)?;
        let first = RegDeclId(self.body.reg_decls.len() as u32);
        loop {
            let name = self.variable_name()?;
            let count = match self.eat(b'<') {
                None => None,
                Some(_) => Some(self.range_count()?),
            };
            if let Err(error) = self.declare_register(name, ty, declaration.shape, count) {
                self.report(*error);
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
                Err(self.at(codes::CONFLICT, self.cursor.last, "a register has a fundamental type"))
            }
        }
    }

    /// A parameter or result of a function, or of a prototype.
    pub(crate) fn param(&mut self) -> Parse<Param> {
        let token = self.cursor.peek();
        if !matches!(token.kind, Kind::Directive("param" | "reg")) {
            return Err(self.unexpected("`.param` or `.reg`"));
        }
        let declaration = self.declaration()?;
        if declaration.space == StateSpace::Reg {
            let ty = self.register_type(&declaration)?;
            let name = self.expect_ident("the name of a parameter")?;
            let (decl, register) = self.declare_register_param(name, ty, declaration.shape)?;
            return Ok(Param::Register(decl, register));
        }
        let (name, span) = self.expect_ident("the name of a parameter")?;
        let variable = self.named_variable(&declaration, Linkage::Internal, name, span)?;
        Ok(Param::Variable(self.add_variable(name, variable)?))
    }

    /// Space, alignment, vector length and type, in the usual or any other order.
    fn declaration(&mut self) -> Parse<Declaration> {
        let start = self.cursor.span();
        let mut space = None;
        let mut ty = None;
        let (mut shape, mut align, mut pointer, mut attributes) = (None, None, None, Vec::new());
        loop {
            let token = self.cursor.peek();
            let Kind::Directive(word) = token.kind else { break };
            let known = variable_type(word);
            self.cursor.advance();
            let place = declared_space(word);
            if place.is_some() && *self.cursor.kind() == Kind::Mark(b'[') {
                return Err(self.banked());
            }
            let again = match word {
                _ if known.is_some() => std::mem::replace(&mut ty, known).is_some(),
                _ if place.is_some() => std::mem::replace(&mut space, place).is_some(),
                "v2" => shape.replace(VectorShape::V2).is_some(),
                "v4" => shape.replace(VectorShape::V4).is_some(),
                "v8" => shape.replace(VectorShape::V8).is_some(),
                "align" => align.replace(self.alignment()?).is_some(),
                "ptr" => pointer.replace(self.pointer()?).is_some(),
                "attribute" => {
                    self.attributes(&mut attributes)?;
                    false
                }
                _ => return Err(self.unknown_type(word, token.span)),
            };
            let opaque = matches!(known, Some(VarType::TexRef | VarType::SamplerRef | VarType::SurfRef));
            if again && opaque && pointer.is_some() {
                let message = format!("pointers to `.{word}` are not supported");
                return Err(self.at(codes::UNSUPPORTED, token.span, message));
            }
            if again {
                let message = format!("`.{word}` comes after another one of its kind");
                return Err(self.at(codes::CONFLICT, token.span, message));
            }
        }
        let Some(ty) = ty else { return Err(self.unexpected("a type")) };
        let Some(space) = space else { return Err(self.unexpected("a state space")) };
        self.check_type(ty, space, start.to(self.cursor.last))?;
        let shape = shape.unwrap_or(VectorShape::Scalar);
        Ok(Declaration { space, ty, shape, align, attributes, pointer })
    }

    /// Checks that variables can have the type: the alternate and most packed formats are types of instructions only
    /// (manual 5.2.3, 5.2.5).
    fn check_type(&self, ty: VarType, space: StateSpace, span: Span) -> Parse<()> {
        let VarType::Scalar(ty) = ty else { return Ok(()) };
        if ty == ScalarType::Pred && space != StateSpace::Reg {
            let message = "only registers can be predicates";
            return Err(self.at(codes::CONFLICT, span, message));
        }
        if is_declarable(ty) {
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

    fn banked(&mut self) -> Box<Diagnostic> {
        let message = "banks of constant memory are not supported";
        let error = Diagnostic::error(codes::UNSUPPORTED, self.cursor.span(), message);
        Box::new(error.with_help("since PTX 2.2 there is one bank only"))
    }

    fn unknown_type(&self, word: &str, span: Span) -> Box<Diagnostic> {
        let shown: String = word.chars().take(40).collect();
        let error = Diagnostic::error(codes::DIRECTIVE, span, format!("`.{shown}` is no type"));
        let known = ScalarType::ALL.iter().map(|ty| ty.as_str());
        Box::new(match ptx_diag::nearest(word, known) {
            Some(near) => error.with_help(format!("did you mean `.{near}`?")),
            None => error,
        })
    }

    fn alignment(&mut self) -> Parse<u32> {
        let span = self.cursor.span();
        let bytes = self.small_constant("an alignment")?;
        if bytes.is_power_of_two() {
            return Ok(bytes);
        }
        let message = format!("an alignment must be a power of two, not {bytes}");
        Err(self.at(codes::DIRECTIVE_VALUE, span, message))
    }

    /// What stands behind `.ptr` (manual 5.1.6.3).
    fn pointer(&mut self) -> Parse<ParamPointer> {
        let mut pointer = ParamPointer { space: None, align: None };
        if let Kind::Directive(word @ ("const" | "global" | "local" | "shared")) = *self.cursor.kind() {
            self.cursor.advance();
            pointer.space = StateSpace::from_ptx(word);
        }
        if *self.cursor.kind() == Kind::Directive("align") {
            self.cursor.advance();
            pointer.align = Some(self.alignment()?);
        }
        Ok(pointer)
    }

    /// What stands behind `.attribute` (manual 5.4.8).
    pub(crate) fn attributes(&mut self, attributes: &mut Vec<VarAttribute>) -> Parse<()> {
        self.expect(b'(', "`(`")?;
        loop {
            let token = self.cursor.peek();
            match token.kind {
                Kind::Directive("managed") => {
                    self.cursor.advance();
                    attributes.push(VarAttribute::Managed);
                }
                Kind::Directive("unified") => {
                    self.cursor.advance();
                    self.expect(b'(', "`(`")?;
                    let upper = self.integer_constant()? as u64;
                    self.expect(b',', "`,`")?;
                    let lower = self.integer_constant()? as u64;
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
        let model = self.named_variable(declaration, linkage, &format!("{name}0"), span)?;
        let first = VarId(self.module.variables.len() as u32);
        self.declare_variables((name, span), first, count)?;
        for number in 0..count {
            let name = self.module.strings.intern(&format!("{name}{number}"));
            self.module.add_variable(Variable { name, ..model.clone() });
        }
        Ok(first)
    }

    /// The number and the closing bracket of a range (manual 5.4.6), where `>` is no operator.
    fn range_count(&mut self) -> Parse<u32> {
        let token = self.cursor.peek();
        let Kind::Number(text) = token.kind else { return Err(self.unexpected("a number")) };
        self.cursor.advance();
        let count = self.literal_count(text, token.span)?;
        self.expect(b'>', "`>`")?;
        Ok(count)
    }

    fn named_variable(
        &mut self,
        declaration: &Declaration,
        linkage: Linkage,
        name: &str,
        span: Span,
    ) -> Parse<Variable> {
        let dims = self.dimensions()?;
        Ok(Variable {
            name: self.module.strings.intern(name),
            space: declaration.space,
            ty: declaration.ty,
            shape: declaration.shape,
            dims,
            align: declaration.align,
            linkage,
            attributes: declaration.attributes.clone(),
            pointer: declaration.pointer,
            count: None,
            init: None,
            at: At(span),
        })
    }

    /// `= value` behind a variable, which can name the variable itself.
    fn initial_value(&mut self, id: VarId) -> Parse<()> {
        if self.eat(b'=').is_none() {
            return Ok(());
        }
        let opaque =
            matches!(self.module.variable(id).ty, VarType::TexRef | VarType::SamplerRef | VarType::SurfRef);
        if opaque {
            let message = "initial values of texture, sampler and surface references are not supported";
            return Err(self.at(codes::UNSUPPORTED, self.cursor.last, message));
        }
        let init = self.initializer(1)?;
        if let Some(variable) = self.module.variables.get_mut(id.0 as usize) {
            variable.init = Some(init);
        }
        Ok(())
    }

    fn dimensions(&mut self) -> Parse<Vec<Option<u64>>> {
        let mut dims = Vec::new();
        while let Some(open) = self.eat(b'[') {
            if self.eat(b']').is_some() {
                if !dims.is_empty() {
                    let message = "only the first dimension can be left out";
                    return Err(self.at(codes::DIRECTIVE_VALUE, open, message));
                }
                dims.push(None);
                continue;
            }
            let start = self.cursor.span();
            let length = self.integer_constant()?;
            let Ok(length) = u64::try_from(length) else {
                let message = format!("an array cannot have {length} elements");
                return Err(self.at(codes::DIRECTIVE_VALUE, start.to(self.cursor.last), message));
            };
            dims.push(Some(length));
            self.expect(b']', "`]`")?;
        }
        Ok(dims)
    }

    fn add_variable(&mut self, name: &'s str, variable: Variable) -> Parse<VarId> {
        let span = variable.at.0;
        let outside = variable.linkage;
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

/// Whether variables can have the type.
fn is_declarable(ty: ScalarType) -> bool {
    use ScalarType::*;
    match ty {
        B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F16 | F16x2 | F32
        | F64 | Pred => true,
        Bf16 | Bf16x2 | Tf32 | F32x2 | U16x2 | S16x2 | U8x4 | S8x4 => false,
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
