//! Memory that outlives launches: allocations and registered memory of the host process, at host addresses.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx_program::memory::{ALLOCATION_SHIFT, AddressSize};
use thiserror::Error;

use super::FaultKind;
use super::arena::place_low;
use super::beyond::{Beyond, HostMemory, HostRegion};
use super::freed::{Freed, NEAR, describe};
use super::global::{Concurrency, GlobalMemory};
use super::multicast::Multicast;
use super::pieces::Pieces;
use super::region::{ALIGNMENT, FENCE, Guess, Region, search};

/// Maximum size of an allocation.
const LARGEST: u64 = 1 << 40;
/// Maximum number and total size of freed allocations whose addresses are quarantined.
const MOST_FREED: usize = 4096;
const MOST_FREED_BYTES: u64 = 64 << 20;
/// Bytes copied at a time.
const PIECE: usize = 64 << 10;

/// In the terms of CUDA, the memory that a region is in. Kernels and the host access all of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum MemoryKind {
    /// Memory of the device.
    #[default]
    Device,
    /// Page-locked memory of the host.
    Host,
    /// Managed memory.
    Managed,
}

/// Whether the bytes past the end of an allocation may be accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Bounds {
    /// They may not.
    #[default]
    Strict,
    /// Allocations end at a multiple of 512 bytes, as those of the CUDA driver.
    Lenient,
}

impl Bounds {
    /// The size of an allocation of so many bytes; `None` if it has more than 64 bits.
    fn of(self, bytes: u64) -> Option<u64> {
        match self {
            Self::Strict => Some(bytes),
            Self::Lenient => bytes.checked_next_multiple_of(512),
        }
    }
}

/// Options of a memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MemoryOptions {
    /// The size of the addresses of allocations and variables. A module with 32-bit addresses requires 32 bits; one with 64-bit addresses
    /// accepts either.
    pub addresses: AddressSize,
    /// Maximum total size of allocations of [device memory](MemoryKind::Device), variables and the heap; `None` for no limit but that of the host.
    pub capacity: Option<u64>,
    /// Whether the bytes past the end of an allocation may be accessed.
    pub bounds: Bounds,
}

/// The kind of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    /// It was [allocated](Memory::allocate).
    Allocation,
    /// It belongs to the host process and was [registered](Memory::register).
    Registered,
    /// It contains a variable of a module.
    Variable,
    /// The heap of device-side `malloc`.
    Heap,
}

impl fmt::Display for RegionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allocation => "an allocation",
            Self::Registered => "registered memory",
            Self::Variable => "a variable",
            Self::Heap => "a heap",
        })
    }
}

/// A region of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionInfo {
    /// Address of the first byte.
    pub address: u64,
    /// Size in bytes, as requested.
    pub bytes: u64,
    /// Its kind.
    pub kind: RegionKind,
    /// The memory that it is in. Registered memory is that of the host.
    pub memory: MemoryKind,
    /// Its name in messages: "allocation 3", "variable `x`".
    pub name: String,
}

/// What is at an address instead of what was expected, as the end of a message.
fn what_it_is(found: Option<&str>) -> String {
    match found {
        Some(found) => format!(": it is {found}"),
        None => String::new(),
    }
}

/// The size of a memory, as the end of a message.
fn of_capacity(capacity: Option<u64>) -> String {
    match capacity {
        Some(capacity) => format!(" of {capacity}"),
        None => String::new(),
    }
}

