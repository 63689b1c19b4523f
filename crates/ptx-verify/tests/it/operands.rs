//! Operands: types, kinds, ranges. The expectations are the verdicts of `ptxas` 13.5.

use crate::common;
use crate::common::{accepts, rejects};

#[test]
fn registers_of_the_same_width_and_kind_agree() {
    accepts(&[
        "add.s32 r0, u1, s2; add.u16 h0, h1, 5; add.s32 r0, hx1, 70000;",
        "and.b32 f0, r1, hx2; and.b64 e0, d1, d2; and.b16 hf0, h1, -1;",
        "fma.rn.f16 hf0, h1, hf2, h3; fma.rn.bf16 h0, h1, h2, h3; fma.rn.f16x2 hx0, r1, r2, r3;",
        "mul.wide.u32 d0, r1, u2; mad.wide.s16 r0, h1, h2, r3; selp.f32 f0, r1, 0f3F800000, !p1;",
        "shl.b64 d0, d1, r2; popc.b64 r0, d1; and.pred p0, p1, !p2;",
    ]);
}

#[test]
fn other_widths_and_kinds_do_not() {
    rejects(&[
        ("add.s32 r0, r1, f2;", "V0401", "f2"),
        ("add.u16 h0, h1, r2;", "V0401", "r2"),
        ("add.f32 f0, f1, u2;", "V0401", "u2"),
        ("fma.rn.bf16 h0, h1, hf2, h3;", "V0401", "hf2"),
        ("shl.b64 d0, d1, d2;", "V0401", "d2"),
        ("mul.wide.s32 r0, r1, r2;", "V0401", "r0"),
        ("mov.b32 p0, r1;", "V0401", "p0"),
        ("setp.eq.s32 r0, r1, r2;", "V0401", "r0"),
        ("isspacep.global p0, f1;", "V0401", "f1"),
        ("selp.b32 r0, r1, r2, 1.0;", "V0401", "1.0"),
    ]);
}

#[test]
fn each_wrong_operand_of_an_instruction_is_found() {
    let text = common::kernel("add.s32 f0, r1, d2;");
    let codes: Vec<_> = common::findings(&text).into_iter().map(|(_, at)| at).collect();
    assert_eq!(codes, ["f0", "d2"]);
}

#[test]
fn loads_stores_and_conversions_take_wider_registers() {
    accepts(&[
        "ld.global.u8 d0, [gv]; ld.global.b16 f0, [gv]; ld.global.b32 q0, [gv]; ld.global.f32 d0, [gv];",
        "st.global.u8 [gv], r0; st.global.v2.b16 [gv], {r0, 5}; cvt.u8.u32 r0, d1; cvt.rn.f16.f32 r0, f1;",
        "cvt.rn.bf16.u8 h0, b1; cvt.u16.u32 h0, %tid.x;",
    ]);
    rejects(&[
        ("ld.global.u32 f0, [gv];", "V0401", "f0"),
        ("ld.global.b64 r0, [gv];", "V0401", "r0"),
        ("ld.global.f32 e0, [gv];", "V0401", "e0"),
        ("cvt.rn.bf16.f32 r0, f1;", "V0401", "r0"),
        ("cvt.u64.u32 r0, r1;", "V0401", "r0"),
    ]);
}

#[test]
fn constants_have_the_kind_of_the_type() {
    accepts(&[
        "mov.f32 f0, 1.5; mov.f64 e0, 0d3FF0000000000000; mov.b32 r0, 0f3F800000; mov.b64 d0, 1.5;",
        "add.s32 r0, r1, 0x1ffffffff; mov.b32 r0, WARP_SZ; mov.pred p0, 1;",
    ]);
    rejects(&[
        ("mov.f32 f0, 1;", "V0401", "1"),
        ("mov.b32 r0, 1.5;", "V0401", "1.5"),
        ("add.s32 r0, r1, 1.0;", "V0401", "1.0"),
        ("fma.rn.f16 h0, h1, h2, 1.0;", "V0401", "1.0"),
        ("add.s16x2 r0, r1, 5;", "V0401", "5"),
        ("mov.b64 d0, 0f3F800000;", "V0401", "0f3F800000"),
        ("mov.f64 e0, 0f3F800000;", "V0401", "0f3F800000"),
    ]);
}

