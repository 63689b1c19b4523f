//! Constants (manual 4.5.1 to 4.5.4).

use ptx_diag::Span;

use crate::codes;
use crate::grammar::MAX_DEPTH;
use crate::grammar::error::{Failed, Fixed, Parsed, Problem, expected, fail, fixed};
use crate::token::{TokenKind, Tokens};
use crate::tree::{Constant, ConstantValue, Name, Term};

/// `42`, `-0x10`, `0f3F800000`, `WARP_SZ`, or an expression of such (manual 4.5.4).
#[inline]
pub(crate) fn constant<'a, 's>(i: Tokens<'a, 's>) -> Parsed<'a, 's, Constant<'s>> {
    let negative = i.is_mark(b'-');
    let number = if negative { i.skip() } else { i };
    if let [token, rest @ ..] = number.rest
        && token.kind == TokenKind::Number
        && rest.first().is_none_or(|next| !continues(next.kind))
    {
        let value = ConstantValue::Literal { negative, digits: i.text(token) };
        // Default: without a minus the place is that of the number.
        let lo = i.first().map_or(token.lo, |first| first.lo);
        return Ok((number.skip(), Constant { value, span: Span::new(lo, token.hi) }));
    }
    let mut expression = Expression { terms: Vec::new(), pending: Vec::new(), depth: 0 };
    let rest = expression.parse(i)?;
    Ok((
        rest,
        Constant {
            value: ConstantValue::Expression(expression.terms.into_boxed_slice()),
            span: i.span_to(rest),
        },
    ))
}

/// Whether a token after a constant belongs to an expression.
#[inline]
fn continues(kind: TokenKind) -> bool {
    kind == TokenKind::Mark(b'?') || operator(kind).is_some()
}

/// The binary operators with their precedence (manual 4.5.4, table 4), where higher numbers bind tighter: `*` `/` `%`, `+` `-`, `<<` `>>`,
/// `<` `>` `<=` `>=`, `==` `!=`, `&`, `^`, `|`, `&&`, `||`.
#[inline]
fn operator(kind: TokenKind) -> Option<(u8, [u8; 2])> {
    let operator = match kind {
        TokenKind::Mark(byte) => [byte, 0],
        TokenKind::Operator(bytes) => bytes,
        _ => return None,
    };
    let level = match &operator {
        b"*\0" | b"/\0" | b"%\0" => 10,
        b"+\0" | b"-\0" => 9,
        b"<<" | b">>" => 8,
        b"<\0" | b">\0" | b"<=" | b">=" => 7,
        b"==" | b"!=" => 6,
        b"&\0" => 5,
        b"^\0" => 4,
        b"|\0" => 3,
        b"&&" => 2,
        b"||" => 1,
        _ => return None,
    };
    Some((level, operator))
}

/// An operator or parenthesis that was parsed and whose last operand is missing.
#[derive(Clone, Copy)]
enum Pending<'s> {
    Prefix(Term<'s>),
    Binary(u8, Term<'s>),
    Parenthesis,
    /// `c ?`, whose `:` is missing.
    Question(Span),
    /// `c ? a :`
    Colon(Span),
}

/// An expression that is being parsed. Operators stay in `pending` until an operator that binds less tightly follows, so that
/// neither nesting nor length uses the call stack.
struct Expression<'s> {
    terms: Vec<Term<'s>>,
    pending: Vec<Pending<'s>>,
    /// How many parentheses, casts and conditionals are open.
    depth: u32,
}

