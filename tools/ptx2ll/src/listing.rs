//! LLVM IR for people to read: without hints, and with labels that need no quotes.

/// The text without the metadata that only helps PTX come back as it was (docs/mapping.md, "Hints"), and with labels such as
/// `$L__BB0_2` called `L__BB0_2`, where no other value is called so.
///
/// ```text
///   br label %"$L_x", !ptx.mods !2    -->    br label %L_x
/// ```
///
/// Nodes that nothing names any more stay; LLVM leaves them out when it reads the text and prints it.
pub(crate) fn without_hints(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.starts_with("!ptx.")) {
        out.push_str(&without_attachments(line));
        out.push('\n');
    }
    for name in quoted_labels(&out) {
        let plain = &name[1..];
        if !out.contains(&format!("%{plain}")) && !out.contains(&format!("\n{plain}:")) {
            out = out.replace(&format!("%\"{name}\""), &format!("%{plain}"));
            out = out.replace(&format!("\n\"{name}\":"), &format!("\n{plain}:"));
        }
    }
    out
}

/// A line without `!ptx.*` attachments, which are at the end of an instruction or before the brace of a definition. Anywhere
/// else the same letters are part of a string.
fn without_attachments(line: &str) -> String {
    let (body, brace) = match line.strip_suffix(" {") {
        Some(body) => (body, " {"),
        None => (line, ""),
    };
    // The attachments, from the last: each is a kind and the number of a node.
    let mut kept: Vec<&str> = Vec::new();
    let mut rest = body;
    while let Some((before, kind, node)) = last_attachment(rest) {
        let attachment = &rest[before.len()..];
        if !kind.starts_with("ptx.") {
            kept.push(attachment);
        }
        debug_assert!(node.bytes().all(|byte| byte.is_ascii_digit()));
        rest = before;
    }
    let kept: String = kept.into_iter().rev().collect();
    format!("{rest}{kept}{brace}")
}

/// The part before the last attachment of a text, the attachment's kind and its node; `None` without an attachment.
fn last_attachment(text: &str) -> Option<(&str, &str, &str)> {
    let (before, node) = text.rsplit_once(" !")?;
    let (before, kind) = before.rsplit_once(" !")?;
    let is_node = !node.is_empty() && node.bytes().all(|byte| byte.is_ascii_digit());
    let is_kind =
        !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    (is_node && is_kind).then(|| (before.strip_suffix(',').unwrap_or(before), kind, node))
}

/// The names of labels that are quoted for the `$` that they begin with alone.
fn quoted_labels(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (name, _) = line.strip_prefix('"')?.split_once("\":")?;
        let plain = name.strip_prefix('$')?;
        let needs_none =
            plain.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
                && plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        needs_none.then(|| name.to_owned())
    };
    text.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_go_and_the_rest_stays() {
        let cases = [
            ("  %r2 = load i32, ptr %p, align 4, !ptx.mods !2", "  %r2 = load i32, ptr %p, align 4"),
            ("  %r = load i32, ptr %p, !range !4, !ptx.mods !2", "  %r = load i32, ptr %p, !range !4"),
            ("  ret void, !ptx.mods !2, !dbg !7", "  ret void, !dbg !7"),
            ("define void @f() #0 !ptx.order !5 !dbg !6 {", "define void @f() #0 !dbg !6 {"),
            (
                "  call void asm \"; a, !ptx.mods !2\", \"\"()",
                "  call void asm \"; a, !ptx.mods !2\", \"\"()",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(without_attachments(line), expected);
        }
        assert_eq!(without_hints("!ptx.version = !{!0}\n!llvm.x = !{!1}\n"), "!llvm.x = !{!1}\n");
    }

    #[test]
    fn labels_lose_their_quotes_where_the_name_is_free() {
        let text = "  br label %\"$L_x\"\n\n\"$L_x\":\n  ret void\n";
        assert_eq!(without_hints(text), "  br label %L_x\n\nL_x:\n  ret void\n");
        let taken = "  %L_x = add i32 1, 2\n  br label %\"$L_x\"\n\n\"$L_x\":\n  ret void\n";
        assert_eq!(without_hints(taken), taken);
        let odd = "  br label %\"$L x\"\n\n\"$L x\":\n  ret void\n";
        assert_eq!(without_hints(odd), odd);
    }
}
