//! Operations of the lanes of a warp, in both engines. What each lane gets is also computed here, by the formulas and sentences of the manual
//! (9.7.9.6 for `shfl.sync`, 9.7.13 for the others).
#![allow(unsafe_code)]

use crate::common::{Case, SHARED, WORDS, input, processors, words};
use ptx_exec::{Argument, ExecError, Launch};
use ptx_host::Kernel;
use ptx_host::analysis::Launched;
use ptx_llvm_core::host::Jit;

const LANES: u32 = 32;

/// The word of the input that belongs to a thread, as `LOAD` has it.
fn loaded(thread: u32) -> u32 {
    words(&input())[thread as usize]
}

const LOAD: &str = "ld.global.u32 %r6, [%rd5]; mov.u32 %r7, %laneid;\n";

/// Both engines agree, and each thread stores what it should.
fn stores(case: Case<'_>, expected: impl Fn(u32) -> u32) {
    let stored = words(&case.interpreted());
    let threads = case.grid * case.block.iter().product::<u32>();
    for thread in 0..threads {
        assert_eq!(stored[thread as usize], expected(thread), "thread {thread}: {}", case.body);
    }
    case.agrees();
}

/// A shuffle: what lane `own` gets of the values of the lanes that take part, and whether the lane it names is in range.
fn shuffle(
    mode: &str,
    own: u32,
    lane: u32,
    clamp: u32,
    present: u32,
    value: impl Fn(u32) -> u32,
) -> (u32, bool) {
    // The pseudo-code of manual 9.7.9.6.
    let (bval, cval, mask) = ((lane & 31) as i32, (clamp & 31) as i32, (clamp >> 8 & 31) as i32);
    let lane = own as i32;
    let max_lane = (lane & mask) | (cval & !mask);
    let min_lane = lane & mask;
    let (j, in_range) = match mode {
        "up" => (lane - bval, lane - bval >= max_lane),
        "down" => (lane + bval, lane + bval <= max_lane),
        "bfly" => (lane ^ bval, lane ^ bval <= max_lane),
        _ => {
            let j = min_lane | (bval & !mask);
            (j, j <= max_lane)
        }
    };
    // "If the source lane is not in range, the thread copies its own value"; what is undefined, a lane that does not take part, is its
    // own value in the interpreter.
    let source = if in_range && present >> j & 1 == 1 { j as u32 } else { own };
    (value(source), in_range)
}

/// Joins results: `acc * 31 + value + (predicate << 28)`.
fn joined(acc: u32, (value, predicate): (u32, bool)) -> u32 {
    acc.wrapping_mul(31).wrapping_add(value).wrapping_add(u32::from(predicate) << 28)
}

const JOIN: &str = "mad.lo.u32 %r10, %r10, 31, %r8; @%p1 add.u32 %r10, %r10, 0x10000000;\n";

const MODES: [&str; 4] = ["up", "down", "bfly", "idx"];

#[test]
fn shuffles_by_constants() {
    for mode in MODES {
        // 8, 16 and 32 lanes in a segment, and clamps that cut it (as `__shfl_sync` of a width does, and others).
        let operands: Vec<(u32, u32)> = [0x1f, 0, 0x181f, 0x1800, 0x100f, 0x1c07, 0x05, 0x0a03]
            .into_iter()
            .flat_map(|clamp| [0, 1, 3, 8, 16, 31, 37].map(|lane| (lane, clamp)))
            .collect();
        let mut body = format!("{LOAD} mov.u32 %r10, 0;\n");
        for (lane, clamp) in &operands {
            body.push_str(&format!("shfl.sync.{mode}.b32 %r8|%p1, %r6, {lane}, {clamp}, -1;\n{JOIN}"));
        }
        body.push_str("st.global.u32 [%rd4], %r10; ret;");
        let expected = |thread: u32| {
            let (own, first) = (thread % LANES, thread / LANES * LANES);
            operands.iter().fold(0, |acc, &(lane, clamp)| {
                joined(acc, shuffle(mode, own, lane, clamp, u32::MAX, |lane| loaded(first + lane)))
            })
        };
        stores(Case { block: [64, 1, 1], grid: 2, ..Case::warp(&body) }, expected);
    }
}

