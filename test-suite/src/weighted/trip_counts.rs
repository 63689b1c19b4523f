//! Which loops have trip counts that LLVM can tell before they run: the counter and the bound are there. ptxas unrolls no other loops well, so that a translation must not lose them (a
//! counter of two trips that becomes a phi of truth values, a bound that is hidden in memory).

use std::collections::BTreeMap;

use anyhow::Result;

use crate::oracle::Oracles;

/// The loops of each function whose trip count is not known, from what the stock `opt` says of the module; `None` without `opt`.
///
/// # Errors
/// When opt refuses the module, or cannot be run.
pub(super) fn unpredictable_loops(oracles: &Oracles, ir: &str) -> Result<Option<BTreeMap<String, usize>>> {
    if oracles.opt.is_none() {
        return Ok(None);
    }
    Ok(Some(count(&oracles.scalar_evolution(ir)?)))
}

fn count(said: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut current = String::new();
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("Determining loop execution counts for: @") {
            current = name.trim().to_owned();
            counts.entry(current.clone()).or_insert(0);
        } else if line.starts_with("Loop ") && line.contains(": Unpredictable backedge-taken count") {
            *counts.entry(current.clone()).or_default() += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_without_a_count_are_counted_for_their_function() {
        let said = "Printing analysis 'Scalar Evolution Analysis' for function 'k':
Determining loop execution counts for: @k
Loop %a: backedge-taken count is i32 15
Loop %a: constant max backedge-taken count is i32 15
Loop %b: Unpredictable backedge-taken count.
Loop %b: Unpredictable constant max backedge-taken count.
Determining loop execution counts for: @f
";
        assert_eq!(count(said), BTreeMap::from([("k".to_owned(), 1), ("f".to_owned(), 0)]));
    }
}
