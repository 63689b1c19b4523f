//! How the result is written where its meaning leaves a choice.

/// What a module in PTX looks like beyond what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// What registers and labels are called.
    pub names: Names,
    /// What comments say.
    pub annotations: Annotations,
}

/// What registers and labels are called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Names {
    /// By class and number: `%r1`, `$L__BB0_2`.
    #[default]
    Numbers,
    /// As LLVM's values and blocks, as far as PTX can spell it: `%sum`, `$L_for_body`. What has no name has a number. Code of
    /// which DWARF says where its variables are has numbers: debuggers know registers with short names alone. PTX that was compiled
    /// for debugging has the names that it had, in any style: its sections name registers.
    Values,
}

/// What comments say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Annotations {
    /// Nothing.
    #[default]
    None,
    /// After `.loc` the file, line and column, as LLVM's backend writes them: `// a.cu:9:78 @[ a.cu:14:12 ]`. Code that was PTX gets none.
    Source,
}
