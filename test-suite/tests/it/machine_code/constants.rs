//! Constants that phis get on every edge.

use test_suite::directive::Level;

use super::{instructions, oracles, round_trip};

/// Sixteen accumulators are zero on three nested branches around a loop.
const PRODUCT: &str = include_str!("../../../bench/ptx/mma_gemm.ptx");

#[test]
fn constants_are_moved_once_for_nested_branches() {
    let moves = |ptx: &str| ptx.lines().filter(|line| line.trim().starts_with("mov.f32")).count();
    for level in [Level::O1, Level::O2, Level::O3] {
        let ptx = round_trip(PRODUCT, level);
        assert_eq!(moves(&ptx), 16, "{}: {ptx}", level.as_str());
        let Some(oracles) = oracles() else { continue };
        let (own, original) = (instructions(&oracles, &ptx).len(), instructions(&oracles, PRODUCT).len());
        assert!(own <= original, "{}: {own} instructions for {original}", level.as_str());
    }
    // Without optimization there is one for each edge, as in the original.
    assert!(moves(&round_trip(PRODUCT, Level::O0)) >= moves(PRODUCT));
}
