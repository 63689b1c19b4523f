//! Regions: ranges of bytes that programs may access, and their lookup by address.
//!
//! A lookup maps an address and a size to the word that contains the bytes, or a fault. Bytes are stored in atomic 64-bit words, because
//! host threads access them concurrently; a naturally aligned access of at most eight bytes is within one word.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ptx_diag::counted;
use ptx_program::memory::ALLOCATION_SHIFT;

use super::fault::FaultKind;
use super::pieces::Pieces;

/// Alignment of every allocation, as CUDA guarantees.
pub(super) const ALIGNMENT: u64 = 256;

/// Unmapped bytes on either side of an allocation.
pub(super) const FENCE: u64 = 256;

/// The same for regions of a launch, so that accesses that miss one by less do not hit another.
const WIDE_FENCE: u64 = 4096;

/// The words that contain the bytes of a region.
#[derive(Clone, Debug)]
enum Words {
    /// Memory of this crate; it is kept alive by regions and launches. A box, as that can be zeroed without being touched.
    Owned(Arc<Box<[AtomicU64]>>),
    /// Memory of the host process.
    Host(&'static [AtomicU64]),
}

impl Words {
    #[inline]
    fn all(&self) -> &[AtomicU64] {
        match self {
            Words::Owned(words) => words,
            Words::Host(words) => words,
        }
    }
}

/// A named range of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// Address of the first byte.
    pub(crate) base: u64,
    /// Size in bytes.
    pub(crate) len: u64,
    /// Bytes from the start that may be read or written without further checks: all or none.
    readable: u64,
    writable: u64,
    /// Address of the first word, a multiple of 8.
    origin: u64,
    words: Words,
    /// For a heap, its accessible pieces.
    pieces: Option<Arc<Pieces>>,
    /// Its description: "argument 2 (`p`)", "allocation 7".
    pub(crate) name: Arc<str>,
}

/// Zeros, which large ones take memory for only when they are touched; `None` if the host has not enough memory.
fn zeros(words: u64) -> Option<Box<[AtomicU64]>> {
    bytemuck::allocation::try_zeroed_slice_box(usize::try_from(words).ok()?).ok()
}

fn address_of(words: &[AtomicU64]) -> u64 {
    words.as_ptr().expose_provenance() as u64
}

