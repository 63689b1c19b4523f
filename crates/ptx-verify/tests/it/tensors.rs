//! Matrices, tensors, asynchronous copies and barriers in memory. Right and wrong are `ptxas` 13.5's.

use crate::common::{HEAD, accepts, findings, is_accepted, kernel, rejects};

/// A kernel with these statements for another target.
fn on(target: &str, statements: &str) -> String {
    kernel(statements).replacen(HEAD, &HEAD.replace("sm_100a", target), 1)
}

#[test]
fn addresses_lie_in_the_space_of_their_place() {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    accepts(&[
        &format!("{copy} [sv], [gv], 16, [sv+8];"),
        "mbarrier.init.b64 [sv], 1; tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [r1+4];",
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [gv, {r0}], r1;",
    ]);
    rejects(&[
        (&format!("{copy} [gv], [gv], 16, [sv];"), "V0408", "[gv]"),
        (&format!("{copy} [sv], [sv+4], 16, [sv];"), "V0408", "[sv+4]"),
        (&format!("{copy} [sv], [gv], 16, [8];"), "V0407", "[8]"),
        ("mbarrier.inval.b64 [gv];", "V0408", "[gv]"),
        ("mapa.u64 d0, gv, r0;", "V0408", "gv"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [d1];", "V0407", "[d1]"),
        ("tcgen05.shift.cta_group::1.down [5];", "V0402", "[5]"),
        ("st.bulk.shared::cta [sv], 8, 0;", "V0407", "[sv]"),
    ]);
}

#[test]
fn constants_are_those_that_the_place_takes() {
    accepts(&[
        "tcgen05.alloc.cta_group::1.sync.aligned.b32 [d0], 64; setmaxnreg.inc.sync.aligned.u32 32;",
        "tensormap.replace.tile.fill_mode.global.b1024.b32 [d0], 1; cp.async.wait_group -1;",
        "cp.async.bulk.prefetch.L2.global [d0], 32; st.bulk [d0], 24, 0;",
    ]);
    rejects(&[
        ("tcgen05.alloc.cta_group::1.sync.aligned.b32 [d0], 96;", "V0403", "96"),
        ("tcgen05.alloc.cta_group::1.sync.aligned.b32 [d0], 1024;", "V0403", "1024"),
        ("setmaxnreg.inc.sync.aligned.u32 25;", "V0403", "25"),
        ("tensormap.replace.tile.fill_mode.global.b1024.b32 [d0], 2;", "V0403", "2"),
        ("cp.async.bulk.prefetch.L2.global [d0], 24;", "V0403", "24"),
        ("st.bulk [d0], 12, 0;", "V0403", "12"),
        ("mbarrier.init.b64 [d0], 0;", "V0403", "0"),
    ]);
}

#[test]
fn the_selector_of_a_sparse_matrix_follows_from_shape_and_type() {
    let half = |shape: &str, registers: u8, selector: u8| {
        let ab = if registers == 2 { "{r2, r3}, {r4, r5}" } else { "{r2, r3, r4, r5}, {r4, r5, r6, r7}" };
        format!(
            "mma.sp.sync.aligned.{shape}.row.col.f16.f16.f16.f16 {{r0, r1}}, {ab}, {{r6, r7}}, r8, {selector};"
        )
    };
    assert_eq!(findings(&kernel(&half("m16n8k16", 2, 3))), []);
    assert_eq!(findings(&kernel(&half("m16n8k32", 4, 1))), []);
    assert!(!is_accepted(&kernel(&half("m16n8k32", 4, 2))));
    let bytes = "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {r0, r1, r2, r3}, {r0, r1, r2, r3}, {r4, r5, r6, r7}, \
                 {r0, r1, r2, r3}, r8,";
    assert_eq!(findings(&kernel(&format!("{bytes} 0;"))), []);
    rejects(&[(&format!("{bytes} 1;"), "V0403", "1")]);
}

#[test]
fn registers_of_fragments_hold_what_the_fragment_is_made_of() {
    let product = |a: &str| {
        format!(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{f0, f1, f2, f3}}, {a}, {{r4}}, {{f4, f5, f6, f7}};"
        )
    };
    for a in ["{r0, r1}", "{hx0, hx1}", "{r0, f1}", "{r0, 0}"] {
        assert_eq!(findings(&kernel(&product(a))), [], "{a}");
    }
    for a in ["{f0, f1}", "{u0, u1}", "{0, 0}"] {
        assert!(!is_accepted(&kernel(&product(a))), "{a}");
    }
}