#[test]
fn shuffles_by_registers() {
    // The lane is one value, another one in each lane, and a value of the input; the clamp as well.
    for mode in MODES {
        let body = format!(
            "{LOAD} mov.u32 %r10, 0; mul.lo.u32 %r11, %r7, 5; shr.u32 %r12, %r6, 3; and.b32 %r13, %r6, 0x1f1f;\n\
             shfl.sync.{mode}.b32 %r8|%p1, %r6, %r1, 0x1f, -1;\n{JOIN}\
             shfl.sync.{mode}.b32 %r8|%p1, %r6, %r11, 0x1f, -1;\n{JOIN}\
             shfl.sync.{mode}.b32 %r8|%p1, %r6, %r12, 0x1807, -1;\n{JOIN}\
             shfl.sync.{mode}.b32 %r8|%p1, %r6, %r11, %r13, -1;\n{JOIN}\
             shfl.sync.{mode}.b32 %r8|%p1, %r6, 7, %r13, -1;\n{JOIN}\
             st.global.u32 [%rd4], %r10; ret;"
        );
        for n in [9, 40] {
            let expected = |thread: u32| {
                let (own, first) = (thread % LANES, thread / LANES * LANES);
                let value = loaded(thread);
                let clamp = value & 0x1f1f;
                let operands =
                    [(n, 0x1f), (own * 5, 0x1f), (value >> 3, 0x1807), (own * 5, clamp), (7, clamp)];
                operands.into_iter().fold(0, |acc, (lane, clamp)| {
                    joined(acc, shuffle(mode, own, lane, clamp, u32::MAX, |lane| loaded(first + lane)))
                })
            };
            stores(Case { block: [64, 1, 1], grid: 2, n, ..Case::warp(&body) }, expected);
        }
    }
}

#[test]
fn shuffles_of_what_lanes_have_in_common() {
    // Values that are the same in all lanes, that have a stride, and predicates made of them: the broadcast decides a branch.
    let body = "mov.u32 %r7, %laneid; mov.u32 %r10, 0;\n\
                shfl.sync.idx.b32 %r8|%p1, %r1, 3, 0x1f, -1; add.u32 %r10, %r10, %r8;\n\
                shfl.sync.bfly.b32 %r8|%p1, %r7, 1, 0x1f, -1; mad.lo.u32 %r10, %r10, 31, %r8;\n\
                shfl.sync.idx.b32 %r8, %r4, 5, 0x1f, -1; setp.gt.u32 %p2, %r8, 40; @%p2 add.u32 %r10, %r10, 1000;\n\
                @%p2 bra big; add.u32 %r10, %r10, %r8; bra.uni end; big: xor.b32 %r10, %r10, %r8; end: st.global.u32 [%rd4], %r10; ret;";
    let expected = |thread: u32| {
        let (own, first) = (thread % LANES, thread / LANES * LANES);
        let sum = 77u32.wrapping_mul(31) + (own ^ 1);
        let five = first + 5;
        if five > 40 { (sum + 1000) ^ five } else { sum + five }
    };
    stores(Case { block: [96, 1, 1], n: 77, ..Case::warp(body) }, expected);
}

#[test]
fn shuffles_beside_lanes_that_have_exited() {
    for n in [7, 33] {
        for mode in MODES {
            let body = format!(
                "{LOAD} setp.ge.u32 %p3, %r4, %r1; @%p3 bra over; mov.u32 %r10, 0;\n\
                 shfl.sync.{mode}.b32 %r8|%p1, %r6, 9, 0x1f, -1;\n{JOIN}\
                 shfl.sync.{mode}.b32 %r8|%p1, %r6, 1, 0x1800, -1;\n{JOIN}\
                 shfl.sync.{mode}.b32 %r8|%p1, %r6, %r7, 0x1f, -1;\n{JOIN}\
                 st.global.u32 [%rd4], %r10; over: ret;"
            );
            let expected = |thread: u32| {
                let (own, first) = (thread % LANES, thread / LANES * LANES);
                if thread >= n {
                    return 0xa5a5_a5a5;
                }
                let present = (0..LANES).filter(|lane| first + lane < n).fold(0, |all, lane| all | 1 << lane);
                [(9, 0x1f), (1, 0x1800), (own, 0x1f)].into_iter().fold(0, |acc, (lane, clamp)| {
                    joined(acc, shuffle(mode, own, lane, clamp, present, |lane| loaded(first + lane)))
                })
            };
            stores(Case { block: [64, 1, 1], n, ..Case::warp(&body) }, expected);
        }
    }
}

