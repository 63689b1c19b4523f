//! The memory mappings of the process, as listed by the operating system.

use ptx_device::{HostMemory, HostRegion};

use crate::pointer::region;

/// Looks up unregistered memory in the mappings of the process.
#[derive(Debug)]
pub(crate) struct Mappings;

/// Parses a line of `/proc/self/maps`: the address range, and whether it is writable; `None` if it is not readable memory.
fn mapping(line: &str) -> Option<(u64, u64, bool)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let (start, end) = (u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?);
    let rights = words.next()?.as_bytes();
    // Device mappings and kernel pages are not ordinary memory, whatever their permissions. Memory of no file has no path.
    let is_memory = words.nth(3).is_none_or(|path| {
        !matches!(path, "[vvar]" | "[vvar_vclock]" | "[vsyscall]")
            && (!path.starts_with("/dev/") || path.starts_with("/dev/shm/") || path == "/dev/zero")
    });
    (rights.first() == Some(&b'r') && is_memory).then(|| (start, end, rights.get(1) == Some(&b'w')))
}

impl HostMemory for Mappings {
    fn find(&self, address: u64) -> Option<HostRegion> {
        let maps =
            if cfg!(target_os = "linux") { std::fs::read("/proc/self/maps").ok()? } else { Vec::new() };
        let maps = String::from_utf8_lossy(&maps);
        let mut found = maps.lines().filter_map(mapping);
        let (start, end, is_writable) = found.find(|(start, end, _)| (*start..*end).contains(&address))?;
        // SAFETY: the operating system currently maps this memory with these permissions. That the caller of `ptx_run`
        // neither unmaps memory that a kernel accesses, nor passes addresses of memory it does not own, is in the
        // contract of that function.
        unsafe { region(start, end - start, is_writable) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_memory_and_rights() {
        let read = |rest: &str| mapping(&format!("7f0010-7f0020 {rest}"));
        assert_eq!(read("rw-p 00000000 00:00 0"), Some((0x7f0010, 0x7f0020, true)));
        assert_eq!(read("r--s 00000000 08:01 12 /dev/shm/a"), Some((0x7f0010, 0x7f0020, false)));
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
        let found = Mappings.find(address).unwrap();
        assert!(found.is_writable && found.address <= address && address + 64 <= found.address + found.bytes);
        let code = Mappings.find(mapping as fn(&str) -> Option<(u64, u64, bool)> as usize as u64).unwrap();
        assert!(!code.is_writable);
        for wild in [0, 8, 0x10_0000_0000_0000, u64::MAX - 7] {
            assert!(Mappings.find(wild).is_none(), "{wild:#x}");
        }
    }
}