#[test]
fn some_results_cannot_be_left_out() {
    accepts(&["elect.sync _|p0, -1; mbarrier.arrive.b64 _, [sv];"]);
    rejects(&[
        ("elect.sync r0|_, -1;", "V0405", "_"),
        ("elect.sync r0, -1;", "V0409", "elect.sync r0, -1"),
        ("tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0, _}, [r1];", "V0405", "_"),
    ]);
    let narrow = "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {_, r1}, {r2, r3}, {r4}, {r5, r6};";
    assert!(is_accepted(&on("sm_120a", narrow)) && !is_accepted(&on("sm_100a", narrow)));
}

#[test]
fn braces_around_one_register_stand_where_ptxas_has_them() {
    let sparse = "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {r0, r1}, {r2, r3}, {r4, r5}, {r6, r7}, {r8}, 0;";
    assert!(is_accepted(&on("sm_90", sparse)) && !is_accepted(&on("sm_100a", sparse)));
    accepts(&["mbarrier.arrive.b64 d0, [sv], {r1};"]);
    rejects(&[("mbarrier.init.b64 [sv], {r1};", "V0402", "{r1}")]);
}

#[test]
fn targets_of_modifiers_hold_together() {
    let scaled = "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X.collector::a::fill.collector::b::fill \
                  [r0], d0, d1, r1, [r2], [r3], p0;";
    assert!(is_accepted(&on("sm_107a", scaled)) && !is_accepted(&on("sm_107f", scaled)));
    let counted = "mbarrier.arrive.b64 d0, [d1], 2;";
    assert!(is_accepted(&on("sm_90", counted)) && !is_accepted(&on("sm_80", counted)));
}

#[test]
fn products_written_out_for_the_target_hold_each_element_to_its_type() {
    let product = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {u0, r1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, \
                   {f0, f1, f2, f3};";
    assert!(is_accepted(&on("sm_89", product)) && is_accepted(&on("sm_120", product)));
    assert!(!is_accepted(&on("sm_90", product)) && !is_accepted(&on("sm_100a", product)));
    accepts(&["wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [d0], {d1, e2};"]);
    rejects(&[(
        "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {r0, r1}, {f0}, {r2}, {r3, r4};",
        "V0401",
        "{f0}",
    )]);
}

#[test]
fn sizes_of_tensors_for_other_devices_are_not_all_unsigned() {
    let get = |sizes: &str| {
        format!(
            ".reg .u16 uh<2>; fabric.try_get.async.tensor.2d.shared::cta.tile.mbarrier::complete_tx::bytes.mbarrier::report::fabric\
             .override::global_address.override::global_dim_stride.relaxed.sys.b128 [r0], \
             [d0, r1, d1, {sizes}, {{r2}}, h3, {{r4, r5}}], [r3];"
        )
    };
    assert!(is_accepted(&on("sm_107a", &get("{uh0, h1}"))));
    assert!(!is_accepted(&on("sm_107a", &get("{uh0, uh1}"))));
}

#[test]
fn double_precision_results_of_sixteen_rows_are_no_integers_from_sm_100_on() {
    let product = ".reg .u64 x<2>; mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {x0, d1, e2, d3}, {d4, d5}, {d6}, {d0, d1, d2, d3};";
    assert!(is_accepted(&on("sm_90", product)) && !is_accepted(&on("sm_100a", product)));
    assert!(is_accepted(&on("sm_100a", &product.replace("x0", "d0"))));
}

#[test]
fn factors_of_wmma_are_registers_where_ptxas_moves_them() {
    let product = |a: &str, b: &str| {
        format!(
            "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 {{r0, r1, r2, r3, r4, r5, r6, r7}}, {a}, {b}, \
             {{r0, r1, r2, r3, r4, r5, r6, r7}};"
        )
    };
    accepts(&[&product("{r0, 5}", "{r1, u2}")]);
    rejects(&[(&product("{r0, r1}", "{r1, 5}"), "V0401", "5")]);
    let tf32 = "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {f0, f1, f2, f3, f4, f5, f6, f7}, \
                {r0, r1, r2, u3}, {r0, r1, r2, u3}, {f0, f1, f2, f3, f4, f5, f6, f7};";
    let found = findings(&kernel(tf32));
    assert_eq!(found, [("V0401".to_owned(), "u3".to_owned())]);
}

#[test]
fn swizzling_by_96_bytes_is_for_two_targets() {
    let replaced = |field: &str| format!("tensormap.replace.tile.{field}.global.b1024.b32 [d0], 4;");
    for (target, taken) in [("sm_103a", true), ("sm_107a", true), ("sm_100a", false), ("sm_103f", false)] {
        assert_eq!(is_accepted(&on(target, &replaced("swizzle_mode"))), taken, "{target}");
        assert!(!is_accepted(&on(target, &replaced("swizzle_atomicity"))), "{target}");
    }
}
