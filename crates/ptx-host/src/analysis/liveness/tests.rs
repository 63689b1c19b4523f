//! Approximated lives contain the real ones.

use std::sync::Arc;

use ptx_diag::SourceFile;
use ptx_exec::Memory;

use super::*;
use crate::prepared::prepared;

/// The liveness of a kernel with this body, as it is and with all rows approximated.
fn of(body: &str) -> (Graph, [Liveness; 2], u32) {
    let (_, graph, liveness, rows) = read(body);
    (graph, liveness, rows)
}

/// The same with the program.
fn read(body: &str) -> (Arc<Program>, Graph, [Liveness; 2], u32) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n\
         {{ .reg .b32 %r<16>; .reg .pred %p<4>; .reg .b64 %d;\n{body} }}"
    );
    let prepared = prepared(&SourceFile::new("k.ptx", text), &Memory::new());
    let program = prepared.program();
    let graph = Graph::new(program).expect("compiled");
    let liveness = [usize::MAX, 0].map(|most| Liveness::within(program, &graph, most));
    (program.clone(), graph, liveness, program.kernel().rows)
}

const BODIES: [&str; 5] = [
    // A value that is live through a branch, and one within a block.
    "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3; @%p1 bra a; add.u32 %r2, %r1, 1; mul.lo.u32 %r3, %r2, %r2; bra b;
     a: mov.u32 %r3, 7; b: add.u32 %r3, %r3, %r1; ld.param.u64 %d, [p]; st.global.u32 [%d], %r3; ret;",
    // Around a loop: written at its end, read at its beginning.
    "mov.u32 %r1, 0; mov.u32 %r2, 0; again: add.u32 %r3, %r2, 1; setp.gt.u32 %p1, %r3, 5; @%p1 bra on; xor.b32 %r2, %r3, 1;
     on: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra again; ld.param.u64 %d, [p]; st.global.u32 [%d], %r2; ret;",
    // Barriers come last, also in a loop.
    "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; again: add.u32 %r4, %r1, %r2; bar.sync 0; add.u32 %r2, %r4, 1; bar.sync 1;
     setp.lt.u32 %p1, %r2, 9; @%p1 bra again; add.u32 %r5, %r4, %r1; ld.param.u64 %d, [p]; st.global.u32 [%d], %r5; ret;",
    // Blocks that stop the launch come first.
    "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 99; @%p1 bra wrong; add.u32 %r2, %r1, 1; setp.gt.u32 %p2, %r2, 99; @%p2 bra wrong;
     ld.param.u64 %d, [p]; st.global.u32 [%d], %r2; ret; wrong: ld.param.u64 %d, [p]; st.global.u32 [%d], %r1; trap;",
    // A guarded write keeps the value before it.
    "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 9; bra a; a: @%p1 mov.u32 %r2, 1; bra b; b: ld.param.u64 %d, [p];
     st.global.u32 [%d], %r2; ret;",
];

#[test]
fn approximated_lives_contain_the_real_ones() {
    let mut lives = 0;
    for body in BODIES {
        let (graph, [exact, approximate], rows) = of(body);
        for row in 0..rows {
            for id in (0..graph.blocks().len()).filter(|&id| exact.is_live_into(id, row)) {
                assert!(approximate.is_live_into(id, row), "row {row} at block {id}: {body}");
                lives += 1;
            }
        }
    }
    assert!(lives > 20, "{lives}");
}

/// A row of which one write is before all reads is not among the zeros that a kernel begins with.
#[test]
fn approximated_lives_do_not_begin_with_the_kernel() {
    for (body, begins) in BODIES[1..].iter().zip([false, false, false, true]) {
        let (_, [exact, approximate], _) = of(body);
        assert_eq!(exact.rows_into(0).next().is_some(), begins, "{body}");
        assert_eq!(approximate.rows_into(0).next().is_some(), begins, "{body}");
    }
}

#[test]
fn a_row_of_one_block_is_live_nowhere() {
    let (graph, [exact, _], rows) = of(BODIES[0]);
    let anywhere = (0..rows).filter(|&row| exact.is_live_anywhere(row)).count();
    let of_branch: Vec<_> = (0..graph.blocks().len()).map(|id| exact.rows_into(id).count()).collect();
    // `%r1` after the first block, `%r3` at the join.
    assert_eq!((anywhere, of_branch), (2, vec![0, 1, 1, 2]));
}

#[test]
fn what_a_block_reads_is_live_into_it_and_what_it_writes_first_is_not_read() {
    // Approximated lives have rows also where they are written first.
    let mut more = 0;
    for body in BODIES {
        let (program, graph, [exact, approximate], rows) = read(body);
        for id in 0..graph.blocks().len() {
            let read = read_from_before(&program, &graph, id);
            assert!(read.iter().all(|&row| exact.is_live_into(id, row)), "{body}: {read:?} into {id}");
            let accessed = |row: &u32| {
                let mut found = false;
                visit(&program, &graph, graph.block(id), |_, other| found |= other == *row);
                found
            };
            let seems = (0..rows).filter(|row| approximate.is_live_into(id, *row)).filter(accessed);
            more += seems.filter(|row| !read.contains(row)).count();
        }
    }
    assert!(more > 0);
}
