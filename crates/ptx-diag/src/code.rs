//! Codes of diagnostics and their meanings.

/// A stable identifier of a kind of diagnostic, such as `P0101`.
///
/// The letter names the stage: `P` parse, `V` verify, `K` link, `L` lower, `I` read LLVM IR, `O` optimize, `R` raise, `G` generate
/// code with LLVM, `X` execute, `T` tool.
/// Each stage declares its codes in one place, with [`codes`](crate::codes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// A code with its meaning in a sentence or two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeMeaning {
    /// The code.
    pub code: Code,
    /// The lines of its documentation, each with its leading blank.
    lines: &'static [&'static str],
}

impl CodeMeaning {
    /// A code and the lines of its documentation; for [`codes`](crate::codes).
    pub const fn new(code: Code, lines: &'static [&'static str]) -> Self {
        Self { code, lines }
    }

    /// The meaning of the code, on one line.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }
}

/// Declares the codes of a stage, and `MEANINGS`, which lists them with their documentation.
///
/// ```
/// ptx_diag::codes! {
///     /// The lid is open.
///     pub const LID: Code = Code("Z0001");
/// }
/// assert_eq!(MEANINGS[0].text(), "The lid is open.");
/// ```
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $line:literal])+ $visibility:vis const $name:ident: Code = Code($code:literal);)+) => {
        $(
            $(#[doc = $line])+
            $visibility const $name: $crate::Code = $crate::Code($code);
        )+

        /// These codes with their meanings.
        pub const MEANINGS: &[$crate::CodeMeaning] = &[
            $($crate::CodeMeaning::new($name, &[$($line),+]),)+
        ];
    };
}
