//! Pointers that functions are given. Null pointers are errors; all else that callers have to guarantee is what the headers say: that a pointer to
//! an argument refers to memory of its type.

use std::ffi::{CStr, c_char};

use crate::error::{Answer, Failure};

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

impl<T> Out<T> {
    /// Where a variable of this library is.
    pub fn to(variable: &mut T) -> Self {
        Self(variable)
    }

    /// No place for a result.
    pub const fn null() -> Self {
        Self(std::ptr::null_mut())
    }

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

    /// The place at an address that a structure has.
    pub fn at(address: u64) -> Self {
        Self(address as *mut T)
    }

    /// The place with a number in a list of places.
    pub fn nth(self, index: usize) -> Self {
        Self(self.0.wrapping_add(index))
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

impl<T> In<T> {
    /// Where a variable of this library is.
    pub fn from(variable: &T) -> Self {
        Self(variable)
    }

    /// The first of a list of this library.
    pub fn list_of(list: &[T]) -> Self {
        Self(list.as_ptr())
    }

    /// No argument.
    pub const fn null() -> Self {
        Self(std::ptr::null())
    }

    /// Whether there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same address as another type.
    pub fn cast<U>(self) -> In<U> {
        In(self.0.cast())
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// What is at an address that a structure has.
    pub fn at(address: u64) -> Self {
        Self(address as *const T)
    }

    /// The argument with a number in a list.
    pub fn nth(self, index: usize) -> Self {
        Self(self.0.wrapping_add(index))
    }
}

impl<T: Copy> In<T> {
    /// The value.
    pub fn get(self) -> Answer<T> {
        if self.is_null() {
            return Err(Failure::value("a pointer to an argument is null"));
        }
        // SAFETY: the caller's pointer refers to an argument, which has no invalid values: it consists of numbers and pointers.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The value, if there is one.
    pub fn optional(self) -> Option<T> {
        self.get().ok()
    }

    /// The values of a list.
    pub fn list(self, count: usize) -> Answer<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.is_null() {
            return Err(Failure::value("a list is null"));
        }
        // SAFETY: the caller's pointer refers to as many arguments as it said.
        Ok((0..count).map(|index| unsafe { self.0.add(index).read_unaligned() }).collect())
    }
}

/// A text that ends with a zero, or null.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

impl Text {
    /// The text of a constant.
    pub const fn of(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }

    /// A text that this library keeps.
    pub fn kept(text: &CStr) -> Self {
        Self(text.as_ptr())
    }

    /// The text.
    pub fn get(self) -> Answer<&'static CStr> {
        if self.0.is_null() {
            return Err(Failure::value("a text is null"));
        }
        // SAFETY: the caller's pointer refers to a text that ends with a zero. It is copied before the call ends.
        Ok(unsafe { CStr::from_ptr(self.0) })
    }
}
