//! Windows of the state spaces in the generic address space (manual 5.1, 6.4.1.1).
//!
//! 64-bit addresses:
//!
//! | bits 63..36 | bits 35..32 | what |
//! |---|---|---|
//! | 0 | 4 | `.shared::cluster`, address in the low 32 bits |
//! | 0 | 8 | `.local` |
//! | 0 | 10 | kernel parameters |
//! | 0 | 12 | `.const` |
//! | 0 | 14 | functions |
//! | n > 0 | any | `.global`: byte `address mod 2^36` of allocation `n - 1`; from 2^27 on of a multimem object |
//! | 0 | others | `.global` from 2^16 on; only the host process has memory there, or memory that is for 32-bit addresses |
//!
//! 32-bit addresses, in modules that have no others. This layout applies only to such modules: for a module with 64-bit
//! addresses all of them from 2^16 on are `.global`, and unregistered ones are out of bounds.
//!
//! | from | what |
//! |---|---|
//! | 0 | nothing |
//! | 2^16 | `.global` |
//! | 0xc0000000 | `.shared::cluster`, the rank of the block in bits 27..24 |
//! | 0xd0000000 | `.local` |
//! | 0xe0000000 | kernel parameters |
//! | 0xe8000000 | `.const` |
//! | 0xf0000000 | functions |

use super::space::Space;

/// Bits of a global address below the allocation number.
pub const ALLOCATION_SHIFT: u32 = 36;

/// Addresses from 0 on where no operating system maps memory.
pub const NULL_BYTES: u64 = 1 << 16;

/// The windows below 2^32.
const LOW_SHARED: u64 = 0xc000_0000;
const LOW_LOCAL: u64 = 0xd000_0000;
const LOW_PARAM: u64 = 0xe000_0000;
const LOW_CONST: u64 = 0xe800_0000;
const LOW_CODE: u64 = 0xf000_0000;

/// The addresses below 2^32 used for global memory of modules with 32-bit addresses. Lower addresses are reserved for
/// memory that belongs to the launch itself.
pub const LOW_GLOBAL: std::ops::Range<u64> = 1 << 20..LOW_SHARED;

/// The address of the workspace of a cooperative grid, for modules with 32-bit addresses.
pub const LOW_WORKSPACE: u64 = 1 << 19;

/// Bytes of local memory with 32-bit addresses.
pub const LOW_LOCAL_BYTES: u64 = LOW_PARAM - LOW_LOCAL;

/// Distance between the addresses of functions.
const CODE_STEP: u64 = 16;

/// Number of functions with 32-bit addresses.
pub const LOW_FUNCTIONS: u64 = ((1 << 32) - LOW_CODE) / CODE_STEP - 1;

/// The address size of a module (manual 11.1.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, serde::Serialize, serde::Deserialize)]
pub enum AddressSize {
    /// `.address_size 32`.
    Bits32,
    /// `.address_size 64`.
    #[default]
    Bits64,
}

impl AddressSize {
    /// The address size of a module.
    #[inline]
    pub fn of(module: &ptx_ir::Module) -> Self {
        if module.address_size() == 32 { Self::Bits32 } else { Self::Bits64 }
    }

