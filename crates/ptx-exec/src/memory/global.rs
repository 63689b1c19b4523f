//! Global memory: shared by all blocks, so it consists of atomic words.
//!
//! Even a racy program has defined behaviour here: every access is atomic in its 64-bit word. Plain accesses are
//! relaxed; atomics, fences and synchronizing loads and stores use the strongest order, which is at least as strong as
//! any order and scope of PTX (manual 8).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx_program::Order;
use ptx_program::memory::{ALLOCATION_SHIFT, AddressSize, LOW_WORKSPACE, Space};

use super::beyond::Beyond;
use super::freed::{FAR, Freed, NEAR, describe};
use super::multicast::Multicast;
use super::region::{Guess, Region, mask, search};
use super::shadow::Shadow;
use super::{Fault, FaultKind};

/// Whether several host threads access the memory concurrently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Concurrency {
    /// A single thread: words can be updated by a read and a write.
    Single,
    /// Several threads: words are updated by compare-exchange.
    Many,
}

/// Unmapped bytes around the workspace of a grid.
const WORKSPACE_FENCE: u64 = 64;

/// Global memory as seen by a launch: the regions that existed when it started. Clones share the regions.
#[derive(Clone, Debug)]
pub(crate) struct GlobalMemory {
    /// In address order.
    regions: Arc<[Region]>,
    multicasts: Arc<[Multicast]>,
    guess: Guess,
    concurrency: Concurrency,
    /// Held while 16 bytes are read or updated atomically. Accesses of other sizes to the same bytes do not acquire it:
    /// only accesses that overlap completely are ordered with each other (manual 8.7).
    wide: Arc<Mutex<()>>,
    freed: Arc<[Freed]>,
    beyond: Option<Arc<Beyond>>,
}

impl GlobalMemory {
    /// The generic address of the first byte of allocation `index`, for numbered allocations.
    pub(crate) const fn base(index: usize) -> u64 {
        (index as u64 + 1) << ALLOCATION_SHIFT
    }

    /// Memory of numbered allocations: each is at the [base](Self::base) of its index.
    pub(crate) fn numbered(regions: Vec<Region>, concurrency: Concurrency) -> Self {
        let wide = Arc::new(Mutex::new(()));
        Self::new(regions.into(), Guess::Numbered, concurrency, wide, [].into(), None)
    }

    /// Memory of regions whose addresses were assigned by an [arena](super::Arena), in order.
    pub(crate) fn placed(size: AddressSize, regions: Vec<Region>, concurrency: Concurrency) -> Self {
        let guess = match size {
            AddressSize::Bits64 => return Self::numbered(regions, concurrency),
            AddressSize::Bits32 => Guess::last(),
        };
        Self::new(regions.into(), guess, concurrency, Arc::default(), [].into(), None)
    }

    /// Memory of regions at host addresses.
    pub(crate) fn of_host(mut regions: Vec<Region>, concurrency: Concurrency) -> Self {
        regions.sort_by_key(|region| region.base);
        Self::new(regions.into(), Guess::last(), concurrency, Arc::default(), [].into(), None)
    }

    /// Memory of these regions, in address order.
    pub(super) fn new(
        regions: Arc<[Region]>,
        guess: Guess,
        concurrency: Concurrency,
        wide: Arc<Mutex<()>>,
        freed: Arc<[Freed]>,
        beyond: Option<Arc<Beyond>>,
    ) -> Self {
        Self { regions, multicasts: [].into(), guess, concurrency, wide, freed, beyond }
    }

    /// Bytes of all regions.
    pub(crate) fn bytes(&self) -> u64 {
        self.regions.iter().map(|region| region.len).sum()
    }

    /// The same memory as a copy, whose changes may be taken over or discarded. There is none of unregistered memory.
    pub(crate) fn shadowed(&self) -> Option<(Self, Shadow)> {
        if self.beyond.is_some() {
            return None;
        }
        let shadow = Shadow::of(&self.regions);
        let guess = Guess::last();
        Some((Self { regions: shadow.copies(), guess, wide: Arc::default(), ..self.clone() }, shadow))
    }