/// What votes and the like give, of lanes that are together and of others.
fn votes(mask: &str) -> String {
    format!(
        "vote.sync.ballot.b32 %r8, %p2, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         vote.sync.all.pred %p1, %p2, {mask}; @%p1 add.u32 %r10, %r10, 1;\n\
         vote.sync.any.pred %p1, %p2, {mask}; @%p1 add.u32 %r10, %r10, 2;\n\
         vote.sync.uni.pred %p1, %p2, {mask}; @%p1 add.u32 %r10, %r10, 4;\n\
         match.any.sync.b32 %r8, %r9, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         match.all.sync.b32 %r8|%p1, %r9, {mask}; mad.lo.u32 %r10, %r10, 31, %r8; @%p1 add.u32 %r10, %r10, 8;\n\
         match.any.sync.b64 %r8, %rd6, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         elect.sync %r8|%p1, {mask}; mad.lo.u32 %r10, %r10, 31, %r8; @%p1 add.u32 %r10, %r10, 16;\n\
         redux.sync.add.s32 %r8, %r6, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         redux.sync.min.s32 %r8, %r11, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         redux.sync.max.u32 %r8, %r11, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         redux.sync.min.u32 %r8, %r11, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         redux.sync.max.s32 %r8, %r11, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         redux.sync.and.b32 %r8, %r6, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         redux.sync.or.b32 %r8, %r6, {mask}; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         redux.sync.xor.b32 %r8, %r6, {mask}; mad.lo.u32 %r10, %r10, 31, %r8; bar.warp.sync {mask};\n"
    )
}

/// The same of a lane whose group is `group`.
fn voted(own: u32, group: u32, value: impl Fn(u32) -> u32) -> u32 {
    let lanes = || (0..LANES).filter(|lane| group >> lane & 1 == 1);
    let set = |holds: &dyn Fn(u32) -> bool| {
        lanes().filter(|lane| holds(*lane)).fold(0u32, |all, lane| all | 1 << lane)
    };
    let (key, signed) = (|lane: u32| value(lane) & 3, |lane: u32| value(lane).wrapping_sub(0x80_0000));
    let trues = set(&|lane| value(lane) & 1 == 1);
    let same = set(&|lane| key(lane) == key(own));
    let leader = group.trailing_zeros();
    let mix = |acc: u32, value: u32| acc.wrapping_mul(31).wrapping_add(value);
    let mut acc = trues;
    acc = acc.wrapping_add(u32::from(trues == group));
    acc = acc.wrapping_add(2 * u32::from(trues != 0));
    acc = acc.wrapping_add(4 * u32::from(trues == group || trues == 0));
    acc = mix(acc, same);
    acc = mix(acc, if same == group { group } else { 0 }).wrapping_add(8 * u32::from(same == group));
    acc = mix(acc, same);
    acc = mix(acc, leader).wrapping_add(16 * u32::from(leader == own));
    acc = mix(acc, lanes().fold(0u32, |sum, lane| sum.wrapping_add(value(lane))));
    acc = mix(acc, lanes().map(|lane| signed(lane) as i32).min().unwrap_or(0) as u32);
    acc = mix(acc, lanes().map(signed).max().unwrap_or(0));
    acc = mix(acc, lanes().map(signed).min().unwrap_or(0));
    acc = mix(acc, lanes().map(|lane| signed(lane) as i32).max().unwrap_or(0) as u32);
    acc = mix(acc, lanes().fold(u32::MAX, |all, lane| all & value(lane)));
    acc = mix(acc, lanes().fold(0, |all, lane| all | value(lane)));
    mix(acc, lanes().fold(0, |all, lane| all ^ value(lane)))
}

const KEYS: &str = "ld.global.u32 %r6, [%rd5]; mov.u32 %r7, %laneid; mov.u32 %r10, 0; and.b32 %r9, %r6, 3; and.b32 %r12, %r6, 1;\n\
                    setp.eq.u32 %p2, %r12, 1; sub.u32 %r11, %r6, 0x800000; cvt.u64.u32 %rd6, %r9; shl.b64 %rd6, %rd6, 40;\n";

