//! Conversions, comparisons, matrix types and what came when. Right and wrong are `ptxas` 13.5's.

use crate::common::{accepts, findings, kernel, rejects};

fn rejected(line: &str, code: &str) {
    rejects(&[(line, code, line.trim_end_matches(';'))]);
}

#[test]
fn conversions_say_how_they_round_when_they_round() {
    accepts(&[
        "cvt.rn.f32.f64 f0, e0; cvt.f64.f32 e0, f0; cvt.f32.f16 f0, h0; cvt.rn.f16.f32 h0, f0; cvt.rni.f32.f32 f0, f1;",
        "cvt.rna.tf32.f32 r0, f0; cvt.rn.bf16.f32 h0, f0; cvt.f32.bf16 f0, h0; cvt.rz.f64.bf16 e0, h0;",
    ]);
    rejected("cvt.f32.f64 f0, e0;", "V0502");
    rejected("cvt.f16.f32 h0, f0;", "V0502");
    rejected("cvt.tf32.f32 r0, f0;", "V0502");
    rejected("cvt.rn.f64.f32 e0, f0;", "V0503");
    rejected("cvt.rn.f32.f32 f0, f1;", "V0503");
    rejected("cvt.rm.tf32.f32 r0, f1;", "V0503");
    rejected("cvt.rni.f16.f32 h0, f0;", "V0503");
}

#[test]
fn conversions_saturate_and_flush_where_there_is_something_to() {
    accepts(&[
        "cvt.sat.u8.s32 r0, r1; cvt.rn.relu.f16.f32 h0, f0; cvt.rn.satfinite.bf16.f32 h0, f0; cvt.ftz.f64.f32 e0, f0;",
        "cvt.rn.ftz.sat.f32.s32 f0, r1; cvt.sat.s16.u16 h0, h1;",
    ]);
    rejected("cvt.sat.s32.u16 r0, h0;", "V0503");
    rejected("cvt.rn.sat.bf16.f32 h0, f0;", "V0503");
    rejected("cvt.rzi.ftz.s32.f64 r0, e0;", "V0503");
    rejected("cvt.rm.relu.f16.f32 h0, f0;", "V0503");
    rejected("cvt.rn.relu.ftz.f16.f32 h0, f0;", "V0501");
}

#[test]
fn comparisons_of_halves_give_what_the_manual_lists() {
    accepts(&[
        "set.eq.f16.f16 h0, h1, h2; set.lt.u32.bf16 r0, h1, h2; set.eq.f16x2.f16x2 r0, r1, r2; set.eq.f16.f32 h0, f1, f2;",
        "setp.eq.f16x2 p0|p1, r0, r1; setp.lt.and.f32 p0|p1, f0, f1, !p2;",
    ]);
    rejected("set.eq.f16.bf16 h0, h1, h2;", "V0503");
    rejected("set.eq.f16x2.f16 r0, h1, h2;", "V0501");
    rejected("set.eq.ftz.bf16.f16 h0, h1, h2;", "V0503");
    rejected("max.relu.u16x2 r0, r1, r2;", "V0503");
    rejects(&[("setp.eq.f16 p0|p1, h0, h1;", "V0402", "p1")]);
    rejected("lop3.and.b32 r0, r1, r2, r3, 1, p0;", "V0409");
}

#[test]
fn a_compare_and_swap_takes_no_cache_hint() {
    accepts(&["atom.global.exch.L2::cache_hint.b32 r0, [d0], r1, d1;"]);
    rejected("atom.global.cas.L2::cache_hint.b32 r0, [d0], r1, r2, d1;", "V0503");
}