    /// Adds multimem objects, in order.
    pub(crate) fn with_multicasts(self, multicasts: Arc<[Multicast]>) -> Self {
        Self { multicasts, ..self }
    }

    /// Adds the memory with which the blocks of a cooperative launch synchronize, and returns its address. Its layout
    /// is that of CUDA's driver: 32 bits with the size, and 32 bits for the grid barrier.
    pub(crate) fn with_workspace(self, size: AddressSize) -> (Self, u64) {
        const NAME: &str = "the workspace of the grid";
        const BYTES: u64 = 8;
        let region = match (&self.guess, size) {
            (_, AddressSize::Bits32) => Region::of_bytes(LOW_WORKSPACE, &[0; BYTES as usize], NAME),
            (Guess::Numbered, _) => {
                Region::of_bytes(Self::base(self.regions.len()), &[0; BYTES as usize], NAME)
            }
            _ => Region::of_host_word(WORKSPACE_FENCE, NAME),
        };
        let base = region.base;
        region.write(base, &BYTES.to_le_bytes());
        let mut regions = self.regions.to_vec();
        let place = regions.partition_point(|other| other.base < base);
        regions.insert(place, region);
        (Self { regions: regions.into(), ..self }, base)
    }

    /// The addresses in all replicas for `bytes` bytes at a multimem address; `None` if it is not a multimem address.
    pub(crate) fn members(&self, address: u64, bytes: u64) -> Option<Result<Vec<u64>, Fault>> {
        Multicast::members(&self.multicasts, address, bytes)
    }

    /// The contents of allocation `index`, or `None` if there is none.
    pub(crate) fn bytes_of(&self, index: usize) -> Option<Vec<u8>> {
        self.regions.get(index).map(Region::to_bytes)
    }

    /// Overwrites the first bytes of allocation `index`, if there is one.
    pub(crate) fn write_bytes_of(&self, index: usize, bytes: &[u8]) {
        if let Some(region) = self.regions.get(index) {
            region.write(region.base, bytes);
        }
    }

    /// Describes the object at an address, or that of the pointer that the address was computed from, if that is known to be one, or an object near
    /// the address: an offset in or from a region.
    pub(crate) fn describe(&self, address: u64, pointers: impl Iterator<Item = u64>) -> Option<String> {
        let near = if matches!(self.guess, Guess::Numbered) { FAR } else { NEAR };
        let is_known =
            search(&self.regions, address).is_some() || self.freed.iter().any(|freed| freed.holds(address));
        if !is_known && let Some(region) = self.only_region(pointers) {
            return describe(std::slice::from_ref(region), &[], FAR, address);
        }
        describe(&self.regions, &self.freed, near, address)
    }

    /// The region that these pointers point to, if it is one.
    fn only_region(&self, pointers: impl Iterator<Item = u64>) -> Option<&Region> {
        let mut indices = pointers.filter_map(|pointer| search(&self.regions, pointer));
        let first = indices.next()?;
        if indices.any(|index| index != first) { None } else { self.regions.get(first) }
    }

    /// The word of an access and the shift of its bytes in it.
    #[inline]
    fn word<const WRITE: bool>(&self, address: u64, size: u32) -> Result<(&AtomicU64, u32), Fault> {
        // The fast path: most accesses are to the same region as the previous access, or the region index follows from
        // the address. A wrong guess only costs a search; it never returns another region's word, since `holds` checks
        // the address.
        if let Some(region) = self.regions.get(self.guess.index(address))
            && region.holds(address, size.into(), WRITE)
            // The size is a power of two.
            && address & (u64::from(size) - 1) == 0
            && let Some(word) = region.word(address)
        {
            return Ok((word, (address % 8) as u32 * 8));
        }
        self.find(address, size, WRITE)
    }

