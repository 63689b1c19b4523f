//! Barriers in shared memory, bulk copies, clusters of one block, and the stack (manual 9.7.13.15, 9.7.9.25.4, 9.7.13.3, 9.7.17).

use crate::common::execute;
use ptx_exec::{Argument, ExecError, FaultKind, Launch, Space, TrapKind};

fn launch(threads: u32, body: &str, buffer: Vec<u8>) -> Result<Vec<u8>, TrapKind> {
    launch_of("8.6", threads, body, buffer)
}

/// The same of a program of a version.
fn launch_of(version: &str, threads: u32, body: &str, buffer: Vec<u8>) -> Result<Vec<u8>, TrapKind> {
    let text = format!(".version {version}\n.target sm_100\n.address_size 64\n{body}");
    let arguments = vec![Argument::Buffer(buffer)];
    let launch = Launch { block: [threads, 1, 1], arguments, ..Launch::new("k") };
    match execute(&text, &launch) {
        Ok(outcome) => Ok(outcome.buffers[0].clone().unwrap()),
        Err(ExecError::Trap(trap)) => Err(trap.kind),
        Err(other) => panic!("{other:?}\n{body}"),
    }
}

/// A kernel with the address of its buffer in `%out`, and the thread's number in `%t`.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 p) {{
            .reg .pred %p, %q; .reg .b32 %t, %r<20>; .reg .b64 %out, %rd<20>; .shared .align 128 .b8 s[1024];
            .shared .b64 bar;
            ld.param.u64 %out, [p]; mov.u32 %t, %tid.x;
            {body}
            ret; }}"
    )
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn misuse(result: Result<Vec<u8>, TrapKind>) -> String {
    match result {
        Err(TrapKind::Misuse(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn threads_meet_at_a_barrier_phase_after_phase() {
    // In each of three phases a thread leaves its number times the phase, and adds what the next thread left.
    for wait in [
        "mbarrier.test_wait.shared.b64 %p, [bar], %rd1;",
        "mbarrier.try_wait.shared.b64 %p, [bar], %rd1;",
        "mbarrier.test_wait.parity.shared.b64 %p, [bar], %r6;",
    ] {
        let body = kernel(&format!(
            "setp.eq.u32 %q, %t, 0;
            @%q mbarrier.init.shared.b64 [bar], 96;
            bar.sync 0;
            mov.u32 %r1, 1; mov.u32 %r2, 0; mov.b32 %r3, s;
            mad.lo.u32 %r4, %t, 4, %r3;
            add.u32 %r5, %t, 1; rem.u32 %r5, %r5, 96; mad.lo.u32 %r5, %r5, 4, %r3;
            LOOP:
            mul.lo.u32 %r7, %t, %r1;
            st.shared.u32 [%r4], %r7;
            sub.u32 %r6, %r1, 1; and.b32 %r6, %r6, 1;
            mbarrier.arrive.shared.b64 %rd1, [bar];
            WAIT:
            {wait}
            @!%p bra WAIT;
            ld.shared.u32 %r7, [%r5];
            add.u32 %r2, %r2, %r7;
            // No one overwrites what is still read.
            bar.sync 0;
            add.u32 %r1, %r1, 1;
            setp.le.u32 %q, %r1, 3;
            @%q bra LOOP;
            mad.wide.u32 %rd2, %t, 4, %out;
            st.global.u32 [%rd2], %r2;"
        ));
        let left = words(&launch(96, &body, vec![0; 384]).unwrap());
        let expected: Vec<u32> = (0..96).map(|thread| (thread + 1) % 96 * (1 + 2 + 3)).collect();
        assert_eq!(left, expected, "{wait}");
    }
}

#[test]
fn a_state_holds_the_arrivals_that_were_pending() {
    let body = kernel(
        "mbarrier.init.shared.b64 [bar], 5;
        mbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 2;
        mbarrier.arrive_drop.noComplete.shared.b64 %rd2, [bar], 1;
        mbarrier.pending_count.b64 %r1, %rd1;
        mbarrier.pending_count.b64 %r2, %rd2;
        // The phase waits for two more, the next one for four.
        mbarrier.arrive.shared.b64 %rd3, [bar], 2;
        mbarrier.arrive.noComplete.shared.b64 %rd4, [bar], 1;
        mbarrier.pending_count.b64 %r3, %rd4;
        mbarrier.test_wait.shared.b64 %p, [bar], %rd3;
        mbarrier.test_wait.shared.b64 %q, [bar], %rd4;
        selp.u32 %r4, 1, 0, %p;
        selp.u32 %r5, 1, 0, %q;
        mbarrier.inval.shared.b64 [bar];
        st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};
        st.global.u32 [%out+16], %r5;",
    );
    assert_eq!(words(&launch(1, &body, vec![0; 20]).unwrap()), [5, 3, 4, 1, 0]);
}

#[test]
fn a_barrier_counts_the_bytes_of_a_bulk_copy() {
    let body = kernel(
        "mbarrier.init.shared.b64 [bar], 1;
        mov.b32 %r1, s;
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 48;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%out], 32, [bar];
        mbarrier.test_wait.shared.b64 %p, [bar], %rd1;
        selp.u32 %r2, 1, 0, %p;
        cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1+32], [%out+32], 16, [bar];
        mbarrier.test_wait.shared.b64 %p, [bar], %rd1;
        selp.u32 %r3, 1, 0, %p;
        ld.shared.u32 %r4, [s+44];
        st.bulk.shared::cta [%r1], 16, 0;
        cp.async.bulk.global.shared::cta.bulk_group [%out+64], [%r1], 48;
        cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out+112], [%r1+16], 16, 0x8001;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0;
        st.global.v2.u32 [%out+128], {%r2, %r3};
        st.global.u32 [%out+136], %r4;",
    );
    let memory: Vec<u8> = (1..=140).collect();
    let left = launch(1, &body, memory.clone()).unwrap();
    assert_eq!(left[..64], memory[..64]);
    assert_eq!(left[64..80], [0; 16]);
    assert_eq!(left[80..112], memory[16..48]);
    let masked: Vec<u8> = (112..128)
        .map(|at| {
            if at == 112 {
                17
            } else if at == 127 {
                32
            } else {
                at + 1
            }
        })
        .collect();
    assert_eq!(left[112..128], masked);
    assert_eq!(words(&left[128..]), [0, 1, u32::from_le_bytes([45, 46, 47, 48])]);
}