#[test]
fn votes_of_all_lanes() {
    let body = format!("{KEYS}{} st.global.u32 [%rd4], %r10; ret;", votes("-1"));
    stores(Case { block: [64, 1, 1], grid: 2, ..Case::warp(&body) }, |thread| {
        let first = thread / LANES * LANES;
        voted(thread % LANES, u32::MAX, |lane| loaded(first + lane))
    });
}

#[test]
fn votes_of_lanes_that_are_left() {
    for n in [12, 64] {
        let body = format!(
            "{KEYS} setp.ge.u32 %p3, %r4, %r1; @%p3 bra over;\n{} st.global.u32 [%rd4], %r10; over: ret;",
            votes("-1")
        );
        stores(Case { block: [64, 1, 1], n, ..Case::warp(&body) }, |thread| {
            let first = thread / LANES * LANES;
            let group = (0..LANES).filter(|lane| first + lane < n).fold(0, |all, lane| all | 1 << lane);
            if thread < n { voted(thread % LANES, group, |lane| loaded(first + lane)) } else { 0xa5a5_a5a5 }
        });
    }
}

#[test]
fn votes_of_groups() {
    // Groups of eight lanes, each with a mask of its own (as `tiled_partition<8>`), and of odd and even lanes.
    for (mask, groups) in [
        (
            "and.b32 %r13, %r7, 24; mov.u32 %r14, 0xff; shl.b32 %r14, %r14, %r13;\n",
            [0xff, 0xff00, 0xff_0000, 0xff00_0000],
        ),
        (
            "and.b32 %r13, %r7, 1; mov.u32 %r14, 0x55555555; shl.b32 %r14, %r14, %r13;\n",
            [0x5555_5555, 0xaaaa_aaaa, 0, 0],
        ),
    ] {
        let body = format!("{KEYS}{mask}{} st.global.u32 [%rd4], %r10; ret;", votes("%r14"));
        stores(Case { block: [64, 1, 1], ..Case::warp(&body) }, |thread| {
            let (own, first) = (thread % LANES, thread / LANES * LANES);
            let group = groups.into_iter().find(|group| group >> own & 1 == 1).unwrap_or(0);
            voted(own, group, |lane| loaded(first + lane))
        });
    }
}

#[test]
fn lanes_of_two_sides() {
    // Each side votes among its own lanes, with a constant mask and with the one that the lanes have found; then all do.
    let odd = votes("0xaaaaaaaa");
    let body = format!(
        "{KEYS} and.b32 %r13, %r7, 1; setp.eq.u32 %p3, %r13, 0; vote.sync.ballot.b32 %r14, %p3, -1; @%p3 bra even;\n\
         {odd} bra.uni meet; even:\n {} meet: {} st.global.u32 [%rd4], %r10; ret;",
        votes("%r14"),
        votes("-1")
    );
    stores(Case { block: [64, 1, 1], ..Case::warp(&body) }, |thread| {
        let (own, first) = (thread % LANES, thread / LANES * LANES);
        let value = |lane: u32| loaded(first + lane);
        let before = voted(own, if own % 2 == 0 { 0x5555_5555 } else { 0xaaaa_aaaa }, value);
        // What was there before is multiplied by 31 once for each result that is mixed in: 13 of them.
        before.wrapping_mul(31u32.wrapping_pow(13)).wrapping_add(voted(own, u32::MAX, value))
    });
}

#[test]
fn lanes_wait_for_those_that_come_later() {
    // All lanes take part, but come by different ways: the even ones after a loop of their own.
    let body = format!(
        "{KEYS} and.b32 %r13, %r7, 1; setp.eq.u32 %p3, %r13, 1; @%p3 bra together; mov.u32 %r15, 0;\n\
         again: add.u32 %r15, %r15, 1; setp.lt.u32 %p4, %r15, %r7; @%p4 bra again; add.u32 %r6, %r6, %r15;\n\
         together: {} shfl.sync.bfly.b32 %r8|%p1, %r6, 1, 0x1f, -1; xor.b32 %r10, %r10, %r8; st.global.u32 [%rd4], %r10; ret;",
        votes("-1")
    );
    Case { block: [64, 1, 1], ..Case::warp(&body) }.agrees();
    // Only some lanes have work before they come: `@%p` on the operation itself, and lanes that exit meanwhile.
    let body = "mov.u32 %r7, %laneid; mov.u32 %r8, 7; setp.lt.u32 %p2, %r7, 12; setp.gt.u32 %p3, %r7, 28; @%p3 ret;\n\
                @%p2 shfl.sync.down.b32 %r8|%p1, %r4, 2, 0x1f, 0xfff; mov.u32 %r9, 0; @!%p2 vote.sync.ballot.b32 %r9, %p3, 0x1ffff000;\n\
                @%p1 add.u32 %r8, %r8, 100; add.u32 %r8, %r8, %r9; st.global.u32 [%rd4], %r8; ret;";
    Case { block: [64, 1, 1], ..Case::warp(body) }.agrees();
}