#[test]
fn constants_in_fixed_places_have_a_range() {
    accepts(&["lop3.b32 r0, r1, r2, r3, 255; pmevent 15; bfe.u32 r0, r1, 255, 8; bar.sync 15, 64;"]);
    rejects(&[
        ("lop3.b32 r0, r1, r2, r3, r4;", "V0402", "r4"),
        ("pmevent 16;", "V0403", "16"),
        ("bfe.u32 r0, r1, 256, 8;", "V0403", "256"),
        ("bar.sync 16;", "V0403", "16"),
        ("bar.sync 0, 33;", "V0403", "33"),
        ("bar.arrive 0, 0;", "V0403", "0"),
        ("cp.async.ca.shared.global [r0], [d0], 5;", "V0403", "5"),
        ("cp.async.cg.shared.global [r0], [d0], 8;", "V0403", "8"),
        ("cp.async.ca.shared.global [r0], [d0], 8, 16;", "V0403", "16"),
    ]);
}

#[test]
fn vectors_pack_and_unpack_as_many_bits_as_they_have() {
    accepts(&[
        "mov.b64 d0, {r0, f1}; mov.b64 {r0, _}, d0; mov.b32 {h0, h1}, f0; mov.b128 q0, {d0, d1};",
        "mov.b32 r0, {b0, b1, b2, b3}; mov.b64 d0, {r0, 0}; mov.f32 f0, v0.w;",
    ]);
    rejects(&[
        ("mov.b64 d0, {h0, h1};", "V0401", "{h0, h1}"),
        ("mov.b64 d0, {r0, h1};", "V0401", "h1"),
        ("mov.u64 d0, {r0, r1};", "V0401", "{r0, r1}"),
        ("mov.b64 {_, _}, d0;", "V0405", "{_, _}"),
        ("mov.b64 d0, {r0, _};", "V0405", "_"),
        ("mov.b64 {r0, r1}, {r2, r3};", "V0402", "{r2, r3}"),
        ("mov.b32 r0, r1.x;", "V0404", "r1.x"),
        ("add.f32 f0, v0, f1;", "V0402", "v0"),
    ]);
}

#[test]
fn vector_operands_have_the_length_that_the_instruction_says() {
    accepts(&["ld.global.v2.b32 {r0, _}, [gv]; st.global.v4.f32 [gv], v0; ld.global.b32 {r0}, [gv];"]);
    rejects(&[
        ("ld.global.v4.b32 {r0, r1}, [gv];", "V0404", "{r0, r1}"),
        ("ld.global.v2.b32 r0, [gv];", "V0402", "r0"),
        ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r0}, [sv];", "V0404", "{r0}"),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 r0, [sv];", "V0402", "r0"),
        ("st.global.v2.b32 [gv], {r0, _};", "V0405", "_"),
    ]);
}

#[test]
fn elements_of_a_vector_agree_with_their_neighbours() {
    accepts(&[
        "ld.global.v2.b32 {r0, f1}, [gv]; ld.global.v4.b32 {f0, r1, r2, u3}, [gv]; st.global.v2.b32 [gv], {r0, 5};",
        "st.global.v2.f32 [gv], {f0, 1.0}; mov.b64 d0, {u1, s2}; mov.b64 d0, {5, 6};",
    ]);
    rejects(&[
        ("ld.global.v2.b32 {f0, u1}, [gv];", "V0401", "u1"),
        ("ld.global.v2.u8 {h0, r1}, [gv];", "V0401", "r1"),
        ("ld.global.v4.b32 {r0, _, f1, u2}, [gv];", "V0401", "u2"),
        ("st.global.v2.b32 [gv], {f0, 5};", "V0401", "5"),
        ("mov.b64 d0, {f0, u1};", "V0401", "u1"),
    ]);
}