    /// The slow path of [`Self::word`], after a wrong guess.
    #[cold]
    fn find(&self, address: u64, size: u32, write: bool) -> Result<(&AtomicU64, u32), Fault> {
        let fault = |kind| Fault { kind, space: Space::Global, address, size };
        let shift = (address % 8) as u32 * 8;
        let is_aligned = address.is_multiple_of(u64::from(size));
        if let Some(index) = search(&self.regions, address) {
            let region = &self.regions[index];
            if !is_aligned {
                return Err(fault(FaultKind::Misaligned));
            }
            region.permit(address, size.into(), write).map_err(fault)?;
            self.guess.learn(address, index);
            return region.word(address).map(|word| (word, shift)).ok_or(fault(FaultKind::OutOfBounds));
        }
        if self.freed.iter().any(|freed| freed.holds(address)) {
            return Err(fault(FaultKind::Freed));
        }
        let beyond = self.beyond.as_ref().ok_or(fault(FaultKind::OutOfBounds))?;
        if !is_aligned {
            return Err(fault(FaultKind::Misaligned));
        }
        beyond.word(address, size, write).map(|word| (word, shift)).map_err(fault)
    }

    /// Checks whether 1, 2, 4 or 8 bytes may be read, or written.
    pub(crate) fn permit(&self, address: u64, size: u32, write: bool) -> Result<(), Fault> {
        self.find(address, size, write).map(drop)
    }

    /// The start and size of the region of an address, anywhere in which may be read or written; `None` if that changes
    /// during a launch, as in a heap, and for unregistered memory.
    pub(crate) fn region_of(&self, address: u64, write: bool) -> Option<(u64, u64)> {
        let region = self.regions.get(search(&self.regions, address)?)?;
        region.permitted(write).map(|bytes| (region.base, bytes))
    }

    /// Reads 1, 2, 4 or 8 bytes.
    #[inline]
    pub(crate) fn read(&self, address: u64, size: u32, order: Order) -> Result<u64, Fault> {
        let (word, shift) = self.word::<false>(address, size)?;
        let order = match order {
            Order::Relaxed => Ordering::Relaxed,
            Order::Strong => Ordering::SeqCst,
        };
        Ok(word.load(order) >> shift & mask(size))
    }

    /// Writes 1, 2, 4 or 8 bytes.
    #[inline]
    pub(crate) fn write(&self, address: u64, size: u32, value: u64, order: Order) -> Result<(), Fault> {
        let (word, shift) = self.word::<true>(address, size)?;
        let (mask, value) = (mask(size) << shift, (value & mask(size)) << shift);
        match (size, self.concurrency, order) {
            (8, _, Order::Relaxed) => word.store(value, Ordering::Relaxed),
            (8, _, Order::Strong) => word.store(value, Ordering::SeqCst),
            // Other bytes of a word belong to other objects of the program: a plain read and write could undo a concurrent write to them.
            (_, Concurrency::Single, _) => {
                word.store(word.load(Ordering::Relaxed) & !mask | value, Ordering::Relaxed);
            }
            (_, Concurrency::Many, order) => {
                let success = if order == Order::Strong { Ordering::SeqCst } else { Ordering::Relaxed };
                update(word, success, |old| old & !mask | value);
            }
        }
        Ok(())
    }

    /// The words of contiguous bytes in a region; `None` if any of them may not be accessed, or if they are not word-aligned.
    fn run<const WRITE: bool>(&self, address: u64, bytes: usize) -> Option<&[AtomicU64]> {
        let found = |index: usize| {
            let region = self.regions.get(index)?;
            region.holds(address, bytes as u64, WRITE).then(|| region.run(address, bytes)).flatten()
        };
        found(self.guess.index(address)).or_else(|| found(search(&self.regions, address)?))
    }

