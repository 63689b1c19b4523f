//! Edits of diagnostics: each makes a valid text of an invalid one.

use ptx_analysis::check;

const HEAD: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

/// A kernel with statements among declarations.
fn kernel(statements: &str) -> String {
    format!(
        "{HEAD}.visible .entry k(.param .u64 p)\n{{\n\t.reg .pred %p<3>;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n{statements}\n\tret;\n}}\n"
    )
}

/// The texts that the edits of the first diagnostic give.
fn corrected(text: &str) -> Vec<String> {
    let found = check(text);
    let first = found.iter().next().unwrap_or_else(|| panic!("a diagnostic for\n{text}"));
    let apply = |fix: &ptx_diag::Fix| {
        let mut text = text.to_owned();
        text.replace_range(fix.span.lo as usize..fix.span.hi as usize, &fix.text);
        text
    };
    first.fixes.iter().map(apply).collect()
}

#[track_caller]
fn is_corrected(text: &str) {
    let texts = corrected(text);
    assert!(!texts.is_empty(), "no edit for {:?}", check(text));
    let valid = texts.iter().filter(|text| check(text).is_empty()).count();
    assert!(valid > 0, "none of these is valid: {texts:#?}\n{:?}", check(&texts[0]));
}

#[test]
fn names_are_corrected() {
    for statement in [
        "\tad.s32 %r1, %r2, %r3;",
        "\tadd.s23 %r1, %r2, %r3;",
        "\tadd %r1, %r2, %r3;",
        "\tmov.u32 %r1, tid.x;",
        "\tmov.u32 %r1, threadIdx.y;",
        "\tmov.u32 %r1, r2;",
        "\tmov.u32 %r1, %laneid.x;",
        "\tbra DOME;\nDONE:",
        "\t.reg .b23 a;",
        "\t.reg int a;",
        "\t.rag .b32 a;",
        "\tmov.u32 %r1, 7LL;",
    ] {
        is_corrected(&kernel(statement));
    }
}

#[test]
fn what_is_missing_is_added() {
    for text in [
        kernel("\tadd.s32 %r1, %r2, %r3"),
        kernel("").replace("ret;\n}", "ret;\n"),
        kernel("").replace(".address_size 64\n", ""),
        kernel("").replace(".target sm_80\n", ""),
        kernel("").replace(".version 7.8\n", ""),
        kernel("\tret; /* open"),
        format!("{HEAD}.visible .entry a()\n{{\n\tret;\n.visible .entry b()\n{{\n\tret;\n}}\n"),
        kernel("").replace(".version", "version"),
    ]
    .into_iter()
    .filter(|text| !text.contains("/* open"))
    {
        is_corrected(&text);
    }
}

#[test]
fn versions_and_targets_are_raised() {
    is_corrected(&kernel("").replace("sm_80", "sm_8O"));
    is_corrected(&kernel("").replace(".version 7.8", ".version 7.9"));
    is_corrected(&kernel("").replace(".version 7.8", ".version 6.0"));
    is_corrected(&kernel("\tcp.async.commit_group;").replace("sm_80", "sm_75"));
    is_corrected(&kernel("\tbar.warp.sync -1;").replace("7.8", "6.2").replace("sm_80", "sm_70").replace("bar.warp.sync -1", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2}, {%r3,%r4}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}"));
}

#[test]
fn an_unterminated_comment_or_string_is_ended() {
    // What was in the comment is still missing.
    let texts = corrected(&kernel("\tret; /* open"));
    assert!(texts.iter().all(|text| text.ends_with(" */")), "{texts:?}");
    let texts = corrected(&kernel("\t.pragma \"nounroll"));
    assert!(texts[0].contains("\"nounroll\"\n"), "{texts:?}");
}
