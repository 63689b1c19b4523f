//! Kernels in which a lane asks a barrier in shared memory in a loop while others of its warp are further on. Code keeps those waiting; where they
//! are the ones that arrive, the interpreter goes on with the warp.

use crate::common::{Case, words};
use ptx_host::analysis::Launched;
use ptx_host::{Stage, print_after};
use ptx_llvm_core::host::Cpu;

fn case(body: &str, block: u32) -> Case<'_> {
    Case {
        before: ".shared .align 8 .b64 full;\n.shared .align 8 .b64 other;\n",
        target: "sm_90",
        grid: 2,
        block: [block, 1, 1],
        ..Case::warp(body)
    }
}

/// One lane of each warp waits for a phase in each of three rounds, with `asks` as the question; all others of the warp go on to `arrive`. What each
/// lane counts is stored: four in each round for the lane that waits, one for the others, and one hundred for the lane that the warp elects at last.
fn rounds(asks: &str, arrive: &str, warps: u32) -> String {
    format!(
        ".local .align 4 .b8 kept[8];\n\
        setp.ne.u32 %p1, %r4, 0; @%p1 bra ready; mbarrier.init.shared.b64 [full], {};\n\
        ready: bar.sync 0;\n\
        mov.u32 %r20, 0; mov.u32 %r21, 0; st.local.u32 [kept], %r4;\n\
        round: and.b32 %r7, %r20, 1; mov.u32 %r9, -1; mov.u32 %r10, 1;\n\
        elect.sync %r6|%p3, %r9; @!%p3 bra on;\n\
        wait: {asks}\n\
        mov.u32 %r10, 4; bra next;\n\
        on: {arrive}\n\
        next: add.u32 %r21, %r21, %r10; add.u32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 3; @%p5 bra round;\n\
        mov.u32 %r11, 0; elect.sync %r6|%p6, -1; @!%p6 bra last; mov.u32 %r11, 100;\n\
        last: add.u32 %r21, %r21, %r11; ld.local.u32 %r12, [kept]; mad.lo.u32 %r21, %r12, 1000, %r21;\n\
        st.global.u32 [%rd4], %r21; ret;",
        31 * warps
    )
}

const ASKS: &str =
    "mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], %r7; @%p4 bra done; bra wait; done:";
/// The same, counting its questions, so that it never asks twice with the same registers.
const COUNTS: &str = "add.u32 %r13, %r13, 1; mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], %r7;\n\
    @%p4 bra done; bra wait; done: setp.eq.u32 %p7, %r13, 0; @%p7 trap;";
const ARRIVE: &str = "mbarrier.arrive.shared::cta.b64 _, [full];";

/// Whether code for it keeps lanes waiting.
fn keeps_waiting(case: &Case<'_>) -> bool {
    let prepared = case.prepared();
    let cpu = Cpu::host().expect("LLVM 22");
    let place = |pc: u32| pc.to_string();
    let text = print_after(
        Stage::Schedule,
        prepared.program(),
        &Launched::blocks(case.block),
        &cpu,
        &ptx_host::Options::default(),
        &place,
    );
    text.expect("compiled").starts_with("lanes that ask in vain keep others of their warp waiting")
}

#[test]
fn lanes_that_are_further_on_arrive() {
    for (asks, warps) in [(ASKS, 1), (ASKS, 3), (COUNTS, 1), (COUNTS, 2)] {
        let body = rounds(asks, ARRIVE, warps);
        let case = case(&body, 32 * warps);
        assert!(keeps_waiting(&case), "{body}");
        assert_eq!(case.launches_alike(), Ok(String::new()), "{body}");
        let found = words(&case.interpreted());
        for (at, &word) in found.iter().enumerate().take(64 * warps as usize) {
            let thread = at as u32 % (32 * warps);
            // The elected lane is the lowest one, as the interpreter and code have it.
            let counted = if thread.is_multiple_of(32) { 3 * 4 + 100 } else { 3 };
            assert_eq!(word, thread * 1000 + counted, "{at}: {body}");
        }
    }
}

/// No one arrives: both engines tell of the deadlock.
#[test]
fn lanes_that_no_one_arrives_for_wait_for_ever() {
    let body = rounds(ASKS, "", 1);
    let case = case(&body, 32);
    assert!(keeps_waiting(&case), "{body}");
    let error = case.launches_alike().expect_err("a deadlock");
    assert!(error.contains("deadlock"), "{error}");
}

/// Lanes of another warp ask, never twice with the same registers, for what the lanes arrive that are further on; then they arrive for the one that asks.
#[test]
fn lanes_that_are_further_on_arrive_for_another_warp() {
    let body = format!(
        "setp.ne.u32 %p1, %r4, 0; @%p1 bra ready;\n\
        mbarrier.init.shared.b64 [full], 32; mbarrier.init.shared.b64 [other], 31;\n\
        ready: bar.sync 0;\n\
        mov.u32 %r20, 0; mov.u32 %r21, 0; setp.ge.u32 %p2, %r4, 32; @%p2 bra second;\n\
        round: and.b32 %r7, %r20, 1; mov.u32 %r9, -1; mov.u32 %r10, 1;\n\
        elect.sync %r6|%p3, %r9; @!%p3 bra on;\n\
        wait: {ASKS}\n\
        mov.u32 %r10, 4; bra next;\n\
        on: mbarrier.arrive.shared::cta.b64 _, [other];\n\
        next: add.u32 %r21, %r21, %r10; add.u32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 3; @%p5 bra round;\n\
        elect.sync %r6|%p6, -1; @!%p6 bra last; add.u32 %r21, %r21, 100;\n\
        last: st.global.u32 [%rd4], %r21; ret;\n\
        second: and.b32 %r7, %r20, 1;\n\
        ask: add.u32 %r13, %r13, 1; mbarrier.try_wait.parity.shared::cta.b64 %p4, [other], %r7; @!%p4 bra ask;\n\
        mbarrier.arrive.shared::cta.b64 _, [full];\n\
        add.u32 %r20, %r20, 1; setp.lt.u32 %p5, %r20, 3; @%p5 bra second;\n\
        min.u32 %r13, %r13, 1; st.global.u32 [%rd4], %r13; ret;"
    );
    let case = case(&body, 64);
    assert!(keeps_waiting(&case), "{body}");
    assert_eq!(case.launches_alike(), Ok(String::new()), "{body}");
    for (at, &word) in words(&case.interpreted()).iter().enumerate().take(128) {
        let expected = match at % 64 {
            0 => 3 * 4 + 100,
            1..32 => 3,
            _ => 1,
        };
        assert_eq!(word, expected, "{at}");
    }
}