#[test]
fn results_are_discarded_only_where_something_else_happens() {
    accepts(&[
        "setp.eq.s32 p0|_, r0, r1; setp.eq.s32 _|p0, r0, r1; atom.global.add.u32 _, [gv], 1;",
        "shfl.sync.idx.b32 r0|_, r1, 0, 31, -1; match.all.sync.b32 _|p0, r1, -1; lop3.and.b32 _|p0, r1, r2, r3, 1, p1;",
    ]);
    rejects(&[
        ("add.s32 _, r0, r1;", "V0405", "_"),
        ("ld.global.b32 _, [gv];", "V0405", "_"),
        ("shfl.sync.idx.b32 _|p0, r1, 0, 31, -1;", "V0405", "_"),
    ]);
}

#[test]
fn special_registers_are_read_by_moves_and_conversions() {
    accepts(&[
        "mov.u32 r0, %tid.x; mov.u16 h0, %ctaid.y; mov.u64 d0, %clock64; mov.b32 r0, %laneid; mov.u32 r0, %gridid;",
        "mov.pred p0, %is_explicit_cluster; cvt.u32.u32 r0, %ntid.x;",
    ]);
    rejects(&[
        ("add.s32 r0, %tid.x, 1;", "V0406", "%tid.x"),
        ("st.global.u32 [gv], %tid.x;", "V0406", "%tid.x"),
        ("mov.u32 r0, %tid;", "V0406", "%tid"),
        ("mov.u32 r0, %clock64;", "V0401", "%clock64"),
        ("mov.u64 d0, %tid.x;", "V0401", "%tid.x"),
        ("mov.f32 f0, %tid.x;", "V0401", "%tid.x"),
        ("mov.u32 %tid.x, r0;", "V0406", "%tid.x"),
    ]);
}

#[test]
fn guards_are_predicates() {
    accepts(&["@p0 add.s32 r0, r1, 1; @!p1 bra L; L: ret;"]);
    let found = common::findings(&common::kernel("@r0 add.s32 r1, r1, 1;"));
    assert_eq!(found.first().map(|(code, _)| code.as_str()), Some("V0411"));
}

#[test]
fn barriers_in_memory_count_from_one_and_have_two_parities() {
    accepts(&[
        "mbarrier.init.shared.b64 [sv], 1048575; mbarrier.arrive.shared.b64 d0, [sv], 1;",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r0], r1;",
    ]);
    rejects(&[
        ("mbarrier.init.shared.b64 [sv], 0;", "V0403", "0"),
        ("mbarrier.init.shared.b64 [sv], 1048576;", "V0403", "1048576"),
        ("mbarrier.arrive.shared.b64 d0, [sv], 0;", "V0403", "0"),
        ("mbarrier.test_wait.parity.shared.b64 p0, [sv], 2;", "V0403", "2"),
        ("mbarrier.arrive.release.cluster.shared::cluster.b64 d0, [r0], r1;", "V0405", "d0"),
    ]);
}

#[test]
fn cubes_have_no_offsets() {
    accepts(&["tex.cube.v4.f32.f32 {f0, f1, f2, f3}, [tex, {f4, f5, f6, f7}];"]);
    let offsets = "tex.cube.v4.f32.f32 {f0, f1, f2, f3}, [tex, {f4, f5, f6, f7}], {r0, r1};";
    rejects(&[(offsets, "V0402", "{r0, r1}")]);
}

