//! The syntax tree: statements that borrow from the text ([`crate::syntax`]).

use std::cell::Cell;

use ptx_diag::Span;

/// A word of the text and its span: a name, a number, or a directive without its dot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name<'s> {
    /// The word as written.
    pub text: &'s str,
    /// Where it is.
    pub span: Span,
}

/// A number of a directive: a literal, or `WARP_SZ`.
pub type Number<'s> = Name<'s>;

/// A statement, a directive or a brace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement<'s> {
    /// `.version 8.7` (manual 11.1.1)
    Version(Number<'s>, Span),
    /// `.target sm_90, texmode_unified` (manual 11.1.2)
    Target(Vec<Name<'s>>, Span),
    /// `.address_size 64` (manual 11.1.3)
    AddressSize(Number<'s>, Span),
    /// `.file` (manual 11.5.3)
    File(Box<File<'s>>),
    /// `.section` (manual 11.5.2)
    Section(Box<Section<'s>>),
    /// A line of `@@DWARF` (manual 11.5.1).
    DwarfLine(Name<'s>),
    /// `.alias f, g;` (manual 11.2.3)
    Alias(Name<'s>, Name<'s>, Span),
    /// `.pragma "text";` (manual 11.4.7); the strings are without their quotes.
    Pragma(Vec<Name<'s>>, Span),
    /// Variables or registers (manual 5.4).
    Variables(Box<Variables<'s>>),
    /// `.entry` or `.func` with everything before its body (manual 11.2.1, 11.2.2).
    Function(Box<Function<'s>>),
    /// `.loc` (manual 11.5.4)
    Location(Location<'s>),
    /// `{`
    Open(Span),
    /// `}`
    Close(Span),
    /// A semicolon alone.
    Empty(Span),
    /// `name:`
    Label(Name<'s>),
    /// `name: .branchtargets a, b<4>;` (manual 11.3.1): the labels, those of ranges with their number.
    BranchTargets(Name<'s>, Vec<(Name<'s>, Option<Number<'s>>)>),
    /// `name: .calltargets f, g;` (manual 11.3.2)
    CallTargets(Name<'s>, Vec<Name<'s>>),
    /// `name: .callprototype (..) _ (..);` (manual 11.3.3)
    CallPrototype(Name<'s>, Box<Prototype<'s>>),
    /// An instruction.
    Instruction(Instruction<'s>),
}

/// An instruction: `@p mnemonic operands;` (manual 4.3.2)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction<'s> {
    /// The condition.
    pub guard: Option<Guard<'s>>,
    /// The opcode with its modifiers.
    pub mnemonic: Mnemonic<'s>,
    /// The operands in order.
    pub operands: Vec<Operand<'s>>,
    /// From the guard or mnemonic to the last operand.
    pub span: Span,
}

/// `@p` or `@!p`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard<'s> {
    /// Whether the instruction is executed if the predicate is false.
    pub negated: bool,
    /// The predicate register.
    pub name: Name<'s>,
}

/// An opcode with its modifiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mnemonic<'s> {
    /// The opcode with the modifiers that follow it without a blank.
    pub name: Name<'s>,
    /// The other modifiers.
    pub spaced: Option<Box<SpacedModifiers<'s>>>,
}

/// Modifiers after a blank or a bank: `ld .global .u32`, `ld.const[0].u32`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpacedModifiers<'s> {
    /// The bank of constant memory (manual 5.1.3.1).
    pub bank: Option<Number<'s>>,
    /// The modifiers, without their dots.
    pub words: Vec<Name<'s>>,
}

/// An operand of an instruction or an element of a list (manual 6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand<'s> {
    /// The kind and its parts.
    pub kind: OperandKind<'s>,
    /// Where it is.
    pub span: Span,
    /// Whether it follows a `|`.
    pub paired: bool,
}

/// The kind of an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OperandKind<'s> {
    /// `_`
    Sink,
    /// A register, variable, function or label.
    Name(Name<'s>),
    /// `%tid.x`, `%r1.b0`: a name and the component or selector after its dot.
    Component(Name<'s>, Name<'s>),
    /// `a[3]`: an element of an array; with the span of the brackets.
    Element(Name<'s>, Box<Constant<'s>>, Span),
    /// `a+4`
    Sum(Name<'s>, Box<Constant<'s>>),
    /// `!p`
    Not(Name<'s>),
    /// `-a`, `-a.b0`
    Negated(Name<'s>, Option<&'s str>),
    /// A constant.
    Constant(Constant<'s>),
    /// `[a]`, `[a+4]`, `[16]`: an address; at least one of its parts is present.
    Address(Option<Name<'s>>, Option<Constant<'s>>),
    /// `[a, {x, y}]`: several values in brackets.
    Bracket(Vec<Operand<'s>>),
    /// `{a, b}`
    Vector(Vec<Operand<'s>>),
    /// `(a, b)`: results or arguments of a call.
    List(Vec<Operand<'s>>),
}

impl OperandKind<'_> {
    /// Whether it certainly owns no heap memory.
    #[inline]
    fn is_plain(&self) -> bool {
        match self {
            OperandKind::Name(_) | OperandKind::Address(_, None) => true,
            OperandKind::Constant(constant) | OperandKind::Address(_, Some(constant)) => {
                matches!(constant.value, ConstantValue::Literal { .. })
            }
            _ => false,
        }
    }
}

/// A constant (manual 4.5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant<'s> {
    /// The value.
    pub value: ConstantValue<'s>,
    /// Where it is.
    pub span: Span,
}

/// The value of a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConstantValue<'s> {
    /// A number with or without a minus.
    Literal {
        /// Whether a minus precedes it.
        negative: bool,
        /// The number as written.
        digits: &'s str,
    },
    /// Everything else, in postfix order: the operands of an operator precede it.
    Expression(Box<[Term<'s>]>),
}

/// A part of a constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term<'s> {
    /// A number.
    Number(Number<'s>),
    /// `WARP_SZ`
    WarpSize,
    /// `+`, `-`, `!` or `~` before a value.
    Unary(u8, Span),
    /// `(.s64)` or `(.u64)` before a value; the word is without its dot.
    Cast(Name<'s>),
    /// A binary operator; an operator of a single character is followed by a zero byte.
    Binary([u8; 2], Span),
    /// `c ? a : b`; the span is that of the question mark.
    Conditional(Span),
}

/// A directive that declares variables or registers (manual 5.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variables<'s> {
    /// `.extern`, `.visible`, `.weak` or `.common`.
    pub linkage: Option<Name<'s>>,
    /// The part that all names share.
    pub declaration: Declaration<'s>,
    /// The declared names.
    pub declarators: Vec<Declarator<'s>>,
}

/// The part of a declaration before the name of a variable or parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration<'s> {
    /// The state space.
    pub space: Name<'s>,
    /// The bank of `.const[2]`.
    pub bank: Option<Number<'s>>,
    /// The values of `.align`.
    pub alignments: Vec<Number<'s>>,
    /// The values of `.attribute`.
    pub attributes: Vec<Attribute<'s>>,
    /// `.v2`, `.v4` or `.v8`.
    pub vector: Option<Name<'s>>,
    /// The type.
    pub ty: Name<'s>,
    /// Everything up to the type.
    pub span: Span,
}

/// An attribute of a variable or function (manual 5.4.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute<'s> {
    /// `.managed`
    Managed,
    /// `.unified(upper, lower)`
    Unified(Number<'s>, Number<'s>),
}

/// A declared name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declarator<'s> {
    /// The name.
    pub name: Name<'s>,
    /// The number of names of a range (`%r<4>`).
    pub count: Option<Number<'s>>,
    /// The length in each pair of brackets, if there is one; with the span of the opening bracket.
    pub dimensions: Vec<(Option<Number<'s>>, Span)>,
    /// The value after `=`.
    pub initializer: Option<Initializer<'s>>,
}

/// An initial value (manual 5.4.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initializer<'s> {
    /// A constant.
    Value(Constant<'s>),
    /// Two or more elements of a list that are numbers, addresses without `generic`, or lists of these.
    Table(Table<'s>),
    /// The address of a variable or function.
    Address(Address<'s>),
    /// `0xFF00(name)`: a byte of an address.
    MaskedAddress(Number<'s>, Address<'s>),
    /// `0xFF00(0x1234)`: a byte of a constant; with the span of the whole initializer.
    MaskedConstant(Number<'s>, Constant<'s>, Span),
    /// Values in braces.
    List(Vec<Initializer<'s>>),
    /// `name = value` in braces, of a texture, sampler or surface reference.
    Fields(Vec<(Name<'s>, Field<'s>)>),
}

/// The value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Field<'s> {
    /// A word such as `nearest`.
    Name(Name<'s>),
    /// A constant.
    Constant(Constant<'s>),
}

/// `name+4` or `generic(name)+4`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address<'s> {
    /// The variable or function.
    pub name: Name<'s>,
    /// Whether it is the generic address.
    pub generic: bool,
    /// The offset in bytes.
    pub offset: Option<Constant<'s>>,
}

/// Numbers, addresses, and lists of these, separated by commas, as in large arrays. They are parsed on demand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table<'s> {
    /// All of them as written, with commas, braces and blanks.
    pub text: &'s str,
    /// The offset of the text.
    pub lo: u32,
}

/// A part of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TablePart<'s> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// A decimal number without a minus, of at most 18 digits.
    Decimal(i64),
    /// Another number, with the offset of its minus if it has one.
    Number(Option<u32>, Number<'s>),
    /// The address of a variable or function.
    Name(Name<'s>),
    /// A number that is added to the address before it, and whether it has a minus.
    Offset(bool, Number<'s>),
}

impl<'s> Table<'s> {
    /// The parts in order; commas are left out.
    pub fn parts(&self) -> impl Iterator<Item = TablePart<'s>> + use<'s> {
        let (text, lo) = (self.text, self.lo);
        let mut rest = text.as_bytes();
        let mut adds = false;
        let word = move |rest: &[u8], tail: &[u8]| {
            let (start, end) = (text.len() - rest.len(), text.len() - tail.len());
            Some(Name { text: text.get(start..end)?, span: Span::new(lo + start as u32, lo + end as u32) })
        };
        std::iter::from_fn(move || {
            let mut minus = None;
            loop {
                let [byte, tail @ ..] = rest else { return None };
                match byte {
                    b'{' | b'}' => {
                        rest = tail;
                        return Some(if *byte == b'{' { TablePart::Open } else { TablePart::Close });
                    }
                    b'-' => minus = Some(lo + (text.len() - rest.len()) as u32),
                    b'+' => adds = true,
                    b'0'..=b'9' => break,
                    byte if crate::lexer::is_letter(*byte) || matches!(byte, b'%' | b'$') => {
                        let start = std::mem::replace(&mut rest, crate::lexer::skip_word(tail));
                        return Some(TablePart::Name(word(start, rest)?));
                    }
                    _ => {}
                }
                rest = tail;
            }
            let start = rest;
            if std::mem::take(&mut adds) {
                rest = crate::lexer::skip_number(start);
                return Some(TablePart::Offset(minus.is_some(), word(start, rest)?));
            }
            if minus.is_none()
                && let Some((tail, value)) = crate::literal::decimal_prefix(start)
            {
                rest = tail;
                return Some(TablePart::Decimal(value));
            }
            rest = crate::lexer::skip_number(start);
            Some(TablePart::Number(minus, word(start, rest)?))
        })
    }
}

/// A function up to its body or semicolon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function<'s> {
    /// `.extern`, `.visible`, `.weak` or `.common`.
    pub linkage: Option<Name<'s>>,
    /// `entry` or `func`.
    pub keyword: Name<'s>,
    /// The results.
    pub results: Vec<Parameter<'s>>,
    /// The name.
    pub name: Name<'s>,
    /// The parameters.
    pub parameters: Vec<Parameter<'s>>,
    /// The attributes before the name and the directives after the parameters.
    pub directives: Vec<FunctionDirective<'s>>,
    /// The opening brace, if a body follows.
    pub body: Option<Span>,
}

/// A parameter or result (manual 5.1.6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter<'s> {
    /// The part before the name.
    pub declaration: Declaration<'s>,
    /// `.ptr` with its space and alignment, or an alignment alone.
    pub pointer: Option<Pointer<'s>>,
    /// The name, or `_`.
    pub name: Name<'s>,
    /// The brackets of an array, with the length.
    pub dimension: Option<Option<Number<'s>>>,
}

/// `.ptr .global .align 4` (manual 11.2.1)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer<'s> {
    /// The state space or kind of reference.
    pub space: Option<Name<'s>>,
    /// The alignment.
    pub alignment: Option<Number<'s>>,
}

/// A directive of a function (manual 11.4): a word with numbers, strings or attributes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionDirective<'s> {
    /// The directive.
    pub word: Name<'s>,
    /// Its numbers.
    pub numbers: Vec<Number<'s>>,
    /// The strings of `.pragma`, without their quotes.
    pub texts: Vec<Name<'s>>,
    /// The values of `.attribute`.
    pub attributes: Vec<Attribute<'s>>,
    /// Where it is.
    pub span: Span,
}

/// The prototype of a `.callprototype` directive (manual 11.3.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prototype<'s> {
    /// The results.
    pub results: Vec<Parameter<'s>>,
    /// The parameters.
    pub parameters: Vec<Parameter<'s>>,
    /// `.noreturn` and `.abi_preserve`.
    pub directives: Vec<FunctionDirective<'s>>,
}

/// `.file index "name", time, size` (manual 11.5.3)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File<'s> {
    /// The number that `.loc` names.
    pub index: Number<'s>,
    /// The name, without its quotes.
    pub name: Name<'s>,
    /// Time and size, of which the size may be missing.
    pub stamp: Option<(Number<'s>, Option<Number<'s>>)>,
    /// Where the directive is.
    pub span: Span,
}

/// `.section name { lines }` (manual 11.5.2)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section<'s> {
    /// The name, with its dot.
    pub name: Name<'s>,
    /// The text between the braces.
    pub text: &'s str,
    /// The span of the text.
    pub text_span: Span,
    /// The labels in it.
    pub labels: Vec<Name<'s>>,
    /// Where the directive is.
    pub span: Span,
}

/// `.loc file line column` (manual 11.5.4)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location<'s> {
    /// The file, line and column.
    pub position: [Number<'s>; 3],
    /// The inlined call after the first comma.
    pub inlined: Option<Box<InlinedAt<'s>>>,
    /// Where the directive is.
    pub span: Span,
}

/// `function_name label+offset, inlined_at file line column`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InlinedAt<'s> {
    /// The label of the function's name; a section has its dot.
    pub name: Name<'s>,
    /// The offset from the label.
    pub offset: Option<Number<'s>>,
    /// The file, line and column of the call.
    pub position: [Number<'s>; 3],
}

/// The memory of an operand list that is no longer needed, for the next instruction.
#[derive(Default)]
pub(crate) struct Spare<'s>(Cell<Vec<Operand<'s>>>);

impl<'s> Spare<'s> {
    /// An empty list.
    #[inline]
    pub(crate) fn take(&self) -> Vec<Operand<'s>> {
        self.0.take()
    }

    /// Keeps the memory of a list.
    #[inline]
    pub(crate) fn put_back(&self, mut list: Vec<Operand<'s>>) {
        // Most operands own no heap memory; checking each is faster than dropping it.
        while let Some(operand) = list.pop() {
            if operand.kind.is_plain() {
                std::mem::forget(operand);
            }
        }
        self.0.set(list);
    }
}
