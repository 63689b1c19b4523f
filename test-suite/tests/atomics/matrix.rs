//! The instructions, and the PTX they become.

use std::fmt::Write as _;

use ptx_diag::SourceFile;
use ptx_driver::TargetChoice;
use ptx_isa::Sm;
use ptx_llvm_core::{Context, Module};
pub use test_suite::ir::INTEGER_ATOMICS as ON_INTEGERS;

/// Integer types, with their bytes.
pub const INTEGERS: &[(&str, u32)] = &[("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8), ("i128", 16)];
/// Floating-point types, with their bytes.
pub const FLOATS: &[(&str, u32)] =
    &[("half", 2), ("bfloat", 2), ("float", 4), ("double", 8), ("<2 x half>", 4), ("<2 x bfloat>", 4)];
/// Operations on floating-point numbers.
pub const ON_FLOATS: &[&str] = &["xchg", "fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum"];
/// Scopes as LLVM writes them.
pub const SCOPES: &[&str] = &["", "block", "cluster", "device", "singlethread"];
/// Orders, weakest first.
pub const ORDERS: &[&str] = &["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"];

/// Whether the result of an operation is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Result {
    Read,
    Unused,
}

/// One instruction of LLVM.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// `load`, `store`, `fence`, `cmpxchg` or the operation of an `atomicrmw`.
    pub op: &'static str,
    pub ty: &'static str,
    pub bytes: u32,
    pub order: &'static str,
    pub scope: &'static str,
    pub result: Result,
}

impl Instruction {
    /// The statements of a function that takes the address `%p` in a space, values `%v` and `%w`, and a place `%out` for the result.
    fn body(&self, space: u32) -> String {
        let Instruction { op, ty, bytes, order, .. } = self;
        let scope =
            if self.scope.is_empty() { String::new() } else { format!(" syncscope(\"{}\")", self.scope) };
        let pointer = format!("ptr addrspace({space}) %p");
        let mut text = match *op {
            "load" => format!("  %o = load atomic {ty}, {pointer}{scope} {order}, align {bytes}\n"),
            "store" => return format!("  store atomic {ty} %v, {pointer}{scope} {order}, align {bytes}\n"),
            "fence" => return format!("  fence{scope} {order}\n"),
            "cmpxchg" => {
                let failure = if matches!(*order, "acquire" | "seq_cst") { order } else { "monotonic" };
                format!(
                    "  %c = cmpxchg {pointer}, {ty} %v, {ty} %w{scope} {order} {failure}\n  \
                     %o = extractvalue {{ {ty}, i1 }} %c, 0\n"
                )
            }
            op => format!("  %o = atomicrmw {op} {pointer}, {ty} %v{scope} {order}\n"),
        };
        if self.result == Result::Read {
            let _ = writeln!(text, "  store {ty} %o, ptr addrspace(1) %out");
        }
        text
    }
}

/// Every instruction that LLVM has.
pub fn instructions() -> Vec<Instruction> {
    let mut all = Vec::new();
    for &scope in SCOPES {
        for &order in ORDERS {
            let mut push = |op, (ty, bytes), result| {
                all.push(Instruction { op, ty, bytes, order, scope, result });
            };
            let weak = matches!(order, "unordered" | "monotonic");
            for &ty in INTEGERS.iter().chain(FLOATS) {
                let is_integer = INTEGERS.contains(&ty);
                if weak || matches!(order, "acquire" | "seq_cst") {
                    push("load", ty, Result::Read);
                }
                if weak || matches!(order, "release" | "seq_cst") {
                    push("store", ty, Result::Unused);
                }
                if order == "unordered" {
                    continue;
                }
                for &op in if is_integer { ON_INTEGERS } else { ON_FLOATS } {
                    if op != "xchg" || !ty.0.starts_with('<') {
                        push(op, ty, Result::Read);
                        push(op, ty, Result::Unused);
                    }
                }
                if is_integer {
                    push("cmpxchg", ty, Result::Read);
                }
            }
            if !weak {
                push("fence", ("", 0), Result::Unused);
            }
        }
    }
    all
}

/// A module with a function for each instruction, `f0`, `f1` and so on, with the address in a space.
pub fn module_of(instructions: &[Instruction], space: u32) -> String {
    let mut text = String::from("target triple = \"nvptx64-nvidia-cuda\"\n");
    for (number, instruction) in instructions.iter().enumerate() {
        let ty = if instruction.ty.is_empty() { "i32" } else { instruction.ty };
        let _ = writeln!(
            text,
            "define ptx_kernel void @f{number}(ptr addrspace({space}) %p, {ty} %v, {ty} %w, ptr addrspace(1) %out) {{\n{}  ret void\n}}",
            instruction.body(space)
        );
    }
    text
}

/// The PTX of LLVM IR for an architecture; the findings where there is none.
pub fn raise(text: &str, sm: u16) -> std::result::Result<String, String> {
    let context = Context::new().map_err(|error| error.to_string())?;
    let mut module =
        Module::parse(&context, "atomics", text.as_bytes()).map_err(|error| error.to_string())?;
    module.verify().map_err(|error| error.to_string())?;
    let choice = TargetChoice { sm: Some(Sm::new(sm)), version: None };
    let (raised, _) = ptx_driver::raise(&mut module, choice).map_err(|findings| {
        findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>().join("\n")
    })?;
    ptx_driver::print_checked(&raised, "raised").map_err(|bad| {
        let source: &SourceFile = &bad.source;
        let findings = bad.findings.iter().map(|finding| finding.message.clone());
        format!("{}\n{}", findings.collect::<Vec<_>>().join("\n"), String::from_utf8_lossy(source.text()))
    })
}

/// The fences and ordered accesses of each function, in the order of the functions, without spaces and types.
pub fn signatures(ptx: &str) -> Vec<String> {
    let bodies = ptx.split(".entry f").skip(1);
    bodies.map(|body| body.lines().filter_map(signature).collect::<Vec<_>>().join("; ")).collect()
}

fn signature(line: &str) -> Option<String> {
    const KEPT: &[&str] = &[
        "ld", "st", "atom", "red", "fence", "membar", "volatile", "relaxed", "acquire", "release", "acq_rel",
        "sc", "cta", "cluster", "gpu", "gl", "sys", "exch", "add", "and", "or", "xor", "max", "min", "inc",
        "dec", "cas",
    ];
    let mnemonic = line.trim().split([' ', '\t', ';']).next()?;
    if !["ld", "st", "atom", "red", "fence", "membar"].contains(&mnemonic.split('.').next()?) {
        return None;
    }
    let words: Vec<&str> = mnemonic.split('.').filter(|word| KEPT.contains(word)).collect();
    (words.len() > 1).then(|| words.join("."))
}