    /// Bytes of an address.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Bits32 => 4,
            Self::Bits64 => 8,
        }
    }

    /// Mask of an address.
    #[inline]
    pub const fn mask(self) -> u64 {
        match self {
            Self::Bits32 => 0xffff_ffff,
            Self::Bits64 => u64::MAX,
        }
    }

    /// The upper bits of function addresses.
    #[inline]
    const fn code_window(self) -> u64 {
        match self {
            Self::Bits32 => LOW_CODE,
            Self::Bits64 => 14 << 32,
        }
    }

    /// The address of a function, which is the same for all kernels of a module.
    #[inline]
    pub const fn function_address(self, number: u32) -> u64 {
        self.code_window() + (number as u64 + 1) * CODE_STEP
    }

    /// The number of the function at an address.
    #[inline]
    pub fn function_number(self, address: u64) -> Option<u32> {
        let offset = address.checked_sub(self.code_window())?;
        let number = (offset / CODE_STEP).checked_sub(1).filter(|_| offset % CODE_STEP == 0)?;
        u32::try_from(number).ok()
    }

    /// Whether the bytes up to and including `last` all have global addresses, for every module that may use this
    /// memory: modules with 64-bit addresses may use memory of both address sizes.
    #[inline]
    pub const fn is_global(self, address: u64, last: u64) -> bool {
        let is_above = address >> ALLOCATION_SHIFT != 0;
        let is_below = address >= NULL_BYTES && last < 4 << 32;
        let has_low_windows = matches!(self, Self::Bits32) && address >> 32 == 0 && last >= LOW_SHARED;
        address <= last && (is_above || is_below && !has_low_windows)
    }
}

impl Space {
    /// The generic address of offset 0 of the space; global addresses are generic addresses themselves.
    #[inline]
    pub const fn window(self, size: AddressSize) -> u64 {
        match (self, size) {
            (Space::Generic | Space::Global, _) => 0,
            (Space::Shared | Space::SharedCluster, AddressSize::Bits64) => 4 << 32,
            (Space::Local, AddressSize::Bits64) => 8 << 32,
            (Space::Param, AddressSize::Bits64) => 10 << 32,
            (Space::Const, AddressSize::Bits64) => 12 << 32,
            (Space::Shared | Space::SharedCluster, AddressSize::Bits32) => LOW_SHARED,
            (Space::Local, AddressSize::Bits32) => LOW_LOCAL,
            (Space::Param, AddressSize::Bits32) => LOW_PARAM,
            (Space::Const, AddressSize::Bits32) => LOW_CONST,
        }
    }

    /// Number of low bits of a generic address that are the offset in the window of the space.
    #[inline]
    pub const fn window_shift(self, size: AddressSize) -> u32 {
        match (self, size) {
            (_, AddressSize::Bits64) => 32,
            (Space::Param | Space::Const, AddressSize::Bits32) => 27,
            (_, AddressSize::Bits32) => 28,
        }
    }

    /// The space and offset of a generic address in a module with this address size; `None` if it is in no window.
    #[inline]
    pub const fn of_generic(address: u64, size: AddressSize) -> Option<(Space, u64)> {
        if address >> ALLOCATION_SHIFT != 0 {
            return Some((Space::Global, address));
        }
        match size {
            AddressSize::Bits32 => Space::of_low(address),
            AddressSize::Bits64 => Space::of_wide(address),
        }
    }

    /// Whether a generic address is in the window of the space (manual 9.7.9.19). The window of parameters is nested in
    /// that of global memory, which contains no other window.
    #[inline]
    pub const fn has_generic(self, address: u64, size: AddressSize) -> bool {
        let Some((found, _)) = Self::of_generic(address, size) else { return false };
        found as u8 == self as u8 || matches!((self, found), (Self::Global, Self::Param))
    }

    /// Like [`Self::of_generic`] for a 64-bit address below 2^36.
    #[inline]
    const fn of_wide(address: u64) -> Option<(Space, u64)> {
        let offset = address & 0xffff_ffff;
        match address >> 32 {
            4 => Some((Space::SharedCluster, offset)),
            8 => Some((Space::Local, offset)),
            10 => Some((Space::Param, offset)),
            12 => Some((Space::Const, offset)),
            14 => None,
            _ if address >= NULL_BYTES => Some((Space::Global, address)),
            _ => None,
        }
    }

