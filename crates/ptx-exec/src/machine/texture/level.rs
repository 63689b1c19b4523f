//! Selection of mipmap levels (manual 9.7.10.2, 9.7.10.3).

use ptx_program::texture::{Filter, Sampler};

use super::axis::{ONE, Weight};

/// The level of detail of a fetch without a level: finer than any level, so that the sampler's finest level is used,
/// whatever the bias. This is what `ptxas` generates for `tex` and `tex.base`.
pub(super) const FINEST: f64 = -32.0;

/// The levels that are blended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Levels {
    /// The finer level.
    pub(super) first: u32,
    /// The weight of the next coarser one.
    pub(super) weight: Weight,
}

/// Selects the levels for a level of detail.
pub(super) fn select(detail: f64, sampler: &Sampler, count: u32) -> Levels {
    let coarsest = f64::from(count.saturating_sub(1));
    let [low, high] = sampler.level_clamp.map(f64::from);
    let wanted = if detail.is_nan() { 0.0 } else { detail } + f64::from(sampler.level_bias);
    let wanted = wanted.min(high).max(low).min(coarsest).max(0.0);
    match sampler.level_filter {
        Filter::Point => Levels { first: (wanted + 0.5).floor() as u32, weight: 0 },
        Filter::Linear => {
            let first = wanted.floor();
            let weight = ((wanted - first) * f64::from(ONE) + 0.5).floor() as Weight;
            Levels { first: first as u32, weight }
        }
    }
}

/// The level of detail for derivatives of the coordinates, in texels of level 0: the logarithm of the longer one.
pub(super) fn detail(dx: &[f64], dy: &[f64]) -> f64 {
    let length = |change: &[f64]| change.iter().map(|part| part * part).sum::<f64>().sqrt();
    length(dx).max(length(dy)).log2()
}
