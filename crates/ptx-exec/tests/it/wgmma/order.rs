//! Groups and waits, results that do not fit, and what is reported.

use crate::common::words;
use ptx_exec::{Argument, Completion, ExecError, FaultKind, Launch, TrapKind};

use super::model::{A, Case, Layout, Type, WAYS, kernel, launch, launch_as, registers};

/// A kernel of four registers of D on shared memory with these halves, which both factors begin with, in no swizzling mode.
fn halves(body: &str) -> String {
    let layout = Layout { swizzle: 16, mn_major: false, leading: 128, stride: 256 };
    kernel(2048, [0, 0], [layout.descriptor(); 2], 4, body)
}

fn execute(text: &str, threads: u32, half: u16, d: u32) -> Result<Vec<u32>, TrapKind> {
    execute_as(Completion::Eager, text, threads, half, d)
}

fn execute_as(way: Completion, text: &str, threads: u32, half: u16, d: u32) -> Result<Vec<u32>, TrapKind> {
    let repeat = |bytes: &[u8], count| Argument::Buffer(bytes.repeat(count));
    let arguments = vec![
        repeat(&half.to_le_bytes(), 1024),
        repeat(&half.to_le_bytes(), 256 * 8),
        repeat(&d.to_le_bytes(), 256 * 4),
        repeat(&[0x44], 256 * 4),
    ];
    match launch(text, threads, way, arguments) {
        Ok(buffers) => Ok(words(buffers[2].as_deref().unwrap())),
        Err(ExecError::Trap(trap)) => Err(trap.kind),
        Err(other) => panic!("{other:?}\n{text}"),
    }
}

fn misuse(result: Result<Vec<u32>, TrapKind>) -> String {
    match result {
        Err(TrapKind::Misuse(text)) => text,
        other => panic!("{other:?}"),
    }
}

const ONE: u16 = 0x3c00;
const D: &str = "{%d0, %d1, %d2, %d3}";
const END: &str = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

/// `D = A * B + D` of halves from shared memory.
fn product(a: &str, b: &str) -> String {
    format!("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {D}, {a}, {b}, 1, 1, 1, 0, 0;\n")
}

#[test]
fn products_of_several_groups_add_up() {
    let one = product("%da", "%db");
    let body = format!(
        "wgmma.fence.sync.aligned;
        {one}{one}wgmma.commit_group.sync.aligned;
        {one}wgmma.commit_group.sync.aligned;
        wgmma.wait_group.sync.aligned 1;
        {one}wgmma.commit_group.sync.aligned;
        wgmma.commit_group.sync.aligned;
        wgmma.wait_group.sync.aligned 0;
        wgmma.wait_group.sync.aligned 7;"
    );
    // Two warpgroups, each 16 * 1 four times.
    for way in WAYS {
        let sums = execute_as(way, &halves(&body), 256, ONE, 2.5f32.to_bits()).unwrap();
        assert_eq!(sums, vec![66.5f32.to_bits(); 1024], "{way:?}");
    }
}

#[test]
fn a_wait_lasts_until_all_four_warps_have_read_the_factors() {
    // As soon as its wait is over, a warp of the second warpgroup lets the first warp of the block clear the factors.
    for slow in 4..8 {
        let signals = 32 * (4 + (slow + 1) % 4);
        let one = product("%da", "%db");
        let body = format!(
            ".shared .align 8 .b64 bar;
            .reg .pred %q, %slow;
            .reg .b32 %w, %i;
            .reg .b64 %st;
            setp.eq.u32 %q, %t, 0;
            @%q mbarrier.init.shared.b64 [bar], 1;
            bar.sync 0;
            setp.lt.u32 %q, %t, 32;
            @%q bra CLEAR;
            setp.lt.u32 %q, %t, 128;
            @%q bra DONE;
            shr.u32 %w, %t, 5;
            setp.eq.u32 %slow, %w, {slow};
            mov.u32 %i, 0;
            IDLE:
            add.u32 %i, %i, 1;
            setp.lt.and.u32 %q, %i, 9000, %slow;
            @%q bra IDLE;
            wgmma.fence.sync.aligned;
            {one}{END}
            setp.eq.u32 %q, %t, {signals};
            @%q mbarrier.arrive.shared.b64 %st, [bar];
            bra DONE;
            CLEAR:
            mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;
            @!%q bra CLEAR;
            mad.lo.u32 %u, %t, 64, %s;
            mov.u32 %i, 0;
            ZERO:
            st.shared.u32 [%u], 0;
            add.u32 %u, %u, 4;
            add.u32 %i, %i, 1;
            setp.lt.u32 %q, %i, 16;
            @%q bra ZERO;
            DONE:\n"
        );
        for way in WAYS {
            let sums = execute_as(way, &halves(&body), 256, ONE, 0).unwrap();
            assert_eq!(sums[512..], vec![16f32.to_bits(); 512], "{slow}, {way:?}");
        }
    }
}

