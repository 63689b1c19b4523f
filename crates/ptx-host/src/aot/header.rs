//! The C header of an object file.

use std::fmt::Write;
use std::sync::Arc;

use ptx_exec::Image;
use ptx_ir::Linkage;
use ptx_program::memory::Space;

use super::{CType, Unit, UnitKernel, parameters};

/// A global variable that programs can reference.
pub(super) struct Exported {
    /// Its C name.
    pub(super) symbol: String,
    pub(super) address: u64,
    bytes: u64,
    name: String,
}

/// The visible global variables of a module.
pub(super) fn exported(image: &Arc<Image>) -> Vec<Exported> {
    let module = image.module();
    let is_visible = |name: &str| {
        let mut variables = module.variables.iter();
        variables.any(|variable| variable.linkage == Linkage::Visible && module.name(variable.name) == name)
    };
    let names = image.variables().into_iter().filter(|name| is_visible(name));
    let variables = names.filter_map(|name| {
        let variable = image.variable(name).filter(|variable| variable.space == Space::Global)?;
        let (address, bytes) = (variable.address, variable.bytes);
        Some(Exported { symbol: identifier(name), address, bytes, name: name.to_owned() })
    });
    variables.collect()
}

/// Reserved words of C or C++, and names that a program defines.
const TAKEN: [&str; 62] = [
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "launch",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "not",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "try",
    "typedef",
    "union",
    "unsigned",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
];

/// A C identifier for a PTX name: characters that C does not allow become `_`.
pub fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().map(plain).collect();
    let begins_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
    match () {
        () if begins_with_digit => format!("_{text}"),
        () if TAKEN.contains(&text.as_str()) => format!("{text}_"),
        () => text,
    }
}

/// The header of the object file that [`compile`](super::compile) makes. `guard` is the name of the file.
pub fn header(unit: &Unit<'_>, guard: &str) -> String {
    let guard = format!("PTX_{}", identifier(guard).to_ascii_uppercase());
    let mut out = format!(
        "/* Kernels of {}, compiled by ptx2ll {}. Link with libptx_host_rt. */\n\
         #ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n#include \"ptx_host_rt.h\"\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
        comment(&unit.files.join(" ")),
        env!("CARGO_PKG_VERSION"),
    );
    for kernel in &unit.kernels {
        declare(&mut out, kernel);
    }
    for Exported { symbol, bytes, name, .. } in exported(unit.images[0]) {
        let _ = write!(
            out,
            "\n/* The global variable `{}`. */\nextern unsigned char {symbol}[{bytes}];\n",
            comment(&name)
        );
    }
    out.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    out
}

/// Escapes a text for use in a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace('\n', " ")
}

fn declare(out: &mut String, kernel: &UnitKernel) {
    let prepared = &kernel.prepared[0];
    let shapes: Vec<String> = kernel.blocks.iter().map(|[x, y, z]| format!("{{{x}, {y}, {z}}}")).collect();
    let name = comment(prepared.name());
    let _ = write!(out, "\n/*\n * The kernel `{name}`, for blocks of {} threads.\n", shapes.join(", "));
    let mut list = String::from("const PtxHostLaunch *launch");
    let parameters = parameters(prepared);
    let mut used = vec!["launch".to_owned()];
    for (parameter, ty) in &parameters {
        let mut argument = identifier(&parameter.name);
        while used.contains(&argument) {
            argument.push('_');
        }
        let written = match ty {
            CType::Int(bits, true) => format!("int{bits}_t {argument}"),
            CType::Int(bits, false) => format!("uint{bits}_t {argument}"),
            CType::F32 => format!("float {argument}"),
            CType::F64 => format!("double {argument}"),
            CType::Pointer => format!("void *{argument}"),
            CType::Bytes(_) => format!("const void *{argument}"),
        };
        let about = match ty {
            CType::Bytes(bytes) => format!("points to the {bytes} bytes of its value"),
            CType::Pointer => "a pointer, `.u64 .ptr` in PTX".to_owned(),
            _ => format!("`.{}` in PTX", parameter.ty.as_str()),
        };
        let _ = writeln!(out, " * {argument}: {about}, `{}`", comment(&parameter.name));
        list.push_str(", ");
        list.push_str(&written);
        used.push(argument);
    }
    let _ = write!(out, " */\nPtxHostStatus {}({list});\n", kernel.symbol);
}
