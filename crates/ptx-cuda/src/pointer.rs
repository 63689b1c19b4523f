//! Pointers that functions are given, and memory of the host at addresses that operations are given.

use std::ffi::c_void;

use crate::error::{Answer, Failure};

/// The address of a result.
pub type Out<T> = ptx_cabi::Out<T, Failure>;
/// The address of an argument, or of a list of them.
pub type In<T> = ptx_cabi::In<T, Failure>;
/// A text that ends with a zero.
pub type Text = ptx_cabi::Text<Failure>;

/// The address of memory whose type is said by other arguments.
pub type Untyped = Out<c_void>;

/// Writes a text and a zero to a buffer, cut if it is too long.
pub fn write_text(to: Out<u8>, size: usize, text: &[u8]) -> Answer<usize> {
    if size == 0 {
        return Ok(0);
    }
    let kept = &text[..text.len().min(size - 1)];
    to.set_all(kept.iter().copied().chain([0]))?;
    Ok(kept.len() + 1)
}

/// Bytes of the host at an address, for the time of an operation that was given it.
pub fn host_bytes<'call>(address: u64, count: usize) -> &'call [u8] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller of the driver guarantees that it may be read, as with the real driver, which reads it as well.
    unsafe { std::slice::from_raw_parts(address as *const u8, count) }
}

/// Bytes of the host at an address that an operation writes.
pub fn host_bytes_mut<'call>(address: u64, count: usize) -> &'call mut [u8] {
    if count == 0 {
        return &mut [];
    }
    // SAFETY: see `host_bytes`; the caller writes them nowhere else meanwhile.
    unsafe { std::slice::from_raw_parts_mut(address as *mut u8, count) }
}

/// Copies bytes of the host.
pub fn copy_host(to: u64, from: u64, count: usize) {
    // SAFETY: see `host_bytes`; the ranges may overlap.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, count) };
}
