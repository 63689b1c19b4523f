//! Tests of generic addresses (`ptx_program::memory::Space::of_generic`).

use ptx_program::memory::{AddressSize, Space};

use super::lanes::Lanes;

/// The lowest bit of a block's rank in a shared address.
const RANK_SHIFT: u64 = 24;
/// The bits of a global address below the number of its allocation.
const ALLOCATION_SHIFT: u64 = 36;
/// The upper word of the addresses of functions.
const FUNCTIONS: u64 = 14;
/// The bytes from address 0 on that are never mapped.
const NULL_BYTES: u64 = 1 << 16;

/// Whether a generic address, of a module with addresses of this size, is in the space.
pub(super) fn is_in_space<'a, 'm, 'c>(
    (space, size): (Space, AddressSize),
    address: Lanes<'a, 'm, 'c>,
) -> Lanes<'a, 'm, 'c> {
    match space {
        Space::Generic | Space::Shared => address.constant_of(1, 0),
        Space::SharedCluster | Space::Local | Space::Param | Space::Const => {
            let shift = u64::from(space.window_shift(size));
            (address >> shift).eq(space.window(size) >> shift)
        }
        Space::Global => {
            let low = match size {
                AddressSize::Bits32 => {
                    let is_param = is_in_space((Space::Param, size), address);
                    !address.uge(Space::SharedCluster.window(size)) | is_param
                }
                // The window of parameters is in that of global memory (manual 9.7.9.19).
                AddressSize::Bits64 => {
                    let upper = address >> 32;
                    let windows = [Space::SharedCluster, Space::Local, Space::Const];
                    let others = windows.map(|space| space.window(size) >> 32);
                    others.iter().fold(upper.ne(FUNCTIONS), |so_far, window| so_far & upper.ne(*window))
                }
            };
            (address >> ALLOCATION_SHIFT).ne(0) | (low & address.uge(NULL_BYTES))
        }
    }
}

/// Whether two generic addresses are in the shared memory of one block, by the rank.
pub(super) fn is_in_block<'a, 'm, 'c>(a: Lanes<'a, 'm, 'c>, b: Lanes<'a, 'm, 'c>) -> Lanes<'a, 'm, 'c> {
    (a >> RANK_SHIFT).eq(b >> RANK_SHIFT)
}
