//! State spaces, and where they are in the generic address space (manual 5.1, 6.4.1.1).
//!
//! The upper bits of a generic address encode its space ([`AddressSize`], [`Space::window`]), so that a null pointer and small
//! offsets from it are never valid, and addresses in `.shared`, `.local`, `.const` and `.param` fit in 32 bits. Modules with 32-bit
//! addresses have separate windows.
//!
//! A shared address contains the rank of its block in the cluster in bits 31..24 and the offset below, so that an
//! address of the own memory (`.shared::cta`) is also valid for `.shared::cluster`, as the windows of the manual are
//! nested (5.1.8). A number below 2^24, which is the address of no variable in a block of rank 1 or higher, refers with
//! `.shared::cta` to the own memory in every block.

mod space;
mod windows;

pub use space::{RANK_SHIFT, Space, SpaceAddress, address_in, rank_and_offset, shared_address};
pub use windows::{
    ALLOCATION_SHIFT, AddressSize, LOW_FUNCTIONS, LOW_GLOBAL, LOW_LOCAL_BYTES, LOW_WORKSPACE, NULL_BYTES,
};
