//! Names as LLVM's C API takes them.

use std::ffi::CString;

/// A name for LLVM's C API, cut at the first NUL byte (PTX names have none).
pub(super) fn c_name(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(text.get(..end).unwrap_or_default()).unwrap_or_default()
}
