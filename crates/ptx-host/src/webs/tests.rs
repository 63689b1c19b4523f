//! Webs of random accesses, by the definition; and the rows of kernels.

use std::collections::BTreeSet;

use ptx_diag::SourceFile;
use ptx_exec::Memory;
use ptx_ir::dominators::FlowGraph;

use super::values::{Blocks, Values};
use super::{Access, Kind, separate};
use crate::analysis::{Dominance, Edges};
use crate::prepared::prepared;

/// By the definition: accesses are in one web if a read, or a write that keeps the old value, can see the value of the other one or the same value.
/// For each access the first one of its web.
fn by_definition(edges: &Edges, accesses: &[Access]) -> Vec<usize> {
    // The initial value has the number after the last access.
    let (count, blocks) = (accesses.len(), edges.block_count());
    let (mut at_start, mut at_end) = (vec![BTreeSet::new(); blocks], vec![BTreeSet::new(); blocks]);
    let mut web: Vec<usize> = (0..=count).collect();
    let join = |web: &mut Vec<usize>, one: usize, other: usize| {
        let (from, to) = (web[one].max(web[other]), web[one].min(web[other]));
        web.iter_mut().filter(|web| **web == from).for_each(|web| *web = to);
    };
    for _ in 0..=blocks {
        for block in 0..blocks {
            let mut values: BTreeSet<usize> =
                edges.predecessors(block).flat_map(|before| at_end[before].clone()).collect();
            values.extend((block == 0).then_some(count));
            at_start[block] = values.clone();
            for (at, _) in accesses.iter().enumerate().filter(|(_, access)| access.block as usize == block) {
                if accesses[at].kind != Kind::Read {
                    values = BTreeSet::from([at]);
                }
            }
            at_end[block] = values;
        }
    }
    for (block, mut values) in at_start.into_iter().enumerate() {
        for (at, access) in accesses.iter().enumerate().filter(|(_, access)| access.block as usize == block) {
            if access.kind != Kind::Write {
                values.iter().for_each(|&value| join(&mut web, value, at));
            }
            if access.kind != Kind::Read {
                values = BTreeSet::from([at]);
            }
        }
    }
    web.truncate(count);
    web
}

#[test]
fn webs_are_those_of_the_definition() {
    let mut seed = 1_u64;
    let mut below = |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % bound
    };
    let mut several = 0;
    for _ in 0..20_000 {
        let count = 1 + below(9);
        let edges = Edges::of((0..count).map(|_| (0..below(4)).map(|_| below(count)).collect()).collect());
        let dominance = Dominance::new(&edges);
        // Blocks that the entry does not reach are no part of the graph of a kernel.
        let order = dominance.order();
        if order.len() < count {
            continue;
        }
        let mut accesses = Vec::new();
        for &block in order {
            for _ in 0..below(4) {
                let kind = [Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Update][below(5)];
                accesses.push(Access { block: block as u32, pc: accesses.len() as u32, kind });
            }
        }
        let blocks = Blocks::new(&edges, &dominance).expect("few blocks");
        let mut values = Values::new(&blocks);
        let expected = by_definition(&edges, &accesses);
        let one = vec![0; accesses.len()];
        // Twice: nothing of one row may be left when the next one is looked at.
        for _ in 0..2 {
            let found = values.webs(&accesses).map_or_else(|| one.clone(), <[usize]>::to_vec);
            assert_eq!(found, expected, "{accesses:?} in {:?}", edges.all().collect::<Vec<_>>());
        }
        several += usize::from(expected.iter().any(|&web| web != 0));
    }
    assert!(several > 2_000, "{several} of the graphs have several webs");
}

/// The number of new rows of a kernel.
fn new_rows(body: &str) -> u32 {
    let text = format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) {{\n\
         .reg .b32 %r<9>; .reg .b64 %a<9>; .reg .pred %p<9>; .reg .b128 %q<3>; .shared .u32 s;\n\
         ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n];\n{body} }}"
    );
    let prepared = prepared(&SourceFile::new("k.ptx", text), &Memory::new());
    let program = prepared.program();
    let rows = program.kernel().rows;
    separate(program, None).map_or(0, |inlined| inlined.program.kernel().rows - rows)
}

