//! Late reconvergence: the threads that `activemask` sees are those that are together in the machine code of ptxas. The places of `BSSY`, `BSYNC` and
//! `WARPSYNC` in it (sm_90, -O3) are noted at each kernel; the masks follow from them and from what the kernel computes.

use ptx_exec::{Argument, Launch, Outcome, Reconvergence};

use super::common;

/// A kernel that stores its register %m, 0 at first, in element tid of its buffer. In the body %t is the number of the thread, %z is 0 in a way that no
/// translator sees, and `WORK` takes the place of work, which ptxas does not turn into predicated instructions.
fn kernel(body: &str) -> String {
    let mut text = ".version 8.0\n.target sm_80\n.address_size 64\n
        .visible .entry k(.param .u64 out, .param .u32 n) {
        .reg .b64 %o; .reg .b32 %t, %m, %z, %n, %i, %w; .reg .pred %p, %q, %e;
        ld.param.u64 %o, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 4, %o;
        ld.global.u32 %z, [%o]; mov.u32 %m, 0;"
        .to_owned();
    for (number, part) in body.split("WORK").enumerate() {
        if number > 0 {
            text.push_str(&format!(
                "mov.u32 %w, %z; work{number}: ld.volatile.global.u32 %i, [%o]; add.u32 %w, %w, 1; add.u32 %w, %w, %i;
                 setp.lt.u32 %e, %w, 3; @%e bra work{number};\n"
            ));
        }
        text.push_str(part);
    }
    text + "\n}"
}

fn launch(text: &str, n: u32, reconvergence: Reconvergence) -> Outcome {
    let mut launch = Launch::new("k");
    launch.block = [32, 1, 1];
    launch.arguments = vec![Argument::Buffer(vec![0; 128]), Argument::Bytes(n.to_le_bytes().to_vec())];
    launch.reconvergence = reconvergence;
    common::execute(text, &launch).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn masks(body: &str, n: u32, reconvergence: Reconvergence) -> Vec<u32> {
    let outcome = launch(&kernel(body), n, reconvergence);
    let bytes = outcome.buffers[0].as_deref().expect("a buffer");
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// The mask of each thread: that of the first of these groups which contains it, or 0.
fn groups(groups: &[u32]) -> Vec<u32> {
    (0..32).map(|lane| groups.iter().copied().find(|mask| mask >> lane & 1 == 1).unwrap_or(0)).collect()
}

/// Stores the mask and ends.
const END: &str = "st.global.u32 [%o], %m; ret;";

#[test]
fn a_block_moved_past_the_place_where_paths_meet_is_seen() {
    // BSSY before the first branch, BSYNC at M.
    let original = format!(
        "setp.lt.u32 %p, %t, 16; @%p bra T; WORK setp.ne.u32 %q, %n, 0; selp.u32 %w, 1, 0, %q; bra M;
         T: WORK mov.u32 %w, 1;
         M: setp.eq.u32 %p, %w, 0; @%p bra V; activemask.b32 %m;
         V: WORK {END}"
    );
    // The same after jump threading: T goes on behind the test in M, so that the paths of the first branch meet at V; BSYNC is there.
    let threaded = format!(
        "setp.lt.u32 %p, %t, 16; @%p bra T; WORK setp.eq.u32 %q, %n, 0; @%q bra V; bra A;
         T: WORK
         A: activemask.b32 %m;
         V: WORK {END}"
    );
    let (early, late) = (Reconvergence::Early, Reconvergence::Late);
    assert_eq!(masks(&original, 1, late), groups(&[u32::MAX]));
    assert_eq!(masks(&threaded, 1, late), groups(&[0xffff, 0xffff_0000]));
    // Threads that come to the same instruction hide the difference.
    assert_eq!(masks(&original, 1, early), groups(&[u32::MAX]));
    assert_eq!(masks(&threaded, 1, early), groups(&[u32::MAX]));
    for body in [&original, &threaded] {
        assert_eq!(masks(body, 0, late), groups(&[0xffff]));
    }
}

#[test]
fn threads_that_end_are_not_waited_for() {
    // BSYNC is at M in all of these: of the threads from 16 on those from 24 on end before it.
    let exits = [
        ("@%q bra X;", "X: ret;"),
        ("@%q bra X;", "X: st.global.u32 [%o], %z; ret;"),
        ("@%q exit;", ""),
        ("@%q ret;", ""),
    ];
    for (exit, end) in exits {
        let body = format!(
            "setp.lt.u32 %p, %t, 16; @%p bra T; WORK setp.ge.u32 %q, %t, 24; {exit} WORK bra M;
             T: WORK
             M: activemask.b32 %m; WORK {END} {end}"
        );
        assert_eq!(masks(&body, 0, Reconvergence::Late), groups(&[0x00ff_ffff]), "{body}");
    }
}

#[test]
fn threads_are_together_after_what_they_execute_together() {
    // The paths of the first branch meet at X: threads from 16 on may skip M. BSYNC is there, but WARPSYNC is before the instructions at M.
    let body = |at_m: &str| {
        format!(
            "setp.lt.u32 %p, %t, 16; @%p bra T; WORK setp.ne.u32 %q, %n, 0; @%q bra X; WORK bra M;
             T: WORK
             M: {at_m} activemask.b32 %m; WORK
             X: WORK {END}"
        )
    };
    let late = Reconvergence::Late;
    assert_eq!(masks(&body(""), 0, late), groups(&[0xffff, 0xffff_0000]));
    for together in [
        "bar.warp.sync 0xffffffff;",
        "shfl.sync.idx.b32 %w, %t, 0, 31, 0xffffffff;",
        "vote.sync.ballot.b32 %w, 1, 0xffffffff;",
        "bar.sync 0;",
        "barrier.sync 1, 32;",
    ] {
        assert_eq!(masks(&body(together), 0, late), groups(&[u32::MAX]), "{together}");
    }
    // Of those that have come; the others are at X.
    assert_eq!(masks(&body("bar.warp.sync 0x0000ffff;"), 1, late), groups(&[0xffff]));
}

#[test]
fn loops_are_left_together() {
    // BSSY before the loop, BSYNC after it; and one more in it, where its two ways meet. Thread t goes round t % 4 + 1 times.
    let body = format!(
        "and.b32 %n, %t, 3;
         L: and.b32 %i, %t, 1; setp.ne.u32 %p, %i, 0; @%p bra C; WORK
         C: activemask.b32 %m; setp.eq.u32 %q, %n, 0; sub.u32 %n, %n, 1; @!%q bra L;
         st.global.u32 [%o], %m; activemask.b32 %i; add.u32 %m, %m, %i; {END}"
    );
    // In the last turn of a thread those are there that go round at least as often; then all are.
    let last =
        |lane: u32| (0..32).filter(|other| other % 4 >= lane % 4).fold(0u32, |mask, lane| mask | 1 << lane);
    let expected: Vec<u32> = (0..32).map(|lane| last(lane).wrapping_add(u32::MAX)).collect();
    assert_eq!(masks(&body, 0, Reconvergence::Late), expected);
    // A loop with two exits, which meet after it.
    let body = format!(
        "and.b32 %n, %t, 3;
         L: setp.eq.u32 %p, %n, 2; @%p bra B; WORK setp.eq.u32 %q, %n, 0; sub.u32 %n, %n, 1; @!%q bra L;
         B: activemask.b32 %m; {END}"
    );
    assert_eq!(masks(&body, 0, Reconvergence::Late), groups(&[u32::MAX]));
}

#[test]
fn guards_part_no_threads() {
    let body = format!(
        "setp.lt.u32 %p, %t, 16; @%p shfl.sync.idx.b32 %w, %t, 0, 31, 0x0000ffff; activemask.b32 %m; {END}"
    );
    assert_eq!(masks(&body, 0, Reconvergence::Late), groups(&[u32::MAX]));
    // Nor do several masks of one instruction.
    let body = format!(
        "setp.lt.u32 %p, %t, 16; selp.u32 %i, 0xffff, 0xffff0000, %p; shfl.sync.idx.b32 %w, %t, 0, 31, %i;
         activemask.b32 %m; {END}"
    );
    assert_eq!(masks(&body, 0, Reconvergence::Late), groups(&[u32::MAX]));
}

#[test]
fn calls_are_left_together() {
    let text =
        kernel(&format!("setp.lt.u32 %p, %t, 24; @!%p bra V; call f; activemask.b32 %m; V: WORK {END}"));
    let function = "
        .func f() {
        .reg .b32 %t; .reg .pred %p; .reg .b64 %a;
        mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 8; @%p bra A; ret;
        A: setp.lt.u32 %p, %t, 4; @%p bra B; ret;
        B: ret; }
        .visible .entry";
    let text = text.replacen(".visible .entry", function, 1);
    let outcome = launch(&text, 0, Reconvergence::Late);
    let bytes = outcome.buffers[0].as_deref().expect("a buffer");
    let found: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    assert_eq!(found, groups(&[0x00ff_ffff]));
}

#[test]
fn threads_that_wait_for_others_of_their_branch_do_not_wait_forever() {
    // Thread 0 polls for what thread 1 stores after the place where the branch meets.
    let body = format!(
        ".shared .u32 flag; setp.ne.u32 %p, %t, 0; @%p bra M;
         S: ld.volatile.shared.u32 %i, [flag]; setp.eq.u32 %q, %i, 0; @%q bra S;
         M: mov.u32 %m, 7; st.volatile.shared.u32 [flag], %m; {END}"
    );
    assert_eq!(masks(&body, 0, Reconvergence::Late), vec![7; 32]);
}

#[test]
fn results_that_do_not_depend_on_it_are_the_same() {
    // A butterfly sum in a block with a divergent loop, branches by `brx.idx` and barriers.
    let body = format!(
        ".shared .align 4 .b8 s[128]; list: .branchtargets A, B, C;
         rem.u32 %i, %t, 3; brx.idx %i, list;
         A: add.u32 %m, %t, 100; bra D;
         B: mul.lo.u32 %m, %t, 7; bra D;
         C: xor.b32 %m, %t, 5;
         D: shl.b32 %i, %t, 2; mov.u32 %w, s; add.u32 %w, %w, %i; st.shared.u32 [%w], %m; bar.sync 0;
         xor.b32 %i, %i, 124; mov.u32 %w, s; add.u32 %w, %w, %i; ld.shared.u32 %m, [%w]; {END}"
    );
    let value = |t: u32| [t + 100, t * 7, t ^ 5][t as usize % 3];
    let expected: Vec<u32> = (0..32).map(|t| value(31 - t)).collect();
    for reconvergence in [Reconvergence::Early, Reconvergence::Late] {
        assert_eq!(masks(&body, 0, reconvergence), expected, "{reconvergence:?}");
    }
}
