//! Pointers among the arguments of functions. Null pointers are errors; everything else about them is guaranteed by the caller, as the documentation of
//! the interface says: that a pointer refers to memory for as many values of its type as the other arguments say.
//!
//! `F` is the error type of the library, which type aliases in it select, so that each method returns that type.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::marker::PhantomData;

/// An argument that is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentError {
    /// What is a null pointer.
    Null(&'static str),
    /// A name has bytes that are not UTF-8, as no name of the library has.
    NotUtf8,
    /// A list is longer than memory could be, or than there is memory for a copy of it.
    TooLong,
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentError::Null(what) => write!(f, "{what} is null"),
            ArgumentError::NotUtf8 => f.write_str("a name is not UTF-8"),
            ArgumentError::TooLong => f.write_str("a list is longer than memory"),
        }
    }
}

impl std::error::Error for ArgumentError {}

/// The address that a result is written to.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T, F>(*mut T, PhantomData<fn() -> F>);

impl<T, F> Clone for Out<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, F> Copy for Out<T, F> {}

// SAFETY: it is a number until it is written to, which happens while the caller keeps the memory for it.
unsafe impl<T, F> Send for Out<T, F> {}
// SAFETY: see above.
unsafe impl<T, F> Sync for Out<T, F> {}

impl<T, F: From<ArgumentError>> Out<T, F> {
    const fn new(address: *mut T) -> Self {
        Self(address, PhantomData)
    }

    /// The address of a variable of the library.
    pub fn to(variable: &mut T) -> Self {
        Self::new(variable)
    }

    /// An address, such as one in a structure of the caller.
    pub fn at(address: u64) -> Self {
        Self::new(address as *mut T)
    }

    /// A null pointer.
    pub const fn null() -> Self {
        Self::new(std::ptr::null_mut())
    }

    /// Whether no result is wanted.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Fails if it is null.
    ///
    /// # Errors
    /// [`ArgumentError::Null`].
    pub fn require(self) -> Result<(), F> {
        if self.is_null() { Err(ArgumentError::Null("a pointer to a result").into()) } else { Ok(()) }
    }

    /// Writes a result.
    ///
    /// # Errors
    /// [`ArgumentError::Null`].
    pub fn set(self, value: T) -> Result<(), F> {
        self.require()?;
        // SAFETY: the caller's pointer refers to memory for a result.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes a result unless the pointer is null.
    pub fn set_if_wanted(self, value: T) {
        // Null says that it is not wanted.
        let _ = self.set(value);
    }

    /// Writes several results, one after the other.
    ///
    /// # Errors
    /// [`ArgumentError::Null`].
    pub fn set_all(self, values: impl IntoIterator<Item = T>) -> Result<(), F> {
        self.require()?;
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's pointer refers to memory for as many results as it said.
            unsafe { self.0.add(index).write_unaligned(value) };
        }
        Ok(())
    }

    /// The value there, of parameters that are read and written.
    ///
    /// # Errors
    /// [`ArgumentError::Null`].
    pub fn get(self) -> Result<T, F>
    where
        T: Copy,
    {
        In::new(self.0.cast_const()).get()
    }

    /// The same address as another type.
    pub fn cast<U>(self) -> Out<U, F> {
        Out::new(self.0.cast())
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// The address of the result with an index in a list; null if this is.
    pub fn nth(self, index: usize) -> Self {
        if self.is_null() { self } else { Self::new(self.0.wrapping_add(index)) }
    }
}

/// The address of an argument, or of a list of them.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T, F>(*const T, PhantomData<fn() -> F>);

impl<T, F> Clone for In<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, F> Copy for In<T, F> {}

// SAFETY: it is a number until it is read from, which happens while the caller keeps the memory.
unsafe impl<T, F> Send for In<T, F> {}
// SAFETY: see above.
unsafe impl<T, F> Sync for In<T, F> {}

impl<T, F: From<ArgumentError>> In<T, F> {
    const fn new(address: *const T) -> Self {
        Self(address, PhantomData)
    }

    /// The address of a variable of the library.
    pub fn from(variable: &T) -> Self {
        Self::new(variable)
    }

    /// The address of the first element of a list of the library.
    pub fn list_of(list: &[T]) -> Self {
        Self::new(list.as_ptr())
    }

    /// An address, such as one in a structure of the caller.
    pub fn at(address: u64) -> Self {
        Self::new(address as *const T)
    }

    /// A null pointer.
    pub const fn null() -> Self {
        Self::new(std::ptr::null())
    }

