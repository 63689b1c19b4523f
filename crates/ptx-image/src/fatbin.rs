//! Fat binaries: PTX among the images that `nvcc` and `fatbinary` put together.
//!
//! A header of 16 bytes (magic, version, its size, bytes that follow) is followed by entries, each a header of 64 bytes or more (kind, version,
//! its size, bytes of the image, bytes when compressed, architecture, flags, bytes when not compressed) and the image.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::Read;

use crate::cubin;
use crate::files::{Files, ImageError, text};

/// The first word of a fat binary.
pub const MAGIC: u32 = 0xba55_ed50;
/// The first word of the structure that refers to one: this, the version, the address of the fat binary.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// Bytes of the header, by which the [size] of a fat binary is known.
pub const HEADER: usize = 16;
const ENTRY: usize = 64;
const PTX: u16 = 1;
const CUBIN: u16 = 2;
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

/// An entry of a fat binary.
struct Entry<'b> {
    kind: u16,
    architecture: u32,
    flags: u64,
    image: &'b [u8],
    unpacked_bytes: u64,
}

impl Entry<'_> {
    /// The image as it was before it was compressed.
    fn image(&self) -> Result<Cow<'_, [u8]>, ImageError> {
        if self.flags & (LZ4 | ZSTD) == 0 {
            return Ok(self.image.into());
        }
        unpack(self.image, self.flags, self.unpacked_bytes).map(Cow::Owned)
    }
}

fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, ImageError> {
    let mut at: usize = u16::from_le_bytes(word(bytes, 6)?).into();
    let end = bytes.len();
    let mut entries = Vec::new();
    while at + ENTRY <= end {
        let head = u32::from_le_bytes(word(bytes, at + 4)?) as usize;
        let size = u64::from_le_bytes(word(bytes, at + 8)?);
        let packed = u32::from_le_bytes(word(bytes, at + 16)?) as usize;
        let start =
            at.checked_add(head).filter(|_| head >= ENTRY).ok_or_else(|| invalid("the size of a header"))?;
        let next =
            usize::try_from(size).ok().and_then(|size| start.checked_add(size)).filter(|&next| next <= end);
        let next = next.ok_or_else(|| invalid("the size of an image"))?;
        let image = &bytes[start..next];
        let image = if packed == 0 { Some(image) } else { image.get(..packed) };
        entries.push(Entry {
            kind: u16::from_le_bytes(word(bytes, at)?),
            architecture: u32::from_le_bytes(word(bytes, at + 28)?),
            flags: u64::from_le_bytes(word(bytes, at + 40)?),
            image: image.ok_or_else(|| invalid("the size of an image"))?,
            unpacked_bytes: u64::from_le_bytes(word(bytes, at + 56)?),
        });
        at = next;
    }
    // The first of several for one architecture stays first.
    entries.sort_by_key(|entry| Reverse(entry.architecture));
    Ok(entries)
}

/// The PTX for the latest architecture that is not later than `newest` (80 for `sm_80`), or else the PTX that is kept in machine code for the latest one.
///
/// # Errors
/// [`ImageError::NoPtx`] if there is none, [`ImageError::Invalid`] if the fat binary is damaged.
pub fn ptx(bytes: &[u8], newest: u32) -> Result<Files, ImageError> {
    let entries = entries(bytes)?;
    let of = |kind| entries.iter().filter(move |entry| entry.kind == kind);
    if let Some(entry) = of(PTX).find(|entry| entry.architecture <= newest) {
        return text("fatbin.ptx", &entry.image()?);
    }
    for entry in of(CUBIN).filter(|entry| entry.architecture <= newest) {
        match cubin::ptx(&entry.image()?) {
            Err(ImageError::MachineCode(_)) => {}
            found => return found,
        }
    }
    let reason = match (of(PTX).next_back(), entries.is_empty()) {
        (Some(entry), _) => {
            let sm = entry.architecture;
            format!("its PTX is for sm_{sm}, and the device is sm_{newest}: set PTX_CUDA_ARCH")
        }
        (None, false) => {
            "it has machine code and no PTX: compile with `-gencode arch=compute_XX,code=compute_XX`, or with `-lineinfo`"
                .to_owned()
        }
        (None, true) => "it has no images".to_owned(),
    };
    Err(ImageError::NoPtx(format!("the fat binary cannot be loaded: {reason}")))
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
        let text = |newest| ptx(&fat, newest).unwrap().list.remove(0).1;
        assert_eq!(text(75), b"ptx of sm_75");
        assert_eq!(text(86), b"ptx of sm_80 ptx of sm_80");
        assert_eq!(text(120), b"ptx of sm_90");
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