/// Why memory cannot be allocated, freed or accessed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MemoryError {
    /// The bytes are not all in one region.
    #[error("{bytes} bytes at {address:#x} are out of bounds: {object}")]
    OutOfBounds {
        /// The first byte of the access.
        address: u64,
        /// Its size.
        bytes: u64,
        /// The object there, or nearby.
        object: String,
    },
    /// The memory was freed.
    #[error("{bytes} bytes at {address:#x} were freed: {object}")]
    Freed {
        /// The first byte of the access.
        address: u64,
        /// Its size.
        bytes: u64,
        /// The former object.
        object: String,
    },
    /// Registered memory that is read-only.
    #[error("{name} at {address:#x} is read-only")]
    ReadOnly {
        /// The address.
        address: u64,
        /// The object there.
        name: String,
    },
    /// No region of the expected kind starts at the address.
    #[error("{address:#x} is not the address of {expected}{}", what_it_is(.found.as_deref()))]
    NotARegion {
        /// The address.
        address: u64,
        /// The expected kind.
        expected: RegionKind,
        /// The object found instead.
        found: Option<String>,
    },
    /// The addresses below 2^32 are exhausted.
    #[error("there is no room for {bytes} bytes among the addresses of 32 bits")]
    NoRoom {
        /// The bytes requested.
        bytes: u64,
    },
    /// The memory or the host has not enough room.
    #[error("out of memory: {bytes} bytes were requested, {used} bytes are used{}", of_capacity(*.capacity))]
    OutOfMemory {
        /// The bytes requested.
        bytes: u64,
        /// The bytes in use.
        used: u64,
        /// The size of the memory, if it has one.
        capacity: Option<u64>,
    },
    /// More bytes than the maximum size of an allocation.
    #[error("an allocation of {bytes} bytes is larger than the {} that one may have", LARGEST)]
    TooLarge {
        /// The bytes requested.
        bytes: u64,
    },
    /// The memory to be registered overlaps a known region.
    #[error("{bytes} bytes at {address:#x} overlap {with}")]
    Overlap {
        /// The first byte.
        address: u64,
        /// Size in bytes.
        bytes: u64,
        /// The overlapped object.
        with: String,
    },
    /// The memory to be registered has addresses inside other windows, or is not in its words.
    #[error("{bytes} bytes at {address:#x} cannot be registered: {why}")]
    Unfit {
        /// The first byte.
        address: u64,
        /// Size in bytes.
        bytes: u64,
        /// The reason.
        why: &'static str,
    },
}

/// The global memory of a device. Clones refer to the same memory.
///
/// Addresses are host addresses, so that memory can be shared with the host process, or numbers below 2^32 for [modules
/// with 32-bit addresses](Memory::with_addresses). Each access must be within one region. Addresses of freed
/// allocations are quarantined for a while, so that accesses to them are detected.
///
/// ```
/// use ptx_exec::Memory;
///
/// let memory = Memory::new();
/// let numbers = memory.allocate(8)?;
/// memory.write(numbers, &[1, 2, 3, 4])?;
/// memory.copy(numbers + 4, numbers, 4)?;
/// let mut bytes = [0; 8];
/// memory.read(numbers, &mut bytes)?;
/// assert_eq!(bytes, [1, 2, 3, 4, 1, 2, 3, 4]);
/// memory.free(numbers)?;
/// let error = memory.read(numbers, &mut bytes).unwrap_err();
/// assert!(error.to_string().ends_with("offset 0 of allocation 1, which had 8 bytes and was freed"));
/// # Ok::<(), ptx_exec::MemoryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Memory {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    options: MemoryOptions,
    state: Mutex<State>,
    wide: Arc<Mutex<()>>,
}

#[derive(Debug, Default)]
struct State {
    regions: BTreeMap<u64, Placed>,
    /// Bytes of device memory in use.
    used: u64,
    freed: VecDeque<(Freed, Region)>,
    freed_bytes: u64,
    allocations: u64,
    /// Start of the search for addresses below 2^32.
    next_low: u64,
    multicasts: Vec<Multicast>,
    /// The region table for launches, cached until something changes.
    table: Option<Table>,
}

/// A region in a memory.
#[derive(Debug)]
struct Placed {
    kind: RegionKind,
    memory: MemoryKind,
    region: Region,
    /// The size that was requested.
    bytes: u64,
}