impl Region {
    /// A copy of `bytes` at an assigned address.
    pub(crate) fn of_bytes(base: u64, bytes: &[u8], name: impl Into<Arc<str>>) -> Self {
        let word = |chunk: &[u8]| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            AtomicU64::new(u64::from_le_bytes(word))
        };
        let (words, len) = (bytes.chunks(8).map(word).collect(), bytes.len() as u64);
        Self::owned(base, len, base, words, name.into())
    }

    fn owned(base: u64, len: u64, origin: u64, words: Box<[AtomicU64]>, name: Arc<str>) -> Self {
        Self {
            base,
            len,
            readable: len,
            writable: len,
            origin,
            words: Words::Owned(Arc::new(words)),
            pieces: None,
            name,
        }
    }

    /// Turns it into a heap, of which only these pieces may be accessed.
    pub(crate) fn with_pieces(self, pieces: Arc<Pieces>) -> Self {
        Self { readable: 0, writable: 0, pieces: Some(pieces), ..self }
    }

    /// `len` zeroed bytes at their host address, which is a multiple of `align`, with at least `fence` unused bytes on either side; `None` if
    /// the host has not enough memory.
    pub(crate) fn allocate(len: u64, align: u64, fence: u64, name: impl Into<Arc<str>>) -> Option<Self> {
        let around = align.div_ceil(8).checked_add(fence.div_ceil(8).checked_mul(2)?)?;
        let words = zeros(len.div_ceil(8).checked_add(around)?)?;
        Some(Self::within(words, len, align, fence, name.into()))
    }

    /// `len` bytes at their host address in words that have room for them, their alignment, and a fence on either side.
    fn within(words: Box<[AtomicU64]>, len: u64, align: u64, fence: u64, name: Arc<str>) -> Self {
        let origin = address_of(&words);
        let base = (origin + fence).next_multiple_of(align);
        Self::owned(base, len, origin, words, name)
    }

    /// One zeroed word at its host address, with at least `fence` unused bytes on either side.
    pub(crate) fn of_host_word(fence: u64, name: impl Into<Arc<str>>) -> Self {
        let words = (0..2 + 2 * fence.div_ceil(8)).map(|_| AtomicU64::new(0)).collect();
        Self::within(words, 8, 8, fence, name.into())
    }

    /// `len` zeroed bytes at their host address, with the alignment of allocations, for a launch that has few of them; `None` if the host has
    /// not enough memory.
    pub(crate) fn of_host_address(len: u64, align: u64, name: impl Into<Arc<str>>) -> Option<Self> {
        Self::allocate(len, align.max(ALIGNMENT), WIDE_FENCE, name)
    }

    /// `len` zeroed bytes at an assigned address, a multiple of 8; `None` if the host has not enough memory.
    pub(crate) fn zeros_at(base: u64, len: u64, name: impl Into<Arc<str>>) -> Option<Self> {
        Some(Self::owned(base, len, base, zeros(len.div_ceil(8))?, name.into()))
    }

    /// Bytes `base..base + len` of the host process, all of which must be in `words`; `None` if they are not.
    pub(crate) fn of_host(
        words: &'static [AtomicU64],
        (base, len): (u64, u64),
        is_writable: bool,
        name: impl Into<Arc<str>>,
    ) -> Option<Self> {
        let origin = address_of(words);
        let end = base.checked_add(len)?;
        let room = origin + 8 * words.len() as u64;
        let writable = if is_writable { len } else { 0 };
        (origin <= base && end <= room).then(|| Self {
            base,
            len,
            readable: len,
            writable,
            pieces: None,
            origin,
            words: Words::Host(words),
            name: name.into(),
        })
    }

    /// A copy at the same address, with words of its own, and their values.
    pub(super) fn copied(&self) -> (Self, Box<[u64]>) {
        let values: Box<[u64]> = self.covering().iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let words = Words::Owned(Arc::new(values.iter().map(|&value| AtomicU64::new(value)).collect()));
        (Self { words, origin: self.base & !7, ..self.clone() }, values)
    }

    /// The words that contain its bytes, the first and last of which may be shared with others.
    pub(super) fn covering(&self) -> &[AtomicU64] {
        let first = (self.base - self.origin) as usize / 8;
        let end = (self.base + self.len - self.origin).div_ceil(8) as usize;
        self.allocated(first..end)
    }

    /// Words of its allocation.
    fn allocated(&self, range: Range<usize>) -> &[AtomicU64] {
        let words = self.words.all().get(range);
        debug_assert!(words.is_some(), "a region outside of its allocation");
        // Default: a region is part of what was allocated for it.
        words.unwrap_or_default()
    }

    /// Bytes of memory that the region owns.
    pub(crate) fn owned_bytes(&self) -> u64 {
        match &self.words {
            Words::Owned(words) => 8 * words.len() as u64,
            Words::Host(_) => 0,
        }
    }

    /// Whether it is word-aligned.
    pub(crate) fn address_is_aligned(&self) -> bool {
        self.base.is_multiple_of(8)
    }

    /// Its words, if it is word-aligned.
    pub(crate) fn words(&self) -> &[AtomicU64] {
        let skipped = (self.base - self.origin) as usize / 8;
        let end = skipped + self.len.div_ceil(8) as usize;
        self.allocated(skipped..end)
    }

    /// Whether `size` bytes at an address are in bounds and readable, or writable. Heaps are handled by [`Self::permit`] only.
    #[inline]
    pub(crate) fn holds(&self, address: u64, size: u64, write: bool) -> bool {
        // One comparison for both bounds: an address below the base wraps around to a huge offset, which stays huge when the size is added.
        let len = if write { self.writable } else { self.readable };
        address.wrapping_sub(self.base).saturating_add(size) <= len
    }

    /// Bytes from the start that are readable, or writable, for the lifetime of the region; `None` for a heap.
    pub(crate) fn permitted(&self, write: bool) -> Option<u64> {
        let bytes = if write { self.writable } else { self.readable };
        self.pieces.is_none().then_some(bytes)
    }

    /// Checks an access to any region, including heaps.
    ///
    /// # Errors
    /// The reason why it is not allowed.
    pub(crate) fn permit(&self, address: u64, size: u64, write: bool) -> Result<(), FaultKind> {
        let offset = address.wrapping_sub(self.base);
        match &self.pieces {
            _ if self.holds(address, size, write) => Ok(()),
            _ if offset.saturating_add(size) > self.len => Err(FaultKind::OutOfBounds),
            Some(pieces) => pieces.check(offset, size),
            None => Err(FaultKind::ReadOnly),
        }
    }

    /// Describes the object that contains or precedes an address; `None` before a heap's first piece.
    pub(crate) fn describe(&self, address: u64) -> Option<String> {
        let offset = address - self.base;
        match &self.pieces {
            Some(pieces) => pieces.describe(offset).map(|piece| format!("{piece}, in {}", self.name)),
            None => {
                Some(format!("offset {offset} of {}, which has {}", self.name, counted(self.len, "byte")))
            }
        }
    }

    /// The word that contains an address.
    #[inline]
    pub(crate) fn word(&self, address: u64) -> Option<&AtomicU64> {
        self.words.all().get((address.wrapping_sub(self.origin) / 8) as usize)
    }

    /// The words of bytes at a word-aligned address.
    pub(super) fn run(&self, address: u64, bytes: usize) -> Option<&[AtomicU64]> {
        if !address.is_multiple_of(8) {
            return None;
        }
        let first = (address.wrapping_sub(self.origin) / 8) as usize;
        self.words.all().get(first..)?.get(..bytes.div_ceil(8))
    }

    /// The word of host memory that contains an address.
    pub(crate) fn host_word(&self, address: u64) -> Option<&'static AtomicU64> {
        match &self.words {
            Words::Owned(_) => None,
            Words::Host(words) => words.get((address.wrapping_sub(self.origin) / 8) as usize),
        }
    }

    /// The current contents.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len as usize];
        self.read(self.base, &mut bytes);
        bytes
    }

    /// Copies bytes out; those outside the region are left unchanged.
    pub(crate) fn read(&self, address: u64, to: &mut [u8]) {
        let mut at = address;
        let mut rest = to;
        while !rest.is_empty() {
            let skipped = (at % 8) as usize;
            let (part, others) = rest.split_at_mut((8 - skipped).min(rest.len()));
            if let Some(word) = self.word(at) {
                let bytes = word.load(Ordering::Relaxed).to_le_bytes();
                part.copy_from_slice(&bytes[skipped..skipped + part.len()]);
            }
            at += part.len() as u64;
            rest = others;
        }
    }

    /// Copies bytes in. The other bytes of partially written words are preserved, even under concurrent modification.
    pub(crate) fn write(&self, address: u64, from: &[u8]) {
        let mut at = address;
        let mut rest = from;
        while !rest.is_empty() {
            let skipped = (at % 8) as usize;
            let (part, others) = rest.split_at((8 - skipped).min(rest.len()));
            if let Some(word) = self.word(at) {
                let mut bytes = [0; 8];
                bytes[skipped..skipped + part.len()].copy_from_slice(part);
                let value = u64::from_le_bytes(bytes);
                if part.len() == 8 {
                    word.store(value, Ordering::Relaxed);
                } else {
                    let changed = mask(part.len() as u32) << (8 * skipped);
                    let new = |old: u64| Some(old & !changed | value);
                    // The update function always succeeds.
                    let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, new);
                }
            }
            at += part.len() as u64;
            rest = others;
        }
    }
}

