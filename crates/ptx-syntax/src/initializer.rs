//! Initial values of variables (manual 5.4.4).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{FieldValue, Immediate, Initializer, Integers, Operand, Symbol};

use crate::codes;
use crate::lexer::TokenKind;
use crate::reader::{MAX_DEPTH, Parse, Reader};

impl Reader<'_, '_> {
    /// A value, or values in braces.
    pub(crate) fn initializer(&mut self, depth: u32) -> Parse<Initializer> {
        let kind = *self.cursor.kind();
        match kind {
            TokenKind::Mark(b'{') => {
                if depth > MAX_DEPTH {
                    let message = format!("initial values are nested deeper than {MAX_DEPTH} levels");
                    let span = self.cursor.span();
                    return Err(self.at(codes::TOO_DEEP, span, message));
                }
                self.initializer_list(depth)
            }
            TokenKind::Ident("WARP_SZ") => Ok(Initializer::Value(self.immediate()?)),
            TokenKind::Ident(_) => {
                let (symbol, offset, generic) = self.address_of()?;
                Ok(Initializer::Address { symbol, offset, generic })
            }
            TokenKind::Number(_) if self.parenthesis_follows() => self.masked(),
            _ => Ok(Initializer::Value(self.immediate()?)),
        }
    }

    fn initializer_list(&mut self, depth: u32) -> Parse<Initializer> {
        self.cursor.advance();
        let mut integers = Integers::with_capacity(self.numbers_ahead());
        let mut values = Vec::new();
        if self.eat(b'}').is_some() {
            return Ok(Initializer::List(values));
        }
        loop {
            let value = match self.decimal() {
                Some(value) => Initializer::Value(Immediate::integer(value)),
                None => self.initializer(depth + 1)?,
            };
            let packed = match value {
                Initializer::Value(constant) => values.is_empty() && integers.push_constant(constant),
                _ => false,
            };
            if !packed {
                if values.is_empty() {
                    values.extend(integers.constants().map(Initializer::Value));
                }
                values.push(value);
            }
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b'}', "`,` or `}`")?;
        if values.is_empty() {
            integers.shrink_to_fit();
            return Ok(Initializer::Integers(integers));
        }
        values.shrink_to_fit();
        Ok(Initializer::List(values))
    }

    /// How many values a list has, if it is one of numbers, of which tables are made that can be most of a file.
    ///
    /// It is a guess for which memory is taken at once: longer lists grow as they are read.
    fn numbers_ahead(&mut self) -> usize {
        const MOST: usize = 1 << 20;
        let TokenKind::Number(_) = *self.cursor.kind() else { return 0 };
        let start = self.cursor.span().lo;
        let rest = self.cursor.text_from(start);
        let end = memchr::memchr(b'}', rest);
        // A list without an end is refused where the text ends.
        let Some((list, _)) = end.and_then(|end| rest.split_at_checked(end)) else { return 1 };
        (memchr::memchr_iter(b',', list).count() + 1).min(MOST)
    }