impl Placed {
    /// Bytes of device memory that it takes.
    fn used(&self) -> u64 {
        match (self.kind, self.memory) {
            (RegionKind::Registered, _) | (_, MemoryKind::Host | MemoryKind::Managed) => 0,
            (RegionKind::Allocation | RegionKind::Variable | RegionKind::Heap, MemoryKind::Device) => {
                self.region.len
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Table {
    regions: Arc<[Region]>,
    guess: Guess,
    freed: Arc<[Freed]>,
    multicasts: Arc<[Multicast]>,
}

impl State {
    fn table(&mut self) -> Table {
        let State { regions, freed, multicasts, .. } = self;
        let make = || Table {
            regions: regions.values().map(|placed| placed.region.clone()).collect(),
            guess: Guess::last(),
            freed: freed.iter().map(|(freed, _)| freed.clone()).collect(),
            multicasts: multicasts.as_slice().into(),
        };
        self.table.get_or_insert_with(make).clone()
    }

    /// A 32-bit address for a region; those of freed memory are avoided.
    fn place_low(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let freed = self.freed.iter().map(|(freed, _)| (freed.base, freed.len));
        let mut taken: Vec<_> = freed.chain(self.placed()).collect();
        taken.sort_unstable();
        let place = |taken: &[(u64, u64)], next| place_low(taken.iter().copied(), next, bytes, align);
        let base = place(&taken, self.next_low).or_else(|| {
            // Only then addresses of freed memory are reused.
            self.forget_freed();
            let mut taken: Vec<_> = self.placed().collect();
            taken.sort_unstable();
            place(&taken, 0)
        })?;
        self.next_low = base + bytes;
        Some(base)
    }

    /// The addresses and sizes of regions.
    fn placed(&self) -> impl Iterator<Item = (u64, u64)> {
        self.regions.values().map(|Placed { region, .. }| (region.base, region.len))
    }

    /// Releases freed memory that is kept so that accesses to it are detected.
    fn forget_freed(&mut self) {
        self.freed.clear();
        self.freed_bytes = 0;
        self.table = None;
    }

    fn insert(&mut self, placed: Placed) -> u64 {
        self.table = None;
        let base = placed.region.base;
        self.used += placed.used();
        self.regions.insert(base, placed);
        base
    }

    /// Removes a region of this kind.
    fn remove(&mut self, address: u64, expected: RegionKind) -> Result<Region, MemoryError> {
        match self.regions.get(&address) {
            Some(Placed { kind, .. }) if *kind == expected => {}
            _ => {
                let Table { regions, freed, .. } = self.table();
                let found = describe(&regions, &freed, NEAR, address);
                return Err(MemoryError::NotARegion { address, expected, found });
            }
        }
        self.table = None;
        let removed = self.regions.remove(&address);
        let removed = removed.ok_or(MemoryError::NotARegion { address, expected, found: None })?;
        self.used -= removed.used();
        Ok(removed.region)
    }

    fn retire(&mut self, region: Region) {
        // The region itself is kept with its name: until its memory is released, the host does not reuse its addresses,
        // and an access to them is known to be a use after free.
        let freed = Freed { base: region.base, len: region.len, name: region.name.clone() };
        self.freed_bytes += region.owned_bytes();
        self.freed.push_back((freed, region));
        while self.freed.len() > MOST_FREED || self.freed_bytes > MOST_FREED_BYTES {
            let Some((_, oldest)) = self.freed.pop_front() else { break };
            self.freed_bytes -= oldest.owned_bytes();
        }
    }
}

impl Memory {
    /// Memory without any region.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory without any region, whose allocations and variables have addresses of the given size. A module with
    /// 32-bit addresses requires 32 bits; one with 64-bit addresses accepts either.
    pub fn with_addresses(size: AddressSize) -> Self {
        Self::with(MemoryOptions { addresses: size, ..MemoryOptions::default() })
    }

    /// Memory without any region, with these options.
    pub fn with(options: MemoryOptions) -> Self {
        Self { shared: Arc::new(Shared { options, ..Shared::default() }) }
    }

    /// The address size, except for registered memory.
    pub fn address_size(&self) -> AddressSize {
        self.shared.options.addresses
    }

    /// Maximum total size of allocations, variables and the heap, if it is limited.
    pub fn capacity(&self) -> Option<u64> {
        self.shared.options.capacity
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates zeroed device memory and returns its address, a multiple of 256. The host provides large allocations page by page when
    /// they are accessed.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`], [`MemoryError::TooLarge`], [`MemoryError::NoRoom`].
    pub fn allocate(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.allocate_in(MemoryKind::Device, bytes)
    }

    /// Like [`Memory::allocate`], in memory of any kind.
    ///
    /// # Errors
    /// See [`Memory::allocate`].
    pub fn allocate_in(&self, memory: MemoryKind, bytes: u64) -> Result<u64, MemoryError> {
        let mut state = self.lock();
        state.allocations += 1;
        let name = format!("allocation {}", state.allocations);
        drop(state);
        self.make((RegionKind::Allocation, memory), bytes, ALIGNMENT, name.into(), |region| region)
    }

    /// Creates a heap, of which device code may access these pieces.
    pub(crate) fn add_heap(&self, bytes: u64, pieces: Arc<Pieces>, name: &str) -> Result<u64, MemoryError> {
        let finish = |region: Region| region.with_pieces(pieces);
        self.make((RegionKind::Heap, MemoryKind::Device), bytes, ALIGNMENT, name.into(), finish)
    }

    /// Creates a zeroed region at a fresh address.
    fn make(
        &self,
        (kind, memory): (RegionKind, MemoryKind),
        bytes: u64,
        align: u64,
        name: Arc<str>,
        finish: impl FnOnce(Region) -> Region,
    ) -> Result<u64, MemoryError> {
        let MemoryOptions { addresses, capacity, bounds } = self.shared.options;
        let size = if kind == RegionKind::Allocation { bounds.of(bytes) } else { Some(bytes) };
        let size = size.filter(|&size| size <= LARGEST).ok_or(MemoryError::TooLarge { bytes })?;
        let mut state = self.lock();
        let used = state.used;
        let out_of_memory = || MemoryError::OutOfMemory { bytes, used, capacity };
        let is_over = |capacity: u64| used.checked_add(size).is_none_or(|total| total > capacity);
        if memory == MemoryKind::Device && capacity.is_some_and(is_over) {
            return Err(out_of_memory());
        }
        let region = match addresses {
            AddressSize::Bits64 => {
                let allocate = || Region::allocate(size, align, FENCE, name.clone());
                allocate().or_else(|| {
                    state.forget_freed();
                    allocate()
                })
            }
            AddressSize::Bits32 => {
                let base = state.place_low(size, align).ok_or(MemoryError::NoRoom { bytes })?;
                Region::zeros_at(base, size, name)
            }
        };
        let region = finish(region.ok_or_else(out_of_memory)?);
        Ok(state.insert(Placed { kind, memory, region, bytes }))
    }

    pub(crate) fn add(
        &self,
        kind: RegionKind,
        bytes: u64,
        align: u64,
        name: String,
    ) -> Result<u64, MemoryError> {
        self.make((kind, MemoryKind::Device), bytes, align.max(ALIGNMENT), name.into(), |region| region)
    }

    /// Frees an allocation. Accesses by running launches are not detected; [`Memory`] does not wait for them.
    ///
    /// # Errors
    /// [`MemoryError::NotARegion`] unless the address was returned by [`Memory::allocate`] and has not been freed since.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut state = self.lock();
        let region = state.remove(address, RegionKind::Allocation)?;
        state.retire(region);
        Ok(())
    }

    /// Frees a variable of a module.
    pub(crate) fn free_variable(&self, address: u64) {
        let mut state = self.lock();
        if let Ok(region) = state.remove(address, RegionKind::Variable) {
            state.retire(region);
        }
    }

    /// Makes memory of the host process accessible to launches, at its host address.
    ///
    /// # Errors
    /// [`MemoryError::Overlap`] with a known region, and [`MemoryError::Unfit`] if it cannot have global addresses.
    pub fn register(&self, region: HostRegion, name: &str) -> Result<(), MemoryError> {
        let HostRegion { words, address, bytes, is_writable } = region;
        let unfit = |why| MemoryError::Unfit { address, bytes, why };
        let region = Region::of_host(words, (address, bytes), is_writable, name)
            .ok_or(unfit("it is not where its words are"))?;
        let last = address + bytes.saturating_sub(1);
        if !self.address_size().is_global(address, last) {
            return Err(unfit("its addresses mean other state spaces"));
        }
        let mut state = self.lock();
        let next = state.regions.range(..=last).next_back();
        if let Some((_, known)) = next.filter(|(_, Placed { region, .. })| region.base + region.len > address)
        {
            let with = known.region.name.to_string();
            return Err(MemoryError::Overlap { address, bytes, with });
        }
        state.insert(Placed { kind: RegionKind::Registered, memory: MemoryKind::Host, region, bytes });
        Ok(())
    }

    /// Undoes [`Memory::register`]. Running launches may still access the memory.
    ///
    /// # Errors
    /// [`MemoryError::NotARegion`] unless it is the address of a registered region.
    pub fn unregister(&self, address: u64) -> Result<(), MemoryError> {
        self.lock().remove(address, RegionKind::Registered).map(drop)
    }

    /// Creates a multimem address (manual 9.7.9.14), through which `bytes` bytes at each of these addresses are
    /// accessed together, until the memory there is freed.
    ///
    /// # Errors
    /// If the bytes at one of the addresses are not in one writable region.
    pub fn multicast(&self, members: &[u64], bytes: u64) -> Result<u64, MemoryError> {
        if bytes > 1 << ALLOCATION_SHIFT {
            return Err(MemoryError::TooLarge { bytes });
        }
        for &member in members {
            self.whole(member, bytes, true)?;
        }
        let mut state = self.lock();
        state.table = None;
        state.multicasts.push(Multicast { bytes, members: members.to_vec() });
        Ok(Multicast::base(state.multicasts.len() - 1))
    }

    /// The words of an allocation or variable, for access by the host process concurrently with launches; `None` if no
    /// region owned by this memory starts at the address.
    pub fn words(&self, address: u64) -> Option<Words> {
        let state = self.lock();
        let Placed { region, .. } = state.regions.get(&address)?;
        region.address_is_aligned().then(|| Words(region.clone()))
    }

    /// The region that contains an address.
    pub fn region(&self, address: u64) -> Option<RegionInfo> {
        let state = self.lock();
        let (_, Placed { kind, memory, region, bytes }) = state.regions.range(..=address).next_back()?;
        (address - region.base < region.len.max(1)).then(|| RegionInfo {
            address: region.base,
            bytes: *bytes,
            kind: *kind,
            memory: *memory,
            name: region.name.to_string(),
        })
    }

    /// Total size of allocations of device memory, variables and the heap.
    pub fn used_bytes(&self) -> u64 {
        self.lock().used
    }

    /// The region that contains all of these bytes.
    fn whole(&self, address: u64, bytes: u64, write: bool) -> Result<Region, MemoryError> {
        let Table { regions, freed, .. } = self.lock().table();
        let found = search(&regions, address).and_then(|index| regions.get(index));
        let refused = match found.map(|region| (region, region.permit(address, bytes, write))) {
            Some((region, Ok(()))) => return Ok(region.clone()),
            Some((region, Err(FaultKind::ReadOnly))) => {
                return Err(MemoryError::ReadOnly { address, name: region.name.to_string() });
            }
            Some((_, Err(kind))) => Some(kind),
            None => None,
        };
        // Default: that is the text if no object is near.
        let object = describe(&regions, &freed, NEAR, address).unwrap_or("there is no memory".to_owned());
        let is_past = || found.is_none() && freed.iter().any(|freed| freed.holds(address));
        let was_freed = refused == Some(FaultKind::Freed) || is_past();
        Err(if was_freed {
            MemoryError::Freed { address, bytes, object }
        } else {
            MemoryError::OutOfBounds { address, bytes, object }
        })
    }

    /// Checks that bytes can be read.
    ///
    /// # Errors
    /// If they are not all in one region.
    pub fn require(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        self.whole(address, bytes, false).map(drop)
    }

    /// Checks that bytes can be written.
    pub(super) fn require_writable(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        self.whole(address, bytes, true).map(drop)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// If they are not all in one region.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), MemoryError> {
        if !to.is_empty() {
            self.whole(address, to.len() as u64, false)?.read(address, to);
        }
        Ok(())
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// If they are not all in one region, or it is read-only.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), MemoryError> {
        if !from.is_empty() {
            self.whole(address, from.len() as u64, true)?.write(address, from);
        }
        Ok(())
    }

    /// Writes `count` consecutive copies of a pattern.
    ///
    /// # Errors
    /// See [`Memory::write`].
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        let Some(bytes) = (pattern.len() as u64).checked_mul(count).filter(|&bytes| bytes > 0) else {
            let object = "there is no memory of this size".to_owned();
            let is_nothing = pattern.is_empty() || count == 0;
            let error = MemoryError::OutOfBounds { address, bytes: u64::MAX, object };
            return if is_nothing { Ok(()) } else { Err(error) };
        };
        let region = self.whole(address, bytes, true)?;
        let repeats = (PIECE / pattern.len()).clamp(1, count as usize);
        let piece = pattern.repeat(repeats);
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(piece.len() as u64);
            region.write(address + done, &piece[..part as usize]);
            done += part;
        }
        Ok(())
    }

    /// Copies bytes within the memory; source and destination may overlap.
    ///
    /// # Errors
    /// See [`Memory::read`] and [`Memory::write`].
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), MemoryError> {
        if bytes == 0 {
            return Ok(());
        }
        let source = self.whole(from, bytes, false)?;
        let target = self.whole(to, bytes, true)?;
        let mut piece = vec![0; PIECE.min(bytes as usize)];
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(PIECE as u64);
            // Copies to higher addresses proceed from the end, so that nothing is overwritten before it is read.
            let at = if to > from { bytes - done - part } else { done };
            let piece = &mut piece[..part as usize];
            source.read(from + at, piece);
            target.write(to + at, piece);
            done += part;
        }
        Ok(())
    }

