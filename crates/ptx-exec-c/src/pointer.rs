//! Conversion of C pointers to references, with null pointers refused.

use std::ffi::{CStr, c_char};
use std::sync::atomic::AtomicU64;

use ptx_device::HostRegion;

use crate::status::Failure;

/// Dereferences a pointer.
///
/// # Safety
/// It is null or points to a `T` that is not modified until the caller's function returns.
pub(crate) unsafe fn given<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: by the contract of this function.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::value(format!("{what} is a null pointer")))
}

/// A number, or zero where there is none, as the header documents each.
pub(crate) fn or_zero<T: Default>(number: Option<T>) -> T {
    // Default: as documented.
    number.unwrap_or_default()
}

/// Stores a result.
///
/// # Safety
/// The pointer is null or points to room for a `T`.
pub(crate) unsafe fn store<T>(to: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if to.is_null() {
        return Err(Failure::value(format!("{what} is a null pointer")));
    }
    // SAFETY: by the contract of this function; what was there is not a value, so nothing is dropped.
    unsafe { to.write(value) };
    Ok(())
}

/// Borrows a string.
///
/// # Safety
/// The pointer is null or points to zero-terminated bytes.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::value(format!("{what} is a null pointer")));
    }
    // SAFETY: by the contract of this function.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::value(format!("{what} is not UTF-8")))
}

/// Borrows an array.
///
/// # Safety
/// The pointer points to `count` elements, or `count` is 0.
pub(crate) unsafe fn items<'a, T>(pointer: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || !pointer.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::value(format!("{what} is not the address of {count} items")));
    }
    // SAFETY: by the contract of this function.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Borrows a buffer for writing.
///
/// # Safety
/// As for [`items`]; nothing else accesses the buffer until the caller's function returns.
pub(crate) unsafe fn room<'a>(pointer: *mut u8, count: usize, what: &str) -> Result<&'a mut [u8], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() || count > isize::MAX as usize {
        return Err(Failure::value(format!("{what} is not the address of {count} bytes")));
    }
    // SAFETY: by the contract of this function.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// A buffer for bytes that arrive later.
pub(crate) struct OutputBuffer(*mut u8, usize);

// SAFETY: by the contract of `output_buffer` nothing else accesses the bytes, on any thread, until they have been written.
unsafe impl Send for OutputBuffer {}
// SAFETY: as above; a stream writes to it from one thread at a time.
unsafe impl Sync for OutputBuffer {}

impl OutputBuffer {
    /// Writes the bytes; those that do not fit are dropped.
    pub(crate) fn fill(&self, bytes: &[u8]) {
        if self.1 > 0 {
            // SAFETY: by the contract of `output_buffer` the buffer has this size, and nothing else accesses it.
            unsafe { self.0.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(self.1)) };
        }
    }
}

impl OutputBuffer {
    /// Lends the bytes to a function.
    pub(crate) fn with<R>(&self, write: impl FnOnce(&mut [u8]) -> R) -> R {
        if self.1 == 0 {
            return write(&mut []);
        }
        // SAFETY: by the contract of `output_buffer` the buffer has this size, and nothing else accesses it.
        write(unsafe { std::slice::from_raw_parts_mut(self.0, self.1) })
    }
}

/// A buffer for bytes that arrive later.
///
/// # Safety
/// The pointer points to `count` bytes, which nothing else accesses until they have been written, or `count` is 0.
pub(crate) unsafe fn output_buffer(
    pointer: *mut u8,
    count: usize,
    what: &str,
) -> Result<OutputBuffer, Failure> {
    // SAFETY: by the contract of this function.
    unsafe { room(pointer, count, what) }.map(|_| OutputBuffer(pointer, count))
}

/// Memory of the process for kernels.
///
/// # Safety
/// All of `address..address + bytes` may be read, and written if `is_writable`, as long as kernels may access it. It
/// contains no Rust object that its owner relies on.
pub(crate) unsafe fn region(address: u64, bytes: u64, is_writable: bool) -> Option<HostRegion> {
    let start = address & !7;
    let end = address.checked_add(bytes)?.checked_next_multiple_of(8)?;
    let count = usize::try_from((end - start) / 8).ok()?;
    if address == 0 || count > isize::MAX as usize / 8 {
        return None;
    }
    let pointer = std::ptr::with_exposed_provenance::<AtomicU64>(start as usize);
    // SAFETY: the words are aligned and in pages that contain bytes of the memory, so all of them can be accessed; they
    // are only accessed atomically. In the first and last word only the bytes inside are modified, by compare-exchange.
    let words = unsafe { std::slice::from_raw_parts(pointer, count) };
    Some(HostRegion { words, address, bytes, is_writable })
}