    /// Reads contiguous bytes, equivalent to accesses of at most 8 bytes each; false if one of those would fail, or might fail.
    pub(crate) fn read_run(&self, address: u64, to: &mut [u8]) -> bool {
        let Some(words) = self.run::<false>(address, to.len()) else { return false };
        let (whole, rest) = to.as_chunks_mut();
        let bytes = |word: &AtomicU64| word.load(Ordering::Relaxed).to_le_bytes();
        whole.iter_mut().zip(words).for_each(|(to, word)| *to = bytes(word));
        if let (false, Some(word)) = (rest.is_empty(), words.last()) {
            rest.copy_from_slice(&bytes(word)[..rest.len()]);
        }
        true
    }

    /// Writes contiguous bytes; false, with nothing written, if that is not possible.
    pub(crate) fn write_run(&self, address: u64, from: &[u8]) -> bool {
        let Some(words) = self.run::<true>(address, from.len()) else { return false };
        let (whole, rest) = from.as_chunks();
        whole
            .iter()
            .zip(words)
            .for_each(|(from, word)| word.store(u64::from_le_bytes(*from), Ordering::Relaxed));
        let value = rest.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        if let (false, Some(word)) = (rest.is_empty(), words.last()) {
            let kept = u64::MAX << (8 * rest.len());
            update(word, Ordering::Relaxed, |old| old & kept | value);
        }
        true
    }

    /// Atomically replaces 1, 2, 4 or 8 bytes by the result of `new`, and returns the old ones.
    pub(crate) fn update(
        &self,
        address: u64,
        size: u32,
        mut new: impl FnMut(u64) -> u64,
    ) -> Result<u64, Fault> {
        let (word, shift) = self.word::<true>(address, size)?;
        let low = mask(size);
        let old = update(word, Ordering::SeqCst, |old| {
            old & !(low << shift) | (new(old >> shift & low) & low) << shift
        });
        Ok(old >> shift & low)
    }

    /// Reads 16 bytes, atomically.
    pub(crate) fn read_wide(&self, address: u64, order: Order) -> Result<u128, Fault> {
        let _held = self.hold();
        self.both(address, order)
    }

    /// Writes 16 bytes, atomically.
    pub(crate) fn write_wide(&self, address: u64, value: u128, order: Order) -> Result<(), Fault> {
        let _held = self.hold();
        self.write(address, 8, value as u64, order)?;
        self.write(address.wrapping_add(8), 8, (value >> 64) as u64, order)
    }

    /// Atomically replaces 16 bytes by the result of `new`, and returns the old ones.
    pub(crate) fn update_wide(&self, address: u64, new: impl FnOnce(u128) -> u128) -> Result<u128, Fault> {
        let _held = self.hold();
        let old = self.both(address, Order::Strong)?;
        let value = new(old);
        self.write(address, 8, value as u64, Order::Strong)?;
        self.write(address.wrapping_add(8), 8, (value >> 64) as u64, Order::Strong)?;
        Ok(old)
    }

    fn both(&self, address: u64, order: Order) -> Result<u128, Fault> {
        let low = self.read(address, 8, order)?;
        let high = self.read(address.wrapping_add(8), 8, order)?;
        Ok(u128::from(high) << 64 | u128::from(low))
    }

