//! Images of device code that carry PTX: what CUDA's drivers load, linkers link and assemblers write.
//!
//! An image is a text in PTX, a [fat binary](fatbin) with PTX in it, a [cubin] that keeps its PTX, or a [container] of files that were checked and are linked when they are
//! loaded. The latter is this project's own format; it takes the place of machine code: the driver's linker, `nvJitLink` and the
//! stand-in for `ptxas` all write it. Images of machine code are recognized, so that errors say what they are.

pub mod container;
pub mod cubin;
pub mod fatbin;

use thiserror::Error;

/// The files of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Files {
    /// Names and texts.
    pub list: Vec<(String, Vec<u8>)>,
    /// The most registers of a thread, if they were limited.
    pub registers: Option<u32>,
}

impl Files {
    /// One file.
    pub fn of_text(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self { list: vec![(name.into(), text.into())], registers: None }
    }
}

/// Why an image is not read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImageError {
    /// It is damaged, or not what it says that it is.
    #[error("{0}")]
    Invalid(String),
    /// It is machine code: a cubin, or an object file or library of the host.
    #[error("{0}")]
    MachineCode(&'static str),
    /// It is intermediate code of NVVM.
    #[error("{INTERMEDIATE}")]
    IntermediateCode,
    /// It has no PTX, or none that the device can execute.
    #[error("{0}")]
    NoPtx(String),
}

const ARCHIVE: &str = "the image is a library of object files, which are machine code";

const INTERMEDIATE: &str =
    "the image is intermediate code of NVVM (LTO-IR); compile to PTX instead, without link-time optimization";

/// What an image is, by its first bytes.
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
    /// Bytes that suffice to tell.
    pub const PREFIX: usize = 8;

    /// What an image is that begins with these bytes, at least [`Kind::PREFIX`] of them unless it is shorter.
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

pub(crate) fn text(name: &str, text: &[u8]) -> Result<Files, ImageError> {
    // PTX has no zeros: one ends it, as in C.
    let text: Vec<u8> = text.iter().copied().take_while(|&byte| byte != 0).collect();
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(ImageError::Invalid("the image is empty".to_owned()));
    }
    Ok(Files::of_text(name, text))
}
