//! Single words of PTX for people to read, in Markdown: directives, special registers and modifiers. Instructions are in `explain`.

use std::fmt::Write as _;

use crate::directive::Directive;
use crate::explain::version_text;
use crate::names::Mod;
use crate::special::SpecialReg;
use crate::table::all_forms;
use crate::types::{ScalarType, TypeKind};

/// The text about a word that begins with a dot or a percent sign: `.maxntid`, `.ftz`, `%tid` or `%tid.x`. A word can be a directive and a modifier. `None` if it is
/// unknown.
pub fn explain_word(word: &str) -> Option<String> {
    if let Some(name) = word.strip_prefix('%') {
        let name = name.split_once('.').map_or(name, |(name, _)| name);
        return SpecialReg::from_ptx(name).map(|register| describe_special(register) + "\n");
    }
    let directive = describe_directive(word);
    let modifier = word.strip_prefix('.').and_then(Mod::from_ptx).map(describe_modifier);
    let texts: Vec<String> = directive.into_iter().chain(modifier).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n") + "\n")
}

/// All words that [`explain_word`] knows, with their first character.
pub fn words() -> impl Iterator<Item = String> {
    let directives = Directive::ALL.iter().map(|directive| format!(".{}", directive.word));
    let types = Directive::types().map(|ty| format!(".{}", ty.as_str()));
    let modifiers = Mod::ALL.iter().map(|modifier| format!(".{}", modifier.as_str()));
    directives.chain(types).chain(modifiers).chain(SpecialReg::all().map(|register| register.to_string()))
}

/// A special register: its type, its meaning and its versions.
pub fn describe_special(register: SpecialReg) -> String {
    let vector = if register.is_vector() { ", with the components `.x`, `.y`, `.z`, `.w`" } else { "" };
    let ty = register.scalar_type().as_str();
    let since = version_text(register.since());
    format!("`{register}`: special register of type `.{ty}`{vector}\n\n{} {since}.", register.doc())
}

/// A directive, or a type, with its dot: an indented line with its syntax, its meaning, its versions and the manual's section. `None` for other words.
pub fn describe_directive(word: &str) -> Option<String> {
    let word = word.strip_prefix('.')?;
    let Some(directive) = Directive::from_ptx(word) else {
        return ScalarType::from_ptx(word).map(|ty| format!("`.{word}`: {}. Manual 5.2.", type_text(ty)));
    };
    let mut out = format!("    {}\n{}", directive.syntax(), directive.doc);
    if let Some(construct) = directive.construct {
        let _ = write!(out, " {}", version_text(construct.since()));
    }
    if !directive.section.is_empty() {
        let separator = if directive.construct.is_some() { "; manual" } else { " Manual" };
        let _ = write!(out, "{separator} {}", directive.section);
    } else if directive.construct.is_some() {
        out.push_str("; an extension of `ptxas`");
    }
    out.push('.');
    Some(out)
}

/// A type in words.
pub fn type_text(ty: ScalarType) -> String {
    let kind = match ty.kind() {
        TypeKind::Bits => return format!("{} untyped bits", ty.bits()),
        TypeKind::Unsigned => "unsigned integer",
        TypeKind::Signed => "signed integer",
        TypeKind::Float => "floating-point number",
        TypeKind::Predicate => return "predicate".to_owned(),
        TypeKind::Packed => "packed numbers",
    };
    format!("{kind} of {} bits", ty.bits())
}

