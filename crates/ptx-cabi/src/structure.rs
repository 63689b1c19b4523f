//! Structures of C headers.

/// The layout of a structure: its name in C, its size in bytes, and the C names of its fields with their offsets in bytes. What has no counterpart in the
/// header has an empty name.
pub type Layout = (&'static str, usize, &'static [(&'static str, usize)]);

/// Defines structures with the fields of C structures, in their order, and a constant `LAYOUTS` with the [`Layout`](crate::Layout) of each, which a test
/// compares with the header. All fields must be numbers, arrays of numbers, pointers, handles, or other such structures, for which zero is valid: it is
/// the default.
///
/// ```ignore
/// structures! {
///     struct Location "CUmemLocation" { kind "type": c_uint, id "id": c_int }
/// }
/// ```
#[macro_export]
macro_rules! structures {
    ($($(#[$meta:meta])* struct $name:ident $symbol:literal { $($field:ident $c_name:literal: $ty:ty),* $(,)? })*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name { $(pub $field: $ty),* }

            impl Default for $name {
                fn default() -> Self {
                    // SAFETY: zero is valid for all fields, as the macro requires.
                    unsafe { std::mem::zeroed() }
                }
            }
        )*

        /// The layout of each structure.
        pub const LAYOUTS: &[$crate::Layout] = &[$((
            $symbol,
            size_of::<$name>(),
            &[$(($c_name, std::mem::offset_of!($name, $field))),*],
        )),*];
    };
}
