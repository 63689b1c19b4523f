//! Clusters that have not started, from which running ones may take some (manual 9.7.13.17).

/// The clusters of a launch that have not started.
pub trait Queue: Sync {
    /// Takes a cluster, which then never starts, and returns its number; `None` if all have started or were taken.
    fn take(&self) -> Option<u64>;
}
