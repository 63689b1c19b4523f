//! What instructions took.

use std::ops::AddAssign;

use crate::lines::Place;

/// What an instruction took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Executions by warps.
    pub warps: u64,
    /// Executions by threads.
    pub threads: u64,
    /// Executions after which a warp had diverged.
    pub divergent: u64,
    /// Sectors of 32 bytes of memory that were accessed.
    pub sectors: u64,
    /// Additional passes by conflicts of banks of shared memory.
    pub conflicts: u64,
}

impl Cost {
    /// An estimate of the work: one unit for each execution by a warp, each sector and each additional pass. It does not measure time.
    pub const fn work(&self) -> u64 {
        self.warps.saturating_add(self.sectors).saturating_add(self.conflicts)
    }

    /// The part of a total that this is, from 0 to 1.
    pub fn share(&self, total: &Cost) -> f64 {
        self.work() as f64 / total.work().max(1) as f64
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.warps += other.warps;
        self.threads += other.threads;
        self.divergent += other.divergent;
        self.sectors += other.sectors;
        self.conflicts += other.conflicts;
    }
}

/// An executed instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spot {
    /// Its line in the PTX.
    pub place: Option<Place>,
    /// The function that it is in.
    pub function: String,
    /// Its text with its operands.
    pub instruction: String,
    /// The lines of the source that it is for, by file and line: first the outermost call that was inlined, last its own. Empty if unknown.
    pub sources: Vec<(String, u32)>,
    /// What it took.
    pub cost: Cost,
}
