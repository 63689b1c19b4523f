//! Patterns in the tables of this project: names in which `*` stands for anything.

/// Whether a text is like a pattern in which `*` stands for anything.
pub fn is_like(text: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return text == pattern };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = rest.split('*').collect();
    let Some((last, middle)) = parts.split_last() else { return true };
    for part in middle {
        let Some(at) = text.find(part) else { return false };
        text = text.get(at + part.len()..).unwrap_or_default();
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(is_like("llvm/a.ptx", "llvm/*.ptx") && is_like("f", "*") && is_like("abcbd", "a*b*d"));
        assert!(!is_like("llvm/a.ptx", "llvm/*.ll") && !is_like("ff", "f") && !is_like("ab", "ab*b"));
    }
}