/// What a bulk reduction makes of 16 bytes of global memory.
fn reduced(operation: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let body = kernel(&format!(
        "mov.b32 %r1, s;
        ld.global.v2.b64 {{%rd1, %rd2}}, [%out+16];
        st.shared.v2.b64 [s+32], {{%rd1, %rd2}};
        cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation} [%out], [%r1+32], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;"
    ));
    let left = launch_of("9.4", 1, &body, [old, new].concat()).unwrap();
    assert_eq!(left[16..], *new, "{operation}");
    left[..16].to_vec()
}

/// The same of shared memory, of which a barrier is told.
fn reduced_near(operation: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let body = kernel(&format!(
        "mbarrier.init.shared.b64 [bar], 1;
        mov.b32 %r1, s;
        ld.global.v2.b64 {{%rd1, %rd2}}, [%out];
        st.shared.v2.b64 [s+16], {{%rd1, %rd2}};
        ld.global.v2.b64 {{%rd1, %rd2}}, [%out+16];
        st.shared.v2.b64 [s+32], {{%rd1, %rd2}};
        mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 16;
        mbarrier.test_wait.shared.b64 %q, [bar], %rd3;
        cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{operation} [%r1+16], [%r1+32], 16, [bar];
        mbarrier.test_wait.shared.b64 %p, [bar], %rd3;
        @%q trap;
        @!%p trap;
        ld.shared.v2.b64 {{%rd1, %rd2}}, [s+16];
        st.global.v2.b64 [%out], {{%rd1, %rd2}};"
    ));
    launch(1, &body, [old, new].concat()).unwrap()[..16].to_vec()
}