#[test]
fn lanes_leave_a_loop_one_after_the_other() {
    // Warp-aggregated work: the lanes with the value of the leader are done together, until none is left.
    let body = format!(
        "{KEYS} and.b32 %r9, %r6, 7; mov.u32 %r15, 0;\n\
         again: activemask.b32 %r14; shfl.sync.idx.b32 %r8, %r9, 0, 0x1f, %r14; add.u32 %r15, %r15, 1;\n\
         match.any.sync.b32 %r16, %r9, %r14; popc.b32 %r17, %r16; mad.lo.u32 %r10, %r10, 31, %r17;\n\
         setp.eq.u32 %p3, %r8, %r9; setp.gt.u32 %p4, %r15, %r9; or.pred %p3, %p3, %p4; @!%p3 bra again;\n\
         mad.lo.u32 %r10, %r10, 31, %r15; st.global.u32 [%rd4], %r10; ret;"
    );
    Case { block: [64, 1, 1], grid: 2, ..Case::warp(&body) }.agrees();
}

#[test]
fn a_loop_with_two_entries() {
    let body = format!(
        "{KEYS} mov.u32 %r15, 0; and.b32 %r9, %r6, 7; setp.lt.u32 %p3, %r9, 3; @%p3 bra second;\n\
         first: add.u32 %r15, %r15, 1;\n\
         second: add.u32 %r15, %r15, 2; vote.sync.ballot.b32 %r8, %p2, -1; mad.lo.u32 %r10, %r10, 31, %r8;\n\
         setp.lt.u32 %p4, %r15, 20; and.b32 %r16, %r8, 4; setp.ne.u32 %p5, %r16, 0; and.pred %p5, %p5, %p4; xor.b32 %r9, %r9, 1; setp.lt.u32 %p6, %r9, 4;\n\
         @!%p4 bra over; @%p6 bra second; bra.uni first; over: st.global.u32 [%rd4], %r10; ret;"
    );
    Case { block: [64, 1, 1], ..Case::warp(&body) }.agrees();
}

#[test]
fn reductions_of_halves_of_blocks() {
    // The usual sum over a block: every warp sums by shuffles, then the first one sums the sums, in lanes of which not all have one.
    let body = "ld.global.u32 %r6, [%rd5]; mov.u32 %r7, %laneid; cvt.rn.f32.u32 %f1, %r6;\n\
                setp.ge.u32 %p3, %r4, 40; @%p3 bra over;\n\
                shfl.sync.down.b32 %r8|%p1, %r6, 16, 0x1f, -1; add.u32 %r6, %r6, %r8; shfl.sync.down.b32 %r8, %r6, 8, 0x1f, -1; add.u32 %r6, %r6, %r8;\n\
                shfl.sync.down.b32 %r8, %r6, 4, 0x1f, -1; add.u32 %r6, %r6, %r8; setp.ne.u32 %p2, %r7, 0; @%p2 bra over; st.global.u32 [%rd4], %r6;\n\
                over: mov.u32 %r8, %warpid; setp.ne.u32 %p2, %r8, 0; @%p2 bra end; shfl.sync.up.b32 %r9, %r4, 1, 0, -1; st.global.u32 [%rd4+512], %r9; end: ret;";
    Case { block: [64, 1, 1], ..Case::warp(body) }.agrees();
}

