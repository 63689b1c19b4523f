//! Sectors of memory, of which accesses are counted.

use std::collections::BTreeSet;

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// Sectors of several memories: the number of the memory, and that of the sector.
#[derive(Default, Debug)]
pub(super) struct Sectors(BTreeSet<(u64, u64)>);

impl Sectors {
    /// Adds bytes of global memory.
    pub(super) fn add(&mut self, address: u64, bytes: u64) {
        self.add_to(0, address, bytes);
    }

    /// Adds bytes of another memory, whose number is not 0.
    pub(super) fn add_to(&mut self, memory: u64, address: u64, bytes: u64) {
        if let Some(last) = bytes.checked_sub(1) {
            let last = address.saturating_add(last) / SECTOR;
            self.0.extend((address / SECTOR..=last).map(|sector| (memory, sector)));
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }
}
