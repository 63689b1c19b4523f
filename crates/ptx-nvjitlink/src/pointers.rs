//! The arguments of functions: pointers that are checked for null. What else they must be, the caller promises, as to NVIDIA's library.

use std::ffi::{CStr, c_char};

use crate::link::{Failure, NvJitLinkResult};

/// An argument that is null.
fn null(what: &str) -> Failure {
    Failure::new(NvJitLinkResult::NULL_INPUT, format!("{what} is null"))
}

/// Memory that a result is written to.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Fails if it is null.
    pub fn require(self, what: &str) -> Result<(), Failure> {
        if self.0.is_null() { Err(null(what)) } else { Ok(()) }
    }

    pub fn set(self, what: &str, value: T) -> Result<(), Failure> {
        self.write(what, &[value])
    }

    /// Writes values one after the other.
    pub fn write(self, what: &str, values: &[T]) -> Result<(), Failure> {
        self.require(what)?;
        // SAFETY: the caller has room for as many values as it was told there are, at any address.
        unsafe { self.0.cast::<u8>().copy_from_nonoverlapping(values.as_ptr().cast(), size_of_val(values)) };
        Ok(())
    }

    /// Where the result is, as a value.
    pub fn get(self, what: &str) -> Result<T, Failure> {
        self.require(what)?;
        // SAFETY: the caller has set the value that it refers to.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

/// Memory that is read.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct In<T>(*const T);

impl In<u8> {
    /// So many bytes.
    pub fn bytes(self, what: &str, size: usize) -> Result<Vec<u8>, Failure> {
        if self.0.is_null() {
            return Err(null(what));
        }
        if size > isize::MAX as usize {
            return Err(Failure::new(NvJitLinkResult::INVALID_INPUT, format!("the size of {what}")));
        }
        // SAFETY: the caller has as many bytes there.
        Ok(unsafe { std::slice::from_raw_parts(self.0, size) }.to_vec())
    }
}

impl In<c_char> {
    /// A text, if it is not null. What is not UTF-8 is replaced.
    pub fn text(self) -> Option<String> {
        // SAFETY: texts of the caller end with a zero.
        let text = (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) });
        text.map(|text| text.to_string_lossy().into_owned())
    }

    /// The bytes of a text.
    pub fn path(self, what: &str) -> Result<Vec<u8>, Failure> {
        if self.0.is_null() {
            return Err(null(what));
        }
        // SAFETY: as above.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }
}

impl In<In<c_char>> {
    /// A list of texts.
    pub fn texts(self, what: &str, count: u32) -> Result<Vec<String>, Failure> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(null(what));
        }
        let text = |index: usize| {
            // SAFETY: the caller has as many pointers there.
            unsafe { self.0.add(index).read_unaligned() }.text().ok_or_else(|| null(what))
        };
        (0..count as usize).map(text).collect()
    }
}
