//! Pointers that functions are given. Null pointers are errors; all else that callers have to guarantee is what `cuda.h` says: that a pointer
//! to an argument refers to memory of its type.

use std::ffi::{CStr, c_char, c_void};

use crate::error::{Answer, CUresult, Failure};

/// Where a result is written.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

// SAFETY: it is a number until it is written to, which happens during the call that it is given to.
unsafe impl<T> Send for Out<T> {}
// SAFETY: see above.
unsafe impl<T> Sync for Out<T> {}

impl<T> Out<T> {
    /// Whether no result is wanted.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Fails if it is null.
    pub fn require(self) -> Answer {
        if self.is_null() { Err(Failure::value("a pointer to a result is null")) } else { Ok(()) }
    }

    /// Writes a result.
    pub fn set(self, value: T) -> Answer {
        self.require()?;
        // SAFETY: the caller's pointer refers to memory for a result.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes a result if one is wanted.
    pub fn set_if_wanted(self, value: T) {
        // Null means that it is not wanted.
        let _ = self.set(value);
    }

    /// Writes several results, one after the other.
    pub fn set_all(self, values: impl IntoIterator<Item = T>) -> Answer {
        self.require()?;
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's pointer refers to memory for as many results as it said.
            unsafe { self.0.add(index).write_unaligned(value) };
        }
        Ok(())
    }

    /// The value there, of parameters that are read and written.
    pub fn get(self) -> Answer<T>
    where
        T: Copy,
    {
        In(self.0.cast_const()).get()
    }

    /// The same address as another type.
    pub fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// A result within a structure of the caller.
    pub fn at(address: *mut T) -> Self {
        Self(address)
    }
}

/// An argument, or a list of them.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

// SAFETY: it is a number until it is read from, which happens while the caller keeps the memory.
unsafe impl<T> Send for In<T> {}
// SAFETY: see above.
unsafe impl<T> Sync for In<T> {}

impl<T: Copy> In<T> {
    /// Whether there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The value.
    pub fn get(self) -> Answer<T> {
        if self.0.is_null() {
            return Err(Failure::value("a pointer to an argument is null"));
        }
        // SAFETY: the caller's pointer refers to an argument, which has no invalid values: it consists of numbers and pointers.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The value, if there is one.
    pub fn optional(self) -> Option<T> {
        self.get().ok()
    }

    /// A list of values.
    pub fn list(self, count: usize) -> Answer<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Failure::value("a pointer to a list is null"));
        }
        // SAFETY: the caller's pointer refers to as many values as it said.
        Ok((0..count).map(|index| unsafe { self.0.add(index).read_unaligned() }).collect())
    }

    /// The value at an index of a list.
    pub fn at(self, index: usize) -> Answer<T> {
        self.get()?;
        // SAFETY: the caller's list is that long.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// The same address as another type.
    pub fn cast<U>(self) -> In<U> {
        In(self.0.cast())
    }

    /// The argument at an address.
    pub fn from_address(address: u64) -> Self {
        Self(address as *const T)
    }
}

/// Memory whose type is said by other arguments.
pub type Untyped = Out<c_void>;

/// A text that ends with a zero.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

impl Text {
    /// Its bytes without the zero, which the caller keeps for the time of the call.
    pub fn bytes<'call>(self) -> Answer<&'call [u8]> {
        if self.0.is_null() {
            return Err(Failure::value("a text is null"));
        }
        // SAFETY: the caller's pointer refers to a text that ends with a zero.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes())
    }

    /// The text as a name. No name of this driver has bytes that are not UTF-8.
    pub fn name<'call>(self) -> Answer<&'call str> {
        let invalid = |_| Failure::because(CUresult::NOT_FOUND, "a name is not UTF-8");
        std::str::from_utf8(self.bytes()?).map_err(invalid)
    }

    /// The text, if there is one.
    pub fn optional(self) -> Option<String> {
        self.bytes().ok().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Writes a text and a zero to a buffer, cut if it is too long.
pub fn write_text(to: Out<u8>, room: usize, text: &[u8]) -> Answer<usize> {
    if room == 0 {
        return Ok(0);
    }
    let kept = &text[..text.len().min(room - 1)];
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
