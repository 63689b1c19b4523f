//! Files that are linked when they are loaded, in one image: the result of linking and assembling, in place of machine code.
//!
//! The magic is followed by three numbers of 64 bits, little endian: the bytes that follow them, the number of files, and the most registers of a thread or zero.
//! Then come the name and the text of each file, each with its size in 64 bits before it.

use crate::files::{Files, ImageError};

/// The first bytes. They do not begin a text, nor an ELF file.
pub const MAGIC: &[u8; 8] = b"\x7fPTXFILE";

/// Bytes of the header, by which the [size] of an image is known.
pub const HEADER: usize = 32;

/// Bytes of the largest container that is read.
const LARGEST: u64 = 1 << 30;

/// Packs files.
pub fn pack(files: &Files) -> Vec<u8> {
    let mut packed = Vec::new();
    for (name, text) in &files.list {
        for part in [name.as_bytes(), text] {
            packed.extend((part.len() as u64).to_le_bytes());
            packed.extend_from_slice(part);
        }
    }
    let mut all = MAGIC.to_vec();
    all.extend((packed.len() as u64).to_le_bytes());
    all.extend((files.list.len() as u64).to_le_bytes());
    // Default: zero is no limit.
    all.extend(u64::from(files.registers.unwrap_or(0)).to_le_bytes());
    all.extend(packed);
    all
}

fn invalid(reason: &str) -> ImageError {
    ImageError::Invalid(format!("the linked files are invalid: {reason}"))
}

/// The bytes of a container with this header.
///
/// # Errors
/// [`ImageError::Invalid`] if it is larger than a container may be.
pub fn size(header: &[u8; HEADER]) -> Result<usize, ImageError> {
    let [_, bytes, ..] = numbers(header);
    if bytes > LARGEST {
        return Err(invalid("their size"));
    }
    Ok(HEADER + bytes as usize)
}

fn numbers(header: &[u8; HEADER]) -> [u64; 4] {
    let (chunks, _) = header.as_chunks::<8>();
    std::array::from_fn(|index| u64::from_le_bytes(chunks[index]))
}

/// Reads what [`pack`] makes. Bytes after it are ignored.
///
/// # Errors
/// [`ImageError::Invalid`] if it is damaged.
pub fn unpack(image: &[u8]) -> Result<Files, ImageError> {
    let header = image.first_chunk().ok_or_else(|| invalid("they end within the header"))?;
    let mut bytes = image.get(HEADER..size(header)?).ok_or_else(|| invalid("they are cut off"))?;
    let [_, _, count, registers] = numbers(header);
    let mut part = || {
        let (size, rest) = bytes.split_first_chunk::<8>()?;
        let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
        let (part, rest) = rest.split_at_checked(size)?;
        bytes = rest;
        Some(part.to_vec())
    };
    let mut file = || Some((String::from_utf8(part()?).ok()?, part()?));
    let list: Option<Vec<_>> = (0..count).map(|_| file()).collect();
    let registers = u32::try_from(registers).map_err(|_| invalid("the number of registers"))?;
    let list = list.ok_or_else(|| invalid("they end early"))?;
    Ok(Files { list, registers: Some(registers).filter(|&registers| registers > 0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Files {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        Files { list: vec![file("a.ptx", ".version 8.0"), file("", "")], registers: Some(40) }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for files in [two(), Files::default(), Files { registers: None, ..two() }] {
            let packed = pack(&files);
            assert_eq!(size(packed.first_chunk().unwrap()).unwrap(), packed.len());
            assert_eq!(unpack(&packed).unwrap(), files);
        }
    }

    #[test]
    fn damaged_containers_are_errors() {
        let good = pack(&two());
        for length in 0..good.len() {
            assert!(unpack(&good[..length]).is_err(), "{length}");
        }
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(8..bad.len());
                bad[at] = random.u8(..);
            }
            // It must return, and without more memory than the image has.
            let _ = unpack(&bad);
        }
    }
}
