//! Declaring names: each may be declared once in its scope, alone or as one of a range.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{At, RegDecl, RegDeclId, RegId, VarId, VectorShape};
use ptx_isa::{ScalarType, SpecialReg};

use crate::codes;
use crate::resolve::names::{Entity, First, Range, split};
use crate::resolve::{Resolved, Resolver};

impl<'s> Resolver<'s, '_> {
    /// Declares one name of a `.reg` directive outside of functions.
    pub(crate) fn declare_outer_register(
        &mut self,
        (name, span): (&'s str, Span),
        decl: RegDecl,
    ) -> Resolved<()> {
        self.check_special(name, span)?;
        let (id, count) = (RegDeclId(self.module.registers.len() as u32), decl.count);
        match count {
            Some(count) => {
                self.check_free_range(name, span, count)?;
                self.declare_range(name, Range { first: First::Outer(id), count }, span);
            }
            None => self.declare(name, span, Entity::Outer(id))?,
        }
        self.module.registers.push(decl);
        Ok(())
    }

    /// Declares one name of a `.reg` directive.
    pub(crate) fn declare_register(
        &mut self,
        (name, span): (&'s str, Span),
        ty: ScalarType,
        shape: VectorShape,
        count: Option<u32>,
    ) -> Resolved<RegDeclId> {
        match count {
            Some(count) => self.check_free_range(name, span, count)?,
            None => self.check_free(name, span)?,
        }
        let decl = RegDeclId(self.body.reg_decls.len() as u32);
        let id = self.module.strings.intern(name);
        self.body.reg_decls.push(RegDecl { name: id, ty, shape, count, at: At(span) });
        match count {
            Some(count) => self.declare_range(name, Range { first: First::Register(decl), count }, span),
            None => {
                self.names.entities.insert(name, Entity::Declared(decl), span);
                self.remember_number(name, span);
            }
        }
        Ok(decl)
    }

    /// Declares a range of variables that follow each other.
    pub(crate) fn declare_variables(
        &mut self,
        (name, span): (&'s str, Span),
        first: VarId,
        count: u32,
    ) -> Resolved<()> {
        self.check_free_range(name, span, count)?;
        self.declare_range(name, Range { first: First::Variable(first), count }, span);
        Ok(())
    }

    fn declare_range(&mut self, name: &'s str, range: Range, span: Span) {
        self.names.ranges.insert(name, range, span);
        self.names.recent.clear();
    }

    /// Declares the register of a parameter, and creates it before its first use.
    pub(crate) fn declare_register_param(
        &mut self,
        name: (&'s str, Span),
        ty: ScalarType,
        shape: VectorShape,
    ) -> Resolved<(RegDeclId, RegId)> {
        let decl = if name.0 == "_" {
            let decl = RegDeclId(self.body.reg_decls.len() as u32);
            let id = self.module.strings.intern(name.0);
            self.body.reg_decls.push(RegDecl { name: id, ty, shape, count: None, at: At(name.1) });
            decl
        } else {
            self.declare_register(name, ty, shape, None)?
        };
        let register = self.mention(decl, 0);
        if name.0 != "_" {
            self.names.entities.replace(name.0, Entity::Register(register));
        }
        Ok((decl, register))
    }

    /// Rejects the name of a special register for a declaration of the module; declarations of functions may hide special registers.
    pub(crate) fn check_special(&self, name: &str, span: Span) -> Resolved<()> {
        let special = name.strip_prefix('%').and_then(SpecialReg::from_ptx);
        match special {
            Some(_) => {
                let message = format!("`{name}` is a special register");
                Err(Box::new(Diagnostic::error(codes::DUPLICATE, span, message)))
            }
            None => Ok(()),
        }
    }

    /// Declares a name in the innermost scope.
    pub(crate) fn declare(&mut self, name: &'s str, span: Span, entity: Entity) -> Resolved<()> {
        self.check_free(name, span)?;
        self.names.entities.insert(name, entity, span);
        self.remember_number(name, span);
        Ok(())
    }

    fn check_free(&self, name: &str, span: Span) -> Resolved<()> {
        if self.names.entities.depth() == 0
            && let Some(&(_, first)) = self.names.functions.get(name)
        {
            return self.check_unused(Some(first), name, span);
        }
        if let Some(entry) = self.names.entities.get_here(name)
            && !entry.value.is_remembered()
        {
            return self.check_unused(Some(entry.span), name, span);
        }
        self.check_unused(self.label_here(name), name, span)?;
        let of_range = split(name).and_then(|(prefix, number)| {
            self.names.ranges.get_here(prefix).filter(|entry| number < entry.value.count)
        });
        self.check_unused(of_range.map(|entry| entry.span), name, span)
    }

    fn check_free_range(&self, name: &str, span: Span, count: u32) -> Resolved<()> {
        self.check_unused(self.names.ranges.get_here(name).map(|entry| entry.span), name, span)?;
        let numbered = self.names.numbered.get_here(name).filter(|entry| entry.value < count);
        self.check_unused(numbered.map(|entry| entry.span), name, span)
    }

    /// Records a single name that looks like one of a range, for ranges declared later in this scope.
    fn remember_number(&mut self, name: &'s str, span: Span) {
        // Split before all trailing digits, as in the ranges of compilers.
        let Some((prefix, number)) = split(name) else { return };
        match self.names.numbered.get_here(prefix) {
            Some(entry) if entry.value <= number => {}
            _ => {
                self.names.numbered.insert(prefix, number, span);
                self.names.recent.clear();
            }
        }
    }

    fn check_unused(&self, first: Option<Span>, name: &str, span: Span) -> Resolved<()> {
        let Some(first) = first else { return Ok(()) };
        let message = format!("`{name}` is declared twice in this scope");
        let error = Diagnostic::error(codes::DUPLICATE, span, message);
        Err(Box::new(error.with_related(first, "first declared here")))
    }
}