    fn hold(&self) -> MutexGuard<'_, ()> {
        self.wide.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn update(word: &AtomicU64, success: Ordering, mut new: impl FnMut(u64) -> u64) -> u64 {
    // `new` may be called repeatedly if other threads write concurrently, so it must not have side effects.
    let mut old = word.load(Ordering::Relaxed);
    loop {
        match word.compare_exchange_weak(old, new(old), success, Ordering::Relaxed) {
            Ok(_) => return old,
            Err(now) => old = now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(contents: &[&[u8]]) -> GlobalMemory {
        let regions = contents.iter().enumerate();
        let regions = regions.map(|(n, bytes)| Region::of_bytes(GlobalMemory::base(n), bytes, "r"));
        GlobalMemory::numbered(regions.collect(), Concurrency::Many)
    }

    #[test]
    fn bytes_survive_a_round_trip_and_the_tail_is_unmapped() {
        let bytes: Vec<u8> = (1..=13).collect();
        let memory = memory(&[&[0; 3], &bytes]);
        let base = GlobalMemory::base(1);
        assert_eq!(memory.read(base + 8, 4, Order::Relaxed), Ok(0x0c0b_0a09));
        memory.write(base + 12, 1, 0xffaa, Order::Strong).unwrap();
        memory.write(base + 2, 2, 0x9988, Order::Relaxed).unwrap();
        assert_eq!(memory.bytes_of(1).unwrap(), [1, 2, 0x88, 0x99, 5, 6, 7, 8, 9, 10, 11, 12, 0xaa]);
        let kind = |address, size| memory.read(address, size, Order::Relaxed).unwrap_err().kind;
        assert_eq!(kind(base + 12, 4), FaultKind::OutOfBounds);
        assert_eq!(kind(base + 13, 1), FaultKind::OutOfBounds);
        assert_eq!(kind(base - 1, 1), FaultKind::OutOfBounds);
        assert_eq!(kind(base + 2, 4), FaultKind::Misaligned);
        assert_eq!(kind(0, 8), FaultKind::OutOfBounds);
        assert_eq!(kind(u64::MAX, 1), FaultKind::OutOfBounds);
    }

    #[test]
    fn runs_are_accessed_whole_or_not_at_all() {
        let bytes: Vec<u8> = (1..=29).collect();
        let memory = memory(&[&bytes]);
        let base = GlobalMemory::base(0);
        let mut read = [0; 13];
        assert!(memory.read_run(base + 8, &mut read));
        assert_eq!(read, [9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
        assert!(memory.write_run(base + 16, &[0xff; 11]));
        let wanted = [&bytes[..16], &[0xff; 11], &bytes[27..]].concat();
        assert_eq!(memory.bytes_of(0).unwrap(), wanted);
        // Past the end by a byte, within a word, and before the beginning.
        assert!(!memory.write_run(base + 16, &[0; 14]) && !memory.write_run(base + 4, &[0; 8]));
        assert!(!memory.read_run(base.wrapping_sub(8), &mut read) && !memory.read_run(base + 24, &mut read));
        assert_eq!(memory.bytes_of(0).unwrap(), wanted);
        assert_eq!(read[0], 9);
    }

    #[test]
    fn wide_updates_from_many_threads_are_all_counted() {
        let memory = memory(&[&[0xff; 24]]);
        let base = GlobalMemory::base(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        memory.update_wide(base, |old| old.wrapping_add(1 << 32)).unwrap();
                    }
                });
            }
        });
        // The carry reaches the upper half with the first update.
        let wanted = u128::MAX.wrapping_add(4000 << 32);
        assert_eq!(memory.read_wide(base, Order::Strong), Ok(wanted));
        memory.write_wide(base, 5, Order::Relaxed).unwrap();
        assert_eq!(memory.read(base + 8, 8, Order::Relaxed), Ok(0));
        let past = memory.read_wide(base + 16, Order::Relaxed).unwrap_err();
        assert_eq!(past.kind, FaultKind::OutOfBounds);
    }

    #[test]
    fn updates_from_many_threads_are_all_counted() {
        let memory = memory(&[&[0; 8]]);
        let base = GlobalMemory::base(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let memory = &memory;
                scope.spawn(move || {
                    for _ in 0..1000 {
                        memory.update(base + 4, 4, |old| old + 1).unwrap();
                        memory.write(base + thread, 1, 7, Order::Relaxed).unwrap();
                    }
                });
            }
        });
        assert_eq!(memory.read(base, 8, Order::Strong), Ok(1000 << 34 | 0x0707_0707));
    }
}
