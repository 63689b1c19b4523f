//! Kernels whose rows do not fit into registers, of which a warp runs part by part, against the interpreter.

use std::fmt::Write as _;

use crate::common::Case;
use ptx_host::analysis::{Analysis, Launched, part};

/// The number of chunks in a part, for vectors of 8 lanes and 16 registers.
fn choice(body: &str, block: [u32; 3]) -> Option<u32> {
    choice_for(body, block, (8, 16))
}

/// The same for a processor with vectors of so many lanes, and so many registers for them.
fn choice_for(body: &str, block: [u32; 3], (lanes, registers): (u32, usize)) -> Option<u32> {
    let prepared = Case { block, ..Case::warp(body) }.prepared();
    let (program, launched) = (prepared.program(), Launched::blocks(block));
    let one = Analysis::new(program, &launched, lanes).expect("compiled");
    part(program, &launched, &one, registers)
}

/// The number of a thread in its block is `%r10`, and the address of its word of the output `%rd10`; those beyond the output exit.
const NUMBER: &str = "mov.u32 %r8, %tid.y; mov.u32 %r9, %ntid.y; mov.u32 %r11, %tid.z; mad.lo.u32 %r12, %r11, %r9, %r8;\n\
                      mad.lo.u32 %r10, %r12, %r3, %r4; mul.wide.u32 %rd9, %r10, 4; add.s64 %rd10, %rd1, %rd9;\n\
                      setp.ge.u32 %p7, %r10, 512; @%p7 exit;\n";

/// A kernel with so many values for each lane that all of them are needed to the end, where `%r20` is computed from them.
fn kernel(values: usize, rounds: &str) -> String {
    let mut text = format!(
        ".reg .b32 %v<{values}>;\n{NUMBER}\
         mov.u32 %r13, %laneid; mov.u32 %r14, %warpid; add.s64 %rd11, %rd2, %rd9; ld.global.u32 %r15, [%rd11]; ld.global.u32 %r16, [%rd2+8];\n"
    );
    let sources = ["%r15", "%r13", "%r14", "%r16", "%r8", "%r4", "%r11"];
    for value in 0..values {
        let (a, b) = (sources[value % 7], sources[value % 5]);
        let _ = writeln!(text, "mad.lo.u32 %v{value}, {a}, {}, {b};", 3 + 2 * value);
    }
    text += "mov.u32 %r21, 0;\nagain:\n";
    for value in 0..values {
        let next = (value + 1) % values;
        let _ = writeln!(text, "shf.l.wrap.b32 %r22, %v{next}, %v{next}, {}; ", value % 31 + 1);
        let _ = writeln!(text, "xor.b32 %r22, %r22, %v{value}; add.u32 %v{value}, %r22, {value};");
    }
    let _ = writeln!(text, "add.u32 %r21, %r21, 1; {rounds}\nmov.u32 %r20, 0;");
    for value in 0..values {
        let _ = writeln!(text, "mad.lo.u32 %r20, %r20, 31, %v{value};");
    }
    text + "st.global.u32 [%rd10], %r20; ret;"
}

/// All lanes go as many rounds.
const SAME: &str = "setp.lt.u32 %p1, %r21, 3; @%p1 bra again;";
/// Each lane goes its own number of rounds.
const OWN: &str = "and.b32 %r23, %r15, 7; setp.lt.u32 %p1, %r21, %r23; @%p1 bra again;";
/// Lanes of two sides meet.
const SIDES: &str = "and.b32 %r23, %r13, 5; setp.eq.u32 %p1, %r23, 1; @%p1 bra one; add.u32 %v1, %v1, %r15; bra.uni meet;\n\
                     one: xor.b32 %v2, %v2, %r13; meet: setp.lt.u32 %p2, %r21, 2; @%p2 bra again;";

const BLOCKS: [[u32; 3]; 9] = [
    [1, 1, 1],
    [7, 1, 1],
    [33, 1, 1],
    [256, 1, 1],
    [300, 1, 1],
    [16, 16, 1],
    [8, 8, 5],
    [4, 4, 16],
    [5, 7, 9],
];

#[test]
fn parts_of_warps_leave_what_the_interpreter_does() {
    for rounds in [SAME, OWN, SIDES] {
        let body = kernel(24, rounds);
        assert_eq!(choice(&body, [256, 1, 1]), Some(1), "{rounds}");
        for block in BLOCKS {
            Case { block, grid: 2, ..Case::warp(&body) }.agrees();
        }
    }
}

#[test]
fn what_is_claimed_of_parts_holds() {
    for block in [[300, 1, 1], [16, 16, 1], [5, 7, 9]] {
        Case { block, ..Case::warp(&kernel(24, SIDES)) }.holds();
    }
}

#[test]
fn warps_whose_rows_fit_run_as_a_whole() {
    assert_eq!(choice(&kernel(40, SAME), [64, 1, 1]), Some(1));
    assert_eq!(choice(&kernel(8, SAME), [64, 1, 1]), None);
    // AVX-512 has two chunks and twice the registers; SSE4.2 and NEON have eight chunks.
    let of = |values, processor| choice_for(&kernel(values, SAME), [64, 1, 1], processor);
    assert_eq!([of(24, (16, 32)), of(120, (16, 32))], [None, Some(1)]);
    assert_eq!([of(8, (4, 16)), of(24, (4, 16))], [None, Some(1)]);
    assert_eq!([of(8, (4, 32)), of(24, (4, 32))], [None, Some(2)]);
}

#[test]
fn lanes_that_may_see_each_other_run_together() {
    let with = |rounds: &str| choice(&kernel(24, &format!("{rounds} {SAME}")), [64, 1, 1]);
    assert_eq!(with("add.u32 %v0, %v0, 1;"), Some(1));
    for seen in [
        "shfl.sync.idx.b32 %v0, %v1, 0, 31, -1;",
        "vote.sync.ballot.b32 %v0, %p7, -1;",
        "activemask.b32 %v0;",
        "mov.u32 %v0, %lanemask_lt;",
        "bar.warp.sync -1;",
        "bar.sync 0;",
        "atom.global.add.u32 %v0, [%rd1], 1;",
        "red.global.add.u32 [%rd1], 1;",
        "st.global.u32 [%rd10], %v0; ld.global.u32 %v1, [%rd1];",
        // The other way round the loop comes to the load after the store.
        "ld.global.u32 %v1, [%rd1]; st.global.u32 [%rd10], %v0;",
        "ld.volatile.global.u32 %v1, [%rd1];",
        "ld.relaxed.gpu.global.u32 %v1, [%rd1];",
        "st.release.gpu.global.u32 [%rd10], %v1;",
        "membar.gl;",
        "@%p7 trap;",
    ] {
        assert_eq!(with(seen), None, "{seen}");
    }
}
