//! The operands of an intrinsic's instruction: a tree of what PTX writes, which lowering and raising both read.

use ptx_isa::{Component, SpecialReg};

/// What the PTX instruction writes at one operand position, or at one place of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A field of the result by its position: the result itself where there is one value, a lane where it is a vector of lanes.
    Result(usize),
    /// Both fields of the result, written `d|p`.
    ResultPair,
    /// The result, whose lower byte is a register of 8 bits.
    ByteResult,
    /// An argument, by its position in the call.
    Argument(usize),
    /// An argument of which the lower byte is read, in a register of 8 bits.
    Byte(usize),
    /// The lanes of a vector argument, written `{a0, a1, ..}`.
    Lanes(usize),
    /// A pointer argument, written `[a]`.
    Address(usize),
    /// A list in braces: registers of the result, arguments, [`Operand::Sink`] or [`Operand::Padding`].
    Vector(Vec<Operand>),
    /// A list in brackets: handles or a pointer to a tensor map, and coordinates (`[t, s, {c0, c1}]`, `[t]`).
    Bracket(Vec<Operand>),
    /// An argument that must be a constant and is written as a number.
    Immediate {
        /// Its position in the call.
        argument: usize,
        /// LLVM takes only lesser numbers, where it has such a bound.
        below: Option<u64>,
    },
    /// A number that is always the same.
    Number(u64),
    /// A special register, or a component of it.
    Special(SpecialReg, Option<Component>),
    /// `WARP_SZ`.
    WarpSize,
    /// `_`: a result that is not kept.
    Sink,
    /// The last place of a vector of four, which is not read: PTX writes three coordinates so (manual 9.7.10.3).
    Padding,
    /// An operand that is not read: this one where it is our choice.
    Unread(Box<Operand>),
}

/// What an argument is that PTX does not write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unwritten {
    /// This constant; others choose another row.
    Fixed(u64),
    /// The alignment of the access in bytes.
    Alignment,
    /// Anything: another argument specifies that it is not read.
    Ignored,
}

impl Operand {
    /// Calls `found` for the operand and each one in it, from left to right.
    pub fn for_each<'o>(&'o self, found: &mut dyn FnMut(&'o Operand)) {
        found(self);
        match self {
            Operand::Vector(parts) | Operand::Bracket(parts) => {
                for part in parts {
                    part.for_each(found);
                }
            }
            Operand::Unread(own) => own.for_each(found),
            Operand::Result(_)
            | Operand::ResultPair
            | Operand::ByteResult
            | Operand::Argument(_)
            | Operand::Byte(_)
            | Operand::Lanes(_)
            | Operand::Address(_)
            | Operand::Immediate { .. }
            | Operand::Number(_)
            | Operand::Special(..)
            | Operand::WarpSize
            | Operand::Sink
            | Operand::Padding => {}
        }
    }
}

/// The operands of a row, and the arguments that PTX does not write.
type Operands = (Vec<Operand>, Vec<(usize, Unwritten)>);

/// The PTX column of a row without its mnemonic; `None` for what is not in the notation.
pub(super) fn operands(text: &str) -> Option<Operands> {
    let (mut written, mut unwritten) = (Vec::new(), Vec::new());
    for part in text.split(", ").filter(|part| !part.is_empty()) {
        match part.strip_prefix('#').and_then(|rest| rest.split_once('=')) {
            Some((argument, value)) => unwritten.push((argument.parse().ok()?, unwritten_of(value)?)),
            None => {
                let mut reader = Reader { rest: part };
                let operand = reader.operand()?;
                written.push(reader.rest.is_empty().then_some(operand)?);
            }
        }
    }
    Some((written, unwritten))
}

fn unwritten_of(value: &str) -> Option<Unwritten> {
    Some(match value {
        "align" => Unwritten::Alignment,
        "any" => Unwritten::Ignored,
        number => Unwritten::Fixed(number.parse().ok()?),
    })
}

/// Consecutive arguments.
fn arguments(first: usize, count: usize) -> impl Iterator<Item = Operand> {
    (first..first + count).map(Operand::Argument)
}

