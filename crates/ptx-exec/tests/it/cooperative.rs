//! Grids whose blocks wait for each other, as cooperative groups of CUDA do: a workspace that `%envreg1` (upper half) and
//! `%envreg2` (lower half) give the address of, with 32 bits of the barrier at offset 4, of which nvcc's code for `grid.sync()`
//! makes the use that is made of it here.

use std::num::NonZeroUsize;

use crate::common;
use ptx_exec::{Argument, ExecError, Launch};

/// Each block stores its number, waits for the grid, and adds what the next block stored to a sum, three times. The first block
/// brings what is missing to 2^31, so that the highest bit flips when all have come.
const KERNEL: &str = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {
    .reg .pred %p; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; mov.b64 %rd2, {%r1, %r2};
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r5, 0; mov.u32 %r6, 0;
    setp.ne.u64 %p, %rd2, 0; @!%p bra NONE;
    LOOP:
    mul.lo.u32 %r7, %r5, 1000; add.u32 %r7, %r7, %r3; mad.wide.u32 %rd3, %r3, 4, %rd1; st.global.u32 [%rd3], %r7;
    mov.u32 %r8, 0;
    SYNC:
    setp.eq.u32 %p, %r3, 0; sub.u32 %r9, -2147483647, %r4; selp.u32 %r9, %r9, 1, %p;
    atom.add.release.gpu.u32 %r10, [%rd2+4], %r9;
    WAIT: ld.acquire.gpu.u32 %r11, [%rd2+4]; xor.b32 %r11, %r11, %r10; setp.gt.s32 %p, %r11, -1; @%p bra WAIT;
    add.u32 %r8, %r8, 1; setp.eq.u32 %p, %r8, 2; @%p bra NEXT;
    add.u32 %r12, %r3, 1; rem.u32 %r12, %r12, %r4; mad.wide.u32 %rd4, %r12, 4, %rd1; ld.global.u32 %r13, [%rd4];
    add.u32 %r6, %r6, %r13;
    bra SYNC;
    NEXT: add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 3; @%p bra LOOP;
    NONE: mad.wide.u32 %rd3, %r3, 4, %rd1; st.global.u32 [%rd3], %r6; ret; }";

fn execute(launch: &Launch) -> Result<Vec<u32>, ExecError> {
    let outcome = common::execute(KERNEL, launch)?;
    Ok(common::words(outcome.buffers[0].as_deref().unwrap()))
}

fn launch(blocks: u32, cooperative: bool) -> Launch {
    Launch {
        grid: [blocks, 1, 1],
        cooperative,
        arguments: vec![Argument::Buffer(vec![0; blocks as usize * 4])],
        threads: NonZeroUsize::new(2),
        ..Launch::new("k")
    }
}

#[test]
fn blocks_of_a_grid_wait_for_each_other() {
    for blocks in [1, 2, 37, 200] {
        // Rounds 0 to 2 of the next block: its number thrice, and 1000 and 2000.
        let expected: Vec<u32> = (0..blocks).map(|block| 3 * ((block + 1) % blocks) + 3000).collect();
        assert_eq!(execute(&launch(blocks, true)).unwrap(), expected, "{blocks}");
    }
}

#[test]
fn other_launches_have_no_workspace() {
    assert_eq!(execute(&launch(3, false)).unwrap(), [0; 3]);
}

#[test]
fn a_grid_that_cannot_be_there_at_once_is_refused() {
    let ExecError::Refused(findings) = execute(&launch(1 << 20, true)).unwrap_err() else { panic!() };
    let finding = findings.iter().next().unwrap();
    assert!(finding.message.contains("at most"), "{finding:?}");
}
