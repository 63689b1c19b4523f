//! Fat binaries: PTX among the images that `nvcc` and `fatbinary` put together.
//!
//! A header of 16 bytes (magic, version, its size, bytes that follow) is followed by entries, each a header of 64 bytes or more (kind, version,
//! its size, bytes of the image, bytes when compressed, architecture, flags, bytes when not compressed) and the image.

use std::io::Read;

use crate::ImageError;

/// The first word of a fat binary.
pub const MAGIC: u32 = 0xba55_ed50;
/// The first word of the structure that refers to one: this, the version, the address of the fat binary.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// Bytes of the header, by which the [size] of a fat binary is known.
pub const HEADER: usize = 16;
const ENTRY: usize = 64;
const PTX: u16 = 1;
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
/// Bytes of the largest image that is unpacked.
const LARGEST: u64 = 1 << 30;

fn word<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], ImageError> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    found.copied().ok_or_else(|| invalid("it ends within a header"))
}

fn invalid(reason: &str) -> ImageError {
    ImageError::Invalid(format!("the fat binary is invalid: {reason}"))
}

/// The bytes of a fat binary with this header.
///
/// # Errors
/// [`ImageError::Invalid`] if it is larger than a fat binary may be.
pub fn size(header: &[u8; HEADER]) -> Result<usize, ImageError> {
    let head = u16::from_le_bytes(word(header, 6)?);
    let rest = u64::from_le_bytes(word(header, 8)?);
    let size = u64::from(head).checked_add(rest).filter(|&size| size <= LARGEST);
    size.map(|size| size as usize).ok_or_else(|| invalid("its size"))
}

fn unpack(image: &[u8], flags: u64, bytes: u64) -> Result<Vec<u8>, ImageError> {
    if bytes > LARGEST {
        return Err(invalid("the size of an image"));
    }
    let unpacked = if flags & LZ4 != 0 {
        lz4_flex::block::decompress(image, bytes as usize).map_err(|error| invalid(&error.to_string()))?
    } else {
        let mut unpacked = Vec::new();
        let decoder =
            ruzstd::decoding::StreamingDecoder::new(image).map_err(|error| invalid(&error.to_string()))?;
        decoder.take(bytes).read_to_end(&mut unpacked).map_err(|error| invalid(&error.to_string()))?;
        unpacked
    };
    if unpacked.len() as u64 == bytes { Ok(unpacked) } else { Err(invalid("the size of an unpacked image")) }
}