#[test]
fn vectors_have_no_constants_with_components() {
    accepts(&[
        "st.global.v4.b32 [gv], {7, 3, r3, r4}; st.global.v4.b32 [gv], {r1, %laneid, 3, 7};",
        "st.global.v2.f32 [gv], {v1.x, f0}; st.global.v4.f32 [gv], {v1.x, v1.y, v0.w, f1};",
        "st.global.v2.b32 [gv], {r0, %tid.x}; mov.b64 d0, {v1.x, %tid.x}; mov.b64 d0, {v1.x, v1.y};",
        "ld.global.v2.f32 {v1.x, _}, [gv]; add.f32 f0, v1.x, 0f3F800000; tex.1d.v4.f32.s32 {f0, f1, f2, f3}, [tex, {7}];",
    ]);
    rejects(&[
        ("st.local.v4.f32 [lv], {0f00000000, 0f40000000, f3, v1.y};", "V0402", "0f00000000"),
        ("st.shared.v4.f32 [sv], {v1.y, f1, f2, 0f40000000};", "V0402", "0f40000000"),
        ("st.global.v2.f32 [gv], {v1.y, 1.5};", "V0402", "1.5"),
        ("st.global.v2.b32 [gv], {%tid.x, WARP_SZ};", "V0402", "WARP_SZ"),
        ("st.global.v4.b32 [gv], {%tid.x, r1, r2, 5};", "V0402", "5"),
        ("mov.b64 d0, {v1.x, 5};", "V0402", "5"),
        ("mov.b64 d0, {1+2, v1.x};", "V0402", "1+2"),
        ("mov.v4.f32 v0, {v1.x, f1, f2, 1.0};", "V0402", "1.0"),
        ("red.global.add.v2.f32 [gv], {v1.x, 0f3F800000};", "V0402", "0f3F800000"),
        ("atom.global.add.v2.f32 {f0, f1}, [gv], {0f3F800000, v1.x};", "V0402", "0f3F800000"),
        ("tex.2d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {v1.x, 1.0}];", "V0402", "1.0"),
        ("tex.a1d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {5, v1.x}];", "V0402", "5"),
        ("tex.grad.2d.v4.f32.f32 {f0, f1, f2, f3}, [tex, {f0, f1}], {v1.x, 1.0}, {f2, f3};", "V0402", "1.0"),
    ]);
}

#[test]
fn every_constant_but_zero_is_true() {
    accepts(&[
        "selp.b32 r0, r1, r2, 5; selp.b32 r0, r1, r2, -1; setp.lt.and.s32 p0, r1, r2, 2; vote.sync.all.pred p0, 5, 1;",
        "lop3.and.b32 r0|p0, r1, r2, r3, 256, 2;",
    ]);
    rejects(&[("selp.b32 r0, r1, r2, 1.0;", "V0401", "1.0")]);
}

#[test]
fn addresses_with_offsets_and_functions_are_numbers() {
    accepts(&[
        "isspacep.global p0, gv+8; isspacep.local p0, 5; isspacep.shared p0, r0; cvta.to.global.u64 d0, gv+8;",
        "add.s64 d0, d1, gv+8; mov.b64 d0, {%tid.x, %tid.y};",
    ]);
    rejects(&[
        ("isspacep.global p0, gv;", "V0402", "gv"),
        ("add.s64 d0, d1, gv;", "V0402", "gv"),
        ("cvta.to.global.u64 d0, gv;", "V0402", "gv"),
        ("add.f64 e0, e1, gv+8;", "V0402", "gv+8"),
        ("mov.u64 d0, fn0+8;", "V0407", "fn0+8"),
    ]);
    accepts(&["mov.u64 d0, fn0; mov.u64 d1, gv+8;"]);
}

#[test]
fn signs_and_parts_of_video_instructions_are_held() {
    accepts(&[
        "vmad.s32.s32.s32 r0, -r1.b0, r2, r3; vmad.s32.s32.s32 r0, -r1, -r2, -r3; vmad.s32.s32.s32.po r0, r1, r2, r3;",
    ]);
    rejects(&[
        ("vmad.s32.s32.s32 r0, -r1, r2, -r3;", "V0402", "-r3"),
        ("vmad.s32.s32.s32.po r0, r1, r2, -r3;", "V0402", "-r3"),
        ("vmad.s32.s32.s32 r0, r1, r2, r3.b0;", "V0402", "r3.b0"),
        ("vadd2.s32.s32.s32 r0, r1, 5, r3;", "V0402", "5"),
        ("vadd4.s32.s32.s32 r0, r1, r2, 5;", "V0402", "5"),
    ]);
}

#[test]
fn a_pair_of_halves_is_no_amount() {
    accepts(&["add.u32 r0, hx1, r2; add.s16x2 r0, hx1, r2;"]);
    rejects(&[("shl.b32 r0, r1, hx2;", "V0401", "hx2"), ("bfe.u32 r0, r1, hx2, r3;", "V0401", "hx2")]);
}