    /// Whether an opening parenthesis follows the next token, after blanks.
    fn parenthesis_follows(&mut self) -> bool {
        let end = self.cursor.span().hi;
        let rest = self.cursor.text_from(end);
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'(')
    }

    /// The fields of a texture, sampler or surface reference, or of an array of them (manual 5.3).
    pub(crate) fn fields(&mut self, depth: u32) -> Parse<Initializer> {
        let open = self.expect(b'{', "`{`")?;
        if depth > MAX_DEPTH {
            let message = format!("initial values are nested deeper than {MAX_DEPTH} levels");
            return Err(self.at(codes::TOO_DEEP, open, message));
        }
        if *self.cursor.kind() == TokenKind::Mark(b'{') {
            let mut references = Vec::new();
            loop {
                references.push(self.fields(depth + 1)?);
                if self.eat(b',').is_none() {
                    break;
                }
            }
            self.expect(b'}', "`,` or `}`")?;
            return Ok(Initializer::List(references));
        }
        let mut fields = Vec::new();
        if self.eat(b'}').is_some() {
            return Ok(Initializer::Fields(fields));
        }
        loop {
            let (name, _) = self.expect_ident("the name of a field")?;
            let name = self.module.strings.intern(name);
            self.expect(b'=', "`=`")?;
            let value = match *self.cursor.kind() {
                TokenKind::Ident(word) if word != "WARP_SZ" => {
                    self.cursor.advance();
                    FieldValue::Name(self.module.strings.intern(word))
                }
                _ => FieldValue::Number(self.immediate()?),
            };
            fields.push((name, value));
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.expect(b'}', "`,` or `}`")?;
        Ok(Initializer::Fields(fields))
    }

    /// `0xFF00(name)`: a byte of an address, or of a constant (`0xFF00(0x1234)` is 0x12).
    fn masked(&mut self) -> Parse<Initializer> {
        let start = self.cursor.span();
        let TokenKind::Number(text) = self.cursor.bump().kind else { return Err(self.unexpected("a mask")) };
        let mask = crate::constant::integer_literal(text);
        let Some(mask) = mask.filter(|&mask| (0..8).any(|byte| mask == 0xFF << (8 * byte))) else {
            let message = "a mask has all bits of one byte: `0xFF`, `0xFF00` and so on";
            return Err(self.at(codes::DIRECTIVE_VALUE, start, message));
        };
        self.expect(b'(', "`(`")?;
        let is_name = matches!(*self.cursor.kind(), TokenKind::Ident(name) if name != "WARP_SZ");
        if !is_name {
            let value = self.integer_constant()?;
            self.expect(b')', "`)`")?;
            let byte = (value as u64 & mask) >> mask.trailing_zeros();
            return Ok(Initializer::Value(self.as_written(start, byte)));
        }
        let (symbol, offset, generic) = self.address_of()?;
        self.expect(b')', "`)`")?;
        Ok(Initializer::Masked { mask, symbol, offset, generic })
    }

    /// `name`, `generic(name)`, with an offset.
    fn address_of(&mut self) -> Parse<(Symbol, i64, bool)> {
        let (name, span) = self.expect_ident("a name")?;
        let generic = name == "generic" && *self.cursor.kind() == TokenKind::Mark(b'(');
        if !generic {
            let symbol = self.symbol(name, span)?;
            return Ok((symbol, self.offset()?, false));
        }
        self.cursor.advance();
        let (name, span) = self.expect_ident("a name")?;
        let symbol = self.symbol(name, span)?;
        self.expect(b')', "`)`")?;
        Ok((symbol, self.offset()?, true))
    }

    /// The variable or function of a name.
    fn symbol(&mut self, name: &str, span: Span) -> Parse<Symbol> {
        // The name as a part of the source, which lives longer.
        let name = crate::lexer::ascii(self.cursor.slice(Span::new(span.lo, span.lo + name.len() as u32)));
        match self.resolve_name(name) {
            Some(Operand::Symbol(symbol, _)) => Ok(symbol),
            Some(_) => Err(self.at(
                codes::WRONG_NAME,
                span,
                format!("`{name}` is neither a variable nor a function"),
            )),
            None => Err(self.at(codes::UNDECLARED, span, format!("name `{name}` is not declared"))),
        }
    }

    /// `+4`, `+-4` or nothing.
    pub(crate) fn offset(&mut self) -> Parse<i64> {
        match *self.cursor.kind() {
            TokenKind::Mark(b'+') => {
                self.cursor.advance();
                self.integer_constant()
            }
            TokenKind::Mark(b'-') => {
                let error =
                    Diagnostic::error(codes::EXPECTED, self.cursor.span(), "an offset cannot be subtracted");
                Err(Box::new(error.with_help("write `+-4` for four bytes before")))
            }
            _ => Ok(0),
        }
    }
}