/// A modifier: its meaning if it has one for all instructions, what it is called in their syntax, and the instructions that have it.
pub fn describe_modifier(modifier: Mod) -> String {
    let (mut fields, mut opcodes): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for form in all_forms() {
        let Some(slot) = form.slots.iter().find(|slot| slot.takes(modifier)) else { continue };
        fields.extend(slot.field().map(|field| field.as_str()));
        opcodes.push(form.opcode.as_str());
    }
    for names in [&mut fields, &mut opcodes] {
        names.sort_unstable();
        names.dedup();
    }
    let quoted = |names: &[&str], before: &str| {
        let names: Vec<String> = names.iter().map(|name| format!("`{before}{name}`")).collect();
        names.join(", ")
    };
    let mut out = format!("`.{}`: modifier", modifier.as_str());
    if !fields.is_empty() {
        let _ = write!(out, ", in the syntax of instructions {}", quoted(&fields, "."));
    }
    if let Some(meaning) = meaning(modifier) {
        let _ = write!(out, "\n\n{meaning}");
    } else if let Some(ty) = ScalarType::from_mod(modifier) {
        let _ = write!(out, "\n\nThe type: {}.", type_text(ty));
    }
    if !opcodes.is_empty() {
        let _ = write!(out, "\n\nInstructions: {}.", quoted(&opcodes, ""));
    }
    out
}

