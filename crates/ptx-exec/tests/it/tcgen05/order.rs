//! Operations are done when they are waited for (manual 9.7.16.6).

use ptx_exec::{Completion, ExecError, TrapKind};

use super::{END, START, launch_as, words_of};

/// Thread 0 copies 128 lanes of ones from shared memory, commits, and does `after`; then each thread stores column 0 of its lane.
fn copied(completion: Completion, after: &str) -> Result<Vec<u32>, ExecError> {
    let text = format!(
        "{START}
        mov.b32 %y1, 1;
        mov.u32 %y2, memory;
        mad.lo.u32 %y2, %t, 16, %y2;
        st.shared.v4.b32 [%y2], {{%y1, %y1, %y1, %y1}};
        mov.b32 %y1, 7;
        tcgen05.st.sync.aligned.32x32b.x1.b32 [%own], {{%y1}};
        tcgen05.wait::st.sync.aligned;
        fence.proxy.async.shared::cta;
        setp.eq.u32 %p1, %t, 0;
        @%p1 mbarrier.init.shared.b64 [barrier], 1;
        bar.sync 0;
        mov.u32 %y9, memory;
        shr.u32 %y9, %y9, 4;
        cvt.u64.u32 %x9, %y9;
        // 128 bytes from eight rows to the next.
        add.u64 %x10, %x9, {descriptor:#x};
        @%p1 tcgen05.cp.cta_group::1.128x128b [%base], %x10;
        @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [barrier];
        {after}
        tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%y3}}, [%own];
        tcgen05.wait::ld.sync.aligned;
        mad.wide.u32 %x1, %t, 4, %out;
        st.global.b32 [%x1], %y3;
        {WAIT}
        {END}",
        descriptor = 8u64 << 32 | 1 << 46,
    );
    launch_as(completion, "sm_100a", &text, Vec::new(), 512).map(words_of)
}

const WAIT: &str = "{
    .reg .pred %w;
LOOP:
    mbarrier.try_wait.parity.shared.b64 %w, [barrier], 0;
    @!%w bra LOOP;
    }
    tcgen05.fence::after_thread_sync;";

const ALL: [Completion; 4] =
    [Completion::Eager, Completion::Late, Completion::Random(1), Completion::Random(2)];

#[test]
fn copies_are_done_when_the_barrier_tells() {
    for completion in ALL {
        assert_eq!(copied(completion, WAIT).unwrap(), vec![1; 128], "{completion:?}");
    }
}

#[test]
fn a_load_that_does_not_wait_may_find_what_was_there_before() {
    assert_eq!(copied(Completion::Eager, "").unwrap(), vec![1; 128]);
    let late = copied(Completion::Late, "").unwrap();
    assert_eq!(late, vec![7; 128]);
}

#[test]
fn shared_memory_is_read_late() {
    let overwrite = "mov.b32 %y1, 5;\nst.shared.v4.b32 [%y2], {%y1, %y1, %y1, %y1};\nbar.sync 0;\n";
    let after = format!("{overwrite}{WAIT}");
    assert_eq!(copied(Completion::Eager, &after).unwrap(), vec![1; 128]);
    assert_eq!(copied(Completion::Late, &after).unwrap(), vec![5; 128]);
}

#[test]
fn stores_are_done_when_they_are_waited_for() {
    let stored = |completion, wait: &str| {
        let text = format!(
            "{START}
            tcgen05.st.sync.aligned.32x32b.x1.b32 [%own], {{%t}};
            {wait}
            tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%y3}}, [%own];
            tcgen05.wait::ld.sync.aligned;
            mad.wide.u32 %x1, %t, 4, %out;
            st.global.b32 [%x1], %y3;
            tcgen05.wait::st.sync.aligned;
            {END}"
        );
        words_of(launch_as(completion, "sm_100a", &text, Vec::new(), 512).unwrap())
    };
    let threads: Vec<u32> = (0..128).collect();
    for completion in ALL {
        assert_eq!(stored(completion, "tcgen05.wait::st.sync.aligned;"), threads, "{completion:?}");
    }
    // The memory of a new block holds zeros here.
    assert_eq!(stored(Completion::Late, "tcgen05.wait::ld.sync.aligned;"), vec![0; 128]);
}

#[test]
fn a_block_does_not_end_before_what_reads_its_memory() {
    let text = format!(
        "{START}
        setp.eq.u32 %p1, %t, 0;
        mov.b64 %x10, {descriptor:#x};
        @%p1 tcgen05.cp.cta_group::1.128x128b [%base], %x10;
        {END}",
        descriptor = 8u64 << 32 | 1 << 46,
    );
    assert!(launch_as(Completion::Eager, "sm_100a", &text, Vec::new(), 4).is_ok());
    match launch_as(Completion::Late, "sm_100a", &text, Vec::new(), 4) {
        Err(ExecError::Trap(trap)) => {
            let TrapKind::Misuse(why) = &trap.kind else { panic!("{trap}") };
            assert!(why.contains("`tcgen05.commit`"), "{why}");
            assert_eq!(trap.instruction, "tcgen05.cp.cta_group::1.128x128b");
        }
        other => panic!("{other:?}"),
    }
}