impl<'s> Expression<'s> {
    /// An operand, then operators with operands after them.
    fn parse<'a>(&mut self, mut i: Tokens<'a, 's>) -> Result<Tokens<'a, 's>, Failed<'s>> {
        loop {
            i = self.operand(i)?;
            while i.is_mark(b')') && self.close(i)? {
                i = i.skip();
            }
            let Some(next) = self.operator(i)? else { break };
            i = next;
        }
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Parenthesis => return expected(i, "`)`"),
                Pending::Question(_) => return expected(i, "`:`"),
                pending => self.apply(pending),
            }
        }
        Ok(i)
    }

    /// `number`, `WARP_SZ`, or `+`, `-`, `!`, `~`, `(.s64)`, `(.u64)`, `(` and an operand.
    fn operand<'a>(&mut self, mut i: Tokens<'a, 's>) -> Result<Tokens<'a, 's>, Failed<'s>> {
        loop {
            let Some(token) = i.first() else { return expected(i, "a constant") };
            match token.kind {
                TokenKind::Mark(sign @ (b'-' | b'+' | b'~' | b'!')) => {
                    self.pending.push(Pending::Prefix(Term::Unary(sign, token.span())));
                }
                TokenKind::Mark(b'(') => {
                    let inner = i.skip();
                    let cast = inner.first().and_then(|word| Some((word, i.directive(word)?)));
                    match cast.filter(|(_, ty)| matches!(*ty, "s64" | "u64")) {
                        Some((word, text)) => {
                            i = inner.skip();
                            if !i.is_mark(b')') {
                                return expected(i, "`)`");
                            }
                            self.open(i, Pending::Prefix(Term::Cast(Name { text, span: word.span() })))?;
                        }
                        None => self.open(inner, Pending::Parenthesis)?,
                    }
                }
                TokenKind::Number => self.terms.push(Term::Number(i.name(token))),
                TokenKind::Ident if i.is_warp_size(token) => self.terms.push(Term::WarpSize),
                _ => return expected(i, "a constant"),
            }
            i = i.skip();
            if matches!(token.kind, TokenKind::Number | TokenKind::Ident) {
                self.apply_prefixes();
                return Ok(i);
            }
        }
    }

    /// `)`: whether it closes a parenthesis of the expression.
    fn close(&mut self, i: Tokens<'_, 's>) -> Result<bool, Failed<'s>> {
        if !self.pending.iter().any(|pending| matches!(pending, Pending::Parenthesis)) {
            return Ok(false);
        }
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Parenthesis => break,
                Pending::Question(_) => return expected(i, "`:`"),
                pending => self.apply(pending),
            }
        }
        self.depth -= 1;
        self.apply_prefixes();
        Ok(true)
    }

    /// Parses a binary operator, `?` or `:`. Returns the tokens after it, or `None` at the end of the expression.
    fn operator<'a>(&mut self, i: Tokens<'a, 's>) -> Result<Option<Tokens<'a, 's>>, Failed<'s>> {
        let Some(token) = i.first() else { return Ok(None) };
        match token.kind {
            TokenKind::Mark(b'?') => {
                self.apply_operators(0);
                self.open(i.skip(), Pending::Question(token.span()))?;
            }
            TokenKind::Mark(b':') => {
                self.apply_operators(0);
                while let Some(&Pending::Colon(span)) = self.pending.last() {
                    self.pending.pop();
                    self.apply(Pending::Colon(span));
                }
                let Some(Pending::Question(span)) = self.pending.last().copied() else { return Ok(None) };
                self.pending.pop();
                self.pending.push(Pending::Colon(span));
            }
            kind => {
                let Some((level, operator)) = operator(kind) else { return Ok(None) };
                self.apply_operators(level);
                self.pending.push(Pending::Binary(level, Term::Binary(operator, token.span())));
            }
        }
        Ok(Some(i.skip()))
    }

    fn open(&mut self, i: Tokens<'_, 's>, pending: Pending<'s>) -> Result<(), Failed<'s>> {
        const TOO_DEEP: Fixed =
            fixed(codes::TOO_DEEP, "this expression is nested deeper than 256 levels", "");
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return fail(i, Problem::Fixed(&TOO_DEEP));
        }
        self.pending.push(pending);
        Ok(())
    }

    fn apply_prefixes(&mut self) {
        while let Some(&Pending::Prefix(term)) = self.pending.last() {
            self.pending.pop();
            self.apply(Pending::Prefix(term));
        }
    }

    /// Applies the operators that bind at least as tightly as `level`.
    fn apply_operators(&mut self, level: u8) {
        while let Some(&Pending::Binary(found, term)) = self.pending.last()
            && found >= level
        {
            self.pending.pop();
            self.terms.push(term);
        }
    }

    /// Puts an operator after its operands.
    fn apply(&mut self, pending: Pending<'s>) {
        match pending {
            Pending::Prefix(term) => {
                self.depth -= u32::from(matches!(term, Term::Cast(_)));
                self.terms.push(term);
            }
            Pending::Binary(_, term) => self.terms.push(term),
            Pending::Colon(span) => {
                self.depth -= 1;
                self.terms.push(Term::Conditional(span));
            }
            Pending::Parenthesis | Pending::Question(_) => debug_assert!(false, "these are no operators"),
        }
    }
}