#[test]
fn a_second_result_is_not_always_free_to_drop() {
    accepts(&["setp.eq.s32 p0|_, r1, r2; setp.eq.s32 _|p0, r1, r2; shfl.sync.up.b32 r0|_, r1, 1, 0, -1;"]);
    rejects(&[
        ("setp.eq.s32 _|_, r1, r2;", "V0405", "_"),
        ("lop3.and.b32 r0|_, r1, r2, r3, 1, p0;", "V0405", "_"),
        ("tex.1d.v4.f32.f32 {f0, f1, f2, f3}|_, [tex, f4];", "V0405", "_"),
    ]);
}

#[test]
fn narrow_formats_lie_in_untyped_registers() {
    accepts(&[
        "cvt.rn.satfinite.e4m3x2.f32 h0, f0, f1; cvt.rn.f16x2.e4m3x2 hx0, h0; cvt.rn.satfinite.e5m2x2.f16x2 h0, hx0;",
        "cvt.rn.satfinite.s2f6x2.f32 hf0, f0, f1; cvt.rs.satfinite.e2m1x4.f32 h0, {f0, f1, f2, f3}, r0;",
    ]);
    rejects(&[
        ("cvt.rn.satfinite.e4m3x2.f32 hf0, f0, f1;", "V0401", "hf0"),
        ("cvt.rn.f16x2.e4m3x2 u0, h0;", "V0401", "u0"),
        ("cvt.rn.f16x2.e4m3x2 r0, 1;", "V0402", "1"),
        ("cvt.rn.satfinite.e4m3x2.bf16x2 h0, hx0;", "V0401", "hx0"),
        ("cvt.rs.bf16x2.f32 r0, f0, f1, u0;", "V0401", "u0"),
    ]);
}

#[test]
fn packing_takes_wider_registers_and_no_single_precision_result() {
    accepts(&["activemask.b32 f0; activemask.b32 hx0;"]);
    accepts(&["cvt.pack.sat.s4.s32.b32 d0, d1, r2, e0; cvt.pack.sat.u16.s32 r0, d1, 7;"]);
    rejects(&[("cvt.pack.sat.u16.s32 f0, r1, r2;", "V0401", "f0")]);
}

#[test]
fn room_for_arguments_is_not_accessed_under_a_guard() {
    let pass = |access: &str| format!("{{ .param .b32 ap; {access} }}");
    accepts(&[&pass("st.param.b32 [ap], r0;"), "@p0 ld.param.b64 d0, [kp];"]);
    rejects(&[
        (&pass("@p0 st.param.b32 [ap], r0;"), "V0411", "@p0 st.param.b32 [ap], r0"),
        (&pass("@p0 ld.param::func.b32 r0, [ap];"), "V0411", "@p0 ld.param::func.b32 r0, [ap]"),
    ]);
}

#[test]
fn vectors_are_moved_whole_between_vectors_and_from_special_registers() {
    accepts(&[
        "mov.v4.u32 {r0, _, r2, r3}, %tid; mov.v4.f32 v0, v1; mov.v2.b16 {h0, h1}, {h2, h3}; mov.v4.u16 {h0, h1, h2, h3}, %ctaid;",
        "mov.b128 q0, v0; mov.b128 v0, q1; mov.v4.b32 {r0, r1, r2, r3}, {r4, r5, r6, 1};",
    ]);
    rejects(&[
        ("mov.v2.u32 {r0, r1}, %tid;", "V0404", "%tid"),
        ("mov.v4.f32 v0, %tid;", "V0401", "%tid"),
        ("mov.v4.u32 {r0, r1, r2, r3}, r4;", "V0402", "r4"),
        ("mov.b64 d0, v0;", "V0401", "v0"),
        ("mov.b128 v0, {d0, d1};", "V0402", "{d0, d1}"),
    ]);
}