    /// Like [`Self::of_generic`] for a 32-bit address.
    #[inline]
    const fn of_low(address: u64) -> Option<(Space, u64)> {
        match address {
            0..NULL_BYTES => None,
            NULL_BYTES..LOW_SHARED => Some((Space::Global, address)),
            LOW_SHARED..LOW_LOCAL => Some((Space::SharedCluster, address - LOW_SHARED)),
            LOW_LOCAL..LOW_PARAM => Some((Space::Local, address - LOW_LOCAL)),
            LOW_PARAM..LOW_CONST => Some((Space::Param, address - LOW_PARAM)),
            LOW_CONST..LOW_CODE => Some((Space::Const, address - LOW_CONST)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACES: [Space; 4] = [Space::SharedCluster, Space::Local, Space::Param, Space::Const];

    const SIZES: [AddressSize; 2] = [AddressSize::Bits32, AddressSize::Bits64];

    #[test]
    fn generic_addresses_tell_their_space() {
        for (space, size) in SPACES.into_iter().flat_map(|space| SIZES.map(|size| (space, size))) {
            let last = (1 << space.window_shift(size)) - 1;
            for offset in [0, 20, last] {
                assert_eq!(Space::of_generic(space.window(size) + offset, size), Some((space, offset)));
            }
            let after = Space::of_generic(space.window(size) + last + 1, size);
            assert!(after.is_none_or(|(next, _)| next != space));
        }
        for size in SIZES {
            assert_eq!(Space::of_generic(0, size), None);
            assert_eq!(Space::of_generic(0xffff, size), None);
            assert_eq!(Space::of_generic(0x40_1000, size), Some((Space::Global, 0x40_1000)));
        }
        let wide = |address| Space::of_generic(address, AddressSize::Bits64);
        assert_eq!(wide(14 << 32), None, "functions");
        for address in [1 << 36, 1 << 32, u64::MAX] {
            assert_eq!(wide(address), Some((Space::Global, address)));
        }
        assert_eq!(Space::of_generic(0xf000_0010, AddressSize::Bits32), None, "functions");
        assert_eq!(Space::of_generic(4 << 32, AddressSize::Bits32), None, "no address of 32 bits");
    }

    #[test]
    fn windows_of_32_bits_are_those_of_modules_with_such_addresses_alone() {
        for space in SPACES {
            let address = space.window(AddressSize::Bits32) + 8;
            assert_eq!(Space::of_generic(address, AddressSize::Bits64), Some((Space::Global, address)));
        }
        let function = AddressSize::Bits32.function_address(0);
        assert_eq!(Space::of_generic(function, AddressSize::Bits64), Some((Space::Global, function)));
        assert_eq!(AddressSize::Bits64.function_number(function), None);
    }

    #[test]
    fn windows_of_32_bits_have_room_for_what_lies_in_them() {
        // 16 blocks of a cluster, each with 2^24 bytes of shared memory.
        let last = Space::SharedCluster.window(AddressSize::Bits32) + (16 << 24) - 1;
        let found = Space::of_generic(last, AddressSize::Bits32);
        assert_eq!(found, Some((Space::SharedCluster, (16 << 24) - 1)));
        let [low, wide] = SIZES;
        for (address, is_global) in [(0xbfff_fff0, true), (0xbfff_fffc, false), (0xc000_0000, false)] {
            assert_eq!(low.is_global(address, address + 15), is_global, "{address:#x}");
            assert!(wide.is_global(address, address + 15), "{address:#x}");
        }
        for size in SIZES {
            assert!(size.is_global(1 << 32, (4 << 32) - 1) && !size.is_global(1 << 32, 4 << 32));
            assert!(size.is_global(1 << 36, 2 << 36) && !size.is_global(0xfff0, 0x1_0010));
        }
    }

    #[test]
    fn functions_are_told_by_their_addresses() {
        for size in SIZES {
            for number in [0, 1, LOW_FUNCTIONS as u32 - 1] {
                assert_eq!(size.function_number(size.function_address(number)), Some(number));
            }
            assert_eq!(size.function_number(size.function_address(0) - 16), None);
            assert_eq!(size.function_number(size.function_address(0) + 4), None);
            assert_eq!(size.function_number(8), None);
        }
        assert!(AddressSize::Bits32.function_address(LOW_FUNCTIONS as u32 - 1) <= u32::MAX.into());
    }
}
