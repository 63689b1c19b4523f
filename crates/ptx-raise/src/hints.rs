//! Intrinsics that compute nothing: they tell optimizers something.

/// Intrinsics that compute nothing.
const IGNORED: &[&str] = &[
    "llvm.lifetime.start",
    "llvm.lifetime.end",
    "llvm.assume",
    "llvm.donothing",
    "llvm.sideeffect",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.end",
    "llvm.var.annotation",
    "llvm.prefetch",
    "llvm.fake.use",
    "llvm.pseudoprobe",
    "llvm.codeview.annotation",
    "llvm.reloc.none",
    "llvm.seh.scope.begin",
    "llvm.seh.scope.end",
    "llvm.seh.try.begin",
    "llvm.seh.try.end",
    "llvm.xray.customevent",
    "llvm.xray.typedevent",
    "llvm.objc.clang.arc.use",
    "llvm.objc.clang.arc.noop.use",
    "llvm.experimental.convergence.anchor",
    "llvm.experimental.convergence.entry",
    "llvm.experimental.convergence.loop",
    "llvm.instrprof.callsite",
    "llvm.dbg.value",
    "llvm.dbg.declare",
    "llvm.dbg.label",
    "llvm.dbg.assign",
];

/// Whether an intrinsic computes nothing.
pub(crate) fn is_ignored(name: &str) -> bool {
    let base = base_name(name);
    IGNORED.contains(&base.as_str())
}

/// The name without the types it is overloaded for.
pub(crate) fn base_name(name: &str) -> String {
    let mut words: Vec<&str> = name.split('.').collect();
    while words.len() > 2 && words.last().is_some_and(|word| is_type_word(word)) {
        words.pop();
    }
    words.join(".")
}

/// Whether a part of a name is a type: `i32`, `f64`, `bf16`, `p0`, `v4f32`.
fn is_type_word(word: &str) -> bool {
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(rest) = word.strip_prefix('v') {
        let element = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        return element.len() < rest.len() && is_type_word(element);
    }
    ["i", "f", "bf", "p"].iter().any(|start| word.strip_prefix(start).is_some_and(digits))
}