    /// Whether there is no argument.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same address as another type.
    pub fn cast<U>(self) -> In<U, F> {
        In::new(self.0.cast())
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// The address of the argument with an index in a list; null if this is.
    pub fn nth(self, index: usize) -> Self {
        if self.is_null() { self } else { Self::new(self.0.wrapping_add(index)) }
    }
}

impl<T: Copy, F: From<ArgumentError>> In<T, F> {
    /// The value.
    ///
    /// # Errors
    /// [`ArgumentError::Null`].
    pub fn get(self) -> Result<T, F> {
        if self.is_null() {
            return Err(ArgumentError::Null("a pointer to an argument").into());
        }
        // SAFETY: the caller's pointer refers to an argument, which has no invalid values: it consists of numbers and pointers.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The value, unless the pointer is null.
    pub fn optional(self) -> Option<T> {
        self.get().ok()
    }

    /// The values of a list, copied. The pointer may be null if there are none.
    ///
    /// # Errors
    /// [`ArgumentError::Null`], [`ArgumentError::TooLong`].
    pub fn list(self, count: usize) -> Result<Vec<T>, F> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.is_null() {
            return Err(ArgumentError::Null("a pointer to a list").into());
        }
        let mut list: Vec<T> = Vec::new();
        list.try_reserve_exact(count).map_err(|_| ArgumentError::TooLong)?;
        // SAFETY: the caller's pointer refers to as many values as it said, at any address; there is memory for as many in the list, which are valid as they are
        // in `get`.
        unsafe {
            let bytes = count * size_of::<T>();
            std::ptr::copy_nonoverlapping(self.0.cast::<u8>(), list.as_mut_ptr().cast::<u8>(), bytes);
            list.set_len(count);
        }
        Ok(list)
    }
}

/// A text that ends with a zero, or null.
#[repr(transparent)]
#[derive(Debug)]
pub struct Text<F>(*const c_char, PhantomData<fn() -> F>);

impl<F> Clone for Text<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Text<F> {}

impl<F: From<ArgumentError>> Text<F> {
    /// A text of the library, which must live as long as it is used.
    pub const fn of(text: &CStr) -> Self {
        Self(text.as_ptr(), PhantomData)
    }

    /// The text, which the caller keeps for the time of the call.
    ///
    /// # Errors
    /// [`ArgumentError::Null`].
    pub fn get<'call>(self) -> Result<&'call CStr, F> {
        if self.0.is_null() {
            return Err(ArgumentError::Null("a text").into());
        }
        // SAFETY: the caller's pointer refers to a text that ends with a zero.
        Ok(unsafe { CStr::from_ptr(self.0) })
    }

    /// Its bytes without the zero.
    ///
    /// # Errors
    /// [`ArgumentError::Null`].
    pub fn bytes<'call>(self) -> Result<&'call [u8], F> {
        Ok(self.get()?.to_bytes())
    }

    /// The text as a name.
    ///
    /// # Errors
    /// [`ArgumentError::Null`], [`ArgumentError::NotUtf8`].
    pub fn name<'call>(self) -> Result<&'call str, F> {
        Ok(std::str::from_utf8(self.bytes()?).map_err(|_| ArgumentError::NotUtf8)?)
    }

    /// The text, unless it is null. Bytes that are not UTF-8 are replaced.
    pub fn optional(self) -> Option<String> {
        self.get().ok().map(|text| text.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Error = ArgumentError;

    #[test]
    fn null_pointers_are_errors_and_so_are_elements_of_null_lists() {
        let null = In::<u32, Error>::null();
        assert_eq!(null.get(), Err(Error::Null("a pointer to an argument")));
        assert_eq!(null.nth(3).get(), Err(Error::Null("a pointer to an argument")));
        assert_eq!((null.list(0), null.optional()), (Ok(Vec::new()), None));
        assert_eq!(null.list(1), Err(Error::Null("a pointer to a list")));
        assert_eq!(Out::<u8, Error>::null().nth(1).set(1), Err(Error::Null("a pointer to a result")));
        assert_eq!(Text::<Error>(std::ptr::null(), PhantomData).bytes(), Err(Error::Null("a text")));
    }

    #[test]
    fn lists_are_copied_from_any_address() {
        let bytes = [0u8, 1, 0, 0, 0, 2, 0, 0, 0];
        let list = In::<u32, Error>::at(bytes.as_ptr() as u64 + 1);
        assert_eq!(list.list(2), Ok(vec![1, 2]));
        assert_eq!(list.nth(1).get(), Ok(2));
        assert_eq!(list.list(usize::MAX / 2), Err(Error::TooLong));
    }

    #[test]
    fn results_are_written_one_after_the_other() {
        let mut to = [0u16; 3];
        let out = Out::<u16, Error>::at(to.as_mut_ptr() as u64);
        out.set_all([1, 2]).unwrap();
        out.nth(2).set(3).unwrap();
        assert_eq!((to, Out::<u16, Error>::to(&mut to[1]).get()), ([1, 2, 3], Ok(2)));
    }

    #[test]
    fn names_are_utf8() {
        assert_eq!(Text::<Error>::of(c"add").name(), Ok("add"));
        assert_eq!(Text::<Error>::of(c"\xff").name(), Err(Error::NotUtf8));
        assert_eq!(Text::<Error>::of(c"a\xff").optional().as_deref(), Some("a\u{fffd}"));
    }
}