    /// The memory as seen by a launch that starts now.
    pub(crate) fn seen(&self, host: Option<Arc<dyn HostMemory>>) -> GlobalMemory {
        let Table { regions, guess, freed, multicasts } = self.lock().table();
        let beyond = host.map(|host| Arc::new(Beyond::new(host)));
        // Other launches and the host may access it at any time.
        GlobalMemory::new(regions, guess, Concurrency::Many, self.shared.wide.clone(), freed, beyond)
            .with_multicasts(multicasts)
    }
}

/// The words of a region, which launches may modify at any time.
#[derive(Clone, Debug)]
pub struct Words(Region);

impl std::ops::Deref for Words {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        self.0.words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaked(words: usize) -> &'static [AtomicU64] {
        (0..words).map(|_| AtomicU64::new(0)).collect::<Vec<_>>().leak()
    }

    #[test]
    fn freed_memory_is_told_until_its_address_is_used_again() {
        let memory = Memory::new();
        let (a, b) = (memory.allocate(100).unwrap(), memory.allocate(100).unwrap());
        memory.free(a).unwrap();
        assert!(matches!(memory.read(a + 96, &mut [0; 4]), Err(MemoryError::Freed { .. })));
        let error = memory.free(a).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{a:#x} is not the address of an allocation: it is offset 0 of allocation 1, which had 100 bytes and was freed"
            )
        );
        assert_eq!(memory.used_bytes(), 100);
        let error = memory.write(b + 98, &[0; 4]).unwrap_err();
        let text = format!(
            "4 bytes at {:#x} are out of bounds: offset 98 of allocation 2, which has 100 bytes",
            b + 98
        );
        assert_eq!(error.to_string(), text);
        assert!(memory.free(b + 8).is_err());
    }

    #[test]
    fn too_much_memory_is_an_error_and_more_is_there_once_some_is_freed() {
        let memory = Memory::with(MemoryOptions { capacity: Some(1 << 20), ..MemoryOptions::default() });
        let first = memory.allocate(3 << 18).unwrap();
        let error = memory.allocate((1 << 18) + 1).unwrap_err();
        let wanted = MemoryError::OutOfMemory { bytes: 262_145, used: 786_432, capacity: Some(1 << 20) };
        assert_eq!(error, wanted);
        assert_eq!(
            error.to_string(),
            "out of memory: 262145 bytes were requested, 786432 bytes are used of 1048576"
        );
        // Memory of the host is not part of it.
        memory.allocate_in(MemoryKind::Host, 1 << 21).unwrap();
        memory.allocate(1 << 18).unwrap();
        assert_eq!(memory.used_bytes(), 1 << 20);
        memory.free(first).unwrap();
        memory.allocate(3 << 18).unwrap();
        // What no machine has, and what has no size in memory.
        let memory = Memory::new();
        assert!(matches!(memory.allocate(1 << 40), Err(MemoryError::OutOfMemory { .. }) | Ok(_)));
        assert!(matches!(memory.allocate(u64::MAX), Err(MemoryError::TooLarge { .. })));
    }

    #[test]
    fn lenient_allocations_end_at_a_multiple_of_512_bytes() {
        let memory = Memory::with(MemoryOptions { bounds: Bounds::Lenient, ..MemoryOptions::default() });
        let at = memory.allocate(4).unwrap();
        memory.write(at + 508, &[1; 4]).unwrap();
        assert!(memory.write(at + 509, &[1; 4]).is_err());
        let info = memory.region(at + 511).unwrap();
        assert_eq!((info.address, info.bytes, info.memory), (at, 4, MemoryKind::Device));
        assert_eq!((memory.region(at + 512), memory.used_bytes()), (None, 512));
        let memory = Memory::new();
        let at = memory.allocate(4).unwrap();
        assert!(memory.write(at + 4, &[1]).is_err());
    }

    #[test]
    fn copies_may_overlap() {
        let memory = Memory::new();
        let len = 200_000u64;
        let at = memory.allocate(len + 10).unwrap();
        let bytes: Vec<u8> = (0..len).map(|n| (n * 7 % 251) as u8).collect();
        let mut back = vec![0; len as usize];
        for (to, from) in [(at + 5, at), (at, at + 5)] {
            memory.write(from, &bytes).unwrap();
            memory.copy(to, from, len).unwrap();
            memory.read(to, &mut back).unwrap();
            assert!(back == bytes);
        }
        memory.fill(at + 1, &[1, 2, 3], 4).unwrap();
        let mut filled = [0; 12];
        memory.read(at + 1, &mut filled).unwrap();
        assert_eq!(filled, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
        assert!(memory.fill(at, &[0; 8], u64::MAX / 2).is_err());
    }

    #[test]
    fn memory_of_the_host_is_registered_once_and_at_its_address() {
        let memory = Memory::new();
        let words = leaked(4);
        let address = words.as_ptr() as u64 + 4;
        let region = |bytes| HostRegion { words, address, bytes, is_writable: false };
        memory.register(region(20), "r").unwrap();
        let again = memory.register(region(1), "s").unwrap_err();
        assert!(matches!(again, MemoryError::Overlap { with, .. } if with == "r"));
        words[1].store(u64::MAX, std::sync::atomic::Ordering::Relaxed);
        let mut bytes = [0; 8];
        memory.read(address, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 0, 0, 0, 255, 255, 255, 255]);
        assert!(matches!(memory.write(address, &[0]), Err(MemoryError::ReadOnly { .. })));
        memory.unregister(address).unwrap();
        assert!(memory.read(address, &mut bytes).is_err());
        assert!(matches!(memory.register(region(29), "r"), Err(MemoryError::Unfit { .. })));
    }
}
