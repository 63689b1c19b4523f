//! Operands of instructions (manual 6).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{AddressBase, ListId, Operand, Symbol, ZeroOffsets};
use ptx_isa::{Component, Selector};

use crate::codes;
use crate::lexer::TokenKind;
use crate::mnemonics::Names;
use crate::reader::{Parse, Reader};

impl<'s> Reader<'s, '_> {
    /// One operand with its place.
    pub(crate) fn operand(&mut self, names: Names) -> Parse<(Operand, Span)> {
        let span = self.cursor.span();
        let operand = match *self.cursor.kind() {
            TokenKind::Ident("_") => {
                self.cursor.advance();
                Operand::Sink
            }
            TokenKind::Ident("WARP_SZ") => Operand::Immediate(self.immediate()?),
            TokenKind::Ident(name) => {
                self.cursor.advance();
                self.named(name, span, names)?
            }
            TokenKind::Mark(b'!') => self.negated()?,
            TokenKind::Mark(b'[') => self.address()?,
            TokenKind::Mark(b'{') => self.vector()?,
            TokenKind::Mark(b'-') => match self.turned_around()? {
                Some(operand) => operand,
                None => Operand::Immediate(self.immediate()?),
            },
            TokenKind::Number(_) | TokenKind::Mark(b'+' | b'~' | b'(') => {
                Operand::Immediate(self.immediate()?)
            }
            _ => return Err(self.unexpected("an operand")),
        };
        Ok((operand, span.to(self.cursor.last)))
    }

    fn named(&mut self, name: &'s str, span: Span, names: Names) -> Parse<Operand> {
        if names == Names::Labels {
            return Ok(self.label_operand(name, span));
        }
        let Some(operand) = self.resolve_name(name) else {
            if names == Names::Any && self.knows_label(name) {
                return Ok(Operand::Label(self.use_label(name, span)));
            }
            self.undeclared(name, span, "name");
            self.skip_suffix();
            return Ok(Operand::Sink);
        };
        match (operand, *self.cursor.kind()) {
            (Operand::Symbol(symbol, _), TokenKind::Mark(b'[')) => self.indexed(symbol, names),
            (_, TokenKind::Directive(component)) => self.component(operand, component),
            (Operand::Symbol(symbol, first), TokenKind::Mark(b'+' | b'-')) => {
                Ok(Operand::Symbol(symbol, first.wrapping_add(self.offset()?)))
            }
            (Operand::Register(register), TokenKind::Mark(b'+')) => {
                Ok(Operand::Sum(register, self.summands()?))
            }
            (Operand::Special(special, None), TokenKind::Mark(b'+')) => {
                Ok(Operand::SpecialSum(special, self.summands()?))
            }
            _ => Ok(operand),
        }
    }

    /// `%r1 + 7`: no manual has sums of registers and constants, but `ptxas` takes them where one value is read.
    fn summands(&mut self) -> Parse<i64> {
        let mut constant = 0i64;
        while self.cursor.is_mark(b'+') {
            constant = constant.wrapping_add(self.offset()?);
        }
        Ok(constant)
    }

    /// `a[3]`, the fourth element of an array: its address where addresses are values, else what it holds
    /// (manual 6.4.2).
    fn indexed(&mut self, symbol: Symbol, names: Names) -> Parse<Operand> {
        let open = self.cursor.bump().span;
        if let TokenKind::Ident(name) = *self.cursor.kind()
            && name != "WARP_SZ"
        {
            let span = self.cursor.span();
            let error =
                Diagnostic::error(codes::UNSUPPORTED, span, "an index in a register is not supported");
            return Err(Box::new(error.with_help("compute the address in a register: `[%rd1]`")));
        }
        let index = self.integer_constant()?;
        let end = self.expect(b']', "`]`")?;
        self.element = Some(open.to(end));
        let Symbol::Variable(id) = symbol else {
            return Err(self.at(codes::WRONG_NAME, open.to(end), "functions cannot be indexed"));
        };
        let size = self.module.variable(id).element_bytes() as i64;
        let Some(offset) = index.checked_mul(size) else {
            return Err(self.at(codes::EXPRESSION, open.to(end), "this index is out of range"));
        };
        Ok(match names {
            Names::Any => Operand::Symbol(symbol, offset),
            Names::Values | Names::Labels => Operand::Address(AddressBase::Symbol(symbol), offset),
        })
    }

    /// One operand of a list, which is not a sum.
    fn entry(&mut self) -> Parse<(Operand, Span)> {
        let (operand, span) = self.operand(Names::Values)?;
        if let Operand::Sum(..) | Operand::SpecialSum(..) = operand {
            let error = Diagnostic::error(
                codes::OPERANDS,
                span,
                "a register plus a constant is not allowed in a list",
            );
            return Err(Box::new(error.with_help("compute the sum in a separate register first")));
        }
        Ok((operand, span))
    }

    fn label_operand(&mut self, name: &'s str, span: Span) -> Operand {
        if self.inline
            && !self.knows_label(name)
            && let Some(resolve) = self.resolve.as_mut()
            && let Some(operand) = resolve(name)
        {
            return operand;
        }
        Operand::Label(self.use_label(name, span))
    }

    /// What hangs on an undeclared name.
    fn skip_suffix(&mut self) {
        if let TokenKind::Directive(_) = *self.cursor.kind() {
            self.cursor.advance();
        }
    }

    fn component(&mut self, operand: Operand, text: &str) -> Parse<Operand> {
        let token = self.cursor.bump();
        if let (Operand::Register(register), Some(selector)) = (operand, Selector::from_ptx(text)) {
            return Ok(Operand::Selected(register, selector));
        }
        let Some(component) = Component::from_ptx(text) else {
            let message = format!("`.{text}` is not a component of a vector");
            let error = Diagnostic::error(codes::OPERANDS, token.span, message);
            return Err(Box::new(error.with_help("components are `.x`, `.y`, `.z` and `.w`")));
        };
        match operand {
            Operand::Register(register) => Ok(Operand::Element(register, component)),
            Operand::Special(special, None) => Ok(Operand::Special(special, Some(component))),
            _ => Err(self.at(codes::OPERANDS, token.span, "only vector registers have components")),
        }
    }

    fn negated(&mut self) -> Parse<Operand> {
        // Before a number it is an operator of a constant expression.
        if matches!(self.cursor.byte_behind_blanks(), Some(b'0'..=b'9' | b'(' | b'!' | b'~' | b'-' | b'+')) {
            return Ok(Operand::Immediate(self.immediate()?));
        }
        let bang = self.cursor.bump().span;
        let token = self.cursor.peek();
        let TokenKind::Ident(name) = token.kind else { return Err(self.unexpected("a predicate register")) };
        self.cursor.advance();
        match self.resolve_name(name) {
            Some(Operand::Register(register)) => Ok(Operand::Not(register)),
            Some(_) => {
                let message = format!("`{name}` is not a predicate register");
                Err(self.at(codes::WRONG_NAME, bang.to(token.span), message))
            }
            None => {
                self.undeclared(name, token.span, "name");
                Ok(Operand::Sink)
            }
        }
    }

    /// `[base+offset]`, `[offset]`, or several values in brackets: `[tex, {x, y}]`
    fn address(&mut self) -> Parse<Operand> {
        self.cursor.advance();
        let first = self.cursor.span();
        let (base, offset) = self.based()?;
        if !self.cursor.is_mark(b',') {
            self.expect(b']', "`]`")?;
            return Ok(Operand::Address(base, offset));
        }
        let whole = first.to(self.cursor.last);
        let value = match base {
            _ if whole != first => {
                let text = "an offset cannot be added to a value in a list";
                return Err(self.at(codes::OPERANDS, whole, text));
            }
            AddressBase::Register(register) => Operand::Register(register),
            AddressBase::Symbol(symbol) => Operand::Symbol(symbol, offset),
            AddressBase::Absolute => {
                return Err(self.at(codes::OPERANDS, first, "this is not a value"));
            }
        };
        let mut entries: Vec<(Operand, Span)> = Vec::with_capacity(4);
        entries.push((value, first.to(self.cursor.last)));
        while self.eat(b',').is_some() {
            if *self.cursor.kind() == TokenKind::Mark(b'[') {
                return Err(self.unexpected("a register, a constant or a vector"));
            }
            entries.push(self.entry()?);
        }
        self.expect(b']', "`,` or `]`")?;
        Ok(Operand::Bracket(self.body.add_list(entries)))
    }

    /// `base+offset` or `offset`
    fn based(&mut self) -> Parse<(AddressBase, i64)> {
        let span = self.cursor.span();
        let named = match *self.cursor.kind() {
            TokenKind::Ident("WARP_SZ") => None,
            TokenKind::Ident(name) => Some(name),
            _ => None,
        };
        let Some(name) = named else {
            return Ok((AddressBase::Absolute, self.integer_constant()?));
        };
        self.cursor.advance();
        let not_an_address = |this: &Self| {
            let message = format!("`{name}` is not an address and cannot contain one");
            Err(this.at(codes::WRONG_NAME, span, message))
        };
        let (base, first) = match self.resolve_name(name) {
            Some(Operand::Register(register)) => (AddressBase::Register(register), 0),
            Some(Operand::Symbol(symbol, offset)) => (AddressBase::Symbol(symbol), offset),
            Some(Operand::Immediate(value)) => match value.as_integer() {
                Some(value) => (AddressBase::Absolute, value as i64),
                None => return not_an_address(self),
            },
            Some(_) => return not_an_address(self),
            None => {
                self.undeclared(name, span, "name");
                (AddressBase::Absolute, 0)
            }
        };
        let written = self.cursor.is_mark(b'+');
        let offset = first.wrapping_add(self.offset()?);
        if written && offset == 0 && matches!(base, AddressBase::Register(_)) {
            self.zero_offsets = ZeroOffsets::Written;
        }
        Ok((base, offset))
    }

    /// `-a` or `-a.b0`; `None` when the sign belongs to a constant.
    fn turned_around(&mut self) -> Parse<Option<Operand>> {
        let is_name = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'%' | b'$' | b'_');
        if !self.cursor.byte_behind().is_some_and(is_name) {
            return Ok(None);
        }
        let end = self.cursor.span().hi;
        if self.cursor.text_from(end).starts_with(b"WARP_SZ") {
            return Ok(None);
        }
        self.cursor.advance();
        let span = self.cursor.span();
        match self.operand(Names::Values)?.0 {
            Operand::Register(register) => Ok(Some(Operand::Negated(register, None))),
            Operand::Selected(register, selector) => Ok(Some(Operand::Negated(register, Some(selector)))),
            _ => Err(self.at(codes::OPERANDS, span, "only registers and constants can be negated")),
        }
    }

    fn vector(&mut self) -> Parse<Operand> {
        self.cursor.advance();
        Ok(Operand::Vector(self.entries(b'}', "`,` or `}`")?))
    }

    /// Results or arguments of a call.
    pub(crate) fn list(&mut self) -> Parse<(Operand, Span)> {
        let open = self.expect(b'(', "`(`")?;
        let list = self.entries(b')', "`,` or `)`")?;
        Ok((Operand::List(list), open.to(self.cursor.last)))
    }

    fn entries(&mut self, close: u8, shown: &str) -> Parse<ListId> {
        let mut entries: Vec<(Operand, Span)> = Vec::with_capacity(4);
        if self.eat(close).is_some() {
            return Ok(self.body.add_list(entries));
        }
        loop {
            if let TokenKind::Mark(b'{' | b'[') = *self.cursor.kind() {
                return Err(self.unexpected("a register or constant"));
            }
            entries.push(self.entry()?);
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(close, shown)?;
        Ok(self.body.add_list(entries))
    }

    /// The callee of a call: a function, or what holds its address.
    pub(crate) fn callee(&mut self) -> Parse<(Operand, Span)> {
        let (name, span) = self.expect_ident("the name of a function")?;
        let operand = match self.resolve_name(name) {
            Some(operand @ (Operand::Register(_) | Operand::Symbol(Symbol::Function(_), _))) => operand,
            Some(_) => {
                let message = format!("`{name}` is neither a function nor a register");
                return Err(self.at(codes::WRONG_NAME, span, message));
            }
            None => {
                self.undeclared(name, span, "function");
                Operand::Sink
            }
        };
        Ok((operand, span))
    }
}
