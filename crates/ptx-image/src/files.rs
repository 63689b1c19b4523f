//! The files that images are read to.

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
    /// It is damaged, or its header does not fit its contents.
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

const INTERMEDIATE: &str =
    "the image is intermediate code of NVVM (LTO-IR); compile to PTX instead, without link-time optimization";

/// The file of a text, which ends before its first zero.
pub(crate) fn text(name: &str, text: &[u8]) -> Result<Files, ImageError> {
    // PTX has no zeros: one ends it, as in C.
    let text: Vec<u8> = text.iter().copied().take_while(|&byte| byte != 0).collect();
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(ImageError::Invalid("the image is empty".to_owned()));
    }
    Ok(Files::of_text(name, text))
}
