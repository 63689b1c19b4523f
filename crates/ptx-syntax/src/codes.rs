//! The codes of the reader's findings.

ptx_diag::codes! {
    /// A byte or token that PTX has no use for.
    pub const BAD_TOKEN: Code = Code("P0001");
    /// A comment or string that never ends.
    pub const UNCLOSED: Code = Code("P0002");
    /// The input is too large.
    pub const TOO_LARGE: Code = Code("P0003");
    /// Braces, parentheses or initial values lie too deep in each other.
    pub const TOO_DEEP: Code = Code("P0004");
    /// There are too many errors to go on.
    pub const TOO_MANY: Code = Code("P0005");
    /// The input has no directive at all.
    pub const EMPTY: Code = Code("P0006");
    /// Something else was expected here.
    pub const EXPECTED: Code = Code("P0101");
    /// A brace without its partner.
    pub const UNBALANCED: Code = Code("P0102");
    /// A directive that PTX does not have, or not here.
    pub const DIRECTIVE: Code = Code("P0103");
    /// A directive with a wrong value.
    pub const DIRECTIVE_VALUE: Code = Code("P0104");
    /// Two parts of a declaration that exclude each other.
    pub const CONFLICT: Code = Code("P0105");
    /// A PTX feature that this version does not read.
    pub const UNSUPPORTED: Code = Code("P0106");
    /// A name that is not declared.
    pub const UNDECLARED: Code = Code("P0201");
    /// A name that is declared twice in one scope.
    pub const DUPLICATE: Code = Code("P0202");
    /// A name that stands for the wrong kind of thing.
    pub const WRONG_NAME: Code = Code("P0203");
    /// An opcode that is unknown.
    pub const OPCODE: Code = Code("P0301");
    /// A modifier that the instruction does not have.
    pub const MODIFIER: Code = Code("P0302");
    /// Modifiers that do not make an instruction together.
    pub const MODIFIERS: Code = Code("P0303");
    /// Operands that fit no form of the instruction.
    pub const OPERANDS: Code = Code("P0304");
    /// A number that cannot be read.
    pub const NUMBER: Code = Code("P0401");
    /// A constant expression without a value.
    pub const EXPRESSION: Code = Code("P0402");
}
