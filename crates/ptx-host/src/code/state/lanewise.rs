//! The functions for accesses that go lane by lane, which code calls.

use std::fmt;

/// What a function does: an access of so many elements of `size` bytes, at most 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Lanewise {
    /// Whether it stores.
    pub(crate) stores: bool,
    pub(crate) size: u32,
    pub(crate) count: usize,
}

/// Its name.
impl fmt::Display for Lanewise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stores, size, count } = self;
        write!(f, "lanewise.{}{size}x{count}", if *stores { "store" } else { "load" })
    }
}
