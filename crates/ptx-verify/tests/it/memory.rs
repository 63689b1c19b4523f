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

/// Accesses with `#` for the address. `ptxas` refuses a register of 32 bits for a generic or global one when it generates code.
const WIDE: &[&str] = &[
    "ld.u32 r1, [#];",
    "ld.global.u32 r1, [#];",
    "st.global.v2.b32 [#], {r1, r2};",
    "ldu.global.u32 r1, [#];",
    "atom.add.u32 r1, [#], r2;",
    "red.global.add.u32 [#], r2;",
    "prefetch.L1 [#];",
    "prefetch.global.L2::evict_last [#];",
    "prefetchu.L1 [#];",
    "discard.global.L2 [#], 128;",
    "discard.L2 [#], 128;",
    "applypriority.L2::evict_normal [#], 128;",
    "applypriority.global.L2::evict_normal [#], 128;",
    "multimem.ld_reduce.relaxed.gpu.global.add.u32 r1, [#];",
    "multimem.st.relaxed.gpu.global.u32 [#], r1;",
    "multimem.red.relaxed.gpu.global.add.u32 [#], r1;",
    "mbarrier.init.b64 [#], 1;",
    "mbarrier.inval.b64 [#];",
    "mbarrier.expect_tx.relaxed.cta.b64 [#], 16;",
    "mbarrier.complete_tx.b64 [#], 16;",
    "mbarrier.arrive.b64 d1, [#];",
    "mbarrier.arrive.expect_tx.b64 d1, [#], 16;",
    "mbarrier.arrive_drop.noComplete.b64 d1, [#], r1;",
    "mbarrier.test_wait.b64 p1, [#], d1;",
    "mbarrier.try_wait.parity.acquire.cta.b64 p1, [#], 0;",
];

#[test]
fn generic_and_global_addresses_have_64_bits() {
    for access in WIDE {
        let with = |address: &str| kernel(&access.replace('#', address));
        assert_eq!(findings(&with("d0")), [], "{access}");
        assert_eq!(findings(&with("r0")), [("V0407".to_owned(), "[r0]".to_owned())], "{access}");
    }
    // Those of other state spaces are offsets, and tensor maps are named by what `ptxas` widens.
    accepts(&[
        "ld.shared.u32 r1, [r0];",
        "ld.const.u32 r1, [r0];",
        "st.local.u32 [r0], r1;",
        "prefetch.local.L1 [r0];",
        "prefetch.tensormap [r0];",
        "prefetch.const.tensormap [r0];",
        "mbarrier.init.shared.b64 [r0], 1;",
        "mbarrier.try_wait.shared::cta.b64 p1, [r0], d1;",
        "cp.async.ca.shared.global [r1], [r0], 4;",
        "cp.async.mbarrier.arrive.b64 [r0];",
    ]);
}

#[test]
fn volatile_accesses_of_local_memory_came_with_ptx_9_1() {
    let of = |version: &str, access: &str| {
        let text = kernel(access)
            .replace(".version 9.5", &format!(".version {version}"))
            .replace("sm_100a", "sm_75");
        findings(&text).into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    let types = [
        "b8 b", "u8 h", "s8 h", "b16 h", "u16 h", "s16 h", "b32 r", "u32 r", "s32 r", "b64 d", "u64 d",
        "s64 d", "f32 f", "f64 e", "b128 q",
    ];
    for (ty, register) in types.iter().filter_map(|both| both.split_once(' ')) {
        for (vector, lanes) in [("", 1), (".v2", 2), (".v4", 4)] {
            if lanes * ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse::<u32>().expect("bits")
                > 128
            {
                continue;
            }
            let all: Vec<String> = (0..lanes).map(|lane| format!("{register}{lane}")).collect();
            let value = if lanes == 1 { all.concat() } else { format!("{{{}}}", all.join(", ")) };
            let accesses = [
                format!("ld.volatile.local{vector}.{ty} {value}, [lv];"),
                format!("st.volatile.local{vector}.{ty} [lv], {value};"),
            ];
            for access in accesses {
                assert_eq!(of("9.1", &access), [""; 0], "{access}");
                assert_eq!(of("9.0", &access), ["V0108"], "{access}");
                assert_eq!(of("9.0", &access.replace(".volatile", "")), [""; 0], "{access}");
                assert_eq!(of("9.0", &access.replace(".local", "")), [""; 0], "{access}");
            }
        }
    }
}

#[test]
fn what_is_missing_is_told_once() {
    let codes = |target: &str, line: &str| {
        let text = kernel(line).replace("sm_100a", target);
        findings(&text).into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    assert_eq!(codes("sm_75", "ld.global.L2::evict_last.v4.b64 {d1, d2, d3, d4}, [d0];"), ["V0109"]);
    assert_eq!(codes("sm_75", "cvt.rn.f16x2.e4m3x2 r1, h1;"), ["V0109"]);
    assert_eq!(codes("sm_75", "mbarrier.arrive.shared::cta.b64 _, [r1];"), ["V0109"]);
    assert_eq!(codes("sm_75", "redux.sync.add.s32 r1, r2, r3; redux.sync.add.s32 r1, r2, r3;"), ["V0109"; 2]);
}
