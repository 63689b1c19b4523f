//! What the asynchronous proxy reads of shared memory that threads wrote (manual 9.7.9.25.2, 9.7.13.4): all of it after a
//! `fence.proxy.async`; without one, where operations complete at points of their own, what was there before. Each kernel that
//! forgets its fence has a twin that does not; what they leave was worked out by hand.

use crate::common::{execute, words};
use ptx_exec::tensormap::{ElementType, Tensor};
use ptx_exec::{Argument, Completion, Launch, TensorMap};

/// Eager, late and 8 seeds.
fn completions() -> impl Iterator<Item = Completion> {
    [Completion::Eager, Completion::Late].into_iter().chain((0..8).map(Completion::Random))
}

/// The first 32 words that a kernel leaves. 32 threads each have the shared word of their number at `%w`, and their number plus 100 in
/// `%v`; thread 0 is `%p0`; the tensor is 8 by 4 words of the buffer.
fn left(completion: Completion, blocks: u32, body: &str) -> Vec<u32> {
    let text = format!(
        ".version 8.6\n.target sm_90a\n.address_size 64
        .visible .entry k(.param .align 64 .b8 m[128], .param .u64 out) {{
            .reg .pred %p<4>; .reg .b32 %t, %s, %w, %v, %rank, %r<9>; .reg .b64 %out, %m, %rd<4>;
            .shared .align 128 .b8 s[512]; .shared .align 8 .b64 bar;
            ld.param.u64 %out, [out]; mov.b64 %m, m; cvta.param.u64 %m, %m;
            mov.u32 %t, %tid.x; mov.u32 %s, s; mad.lo.u32 %w, %t, 4, %s; add.u32 %v, %t, 100;
            setp.eq.u32 %p0, %t, 0; mov.u32 %rank, %cluster_ctarank; mov.u32 %r0, 0;
            {body}
            ret; }}"
    );
    let map = TensorMap::tiled(
        &Tensor::new(ElementType::U32, Argument::buffer_address(0), &[8, 4], &[32]),
        &[8, 4],
    );
    // The words of the buffer begin as 1.
    let buffer = [1, 0, 0, 0].repeat(64);
    let launch = Launch {
        grid: [blocks, 1, 1],
        cluster: Some([blocks, 1, 1]),
        block: [32, 1, 1],
        arguments: vec![Argument::Bytes(map.unwrap().to_bytes().to_vec()), Argument::Buffer(buffer)],
        completion,
        ..Launch::new("k")
    };
    let outcome = execute(&text, &launch).unwrap_or_else(|error| panic!("{completion:?} {error}\n{text}"));
    let mut words = words(outcome.buffers[1].as_ref().unwrap());
    words.truncate(32);
    words
}

const FENCE: &str = "fence.proxy.async.shared::cta;";
const END: &str = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";

/// With its fence a kernel always leaves this; without, as soon as operations are not done at once, that.
fn check(blocks: u32, body: &str, right: impl Fn(u32) -> u32, wrong: impl Fn(u32) -> u32) {
    let of = |f: &dyn Fn(u32) -> u32| (0..32).map(f).collect::<Vec<u32>>();
    for completion in completions() {
        assert_eq!(
            left(completion, blocks, &body.replace("FENCE", FENCE)),
            of(&right),
            "{completion:?}\n{body}"
        );
        let forgetful = left(completion, blocks, &body.replace("FENCE", ""));
        let expected = if completion == Completion::Eager { of(&right) } else { of(&wrong) };
        assert_eq!(forgetful, expected, "{completion:?}\n{body}");
    }
}

#[test]
fn copies_read_what_was_written_before_a_fence() {
    let stores = [
        format!("@%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%s], 128; {END}"),
        format!(
            "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m, {{%r0, %r0}}], [%s]; {END}"
        ),
    ];
    let sums = [
        format!("@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%s], 128; {END}"),
        format!(
            "@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%m, {{%r0, %r0}}], [%s]; {END}"
        ),
    ];
    // Each thread fences what it wrote, or the one that copies does after the barrier.
    for order in ["FENCE bar.sync 0;", "bar.sync 0; FENCE"] {
        for store in &stores {
            check(1, &format!("st.shared.u32 [%w], %v; {order} {store}"), |n| 100 + n, |_| 0);
        }
        for sum in &sums {
            check(1, &format!("st.shared.u32 [%w], %v; {order} {sum}"), |n| 101 + n, |_| 1);
        }
    }
    // After a first copy memory is written again; without the second fence the first contents are copied again.
    let again = format!(
        "st.shared.u32 [%w], %v; {FENCE} bar.sync 0; {0} bar.sync 0; st.shared.u32 [%w], %t; FENCE bar.sync 0; {0}",
        stores[0]
    );
    check(1, &again, |n| n, |n| 100 + n);
}

#[test]
fn a_fence_of_another_kind_is_none() {
    let body = |fence: &str| {
        format!(
            "st.shared.u32 [%w], %v; {fence} bar.sync 0;
            @%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%s], 128; {END}"
        )
    };
    for fence in ["membar.cta;", "fence.sc.cta;", "fence.acq_rel.gpu;"] {
        assert_eq!(left(Completion::Late, 1, &body(fence)), [0; 32], "{fence}");
    }
    for fence in ["fence.proxy.async;", "fence.proxy.async.shared::cta;"] {
        assert_eq!(left(Completion::Late, 1, &body(fence)), (100..132).collect::<Vec<u32>>(), "{fence}");
    }
}

#[test]
fn what_the_proxy_wrote_it_reads() {
    // 64 bytes of ones come by a copy, which the next copy takes back without a fence; the other half is not written.
    let body = format!(
        "@%p0 mbarrier.init.shared.b64 [bar], 1; @%p0 fence.mbarrier_init.release.cluster; bar.sync 0;
        @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
        @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%out], 64, [bar];
        W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;
        @%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%s], 128; {END}"
    );
    for completion in completions() {
        let expected: Vec<u32> = (0..32).map(|n| u32::from(n < 16)).collect();
        assert_eq!(left(completion, 1, &body), expected, "{completion:?}");
    }
    // A thread changes one of the words that came: it is copied after a fence alone.
    let changed = body.replace("@!%p1 bra W;", "@!%p1 bra W; @%p0 st.shared.u32 [%s+4], 9; FENCE");
    let word = |n: u32, second: u32| if n == 1 { second } else { u32::from(n < 16) };
    check(1, &changed, |n| word(n, 9), |n| word(n, 1));
}

#[test]
fn blocks_of_a_cluster_write_for_each_other() {
    // The second block writes to the shared memory of the first, which copies it.
    let body = format!(
        "setp.eq.u32 %p1, %rank, 1; mov.u32 %r1, 0; mapa.shared::cluster.u32 %r2, %w, %r1;
        @%p1 st.shared::cluster.u32 [%r2], %v; FENCE barrier.cluster.arrive; barrier.cluster.wait;
        setp.eq.and.u32 %p2, %rank, 0, %p0;
        @%p2 cp.async.bulk.global.shared::cta.bulk_group [%out], [%s], 128; {END}"
    );
    check(2, &body, |n| 100 + n, |_| 0);
}
