//! Addresses, orders, scopes, cache modifiers and widths of memory accesses. Right and wrong are `ptxas` 13.5's.

use crate::common::{accepts, findings, kernel, module, rejects};

#[test]
fn an_address_is_an_integer_register_or_a_variable_of_the_space() {
    accepts(&[
        "ld.global.b32 r0, [d0+4]; ld.shared.b32 r0, [r1]; ld.shared.b32 r0, [d1+-4]; ld.b32 r0, [gv]; ld.b32 r0, [lv];",
        "ld.param.b64 d0, [kp]; ld.const.b32 r0, [cv]; ld.local.b32 r0, [16]; atom.shared.add.u32 r0, [sv+4], 1;",
    ]);
    rejects(&[
        ("ld.global.b32 r0, [f0];", "V0407", "[f0]"),
        ("ld.global.b32 r0, [r1];", "V0407", "[r1]"),
        ("ld.global.b32 r0, [16];", "V0407", "[16]"),
        ("ld.global.b32 r0, [fn0];", "V0407", "[fn0]"),
        ("ld.global.b32 r0, [tex];", "V0407", "[tex]"),
        ("ld.global.b32 r0, [sv];", "V0408", "[sv]"),
        ("ld.b32 r0, [cv];", "V0408", "[cv]"),
        ("st.shared.b32 [gv+4], r0;", "V0408", "[gv+4]"),
        ("cp.async.ca.shared.global [gv], [gv], 4;", "V0408", "[gv]"),
        ("cvta.shared.u64 d0, gv;", "V0408", "gv"),
    ]);
}

#[test]
fn parameters_are_read_and_results_written() {
    let of = |body: &str| {
        module(&format!(".func (.param .b32 r) f (.param .b32 a) {{ .reg .b32 x; {body} ret; }}"))
    };
    assert_eq!(findings(&of("ld.param.b32 x, [a]; st.param.b32 [r], x;")), []);
    let code = |body: &str| findings(&of(body)).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    assert_eq!(code("st.param.b32 [a], x;"), ["V0410"]);
    assert_eq!(code("ld.param.b32 x, [r];"), ["V0407"]);
    accepts(&[".param .b32 a; st.param.b32 [a], r0; ld.param.b32 r0, [a];"]);
    rejects(&[(".param .b32 a; mov.u64 d0, a;", "V0407", "a")]);
}

#[test]
fn orders_need_scopes_and_scopes_need_orders() {
    accepts(&[
        "ld.acquire.gpu.b32 r0, [d0]; st.release.sys.global.b32 [d0], r0; ld.relaxed.cta.shared.b32 r0, [r1];",
        "ld.volatile.shared.b32 r0, [r1]; ld.weak.global.b32 r0, [d0]; atom.acq_rel.gpu.global.add.u32 r0, [d0], 1;",
        "fence.sc.sys; fence.acq_rel.cta; membar.gl;",
    ]);
    for (line, code) in [
        ("ld.acquire.b32 r0, [d0];", "V0502"),
        ("ld.gpu.b32 r0, [d0];", "V0502"),
        ("ld.weak.gpu.b32 r0, [d0];", "V0502"),
        ("ld.volatile.sys.global.b32 r0, [d0];", "V0502"),
        ("ld.relaxed.gpu.local.b32 r0, [d0];", "V0503"),
        ("ld.acquire.cta.const.b32 r0, [d0];", "V0503"),
        ("ld.volatile.const.b32 r0, [d0];", "V0503"),
    ] {
        let whole = line.trim_end_matches(';');
        rejects(&[(line, code, whole)]);
    }
}

#[test]
fn cache_modifiers_go_with_weak_global_accesses() {
    accepts(&[
        "ld.global.cs.nc.v4.f32 {f0, f1, f2, f3}, [d0]; ld.global.nc.L1::no_allocate.L2::128B.b32 r0, [d0];",
        "ld.global.L2::cache_hint.b32 r0, [d0], d1; st.global.wt.b32 [d0], r0; prefetch.global.L2::evict_last [d0];",
        "ld.volatile.L2::evict_first.v8.f32 {f0, f1, f2, f3, f4, f5, f6, f7}, [d0];",
    ]);
    for (line, code) in [
        ("ld.nc.b32 r0, [d0];", "V0502"),
        ("ld.global.cv.nc.b32 r0, [d0];", "V0501"),
        ("ld.volatile.cg.b32 r0, [d0];", "V0501"),
        ("ld.global.cs.L1::evict_first.b32 r0, [d0];", "V0501"),
        ("ld.shared.L1::evict_last.b32 r0, [d0];", "V0503"),
        ("ld.const.L2::64B.b32 r0, [d0];", "V0503"),
        ("ld.global.L2::evict_first.b32 r0, [d0];", "V0503"),
        ("atom.shared.add.L2::cache_hint.u32 r0, [r1], 1, d1;", "V0503"),
    ] {
        rejects(&[(line, code, line.trim_end_matches(';'))]);
    }
}

#[test]
fn vectors_fill_128_bits_and_256_in_global_memory() {
    accepts(&[
        "ld.shared.v4.b32 {r0, r1, r2, r3}, [r4]; ld.shared.v2.b64 {d0, d1}, [r4];",
        "ld.global.v4.b64 {d0, d1, d2, d3}, [d4]; st.global.v8.b32 [d0], {r0, r1, _, r3, r4, r5, r6, r7};",
    ]);
    let rejected = |line: &str, code: &str| rejects(&[(line, code, line.trim_end_matches(';'))]);
    rejected("ld.shared.v4.b64 {d0, d1, d2, d3}, [r4];", "V0504");
    rejected("ld.global.v2.b128 {q0, q1}, [d0];", "V0504");
    rejected("ldu.global.v4.b64 {d0, d1, d2, d3}, [d4];", "V0504");
    let old = kernel("ld.global.v4.b64 {d0, d1, d2, d3}, [d4];").replace("9.5", "8.7").replace("100a", "100");
    assert_eq!(findings(&old).into_iter().map(|(code, _)| code).collect::<Vec<_>>(), ["V0108"]);
}

#[test]
fn memory_mapped_accesses_are_ordered_scalar_and_of_the_system() {
    accepts(&["ld.mmio.relaxed.sys.global.u32 r0, [d0]; st.mmio.release.sys.b64 [d0], d1;"]);
    rejects(&[
        ("ld.mmio.relaxed.gpu.u32 r0, [d0];", "V0502", "ld.mmio.relaxed.gpu.u32 r0, [d0]"),
        ("ld.mmio.relaxed.sys.v2.u32 {r0, r1}, [d0];", "V0501", "ld.mmio.relaxed.sys.v2.u32 {r0, r1}, [d0]"),
        ("ld.mmio.relaxed.sys.shared.u32 r0, [r1];", "V0503", "ld.mmio.relaxed.sys.shared.u32 r0, [r1]"),
    ]);
}

#[test]
fn addresses_of_32_bits_are_whole_in_modules_that_say_so() {
    let text = |size: &str| {
        format!(
            ".version 9.5\n.target sm_75\n.address_size {size}\n.entry k () {{ .reg .b32 r<2>; ld.global.u32 r0, [r1]; ret; }}\n"
        )
    };
    assert_eq!(findings(&text("32")), []);
    assert_eq!(findings(&text("64")), [("V0407".to_owned(), "[r1]".to_owned())]);
}
