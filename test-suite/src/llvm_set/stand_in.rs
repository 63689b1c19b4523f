//! Definitions for what a module only declares, so that it can be executed: a variable holds small bytes, a function returns
//! a small value. All ways get the same.

use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{CallingConvention, FloatKind, Function, Global, Linkage, Type, TypeId, View};

use super::harness::{quoted, spelled};

/// The least bytes of a variable: what is declared elsewhere may be larger than its type here.
const VARIABLE: u64 = 1024;
/// What the interpreter has itself.
const PROVIDED: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// The module, as its text, with definitions in place of declarations.
pub(super) fn with_stand_ins(view: &View, text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.lines() {
        match definition(view, line) {
            Some(definition) => all += &definition,
            None => all += line,
        }
        all.push('\n');
    }
    all
}

/// The definition for a line that declares something.
fn definition(view: &View, line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("declare ") {
        let name = |function: &&Function| line.contains(&format!("@{}(", quoted(&function.name)));
        let function = view.functions.iter().filter(stands_for_itself).find(name)?;
        let value = match view.ty(function.ret) {
            Type::Void => "void".to_owned(),
            _ => format!("{} {}", spelled(view, function.ret), small(view, function.ret)),
        };
        return Some(format!("define {rest} {{\n  ret {value}\n}}"));
    }
    let (name, rest) = line.strip_prefix('@')?.split_once(" = ")?;
    let declared = |global: &&Global| {
        global.initializer.is_none() && quoted(&global.name) == name && global.linkage == Linkage::External
    };
    let global = view.globals.iter().find(declared)?;
    let kind = if global.constant { "constant" } else { "global" };
    let ty = spelled(view, global.ty);
    let size = view.layout(global.ty)?.size;
    let value = match global.space {
        address_space::GENERIC | address_space::GLOBAL | address_space::CONST => {
            let size = size.max(VARIABLE);
            let bytes: String = (0..size).map(|at| format!("\\{:02X}", byte(view, global.ty, at))).collect();
            format!("[{size} x i8] c\"{bytes}\"")
        }
        // What has no initial value; an array without elements is the dynamic shared memory.
        address_space::SHARED if size > 0 => format!("{ty} undef"),
        _ => return None,
    };
    let rest =
        rest.replacen("external ", "", 1).replacen(&format!("{kind} {ty}"), &format!("{kind} {value}"), 1);
    Some(format!("@{name} = {rest}"))
}

/// A byte of a variable: no NaN in any format, and of integers that fill no bytes only the lowest bit.
fn byte(view: &View, ty: TypeId, at: u64) -> u64 {
    match view.ty(ty) {
        Type::Int { bits } if !bits.is_multiple_of(8) => u64::from(at.is_multiple_of(16)),
        _ => at * 7 % 61 + 1,
    }
}

/// Whether a function is declared that no one else defines, and that comes back.
fn stands_for_itself(function: &&Function) -> bool {
    function.is_declaration()
        // Intrinsics, with those that LLVM no longer knows.
        && !function.name.starts_with("llvm.")
        && !PROVIDED.contains(&function.name.as_str())
        && !function.attributes.has("noreturn")
        && function.convention != CallingConvention::PtxKernel
}

/// A value of a type that is not zero where it can be written in a word; no condition goes on with it.
fn small(view: &View, ty: TypeId) -> String {
    match view.ty(ty) {
        Type::Int { bits: 1 } => "false".to_owned(),
        Type::Int { bits: 2 | 3 } => "1".to_owned(),
        Type::Int { .. } => "5".to_owned(),
        Type::Float(FloatKind::Half) => "0xH4000".to_owned(),
        Type::Float(FloatKind::BFloat) => "0xR4000".to_owned(),
        Type::Float(FloatKind::Float | FloatKind::Double) => "2.0".to_owned(),
        Type::Pointer { .. } => "null".to_owned(),
        _ => "zeroinitializer".to_owned(),
    }
}
