//! Which loops wait for other threads. Whether one does follows from the PTX by hand.

use crate::common::Case;
use ptx_host::analysis::{Graph, access_locally, own_accesses, waiting};

fn waits(body: &str) -> bool {
    let prepared = Case::warp(body).prepared();
    let graph = Graph::new(prepared.program()).unwrap_or_else(|refusal| panic!("{}: {body}", refusal.why));
    !waiting(prepared.program(), &graph).is_empty()
}

#[test]
fn locks_wait() {
    for body in [
        "spin: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra spin; st.global.u32 [%rd1], 0; ret;",
        "spin: atom.global.exch.b32 %r6, [%rd1], 1; setp.eq.u32 %p1, %r6, 0; @!%p1 bra spin; ret;",
        // Through another row, and in a loop around it that is left by a counter.
        "mov.u32 %r8, 0; outer: \n spin: atom.global.cas.b32 %r6, [%rd1], 0, 1; add.u32 %r7, %r6, 1; setp.ne.u32 %p1, %r7, 1; @%p1 bra spin;\n\
         st.global.u32 [%rd1], 0; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra outer; ret;",
        // Two loops with one head: the lock is taken at the place that the other loop goes back to.
        "mov.u32 %r8, 0; again: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra again;\n\
         add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra again; ret;",
        // It is left by a flag that is set where the lock was taken.
        "mov.u32 %r8, 0; again: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra next;\n\
         mov.u32 %r8, 1; st.global.u32 [%rd1], 0; next: setp.eq.u32 %p2, %r8, 0; @%p2 bra again; ret;",
        // The same with a guard.
        "mov.u32 %r8, 0; again: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.eq.u32 %p1, %r6, 0; @%p1 mov.u32 %r8, 1;\n\
         setp.eq.u32 %p2, %r8, 0; @%p2 bra again; ret;",
        // It has another exit too, which need not be reached.
        "mov.u32 %r8, 0; again: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra finish;\n\
         add.u32 %r8, %r8, 1; setp.ne.u32 %p2, %r8, %r1; @%p2 bra again; finish: ret;",
        // The wide ones, and elements of vectors.
        "spin: mov.b128 %q1, {%rd1, %rd2}; atom.global.exch.b128 %q2, [%rd1], %q1; mov.b128 {%rd6, %rd7}, %q2; setp.ne.u64 %p1, %rd6, 0; @%p1 bra spin; ret;",
        "spin: atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f3, %f4}; setp.gt.f32 %p1, %f2, %f4; @%p1 bra spin; ret;",
    ] {
        assert!(waits(body), "{body}");
    }
}

#[test]
fn polls_wait() {
    for load in ["ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32"] {
        let poll = format!("spin: {load} %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra spin; ret;");
        assert!(waits(&poll), "{poll}");
    }
    // A ticket is drawn before the loop, in which one waits for it to be served.
    let ticket = "atom.global.add.u32 %r6, [%rd1], 1; spin: ld.volatile.global.u32 %r7, [%rd1+4]; setp.ne.u32 %p1, %r6, %r7; @%p1 bra spin; ret;";
    assert!(waits(ticket));
}

/// No other thread changes local memory, which a generic access may be known to be of.
#[test]
fn volatile_local_memory_does_not_wait() {
    let poll = ".local .align 4 .b8 depot[16]; mov.u64 %rd9, depot; cvta.local.u64 %rd10, %rd9;\n\
                spin: ld.volatile.u32 %r6, [%rd10+4]; setp.eq.u32 %p1, %r6, 0; @%p1 bra spin; ret;";
    assert!(waits(poll));
    let mut program = Case::warp(poll).prepared().program().as_ref().clone();
    let accesses = own_accesses(&program);
    assert_eq!(accesses.len(), 1);
    access_locally(&mut program, &accesses);
    let graph = Graph::new(&program).expect("compiled");
    assert!(waiting(&program, &graph).is_empty());
}

#[test]
fn what_is_found_through_memory_waits() {
    let body = ".local .align 4 .b8 depot[16]; mov.u32 %r9, depot;\n\
                again: atom.global.cas.b32 %r6, [%rd1], 0, 1; st.local.u32 [%r9], %r6; ld.local.u32 %r7, [%r9+0];\n\
                setp.ne.u32 %p1, %r7, 0; @%p1 bra again; ret;";
    assert!(waits(body));
    // One thread looks, and the others of the block find it in shared memory.
    let body = ".shared .align 4 .u32 seen; setp.ne.u32 %p1, %r4, 0; again: @%p1 bra others; ld.volatile.global.u32 %r6, [%rd1]; st.shared.u32 [seen], %r6;\n\
                others: bar.sync 0; ld.shared.u32 %r7, [seen]; bar.sync 0; setp.eq.u32 %p2, %r7, 0; @%p2 bra again; ret;";
    assert!(waits(body));
    assert!(!waits(&body.replace("st.shared.u32 [seen], %r6", "st.global.u32 [%rd4], %r6")));
}

