//! Memory owned by a single host thread while in use: shared, local, constant and parameter memory.

use ptx_program::memory::Space;

use super::{Fault, FaultKind};

/// The fault of a failed access.
#[cold]
fn fault(space: Space, address: u64, size: u32) -> Fault {
    let is_aligned = address.is_multiple_of(u64::from(size));
    let kind = if is_aligned { FaultKind::OutOfBounds } else { FaultKind::Misaligned };
    Fault { kind, space, address, size }
}

/// The offset of an access, if it is aligned to its size, which is a power of two.
#[inline]
fn place(address: u64, size: u32) -> Option<usize> {
    if address & (u64::from(size) - 1) == 0 { usize::try_from(address).ok() } else { None }
}

#[inline]
fn part<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[inline]
fn put<const N: usize>(bytes: &mut [u8], at: usize, value: [u8; N]) -> Option<()> {
    *bytes.get_mut(at..)?.first_chunk_mut()? = value;
    Some(())
}

/// Checks an access to 1, 2, 4 or 8 bytes in memory of `bytes` bytes.
pub(crate) fn check_bytes(bytes: u64, space: Space, address: u64, size: u32) -> Result<(), Fault> {
    let is_inside = address.checked_add(size.into()).is_some_and(|end| end <= bytes);
    if is_inside && place(address, size).is_some() { Ok(()) } else { Err(fault(space, address, size)) }
}

/// Reads 1, 2, 4 or 8 bytes, little-endian.
#[inline]
pub(crate) fn read_bytes(bytes: &[u8], space: Space, address: u64, size: u32) -> Result<u64, Fault> {
    let found = place(address, size).and_then(|at| match size {
        1 => part(bytes, at).map(u8::from_le_bytes).map(u64::from),
        2 => part(bytes, at).map(u16::from_le_bytes).map(u64::from),
        4 => part(bytes, at).map(u32::from_le_bytes).map(u64::from),
        _ => part(bytes, at).map(u64::from_le_bytes),
    });
    found.ok_or_else(|| fault(space, address, size))
}

/// Writes 1, 2, 4 or 8 bytes, little-endian.
#[inline]
pub(crate) fn write_bytes(
    bytes: &mut [u8],
    space: Space,
    address: u64,
    size: u32,
    value: u64,
) -> Result<(), Fault> {
    let written = place(address, size).and_then(|at| match size {
        1 => put(bytes, at, (value as u8).to_le_bytes()),
        2 => put(bytes, at, (value as u16).to_le_bytes()),
        4 => put(bytes, at, (value as u32).to_le_bytes()),
        _ => put(bytes, at, value.to_le_bytes()),
    });
    written.ok_or_else(|| fault(space, address, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_checked() {
        let mut bytes = [0; 16];
        write_bytes(&mut bytes, Space::Shared, 4, 4, 0x1122_3344_5566_7788).unwrap();
        assert_eq!(bytes[..9], [0, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0]);
        assert_eq!(read_bytes(&bytes, Space::Shared, 6, 2), Ok(0x5566));
        let kind = |address, size| read_bytes(&bytes, Space::Local, address, size).unwrap_err().kind;
        assert_eq!(kind(2, 4), FaultKind::Misaligned);
        assert_eq!(kind(16, 1), FaultKind::OutOfBounds);
        assert_eq!(kind(u64::MAX - 7, 8), FaultKind::OutOfBounds);
    }

    #[test]
    fn a_check_tells_what_the_access_does() {
        let bytes = [0; 13];
        for address in (0..16).chain([u64::MAX - 7, u64::MAX]) {
            for size in [1, 2, 4, 8] {
                let read = read_bytes(&bytes, Space::Shared, address, size).map(drop);
                assert_eq!(check_bytes(13, Space::Shared, address, size), read, "{address} {size}");
            }
        }
    }
}
