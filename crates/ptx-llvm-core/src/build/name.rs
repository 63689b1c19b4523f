//! Names as LLVM's C API takes them.

use std::ffi::CString;

/// A name for LLVM's C API, cut at the first NUL byte (PTX names have none).
pub(crate) fn c_name(text: &str) -> CString {
    let until_nul: Vec<u8> = text.bytes().take_while(|byte| *byte != 0).collect();
    match CString::new(until_nul) {
        Ok(name) => name,
        Err(error) => {
            debug_assert!(false, "a text without NUL bytes is a C string: {error}");
            CString::default()
        }
    }
}
