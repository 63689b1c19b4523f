//! Images of device code that carry PTX: what CUDA's drivers load, linkers link and assemblers write.
//!
//! An image is a text in PTX, a [fat binary](fatbin) with PTX in it, a [cubin] that keeps its PTX, or a [container] of files that were checked and are linked when they are
//! loaded. The latter is this project's own format; it takes the place of machine code: the driver's linker, `nvJitLink` and the
//! stand-in for `ptxas` all write it. Images of machine code are recognized, so that errors say what they are.

pub mod container;
pub mod cubin;
pub mod fatbin;
mod files;

use files::text;
pub use files::{Files, ImageError};

const ARCHIVE: &str = "the image is a library of object files, which are machine code";

/// The kind of an image, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An ELF file: a cubin, or an object file of the host.
    Elf,
    /// A library of object files (`ar`).
    Archive,
    /// Intermediate code of NVVM: LTO-IR, or LLVM's bitcode.
    IntermediateCode,
    /// The structure that refers to a fat binary in memory.
    Wrapper,
    /// A fat binary.
    FatBinary,
    /// Linked files.
    Container,
    /// None of these: a text.
    Text,
}

impl Kind {
    /// The number of first bytes that determine the kind.
    pub const PREFIX: usize = 8;

    /// The kind of an image that begins with these bytes, at least [`Kind::PREFIX`] of them unless it is shorter.
    pub fn of(image: &[u8]) -> Self {
        const MAGICS: &[(&[u8], Kind)] = &[
            (b"\x7fELF", Kind::Elf),
            (b"!<arch>\n", Kind::Archive),
            (b"\xed\x43\x4e\x7f", Kind::IntermediateCode),
            (b"BC\xc0\xde", Kind::IntermediateCode),
            (&fatbin::WRAPPER_MAGIC.to_le_bytes(), Kind::Wrapper),
            (&fatbin::MAGIC.to_le_bytes(), Kind::FatBinary),
            (container::MAGIC, Kind::Container),
        ];
        let found = MAGICS.iter().find(|(magic, _)| image.starts_with(magic));
        found.map_or(Kind::Text, |&(_, kind)| kind)
    }
}

/// Reads an image: of a fat binary, the PTX for the latest architecture up to `newest` (80 for `sm_80`), or else the PTX that a cubin in it keeps. A text ends before its first zero.
///
/// # Errors
/// See [`ImageError`].
///
/// ```
/// let files = ptx_image::read(b".version 8.0\0", 80)?;
/// assert_eq!(files.list[0].1, b".version 8.0");
/// let packed = ptx_image::container::pack(&files);
/// assert_eq!(ptx_image::read(&packed, 80)?, files);
/// assert!(ptx_image::read(b"\x7fELF\x02\x01\x01\0", 80).is_err());
/// # Ok::<(), ptx_image::ImageError>(())
/// ```
pub fn read(image: &[u8], newest: u32) -> Result<Files, ImageError> {
    match Kind::of(image) {
        Kind::Elf => cubin::ptx(image),
        Kind::Archive => Err(ImageError::MachineCode(ARCHIVE)),
        Kind::IntermediateCode => Err(ImageError::IntermediateCode),
        Kind::Wrapper => Err(ImageError::Invalid(
            "the image refers to a fat binary in the memory of its process".to_owned(),
        )),
        Kind::FatBinary => fatbin::ptx(image, newest),
        Kind::Container => container::unpack(image),
        Kind::Text => text("module.ptx", image),
    }
}
