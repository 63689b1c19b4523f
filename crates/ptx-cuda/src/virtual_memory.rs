//! Virtual memory: reserved addresses, allocations without addresses, and mappings between them.

use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::driver::Gpu;
use crate::error::{Answer, Failure};
use crate::handle::objects;
use crate::types::AllocationProperties;

objects! { Physical, 12, INVALID_VALUE; }

/// An allocation without an address. A mapping keeps it.
#[derive(Debug)]
pub struct Physical {
    pub file: OwnedFd,
    pub bytes: usize,
    pub properties: AllocationProperties,
    pub gpu: &'static Gpu,
}

#[derive(Debug)]
pub struct Mapping {
    pub bytes: usize,
    pub physical: Arc<Physical>,
    /// `CUmemAccess_flags`: 0, 1 to read, 3 to read and write.
    pub access: c_uint,
}

#[derive(Debug, Default)]
pub struct Space {
    /// Reserved ranges: their addresses and sizes.
    pub reserved: BTreeMap<u64, usize>,
    pub mapped: BTreeMap<u64, Mapping>,
}

impl Space {
    pub fn reservation(&self, address: u64, bytes: usize) -> Answer<(u64, usize)> {
        let found = self.reserved.range(..=address).next_back().map(|(&start, &size)| (start, size));
        let end = address.checked_add(bytes as u64);
        let found = found.filter(|&(start, size)| end.is_some_and(|end| end <= start + size as u64));
        found.ok_or_else(|| Failure::value(format!("{bytes} bytes at {address:#x} are not reserved")))
    }

    /// The mappings that make up a range.
    pub fn mappings(&self, address: u64, bytes: usize) -> Answer<Vec<u64>> {
        let wrong = || Failure::value(format!("{bytes} bytes at {address:#x} are no whole mappings"));
        let end = address.checked_add(bytes as u64).ok_or_else(wrong)?;
        let (mut at, mut found) = (address, Vec::new());
        while at < end {
            found.push(at);
            at += self.mapped.get(&at).ok_or_else(wrong)?.bytes as u64;
        }
        if at == end && !found.is_empty() { Ok(found) } else { Err(wrong()) }
    }
}