#[test]
fn unrelated_values_have_rows_of_their_own() {
    for (expected, body) in [
        (0, "mov.u32 %r2, %tid.x; st.global.u32 [%a1], %r2; ret;"),
        (
            1,
            "mov.u32 %r2, %tid.x; st.global.u32 [%a1], %r2; mov.u32 %r2, 5; st.global.u32 [%a1+4], %r2; ret;",
        ),
        // An instruction may read one value and write the next.
        (
            2,
            "mov.u32 %r2, %tid.x; shl.b32 %r2, %r2, 2; add.u32 %r2, %r2, %r1; st.global.u32 [%a1], %r2; ret;",
        ),
        // The guard of an instruction is read before it writes.
        (
            1,
            "setp.eq.u32 %p1, %r1, 3; @%p1 st.global.u32 [%a1], 1; setp.eq.u32 %p1, %r1, 4; @%p1 ret; st.global.u32 [%a1], 2; ret;",
        ),
        // The condition of a branch, and the index of one.
        (
            1,
            "setp.eq.u32 %p1, %r1, 3; @%p1 bra L; setp.eq.u32 %p1, %r1, 4; @%p1 bra L; st.global.u32 [%a1], 2; L: ret;",
        ),
        (
            1,
            "t: .branchtargets A, B; and.b32 %r2, %r1, 1; brx.idx %r2, t; A: mov.u32 %r2, 7; st.global.u32 [%a1], %r2; B: ret;",
        ),
        // The two sides of a branch, if nothing after them reads either.
        (
            1,
            "setp.eq.u32 %p1, %r1, 3; @%p1 bra L; mov.u32 %r2, 1; st.global.u32 [%a1], %r2; ret; L: mov.u32 %r2, 2; st.global.u32 [%a1+4], %r2; ret;",
        ),
        // The two rows of a result, but not those of an operand.
        (
            2,
            "mov.b128 %q1, {%a1, %a1}; atom.global.b128.exch %q2, [%a1], %q1; mov.b128 %q1, {%a1, %a1}; atom.global.b128.exch %q2, [%a1], %q1;\n\
             mov.b128 {%a2, %a3}, %q2; st.global.u64 [%a1], %a2; ret;",
        ),
        // In each round of a loop a new value.
        (
            1,
            "mov.u32 %r2, %r1; L: add.u32 %r3, %r2, 1; st.global.u32 [%a1], %r3; mov.u32 %r3, 4; add.u32 %r2, %r2, %r3; setp.lt.u32 %p1, %r2, 99; @%p1 bra L; ret;",
        ),
    ] {
        assert_eq!(new_rows(body), expected, "{body}");
    }
}

#[test]
fn values_that_go_on_keep_their_row() {
    for (why, body) in [
        (
            "two sides, read after them",
            "setp.eq.u32 %p1, %r1, 3; @%p1 bra L; mov.u32 %r2, 1; bra E; L: mov.u32 %r2, 2; E: st.global.u32 [%a1], %r2; ret;",
        ),
        ("a counter", "mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; ret;"),
        (
            "lanes for which the guard does not hold",
            "setp.eq.u32 %p1, %r1, 3; mov.u32 %r2, 1; @%p1 mov.u32 %r2, 2; st.global.u32 [%a1], %r2; ret;",
        ),
        (
            "zero in the first round",
            "L: st.global.u32 [%a1], %r2; mov.u32 %r2, 2; @%p1 bra M; mov.u32 %r2, 3; M: setp.lt.u32 %p2, %r1, 9; @%p2 bra L; ret;",
        ),
        (
            "the cases of a switch",
            "t: .branchtargets A, B, C, D; and.b32 %r3, %r1, 3; ld.global.u32 %r2, [%a1]; brx.idx %r3, t; A: add.u32 %r2, %r2, 1; bra E; B: mul.lo.u32 %r2, %r2, 5; bra E;\n\
             C: xor.b32 %r2, %r2, 7; bra E; D: not.b32 %r2, %r2; E: st.global.u32 [%a1], %r2; ret;",
        ),
        (
            "an operation at which lanes wait, reached in two ways",
            "setp.eq.u32 %p1, %r1, 3; @%p1 bra L; setp.eq.u32 %p2, %r1, 4; bra E; L: setp.eq.u32 %p2, %r1, 5;\n\
             E: @%p2 bar.warp.sync -1; ret;",
        ),
    ] {
        assert_eq!(new_rows(body), 0, "{why}");
    }
}