#[test]
fn extremes_of_numbers() {
    // Of NaNs, zeros of both signs and subnormal numbers, too: the bits of the input in all positions.
    let mut body = String::from(
        "ld.global.u32 %r6, [%rd5]; mov.u32 %r7, %laneid; mov.u32 %r10, 0; mul.lo.u32 %r6, %r6, 0x9e3779b1; shr.u32 %r12, %r7, %r1; setp.ne.u32 %p2, %r12, 0;\n\
         setp.eq.u32 %p3, %r7, 9; @%p3 mov.u32 %r6, 0x80000000; @%p2 mov.u32 %r6, 0x7fc12345; setp.eq.u32 %p3, %r7, 10; @%p3 mov.u32 %r6, 0;\n\
         mov.b32 %f1, %r6; and.b32 %r13, %r7, 24; mov.u32 %r14, 0xff; shl.b32 %r14, %r14, %r13;\n",
    );
    for op in ["min", "max", "min.NaN", "max.NaN", "min.abs", "max.abs", "min.abs.NaN", "max.abs.NaN"] {
        for mask in ["-1", "%r14"] {
            body.push_str(&format!(
                "redux.sync.{op}.f32 %f2, %f1, {mask}; mov.b32 %r8, %f2; mad.lo.u32 %r10, %r10, 31, %r8;\n"
            ));
        }
    }
    body.push_str("st.global.u32 [%rd4], %r10; ret;");
    for n in [0, 3, 4, 5] {
        Case { target: "sm_100a", block: [48, 1, 1], n, ..Case::warp(&body) }.agrees();
    }
}

#[test]
fn special_registers_of_lanes() {
    let body = "mov.u32 %r6, %lanemask_eq; mov.u32 %r7, %lanemask_le; mov.u32 %r8, %lanemask_lt; mov.u32 %r9, %lanemask_ge; mov.u32 %r10, %lanemask_gt;\n\
                mad.lo.u32 %r6, %r6, 31, %r7; mad.lo.u32 %r6, %r6, 31, %r8; mad.lo.u32 %r6, %r6, 31, %r9; mad.lo.u32 %r6, %r6, 31, %r10;\n\
                mov.u32 %r7, %warpid; mad.lo.u32 %r6, %r6, 31, %r7; mov.u32 %r7, %nsmid; mad.lo.u32 %r6, %r6, 31, %r7; activemask.b32 %r7; mad.lo.u32 %r6, %r6, 31, %r7;\n\
                st.global.u32 [%rd4], %r6; mov.u32 %r7, %nwarpid; st.global.u32 [%rd4+1024], %r7; ret;";
    stores(Case { block: [96, 1, 1], ..Case::warp(body) }, |thread| {
        let (own, warp) = (u64::from(thread % LANES), thread / LANES);
        let below = (1u64 << own) - 1;
        let all = u64::from(u32::MAX);
        let masks = [1 << own, 2 * below + 1, below, all & !below, all & !(2 * below + 1)];
        let mixed = masks
            .into_iter()
            .skip(1)
            .fold(masks[0] as u32, |acc, mask| acc.wrapping_mul(31).wrapping_add(mask as u32));
        [warp, 1, u32::MAX].into_iter().fold(mixed, |acc, value| acc.wrapping_mul(31).wrapping_add(value))
    });
}

/// Both engines stop at the instruction that begins with `text`, in the same words as far as `why`, and in this lane.
fn stops(body: &str, text: &str, lane: usize, why: &str) {
    let case = Case::warp(body);
    let source = case.source();
    let (module, _) = ptx_syntax::parse(&source);
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let mut launch = Launch::new("k");
    (launch.grid, launch.block) = ([1, 1, 1], [32, 1, 1]);
    launch.arguments =
        vec![Argument::Buffer(vec![0; 4 * WORDS]), Argument::Buffer(input()), Argument::Bytes(vec![0; 4])];
    let error = ptx_exec::run(verified, &launch).map(drop).expect_err("the interpreter stops it");
    let ExecError::Trap(trap) = error else { panic!("{error}") };
    assert!(trap.kind.to_string().starts_with(why), "{}", trap.kind);
    assert_eq!(trap.thread[0] as usize, lane, "{body}");
    assert!(text.starts_with(&trap.instruction), "{}", trap.instruction);
    let prepared = case.prepared();
    let program = prepared.program();
    for cpu in processors() {
        let jit = Jit::new(&cpu).expect("a linker");
        let kernel = Kernel::compile(program, &Launched::blocks(case.block), &cpu, &jit).expect("compiled");
        let (mut output, input) = (vec![0u8; 4 * WORDS], input());
        let params: Vec<u8> = [output.as_mut_ptr() as u64, input.as_ptr() as u64]
            .iter()
            .flat_map(|address| address.to_le_bytes())
            .chain([0; 4])
            .collect();
        // SAFETY: the kernels store only to the words of their threads.
        let stopped = unsafe { kernel.run(program, [1, 1, 1], &params, &[], SHARED) }.expect_err("it stops");
        assert_eq!(stopped.lane, lane, "{body}");
        assert!(stopped.kind.to_string().starts_with(why), "{}", stopped.kind);
        let at = program.origins[stopped.pc.expect("a place") as usize].span.lo as usize;
        assert!(source.text()[at..].starts_with(text.as_bytes()), "{body}: {at}");
    }
}