/// The meaning of modifiers that mean the same in all instructions that have them.
fn meaning(modifier: Mod) -> Option<&'static str> {
    Some(match modifier {
        Mod::Rn => "Rounds to the nearest number, and to the even one of two that are equally near.",
        Mod::Rz => "Rounds toward zero.",
        Mod::Rm => "Rounds toward minus infinity.",
        Mod::Rp => "Rounds toward plus infinity.",
        Mod::Rna => "Rounds to the nearest number, and away from zero between two that are equally near.",
        Mod::Rni => "Rounds to the nearest integer, and to the even one of two that are equally near.",
        Mod::Rzi => "Rounds to an integer, toward zero.",
        Mod::Rmi => "Rounds to an integer, toward minus infinity.",
        Mod::Rpi => "Rounds to an integer, toward plus infinity.",
        Mod::Rs => "Rounds stochastically, by the bits of an operand.",
        Mod::Ftz => "Subnormal inputs and results are zeros of the same sign.",
        Mod::Noftz => "Subnormal inputs and results are kept.",
        Mod::Sat => {
            "The result is clamped: a floating-point number to 0.0 .. 1.0, where a NaN is 0.0; an integer to the range of its type."
        }
        Mod::Satfinite => "A result that is too large is the largest finite number of its sign.",
        Mod::Relu => "A negative result is zero.",
        Mod::Approx => {
            "An approximation, faster and less precise than a rounded result; the manual has the bounds of its errors."
        }
        Mod::Full => "An approximation for operands of the full range, with an error of at most 2 ulp.",
        Mod::Cc => "Writes the carry to the condition code.",
        Mod::Wide => "The product has twice the width of its factors.",
        Mod::Nan => "The result is a NaN if an operand is one.",
        Mod::Weak => {
            "Not ordered with other accesses and not for communication between threads. This is the default of `ld` and `st`."
        }
        Mod::Relaxed => {
            "A strong access, for communication between threads of its scope, which orders no other accesses."
        }
        Mod::Acquire => {
            "Accesses of the thread after it see what was written before the `.release` that it reads from, in its scope."
        }
        Mod::Release => {
            "Accesses of the thread before it are seen by a thread of its scope that reads from it with `.acquire`."
        }
        Mod::AcqRel => "Both `.acquire` and `.release`.",
        Mod::Sc => "Like `.acq_rel`, and in one order that all threads agree on.",
        Mod::Volatile => {
            "An access that is neither left out nor merged with others, with the order of `.relaxed.sys`."
        }
        Mod::Mmio => "An access of memory-mapped input and output: exactly one of this size.",
        Mod::Cta => "The scope of the threads of the block.",
        Mod::Cluster => "The scope, or the memory, of the threads of the cluster.",
        Mod::Gpu => "The scope of the threads of the GPU.",
        Mod::Sys => "The scope of all threads: of this and other GPUs, and of the host.",
        Mod::Gl => "The scope of the GPU, in instructions of old versions.",
        Mod::Ca => "Caches at all levels: the data is likely to be used again.",
        Mod::Cg => "Caches at the L2 level, not in L1.",
        Mod::Cs => "Caches as data that is likely to be used once.",
        Mod::Lu => "The last use: the line need not be written back.",
        Mod::Cv => "Does not use a cached copy; the memory is read again.",
        Mod::Wb => "Writes back at the cache levels that the system selects.",
        Mod::Wt => "Writes through the L2 cache to the memory of the system.",
        Mod::Nc => {
            "Reads global memory that no thread writes during the kernel, through a cache that is not kept coherent."
        }
        Mod::Const => "Constant memory.",
        Mod::Global => "Global memory, which all threads and the host access.",
        Mod::Local => "Local memory, of a single thread.",
        Mod::Param => "The parameters of the kernel or of a function.",
        Mod::Shared | Mod::SharedCta => "Shared memory of the block.",
        Mod::SharedCluster => "Shared memory of the blocks of the cluster.",
        Mod::V2 => "Two elements, one after the other in memory.",
        Mod::V4 => "Four elements, one after the other in memory.",
        Mod::V8 => "Eight elements, one after the other in memory.",
        Mod::Sync => "Waits for the other threads that take part.",
        Mod::Aligned => {
            "All threads of the warp execute the same instruction; otherwise the behaviour is undefined."
        }
        Mod::Uni => "All active threads of the warp go the same way.",
        Mod::Eq => "Equal; false if an operand is a NaN.",
        Mod::Ne => "Not equal; false if an operand is a NaN.",
        Mod::Lt => "Less; false if an operand is a NaN.",
        Mod::Le => "Less or equal; false if an operand is a NaN.",
        Mod::Gt => "Greater; false if an operand is a NaN.",
        Mod::Ge => "Greater or equal; false if an operand is a NaN.",
        Mod::Equ => "Equal, or an operand is a NaN.",
        Mod::Neu => "Not equal, or an operand is a NaN.",
        Mod::Ltu => "Less, or an operand is a NaN.",
        Mod::Leu => "Less or equal, or an operand is a NaN.",
        Mod::Gtu => "Greater, or an operand is a NaN.",
        Mod::Geu => "Greater or equal, or an operand is a NaN.",
        Mod::Num => "Both operands are numbers.",
        Mod::NanCmp => "An operand is a NaN.",
        Mod::Row => "The matrix is stored row by row.",
        Mod::Col => "The matrix is stored column by column.",
        Mod::Trans => "The matrix is transposed.",
        Mod::L2CacheHint => "The last operand is a cache policy for L2, made by `createpolicy`.",
        Mod::MulticastCluster => {
            "The data is copied to the same place in the shared memory of several blocks of the cluster."
        }
        Mod::CtaGroup1 => "The tensor memory of one block takes part.",
        Mod::CtaGroup2 => "The tensor memory of a pair of blocks takes part.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_word_is_explained() {
        for word in words() {
            let text = explain_word(&word).unwrap_or_else(|| panic!("{word}"));
            assert!(text.contains(word.as_str()) && text.ends_with('\n'), "{word}: {text}");
        }
        for unknown in ["%rd1", ".maxnted", "maxntid", ".", "%", "", "add"] {
            assert_eq!(explain_word(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn words_have_meaning_versions_and_uses() {
        let text = explain_word("%tid.x").expect("a register");
        assert!(text.contains("`%tid`: special register of type `.u32`, with the components"), "{text}");
        let text = explain_word(".maxntid").expect("a directive");
        assert!(text.starts_with("    .maxntid ") && text.contains("anual 11.4"), "{text}");
        let text = explain_word(".ftz").expect("a modifier");
        assert!(text.contains("Subnormal") && text.contains("`fma`"), "{text}");
        // Both a state space of declarations and a modifier.
        let text = explain_word(".shared").expect("both");
        assert!(text.contains("    .shared") && text.contains("modifier") && text.contains("`ld`"), "{text}");
    }
}
