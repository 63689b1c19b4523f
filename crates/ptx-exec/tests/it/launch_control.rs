//! Clusters that take work from the launch (manual 9.7.13.17, 9.7.13.18). Each block of the grid adds the number of its place and
//! one to a sum of that place, whether it was started or taken, so that the sums show that each place was worked on once.

use std::num::NonZeroUsize;

use crate::common;
use crate::common::execute;
use ptx_exec::{Argument, Completion, ExecError, Launch, Outcome, TrapKind};

/// A kernel of clusters along `x` that takes clusters until there are none left. `%x` to `%z` are the index of the block whose work
/// is done. After the sums of 48 blocks there is the number of blocks that were started.
fn stealing(answers: &str, parts: &str) -> String {
    format!(
        ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p) {{
            .reg .pred %p, %q; .reg .b32 %x, %y, %z, %rank, %r<9>; .reg .b64 %out, %rd<9>; .reg .b128 %h;
            .shared .align 16 .b8 answer[16]; .shared .b64 bar;
            ld.param.u64 %out, [p]; mov.u32 %rank, %cluster_ctarank;
            mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %z, %ctaid.z;
            mbarrier.init.shared.b64 [bar], 1; red.global.add.u32 [%out+192], 1; mov.u32 %r1, 0;
            LOOP:
            barrier.cluster.arrive; barrier.cluster.wait;
            mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
            {answers}
            mad.lo.u32 %r2, %z, 3, %y; mad.lo.u32 %r2, %r2, 8, %x; add.u32 %r3, %r2, 1;
            mad.wide.u32 %rd1, %r2, 4, %out; red.global.add.u32 [%rd1], %r3;
            W: mbarrier.try_wait.parity.shared.b64 %p, [bar], %r1; @!%p bra W;
            ld.shared.b128 %h, [answer];
            clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q, %h;
            @!%q ret;
            {parts}
            add.u32 %x, %x, %rank; xor.b32 %r1, %r1, 1; bra LOOP; }}"
    )
}

/// 8 x 3 x 2 blocks in clusters of so many along `x`.
fn launch(cluster: u32) -> Launch {
    Launch {
        grid: [8, 3, 2],
        cluster: Some([cluster, 1, 1]),
        arguments: vec![Argument::Buffer(vec![0; 196])],
        threads: Some(NonZeroUsize::MIN),
        ..Launch::new("k")
    }
}

const TRY: &str = "clusterlaunchcontrol.try_cancel.async";
const VECTOR: &str = "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%x, %y, %z, _}, %h;";
const SINGLE: &str = "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %x, %h;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %y, %h;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %z, %h;";

fn words(outcome: &Outcome) -> Vec<u32> {
    common::words(outcome.buffers[0].as_deref().unwrap())
}

#[test]
fn each_block_is_worked_on_once() {
    let own = format!(
        "mov.u64 %rd2, answer; cvta.shared.u64 %rd3, %rd2; mov.u64 %rd2, bar; cvta.shared.u64 %rd4, %rd2;
        {TRY}.mbarrier::complete_tx::bytes.b128 [%rd3], [%rd4];"
    );
    let all = format!(
        "setp.eq.u32 %p, %rank, 0;
        @%p {TRY}.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [bar];"
    );
    for (cluster, answers, parts) in
        [(1, &own, VECTOR), (1, &own, SINGLE), (2, &all, VECTOR), (4, &all, SINGLE)]
    {
        let text = stealing(answers, parts);
        for completion in [Completion::Eager, Completion::Late, Completion::Random(5)] {
            let launch = Launch { completion, ..launch(cluster) };
            let left = words(&execute(&text, &launch).unwrap());
            let expected: Vec<u32> = (1..=48).collect();
            assert_eq!(left[..48], expected, "{cluster} {completion:?}");
            // On one host thread the first cluster takes all others before they start.
            assert_eq!(left[48], cluster, "{completion:?}");
        }
        let many = Launch { threads: NonZeroUsize::new(2), ..launch(cluster) };
        let left = words(&execute(&text, &many).unwrap());
        assert_eq!(left[..48], (1..=48).collect::<Vec<u32>>());
    }
}

#[test]
fn answers_come_to_shared_memory() {
    let text = stealing(&format!("{TRY}.mbarrier::complete_tx::bytes.b128 [%out], [%out];"), VECTOR);
    let ExecError::Trap(trap) = execute(&text, &launch(1)).unwrap_err() else { panic!() };
    let TrapKind::Misuse(why) = trap.kind else { panic!("{trap:?}") };
    assert!(why.contains("shared memory, not"), "{why}");
}
