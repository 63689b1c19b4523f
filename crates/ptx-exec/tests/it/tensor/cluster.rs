//! Loads to other blocks of a cluster (manual 9.7.9.25.5.2).

use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};
use ptx_exec::{Argument, Completion, ExecError, Launch, TensorMap, TrapKind};

use crate::common;
use crate::tensor::harness::{TENSOR, noise, placed};

/// Blocks of the cluster, and bytes of a box.
const BLOCKS: usize = 4;
const BOX: usize = 1024;

/// Blocks that each wait for so many bytes, and then show 1024 bytes of their shared memory, which were 0xcd before. The block
/// `%who` issues the copy. Addresses in the own block are `%s` and `%bar`.
fn kernel(who: usize, expected: [usize; BLOCKS], target: &str, copy: &str) -> String {
    let expects: String = (0..BLOCKS)
        .map(|rank| format!("setp.eq.u32 %p, %rank, {rank}; @%p mov.u32 %wanted, {};\n", expected[rank]))
        .collect();
    format!(
        "{target}\n.address_size 64
        .visible .entry k(.param .align 64 .b8 m[128], .param .u64 tensor, .param .u64 out) {{
            .reg .pred %p, %q; .reg .b16 %h<4>; .reg .b32 %rank, %wanted, %s, %bar, %r<12>; .reg .b64 %map, %out, %rd<9>;
            .shared .align 1024 .b8 s[{BOX}];
            .shared .b64 bar;
            mov.b64 %map, m; cvta.param.u64 %map, %map;
            ld.param.u64 %out, [out]; mov.b32 %s, s; mov.b32 %bar, bar; mov.u32 %rank, %cluster_ctarank;
            mov.b32 %r1, s; add.u32 %r2, %r1, {BOX};
            FILL: st.shared.b32 [%r1], 0xcdcdcdcd; add.u32 %r1, %r1, 4; setp.lt.u32 %p, %r1, %r2; @%p bra FILL;
            {expects}
            mbarrier.init.shared.b64 [bar], 1;
            mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], %wanted;
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
            setp.ne.u32 %p, %rank, {who}; @%p bra ISSUED;
            {copy}
            ISSUED:
            mbarrier.try_wait.shared.b64 %p, [bar], %rd1; @!%p bra ISSUED;
            barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
            mul.wide.u32 %rd2, %rank, {BOX}; add.u64 %out, %out, %rd2; mov.b32 %r1, s;
            SHOW: ld.shared.b32 %r3, [%r1]; st.global.b32 [%out], %r3; add.u32 %r1, %r1, 4; add.u64 %out, %out, 4;
            setp.lt.u32 %p, %r1, %r2; @%p bra SHOW;
            ret; }}"
    )
}

const BLACKWELL: &str = ".version 8.8\n.target sm_100a";

/// A box of 8 rows of 128 bytes with a swizzle, the tensor, and what shared memory holds.
fn boxed() -> (TensorMap, Vec<u8>, Vec<u8>) {
    let memory = noise(2048);
    let tensor =
        Tensor { swizzle: Swizzle::Bytes128, ..Tensor::new(ElementType::U8, TENSOR, &[128, 16], &[128]) };
    let mut shared = vec![0; BOX];
    for at in 0..BOX {
        // The box starts in row 3.
        shared[placed(Swizzle::Bytes128, 0, at)] = memory[3 * 128 + at];
    }
    (TensorMap::tiled(&tensor, &[128, 8]).unwrap(), memory, shared)
}

fn execute(text: &str, completion: Completion) -> Result<Vec<u8>, TrapKind> {
    let (map, memory, _) = boxed();
    let arguments = vec![
        Argument::Bytes(map.to_bytes().to_vec()),
        Argument::Buffer(memory),
        Argument::Buffer(vec![0; BLOCKS * BOX]),
    ];
    let (grid, cluster) = ([BLOCKS as u32, 1, 1], Some([BLOCKS as u32, 1, 1]));
    let mut launch = Launch { grid, cluster, arguments, completion, ..Launch::new("k") };
    launch.limits.steps = Some(1 << 22);
    match common::execute(text, &launch) {
        Ok(outcome) => Ok(outcome.buffers[2].clone().unwrap()),
        Err(ExecError::Trap(trap)) => Err(trap.kind),
        Err(other) => panic!("{other:?}\n{text}"),
    }
}

