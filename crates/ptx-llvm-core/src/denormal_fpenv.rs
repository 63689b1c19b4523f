//! The attribute for subnormal numbers as LLVM 23 writes it, as the attributes of LLVM 22 with the same meaning.
//!
//! ```text
//! LLVM 23                                             LLVM 22
//! denormal_fpenv(preservesign)                        "denormal-fp-math"="preserve-sign,preserve-sign"
//! denormal_fpenv(float: preservesign|ieee)            "denormal-fp-math-f32"="preserve-sign,ieee"
//! denormal_fpenv(dynamic, float: positivezero)        both
//! ```
//!
//! The first mode is that of results, the second that of operands.

/// The attribute without its first word, which ends at `end` in the text: the attributes of LLVM 22, and where it ends.
pub(crate) fn attributes(text: &[u8], end: usize) -> Option<(String, usize)> {
    let rest = text.get(end..)?;
    let inside = rest.strip_prefix(b"(")?;
    let length = inside.iter().position(|&byte| byte == b')')?;
    let inside = std::str::from_utf8(inside.get(..length)?).ok()?;
    let (all, float) = match inside.split_once("float:") {
        Some((all, float)) => (all.trim().trim_end_matches(',').trim(), Some(float.trim())),
        None => (inside.trim(), None),
    };
    let mut found = Vec::new();
    if !all.is_empty() {
        found.push(format!("\"denormal-fp-math\"=\"{}\"", modes(all)?));
    }
    if let Some(float) = float {
        found.push(format!("\"denormal-fp-math-f32\"=\"{}\"", modes(float)?));
    }
    (!found.is_empty()).then(|| (found.join(" "), end + length + 2))
}

/// One mode for both, or two.
fn modes(text: &str) -> Option<String> {
    let mut modes = text.split(['|', ',']).map(|word| mode(word.trim()));
    let result = modes.next()??;
    let operand = modes.next().unwrap_or(Some(result))?;
    modes.next().is_none().then(|| format!("{result},{operand}"))
}

fn mode(word: &str) -> Option<&'static str> {
    Some(match word {
        "ieee" => "ieee",
        "preservesign" => "preserve-sign",
        "positivezero" => "positive-zero",
        "dynamic" => "dynamic",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_keep_their_meaning() {
        for (new, old) in [
            ("(preservesign)", "\"denormal-fp-math\"=\"preserve-sign,preserve-sign\""),
            ("(ieee|positivezero)", "\"denormal-fp-math\"=\"ieee,positive-zero\""),
            ("(float: preservesign)", "\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""),
            (
                "(dynamic, float: preservesign|ieee)",
                "\"denormal-fp-math\"=\"dynamic,dynamic\" \"denormal-fp-math-f32\"=\"preserve-sign,ieee\"",
            ),
        ] {
            let text = format!("denormal_fpenv{new} nounwind");
            let (attributes, end) = attributes(text.as_bytes(), "denormal_fpenv".len()).expect(new);
            assert_eq!(attributes, old);
            assert_eq!(text.get(end..), Some(" nounwind"));
        }
        for wrong in ["", "()", "(flush)", "(ieee|ieee|ieee)", "(float: )", "(ieee"] {
            assert_eq!(attributes(wrong.as_bytes(), 0), None, "{wrong}");
        }
    }
}
