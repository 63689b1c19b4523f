//! LLVM's address spaces for [`TRIPLE`](crate::TRIPLE), by LLVM's numbers (NVPTX guide, "Address Spaces").

/// Any window; what PTX calls a generic address.
pub const GENERIC: u32 = 0;
/// `.global`.
pub const GLOBAL: u32 = 1;
/// `.shared::cta`.
pub const SHARED: u32 = 3;
/// `.const`.
pub const CONST: u32 = 4;
/// `.local`.
pub const LOCAL: u32 = 5;
/// Tensor memory of `tcgen05`.
pub const TENSOR: u32 = 6;
/// `.shared::cluster`.
pub const SHARED_CLUSTER: u32 = 7;
/// `.param` of the entry.
pub const PARAM: u32 = 101;