/// The text of a kernel for an older version and target, and the codes it gives.
fn codes_at(version: &str, target: &str, line: &str) -> Vec<String> {
    let text = kernel(line).replace("9.5", version).replace("sm_100a", target);
    // Registers of 128 bits and pairs of halves are young themselves.
    let text = text.replace(".reg .b128 q<9>;", "").replace(".reg .f16x2 hx<9>;", "");
    findings(&text).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn each_form_and_modifier_has_its_first_version_and_target() {
    let none: [&str; 0] = [];
    assert_eq!(codes_at("6.3", "sm_70", "ld.acquire.gpu.b32 r0, [d0];"), none);
    assert_eq!(codes_at("6.3", "sm_60", "ld.acquire.gpu.b32 r0, [d0];"), ["V0109"]);
    assert_eq!(codes_at("6.2", "sm_70", "cp.async.wait_all;"), ["V0108", "V0109"]);
    assert_eq!(codes_at("7.0", "sm_80", "cp.async.wait_all; redux.sync.add.s32 r0, r1, -1;"), none);
    assert_eq!(codes_at("7.0", "sm_80", "cvt.f32.bf16 f0, h0;"), ["V0108"]);
    assert_eq!(codes_at("7.8", "sm_80", "cvt.rn.bf16.s32 h0, r0;"), ["V0109"]);
    assert_eq!(codes_at("7.4", "sm_80", "cp.async.ca.shared.global [r0], [d0], 8, p0;"), ["V0108"]);
    assert_eq!(codes_at("7.0", "sm_80", "mov.u32 r0, %cluster_ctarank;"), ["V0108", "V0109"]);
    assert_eq!(codes_at("3.0", "sm_30", "atom.global.min.u64 d0, [d1], d2;"), ["V0108", "V0109"]);
}

#[test]
fn atomics_of_128_bits_have_the_scope_of_the_system_later() {
    let line = "atom.sys.global.exch.b128 q0, [d0], q1; atom.relaxed.sys.global.cas.b128 q0, [d0], q1, q2;";
    let of = |version: &str, line: &str| {
        let text = kernel(line).replace("9.5", version).replace("sm_100a", "sm_90");
        findings(&text).into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    // `ptxas`: "Feature '.b128 with .sys' requires PTX ISA .version 8.4 or later".
    assert_eq!(of("8.3", line), ["V0108", "V0108"]);
    assert_eq!(of("8.3", &line.replace(".sys", ".gpu")), [] as [&str; 0]);
    assert_eq!(of("8.4", line), [] as [&str; 0]);
}

#[test]
fn collectives_without_sync_are_gone_since_volta() {
    let line = "shfl.idx.b32 r0, r1, 0, 31; vote.all.pred p0, p1;";
    assert_eq!(codes_at("6.4", "sm_70", line), ["V0110", "V0110"]);
    assert_eq!(codes_at("6.3", "sm_70", line), [] as [&str; 0]);
    assert_eq!(codes_at("6.4", "sm_60", line), [] as [&str; 0]);
}

#[test]
fn fragments_are_aligned_from_ptx_6_3_on() {
    let none: [&str; 0] = [];
    let bare = "wmma.load.c.sync.row.m16n16k16.f16 {r0, r1, r2, r3}, [d0];";
    assert_eq!(codes_at("6.0", "sm_70", bare), none);
    assert_eq!(codes_at("6.3", "sm_70", bare), ["V0110"]);
    assert_eq!(codes_at("6.0", "sm_70", &bare.replace("m16n16k16", "m8n32k16")), ["V0108"]);
    let aligned = bare.replace(".sync", ".sync.aligned");
    assert_eq!(codes_at("6.2", "sm_70", &aligned), ["V0108"]);
    assert_eq!(codes_at("6.3", "sm_70", &aligned), none);
}

#[test]
fn bytes_outside_are_ignored_with_their_numbers_only() {
    let copy = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes";
    let none: [&str; 0] = [];
    let ignoring = |left: &str| format!("{copy}.ignore_oob [r0], [d0], 32, {left}, r1, [r2];");
    assert_eq!(codes_at("9.2", "sm_90", &ignoring("15")), none);
    assert_eq!(codes_at("9.2", "sm_90", &ignoring("16")), ["V0403"]);
    assert_eq!(codes_at("9.1", "sm_90", &ignoring("r3")), ["V0108"]);
}

#[test]
fn modifiers_that_no_instruction_has_are_refused_with_the_reason() {
    rejects(&[
        (
            "ldu.global.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [d0];",
            "V0503",
            "ldu.global.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [d0]",
        ),
        ("set.lt.f16.bf16 h0, h1, h2;", "V0503", "set.lt.f16.bf16 h0, h1, h2"),
    ]);
}