#[test]
fn results_come_late_where_they_may() {
    let one = product("%da", "%db");
    let group = format!("wgmma.fence.sync.aligned;\n{one}wgmma.commit_group.sync.aligned;\n");
    // Before the wait D is what it was, and after a wait for all but one group, too.
    let wait = "wgmma.wait_group.sync.aligned 1;\nmov.b32 %r1, %d0;\nwgmma.wait_group.sync.aligned 0;\n";
    let body = format!("{group}mov.b32 %r0, %d0;\n{wait}mov.b32 %d1, %r0;\nmov.b32 %d2, %r1;\n");
    for (way, early) in [(Completion::Eager, 17f32), (Completion::Late, 1f32)] {
        let sums = execute_as(way, &halves(&body), 128, ONE, 1f32.to_bits()).unwrap();
        assert_eq!(sums[..4], [17f32, early, early, 17f32].map(f32::to_bits), "{way:?}");
    }
}

#[test]
fn registers_of_a_factor_are_read_until_the_wait() {
    let body = |between: &str, after: &str| {
        format!(
            "wgmma.fence.sync.aligned;
            wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {D}, {}, %db, 0, 1, 1, 0;
            {between}
            {END}
            {after}",
            registers("a", 4)
        )
    };
    let clear = "mov.b32 %a0, 0; mov.b32 %a1, 0; mov.b32 %a2, 0;";
    let sums = |way, text: &str| execute_as(way, &halves(text), 128, ONE, 0).unwrap()[0];
    for way in WAYS {
        assert_eq!(sums(way, &body("", clear)), 16f32.to_bits(), "{way:?}");
    }
    // The first sum is of a row whose columns are in the first and third registers.
    assert_eq!(sums(Completion::Eager, &body(clear, "")), 16f32.to_bits());
    assert_eq!(sums(Completion::Late, &body(clear, "")), 0f32.to_bits());
}

/// A function that waits, and one that begins a product with registers of its own and returns.
#[test]
fn products_and_their_waits_may_be_in_different_functions() {
    let functions = format!(
        ".func wait() {{ wgmma.wait_group.sync.aligned 0; ret; }}
        .func begin(.param .b64 a, .param .b64 b) {{
        .reg .b64 %da, %db; .reg .b32 %d<4>;
        ld.param.b64 %da, [a]; ld.param.b64 %db, [b];
        mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;
        wgmma.fence.sync.aligned;
        {}wgmma.commit_group.sync.aligned;
        ret; }}
        .func (.param .b32 r) other(.param .b32 x) {{
        .reg .b32 %o<40>;
        ld.param.b32 %o0, [x];
        {}
        call wait, ();
        st.param.b32 [r], %o39; ret; }}
        .visible .entry",
        product("%da", "%db"),
        (1..40).map(|n| format!("add.u32 %o{n}, %o{}, 1;\n", n - 1)).collect::<String>(),
    );
    let body = format!(
        "wgmma.fence.sync.aligned;
        {}wgmma.commit_group.sync.aligned;
        call begin, (%da, %db);
        call (%r0), other, (%t);
        call wait, ();
        mov.b32 %d3, %r0;\n",
        product("%da", "%db"),
    );
    let text = halves(&body).replacen(".visible .entry", &functions, 1);
    for way in WAYS {
        let sums = execute_as(way, &text, 128, ONE, 1f32.to_bits()).unwrap();
        for (thread, sums) in sums.chunks(4).take(128).enumerate() {
            let own = 17f32.to_bits();
            assert_eq!(sums, [own, own, own, thread as u32 + 39], "{way:?}, {thread}");
        }
    }
}