#[test]
fn pairs_of_halves_are_integers_where_the_type_of_the_instruction_stands() {
    accepts(&[
        "vadd.u32.u32.u32 hx0, r1, r2; vadd.s32.u32.u32.min r0, r1, r2, hx3; vmad.u32.u32.u32 hx0, r1, r2, hx3;",
        "vadd2.u32.u32.u32 hx0.h0, r1, r2, hx3; slct.b32.s32 r0, r1, r2, hx3; vote.sync.ballot.b32 hx0, p1, -1;",
    ]);
    rejects(&[
        ("vset.u32.u32.eq hx0.h0, r1, r2, r3;", "V0402", "hx0.h0"),
        ("vset2.u32.u32.eq hx0, r1, r2, r3;", "V0402", "hx0"),
        ("vset4.u32.u32.eq r0, r1, r2, hx3;", "V0401", "hx3"),
        ("bmsk.clamp.b32 hx0, r1, r2;", "V0401", "hx0"),
        ("isspacep.global p0, hx1;", "V0401", "hx1"),
    ]);
}

#[test]
fn bfloat_comparisons_are_combined_with_registers_alone() {
    accepts(&[
        "setp.eq.and.f16x2 p0|p1, r1, r2, 1; set.eq.and.u32.f16 r0, h1, h2, 0; setp.eq.and.bf16 p0, h1, h2, !p3;",
    ]);
    rejects(&[
        ("setp.eq.and.bf16 p0, h1, h2, 1;", "V0402", "1"),
        ("set.eq.or.bf16.s32 h0, r1, r2, 0;", "V0402", "0"),
        ("set.lt.xor.u32.bf16x2 r0, r1, r2, 5;", "V0402", "5"),
    ]);
}

#[test]
fn a_surface_is_combined_with_the_low_part_of_a_wider_register() {
    let tail = "[d1, r2]";
    accepts(&[
        &format!("sured.b.add.1d.u32.trap {tail}, d3; sured.p.min.1d.b64.clamp {tail}, q3;"),
        &format!("sured.b.and.1d.b32.zero {tail}, e3;"),
    ]);
    rejects(&[
        (&format!("sured.b.add.1d.u64.trap {tail}, r3;"), "V0401", "r3"),
        ("sured.b.add.1d.u32.trap [d1, hx2], r3;", "V0402", "hx2"),
    ]);
}

#[test]
fn what_is_moved_one_by_one_takes_no_decimal_fractions() {
    accepts(&["tcgen05.st.sync.aligned.16x256b.x1.b32 [r0], {r1, r2, r3, 0f3F800000};"]);
    rejects(&[
        ("tcgen05.st.sync.aligned.16x256b.x1.b32 [r0], {r1, r2, 1.0, 5};", "V0401", "1.0"),
        ("multimem.red.release.gpu.global.add.v2.bf16x2 [d0], {5, r1};", "V0401", "5"),
    ]);
}

#[test]
fn results_that_nobody_can_leave_out() {
    accepts(&[
        "match.all.sync.b32 _|p0, r1, -1; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {e0, _}, {e1}, {e2}, {e3, e4};",
    ]);
    rejects(&[
        ("match.any.sync.b32 _, r1, -1;", "V0405", "_"),
        ("tex.2d.v2.f16x2.f32 {r0, _}, [tex, {f1, f2}];", "V0405", "_"),
        (
            "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {e0, e1, e2, _}, {e3, e4}, {e5}, {e0, e1, e2, e3};",
            "V0405",
            "{e0, e1, e2, _}",
        ),
    ]);
}

#[test]
fn addresses_of_maps_and_policies_have_32_bits_or_more() {
    accepts(&["createpolicy.range.L2::evict_last.b64 d0, [r1], 16, 32; prefetch.const.tensormap [d1];"]);
    rejects(&[
        ("createpolicy.range.L2::evict_last.b64 d0, [h1], 16, 32;", "V0407", "[h1]"),
        ("prefetch.const.tensormap [b1];", "V0407", "[b1]"),
        ("prefetchu.L1 [sv];", "V0408", "[sv]"),
        ("ld.weak.global.nc.b32 r0, [gv];", "V0501", "ld.weak.global.nc.b32 r0, [gv]"),
        ("st.bulk.weak [sv], hx0, 0;", "V0401", "hx0"),
    ]);
}
