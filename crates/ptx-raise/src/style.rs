//! Choices about the PTX text that do not affect its semantics.

/// The style of a PTX module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// The names of registers and labels.
    pub names: Names,
    /// The contents of comments.
    pub annotations: Annotations,
}

/// The names of registers and labels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Names {
    /// By class and number: `%r1`, `$L__BB0_2`.
    #[default]
    Numbers,
    /// As LLVM's values and blocks, as far as PTX allows: `%sum`, `$L_for_body`. Unnamed values have numbers. Code with DWARF
    /// locations of variables has numbers: debuggers support only short register names. PTX that was compiled for debugging keeps
    /// its names in any style, since its sections refer to registers.
    Values,
}

/// The contents of comments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Annotations {
    /// None.
    #[default]
    None,
    /// After `.loc` the file, line and column, as LLVM's backend writes them: `// a.cu:9:78 @[ a.cu:14:12 ]`. Code that was PTX gets none.
    Source,
}