/// The PTX for the latest architecture that is not later than `newest` (80 for `sm_80`).
///
/// # Errors
/// [`ImageError::NoPtx`] if there is none, [`ImageError::Invalid`] if the fat binary is damaged.
pub fn ptx(bytes: &[u8], newest: u32) -> Result<Vec<u8>, ImageError> {
    let mut at: usize = u16::from_le_bytes(word(bytes, 6)?).into();
    let end = bytes.len();
    let mut best: Option<(u32, &[u8], u64, u64)> = None;
    let (mut has_other, mut too_new) = (false, None);
    while at + ENTRY <= end {
        let kind = u16::from_le_bytes(word(bytes, at)?);
        let head = u32::from_le_bytes(word(bytes, at + 4)?) as usize;
        let size = u64::from_le_bytes(word(bytes, at + 8)?);
        let packed = u32::from_le_bytes(word(bytes, at + 16)?);
        let sm = u32::from_le_bytes(word(bytes, at + 28)?);
        let flags = u64::from_le_bytes(word(bytes, at + 40)?);
        let unpacked = u64::from_le_bytes(word(bytes, at + 56)?);
        let start =
            at.checked_add(head).filter(|_| head >= ENTRY).ok_or_else(|| invalid("the size of a header"))?;
        let next =
            usize::try_from(size).ok().and_then(|size| start.checked_add(size)).filter(|&next| next <= end);
        let next = next.ok_or_else(|| invalid("the size of an image"))?;
        let image = &bytes[start..next];
        if kind != PTX {
            has_other = true;
        } else if sm > newest {
            too_new = Some(sm);
        } else if best.is_none_or(|(best, ..)| sm > best) {
            let image = if packed == 0 {
                image
            } else {
                image.get(..packed as usize).ok_or_else(|| invalid("the size of an image"))?
            };
            best = Some((sm, image, flags, unpacked));
        }
        at = next;
    }
    let Some((_, image, flags, unpacked)) = best else {
        let reason = match too_new {
            Some(sm) => format!("its PTX is for sm_{sm}, and the device is sm_{newest}: set PTX_CUDA_ARCH"),
            None if has_other => {
                "it has machine code and no PTX: compile with `-gencode arch=compute_XX,code=compute_XX`"
                    .to_owned()
            }
            None => "it has no images".to_owned(),
        };
        return Err(ImageError::NoPtx(format!("the fat binary cannot be loaded: {reason}")));
    };
    if flags & (LZ4 | ZSTD) == 0 {
        return Ok(image.to_vec());
    }
    unpack(image, flags, unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: u16, sm: u32, flags: u64, image: &[u8], unpacked: usize) -> Vec<u8> {
        let mut entry = vec![0; ENTRY];
        entry[..2].copy_from_slice(&kind.to_le_bytes());
        entry[4..8].copy_from_slice(&(ENTRY as u32).to_le_bytes());
        entry[8..16].copy_from_slice(&(image.len() as u64).to_le_bytes());
        if flags != 0 {
            entry[16..20].copy_from_slice(&(image.len() as u32).to_le_bytes());
        }
        entry[28..32].copy_from_slice(&sm.to_le_bytes());
        entry[40..48].copy_from_slice(&flags.to_le_bytes());
        entry[56..64].copy_from_slice(&(unpacked as u64).to_le_bytes());
        entry.extend_from_slice(image);
        entry
    }

    fn fat(entries: &[Vec<u8>]) -> Vec<u8> {
        let entries = entries.concat();
        let mut all = MAGIC.to_le_bytes().to_vec();
        all.extend([1, 0, 16, 0]);
        all.extend((entries.len() as u64).to_le_bytes());
        all.extend(entries);
        all
    }

    #[test]
    fn the_latest_ptx_that_the_device_runs() {
        let packed = lz4_flex::block::compress(b"ptx of sm_80 ptx of sm_80");
        let fat = fat(&[
            entry(1, 75, 0, b"ptx of sm_75", 0),
            entry(2, 80, 0, b"\x7fELF", 0),
            entry(1, 80, LZ4, &packed, 25),
            entry(1, 90, 0, b"ptx of sm_90", 0),
        ]);
        assert_eq!(ptx(&fat, 75).unwrap(), b"ptx of sm_75");
        assert_eq!(ptx(&fat, 86).unwrap(), b"ptx of sm_80 ptx of sm_80");
        assert_eq!(ptx(&fat, 120).unwrap(), b"ptx of sm_90");
        assert!(matches!(ptx(&fat, 70), Err(ImageError::NoPtx(_))));
        let header: [u8; 16] = fat[..16].try_into().unwrap();
        assert_eq!(size(&header).unwrap(), fat.len());
    }

    #[test]
    fn invalid_binaries_are_errors() {
        let good = fat(&[entry(1, 80, ZSTD, b"not zstd", 8), entry(1, 75, LZ4, b"not LZ4", 8)]);
        assert!(matches!(ptx(&good, 80), Err(ImageError::Invalid(_))));
        assert!(matches!(ptx(&good, 75), Err(ImageError::Invalid(_))));
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(6..bad.len());
                bad[at] = random.u8(..);
            }
            bad.truncate(random.usize(16..=bad.len()));
            // It must return.
            let _ = ptx(&bad, random.u32(70..130));
        }
    }
}
