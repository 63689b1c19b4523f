//! Operands of instructions (manual 6).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{AddressBase, ListId, Operand, Symbol, ZeroOffsets};
use ptx_isa::{Component, Selector};

use crate::codes;
use crate::resolve::constant::integer_constant;
use crate::resolve::mnemonics::Names;
use crate::resolve::{Resolved, Resolver, at};
use crate::tree::{self as syntax, Constant, Name, OperandKind};

impl<'s> Resolver<'s, '_> {
    /// Resolves an operand; `names` are the kinds of names that it accepts.
    #[inline]
    pub(crate) fn operand(&mut self, operand: &syntax::Operand<'s>, names: Names) -> Resolved<Operand> {
        match &operand.kind {
            OperandKind::Name(name) => Ok(self.named(*name, names)),
            OperandKind::Constant(constant) => Ok(Operand::Immediate(self.immediate(constant)?)),
            OperandKind::Address(base, offset) => self.address(*base, offset.as_ref()),
            _ => self.other_operand(operand, names),
        }
    }

    fn other_operand(&mut self, operand: &syntax::Operand<'s>, names: Names) -> Resolved<Operand> {
        match &operand.kind {
            OperandKind::Component(name, component) => self.component(*name, *component, names),
            OperandKind::Element(name, index, brackets) => self.element(*name, index, *brackets, names),
            OperandKind::Sum(name, constant) => self.sum(*name, constant, names),
            OperandKind::Not(name) => self.not(*name, operand.span),
            OperandKind::Negated(name, part) => self.negated(*name, *part),
            OperandKind::Bracket(values) => self.bracket(values),
            OperandKind::Vector(values) => Ok(Operand::Vector(self.elements(values)?)),
            OperandKind::List(values) => Ok(Operand::List(self.elements(values)?)),
            OperandKind::Sink => Ok(Operand::Sink),
            OperandKind::Name(_) | OperandKind::Constant(_) | OperandKind::Address(..) => {
                self.operand(operand, names)
            }
        }
    }

    #[inline]
    fn named(&mut self, name: Name<'s>, names: Names) -> Operand {
        if names == Names::Labels {
            return self.label_operand(name);
        }
        if let Some(operand) = self.resolve_name(name.text) {
            return operand;
        }
        self.unknown_name(name, names, "")
    }

    /// Resolves an undeclared name to a label, or reports it.
    fn unknown_name(&mut self, name: Name<'s>, names: Names, component: &str) -> Operand {
        if names == Names::Any && self.knows_label(name.text) {
            return Operand::Label(self.use_label(name.text, name.span));
        }
        self.undeclared(name, "name", component);
        Operand::Sink
    }

    fn label_operand(&mut self, name: Name<'s>) -> Operand {
        if self.inline
            && !self.knows_label(name.text)
            && let Some(resolve) = self.resolve.as_mut()
            && let Some(operand) = resolve(name.text)
        {
            return operand;
        }
        Operand::Label(self.use_label(name.text, name.span))
    }

    /// `%tid.x`, `%r1.b0`
    fn component(&mut self, name: Name<'s>, component: Name<'s>, names: Names) -> Resolved<Operand> {
        let Some(operand) = self.resolve_name(name.text) else {
            return Ok(self.unknown_name(name, names, component.text));
        };
        if let (Operand::Register(register), Some(selector)) = (operand, Selector::from_ptx(component.text)) {
            return Ok(Operand::Selected(register, selector));
        }
        let Some(found) = Component::from_ptx(component.text) else {
            let message = format!("`.{}` is not a component of a vector", component.text);
            let error = Diagnostic::error(codes::OPERANDS, component.span, message);
            return Err(Box::new(error.with_help("components are `.x`, `.y`, `.z` and `.w`")));
        };
        match operand {
            Operand::Register(register) => Ok(Operand::Element(register, found)),
            Operand::Special(special, None) => Ok(Operand::Special(special, Some(found))),
            _ => Err(at(codes::OPERANDS, component.span, "only vector registers have components")),
        }
    }

    /// `a[3]`, the fourth element of an array: its address if the operand accepts addresses as values, otherwise its value in memory
    /// (manual 6.4.2).
    fn element(
        &mut self,
        name: Name<'s>,
        index: &Constant<'s>,
        brackets: Span,
        names: Names,
    ) -> Resolved<Operand> {
        let symbol = match self.resolve_name(name.text) {
            Some(Operand::Symbol(symbol, _)) => symbol,
            Some(_) => {
                let message = format!("`{}` is not an array", name.text);
                return Err(at(codes::WRONG_NAME, name.span, message));
            }
            None => return Ok(self.unknown_name(name, Names::Values, "")),
        };
        let index = integer_constant(index)?;
        self.element = Some(brackets);
        let Symbol::Variable(id) = symbol else {
            return Err(at(codes::WRONG_NAME, brackets, "functions cannot be indexed"));
        };
        let size = self.module.variable(id).element_bytes() as i64;
        let Some(offset) = index.checked_mul(size) else {
            return Err(at(codes::EXPRESSION, brackets, "this index is out of range"));
        };
        Ok(match names {
            Names::Any => Operand::Symbol(symbol, offset),
            Names::Values | Names::Labels => Operand::Address(AddressBase::Symbol(symbol), offset),
        })
    }

    /// `a+4`; also `%r1+7`, which is undocumented, but which `ptxas` accepts where one value is read.
    fn sum(&mut self, name: Name<'s>, constant: &Constant<'s>, names: Names) -> Resolved<Operand> {
        let Some(operand) = self.resolve_name(name.text) else {
            return Ok(self.unknown_name(name, names, ""));
        };
        let constant = integer_constant(constant)?;
        match operand {
            Operand::Symbol(symbol, first) => Ok(Operand::Symbol(symbol, first.wrapping_add(constant))),
            Operand::Register(register) => Ok(Operand::Sum(register, constant)),
            Operand::Special(special, None) => Ok(Operand::SpecialSum(special, constant)),
            _ => {
                let message = format!("nothing can be added to `{}`", name.text);
                Err(at(codes::OPERANDS, name.span, message))
            }
        }
    }

    fn not(&mut self, name: Name<'s>, span: Span) -> Resolved<Operand> {
        match self.resolve_name(name.text) {
            Some(Operand::Register(register)) => Ok(Operand::Not(register)),
            Some(_) => {
                let message = format!("`{}` is not a predicate register", name.text);
                Err(at(codes::WRONG_NAME, span, message))
            }
            None => {
                self.undeclared(name, "name", "");
                Ok(Operand::Sink)
            }
        }
    }

    /// `-a` or `-a.b0`
    fn negated(&mut self, name: Name<'s>, part: Option<&str>) -> Resolved<Operand> {
        let selector = part.and_then(Selector::from_ptx);
        match self.resolve_name(name.text) {
            Some(Operand::Register(register)) if part.is_some() == selector.is_some() => {
                Ok(Operand::Negated(register, selector))
            }
            Some(_) => Err(at(codes::OPERANDS, name.span, "only registers and constants can be negated")),
            None => {
                self.undeclared(name, "name", "");
                Ok(Operand::Sink)
            }
        }
    }

    /// `[a, {x, y}]`
    fn bracket(&mut self, values: &[syntax::Operand<'s>]) -> Resolved<Operand> {
        let mut resolved = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            let operand = match value.kind {
                OperandKind::Name(name) if index == 0 => match self.base(name)? {
                    (AddressBase::Register(register), _) => Operand::Register(register),
                    (AddressBase::Symbol(symbol), offset) => Operand::Symbol(symbol, offset),
                    (AddressBase::Absolute, _) => {
                        // An undeclared name was reported.
                        let message = "this is not a value";
                        if !self.broken {
                            return Err(at(codes::OPERANDS, name.span, message));
                        }
                        Operand::Sink
                    }
                },
                _ => self.list_element(value)?,
            };
            resolved.push((operand, value.span));
        }
        Ok(Operand::Bracket(self.body.add_list(resolved)))
    }

    fn elements(&mut self, values: &[syntax::Operand<'s>]) -> Resolved<ListId> {
        // Lists are nested at most in brackets, which use separate memory.
        let mut resolved = std::mem::take(&mut self.mnemonics.elements);
        resolved.clear();
        for value in values {
            resolved.push((self.list_element(value)?, value.span));
        }
        let list = self.body.add_list(resolved.drain(..));
        self.mnemonics.elements = resolved;
        Ok(list)
    }

    /// An element of a list, which is not a sum.
    fn list_element(&mut self, value: &syntax::Operand<'s>) -> Resolved<Operand> {
        match self.operand(value, Names::Values)? {
            Operand::Sum(..) | Operand::SpecialSum(..) => {
                let message = "a register plus a constant is not allowed in a list";
                let error = Diagnostic::error(codes::OPERANDS, value.span, message);
                Err(Box::new(error.with_help("compute the sum in a separate register first")))
            }
            operand => Ok(operand),
        }
    }

    /// `[base+offset]` or `[offset]`
    #[inline]
    fn address(&mut self, base: Option<Name<'s>>, offset: Option<&Constant<'s>>) -> Resolved<Operand> {
        let (base, first) = match base {
            Some(name) => self.base(name)?,
            None => (AddressBase::Absolute, 0),
        };
        let Some(constant) = offset else { return Ok(Operand::Address(base, first)) };
        let offset = first.wrapping_add(integer_constant(constant)?);
        if offset == 0 && matches!(base, AddressBase::Register(_)) {
            self.zero_offsets = ZeroOffsets::Written;
        }
        Ok(Operand::Address(base, offset))
    }

    /// The base of an address, and the offset that the base itself has.
    #[inline]
    fn base(&mut self, name: Name<'s>) -> Resolved<(AddressBase, i64)> {
        match self.resolve_name(name.text) {
            Some(Operand::Register(register)) => return Ok((AddressBase::Register(register), 0)),
            Some(Operand::Symbol(symbol, offset)) => return Ok((AddressBase::Symbol(symbol), offset)),
            Some(Operand::Immediate(value)) => {
                if let Some(value) = value.as_integer() {
                    return Ok((AddressBase::Absolute, value as i64));
                }
            }
            Some(_) => {}
            None => {
                self.undeclared(name, "name", "");
                return Ok((AddressBase::Absolute, 0));
            }
        }
        let message = format!("`{}` is not an address and cannot contain one", name.text);
        Err(at(codes::WRONG_NAME, name.span, message))
    }

    /// The callee of a call: a function, or a register with its address.
    pub(crate) fn callee(&mut self, name: Name<'s>) -> Resolved<Operand> {
        match self.resolve_name(name.text) {
            Some(operand @ (Operand::Register(_) | Operand::Symbol(Symbol::Function(_), _))) => Ok(operand),
            Some(_) => {
                let message = format!("`{}` is neither a function nor a register", name.text);
                Err(at(codes::WRONG_NAME, name.span, message))
            }
            None => {
                self.undeclared(name, "function", "");
                Ok(Operand::Sink)
            }
        }
    }
}
