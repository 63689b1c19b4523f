//! The names of intrinsics.

/// The name without the types it is overloaded for.
pub fn base_name(name: &str) -> &str {
    let mut base = name;
    while let Some((rest, last)) = base.rsplit_once('.')
        && rest.contains('.')
        && is_type_word(last)
    {
        base = rest;
    }
    base
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

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn types_of_overloads_are_not_part_of_names() {
        assert_eq!(base_name("llvm.memcpy.p0.p3.i64"), "llvm.memcpy");
        assert_eq!(base_name("llvm.is.fpclass.v4bf16"), "llvm.is.fpclass");
        assert_eq!(base_name("llvm.convert.to.fp16.f64"), "llvm.convert.to.fp16");
        // Two words are left, of any value.
        assert_eq!(base_name("llvm.i32"), "llvm.i32");
    }
}
