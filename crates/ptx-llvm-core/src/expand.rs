//! Intrinsics that LLVM's own passes express by others: those on vectors with a length (`llvm.vp.*`), those on matrices
//! (`llvm.matrix.*`), and memory set to a pattern.

use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum};

use crate::error::LlvmError;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::run_passes;

/// How the names begin, and the pass that expresses them.
const EXPRESSED: [(&str, &str); 6] = [
    ("llvm.vp.", LOWERING),
    ("llvm.experimental.vp.", LOWERING),
    ("llvm.experimental.memset.pattern.", LOWERING),
    ("llvm.objc.", LOWERING),
    ("llvm.call.preallocated.", LOWERING),
    ("llvm.matrix.", "function(lower-matrix-intrinsics)"),
];
/// What LLVM's code generators run first.
const LOWERING: &str = "pre-isel-intrinsic-lowering";

/// The passes that a module needs, in their order.
fn passes(module: &Module<'_>) -> Vec<&'static str> {
    let mut passes: Vec<&'static str> = Vec::new();
    for function in module.inkwell().get_functions() {
        let name = function.get_name().to_string_lossy();
        for (start, pass) in EXPRESSED {
            if name.starts_with(start) && !passes.contains(&pass) {
                passes.push(pass);
            }
        }
    }
    // Matrices become vectors, which may be stored with a length only in the module as written.
    passes.sort_unstable();
    passes
}

/// What the elements of a vector are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Elements {
    Integers,
    Floats,
    Pointers,
}

/// Whether an intrinsic on vectors with a length is for the elements of its first vector. LLVM's verifier does not look at
/// that, and the passes crash.
fn fits(name: &str, parameters: &[BasicMetadataTypeEnum<'_>]) -> bool {
    let Some(operation) = name.strip_prefix("llvm.vp.") else { return true };
    let element = parameters.iter().find_map(|parameter| match parameter {
        BasicMetadataTypeEnum::VectorType(vector) => Some(match vector.get_element_type() {
            BasicTypeEnum::FloatType(_) => Elements::Floats,
            BasicTypeEnum::PointerType(_) => Elements::Pointers,
            _ => Elements::Integers,
        }),
        _ => None,
    });
    let Some(element) = element else { return true };
    let is_one_of = |names: &[&str]| names.iter().any(|name| operation.starts_with(name));
    if is_one_of(&["gather.", "load.", "merge.", "scatter.", "select.", "store."]) {
        return true;
    }
    let shift = is_one_of(&["fshl.", "fshr."]);
    match element {
        Elements::Pointers => is_one_of(&["icmp.", "ptrtoint."]),
        Elements::Floats => !shift && is_one_of(&FLOATING),
        Elements::Integers => shift || !is_one_of(&FLOATING) && !is_one_of(&["ptrtoint."]),
    }
}

/// How the operations on floating-point numbers begin.
const FLOATING: [&str; 15] = [
    "f",
    "ceil.",
    "copysign.",
    "is.fpclass.",
    "llrint.",
    "lrint.",
    "maximum.",
    "maxnum.",
    "minimum.",
    "minnum.",
    "nearbyint.",
    "reduce.f",
    "rint.",
    "round",
    "sqrt.",
];

/// Whether a module has such intrinsics.
pub fn has_expandable_intrinsics(module: &Module<'_>) -> bool {
    !passes(module).is_empty()
}

/// Expresses them by others, with the passes that LLVM's code generators run.
///
/// # Errors
///
/// What LLVM's passes say; [`LlvmError::Invalid`] where an intrinsic is used on types that it is not for, which LLVM's verifier
/// sees only then.
pub fn expand_intrinsics(module: &mut Module<'_>, machine: &Machine) -> Result<(), LlvmError> {
    for function in module.inkwell().get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        if !fits(&name, &function.get_type().get_param_types()) {
            let construct = format!("{name}, on elements that the operation has not,");
            return Err(LlvmError::Unsupported { construct, place: "the module".to_owned() });
        }
    }
    for pass in passes(module) {
        run_passes(module, pass, machine)?;
    }
    Ok(())
}

/// Expresses divisions and remainders of integers that no register of the target holds by loops of subtractions, as LLVM's code generators
/// do; in functions that are `optnone` too. Divisions by constants that are powers of two stay.
///
/// # Errors
///
/// What LLVM's pass reports.
pub fn expand_wide_divisions(module: &mut Module<'_>, machine: &Machine) -> Result<(), LlvmError> {
    run_passes(module, "require<libcall-lowering-info>,function(expand-ir-insts<O2>)", machine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Gpu, OptLevel};

    #[test]
    fn wide_divisions_become_loops_and_others_stay() {
        let text = "
define i128 @wide(i128 %a, i128 %b) noinline optnone {
  %r = srem i128 %a, %b
  ret i128 %r
}
define <2 x i65> @vector(<2 x i65> %a, <2 x i65> %b) {
  %r = udiv <2 x i65> %a, %b
  ret <2 x i65> %r
}
define i64 @narrow(i64 %a, i64 %b) {
  %r = udiv i64 %a, %b
  ret i64 %r
}
";
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse(&context, "m", text.as_bytes()).expect("valid LLVM IR");
        let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the default machine");
        let mut copy = module.copy();
        expand_wide_divisions(&mut copy, &machine).expect("expanded");
        let expanded = copy.to_text();
        assert!(
            !expanded.contains("rem i128") && !expanded.contains("udiv <2") && !expanded.contains("udiv i65")
        );
        assert!(expanded.contains("udiv i64 %a, %b"), "{expanded}");
        // The module itself is as it was.
        assert!(module.to_text().contains("srem i128 %a, %b"));
    }

    #[test]
    fn vectors_with_a_length_and_matrices_become_plain_operations() {
        let text = "
define <2 x float> @f(<2 x float> %a, <2 x i1> %m, i32 %n) {
  %s = call <2 x float> @llvm.vp.fadd.v2f32(<2 x float> %a, <2 x float> %a, <2 x i1> %m, i32 %n)
  %t = call <2 x float> @llvm.matrix.transpose.v2f32(<2 x float> %s, i32 1, i32 2)
  ret <2 x float> %t
}
declare <2 x float> @llvm.vp.fadd.v2f32(<2 x float>, <2 x float>, <2 x i1>, i32)
declare <2 x float> @llvm.matrix.transpose.v2f32(<2 x float>, i32, i32)
";
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid LLVM IR");
        let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the default machine");
        assert!(has_expandable_intrinsics(&module));
        expand_intrinsics(&mut module, &machine).expect("expressed");
        let text = module.to_text();
        assert!(text.contains("fadd <2 x float>") && !text.contains("= call"), "{text}");
    }
}