#[test]
fn loops_that_count_do_not_wait() {
    for body in [
        // No one looks at the result, or only stores it.
        "mov.u32 %r8, 0; again: atom.global.add.u32 %r6, [%rd1], 1; st.global.u32 [%rd4], %r6; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra again; ret;",
        // Places in a list, as long as it has room.
        "mov.u32 %r8, 0; again: atom.global.add.u32 %r6, [%rd1], 1; setp.ge.u32 %p1, %r6, 9; @%p1 bra next; mul.wide.u32 %rd6, %r6, 4; add.u64 %rd6, %rd6, %rd1;\n\
         st.global.u32 [%rd6], %r8; next: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra again; ret;",
        // The same, with a trap where there is none.
        "mov.u32 %r8, 0; again: atom.global.add.u32 %r6, [%rd1], 1; setp.ge.u32 %p1, %r6, 900; @%p1 bra full;\n\
         add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra again; ret; full: trap;",
        // The loop begins after the result is known.
        "atom.global.add.u32 %r6, [%rd1], 1; mov.u32 %r8, 0; again: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r6; @%p2 bra again; ret;",
        // A volatile number that is summed up.
        "mov.u32 %r8, 0; again: ld.volatile.global.u32 %r6, [%rd1]; add.u32 %r7, %r7, %r6; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra again;\n\
         st.global.u32 [%rd4], %r7; ret;",
        // Each round begins with a result that the loop in it takes as its end.
        "mov.u32 %r8, 0; outer: atom.global.add.u32 %r6, [%rd1], 1; mov.u32 %r9, 0; inner: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r6; @%p1 bra inner;\n\
         add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra outer; ret;",
    ] {
        assert!(!waits(body), "{body}");
    }
}

#[test]
fn exchanges_of_what_was_found_do_not_wait() {
    // As nvcc writes the addition of numbers that have no instruction for it.
    let before = "ld.global.u32 %r6, [%rd1]; again: mov.u32 %r7, %r6; mul.lo.u32 %r8, %r7, 3; atom.global.cas.b32 %r6, [%rd1], %r7, %r8; \
                  setp.ne.s32 %p1, %r7, %r6; @%p1 bra again; ret;";
    let after = "ld.global.u32 %r7, [%rd1]; again: mul.lo.u32 %r8, %r7, 3; atom.global.cas.b32 %r6, [%rd1], %r7, %r8; \
                 setp.ne.s32 %p1, %r7, %r6; mov.u32 %r7, %r6; @%p1 bra again; ret;";
    let equal = "ld.global.u64 %rd7, [%rd1]; again: add.u64 %rd8, %rd7, 3; atom.global.cas.b64 %rd6, [%rd1], %rd7, %rd8; \
                 setp.eq.s64 %p1, %rd6, %rd7; mov.u64 %rd7, %rd6; @!%p1 bra again; ret;";
    for body in [before, after, equal] {
        assert!(!waits(body), "{body}");
        assert!(
            !waits(&body.replace("ret;", "st.global.u32 [%rd4], %r4; ret;")),
            "{body}, and goes on after the loop"
        );
    }
    // Changed so that they wait: for another number, with the opposite condition, for half of the number,
    // at another place in each round.
    for body in [
        before.replace("mov.u32 %r7, %r6", "and.b32 %r7, %r6, 1"),
        before.replace("setp.ne.s32 %p1, %r7, %r6", "setp.ne.s32 %p1, %r8, %r6"),
        before.replace("setp.ne", "setp.eq"),
        before.replace("setp.ne", "setp.lt"),
        before.replace("mov.u32 %r7, %r6; mul.lo.u32 %r8, %r7, 3;", "mul.lo.u32 %r8, %r7, 3;"),
        after.replace("mov.u32 %r7, %r6;", "@%p2 mov.u32 %r7, %r6;"),
        after.replace(
            "setp.ne.s32 %p1, %r7, %r6; mov.u32 %r7, %r6;",
            "mov.u32 %r7, %r6; setp.ne.s32 %p1, %r7, %r6;",
        ),
        after.replace("mul.lo.u32 %r8, %r7, 3;", "mul.lo.u32 %r8, %r7, 3; xor.b64 %rd1, %rd1, 64;"),
        after.replace("atom.global.cas", "@%p2 atom.global.cas"),
        after.replace("@%p1 bra again; ret;", "@!%p1 bra again; ret;"),
        equal.replace("@!%p1 bra again; ret;", "@%p1 bra again; ret;"),
        equal.replace(
            "setp.eq.s64 %p1, %rd6, %rd7",
            "cvt.u32.u64 %r6, %rd6; cvt.u32.u64 %r7, %rd7; setp.eq.u32 %p1, %r6, %r7",
        ),
    ] {
        assert!(waits(&body), "{body}");
    }
}

#[test]
fn exchanges_end_and_have_the_results_of_the_interpreter() {
    // Lanes that fail come again; the products of all lanes are the same in any order.
    let body = "and.b32 %r9, %r4, 7; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd7, %rd1, %rd6; or.b32 %r10, %r5, 1; ld.global.u32 %r6, [%rd7];\n\
                again: mov.u32 %r7, %r6; mul.lo.u32 %r8, %r7, %r10; atom.global.cas.b32 %r6, [%rd7], %r7, %r8;\n\
                setp.ne.s32 %p1, %r7, %r6; @%p1 bra again; ret;";
    for (grid, block) in [(1, [32, 1, 1]), (3, [70, 1, 1])] {
        Case { grid, block, ..Case::warp(body) }.agrees();
    }
}
