//! Numbers in memory.

/// A type of numbers that memory of a device holds, in little-endian order: the integers of 8 to 64 bits, `f32` and `f64`.
pub trait Number: Copy + private::Number {}

mod private {
    /// What [`super::Number`] does; no other crate implements it.
    pub trait Number: Sized {
        /// Appends the bytes of the number.
        fn append_to(self, bytes: &mut Vec<u8>);
        /// The number that has these bytes, of which there are as many as the type has.
        fn of_bytes(bytes: &[u8]) -> Option<Self>;
    }
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {}
        impl private::Number for $ty {
            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn of_bytes(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self::from_le_bytes)
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

/// The bytes of numbers, one after the other.
pub(crate) fn to_bytes<T: Number>(numbers: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(numbers));
    numbers.iter().for_each(|number| number.append_to(&mut bytes));
    bytes
}

/// Sets numbers to those in bytes, of which there are as many as the numbers have.
pub(crate) fn from_bytes<T: Number>(bytes: &[u8], numbers: &mut [T]) {
    for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
        if let Some(read) = T::of_bytes(bytes) {
            *number = read;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{from_bytes, to_bytes};

    #[test]
    fn bytes_are_little_endian() {
        assert_eq!(to_bytes(&[0x0102u16, 0xfffe]), [2, 1, 0xfe, 0xff]);
        assert_eq!(to_bytes(&[-2.0f32]), [0, 0, 0, 0xc0]);
        let mut read = [0i16; 2];
        from_bytes(&[2, 1, 0xfe, 0xff], &mut read);
        assert_eq!(read, [0x0102, -2]);
        let mut read = [0.0f64];
        from_bytes(&[0, 0, 0, 0, 0, 0, 0xe0, 0x3f], &mut read);
        assert_eq!(read, [0.5]);
    }
}