/// Predicts the region of an address; predictions are always checked.
#[derive(Clone, Debug)]
pub(crate) enum Guess {
    /// Region `n` starts at `(n + 1) << ALLOCATION_SHIFT`.
    Numbered,
    /// Same as for the last access to an address with the same hash.
    Last(Arc<[AtomicU32; GUESSES]>),
}

/// Number of cached predictions, and the number of low address bits that are ignored in the hash.
const GUESSES: usize = 256;
const GUESS_SHIFT: u32 = 12;

impl Guess {
    pub(crate) fn last() -> Self {
        Guess::Last(Arc::new([const { AtomicU32::new(0) }; GUESSES]))
    }

    #[inline]
    pub(crate) fn index(&self, address: u64) -> usize {
        match self {
            Guess::Numbered => ((address >> ALLOCATION_SHIFT) as usize).wrapping_sub(1),
            Guess::Last(guesses) => {
                guesses[(address >> GUESS_SHIFT) as usize % GUESSES].load(Ordering::Relaxed) as usize
            }
        }
    }

    /// Records the region of an address.
    pub(crate) fn learn(&self, address: u64, index: usize) {
        if let Guess::Last(guesses) = self {
            guesses[(address >> GUESS_SHIFT) as usize % GUESSES].store(index as u32, Ordering::Relaxed);
        }
    }
}

/// The index of the region that contains an address, for regions in address order.
pub(crate) fn search(regions: &[Region], address: u64) -> Option<usize> {
    let index = regions.partition_point(|region| region.base <= address).checked_sub(1)?;
    (address - regions[index].base < regions[index].len).then_some(index)
}

/// Mask of a value of `size` bytes.
#[inline]
pub(super) fn mask(size: u32) -> u64 {
    u64::MAX >> (64 - 8 * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_words_are_copied() {
        let region = Region::allocate(21, 256, 64, "a").unwrap();
        assert!(region.base.is_multiple_of(256));
        let bytes: Vec<u8> = (1..=21).collect();
        region.write(region.base, &bytes);
        region.write(region.base + 7, &[0xaa, 0xbb]);
        let mut wanted = bytes;
        (wanted[7], wanted[8]) = (0xaa, 0xbb);
        assert_eq!(region.to_bytes(), wanted);
        let mut middle = [0; 10];
        region.read(region.base + 5, &mut middle);
        assert_eq!(middle[..], wanted[5..15]);
        assert_eq!(region.words().len(), 3);
    }

    #[test]
    fn ends_are_exact_and_addresses_do_not_wrap_around() {
        let region = Region::allocate(20, 256, 64, "a").unwrap();
        let holds = |offset: i64, size| region.holds(region.base.wrapping_add(offset as u64), size, true);
        assert!(holds(0, 8) && holds(16, 4) && holds(19, 1));
        assert!(!holds(16, 8) && !holds(20, 1) && !holds(-1, 1) && !holds(-8, 8) && !holds(-1, 4));
    }

    #[test]
    fn regions_are_found_by_any_address_in_them() {
        let at = |base, len| Region::of_bytes(base, &vec![0; len], "r");
        let regions = [at(100, 8), at(108, 4), at(200, 1)];
        let found = [99, 100, 107, 108, 111, 112, 199, 200, 201].map(|address| search(&regions, address));
        let wanted = [None, Some(0), Some(0), Some(1), Some(1), None, None, Some(2), None];
        assert_eq!(found, wanted);
    }
}
