//! The intervals contain the sets, on random graphs, and no more than needed on common ones.

use std::collections::BTreeSet;

use super::*;

/// A graph: the ways of each block, and the operations.
struct Random {
    ways: Vec<Vec<Vec<BlockId>>>,
    gathers: Vec<Option<Gather>>,
}

fn random(rng: &mut fastrand::Rng) -> Random {
    let count = rng.usize(2..24);
    let edges = |rng: &mut fastrand::Rng, id: usize| {
        let any = |rng: &mut fastrand::Rng| match rng.u32(0..4) {
            0 => rng.usize(0..count),
            _ => (id + 1 + rng.usize(0..4)).min(count - 1),
        };
        match rng.u32(0..8) {
            0 => vec![vec![]],
            1 | 2 => vec![vec![any(rng)]],
            3 => vec![vec![any(rng)], vec![any(rng)]],
            4 => vec![(0..6).map(|_| any(rng)).collect()],
            _ => vec![vec![any(rng), any(rng)]],
        }
    };
    let ways = (0..count).map(|id| edges(rng, id)).collect();
    let src = ptx_program::Src::register(0);
    let gathers = (0..count).map(|_| match rng.u32(0..12) {
        0 => Some(Gather::All),
        1 => Some(Gather::One(src)),
        2 => Some(Gather::Each(src)),
        _ => None,
    });
    Random { ways, gathers: gathers.collect() }
}

/// The sets by their definition: any of the blocks at which lanes are may run next, while lanes wait at the others.
fn exact(graph: &Random) -> Vec<BTreeSet<BlockId>> {
    let mut waiting = vec![BTreeSet::new(); graph.ways.len()];
    loop {
        let before = waiting.clone();
        for (id, ways) in graph.ways.iter().enumerate() {
            for way in ways {
                let all: BTreeSet<BlockId> = waiting[id].iter().chain(way).copied().collect();
                for &next in &all {
                    let stays = |&&other: &&BlockId| match graph.gathers[other] {
                        _ if other > next => true,
                        None => false,
                        Some(Gather::Each(_)) => other <= next,
                        Some(_) => other < next,
                    };
                    if !matches!(graph.gathers[next], Some(Gather::All)) {
                        let others: Vec<_> = all.iter().filter(stays).copied().collect();
                        waiting[next].extend(others);
                    }
                }
            }
        }
        if waiting == before {
            return waiting;
        }
    }
}

#[test]
fn intervals_contain_all_blocks_at_which_lanes_wait() {
    let mut rng = fastrand::Rng::with_seed(32);
    let mut pairs = 0;
    for _ in 0..4000 {
        let graph = random(&mut rng);
        let count = graph.ways.len();
        let spans = Spans::new(count, |id| graph.ways[id].clone(), |id| graph.gathers[id]);
        for (id, waiting) in exact(&graph).into_iter().enumerate() {
            for &other in &waiting {
                assert!(
                    spans.may_wait(id, other),
                    "block {other} while {id} runs: {:?} {:?}",
                    graph.ways,
                    graph.gathers
                );
            }
            assert!(waiting.is_empty() || !spans.is_together(id));
            pairs += waiting.len();
        }
    }
    assert!(pairs > 10_000, "lanes wait at {pairs} pairs of blocks only");
}

/// The intervals of a graph whose branches all diverge, without operations that wait.
fn of(targets: &[&[BlockId]]) -> Vec<BTreeSet<BlockId>> {
    let spans = Spans::new(targets.len(), |id| vec![targets[id].to_vec()], |_| None);
    (0..targets.len())
        .map(|id| (0..targets.len()).filter(|&other| spans.may_wait(id, other)).collect())
        .collect()
}

#[test]
fn branches_that_join_are_exact() {
    // if (a) { 1 } 2; if (b) { 3 } else { 4 } 5
    let waiting = of(&[&[1, 2], &[2], &[3, 4], &[5], &[5], &[]]);
    assert_eq!(
        waiting,
        [&[][..], &[2], &[], &[4], &[5], &[]].map(|ids| BTreeSet::from_iter(ids.iter().copied()))
    );
}

#[test]
fn exits_to_one_label_are_exact() {
    let waiting = of(&[&[1, 4], &[2, 4], &[3, 4], &[4], &[]]);
    assert_eq!(waiting, [&[][..], &[4], &[4], &[4], &[]].map(|ids| BTreeSet::from_iter(ids.iter().copied())));
}

#[test]
fn a_loop_that_lanes_leave_one_by_one_is_exact() {
    // 1: body, 2: test and back edge, 3: after it
    let waiting = of(&[&[1], &[2], &[1, 3], &[]]);
    assert_eq!(waiting, [&[][..], &[3], &[3], &[]].map(|ids| BTreeSet::from_iter(ids.iter().copied())));
}
