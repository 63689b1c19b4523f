//! `tcgen05` of a pair of blocks (manual 9.7.16.5.1): what both allocate together, and what one thread has done for both.

use ptx_exec::{Completion, ExecError, TrapKind};

use super::case::{BF16, CASE, Case, E2M1, E2M1_PAIRS, E4M3, E5M2, F16, S8, Scales, TF32, U8};
use super::image::{Tensor, descriptor, run_pair};
use super::launch_blocks;

const PAIR: Case = Case { pair: true, m: 256, ..CASE };

#[test]
fn rows_of_both_blocks() {
    // Layouts A, B and C.
    for (m, n, sparse) in
        [(256, 16, false), (256, 256, true), (128, 32, false), (128, 256, false), (128, 64, true)]
    {
        Case { m, n, sparse, ..PAIR }.check();
        Case { m, n, sparse, kind: "tf32", k: 8, a: TF32, b: TF32, ..PAIR }.check();
    }
    Case { m: 128, sparse: true, base: 16, a: BF16, b: BF16, ..PAIR }.check();
    Case { kind: "f8f6f4", k: 32, a: E4M3, b: E2M1, ..PAIR }.check();
    for m in [128, 256] {
        Case { m, kind: "i8", k: 32, a: S8, b: U8, d: "s32", n: 96, swizzles: [2; 2], ..PAIR }.check();
        Case { m, transposed: [true, true], swizzles: [2; 2], n: 128, ..PAIR }.check();
        Case { m, in_tensor: true, ..PAIR }.check();
        Case { m, in_tensor: true, sparse: true, ..PAIR }.check();
    }
    Case { in_tensor: true, ashift: true, a: F16, ..PAIR }.check();
    Case { disabled: Some([1, 2, 4, 8, 0xff, 0, 0x8000_0000, 3]), ..PAIR }.check();
}

#[test]
fn scales_of_both_blocks() {
    let scales = |name, count, ue4m3, ids| Some(Scales { name, count, ue4m3, ids });
    for (m, n) in [(256, 256), (256, 48), (128, 256), (128, 64)] {
        let case = Case { m, n, kind: "mxf8f6f4", k: 32, a: E4M3, b: E5M2, ..PAIR };
        Case { scales: scales(".block32", 1, false, [1, 2]), ..case }.check();
        let mxf4 = Case { kind: "mxf4nvf4", k: 64, a: E2M1_PAIRS, b: E2M1_PAIRS, ..case };
        Case { scales: scales(".scale_vec::4X", 4, true, [0, 0]), ..mxf4 }.check();
        if m == 256 {
            Case { scales: scales(".block32", 2, false, [0, 2]), sparse: true, ..mxf4 }.check();
            Case { scales: scales(".block32", 3, false, [3, 1]), k: 96, ..mxf4 }.check();
            Case { scales: scales(".block16", 6, true, [2, 0]), k: 96, ..mxf4 }.check();
        }
    }
}

#[test]
fn copies_and_shifts_are_of_each_block_alone() {
    let bytes =
        |seed: u32| -> Vec<u8> { (0..65536u32).map(|at| (at.wrapping_mul(seed) >> 13) as u8).collect() };
    let memories = [bytes(0x0101_6b35), bytes(0x00c3_91a7)];
    let before = [Tensor::new(), Tensor(Tensor::new().0.into_iter().map(|cell| cell ^ 0x5555).collect())];
    // 128 bytes from eight rows to the next.
    let copy = format!(
        "{}@%p1 tcgen05.cp.cta_group::2.128x128b [%base+40], %x10;\n@%p1 tcgen05.shift.cta_group::2.down [%base+8];\n",
        descriptor(10, 8 << 32 | 1 << 46)
    );
    let found = run_pair("sm_100a", &memories, &before, &copy);
    for block in 0..2 {
        let mut expected = before[block].clone();
        for lane in 0..128 {
            for word in 0..4 {
                let at = lane * 16 + word * 4;
                let four = memories[block][at..at + 4].try_into().unwrap();
                expected.set(lane, 40 + word, u32::from_le_bytes(four));
            }
        }
        for lane in 0..31 {
            (8..16).for_each(|column| expected.set(lane, column, before[block].at(lane + 1, column)));
        }
        assert!(found[block].0 == expected.0, "block {block}");
    }
}

/// What stops a cluster of blocks of 128 threads.
fn stopped(blocks: u32, body: &str) -> String {
    let text = format!(
        ".visible .entry k(.param .u64 pin, .param .u64 pout) {{
            .shared .align 4 .b32 slot; .reg .b32 %t, %rank, %a; .reg .pred %p, %first;
            mov.u32 %t, %tid.x; mov.u32 %rank, %cluster_ctarank;
            setp.ge.u32 %p, %t, 32; setp.eq.u32 %first, %rank, 0;
            @%p bra END;
            {body}
        END:
            ret; }}"
    );
    match launch_blocks(blocks, Completion::Eager, "sm_100a", &text, Vec::new(), 4) {
        Err(ExecError::Trap(trap)) => match trap.kind {
            TrapKind::Misuse(why) => why,
            other => other.to_string(),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_blocks_allocate_together() {
    let allocate = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 64;";
    assert!(stopped(1, allocate).contains("needs a cluster"));
    // One block alone waits for the other, which never comes.
    assert!(stopped(2, &format!("@%first {allocate}")).contains("deadlock"));
    // Both request the same.
    let odd = "@%first tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 64;
        @!%first tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 128;";
    assert!(stopped(2, odd).contains("64"), "{}", stopped(2, odd));
    // What one block does not free is reported.
    let leak = format!(
        "{allocate} ld.shared.u32 %a, [slot];
        @%first tcgen05.dealloc.cta_group::2.sync.aligned.b32 %a, 64;"
    );
    assert!(stopped(2, &leak).contains("without having freed these 64 columns"));
}
