//! Memory that a program allocates while its kernels run. A kernel accesses only memory that was allocated before it began, so that all of the heap is allocated in advance.

use std::collections::BTreeMap;

/// Allocations begin at multiples of so many bytes, as those of CUDA.
const ALIGNMENT: u64 = 256;

/// Parts of one allocation of the device.
pub struct Heap {
    /// Free ranges, by address, with their bytes.
    free: BTreeMap<u64, u64>,
    /// Allocations, by address.
    used: BTreeMap<u64, u64>,
}

impl Heap {
    /// Memory at an address, of which nothing is allocated.
    pub fn new(address: u64, bytes: u64) -> Self {
        Self { free: BTreeMap::from([(address, bytes)]), used: BTreeMap::new() }
    }

    /// The first free range that is large enough; `None` if there is none.
    pub fn allocate(&mut self, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1).checked_next_multiple_of(ALIGNMENT)?;
        let (address, there) = self
            .free
            .iter()
            .find(|&(_, &there)| there >= bytes)
            .map(|(&address, &there)| (address, there))?;
        self.free.remove(&address);
        if there > bytes {
            self.free.insert(address + bytes, there - bytes);
        }
        self.used.insert(address, bytes);
        Some(address)
    }

    /// Frees an allocation, and joins it with free ranges beside it; false if there is none at the address.
    pub fn free(&mut self, address: u64) -> bool {
        let Some(mut bytes) = self.used.remove(&address) else { return false };
        let mut start = address;
        if let Some(after) = self.free.remove(&(address + bytes)) {
            bytes += after;
        }
        let before = self.free.range(..address).next_back().map(|(&at, &there)| (at, there));
        if let Some((at, there)) = before.filter(|&(at, there)| at + there == address) {
            (start, bytes) = (at, there + bytes);
        }
        self.free.insert(start, bytes);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_is_used_again() {
        let mut heap = Heap::new(0x1000, 1024);
        let [a, b, c] = [1, 256, 300].map(|bytes| heap.allocate(bytes));
        assert_eq!((a, b, c), (Some(0x1000), Some(0x1100), Some(0x1200)));
        assert_eq!((heap.allocate(1), heap.allocate(u64::MAX)), (None, None));
        assert!(heap.free(0x1000) && heap.free(0x1200) && !heap.free(0x1200) && !heap.free(0x1001));
        assert_eq!(heap.allocate(512), Some(0x1200));
        assert!(heap.free(0x1200) && heap.free(0x1100));
        assert_eq!(heap.allocate(1024), Some(0x1000));
    }
}
