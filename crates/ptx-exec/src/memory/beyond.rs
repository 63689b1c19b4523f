//! Unregistered memory of the host process.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use super::FaultKind;
use super::region::Region;

/// Number of mappings that a launch caches.
const KEPT: usize = 64;

/// Memory of the host process that may be accessed at its host address.
#[derive(Clone, Copy, Debug)]
pub struct HostRegion {
    /// The words that contain it. The implementation of [`HostMemory`] guarantees that they stay accessible.
    pub words: &'static [AtomicU64],
    /// Address of the first byte, in the first of the words.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// Whether it may be written.
    pub is_writable: bool,
}

/// Looks up memory of the host process. It is queried for addresses in no registered region, before they are accessed.
pub trait HostMemory: fmt::Debug + Send + Sync {
    /// The accessible memory around an address; `None` if there is none.
    fn find(&self, address: u64) -> Option<HostRegion>;
}

/// The memory outside all registered regions that a launch has looked up.
#[derive(Debug)]
pub(crate) struct Beyond {
    host: Arc<dyn HostMemory>,
    found: [OnceLock<Region>; KEPT],
}

impl Beyond {
    pub(crate) fn new(host: Arc<dyn HostMemory>) -> Self {
        Self { host, found: [const { OnceLock::new() }; KEPT] }
    }

    /// The word of an access.
    pub(super) fn word(&self, address: u64, size: u32, write: bool) -> Result<&'static AtomicU64, FaultKind> {
        let known = self.found.iter().map_while(OnceLock::get);
        for region in known {
            if region.holds(address, size.into(), write) {
                return region.host_word(address).ok_or(FaultKind::OutOfBounds);
            }
        }
        let HostRegion { words, address: base, bytes, is_writable } =
            self.host.find(address).ok_or(FaultKind::OutOfBounds)?;
        let region = Region::of_host(words, (base, bytes), is_writable, "memory of the host process")
            .ok_or(FaultKind::OutOfBounds)?;
        if !region.holds(address, size.into(), write) {
            let is_readable = write && region.holds(address, size.into(), false);
            return Err(if is_readable { FaultKind::ReadOnly } else { FaultKind::OutOfBounds });
        }
        let word = region.host_word(address).ok_or(FaultKind::OutOfBounds);
        // If the cache is full, the mapping is looked up again next time.
        let _ = self.found.iter().try_fold(region, |region, place| match place.set(region) {
            Ok(()) => Err(()),
            Err(region) => Ok(region),
        });
        word
    }
}