/// Descriptors have no room for the rank of a block: each reads its own memory.
#[test]
fn blocks_of_a_cluster_multiply_their_own_matrices() {
    let body = format!(
        "mov.u32 %r0, %ctaid.x;
        mul.lo.u32 %r2, %r0, {}; cvt.u64.u32 %rd4, %r2; add.u64 %rd2, %rd2, %rd4;
        mad.lo.u32 %r2, %t, 16, %s;
        setp.eq.u32 %p, %r0, 0;
        @%p bra STORED;
        st.shared.v4.u32 [%r2], {{0x40004000, 0x40004000, 0x40004000, 0x40004000}};
        STORED:
        bar.sync 0;
        fence.proxy.async;
        wgmma.fence.sync.aligned;
        {}{END}",
        128 * 16,
        product("%da", "%db"),
    );
    let arguments = [ONE.to_le_bytes().repeat(1024), vec![0; 2048], vec![0; 4096], vec![0; 512]];
    let arguments = arguments.map(Argument::Buffer).to_vec();
    let pair = Launch { grid: [2, 1, 1], cluster: Some([2, 1, 1]), ..Launch::new("k") };
    for way in WAYS {
        let buffers = launch_as(&pair, &halves(&body), 128, way, arguments.clone()).unwrap();
        let sums = words(buffers[2].as_deref().unwrap());
        assert_eq!(sums, [vec![16f32.to_bits(); 512], vec![64f32.to_bits(); 512]].concat(), "{way:?}");
    }
}

#[test]
fn sums_of_integers_wrap_or_are_limited() {
    // 32 products of 127 and 127 in each sum.
    for (suffix, first, expected) in [
        ("", i32::MAX, i32::MAX.wrapping_add(32 * 127 * 127)),
        (".satfinite", i32::MAX, i32::MAX),
        (".satfinite", i32::MIN, i32::MIN + 32 * 127 * 127),
    ] {
        let body = format!(
            "wgmma.fence.sync.aligned;
            wgmma.mma_async.sync.aligned.m64n8k32{suffix}.s32.s8.s8 {D}, %da, %db, 1;\n{END}"
        );
        let sums = execute(&halves(&body), 128, 0x7f7f, first as u32).unwrap();
        assert_eq!(sums, [vec![expected as u32; 512], vec![first as u32; 512]].concat(), "{suffix}");
    }
    let case = Case { suffix: ".satfinite", ..Case::new(16, [Type::S32, Type::S8, Type::U8]) };
    case.check();
    Case { place: A::Registers, ..case }.check();
    let sparse = Case { k: 64, selector: Some(0), ..case };
    sparse.check();
    Case { place: A::Registers, ..sparse }.check();
}

/// Sums of random bits, which are not exact: the manual leaves their rounding open, and both instructions do it alike here.
#[test]
fn products_agree_with_those_of_mma() {
    let mut state = 7u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    // Values of 10 bits after the point, with exponents from -8 to 7.
    let mut halves = |count: usize| -> Vec<u8> {
        (0..count)
            .flat_map(|_| {
                let bits = random();
                let half = (bits & 0x83ff) | (7 + (bits >> 16 & 15)) << 10;
                (half as u16).to_le_bytes()
            })
            .collect()
    };
    let (shared, a) = (halves(128), halves(128 * 8));
    let d: Vec<u8> = (0..512i32).flat_map(|at| (at as f32 / 7.0 - 30.0).to_le_bytes()).collect();
    let layout = Layout { swizzle: 16, mn_major: false, leading: 128, stride: 256 };
    let of_group = format!(
        "wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {D}, {}, %db, 1, 1, 1, 0;\n{END}",
        registers("a", 4)
    );
    // A lane has two neighbours along K of column lane / 4, in each of two registers; 16 bytes hold eight.
    let of_warps = format!(
        "and.b32 %r0, %t, 31; shr.u32 %r1, %r0, 2; and.b32 %r0, %r0, 3;
        mad.lo.u32 %r1, %r1, 16, %s; mad.lo.u32 %r1, %r0, 4, %r1;
        ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+128];
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D}, {}, {{%r2, %r3}}, {D};\n",
        registers("a", 4)
    );
    let run = |body: &str| {
        let text = kernel(256, [0, 0], [layout.descriptor(); 2], 4, body);
        let arguments = [shared.clone(), a.clone(), d.clone(), vec![0; 512]].map(Argument::Buffer).to_vec();
        launch(&text, 128, Completion::Eager, arguments).unwrap_or_else(|error| panic!("{error:?}"))[2]
            .clone()
            .unwrap()
    };
    let sums = run(&of_group);
    assert_ne!(sums, d);
    assert_eq!(sums, run(&of_warps));
}

