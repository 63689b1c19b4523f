//! The allocator of device-side `malloc` and `free`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::memory::Pieces;

/// Alignment of every allocation, as CUDA guarantees.
const ALIGNMENT: u64 = 16;

/// Free and used ranges of the heap.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    /// Free ranges: start and length; adjacent ranges are coalesced.
    free: BTreeMap<u64, u64>,
    /// Allocations: start and length.
    used: BTreeMap<u64, u64>,
    base: u64,
    /// The allocations against which accesses are checked.
    pieces: Arc<Pieces>,
}

impl Heap {
    /// A heap of `size` bytes at `base`, all free.
    pub(crate) fn new(base: u64, size: u64, pieces: Arc<Pieces>) -> Self {
        let size = size / ALIGNMENT * ALIGNMENT;
        Self {
            free: if size == 0 { BTreeMap::new() } else { BTreeMap::from([(base, size)]) },
            used: BTreeMap::new(),
            base,
            pieces,
        }
    }

    /// The address of a new allocation, or 0 if there is no room.
    pub(super) fn allocate(&mut self, bytes: u64) -> u64 {
        let Some(size) = bytes.max(1).checked_next_multiple_of(ALIGNMENT) else { return 0 };
        let Some((start, length)) = self.free.iter().map(|(&s, &l)| (s, l)).find(|&(_, l)| l >= size) else {
            return 0;
        };
        self.free.remove(&start);
        if length > size {
            self.free.insert(start + size, length - size);
        }
        self.used.insert(start, size);
        self.pieces.give(start - self.base, bytes);
        start
    }

    /// Frees an allocation; `false` if the address is not one that `allocate` returned.
    pub(super) fn release(&mut self, address: u64) -> bool {
        let Some(mut size) = self.used.remove(&address) else { return false };
        // Coalesced with the free ranges after and before it, so that larger allocations fit again.
        self.pieces.take(address - self.base);
        let mut start = address;
        if let Some(next) = self.free.remove(&(address + size)) {
            size += next;
        }
        if let Some((&before, &length)) = self.free.range(..address).next_back()
            && before + length == address
        {
            self.free.remove(&before);
            (start, size) = (before, size + length);
        }
        self.free.insert(start, size);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_pieces_join_and_are_used_again() {
        let mut heap = Heap::new(1024, 64, Arc::default());
        let pieces: Vec<u64> = (0..4).map(|_| heap.allocate(10)).collect();
        assert_eq!(pieces, [1024, 1040, 1056, 1072]);
        assert_eq!(heap.allocate(1), 0);
        for piece in [1056, 1024, 1040] {
            assert!(heap.release(piece));
        }
        assert!(!heap.release(1040));
        assert_eq!(heap.allocate(48), 1024);
        assert_eq!(heap.allocate(u64::MAX), 0);
    }
}
