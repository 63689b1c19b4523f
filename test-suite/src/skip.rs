//! Counting what was not checked, and why.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// The checks that were left out in one run of the suite.
#[derive(Debug, Default)]
pub struct Skips(Mutex<BTreeMap<String, usize>>);

impl Skips {
    /// Counts one check left out for `reason`.
    pub fn count(&self, reason: &str) {
        let mut map = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *map.entry(reason.to_owned()).or_default() += 1;
    }

    /// One line a reason, or that nothing was left out.
    pub fn summary(&self) -> String {
        let map = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if map.is_empty() {
            return "skipped checks: none".to_owned();
        }
        let lines = map.iter().map(|(reason, count)| format!("\n  {count:5} {reason}"));
        format!("skipped checks:{}", lines.collect::<String>())
    }
}
