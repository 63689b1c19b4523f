//! Initial values of variables (manual 5.3, 5.4.4).

use ptx_diag::Span;
use ptx_ir::{FieldValue, Immediate, Initializer, Integers, Literal, Operand, Symbol};

use crate::codes;
use crate::literal::{Spelling, Value, integer_literal};
use crate::resolve::constant::{evaluate_literal, integer_constant};
use crate::resolve::{Resolved, Resolver, at};
use crate::tree::{self as syntax, Constant, ConstantValue, Field, Name, Number, Table, TablePart};

/// The values of a list so far: compact integers, until the first value that is not an integer.
struct List {
    integers: Integers,
    values: Vec<Initializer>,
}

impl List {
    /// No values, with capacity for `room` integers.
    fn new(room: usize) -> Self {
        Self { integers: Integers::with_capacity(room), values: Vec::new() }
    }

    #[inline]
    fn push_constant(&mut self, constant: Immediate) {
        if !self.values.is_empty() || !self.integers.push_constant(constant) {
            self.push(Initializer::Value(constant));
        }
    }

    fn push(&mut self, value: Initializer) {
        if let Initializer::Value(constant) = value
            && self.values.is_empty()
            && self.integers.push_constant(constant)
        {
            return;
        }
        if self.values.is_empty() {
            self.values.extend(self.integers.constants().map(Initializer::Value));
        }
        self.values.push(value);
    }

    /// Adds to the address that was pushed last.
    fn add_to_last(&mut self, added: i64) {
        match self.values.last_mut() {
            Some(Initializer::Address { offset, .. }) => *offset = added,
            _ => debug_assert!(false, "a name precedes what is added to it"),
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
            syntax::Initializer::Table(_) => self.list(std::slice::from_ref(value))?,
            syntax::Initializer::List(values) => self.list(values)?,
            syntax::Initializer::Fields(fields) => self.fields(fields)?,
        })
    }

    fn list(&mut self, values: &[syntax::Initializer<'s>]) -> Resolved<Initializer> {
        let room = match values.first() {
            Some(syntax::Initializer::Table(table)) => numbers_ahead(table.text.as_bytes()),
            Some(_) | None => 0,
        };
        let mut list = List::new(room);
        for value in values {
            match value {
                syntax::Initializer::Table(table) => self.table(*table, &mut list)?,
                value => list.push(self.initializer(value)?),
            }
        }
        Ok(list.finish())
    }

    fn table(&mut self, table: Table<'s>, list: &mut List) -> Resolved<()> {
        // The open lists, except the innermost.
        let mut open = Vec::new();
        for part in table.parts() {
            let value = match part {
                TablePart::Decimal(value) => {
                    list.push_constant(Immediate::integer(value));
                    continue;
                }
                TablePart::Number(minus, digits) => {
                    // Default: without a minus the place is that of the number.
                    let lo = minus.unwrap_or(digits.span.lo);
                    let (value, spelling) = evaluate_literal(minus.is_some(), digits, lo)?;
                    let span = Span::new(lo, digits.span.hi);
                    list.push_constant(match spelling {
                        Spelling::Plain => value.with(Literal::Plain),
                        Spelling::Hex => value.with(Literal::Hex),
                        Spelling::Other => self.as_written(span, value),
                    });
                    continue;
                }
                TablePart::Name(name) => {
                    let address = syntax::Address { name, generic: false, offset: None };
                    let (symbol, offset) = self.symbol_address(&address)?;
                    Initializer::Address { symbol, offset, generic: false }
                }
                TablePart::Offset(negative, digits) => {
                    let value = ConstantValue::Literal { negative, digits: digits.text };
                    let added = integer_constant(&Constant { value, span: digits.span })?;
                    list.add_to_last(added);
                    continue;
                }
                TablePart::Open => {
                    open.push(std::mem::replace(list, List::new(0)));
                    continue;
                }
                TablePart::Close => match open.pop() {
                    Some(outer) => std::mem::replace(list, outer).finish(),
                    None => continue,
                },
            };
            list.push(value);
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

/// The maximum capacity that is reserved for the numbers of a table at once; a longer list grows.
fn numbers_ahead(table: &[u8]) -> usize {
    const MOST: usize = 1 << 20;
    let end = memchr::memchr2(b'{', b'}', table).unwrap_or(table.len());
    let (numbers, _) = table.split_at(end);
    (memchr::memchr_iter(b',', numbers).count() + 1).min(MOST)
}

/// The offset from an address.
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
