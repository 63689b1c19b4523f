//! For each diagnostic code, an input that causes the diagnostic, and a correct one.

/// The kind of an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExampleKind {
    /// Statements of a kernel, see [`CodeExample::file`].
    Body,
    /// Directives after the first three of a PTX file.
    Module,
    /// A whole PTX file.
    File,
    /// Two PTX files that are linked, separated by a line of `=`; each is a module as in [`ExampleKind::Module`].
    Link,
    /// LLVM IR.
    Llvm,
    /// A module to execute.
    Run,
    /// A command line, where `k.ptx` is a file with a kernel `k`, and `p.ptx` one with a kernel `p` that takes a buffer.
    Command,
    /// There is no example; [`CodeExample::options`] has the reason.
    None,
}

/// A wrong input and a correct one for a code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeExample {
    /// The code.
    pub code: &'static str,
    /// The kind of the inputs.
    pub kind: ExampleKind,
    /// Options of the tool, or the reason why there is no example.
    pub options: &'static str,
    /// The input that causes the diagnostic.
    pub wrong: &'static str,
    /// The correct input.
    pub right: &'static str,
}

/// The head of a module.
const HEADER: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";
/// The lines around the statements of a kernel.
const AROUND: &str = ".global .u32 g[4];\n.shared .u32 s;\n.func f() { ret; }\n.func h(.param .u32 x) { ret; }\n\
    .visible .entry k(.param .u64 a)\n{\n    .reg .pred %p<4>;\n    .reg .b16 %rs<4>;\n    .reg .b32 %r<8>;\n    \
    .reg .b64 %rd<8>;\n    .reg .f32 %f<8>;\nproto: .callprototype ()_ ();\n";

impl CodeExample {
    /// Completes `text`, the shown part of an example, to a whole file.
    pub fn file(&self, text: &str) -> String {
        match self.kind {
            ExampleKind::Body => format!("{HEADER}{AROUND}{text}\n    ret;\n}}\n"),
            ExampleKind::Module | ExampleKind::Link | ExampleKind::Run => format!("{HEADER}{text}\n"),
            ExampleKind::File | ExampleKind::Llvm | ExampleKind::Command | ExampleKind::None => {
                format!("{text}\n")
            }
        }
    }
}

/// The examples of all codes; each part begins with a line of the code, the kind and options.
pub fn code_examples() -> impl Iterator<Item = CodeExample> {
    include_str!("examples.txt").split("\n# ").filter_map(|part| {
        let part = part.trim_start_matches("# ");
        let (title, text) = part.split_once('\n').unwrap_or((part, ""));
        let (code, rest) = title.split_once(' ')?;
        let (kind, options) = rest.split_once(' ').unwrap_or((rest, ""));
        let kind = match kind {
            "body" => ExampleKind::Body,
            "module" => ExampleKind::Module,
            "file" => ExampleKind::File,
            "link" => ExampleKind::Link,
            "llvm" => ExampleKind::Llvm,
            "run" => ExampleKind::Run,
            "command" => ExampleKind::Command,
            _ => ExampleKind::None,
        };
        // Default: a code without an example has no text.
        let (wrong, right) = text.split_once("\n--\n").unwrap_or_default();
        Some(CodeExample { code, kind, options, wrong, right: right.trim_end() })
    })
}