#[test]
fn lanes_that_do_not_come_are_an_error() {
    // Lanes wait for those that wait for them; the first of both is reported.
    stops(
        "mov.u32 %r7, %laneid; setp.lt.u32 %p2, %r7, 12; @!%p2 bra others; vote.sync.ballot.b32 %r8, %p2, -1; ret;\n\
         others: bar.warp.sync -1; ret;",
        "vote.sync.ballot.b32",
        0,
        "deadlock",
    );
    let not_named = "the membermask";
    stops(
        "mov.u32 %r7, %laneid; vote.sync.ballot.b32 %r8, %p2, 0xfffff7ff; ret;",
        "vote.sync.ballot.b32",
        11,
        not_named,
    );
    stops(
        "mov.u32 %r7, %laneid; and.b32 %r8, %r7, 16; shl.b32 %r9, 0xffff, %r8; setp.eq.u32 %p2, %r7, 3; @%p2 mov.u32 %r9, 0x10;\n\
         shfl.sync.idx.b32 %r8, %r7, 0, 0x1f, %r9; ret;",
        "shfl.sync.idx.b32",
        3,
        not_named,
    );
}

#[test]
fn numbers_that_are_none_keep_their_bits_or_have_those_of_results() {
    // Inputs of lanes below 8 are NaNs with bits of their own. What is loaded is passed on as it is; a result has the one NaN of PTX, where its
    // bits are seen: by a store, an operation on bits, and after a further addition.
    let body = "and.b32 %r10, %r4, 31; setp.lt.u32 %p1, %r10, 8; or.b32 %r11, %r10, 0xffa00000; selp.b32 %r12, %r11, 0x40000000, %p1; mov.b32 %f1, %r12;\n\
        add.f32 %f2, %f1, 0f3f800000; mov.b32 %r13, %f2; shfl.sync.bfly.b32 %r14, %r13, 4, 31, -1; shfl.sync.down.b32 %r15, %r12, 1, 31, -1;\n\
        mov.b32 %f3, %r14; add.f32 %f4, %f3, %f2; and.b32 %r16, %r14, 0xff; mov.b32 %r17, %f4; shfl.sync.idx.b32 %r18, %r17, 3, 31, -1; shfl.sync.idx.b32 %r19, %r17, 9, 31, -1;\n\
        mul.wide.u32 %rd6, %r4, 24; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r14; st.global.u32 [%rd7+4], %r15; st.global.u32 [%rd7+8], %r16;\n\
        st.global.u32 [%rd7+12], %r17; st.global.u32 [%rd7+16], %r18; st.global.u32 [%rd7+20], %r19; ret;";
    let case = Case { block: [64, 1, 1], ..Case::warp(body) };
    case.agrees();
    let out = words(&case.interpreted());
    let (nan, three, six) = (0x7fff_ffff_u32, 3.0_f32.to_bits(), 6.0_f32.to_bits());
    for thread in 0..64 {
        let lane = thread % 32;
        let input = |lane: u32| if lane < 8 { 0xffa0_0000 | lane } else { 2.0_f32.to_bits() };
        let other = if lane ^ 4 < 8 { nan } else { three };
        let sum = if lane < 8 || lane ^ 4 < 8 { nan } else { six };
        let wanted = [other, input((lane + 1).min(31)), other & 0xff, sum, nan, six];
        assert_eq!(out[6 * thread as usize..][..6], wanted, "{thread}");
    }
}
