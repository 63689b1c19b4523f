//! Lists that values are made in.

/// Adds what `make` gives.
///
/// Between making the value and keeping it nothing can fail, for there is memory for it already. So it is made where it stays. With
/// `Vec::push` it would be made elsewhere, because it has to be dropped if memory runs out, and moving it takes a third of the time of
/// reading an instruction.
#[inline(always)]
pub(crate) fn push<T>(list: &mut Vec<T>, make: impl FnOnce() -> T) {
    if list.len() == list.capacity() {
        list.reserve(1);
    }
    if list.len() < list.capacity() {
        list.push(make());
    } else {
        debug_assert!(false, "memory was reserved");
    }
}