/// Reads one operand from the left.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.eat(text).then_some(())
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        digits.parse().ok()
    }

    fn operand(&mut self) -> Option<Operand> {
        if self.eat("d|p") {
            return Some(Operand::ResultPair);
        }
        if self.eat("d") {
            return Some(Operand::Result(0));
        }
        if self.eat("b(") {
            let byte = if self.eat("d") { Operand::ByteResult } else { Operand::Byte(self.argument()?) };
            return self.expect(")").map(|()| byte);
        }
        if self.eat("T[") {
            return self.texel();
        }
        if self.eat("[") {
            return self.address();
        }
        if self.eat("<") {
            return self.vector();
        }
        if self.eat("#") {
            let argument = self.number()?;
            let below = if self.eat("<") { Some(self.number()? as u64) } else { None };
            return Some(Operand::Immediate { argument, below });
        }
        if self.eat("u:") {
            return Some(Operand::Unread(Box::new(self.operand()?)));
        }
        self.constant()
    }

    /// `%i`.
    fn argument(&mut self) -> Option<usize> {
        self.expect("%")?;
        self.number()
    }

    /// `%i`, or what is always the same: `%tid.x`, `WARP_SZ`, `_`, a number.
    fn constant(&mut self) -> Option<Operand> {
        if self.eat("_") {
            return Some(Operand::Sink);
        }
        if self.eat("WARP_SZ") {
            return Some(Operand::WarpSize);
        }
        if !self.eat("%") {
            return Some(Operand::Number(self.number()? as u64));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(Operand::Argument(self.number()?));
        }
        let name = std::mem::take(&mut self.rest);
        let (name, component) = match name.split_once('.') {
            Some((name, component)) => (name, Some(Component::from_ptx(component)?)),
            None => (name, None),
        };
        Some(Operand::Special(SpecialReg::from_ptx(name)?, component))
    }

    /// `%i]` or `%i<%j:n>]`, after `[`.
    fn address(&mut self) -> Option<Operand> {
        let pointer = self.argument()?;
        if self.eat("]") {
            return Some(Operand::Address(pointer));
        }
        self.expect("<")?;
        let coordinates = self.vector()?;
        self.expect("]")?;
        Some(Operand::Bracket(vec![Operand::Argument(pointer), coordinates]))
    }

    /// `%i]`, `%i<%j:n>]` or `%i,%s<%j:n>]`, after `T[`.
    fn texel(&mut self) -> Option<Operand> {
        let mut parts = vec![Operand::Argument(self.argument()?)];
        if self.eat(",") {
            parts.push(Operand::Argument(self.argument()?));
        }
        if self.eat("<") {
            let Operand::Vector(mut coordinates) = self.vector()? else { return None };
            if coordinates.len() == 3 {
                coordinates.push(Operand::Padding);
            }
            parts.push(Operand::Vector(coordinates));
        }
        self.expect("]").map(|()| Operand::Bracket(parts))
    }

    /// `%i>`, `%i:n>`, `%i:3+>` or fields of the result such as `d:n>` and `_,d:1>`, after `<`.
    fn vector(&mut self) -> Option<Operand> {
        if self.rest.starts_with('%') {
            let first = self.argument()?;
            if self.eat(">") {
                return Some(Operand::Lanes(first));
            }
            self.expect(":")?;
            let count = self.number()?;
            let padding = self.eat("+").then_some(Operand::Padding);
            return self
                .expect(">")
                .map(|()| Operand::Vector(arguments(first, count).chain(padding).collect()));
        }
        let (mut fields, mut next) = (Vec::new(), 0);
        loop {
            if self.eat("_") {
                fields.push(Operand::Sink);
            } else {
                self.expect("d:")?;
                let count = self.number()?;
                fields.extend((next..next + count).map(Operand::Result));
                next += count;
            }
            if !self.eat(",") {
                return self.expect(">").map(|()| Operand::Vector(fields));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Option<Operand> {
        operands(text)?.0.into_iter().next()
    }

    #[test]
    fn lists_are_trees() {
        use Operand::{Argument, Bracket, Padding, Result, Sink, Vector};
        assert_eq!(one("<_,d:2>"), Some(Vector(vec![Sink, Result(0), Result(1)])));
        let coordinates = Vector(vec![Argument(2), Argument(3), Argument(4), Padding]);
        assert_eq!(one("T[%0,%1<%2:3>]"), Some(Bracket(vec![Argument(0), Argument(1), coordinates.clone()])));
        assert_eq!(one("<%2:3+>"), Some(coordinates));
        // Coordinates of tensors are not padded.
        let three = Vector((1..4).map(Argument).collect());
        assert_eq!(one("[%0<%1:3>]"), Some(Bracket(vec![Argument(0), three])));
        assert_eq!(one("T[%0]"), Some(Bracket(vec![Argument(0)])));
    }

    #[test]
    fn what_is_not_written_is_apart() {
        let (written, unwritten) = operands("[%0], #1<16, #2=3, #3=any, u:0").unwrap();
        let unread = Operand::Unread(Box::new(Operand::Number(0)));
        assert_eq!(
            written,
            [Operand::Address(0), Operand::Immediate { argument: 1, below: Some(16) }, unread]
        );
        assert_eq!(unwritten, [(2, Unwritten::Fixed(3)), (3, Unwritten::Ignored)]);
    }

    #[test]
    fn other_text_is_not_an_operand() {
        for text in ["%nothing", "[%0", "<d:1", "d2", "#", "T[]", "%tid.q", "<%0:2,%3>"] {
            assert_eq!(one(text), None, "{text}");
        }
    }
}
