//! The codes of the reader's findings.

ptx_diag::codes! {
    /// A character or token that is not valid in PTX.
    pub const BAD_TOKEN: Code = Code("P0001");
    /// An unterminated comment or string.
    pub const UNCLOSED: Code = Code("P0002");
    /// The input is too large.
    pub const TOO_LARGE: Code = Code("P0003");
    /// Braces, parentheses or initial values are nested too deeply.
    pub const TOO_DEEP: Code = Code("P0004");
    /// Too many errors; the rest of the input is not read.
    pub const TOO_MANY: Code = Code("P0005");
    /// The input has no directives.
    pub const EMPTY: Code = Code("P0006");
    /// Machine code or another binary format.
    pub const BINARY: Code = Code("P0007");
    /// CUDA C++, which a compiler makes PTX from.
    pub const CUDA: Code = Code("P0008");
    /// An unexpected token.
    pub const EXPECTED: Code = Code("P0101");
    /// An unmatched brace.
    pub const UNBALANCED: Code = Code("P0102");
    /// A directive that is unknown, or not allowed here.
    pub const DIRECTIVE: Code = Code("P0103");
    /// A directive with an invalid value.
    pub const DIRECTIVE_VALUE: Code = Code("P0104");
    /// Two parts of a declaration that are mutually exclusive.
    pub const CONFLICT: Code = Code("P0105");
    /// A PTX feature that is not supported.
    pub const UNSUPPORTED: Code = Code("P0106");
    /// A name that is not declared.
    pub const UNDECLARED: Code = Code("P0201");
    /// A name that is declared twice in one scope.
    pub const DUPLICATE: Code = Code("P0202");
    /// A name of the wrong kind.
    pub const WRONG_NAME: Code = Code("P0203");
    /// An unknown opcode.
    pub const OPCODE: Code = Code("P0301");
    /// A modifier that the instruction does not have.
    pub const MODIFIER: Code = Code("P0302");
    /// A combination of modifiers that no instruction has.
    pub const MODIFIERS: Code = Code("P0303");
    /// Operands that do not match any form of the instruction.
    pub const OPERANDS: Code = Code("P0304");
    /// An invalid number.
    pub const NUMBER: Code = Code("P0401");
    /// A constant expression that cannot be evaluated.
    pub const EXPRESSION: Code = Code("P0402");
}