/// Which blocks get the box.
fn check(text: &str, gets: [bool; BLOCKS]) {
    let (_, _, shared) = boxed();
    let untouched = vec![0xcd; BOX];
    let expected: Vec<u8> =
        gets.iter().flat_map(|&gets| if gets { &shared } else { &untouched }).copied().collect();
    for completion in [Completion::Eager, Completion::Late, Completion::Random(3)] {
        assert!(execute(text, completion) == Ok(expected.clone()), "{completion:?}\n{text}");
    }
}

const LOAD: &str = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";

#[test]
fn a_box_is_cast_to_the_blocks_of_a_mask() {
    // Each of them has the box, and its own barrier is signalled; the block that issues it is not among them.
    let copy = format!("mov.u16 %h1, 13; {LOAD}.multicast::cluster [%s], [%map, {{0, 3}}], [%bar], %h1;");
    check(&kernel(1, [BOX, 0, BOX, BOX], BLACKWELL, &copy), [true, false, true, true]);
    let copy = format!("mov.u32 %r4, 6; {LOAD}.multicast::cluster::32b [%s], [%map, {{0, 3}}], [%bar], %r4;");
    let target = ".version 9.4\n.target sm_107a";
    check(&kernel(0, [0, BOX, BOX, 0], target, &copy), [false, true, true, false]);
}

#[test]
fn a_box_goes_to_another_block_whose_address_is_given() {
    let copy = format!(
        "mapa.shared::cluster.u32 %r4, %s, 2; mapa.shared::cluster.u32 %r5, %bar, 2;
        {LOAD} [%r4], [%map, {{0, 3}}], [%r5];"
    );
    check(&kernel(0, [0, 0, BOX, 0], BLACKWELL, &copy), [false, false, true, false]);
}

#[test]
fn a_barrier_of_each_pair_is_told() {
    // The barrier that is named is in an odd block: those of blocks 1 and 3 count what their pairs get.
    let copy = format!(
        "mov.u16 %h1, 15; mapa.shared::cluster.u32 %r5, %bar, 1;
        {LOAD}.multicast::cluster.cta_group::2 [%s], [%map, {{0, 3}}], [%r5], %h1;"
    );
    check(&kernel(0, [0, 2 * BOX, 0, 2 * BOX], BLACKWELL, &copy), [true; BLOCKS]);
    // In an even one, and only one block of a pair gets the box.
    let copy = format!(
        "mov.u16 %h1, 11; mapa.shared::cluster.u32 %r5, %bar, 2;
        {LOAD}.multicast::cluster.cta_group::2 [%s], [%map, {{0, 3}}], [%r5], %h1;"
    );
    check(&kernel(3, [2 * BOX, 0, BOX, 0], BLACKWELL, &copy), [true, true, false, true]);
    // Without a multicast the barrier of the other block is named itself.
    let copy = "mapa.shared::cluster.u32 %r5, %bar, 0;
        cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.cta_group::2
        [%s], [%map, {0, 3}], [%r5];";
    check(&kernel(1, [BOX, 0, 0, 0], BLACKWELL, copy), [false, true, false, false]);
}

#[test]
fn a_mask_names_blocks_of_the_cluster() {
    let copy = format!("mov.u16 %h1, 17; {LOAD}.multicast::cluster [%s], [%map, {{0, 3}}], [%bar], %h1;");
    match execute(&kernel(1, [0; BLOCKS], BLACKWELL, &copy), Completion::Eager) {
        Err(TrapKind::Misuse(text)) => assert!(text.contains("0x11 names blocks"), "{text}"),
        other => panic!("{other:?}"),
    }
}
