//! The memory mappings of the process, as listed by the operating system.

use std::ffi::c_void;
use std::sync::{PoisonError, RwLock};

use ptx_device::{HostMemory, HostRegion};

use crate::pointer::region;

/// Looks up unregistered memory in the mappings of the process. Reading them takes as long as hundreds of short launches in a process with many
/// libraries. So they are kept, and read again for an address in none of them, or in one of which the first, the last or the accessed page is no longer mapped.
#[derive(Debug, Default)]
pub(crate) struct Mappings {
    /// In the order of their addresses.
    known: RwLock<Vec<Mapping>>,
}

/// Memory of the process that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mapping {
    start: u64,
    end: u64,
    is_writable: bool,
}

/// Parses a line of `/proc/self/maps`; `None` if it is not readable memory.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let (start, end) = (u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?);
    let rights = words.next()?.as_bytes();
    // Device mappings and kernel pages are not ordinary memory, whatever their permissions. Memory of no file has no path.
    let is_memory = words.nth(3).is_none_or(|path| {
        !matches!(path, "[vvar]" | "[vvar_vclock]" | "[vsyscall]")
            && (!path.starts_with("/dev/") || path.starts_with("/dev/shm/") || path == "/dev/zero")
    });
    let is_writable = rights.get(1) == Some(&b'w');
    (rights.first() == Some(&b'r') && is_memory).then_some(Mapping { start, end, is_writable })
}

/// The current mappings, in the order of their addresses.
fn read() -> Vec<Mapping> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let Ok(maps) = std::fs::read("/proc/self/maps") else { return Vec::new() };
    let mut found: Vec<Mapping> = String::from_utf8_lossy(&maps).lines().filter_map(mapping).collect();
    found.sort_unstable_by_key(|mapping| mapping.start);
    found
}

/// The mapping that contains an address.
fn search(mappings: &[Mapping], address: u64) -> Option<Mapping> {
    let index = mappings.partition_point(|mapping| mapping.start <= address).checked_sub(1)?;
    mappings.get(index).copied().filter(|mapping| address < mapping.end)
}

/// Whether the page of an address is mapped.
fn is_mapped(address: u64) -> bool {
    // SAFETY: a function of the C library without preconditions.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Some(page) = u64::try_from(size).ok().filter(|&page| page > 0) else { return false };
    let mut resident = 0;
    let start = std::ptr::with_exposed_provenance_mut::<c_void>((address - address % page) as usize);
    // SAFETY: it stores one byte, as the length is that of a page, and only asks about the memory there.
    unsafe { libc::mincore(start, 1, &raw mut resident) == 0 }
}

impl HostMemory for Mappings {
    fn find(&self, address: u64) -> Option<HostRegion> {
        let known = search(&self.known.read().unwrap_or_else(PoisonError::into_inner), address);
        let known = known.filter(|known| [known.start, address, known.end - 1].into_iter().all(is_mapped));
        let found = match known {
            Some(known) => known,
            None => {
                let mappings = read();
                let found = search(&mappings, address);
                *self.known.write().unwrap_or_else(PoisonError::into_inner) = mappings;
                found?
            }
        };
        // SAFETY: the operating system maps this memory with these permissions, or did when the mappings were read, and maps it still. That the
        // caller of `ptx_run` neither unmaps memory that a kernel accesses, nor passes addresses of memory it does not own, is in the contract of that function.
        unsafe { region(found.start, found.end - found.start, found.is_writable) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_memory_and_rights() {
        let read = |rest: &str| mapping(&format!("7f0010-7f0020 {rest}"));
        let at = |is_writable| Some(Mapping { start: 0x7f0010, end: 0x7f0020, is_writable });
        assert_eq!(read("rw-p 00000000 00:00 0"), at(true));
        assert_eq!(read("r--s 00000000 08:01 12 /dev/shm/a"), at(false));
        for not_memory in [
            "---p 00000000 00:00 0",
            "-w-p 00000000 00:00 0",
            "rw-s 00000000 00:05 9 /dev/gpu0",
            "r--p 00000000 00:00 0 [vvar]",
        ] {
            assert_eq!(read(not_memory), None, "{not_memory}");
        }
        assert_eq!(mapping(""), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_of_the_test_is_found_and_wild_addresses_are_not() {
        let memory: Box<[u8]> = Box::new([1; 64]);
        let address = memory.as_ptr().expose_provenance() as u64;
        let mappings = Mappings::default();
        let found = mappings.find(address).unwrap();
        assert!(found.is_writable && found.address <= address && address + 64 <= found.address + found.bytes);
        let code = mappings.find(mapping as fn(&str) -> Option<Mapping> as usize as u64).unwrap();
        assert!(!code.is_writable);
        for wild in [0, 8, 0x10_0000_0000_0000, u64::MAX - 7] {
            assert!(mappings.find(wild).is_none(), "{wild:#x}");
        }
    }

    /// Memory that is mapped and unmapped between launches.
    #[test]
    #[cfg(target_os = "linux")]
    fn mappings_that_change_are_read_again() {
        const BYTES: usize = 1 << 20;
        let map = || {
            // SAFETY: an anonymous mapping at an address that the system chooses.
            let at = unsafe {
                let rights = libc::PROT_READ | libc::PROT_WRITE;
                libc::mmap(
                    std::ptr::null_mut(),
                    BYTES,
                    rights,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0,
                )
            };
            assert_ne!(at, libc::MAP_FAILED);
            at
        };
        let mappings = Mappings::default();
        let first = map();
        let address = first.expose_provenance() as u64;
        assert!(mappings.find(address).is_some());
        // SAFETY: the mapping of this test.
        assert_eq!(unsafe { libc::munmap(first, BYTES) }, 0);
        assert!(mappings.find(address + 8).is_none());
        let second = map();
        assert!(mappings.find(second.expose_provenance() as u64 + 16).is_some());
        // SAFETY: the mapping of this test.
        assert_eq!(unsafe { libc::munmap(second, BYTES) }, 0);
    }
}
