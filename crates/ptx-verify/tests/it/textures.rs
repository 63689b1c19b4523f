//! Textures, surfaces, policies and narrow conversions. The expectations are the verdicts of `ptxas` 13.5.

use crate::common::{accepts, findings, rejects};

const FETCH: &str = "tex.2d.v4.f32.f32 {f0, f1, f2, f3}, ";

#[test]
fn fetches_and_queries_name_objects_of_their_kind() {
    accepts(&[
        &format!(
            "{FETCH}[tex, {{f4, f5}}]; {FETCH}[d1, {{f4, f5}}]; txq.width.b32 r0, [tex]; txq.depth.b32 r0, [d1];"
        ),
        "suld.b.1d.b32.trap r0, [d1, r1]; suq.width.b32 r0, [d1]; istypep.texref p0, d1;",
    ]);
    let gv = format!("{FETCH}[gv, {{f4, f5}}];");
    rejects(&[
        (&gv, "V0402", "gv"),
        ("txq.width.b32 r0, [gv];", "V0402", "[gv]"),
        ("txq.width.b32 r0, [d1+8];", "V0402", "[d1+8]"),
        ("txq.width.b32 r0, [r1];", "V0401", "[r1]"),
        ("txq.force_unnormalized_coords.b32 r0, [tex];", "V0402", "[tex]"),
        ("suq.width.b32 r0, [tex];", "V0402", "[tex]"),
        ("suld.b.1d.b32.trap r0, [tex, r1];", "V0402", "tex"),
        ("istypep.texref p0, tex;", "V0402", "tex"),
    ]);
}

#[test]
fn coordinates_may_be_too_many_and_indices_are_integers() {
    accepts(&[
        "tex.1d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {f4, f5, f6, f7}]; tex.a1d.v4.f32.s32 {f0, f1, f2, f3}, [tex, {r0, f4}];",
        "tld4.r.a2d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {r0, f4, f5, f6}];",
    ]);
    rejects(&[
        ("tex.3d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {f4, f5}];", "V0404", "{f4, f5}"),
        ("tex.a1d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {f4, f5}];", "V0401", "f4"),
        ("tld4.r.a2d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {f4, f5, f6, f7}];", "V0401", "f4"),
    ]);
}

#[test]
fn what_came_after_the_first_fetches_needs_its_version() {
    let kernel = |version: &str, target: &str, fetch: &str| {
        format!(
            ".version {version}\n.target {target}\n.address_size 64\n.global .texref tex;\n\
             .entry k () {{ .reg .pred p; .reg .f32 f<9>; .reg .b32 r<9>; .reg .b64 d<9>; {fetch} ret; }}\n"
        )
    };
    let cases = [
        ("3.0", "sm_20", "tex.1d.v4.f32.f32 {f0, f1, f2, f3}, [d0, f4];", "3.1", "sm_20"),
        ("4.2", "sm_30", "tex.1d.v4.f32.f32 {f0, f1, f2, f3}, [tex, f4], {r0};", "4.3", "sm_30"),
        ("7.0", "sm_60", "tex.1d.v4.f32.f32 {f0, f1, f2, f3}|p, [tex, f4];", "7.1", "sm_60"),
        ("4.2", "sm_30", "tex.1d.v4.f32.f32 {f0, f1, f2, f3}, [tex, d1, f4];", "4.3", "sm_30"),
    ];
    for (before, target, fetch, first, on) in cases {
        let found = findings(&kernel(before, target, fetch));
        assert!(found.iter().any(|(code, _)| code == "V0108"), "{fetch} {found:?}");
        assert_eq!(findings(&kernel(first, on, fetch)), [], "{fetch}");
    }
}

#[test]
fn policies_and_allocations_keep_their_ranges() {
    accepts(&[
        "createpolicy.fractional.L2::evict_first.b64 d0, 0.5; createpolicy.range.L2::evict_first.b64 d0, [d1], 64, 128;",
        "alloca.u64 d0, 64, 16; prefetch.global.L2 [gv]; discard.global.L2 [gv], 128;",
    ]);
    rejects(&[
        ("createpolicy.fractional.L2::evict_first.b64 d0, 0.0;", "V0403", "0.0"),
        ("createpolicy.fractional.L2::evict_first.b64 d0, 1.5;", "V0403", "1.5"),
        ("createpolicy.range.L2::evict_first.b64 d0, [d1], 256, 128;", "V0403", "256"),
        ("alloca.u64 d0, 64, 24;", "V0403", "24"),
        ("prefetch.global.L2 [5];", "V0407", "[5]"),
        ("prefetch.global.L1 [lv];", "V0408", "[lv]"),
        ("discard.global.L2 [sv], 128;", "V0408", "[sv]"),
    ]);
}
