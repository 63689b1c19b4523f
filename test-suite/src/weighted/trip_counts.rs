//! Which loops have trip counts that LLVM can tell before they run: the counter and the bound are there. ptxas unrolls no other loops well, so that a translation must not lose them (a
//! counter of two trips that becomes a phi of truth values, a bound that is hidden in memory).

use std::collections::BTreeMap;

use anyhow::Result;

use crate::oracle::Oracles;

/// The loops of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TripCounts {
    /// Those whose trip count is known before they run, as a number or an expression.
    pub known: usize,
    /// The others.
    pub unknown: usize,
}

impl TripCounts {
    /// Whether a loop with a known trip count has become one without: more are without, and fewer with one. Loops that were not natural before, or are copied, are no loss.
    pub fn are_lost(self, after: Self) -> bool {
        after.unknown > self.unknown && after.known < self.known
    }
}

/// The loops of each function, from what the stock `opt` says of the module; `None` without `opt`.
///
/// # Errors
/// When opt refuses the module, or cannot be run.
pub(super) fn trip_counts(oracles: &Oracles, ir: &str) -> Result<Option<BTreeMap<String, TripCounts>>> {
    if oracles.opt.is_none() {
        return Ok(None);
    }
    Ok(Some(count(&oracles.scalar_evolution(ir)?)))
}

fn count(said: &str) -> BTreeMap<String, TripCounts> {
    let mut counts: BTreeMap<String, TripCounts> = BTreeMap::new();
    let mut current = String::new();
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("Determining loop execution counts for: @") {
            current = name.trim().to_owned();
            counts.entry(current.clone()).or_default();
        } else if line.starts_with("Loop ") {
            let counts = counts.entry(current.clone()).or_default();
            counts.known += usize::from(line.contains(": backedge-taken count is "));
            counts.unknown += usize::from(line.contains(": Unpredictable backedge-taken count"));
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_counted_for_their_function() {
        let said = "Printing analysis 'Scalar Evolution Analysis' for function 'k':
Determining loop execution counts for: @k
Loop %a: backedge-taken count is i32 15
Loop %a: constant max backedge-taken count is i32 15
Loop %b: Unpredictable backedge-taken count.
Loop %b: Unpredictable constant max backedge-taken count.
Determining loop execution counts for: @f
";
        let k = TripCounts { known: 1, unknown: 1 };
        assert_eq!(
            count(said),
            BTreeMap::from([("k".to_owned(), k), ("f".to_owned(), TripCounts::default())])
        );
        assert!(
            k.are_lost(TripCounts { known: 0, unknown: 2 })
                && !k.are_lost(TripCounts { known: 1, unknown: 2 })
        );
        assert!(!k.are_lost(TripCounts { known: 0, unknown: 1 }), "unrolled");
    }
}
