//! Kernels whose warps come to barriers in one order, and exchanges in shared memory: both engines leave the same bytes, on each processor.

use crate::common::{Case, words};
use ptx_host::analysis::{Analysis, Launched, Phases, computed_again};
use ptx_llvm_core::host::Cpu;

fn case(body: &str, block: u32, n: u32) -> Case<'_> {
    Case { before: ".shared .align 16 .b8 s[4096];", block: [block, 1, 1], n, ..Case::warp(body) }
}

/// With the address of the thread's words, which do not wrap around in a block, as `%rd7` and `%rd8`, and in shared memory as `%r12`.
fn placed(body: &str) -> String {
    format!(
        "mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd1, %rd6; add.s64 %rd8, %rd2, %rd6; mov.u32 %r10, s; shl.b32 %r11, %r4, 2;\n\
         add.u32 %r12, %r10, %r11;\n{body}"
    )
}

/// The first words of the output, which is the same in both engines.
fn same(body: &str, block: u32, n: u32) -> Vec<u32> {
    let body = placed(body);
    let case = case(&body, block, n);
    case.agrees();
    words(&case.interpreted())
}

fn given(word: u32) -> u32 {
    word.wrapping_mul(2_654_435_761) >> 7
}

fn analysis_of(body: &str, block: u32) -> (usize, usize) {
    let body = placed(body);
    let prepared = case(&body, block, 0).prepared();
    let program = prepared.program();
    let analysis = Analysis::new(program, &Launched::blocks([block, 1, 1]), 16).expect("compiled");
    let phases = Phases::new(program, &analysis.graph).map_or(0, |phases| phases.blocks.len());
    (phases, computed_again(program, &analysis).len())
}

/// Each thread gives its number to the next one, which adds its own; with rows that are live over the barriers, and a branch.
const RING: &str = "ld.global.u32 %r13, [%rd8]; st.shared.u32 [%r12], %r13; add.u32 %r14, %r4, 1; setp.eq.u32 %p1, %r14, %r3; selp.u32 %r14, 0, %r14, %p1;\n\
    shl.b32 %r15, %r14, 2; add.u32 %r15, %r10, %r15; bar.sync 0; ld.shared.u32 %r16, [%r15]; and.b32 %r17, %r16, 1; setp.eq.u32 %p2, %r17, 0; @%p2 bra even;\n\
    add.u32 %r16, %r16, 1000; even: add.u32 %r18, %r16, %r13; bar.sync 0; st.shared.u32 [%r12], %r18; bar.sync 0; ld.shared.u32 %r19, [%r15];\n\
    add.u32 %r19, %r19, %r4; st.global.u32 [%rd7], %r19; ret;";

#[test]
fn barriers_in_one_order() {
    for block in [1, 31, 32, 33, 64, 96, 250, 512] {
        let out = same(RING, block, 0);
        let step = |thread: u32| {
            let next = given((thread + 1) % block);
            (if next & 1 == 1 { next.wrapping_add(1000) } else { next }).wrapping_add(given(thread))
        };
        let wanted: Vec<u32> =
            (0..block).map(|thread| step((thread + 1) % block).wrapping_add(thread)).collect();
        assert_eq!(out[..block as usize], wanted, "{block}");
    }
    assert_eq!(analysis_of(RING, 250).0, 4);
}

#[test]
fn barriers_in_several_orders_are_no_phases() {
    // A loop, a barrier in each of two branches, threads that exit before a barrier, and none.
    let repeated = "mov.u32 %r13, 0; again: bar.sync 0; add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, %r1; @%p1 bra again; st.global.u32 [%rd7], %r13; ret;";
    let either = "setp.lt.u32 %p1, %r4, 32; @%p1 bra other; bar.sync 0; bra.uni on; other: bar.sync 0; on: bar.sync 0; st.global.u32 [%rd7], %r4; ret;";
    let early = "setp.ge.u32 %p1, %r4, 40; @%p1 bra done; bar.sync 0; st.global.u32 [%rd7], %r4; done: ret;";
    let none = "st.global.u32 [%rd7], %r4; ret;";
    for body in [repeated, either, early, none] {
        assert_eq!(analysis_of(body, 96).0, 0, "{body}");
        same(body, 96, 3);
    }
}

#[test]
fn rows_are_computed_again_where_they_are_the_same() {
    let before = analysis_of("bar.sync 0; st.global.u32 [%rd7], %r4; ret;", 64).1;
    let more = |body: &str| {
        same(body, 64, 5);
        analysis_of(body, 64).1 - before
    };
    // From indices, in three and in nine operations.
    assert_eq!(
        more(
            "shl.b32 %r13, %r4, 1; and.b32 %r14, %r4, 7; sub.u32 %r15, %r13, %r14; bar.sync 0; st.global.u32 [%rd7], %r15; ret;"
        ),
        3
    );
    let long = "add.u32 %r13, %r4, 1; mul.lo.u32 %r13, %r13, %r4;";
    assert_eq!(more(&format!("{long} bar.sync 0; st.global.u32 [%rd7], %r13; ret;")), 0, "written twice");
    let chain: String = (13..22).map(|row| format!("xor.b32 %r{}, %r{row}, %r4; ", row + 1)).collect();
    let chain = format!("add.u32 %r13, %r4, 1; {chain} bar.sync 0; st.global.u32 [%rd7], %r22; ret;");
    assert!(more(&chain) < 10, "too long");
    // From what is loaded, under a guard, and read before it is written.
    assert_eq!(
        more(
            "ld.global.u32 %r13, [%rd8]; add.u32 %r14, %r13, 1; bar.sync 0; st.global.u32 [%rd7], %r14; ret;"
        ),
        0
    );
    let guard =
        "setp.lt.u32 %p1, %r4, %r1; @%p1 add.u32 %r13, %r4, 7; bar.sync 0; st.global.u32 [%rd7], %r13; ret;";
    assert_eq!(more(guard), 0);
    let branch = "setp.lt.u32 %p1, %r4, %r1; @%p1 bra on; add.u32 %r13, %r4, 7; on: bar.sync 0; st.global.u32 [%rd7], %r13; ret;";
    assert_eq!(more(branch), 0);
}

