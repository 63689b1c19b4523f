//! Variables, registers and parameters (manual 5).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{
    At, Item, Linkage, Param, ParamPointer, Reference, RegDecl, RegDeclId, Stmt, VarAttribute, VarId,
    VarType, Variable, VectorShape,
};
use ptx_isa::{ScalarType, StateSpace};

use crate::codes;
use crate::resolve::constant::{long_word, word};
use crate::resolve::names::Entity;
use crate::resolve::{Resolved, Resolver, at};
use crate::tree::{self as syntax, Attribute, Declarator, Name, Number};

/// The maximum number of variables of a range; each becomes a separate variable.
const MAX_RANGE: u32 = 65_536;

/// The part of a declaration before its names.
#[derive(Clone)]
struct Declaration {
    space: StateSpace,
    /// The bank of `.const[2]`.
    bank: Option<u32>,
    ty: VarType,
    shape: VectorShape,
    align: Option<u32>,
    attributes: Vec<VarAttribute>,
    pointer: Option<ParamPointer>,
    span: Span,
}

impl<'s> Resolver<'s, '_> {
    /// Variables of a module, or registers outside of functions.
    pub(crate) fn module_variables(
        &mut self,
        variables: &syntax::Variables<'s>,
        linkage: Linkage,
    ) -> Resolved<()> {
        let declaration = declaration(&variables.declaration)?;
        if declaration.space == StateSpace::Reg {
            return self.outer_registers(variables, &declaration, linkage);
        }
        self.declarators(variables, &declaration, linkage, |resolver, id| {
            resolver.module.items.push(Item::Variable(id));
        })
    }

    /// Variables or registers of a function.
    pub(crate) fn body_variables(&mut self, variables: &syntax::Variables<'s>) -> Resolved<()> {
        let declaration = declaration(&variables.declaration)?;
        if declaration.space == StateSpace::Reg {
            return self.registers(variables, &declaration);
        }
        self.declarators(variables, &declaration, Linkage::Internal, |resolver, id| {
            resolver.body.statements.push(Stmt::Variable(id));
        })
    }

    fn declarators(
        &mut self,
        variables: &syntax::Variables<'s>,
        declaration: &Declaration,
        linkage: Linkage,
        keep: impl Fn(&mut Self, VarId),
    ) -> Resolved<()> {
        self.warn_without_names(variables);
        for declarator in &variables.declarators {
            let name = declarator.name;
            if let Some(count) = declarator.count {
                let count = range_count(count)?;
                let first = self.range_of_variables(declaration, linkage, name, count)?;
                (0..count).for_each(|number| keep(self, VarId(first.0 + number)));
                continue;
            }
            let mut variable = self.named_variable(declaration, linkage, name.text, name.span);
            variable.dims = dimensions(declarator)?;
            let id = self.add_variable(name.text, variable)?;
            // The value can refer to the variable itself.
            if let Some(value) = &declarator.initializer {
                let value = self.initializer(value)?;
                if let Some(variable) = self.module.variables.get_mut(id.0 as usize) {
                    variable.init = Some(value);
                }
            }
            keep(self, id);
        }
        Ok(())
    }

    /// Warns about a declaration without names, which declares nothing.
    fn warn_without_names(&mut self, variables: &syntax::Variables<'s>) {
        if variables.declarators.is_empty() {
            let message = "this declares nothing: no name follows";
            self.report(Diagnostic::warning(codes::EMPTY, variables.declaration.ty.span, message));
        }
    }

    /// The names of `.reg` outside of functions (manual 7.1.1).
    fn outer_registers(
        &mut self,
        variables: &syntax::Variables<'s>,
        declaration: &Declaration,
        linkage: Linkage,
    ) -> Resolved<()> {
        let ty = register_type(declaration)?;
        if variables.declarators.is_empty() {
            self.warn_without_names(variables);
            return Ok(());
        }
        let first = RegDeclId(self.module.registers.len() as u32);
        for Declarator { name, count, .. } in &variables.declarators {
            let count = count.map(range_count).transpose()?;
            let id = self.intern(*name);
            let decl = RegDecl { name: id, ty, shape: declaration.shape, count, at: At(name.span) };
            self.declare_outer_register((name.text, name.span), decl)?;
        }
        let end = RegDeclId(self.module.registers.len() as u32);
        self.module.items.push(Item::Registers(first, end, linkage));
        Ok(())
    }

    /// The names of `.reg`.
    fn registers(&mut self, variables: &syntax::Variables<'s>, declaration: &Declaration) -> Resolved<()> {
        let ty = register_type(declaration)?;
        if variables.declarators.is_empty() {
            self.warn_without_names(variables);
            return Ok(());
        }
        let first = RegDeclId(self.body.reg_decls.len() as u32);
        for Declarator { name, count, .. } in &variables.declarators {
            let count = count.map(range_count).transpose()?;
            if let Err(error) = self.declare_register((name.text, name.span), ty, declaration.shape, count) {
                self.report(*error);
            }
        }
        let end = RegDeclId(self.body.reg_decls.len() as u32);
        self.body.statements.push(Stmt::Registers(first, end));
        Ok(())
    }

    /// Parameters or results of a function, or of a prototype.
    pub(crate) fn parameters(&mut self, parameters: &[syntax::Parameter<'s>]) -> Resolved<Vec<Param>> {
        parameters.iter().map(|parameter| self.parameter(parameter)).collect()
    }

    fn parameter(&mut self, parameter: &syntax::Parameter<'s>) -> Resolved<Param> {
        let mut declaration = declaration(&parameter.declaration)?;
        declaration.pointer = parameter.pointer.as_ref().map(pointer).transpose()?;
        let Name { text: name, span } = parameter.name;
        if declaration.space == StateSpace::Reg {
            let ty = register_type(&declaration)?;
            if declaration.pointer.is_some() {
                let message = "only parameters in `.param` can have `.ptr`";
                return Err(at(codes::CONFLICT, span, message));
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
        if let Some(length) = parameter.dimension {
            let length = length.map(|length| word(length, LENGTH)).transpose()?;
            variable.dims = vec![length.map(u64::from)];
        }
        Ok(Param::Variable(self.add_param(name, variable)))
    }

    /// Adds a parameter. A duplicate name is an error only if the function has a body, which the caller checks.
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

    /// Declares `p<4>` (manual 5.4.6), four variables `p0` to `p3`, and returns the first.
    fn range_of_variables(
        &mut self,
        declaration: &Declaration,
        linkage: Linkage,
        Name { text: name, span }: Name<'s>,
        count: u32,
    ) -> Resolved<VarId> {
        if count > MAX_RANGE {
            let message = format!("a range of {count} variables is too large");
            return Err(at(codes::DIRECTIVE_VALUE, span, message));
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

    fn add_variable(&mut self, name: &'s str, variable: Variable) -> Resolved<VarId> {
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

const LENGTH: &str = "the length of an array";

/// State space, alignment, attributes, vector length and type (manual 5.4). The largest of several alignments is used.
fn declaration(declaration: &syntax::Declaration<'_>) -> Resolved<Declaration> {
    let Some(space) = StateSpace::from_ptx(declaration.space.text) else {
        return Err(at(codes::EXPECTED, declaration.space.span, "expected a state space"));
    };
    let bank = declaration.bank.map(|bank| word(bank, "the number of a bank")).transpose()?;
    let mut align = None;
    for number in &declaration.alignments {
        align = align.max(Some(alignment(*number)?));
    }
    let attributes = attributes(&declaration.attributes)?;
    let shape = match declaration.vector.map(|vector| vector.text) {
        Some("v2") => VectorShape::V2,
        Some("v4") => VectorShape::V4,
        Some(_) => VectorShape::V8,
        None => VectorShape::Scalar,
    };
    let ty = match declaration.ty.text {
        "texref" => VarType::TexRef,
        "samplerref" => VarType::SamplerRef,
        "surfref" => VarType::SurfRef,
        word => match ScalarType::from_ptx(word) {
            Some(ty) => VarType::Scalar(ty),
            None => {
                return Err(at(codes::DIRECTIVE, declaration.ty.span, format!("`.{word}` is not a type")));
            }
        },
    };
    let span = declaration.span;
    check_type(ty, space, span)?;
    Ok(Declaration { space, bank, ty, shape, align, attributes, pointer: None, span })
}

/// Checks that variables can have the type: the alternate and most packed formats are types of instructions only
/// (manual 5.2.3, 5.2.5).
fn check_type(ty: VarType, space: StateSpace, span: Span) -> Resolved<()> {
    let VarType::Scalar(ty) = ty else { return Ok(()) };
    if ty == ScalarType::Pred && !matches!(space, StateSpace::Reg | StateSpace::Param) {
        let message = "only registers can be predicates";
        return Err(at(codes::CONFLICT, span, message));
    }
    if ty.is_declarable() {
        return Ok(());
    }
    let name = ty.as_str();
    let error = Diagnostic::error(codes::CONFLICT, span, format!("`.{name}` is a type of instructions only"));
    Err(Box::new(match ty.as_bits() {
        Some(bits) => error.with_help(format!("declare it as `.{}`", bits.as_str())),
        None => error,
    }))
}

fn register_type(declaration: &Declaration) -> Resolved<ScalarType> {
    match declaration.ty {
        _ if !declaration.attributes.is_empty() => {
            Err(at(codes::CONFLICT, declaration.span, "registers cannot have attributes"))
        }
        VarType::Scalar(ty) => Ok(ty),
        VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => {
            Err(at(codes::CONFLICT, declaration.span, "a register must have a fundamental type"))
        }
    }
}

fn alignment(number: Number<'_>) -> Resolved<u32> {
    let bytes = word(number, "an alignment")?;
    if bytes.is_power_of_two() {
        return Ok(bytes);
    }
    let message = format!("an alignment must be a power of two, not {bytes}");
    Err(at(codes::DIRECTIVE_VALUE, number.span, message))
}

/// `.ptr` with its space and alignment (manual 5.1.6.3); an alignment without `.ptr` also applies to the memory that a parameter points to.
fn pointer(pointer: &syntax::Pointer<'_>) -> Resolved<ParamPointer> {
    let word = pointer.space.map(|space| space.text);
    let reference = match word {
        Some("texref") => Some(Reference::Texture),
        Some("samplerref") => Some(Reference::Sampler),
        Some("surfref") => Some(Reference::Surface),
        _ => None,
    };
    let align = pointer.alignment.map(alignment).transpose()?;
    Ok(ParamPointer { space: word.and_then(StateSpace::from_ptx), reference, align })
}

/// The values of `.attribute` (manual 5.4.8).
pub(crate) fn attributes(attributes: &[Attribute<'_>]) -> Resolved<Vec<VarAttribute>> {
    let attribute = |attribute: &Attribute<'_>| match *attribute {
        Attribute::Managed => Ok(VarAttribute::Managed),
        Attribute::Unified(upper, lower) => {
            let upper = long_word(upper, "the first half of an identifier")?;
            Ok(VarAttribute::Unified(upper, long_word(lower, "the second half of an identifier")?))
        }
    };
    attributes.iter().map(attribute).collect()
}

/// The number of names of a range (manual 5.4.6).
pub(crate) fn range_count(number: Number<'_>) -> Resolved<u32> {
    word(number, "how many a range declares")
}

/// `[4][2]`: only the first length can be omitted; `ptxas` accepts a 0 there with the same meaning.
fn dimensions(declarator: &Declarator<'_>) -> Resolved<Vec<Option<u64>>> {
    let mut dims = Vec::new();
    for (length, open) in &declarator.dimensions {
        match length {
            None if !dims.is_empty() => {
                return Err(at(codes::DIRECTIVE_VALUE, *open, "only the first dimension can be omitted"));
            }
            None => dims.push(None),
            Some(length) => {
                let length = long_word(*length, LENGTH)?;
                dims.push((length > 0 || !dims.is_empty()).then_some(length));
            }
        }
    }
    Ok(dims)
}
