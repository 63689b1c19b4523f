//! The codes of all diagnostics of the verifier.
//!
//! `V00..` findings as such, `V01..` versions and targets, `V02..` variables, `V03..` functions and their directives, `V04..` operands,
//! `V05..` combinations of modifiers, `V06..` control flow and calls.

ptx_diag::codes! {
    /// Too many diagnostics; the rest is omitted.
    pub const TOO_MANY: Code = Code("V0001");

    /// The module does not start with `.version` (manual 11.1.1).
    pub const VERSION_MISSING: Code = Code("V0101");
    /// An unknown PTX ISA version, or one that is newer than this library supports.
    pub const VERSION_UNKNOWN: Code = Code("V0102");
    /// `.target` is missing or does not follow `.version` (manual 11.1.2).
    pub const TARGET_MISSING: Code = Code("V0103");
    /// An unknown target or option.
    pub const TARGET_UNKNOWN: Code = Code("V0104");
    /// The PTX ISA version does not support the target.
    pub const TARGET_TOO_NEW: Code = Code("V0105");
    /// Options of `.target` that are mutually exclusive or lack a required option.
    pub const TARGET_OPTION: Code = Code("V0106");
    /// `.address_size` is not 32 or 64, is missing, or is in the wrong place (manual 11.1.3).
    pub const ADDRESS_SIZE: Code = Code("V0107");
    /// A construct that requires a later PTX ISA version.
    pub const NEEDS_VERSION: Code = Code("V0108");
    /// A construct that requires another architecture.
    pub const NEEDS_TARGET: Code = Code("V0109");
    /// A construct that was removed in this architecture or version.
    pub const REMOVED: Code = Code("V0110");

    /// A type that variables or registers cannot have (manual 5.2).
    pub const VARIABLE_TYPE: Code = Code("V0201");
    /// A state space where such a variable cannot be declared (manual 5.1).
    pub const VARIABLE_SPACE: Code = Code("V0202");
    /// An alignment that is not a power of two or is out of range (manual 5.4.5).
    pub const ALIGNMENT: Code = Code("V0203");
    /// An array dimension that is zero, missing or too large (manual 5.4.3).
    pub const ARRAY_SIZE: Code = Code("V0204");
    /// A vector wider than 128 bits, or of a type that does not support vectors (manual 5.4.2).
    pub const VECTOR_TYPE: Code = Code("V0205");
    /// An initial value where none is allowed (manual 5.4.4).
    pub const INITIALIZER_PLACE: Code = Code("V0206");
    /// An initial value that does not fit the variable's shape or type (manual 5.4.4).
    pub const INITIALIZER_VALUE: Code = Code("V0207");
    /// `.managed` or `.unified` where it is not allowed (manual 5.4.8).
    pub const ATTRIBUTE: Code = Code("V0208");
    /// Linkage that the variable cannot have (manual 11.6).
    pub const LINKAGE: Code = Code("V0209");
    /// A second declaration that contradicts the first, or a second definition.
    pub const REDECLARATION: Code = Code("V0210");
    /// Variables of constant or shared memory that are larger than that memory (manual 5.1.3, 5.1.7).
    pub const MEMORY_BYTES: Code = Code("V0211");

    /// A parameter that such a function cannot have (manual 7.1, 11.2).
    pub const PARAMETER: Code = Code("V0301");
    /// `.ptr` anywhere but on a kernel parameter (manual 5.1.6.3).
    pub const PARAMETER_POINTER: Code = Code("V0302");
    /// Kernel parameters larger than the limit (manual 5.1.6.1).
    pub const PARAMETER_BYTES: Code = Code("V0303");
    /// A directive that such a function cannot have, or has twice (manual 11.4).
    pub const FUNCTION_DIRECTIVE: Code = Code("V0304");
    /// A value of a directive that is out of range.
    pub const DIRECTIVE_VALUE: Code = Code("V0305");
    /// Directives that are mutually exclusive or require another one (manual 11.4, 11.7).
    pub const DIRECTIVE_CONFLICT: Code = Code("V0306");
    /// An alias of a function that cannot have one (manual 11.2.3).
    pub const ALIAS: Code = Code("V0307");
    /// A `.file` index that is used twice, or the location of an inlined call that no earlier `.loc` specifies (manual 11.5).
    pub const DEBUG_INFO: Code = Code("V0308");
    /// A pragma in a place where it is not allowed (manual 12).
    pub const PRAGMA: Code = Code("V0309");

    /// The type of a register or immediate does not match the instruction's (manual 9.4).
    pub const OPERAND_TYPE: Code = Code("V0401");
    /// An operand of a kind that is not allowed there (manual 6).
    pub const OPERAND_KIND: Code = Code("V0402");
    /// An immediate out of range.
    pub const IMMEDIATE_RANGE: Code = Code("V0403");
    /// A vector operand of the wrong length (manual 6.4.3).
    pub const VECTOR_LENGTH: Code = Code("V0404");
    /// `_` for a result that cannot be discarded, or as a source.
    pub const SINK: Code = Code("V0405");
    /// A special register in an instruction that cannot read it, or as a destination (manual 10).
    pub const SPECIAL_REGISTER: Code = Code("V0406");
    /// An address that the instruction cannot use (manual 6.4.1).
    pub const ADDRESS: Code = Code("V0407");
    /// The state space of a variable does not match the instruction's.
    pub const ADDRESS_SPACE: Code = Code("V0408");
    /// A required operand is missing, or an operand is not allowed.
    pub const OPERAND_MISSING: Code = Code("V0409");
    /// A write to a parameter of the function.
    pub const WRITES_PARAMETER: Code = Code("V0410");
    /// The guard is not a predicate register, or is not allowed here (manual 8.7).
    pub const GUARD: Code = Code("V0411");

    /// Modifiers that cannot be combined.
    pub const MODIFIER_CONFLICT: Code = Code("V0501");
    /// A modifier that is required is missing.
    pub const MODIFIER_MISSING: Code = Code("V0502");
    /// A modifier that this type or state space does not support.
    pub const MODIFIER_PLACE: Code = Code("V0503");
    /// A vector wider than the maximum memory access.
    pub const ACCESS_WIDTH: Code = Code("V0504");

    /// A label of the wrong kind, or one that must precede the instruction (manual 9.7.12).
    pub const LABEL: Code = Code("V0601");
    /// A call of something that cannot be called (manual 9.7.12.5).
    pub const CALLEE: Code = Code("V0602");
    /// A call with the wrong number of arguments or results.
    pub const ARGUMENT_COUNT: Code = Code("V0603");
    /// An argument or result that does not match the parameter in type, size or alignment.
    pub const ARGUMENT_TYPE: Code = Code("V0604");
    /// An indirect call without a prototype, or with a list that does not match the call.
    pub const PROTOTYPE: Code = Code("V0605");
}
