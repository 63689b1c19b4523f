//! The arguments of functions: pointers that are checked for null.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use ptx_cabi::ArgumentError;

use crate::link::{Failure, NvJitLinkResult};

/// The address of a result.
pub type Out<T> = ptx_cabi::Out<T, Failure>;
/// The address of an argument, or of a list of them.
pub type In<T> = ptx_cabi::In<T, Failure>;
/// A text that ends with a zero.
pub type Text = ptx_cabi::Text<Failure>;

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        let result = match error {
            ArgumentError::Null(_) => NvJitLinkResult::NULL_INPUT,
            ArgumentError::TooLong | ArgumentError::NotUtf8 => NvJitLinkResult::INVALID_INPUT,
        };
        Self::new(result, error.to_string())
    }
}

impl ptx_cabi::Failure for Failure {
    fn internal() -> Self {
        Self::new(NvJitLinkResult::INTERNAL, "internal error")
    }

    fn line(&self) -> Option<String> {
        Some(self.text.clone())
    }
}

/// Bytes of the caller, copied.
pub fn bytes(from: In<u8>, size: usize) -> Result<Vec<u8>, Failure> {
    if from.is_null() {
        return Err(ArgumentError::Null("the data").into());
    }
    from.list(size)
}

/// A text as a path.
pub fn path(text: Text) -> Result<PathBuf, Failure> {
    Ok(PathBuf::from(OsString::from_vec(text.bytes()?.to_vec())))
}

/// Texts of the caller, copied. What is not UTF-8 is replaced.
pub fn texts(list: In<Text>, count: u32) -> Result<Vec<String>, Failure> {
    let text = |text: Text| text.get().map(|text| text.to_string_lossy().into_owned());
    list.list(count as usize)?.into_iter().map(text).collect()
}