/// Threads with a number below n, or those that a bit of the input chooses, exchange words `distance` apart.
fn exchange(distance: u32, condition: &str) -> String {
    format!(
        "shl.b32 %r30, %r3, 2; add.u32 %r31, %r12, %r30; add.u32 %r13, %r4, 1000; st.shared.u32 [%r12], %r13; add.u32 %r13, %r13, %r3; st.shared.u32 [%r31], %r13;\n\
         ld.global.u32 %r20, [%rd8]; bar.sync 0; and.b32 %r14, %r4, {}; shl.b32 %r15, %r4, 1; sub.u32 %r16, %r15, %r14; shl.b32 %r17, %r16, 2; add.u32 %r18, %r10, %r17;\n\
         {condition} ld.shared.u32 %r21, [%r18]; ld.shared.u32 %r22, [%r18+{}]; @%p1 bra on; st.shared.u32 [%r18], %r22; st.shared.u32 [%r18+{}], %r21;\n\
         on: bar.sync 0; ld.shared.u32 %r23, [%r12]; ld.shared.u32 %r24, [%r31]; mad.lo.u32 %r23, %r24, 10000, %r23; st.global.u32 [%rd7], %r23; ret;",
        distance - 1,
        4 * distance,
        4 * distance
    )
}

#[test]
fn lanes_that_exchange_nothing_leave_words_as_they_are() {
    for (condition, n) in [
        ("setp.ge.u32 %p1, %r4, %r1;", 19),
        ("setp.ge.u32 %p1, %r4, %r1;", 200),
        ("and.b32 %r25, %r20, 1; setp.eq.u32 %p1, %r25, 0;", 0),
    ] {
        for distance in [1, 4, 16, 32] {
            let body = exchange(distance, condition);
            for block in [32, 96, 100] {
                if block % distance != 0 {
                    continue;
                }
                let out = same(&body, block, n);
                let mut numbers: Vec<u32> = (0..2 * block).map(|at| at + 1000).collect();
                for thread in 0..block {
                    let exchanges =
                        if condition.contains("%r20") { given(thread) & 1 == 1 } else { thread < n };
                    let low = (2 * thread - (thread & (distance - 1))) as usize;
                    if exchanges {
                        numbers.swap(low, low + distance as usize);
                    }
                }
                for thread in 0..block as usize {
                    let wanted =
                        numbers[thread + block as usize].wrapping_mul(10000).wrapping_add(numbers[thread]);
                    assert_eq!(out[thread], wanted, "{distance} {block} {n} {thread}");
                }
            }
        }
    }
}

#[test]
fn stores_of_neighbours_overlap_in_order() {
    // Thread i stores to words i and i + 1 of what it has loaded: the second store of a thread is over the first of the next one.
    let body = "st.shared.u32 [%r12], %r4; st.shared.u32 [%r12+4], %r4; bar.sync 0; setp.lt.u32 %p1, %r4, %r1; ld.shared.u32 %r13, [%r12]; ld.shared.u32 %r14, [%r12+4];\n\
        add.u32 %r15, %r4, 100; add.u32 %r16, %r4, 200; @%p1 bra on; st.shared.u32 [%r12], %r15; st.shared.u32 [%r12+4], %r16; on: bar.sync 0;\n\
        ld.shared.u32 %r17, [%r12]; st.global.u32 [%rd7], %r17; ret;";
    for (block, n) in [(32, 0), (32, 7), (32, 16), (32, 31), (21, 5)] {
        let out = same(body, block, n);
        for thread in n + 1..block {
            assert_eq!(out[thread as usize], thread - 1 + 200, "{block} {n} {thread}");
        }
    }
}

/// How warps are executed with so many values that are live over a barrier.
fn strategy_with(values: u32) -> (String, String) {
    let mut body = format!(".reg .b32 %v<{values}>;\nld.global.u32 %r13, [%rd8];\n");
    for value in 0..values {
        body += &format!("mad.lo.u32 %v{value}, %r13, {}, %r4;\n", 2 * value + 3);
    }
    body += "st.shared.u32 [%r12], %r13; bar.sync 0; ld.shared.u32 %r14, [s];\n";
    for value in 0..values {
        body += &format!("mad.lo.u32 %r14, %r14, 31, %v{value};\n");
    }
    body += "st.global.u32 [%rd7], %r14; ret;";
    let prepared = case(&placed(&body), 128, 0).prepared();
    let launched = Launched::blocks([128, 1, 1]);
    let options =
        ptx_host::Options::default().with_disabled([ptx_host::Form::Together, ptx_host::Form::Groups]);
    let cpu = Cpu::host().expect("LLVM 22");
    (body, ptx_host::explain(prepared.program(), &launched, &cpu, &options).expect("compiled").strategy)
}

#[test]
fn warps_with_many_rows_at_barriers_take_no_turns() {
    for (values, has_turns) in [(8, true), (80, false)] {
        let (body, strategy) = strategy_with(values);
        assert_eq!(strategy.contains("from barrier to barrier"), has_turns, "{values}: {strategy}");
        same(&body, 128, 0);
    }
}
