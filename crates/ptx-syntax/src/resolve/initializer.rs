//! Initial values of variables (manual 5.3, 5.4.4).

use ptx_diag::Span;
use ptx_ir::{FieldValue, Immediate, Initializer, Integers, Literal, Operand, Symbol};

use crate::codes;
use crate::literal::{Spelling, Value, decimal, integer_literal};
use crate::resolve::constant::{evaluate_literal, integer_constant};
use crate::resolve::{Resolved, Resolver, at};
use crate::syntax::{self, Constant, Field, Name, Number, Numbers};

/// The values of a list so far: integers in as few bytes as they need, until something else is among them.
struct List {
    integers: Integers,
    values: Vec<Initializer>,
}

impl List {
    fn push(&mut self, value: Initializer) {
        let packed = match value {
            Initializer::Value(constant) => self.values.is_empty() && self.integers.push_constant(constant),
            _ => false,
        };
        if !packed {
            if self.values.is_empty() {
                self.values.extend(self.integers.constants().map(Initializer::Value));
            }
            self.values.push(value);
        }
    }

    fn finish(mut self) -> Initializer {
        if self.values.is_empty() && !self.integers.is_empty() {
            self.integers.shrink_to_fit();
            return Initializer::Integers(self.integers);
        }
        self.values.shrink_to_fit();
        Initializer::List(self.values)
    }
}

impl<'s> Resolver<'s, '_> {
    /// An initial value; it is nested no deeper than the grammar allows.
    pub(crate) fn initializer(&mut self, value: &syntax::Initializer<'s>) -> Resolved<Initializer> {
        Ok(match value {
            syntax::Initializer::Value(constant) => Initializer::Value(self.immediate(constant)?),
            syntax::Initializer::Address(address) => {
                let (symbol, offset) = self.symbol_address(address)?;
                Initializer::Address { symbol, offset, generic: address.generic }
            }
            syntax::Initializer::MaskedAddress(number, address) => {
                let mask = mask(*number)?;
                let (symbol, offset) = self.symbol_address(address)?;
                Initializer::Masked { mask, symbol, offset, generic: address.generic }
            }
            syntax::Initializer::MaskedConstant(number, constant, span) => {
                let mask = mask(*number)?;
                let value = integer_constant(constant)?;
                let byte = (value as u64 & mask) >> mask.trailing_zeros();
                Initializer::Value(self.as_written(*span, Value::Signed(byte as i64)))
            }
            syntax::Initializer::Numbers(_) => self.list(std::slice::from_ref(value))?,
            syntax::Initializer::List(values) => self.list(values)?,
            syntax::Initializer::Fields(fields) => self.fields(fields)?,
        })
    }

    fn list(&mut self, values: &[syntax::Initializer<'s>]) -> Resolved<Initializer> {
        /// More are not made room for at once: longer lists grow.
        const MOST: usize = 1 << 20;
        let room = match values.first() {
            Some(syntax::Initializer::Numbers(numbers)) => numbers.count().min(MOST),
            Some(_) | None => values.len().min(MOST),
        };
        let mut list = List { integers: Integers::with_capacity(room), values: Vec::new() };
        for value in values {
            match value {
                syntax::Initializer::Numbers(numbers) => self.numbers(*numbers, &mut list)?,
                value => list.push(self.initializer(value)?),
            }
        }
        Ok(list.finish())
    }

    fn numbers(&mut self, numbers: Numbers<'s>, list: &mut List) -> Resolved<()> {
        for (negative, digits) in numbers.iter() {
            let value = match decimal(digits.text) {
                Some(value) if !negative => Immediate::S64(value, Literal::Plain),
                _ => {
                    let lo = if negative { numbers.minus_before(digits) } else { digits.span.lo };
                    let (value, spelling) = evaluate_literal(negative, digits, lo)?;
                    match spelling {
                        Spelling::Plain => value.with(Literal::Plain),
                        Spelling::Hex => value.with(Literal::Hex),
                        Spelling::Other => self.as_written(Span::new(lo, digits.span.hi), value),
                    }
                }
            };
            list.push(Initializer::Value(value));
        }
        Ok(())
    }

    /// The fields of a texture, sampler or surface reference.
    fn fields(&mut self, fields: &[(Name<'s>, Field<'s>)]) -> Resolved<Initializer> {
        let mut resolved = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let name = self.intern(*name);
            let value = match value {
                Field::Name(word) => FieldValue::Name(self.intern(*word)),
                Field::Constant(constant) => FieldValue::Number(self.immediate(constant)?),
            };
            resolved.push((name, value));
        }
        Ok(Initializer::Fields(resolved))
    }

    /// The variable or function of an address, and the offset.
    fn symbol_address(&mut self, address: &syntax::Address<'s>) -> Resolved<(Symbol, i64)> {
        let Name { text: name, span } = address.name;
        let symbol = match self.resolve_name(name) {
            Some(Operand::Symbol(symbol, _)) => symbol,
            Some(_) => {
                let message = format!("`{name}` is neither a variable nor a function");
                return Err(at(codes::WRONG_NAME, span, message));
            }
            None => return Err(at(codes::UNDECLARED, span, format!("name `{name}` is not declared"))),
        };
        Ok((symbol, offset(address.offset.as_ref())?))
    }
}

/// What is added to an address.
fn offset(constant: Option<&Constant<'_>>) -> Resolved<i64> {
    constant.map_or(Ok(0), integer_constant)
}

/// A mask, which has all bits of one byte.
fn mask(number: Number<'_>) -> Resolved<u64> {
    let mask = integer_literal(number.text).filter(|&mask| (0..8).any(|byte| mask == 0xFF << (8 * byte)));
    mask.ok_or_else(|| {
        let message = "a mask has all bits of one byte: `0xFF`, `0xFF00` and so on";
        at(codes::DIRECTIVE_VALUE, number.span, message)
    })
}
