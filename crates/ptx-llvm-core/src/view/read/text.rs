//! Copies of LLVM's texts: its strings, what it prints for values, and their names.

use std::ffi::{CStr, c_char};

use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// A copy of LLVM's NUL-terminated string; empty for null.
///
/// # Safety
///
/// `text` is null or NUL-terminated and alive.
pub(super) unsafe fn cstr(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A copy of `len` bytes of LLVM's; empty for null.
///
/// # Safety
///
/// `text` is null or points to `len` readable bytes.
pub(super) unsafe fn bytes(text: *const c_char, len: usize) -> String {
    if text.is_null() || len == 0 {
        return String::new();
    }
    // SAFETY: by this function's contract.
    let slice = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(slice).into_owned()
}

/// What LLVM prints for a value.
pub(super) fn print_value(value: LLVMValueRef) -> String {
    // SAFETY: callers pass live values; the text is ours to dispose.
    unsafe {
        let text = LLVMPrintValueToString(value);
        let copy = cstr(text);
        LLVMDisposeMessage(text);
        copy
    }
}

/// The name of a value or a symbol; empty when it has none.
pub(super) fn value_name(value: LLVMValueRef) -> String {
    let mut len = 0;
    // SAFETY: callers pass live values; the name is copied at once.
    unsafe { bytes(LLVMGetValueName2(value, &raw mut len), len) }
}
