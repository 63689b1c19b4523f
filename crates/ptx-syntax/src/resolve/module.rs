//! Directives of a module (manual 11.1, 11.2.3, 11.6).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{Alias, At, FunctionId, Item, Linkage, StrId, Symbol, TargetSpec};
use ptx_isa::{PtxVersion, Sm};

use crate::codes;
use crate::resolve::constant::word;
use crate::resolve::names::Entity;
use crate::resolve::{Resolved, Resolver, at};
use crate::tree::{Name, Number, Statement, Variables};

impl<'s> Resolver<'s, '_> {
    /// Adds the item of a directive of a module, except functions.
    pub(crate) fn item(&mut self, statement: Statement<'s>) -> Resolved<()> {
        match statement {
            Statement::Version(number, span) => self.version(number, span),
            Statement::Target(names, span) => self.target(&names, span),
            Statement::AddressSize(number, span) => self.address_size(number, span),
            Statement::File(file) => self.file(&file),
            Statement::Section(section) => self.section(*section),
            Statement::DwarfLine(line) => self.dwarf_line(line),
            Statement::Alias(name, target, span) => self.alias(name, target, span),
            Statement::Pragma(texts, span) => {
                let texts = self.strings(&texts)?;
                let at = At(Span::new(span.lo, span.lo + ".pragma".len() as u32));
                self.module.items.push(Item::Pragma(texts, at));
                Ok(())
            }
            Statement::Variables(variables) => {
                self.check_linkage(&variables)?;
                self.module_variables(&variables, linkage(variables.linkage))
            }
            Statement::Function(_)
            | Statement::Location(_)
            | Statement::Open(_)
            | Statement::Close(_)
            | Statement::Empty(_)
            | Statement::Label(_)
            | Statement::BranchTargets(..)
            | Statement::CallTargets(..)
            | Statement::CallPrototype(..)
            | Statement::Instruction(_) => {
                debug_assert!(false, "the reader asks for directives of a module only");
                Ok(())
            }
        }
    }

    /// Whether registers and local variables may be declared outside of functions: before PTX 3.0 (manual 7.1.1).
    pub(crate) fn has_thread_state(&self) -> bool {
        self.module.version().is_some_and(|version| version < PtxVersion::new(3, 0))
    }

    /// Rejects linkage of registers, to which other modules cannot refer; `.visible` is accepted.
    fn check_linkage(&self, variables: &Variables<'s>) -> Resolved<()> {
        match (variables.linkage, variables.declaration.space.text) {
            (Some(linkage), "reg") if linkage.text != "visible" => {
                let message = "a register cannot be visible to other modules";
                let error = Diagnostic::error(codes::CONFLICT, linkage.span, message);
                let error = error.with_help(format!("remove `.{}`", linkage.text));
                Err(Box::new(error.with_fix(linkage.span, "")))
            }
            _ => Ok(()),
        }
    }

    fn version(&mut self, number: Number<'s>, span: Span) -> Resolved<()> {
        let Some(version) = PtxVersion::from_text(number.text) else {
            let message = format!("`{}` is not a PTX version", number.text);
            let error = Diagnostic::error(codes::DIRECTIVE_VALUE, number.span, message);
            return Err(Box::new(error.with_help("a version is two numbers with a dot, such as `8.7`")));
        };
        self.module.items.push(Item::Version(version, At(span)));
        Ok(())
    }

    fn target(&mut self, names: &[Name<'s>], span: Span) -> Resolved<()> {
        let mut target = TargetSpec { sm: None, names: Vec::with_capacity(names.len()) };
        for name in names {
            target.sm = target.sm.or_else(|| Sm::from_text(name.text));
            target.names.push(self.intern(*name));
        }
        self.module.items.push(Item::Target(target, At(span)));
        Ok(())
    }

    fn address_size(&mut self, number: Number<'s>, span: Span) -> Resolved<()> {
        let bits = word(number, "32 or 64")?;
        if !matches!(bits, 32 | 64) {
            let message = format!("the address size must be 32 or 64, not {bits}");
            return Err(at(codes::DIRECTIVE_VALUE, number.span, message));
        }
        self.module.items.push(Item::AddressSize(bits, At(span)));
        Ok(())
    }

    /// The strings of a `.pragma`.
    pub(crate) fn strings(&mut self, texts: &[Name<'s>]) -> Resolved<Vec<StrId>> {
        texts.iter().map(|text| self.string(*text)).collect()
    }

    fn alias(&mut self, name: Name<'s>, target: Name<'s>, span: Span) -> Resolved<()> {
        let name = self.declared_function(name)?;
        let target = self.declared_function(target)?;
        self.module.items.push(Item::Alias(Alias { name, target }, At(span)));
        Ok(())
    }

    /// A function that was declared before.
    pub(crate) fn declared_function(&mut self, name: Name<'s>) -> Resolved<FunctionId> {
        let Name { text: name, span } = name;
        match self.lookup(name) {
            Some(Entity::Function(id)) => Ok(id),
            Some(_) => Err(at(codes::WRONG_NAME, span, format!("`{name}` is not a function"))),
            None => {
                if let Some(ptx_ir::Operand::Symbol(Symbol::Function(id), _)) = self.resolve_name(name) {
                    return Ok(id);
                }
                Err(at(codes::UNDECLARED, span, format!("function `{name}` is not declared")))
            }
        }
    }
}

/// The linkage that a linking directive specifies.
pub(crate) fn linkage(directive: Option<Name<'_>>) -> Linkage {
    match directive.map(|directive| directive.text) {
        Some("extern") => Linkage::Extern,
        Some("visible") => Linkage::Visible,
        Some("weak") => Linkage::Weak,
        Some("common") => Linkage::Common,
        _ => Linkage::Internal,
    }
}
