//! Operands of instructions.

use ptx_isa::{Component, Selector, SpecialReg};

use crate::ids::{FunctionId, LabelId, RegId, VarId};
use crate::strings::StrId;

/// A list of operands in the arena of a body ([`crate::Body::list`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ListId {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl ListId {
    /// The number of operands.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The spelling of an immediate (manual 4.5); it determines how the immediate is printed, not its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The default of the printer: integers in decimal, floating-point numbers as exact hexadecimal bits.
    Plain,
    /// An integer as `0x..`.
    Hex,
    /// Exactly this text: other radices, suffixes, decimal fractions, constant expressions, `WARP_SZ`.
    Text(StrId),
}

/// A constant operand (manual 4.5).
///
/// Integer constants are 64 bits wide, and signed unless they exceed the signed range or have the suffix `U`; the instruction uses the
/// low bits that its type has. Floating-point constants are double precision unless written as `0f`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Immediate {
    /// A signed integer.
    S64(i64, Literal),
    /// An unsigned integer: out of the signed range, or with the suffix `U`.
    U64(u64, Literal),
    /// The bits of a single-precision number (`0f3F800000`).
    F32(u32, Literal),
    /// The bits of a double-precision number (`0d3FF0000000000000`, `1.0`).
    F64(u64, Literal),
}

impl Immediate {
    /// The value of an integer as 64 bits; `None` for floating-point numbers.
    pub const fn as_integer(self) -> Option<u64> {
        match self {
            Immediate::S64(value, _) => Some(value as u64),
            Immediate::U64(value, _) => Some(value),
            Immediate::F32(..) | Immediate::F64(..) => None,
        }
    }

    /// A signed integer that is printed in decimal.
    pub const fn integer(value: i64) -> Self {
        Immediate::S64(value, Literal::Plain)
    }
}

/// Something with an address and a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    /// A variable or parameter.
    Variable(VarId),
    /// A function; the id may be that of a declaration, see [`crate::Module::definition`].
    Function(FunctionId),
}

/// The base of an address, to which its offset is added.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressBase {
    /// The value of a register.
    Register(RegId),
    /// The address of a variable or function.
    Symbol(Symbol),
    /// Nothing: the offset is the address.
    Absolute,
}

/// One operand of an instruction, or an entry of a list of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// An operand of the form that the program omits.
    Omitted,
    /// `_`: a discarded result, or an element of a vector that is not written.
    Sink,
    /// A register.
    Register(RegId),
    /// A component `.x` to `.w` of a vector register.
    Element(RegId, Component),
    /// A part of a register, `.b0` or `.h10` (manual 9.7.18).
    Selected(RegId, Selector),
    /// `-a`, `-a.b0`: a negated register or part of a register (manual 9.7.18.1, `vmad`).
    Negated(RegId, Option<Selector>),
    /// `%r1 + 7`: the sum of a register and a constant, which wraps in the register's width; undocumented, but accepted by `ptxas`.
    Sum(RegId, i64),
    /// `%laneid + 1`: the sum of a special register and a constant, as of any other register.
    SpecialSum(SpecialReg, i64),
    /// `!p`: the negation of a predicate register.
    Not(RegId),
    /// A special register, or a component of one.
    Special(SpecialReg, Option<Component>),
    /// A constant.
    Immediate(Immediate),
    /// The address of a variable or function, with a byte offset; also a function called by name.
    Symbol(Symbol, i64),
    /// `[base+offset]`, with the offset in bytes.
    Address(AddressBase, i64),
    /// `[a, b]`: several values in one pair of brackets.
    Bracket(ListId),
    /// `{a, b}`: a vector.
    Vector(ListId),
    /// `(a, b)`: results or arguments of a call.
    List(ListId),
    /// A label: of code, or of a directive that lists targets or a prototype.
    Label(LabelId),
}

impl Operand {
    /// An integer constant that is printed in decimal.
    pub const fn integer(value: i64) -> Self {
        Operand::Immediate(Immediate::integer(value))
    }

    /// The memory that is this number of bytes after the start of a variable: `[name+offset]`.
    pub const fn memory_of(variable: VarId, offset: i64) -> Self {
        Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), offset)
    }

    /// The register of a plain register operand.
    pub const fn as_register(self) -> Option<RegId> {
        match self {
            Operand::Register(reg) => Some(reg),
            _ => None,
        }
    }

    /// Whether the program omits it.
    pub const fn is_omitted(self) -> bool {
        matches!(self, Operand::Omitted)
    }
}