#[test]
fn sums_of_halves_round_to_the_even_one_of_two_neighbours() {
    // Between 2048 and 4096 there are the even numbers: 2050 (0x6801) and 1 are as near to 2050 as to 2052 (0x6802), of which the
    // latter has an even significand; 2050 and -1 are as near to 2048 (0x6800). The 16 products are 0.25 * 0.25 each.
    for (sign, expected) in [(1, 0x6802_6802), (-1, 0x6800_6800)] {
        let body = format!(
            "wgmma.fence.sync.aligned;
            wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {D}, %da, %db, 1, 1, {sign}, 0, 0;\n{END}"
        );
        assert_eq!(execute(&halves(&body), 128, 0x3400, 0x6801_6801).unwrap()[..512], vec![expected; 512]);
    }
}

#[test]
fn descriptors_outside_of_shared_memory_are_faults() {
    for (register, change) in [("%da", 1u64 << 10), ("%db", 1 << 10), ("%db", 0x3f00 << 32)] {
        let body = format!(
            "or.b64 {register}, {register}, {change:#x};
            wgmma.fence.sync.aligned;\n
            wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {D}, %da, %db, 1, 1, 1, 0, 0;\n{END}"
        );
        match execute(&halves(&body), 128, ONE, 0) {
            Err(TrapKind::Fault(fault)) => assert_eq!(fault.kind, FaultKind::OutOfBounds, "{change:#x}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn wrong_descriptors_are_reported() {
    let one = product("%da", "%db");
    let with = |change: &str| misuse(execute(&halves(&format!("{change}\n{one}{END}")), 128, ONE, 0));
    for bit in [14, 30, 46, 48, 52, 61] {
        let text = with(&format!("or.b64 %db, %db, {:#x};", 1u64 << bit));
        assert!(text.contains("bits 0x"), "{text}");
    }
    // In the third piece of 16 bytes of a row of 32.
    let text = with("or.b64 %da, %da, 0xc000000000000001;");
    assert!(text.contains("does not fit into a row of 32 bytes"), "{text}");
    let of_thread = with("cvt.u64.u32 %rd4, %t; and.b64 %rd4, %rd4, 1; add.u64 %db, %db, %rd4;");
    assert!(of_thread.contains("different matrix descriptors"), "{of_thread}");
    let of_warp = with("cvt.u64.u32 %rd4, %t; shr.u64 %rd4, %rd4, 6; add.u64 %db, %db, %rd4;");
    assert!(of_warp.contains("warps of a warpgroup give different"), "{of_warp}");
    let scale = "setp.eq.u32 %p, %t, 3;";
    let one = one.replace("%db, 1,", "%db, %p,");
    let text = misuse(execute(&halves(&format!("{scale}\n{one}{END}")), 128, ONE, 0));
    assert!(text.contains("different values of `scale-d`"), "{text}");
}

#[test]
fn parts_of_a_warpgroup_are_reported() {
    let one = product("%da", "%db");
    let all = format!("{one}{END}");
    // Three warps; one that is not whole; threads that do not take part; a warp that leaves; a warp that does something else.
    assert!(misuse(execute(&halves(&all), 96, ONE, 0)).contains("warp 3 does not exist"));
    assert!(misuse(execute(&halves(&all), 120, ONE, 0)).contains("four whole warps"));
    let some = format!("setp.lt.u32 %p, %t, 100;\n@%p {all}");
    assert!(misuse(execute(&halves(&some), 128, ONE, 0)).contains("have to come to it together"));
    let left = format!("setp.ge.u32 %p, %t, 64;\n@%p exit;\n{all}");
    assert!(misuse(execute(&halves(&left), 128, ONE, 0)).contains("warp 2 has threads that have exited"));
    let leaves = format!("{one}\nsetp.lt.u32 %p, %t, 96;\n@!%p exit;\n{all}");
    assert!(misuse(execute(&halves(&leaves), 128, ONE, 0)).contains("warp 3 has threads that have exited"));
    let other = format!("setp.lt.u32 %p, %t, 32;\n@%p bra OTHER;\n{all}\nbra OUT;\nOTHER:\n{all}\nOUT:\n");
    assert!(misuse(execute(&halves(&other), 128, ONE, 0)).contains("different `wgmma` instructions"));
}

#[test]
fn a_warp_that_waits_for_another_which_never_comes_is_a_deadlock() {
    let one = product("%da", "%db");
    let body = format!("setp.lt.u32 %p, %t, 96;\n@!%p bar.sync 1, 64;\n{one}{END}");
    match execute(&halves(&body), 128, ONE, 0) {
        Err(TrapKind::Deadlock(text)) => assert!(text.contains("wait for the other warps"), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn metadata_that_is_no_choice_of_two_is_reported() {
    let sparse = |of: &str| {
        format!(
            "wgmma.fence.sync.aligned;
            {of}
            wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {D}, {}, %db, %e, 0, 1, 1, 1, 0;\n{END}",
            registers("a", 4)
        )
    };
    let layout = Layout { swizzle: 16, mn_major: false, leading: 128, stride: 256 };
    let text = |of: &str| kernel(2048, [0, 0], [layout.descriptor(); 2], 4, &sparse(of));
    assert_eq!(execute(&text(""), 128, ONE, 0).unwrap()[0], 16f32.to_bits());
    let found = misuse(execute(&text("mov.u32 %e, 0x44444464; mov.u32 %e, 0x44444454;"), 128, ONE, 0));
    assert!(found.contains("bits 4 to 7 of the metadata are 0b0101"), "{found}");
}

#[test]
fn products_without_a_fence_find_what_registers_held_before() {
    // Manual 9.7.15.7.1: a fence orders what was written to D and to the registers of A. Halves of 1 and 16 columns make 16.
    const FENCE: &str = "wgmma.fence.sync.aligned;";
    let of_d = |fence: &str| format!("{fence} {}{END}", product("%da", "%db"));
    let of_a = |fence: &str| {
        format!(
            "{fence} wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {D}, {}, %db, 0, 1, 1, 0; {END}",
            registers("a", 4)
        )
    };
    // D is doubled after the first product; the second one finds it, or what it was before that.
    let twice = |fence: &str| {
        let double = (0..4).map(|n| format!("add.f32 %d{n}, %d{n}, %d{n};")).collect::<String>();
        format!("{FENCE} {}{END} {double} {fence} {}{END}", product("%da", "%db"), product("%da", "%db"))
    };
    // Between products on the same D no fence is needed, in flight or not.
    let same = |_: &str| format!("{FENCE} {0}{END} {0} {0} {END} {0} {END}", product("%da", "%db"));
    type Body<'a> = &'a dyn Fn(&str) -> String;
    let cases: [(Body<'_>, f32, f32); 4] = [
        (&of_d, 3.0 + 16.0, 16.0),
        (&of_a, 16.0, 0.0),
        (&twice, 2.0 * 19.0 + 16.0, 19.0 + 16.0),
        (&same, 67.0, 67.0),
    ];
    for (body, right, wrong) in cases {
        let first = |way, fence: &str| {
            let text = halves(&body(fence));
            let sums = execute_as(way, &text, 128, ONE, 3f32.to_bits()).unwrap();
            assert!(sums[..512].iter().all(|sum| *sum == sums[0]), "{way:?}\n{text}");
            f32::from_bits(sums[0])
        };
        for way in WAYS.into_iter().chain((0..8).map(Completion::Random)) {
            assert_eq!(first(way, FENCE), right, "{way:?}");
        }
        assert_eq!((first(Completion::Eager, ""), first(Completion::Late, "")), (right, wrong));
    }
}