fn of_32(values: [u32; 4]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn of_64(values: [u64; 2]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn of_16(values: [u16; 8]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn bulk_reductions_combine_words_of_both_memories() {
    const MINUS_ONE: u32 = u32::MAX;
    for (operation, old, new, expected) in [
        (
            "and.b32",
            [0xff00_ff00, 0x1234_5678, 0, 7],
            [0x0ff0_0ff0, 0xffff, 5, 5],
            [0x0f00_0f00, 0x5678, 0, 5],
        ),
        (
            "or.b32",
            [0xff00_ff00, 0x1234_5678, 0, 7],
            [0x0ff0_0ff0, 0xffff, 5, 8],
            [0xfff0_fff0, 0x1234_ffff, 5, 15],
        ),
        (
            "xor.b32",
            [0xff00_ff00, 0x1234_5678, 0, 7],
            [0x0ff0_0ff0, 0xffff, 5, 7],
            [0xf0f0_f0f0, 0x1234_a987, 5, 0],
        ),
        ("add.u32", [MINUS_ONE, 1, 0x7fff_ffff, 40], [2, 2, 1, 2], [1, 3, 0x8000_0000, 42]),
        ("add.s32", [MINUS_ONE, 1, 0x8000_0000, 40], [2, MINUS_ONE, MINUS_ONE, 2], [1, 0, 0x7fff_ffff, 42]),
        // Up to the operand, then 0; down to 0, then the operand.
        ("inc.u32", [3, 5, 6, 0], [5, 5, 5, 0], [4, 0, 0, 0]),
        ("dec.u32", [3, 0, 9, 5], [5, 7, 5, 5], [2, 7, 5, 4]),
        ("min.u32", [1, MINUS_ONE, 5, 4], [MINUS_ONE, 1, 4, 5], [1, 1, 4, 4]),
        ("max.u32", [1, MINUS_ONE, 5, 4], [MINUS_ONE, 1, 4, 5], [MINUS_ONE, MINUS_ONE, 5, 5]),
        ("min.s32", [1, MINUS_ONE, 5, 4], [MINUS_ONE, 1, 4, 5], [MINUS_ONE, MINUS_ONE, 4, 4]),
        ("max.s32", [1, MINUS_ONE, 5, 4], [MINUS_ONE, 1, 4, 5], [1, 1, 5, 5]),
    ] {
        assert_eq!(reduced(operation, &of_32(old), &of_32(new)), of_32(expected), "{operation}");
        assert_eq!(reduced_near(operation, &of_32(old), &of_32(new)), of_32(expected), "{operation}");
    }
    const MINUS_TWO: u64 = u64::MAX - 1;
    let sum = of_64([1 << 32, 1]);
    assert_eq!(reduced("add.u64", &of_64([0xffff_ffff, u64::MAX]), &of_64([1, 2])), sum);
    assert_eq!(reduced_near("add.u64", &of_64([0xffff_ffff, u64::MAX]), &of_64([1, 2])), sum);
    for (operation, old, new, expected) in [
        ("and.b64", [0xff00 << 40, 7], [0x0ff0 << 40, 5], [0x0f00 << 40, 5]),
        ("or.b64", [0xff00 << 40, 7], [0x0ff0 << 40, 8], [0xfff0 << 40, 15]),
        ("xor.b64", [0xff00 << 40, 7], [0x0ff0 << 40, 7], [0xf0f0 << 40, 0]),
        ("min.u64", [MINUS_TWO, 1 << 40], [3, 1 << 41], [3, 1 << 40]),
        ("max.u64", [MINUS_TWO, 1 << 40], [3, 1 << 41], [MINUS_TWO, 1 << 41]),
        ("min.s64", [MINUS_TWO, 1 << 40], [3, 1 << 41], [MINUS_TWO, 1 << 40]),
        ("max.s64", [MINUS_TWO, 1 << 40], [3, 1 << 41], [3, 1 << 41]),
    ] {
        assert_eq!(reduced(operation, &of_64(old), &of_64(new)), of_64(expected), "{operation}");
    }
}

#[test]
fn bulk_reductions_round_to_nearest() {
    // 1 + 2^-24 is halfway to the next number, and the even one is 1. The others have subnormal arguments or results.
    let old = of_32([0x3f80_0000, 1, 0x8000_0001, 0x0080_0001]);
    let new = of_32([0x3380_0000, 1, 0x8000_0000, 0x8080_0000]);
    assert_eq!(reduced("add.f32", &old, &new), of_32([0x3f80_0000, 0, 0x8000_0000, 0]));
    assert_eq!(reduced("add.noftz.f32", &old, &new), of_32([0x3f80_0000, 2, 0x8000_0001, 1]));
    let (one, half_a_step) = (1f64.to_bits(), 2f64.powi(-53).to_bits());
    assert_eq!(reduced("add.f64", &of_64([one + 1, 1]), &of_64([half_a_step, 1])), of_64([one + 2, 2]));
    // In order: halfway to the next number (2), subnormal numbers (2), overflow, no number, 1 - 1, 2 + 1.
    assert_eq!(
        reduced(
            "add.noftz.f16",
            &of_16([0x3c00, 0x3c01, 1, 0x8001, 0x7bff, 0x7c00, 0x3c00, 0x4000]),
            &of_16([0x1000, 0x1000, 1, 0x8000, 0x7bff, 0xfc00, 0xbc00, 0x3c00]),
        ),
        of_16([0x3c00, 0x3c02, 2, 0x8001, 0x7c00, 0x7fff, 0, 0x4200])
    );
    assert_eq!(
        reduced(
            "add.noftz.bf16",
            &of_16([0x3f80, 0x3f81, 1, 0x8001, 0x7f7f, 0x7f80, 0x3f80, 0x4000]),
            &of_16([0x3b80, 0x3b80, 1, 0x8000, 0x7f7f, 0xff80, 0xbf80, 0x3f80]),
        ),
        of_16([0x3f80, 0x3f82, 2, 0x8001, 0x7f80, 0x7fff, 0, 0x4040])
    );
    for (one, two, infinite) in [(0x3c00, 0x4000, 0x7c00), (0x3f80, 0x4000, 0x7f80)] {
        let minus = 0x8000;
        let old = of_16([one, minus | one, 1, 0, two, infinite, minus | infinite, minus | 1]);
        let new = of_16([two, one, 2, minus, one, one, one, minus | 2]);
        let smaller = of_16([one, minus | one, 1, minus, one, one, minus | infinite, minus | 2]);
        let larger = of_16([two, one, 2, 0, two, infinite, one, minus | 1]);
        let ty = if one == 0x3c00 { "f16" } else { "bf16" };
        assert_eq!(reduced(&format!("min.{ty}"), &old, &new), smaller, "{ty}");
        assert_eq!(reduced(&format!("max.{ty}"), &old, &new), larger, "{ty}");
    }
}

#[test]
fn bulk_reductions_have_sizes_and_places() {
    let far = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32";
    let near = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32";
    let with = |line: String| {
        let start = "mov.b32 %r1, s; mov.u32 %r2, 24; mov.u32 %r3, 32; mbarrier.init.shared.b64 [bar], 1;";
        launch(1, &kernel(&format!("{start} {line}")), vec![0; 64])
    };
    assert!(misuse(with(format!("{far} [%out], [%r1], %r2;"))).contains("24 bytes are not a multiple of 16"));
    assert!(
        misuse(with(format!("{near} [%r1], [%r1+64], 16, [%r1+128];"))).contains("no initialized barrier")
    );
    let fault = |line: String| match with(line) {
        Err(TrapKind::Fault(fault)) => (fault.kind, fault.space),
        other => panic!("{other:?}"),
    };
    let (misaligned, outside) = (FaultKind::Misaligned, FaultKind::OutOfBounds);
    assert_eq!(fault(format!("{far} [%out+8], [%r1], 16;")), (misaligned, Space::Global));
    assert_eq!(fault(format!("{far} [%out], [%r1+4], 16;")), (misaligned, Space::Shared));
    assert_eq!(fault(format!("{near} [%r1+8], [%r1+64], 16, [bar];")), (misaligned, Space::SharedCluster));
    assert_eq!(fault(format!("{far} [%out+48], [%r1], %r3;")), (outside, Space::Global));
    assert_eq!(fault(format!("{near} [%r1+4096], [%r1+64], 16, [bar];")), (outside, Space::SharedCluster));
    assert_eq!(fault(format!("{near} [%r1], [%r1+4096], 16, [bar];")), (outside, Space::Shared));
    // Nothing is combined where the size is 0.
    assert!(with(format!("mov.u32 %r2, 0; {far} [%out], [%r1], %r2;")).is_ok());
}

/// What 32 bytes of shared memory hold after a line that tells a barrier of so many bytes; they are at `[%r9]`, and at the
/// generic address `[%rd9]`. The barrier is at `[%r8]`, and `[%rd8]`.
fn told(line: &str, bytes: u32, old: &[u8; 32]) -> Result<Vec<u8>, TrapKind> {
    let body = kernel(&format!(
        ".reg .b128 %rq; .reg .f32 %f<3>; .reg .f64 %fd<3>;
        mov.b32 %r1, 0x11111111; mov.b32 %r2, 0x22222222; mov.b32 %r3, 0x33333333; mov.b32 %r4, 0x44444444;
        mov.b64 %rd1, 0x8877665544332211; mov.b64 %rd2, 0x1122334455667788; mov.b128 %rq, {{%rd1, %rd2}};
        mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0fC0000000; mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd2, 0dC000000000000000;
        mov.b32 %r9, s; cvt.u64.u32 %rd9, %r9; cvta.shared.u64 %rd9, %rd9;
        mov.b32 %r8, bar; cvt.u64.u32 %rd8, %r8; cvta.shared.u64 %rd8, %rd8;
        ld.global.v4.b64 {{%rd10, %rd11, %rd12, %rd13}}, [%out];
        st.shared.v2.b64 [s], {{%rd10, %rd11}};
        st.shared.v2.b64 [s+16], {{%rd12, %rd13}};
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], {bytes};
        mbarrier.test_wait.shared.b64 %q, [bar], %rd3;
        {line}
        mbarrier.test_wait.shared.b64 %p, [bar], %rd3;
        @%q trap;
        @!%p trap;
        ld.shared.v2.b64 {{%rd10, %rd11}}, [s];
        ld.shared.v2.b64 {{%rd12, %rd13}}, [s+16];
        st.global.v4.b64 [%out], {{%rd10, %rd11, %rd12, %rd13}};"
    ));
    launch_of("9.3", 1, &body, old.to_vec())
}

#[test]
fn asynchronous_stores_tell_a_barrier_of_their_bytes() {
    const DONE: &str = "mbarrier::complete_tx::bytes";
    let words = [0x1111_1111u32, 0x2222_2222, 0x3333_3333, 0x4444_4444].map(u32::to_le_bytes).concat();
    let longs = [0x8877_6655_4433_2211u64, 0x1122_3344_5566_7788].map(u64::to_le_bytes).concat();
    let singles = [1f32, -2.0, 1.0, -2.0].map(f32::to_le_bytes).concat();
    let doubles = [1f64, -2.0].map(f64::to_le_bytes).concat();
    for (line, stored) in [
        (format!("st.async.shared::cluster.{DONE}.b32 [%r9+16], %r1, [%r8];"), &words[..4]),
        (format!("st.async.weak.shared::cluster.{DONE}.s64 [%r9+16], %rd1, [%r8];"), &longs[..8]),
        (
            format!("st.async.cluster.shared::cluster.{DONE}.v2.u32 [%r9+16], {{%r1, %r2}}, [%r8];"),
            &words[..8],
        ),
        (
            format!("st.async.shared::cluster.{DONE}.v4.b32 [%r9+16], {{%r1, %r2, %r3, %r4}}, [%r8];"),
            &words[..],
        ),
        (format!("st.async.shared::cluster.{DONE}.v2.b64 [%r9+16], {{%rd1, %rd2}}, [%r8];"), &longs[..]),
        (
            format!("st.async.shared::cluster.{DONE}.v4.f32 [%r9+16], {{%f1, %f2, %f1, %f2}}, [%r8];"),
            &singles[..],
        ),
        (format!("st.async.{DONE}.v2.f64 [%rd9+16], {{%fd1, %fd2}}, [%rd8];"), &doubles[..]),
        (format!("st.async.weak.{DONE}.b32 [%rd9+16], %r1, [%rd8];"), &words[..4]),
        (format!("st.async.shared::cluster.{DONE}.b128 [%r9+16], %rq, [%r8];"), &longs[..]),
        (format!("st.async.shared::cta.{DONE}.v2.b32 [%r9+16], {{%r1, %r2}}, [%r8];"), &words[..8]),
        ("st.async.shared::cta.v2.b32 [%r9+16], {%r1, %r2}, [%r8];".to_owned(), &words[..8]),
        ("st.async.weak.shared::cta.b128 [%r9+16], %rq, [%r8];".to_owned(), &longs[..]),
    ] {
        let mut expected = [0xaa; 32];
        expected[16..16 + stored.len()].copy_from_slice(stored);
        let bytes = stored.len() as u32;
        let left = told(&line, bytes, &[0xaa; 32]);
        assert!(left.as_ref().is_ok_and(|left| *left == expected), "{line}: {left:x?}");
        // No other number of bytes completes the phase.
        for other in [bytes - 1, bytes + 1] {
            assert!(matches!(told(&line, other, &[0xaa; 32]), Err(TrapKind::Trap)), "{line}");
        }
        // Without a guard that holds neither memory nor the barrier changes.
        let guarded = format!("setp.ne.u32 %p, %r1, %r1; @%p {line}");
        assert!(matches!(told(&guarded, bytes, &[0xaa; 32]), Err(TrapKind::Trap)), "{line}");
    }
}

#[test]
fn asynchronous_reductions_tell_a_barrier_of_their_bytes() {
    const MINUS_ONE: u64 = u32::MAX as u64;
    for (operation, old, new, bytes, expected) in [
        // Up to the operand, then 0; down to 0, then the operand.
        ("inc.u32", 3, 5, 4, 4),
        ("inc.u32", 5, 5, 4, 0),
        ("dec.u32", 3, 5, 4, 2),
        ("dec.u32", 0, 5, 4, 5),
        ("dec.u32", 9, 5, 4, 5),
        ("min.u32", MINUS_ONE, 5, 4, 5),
        ("min.s32", MINUS_ONE, 5, 4, MINUS_ONE),
        ("max.u32", MINUS_ONE, 5, 4, MINUS_ONE),
        ("max.s32", MINUS_ONE, 5, 4, 5),
        ("add.u32", MINUS_ONE, 5, 4, 4),
        ("add.s32", MINUS_ONE, MINUS_ONE, 4, MINUS_ONE - 1),
        ("add.u64", MINUS_ONE, 5, 8, MINUS_ONE + 5),
        ("and.b32", 0xff00, 0x0ff0, 4, 0x0f00),
        ("or.b32", 0xff00, 0x0ff0, 4, 0xfff0),
        ("xor.b32", 0xff00, 0x0ff0, 4, 0xf0f0),
    ] {
        let mut memory = [0; 32];
        memory[8..16].copy_from_slice(&old.to_le_bytes());
        let value = if bytes == 8 { "%rd1" } else { "%r1" };
        for (space, to, barrier) in [(".shared::cluster", "%r9+8", "%r8"), ("", "%rd9+8", "%rd8")] {
            let line = format!(
                "mov.b64 %rd1, {new}; cvt.u32.u64 %r1, %rd1;
                red.async.relaxed.cluster{space}.mbarrier::complete_tx::bytes.{operation} [{to}], {value}, [{barrier}];"
            );
            let mut wanted = [0; 32];
            wanted[8..16].copy_from_slice(&u64::to_le_bytes(expected));
            assert_eq!(told(&line, bytes, &memory).unwrap(), wanted, "{line}");
            assert!(matches!(told(&line, bytes * 2, &memory), Err(TrapKind::Trap)), "{line}");
        }
        // In global memory no barrier is told.
        for space in [".global", ""] {
            let line = format!(
                "mov.b64 %rd1, {new}; cvt.u32.u64 %r1, %rd1;
                red.async.release.gpu{space}.{operation} [%out+8], {value};
                red.async.mmio.release.sys.global.add.u32 [%out], 7;"
            );
            let left = launch_of("9.3", 1, &kernel(&line), memory.to_vec()).unwrap();
            assert_eq!(
                (&left[..8], &left[8..16]),
                (&[7, 0, 0, 0, 0, 0, 0, 0][..], &u64::to_le_bytes(expected)[..])
            );
        }
    }
}

#[test]
fn asynchronous_stores_without_a_barrier_store() {
    let body = kernel(
        ".reg .b8 %b; .reg .b16 %h;
        mov.b64 %rd1, 0x8877665544332211; cvt.u32.u64 %r1, %rd1; cvt.u16.u32 %h, %r1; cvt.u8.u16 %b, %h;
        st.async.release.gpu.global.u8 [%out], %b;
        st.async.release.sys.b16 [%out+2], %h;
        st.async.mmio.release.sys.global.s32 [%out+4], %r1;
        st.async.release.gpu.global.f64 [%out+8], 0d3FF0000000000000;
        st.async.release.gpu.b64 [%out+16], %rd1;
        mov.b32 %r2, s;
        st.async.weak.shared::cta.u16 [%r2+6], %h;
        ld.shared.u16 %r3, [s+6];
        st.async.global.b32 [%out+24], %r3;",
    );
    let left = launch_of("9.3", 1, &body, vec![0; 28]).unwrap();
    assert_eq!(left[..8], [0x11, 0, 0x11, 0x22, 0x11, 0x22, 0x33, 0x44]);
    assert_eq!(left[8..16], 1f64.to_le_bytes());
    assert_eq!(left[16..], [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x11, 0x22, 0, 0]);
}

#[test]
fn asynchronous_stores_and_reductions_have_places() {
    const DONE: &str = "mbarrier::complete_tx::bytes";
    let with = |line: &str| told(line, 4, &[0; 32]);
    for line in [
        format!("st.async.{DONE}.b32 [%out], %r1, [%rd8];"),
        format!("red.async.relaxed.cluster.{DONE}.add.u32 [%out], %r1, [%rd8];"),
    ] {
        let text = misuse(with(&line));
        assert!(text.contains("is in .global, expected one in .shared"), "{text}");
    }
    for line in ["st.async.release.gpu.b32 [%rd9], %r1;", "red.async.release.gpu.add.u32 [%rd9], %r1;"] {
        let text = misuse(with(line));
        assert!(text.contains("is in .shared::cluster, expected one in .global"), "{text}");
    }
    let null = "mov.b64 %rd1, 0; st.async.release.gpu.b32 [%rd1], %r1;";
    assert!(misuse(with(null)).contains("the address 0x0 is in no state space"));
    let barrier = format!("st.async.{DONE}.b32 [%rd9], %r1, [%out];");
    assert!(misuse(with(&barrier)).contains("a barrier lies in shared memory"));
    let barrier = format!("red.async.relaxed.cluster.shared::cluster.{DONE}.inc.u32 [%r9], %r1, [%r9+64];");
    assert!(misuse(with(&barrier)).contains("no initialized barrier"));
    for (line, kind, space) in [
        (
            format!("st.async.shared::cluster.{DONE}.v4.b32 [%r9+8], {{%r1, %r1, %r1, %r1}}, [%r8];"),
            FaultKind::Misaligned,
            Space::SharedCluster,
        ),
        (
            format!("st.async.shared::cluster.{DONE}.b32 [%r9+4096], %r1, [%r8];"),
            FaultKind::OutOfBounds,
            Space::SharedCluster,
        ),
        ("st.async.release.gpu.global.b64 [%out+4], %rd1;".to_owned(), FaultKind::Misaligned, Space::Global),
        (
            format!("red.async.relaxed.cluster.shared::cluster.{DONE}.add.u32 [%r9+2], %r1, [%r8];"),
            FaultKind::Misaligned,
            Space::SharedCluster,
        ),
        (
            format!("red.async.relaxed.cluster.shared::cluster.{DONE}.add.u64 [%r9+4096], %rd1, [%r8];"),
            FaultKind::OutOfBounds,
            Space::SharedCluster,
        ),
        (
            "red.async.release.gpu.global.add.u32 [%out+32], %r1;".to_owned(),
            FaultKind::OutOfBounds,
            Space::Global,
        ),
    ] {
        match with(&line) {
            Err(TrapKind::Fault(fault)) => assert_eq!((fault.kind, fault.space), (kind, space), "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn copies_of_threads_arrive_when_they_are_counted() {
    let body = kernel(
        "mbarrier.init.shared.b64 [bar], 2;
        mov.b32 %r1, s;
        cp.async.ca.shared.global [%r1], [%out], 4;
        cp.async.mbarrier.arrive.shared.b64 [bar];
        cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
        mbarrier.arrive.noComplete.shared.b64 %rd9, [s+512], 1;",
    );
    // The last line is another object, which no one has initialized.
    assert!(misuse(launch(1, &body, vec![7; 16])).contains("no initialized barrier"));
    let body = body.replace("mbarrier.arrive.noComplete.shared.b64 %rd9, [s+512], 1;", "")
        .replace("ret;", "mbarrier.arrive.shared.b64 %rd1, [bar]; mbarrier.pending_count.b64 %r2, %rd1; st.global.u32 [%out], %r2; ret;");
    assert_eq!(words(&launch(1, &body, vec![7; 4]).unwrap()), [1]);
}

#[test]
fn a_barrier_tells_its_layout() {
    let asked = |layout: &str, ask: &str| {
        // A phase later it still does.
        let body = kernel(&format!(
            "mbarrier.init{layout}.shared.b64 [bar], 1;
            mov.b32 %r9, bar; cvt.u64.u32 %rd9, %r9; cvta.shared.u64 %rd9, %rd9;
            mbarrier.check_layout{ask}.shared::cta.b64 %p, [bar];
            mbarrier.arrive.shared.b64 %rd1, [bar];
            mbarrier.test_wait.shared.b64 %q, [bar], %rd1;
            @!%q trap;
            mbarrier.check_layout{ask}.b64 %q, [%rd9];
            selp.u32 %r1, 1, 0, %p; selp.u32 %r2, 1, 0, %q;
            st.global.v2.u32 [%out], {{%r1, %r2}};"
        ));
        words(&launch_of("9.3", 1, &body, vec![9; 8]).unwrap())
    };
    for (layout, first, second) in [("", 1, 0), (".layout::v0", 1, 0), (".layout::v1", 0, 1)] {
        assert_eq!(asked(layout, ".layout::v0"), [first; 2], "{layout}");
        assert_eq!(asked(layout, ".layout::v1"), [second; 2], "{layout}");
    }
    let none = kernel("mbarrier.check_layout.layout::v0.shared.b64 %p, [bar];");
    assert!(misuse(launch_of("9.3", 1, &none, vec![0; 8])).contains("no initialized barrier"));
}

#[test]
fn undefined_uses_of_barriers_are_reported() {
    let with = |lines: &str| misuse(launch(1, &kernel(lines), vec![0; 64]));
    assert!(
        with("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 _, [bar], 1;")
            .contains("completes")
    );
    assert!(
        with("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 _, [bar], 2;")
            .contains("waits for 1")
    );
    assert!(with("mbarrier.init.b64 [%out], 1;").contains("not at"));
    assert!(with("mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar]; mbarrier.inval.shared.b64 [bar];").contains("no initialized"));
    assert!(with("mbarrier.init.shared.b64 [bar], %r1;").contains("not for 0"));
    assert!(
        with(
            "mov.u32 %r1, 8; mov.b32 %r2, s; mbarrier.init.shared.b64 [bar], 1;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%out], %r1, [bar];"
        )
        .contains("multiple of 16")
    );
}

#[test]
fn a_block_that_is_a_cluster_meets_at_its_barrier() {
    // Lanes of both halves of a warp arrive and wait at places of their own; half of the second warp has left.
    let body = kernel(
        "setp.ge.u32 %p, %t, 48;
        @%p exit;
        mov.b32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1; xor.b32 %r3, %t, 16; min.u32 %r3, %r3, 47; mad.lo.u32 %r3, %r3, 4, %r1;
        mov.u32 %r5, 0; mov.u32 %r6, 0;
        LOOP:
        add.u32 %r7, %t, %r6;
        st.shared.u32 [%r2], %r7;
        and.b32 %r4, %t, 16; setp.eq.u32 %q, %r4, 0;
        @%q bra FIRST;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        bra BOTH;
        FIRST:
        barrier.cluster.arrive.release;
        barrier.cluster.wait.acquire;
        BOTH:
        ld.shared.u32 %r7, [%r3];
        add.u32 %r5, %r5, %r7;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        add.u32 %r6, %r6, 100;
        setp.lt.u32 %q, %r6, 300;
        @%q bra LOOP;
        mad.wide.u32 %rd1, %t, 4, %out;
        st.global.u32 [%rd1], %r5;",
    );
    let left = words(&launch(64, &body, vec![0; 192]).unwrap());
    let expected: Vec<u32> = (0..48).map(|thread: u32| (thread ^ 16).min(47) * 3 + 300).collect();
    assert_eq!(left, expected);
    assert!(
        misuse(launch(32, &kernel("barrier.cluster.wait;"), vec![0; 4])).contains("without having arrived")
    );
    let twice = kernel("barrier.cluster.arrive; barrier.cluster.arrive;");
    assert!(misuse(launch(32, &twice, vec![0; 4])).contains("again"));
}

#[test]
fn the_only_block_of_a_cluster_has_rank_zero() {
    let body = kernel(
        "mov.u64 %rd1, s; cvta.shared.u64 %rd2, %rd1; mov.u32 %r1, 0;
        mapa.u64 %rd3, %rd2, %r1; getctarank.u64 %r2, %rd3;
        sub.u64 %rd4, %rd3, %rd2; cvt.u32.u64 %r3, %rd4;
        mov.b32 %r4, s; mapa.shared::cluster.u32 %r5, %r4, 0; sub.u32 %r5, %r5, %r4;
        st.global.v2.u32 [%out], {%r2, %r3}; st.global.u32 [%out+8], %r5;",
    );
    assert_eq!(words(&launch(1, &body, vec![9; 12]).unwrap()), [0, 0, 0]);
    let other =
        kernel("mov.u64 %rd1, s; cvta.shared.u64 %rd2, %rd1; mapa.u64 %rd3, %rd2, 1; ld.u32 %r1, [%rd3];");
    assert!(format!("{:?}", launch(1, &other, vec![0; 4])).contains("OutOfBounds"));
}

#[test]
fn rows_of_matrices_lie_in_shared_memory() {
    let body = kernel("ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%out];");
    assert!(misuse(launch(32, &body, vec![0; 128])).contains(".global"));
}

/// Fills `size` bytes of the stack with the thread's number and adds them up, some calls deep.
const SUMS: &str = ".func (.param .u32 sum) f(.param .u32 size, .param .u32 depth) {
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .local .b32 own[3];
    ld.param.u32 %r1, [size]; ld.param.u32 %r2, [depth];
    cvt.u64.u32 %rd1, %r1;
    stacksave.u64 %rd2;
    alloca.u64 %rd3, %rd1, 64;
    and.b64 %rd4, %rd3, 63;
    cvt.u32.u64 %r3, %rd4;
    mov.u32 %r4, 0;
    FILL:
    cvt.u64.u32 %rd5, %r4; add.u64 %rd5, %rd3, %rd5;
    st.local.u8 [%rd5], %r2;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r1; @%p bra FILL;
    setp.eq.u32 %p, %r2, 0;
    @%p bra ADD;
    {
        .param .u32 a; .param .u32 b; .param .u32 c;
        sub.u32 %r5, %r2, 1; add.u32 %r6, %r1, 3;
        st.param.u32 [a], %r6; st.param.u32 [b], %r5;
        call (c), f, (a, b);
        ld.param.u32 %r5, [c];
        add.u32 %r3, %r3, %r5;
    }
    ADD:
    mov.u32 %r4, 0;
    SUM:
    cvt.u64.u32 %rd5, %r4; add.u64 %rd5, %rd3, %rd5;
    ld.local.u8 %r5, [%rd5]; add.u32 %r3, %r3, %r5;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r1; @%p bra SUM;
    stackrestore.u64 %rd2;
    alloca.u64 %rd6, 8, 64;
    setp.eq.u64 %p, %rd6, %rd3;
    // What was freed is given again.
    @!%p add.u32 %r3, %r3, 1000;
    st.param.u32 [sum], %r3;
    ret; }";

#[test]
fn each_call_and_thread_has_its_own_stack() {
    let body = format!(
        "{SUMS}\n{}",
        kernel(
            "{ .param .u32 a; .param .u32 b; .param .u32 c;
            add.u32 %r1, %t, 1; and.b32 %r2, %t, 3;
            st.param.u32 [a], %r1; st.param.u32 [b], %r2;
            call (c), f, (a, b);
            ld.param.u32 %r3, [c]; }
            mad.wide.u32 %rd1, %t, 4, %out;
            st.global.u32 [%rd1], %r3;"
        )
    );
    let left = words(&launch(40, &body, vec![0; 160]).unwrap());
    // A call of depth d with n bytes adds n * d, and what the next one does with three bytes more.
    let sum = |mut size: u32, depth: u32| {
        (0..=depth).rev().fold(0, |sum, depth| {
            let all = sum + size * depth;
            size += 3;
            all
        })
    };
    let expected: Vec<u32> = (0..40).map(|thread| sum(thread + 1, thread & 3)).collect();
    assert_eq!(left, expected);
}

#[test]
fn the_stack_has_bounds() {
    let restored = kernel("mov.u64 %rd1, 4096; stackrestore.u64 %rd1;");
    assert!(misuse(launch(1, &restored, vec![0; 4])).contains("0x1000"));
    let large = kernel("mov.u64 %rd1, 0x40000000; alloca.u64 %rd2, %rd1;");
    assert!(matches!(launch(1, &large, vec![0; 4]), Err(TrapKind::Stack)));
}
