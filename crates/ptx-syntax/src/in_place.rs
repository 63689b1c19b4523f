//! Construction of values in place in a list.

/// Appends the result of `make`.
///
/// Memory is reserved first, so that nothing can fail between making the value and storing it, and the compiler constructs it in place.
/// With `Vec::push` alone it would be constructed elsewhere, because it has to be dropped if memory runs out, and moving it takes a third
/// of the time of reading an instruction.
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
