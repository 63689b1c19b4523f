//! Address allocation for the regions of a launch, and for allocations of a memory with 32-bit addresses.

use std::sync::Arc;

use ptx_program::memory::{AddressSize, LOW_GLOBAL};

use super::{GlobalMemory, Region};

/// Unmapped bytes after each region, so that accesses that miss it by less are reported with its name.
const FENCE: u64 = 4096;

/// Alignment of every region, as CUDA guarantees.
const ALIGNMENT: u64 = 256;

/// The lowest address at or after `from` for a region of this alignment.
fn aligned(from: u64, align: u64) -> Option<u64> {
    from.checked_next_multiple_of(align.max(ALIGNMENT))
}

/// Assigns addresses to regions: numbered ones, consecutive ones below 2^32 that only depend on earlier regions, or host addresses.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    size: AddressSize,
    count: usize,
    next: u64,
    /// The regions that were created, if their addresses are host addresses.
    host: Option<Vec<Region>>,
}

impl Arena {
    pub(crate) fn new(size: AddressSize) -> Self {
        Self { size, count: 0, next: LOW_GLOBAL.start, host: None }
    }

    /// An arena that assigns host addresses, for modules with 64-bit addresses.
    pub(crate) fn of_host() -> Self {
        Self { host: Some(Vec::new()), ..Self::new(AddressSize::Bits64) }
    }

    /// Whether its addresses are host addresses.
    pub(crate) fn is_of_host(&self) -> bool {
        self.host.is_some()
    }

    /// Creates the region at an address that the arena assigned, with these contents.
    pub(crate) fn region(&self, base: u64, bytes: &[u8], name: impl Into<Arc<str>>) -> Region {
        let made = self.host.iter().flatten().find(|region| region.base == base);
        let Some(made) = made else { return Region::of_bytes(base, bytes, name) };
        made.write(base, bytes);
        let mut region = made.clone();
        region.name = name.into();
        region
    }

    /// The address of the next region; `None` if there is no room.
    pub(crate) fn place(&mut self, bytes: u64, align: u64) -> Option<u64> {
        if let Some(host) = &mut self.host {
            let region = Region::of_host_address(bytes, align, "")?;
            let base = region.base;
            host.push(region);
            return Some(base);
        }
        if self.size == AddressSize::Bits64 {
            self.count += 1;
            return Some(GlobalMemory::base(self.count - 1));
        }
        let base = aligned(self.next, align)?;
        let end = base.checked_add(bytes).filter(|&end| end <= LOW_GLOBAL.end)?;
        self.next = end + FENCE;
        Some(base)
    }
}

/// An address below 2^32 for `bytes` bytes: at or after `next`, or before it in the first gap between the regions
/// `taken`, which are bases and lengths in ascending order. `None` if there is no room.
pub(super) fn place_low(
    taken: impl Iterator<Item = (u64, u64)> + Clone,
    next: u64,
    bytes: u64,
    align: u64,
) -> Option<u64> {
    let from = |start: u64| {
        // In base order the candidate moves past each region that it overlaps; a region it has passed cannot overlap it again.
        let mut base = aligned(start.max(LOW_GLOBAL.start), align)?;
        for (other, len) in taken.clone() {
            let after = other.saturating_add(len).saturating_add(FENCE);
            let is_apart = base.checked_add(bytes)?.checked_add(FENCE)? <= other || after <= base;
            if !is_apart {
                base = aligned(after, align)?;
            }
        }
        base.checked_add(bytes).filter(|&end| end <= LOW_GLOBAL.end).map(|_| base)
    };
    from(next).or_else(|| from(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_the_host_are_where_their_words_are() {
        let mut arena = Arena::of_host();
        let [first, second] = [20, 8].map(|bytes| arena.place(bytes, 512).unwrap());
        assert!(first.is_multiple_of(512) && first.abs_diff(second) >= 512);
        let region = arena.region(second, &[1, 2, 3, 4, 5, 6, 7, 8], "a");
        assert_eq!(region.words().as_ptr() as u64, second);
        assert_eq!(arena.region(first, &[9], "b").to_bytes()[..2], [9, 0]);
        assert_eq!(region.to_bytes(), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn regions_of_32_bits_follow_each_other_until_there_is_no_room() {
        let mut arena = Arena::new(AddressSize::Bits32);
        assert_eq!(arena.place(10, 4), Some(0x10_0000));
        // 0x10000a + 4096, rounded up to 512.
        assert_eq!(arena.place(3 << 29, 512), Some(0x10_1200));
        assert_eq!(arena.place(3 << 29, 4), None);
        assert_eq!(arena.place(1, 4), Some(0x6010_2200));
        let mut arena = Arena::new(AddressSize::Bits64);
        assert_eq!((arena.place(u64::MAX, 1), arena.place(1, 1)), (Some(1 << 36), Some(2 << 36)));
    }

    #[test]
    fn gaps_are_used_again() {
        let taken = [(0x10_0000, 0x100), (0x20_0000, 0x1000), (0xbfff_0000, 0x10000), (1 << 40, 8)];
        let place = |next, bytes, align| place_low(taken.iter().copied(), next, bytes, align);
        assert_eq!(place(0, 0x100, 1), Some(0x10_1100));
        assert_eq!(place(0, 0x10_0000, 1), Some(0x20_2000));
        assert_eq!(place(0x30_0000, 8, 0x1000), Some(0x30_0000));
        assert_eq!(place(0xbffe_ff00, 8, 1), Some(0x10_1100));
        assert_eq!(place(0, 3 << 30, 1), None);
        assert_eq!(place(u64::MAX, u64::MAX, 1), None);
    }
}
