//! A kernel before and after a way through LLVM.

use std::fmt;

use ptx_machine::{NotMeasured, Weighted};

use crate::weighted::kernel::Measured;
use crate::weighted::trip_counts::TripCounts;
use crate::weighted::way::Way;

/// More issued instructions than this, in parts of the original's, need a reason.
pub const MOST_RATIO: f64 = 1.05;
/// So many times the instructions of the original are a finding, however seldom they are executed.
pub const MOST_STATIC: f64 = 4.0;
/// Loops lose copies when they are executed more often than this, in parts of the original's iterations, and at least once more for each time
/// that they are entered.
const MOST_ITERATIONS: f64 = 1.5;

/// How the results of two versions of a kernel compare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Results {
    /// The same bits.
    Same,
    /// Within the tolerance of the kernel: floating point that was computed in another order, or with another rounding.
    Near,
    /// Wrong.
    Wrong(String),
}

/// A kernel before and after.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The kernel.
    pub kernel: String,
    /// The way that it took.
    pub way: Way,
    /// What it is held against.
    pub before: Measured,
    /// What came of it.
    pub after: Measured,
    /// Whether it still computes the same.
    pub results: Results,
    /// The trip counts that LLVM can tell of the kernel's loops, in the LLVM IR as lowered and as optimized; `None` where that was not asked.
    pub trip_counts: Option<(TripCounts, TripCounts)>,
}

/// What is worse.
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// More instructions are issued: the ratio.
    Longer(f64),
    /// Loops have fewer copies: iterations of machine loops before and after.
    CopiesLost(f64, f64),
    /// Fewer loops have a trip count that is known before they run: their number before and after.
    TripCountsLost(usize, usize),
    /// The code is many times as long: the ratio.
    Static(f64),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Longer(ratio) => write!(f, "{ratio:.3} of the issued instructions"),
            Self::CopiesLost(before, after) => {
                write!(f, "copies lost: {before:.0} iterations of machine loops became {after:.0}")
            }
            Self::TripCountsLost(before, after) => {
                write!(f, "trip counts lost: {before} loops with one became {after}")
            }
            Self::Static(ratio) => write!(f, "{ratio:.1} times the instructions"),
        }
    }
}

impl Comparison {
    /// The estimates of both sides, or why one has none.
    pub fn weighted(&self) -> Result<(&Weighted, &Weighted), &NotMeasured> {
        Ok((self.before.weighted.as_ref()?, self.after.weighted.as_ref()?))
    }

    /// Issued warp instructions after over before.
    pub fn ratio(&self) -> Option<f64> {
        self.weighted().ok().map(|(before, after)| after.warps / before.warps)
    }

    /// Instructions in the machine code after over before.
    pub fn static_ratio(&self) -> f64 {
        self.after.resources.instructions as f64 / self.before.resources.instructions as f64
    }

    /// Registers after over before.
    pub fn registers(&self) -> f64 {
        self.after.resources.registers as f64 / self.before.resources.registers as f64
    }

    /// What is worse, in a kernel that is measured.
    pub fn findings(&self) -> Vec<Finding> {
        let Ok((before, after)) = self.weighted() else { return Vec::new() };
        let ratio = after.warps / before.warps;
        let longer = (ratio > MOST_RATIO).then_some(Finding::Longer(ratio));
        let [(was, _), (is, entries)] = [before, after].map(iterations);
        let lost = is > MOST_ITERATIONS * was + entries;
        let copies = lost.then_some(Finding::CopiesLost(was, is));
        let lost = self.trip_counts.filter(|(before, after)| before.are_lost(*after));
        let trips = lost.map(|(before, after)| Finding::TripCountsLost(before.known, after.known));
        let length = self.static_ratio();
        let longest = (length > MOST_STATIC).then_some(Finding::Static(length));
        [longer, copies, trips, longest].into_iter().flatten().collect()
    }
}

/// How often machine loops are executed and entered, over the whole kernel.
fn iterations(weighted: &Weighted) -> (f64, f64) {
    weighted
        .loops
        .iter()
        .fold((0.0, 0.0), |(all, entries), one| (all + one.iterations, entries + one.entries))
}
