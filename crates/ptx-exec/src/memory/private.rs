//! Memory that one host thread owns while it uses it: shared, local, constant and parameter bytes.

use super::{Fault, FaultKind, Space};

fn range(len: usize, space: Space, address: u64, size: u32) -> Result<std::ops::Range<usize>, Fault> {
    let fault = |kind| Fault { kind, space, address, size };
    if !address.is_multiple_of(u64::from(size)) {
        return Err(fault(FaultKind::Misaligned));
    }
    match address.checked_add(u64::from(size)) {
        Some(end) if end <= len as u64 => Ok(address as usize..end as usize),
        _ => Err(fault(FaultKind::OutOfBounds)),
    }
}

/// Reads 1, 2, 4 or 8 bytes, little-endian.
#[inline]
pub(crate) fn read_bytes(bytes: &[u8], space: Space, address: u64, size: u32) -> Result<u64, Fault> {
    let bytes = &bytes[range(bytes.len(), space, address, size)?];
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    Ok(u64::from_le_bytes(word))
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
    let range = range(bytes.len(), space, address, size)?;
    let size = range.len();
    bytes[range].copy_from_slice(&value.to_le_bytes()[..size]);
    Ok(())
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
}
