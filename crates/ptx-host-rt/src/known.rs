//! The addresses known to be valid for a checked access: an extent of memory and the bytes of the access in, the
//! numbers out that code compares its addresses with.

use ptx_exec::engine::Extent;
use ptx_program::Run;

/// The addresses cached as valid for an access, which code tests before it calls the runtime. All zeros cause every access to be checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Known {
    /// The first valid address.
    pub base: u64,
    /// Number of valid addresses from there, in steps of their alignment, for the access of one lane.
    pub each: u64,
    /// Likewise for the access of all lanes of the warps in a group, or of a chunk, if it is one contiguous run.
    pub whole: u64,
}

impl Known {
    /// The valid addresses in this extent for a run of bytes; `whole` is the size of the access of all lanes.
    pub(super) fn of(extent: Extent, run: &Run, whole: u64) -> Self {
        let align = u64::from(run.align);
        let count = |bytes: u64| match extent.bytes.checked_sub(bytes) {
            Some(last) if extent.base.is_multiple_of(align) => last / align + 1,
            _ => 0,
        };
        // An access of several lanes is at least as long as that of one lane.
        let [each, whole] = [run.bytes.into(), whole.max(run.bytes.into())].map(count);
        Self { base: extent.base, each, whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_program::memory::Space;
    use ptx_program::{Address, Base, Mask};

    #[test]
    fn a_site_counts_the_addresses_of_its_region() {
        let address = Address { space: Space::Global, base: Base::Frame, offset: 0 };
        let run = Run { address, bytes: 8, align: 4, writes: false, is_atomic: false, lanes: Mask::MAX };
        let site = |base, bytes, whole| Known::of(Extent { base, bytes }, &run, whole);
        // At 0, 4, .. 12 of 20 bytes; 16 bytes at 0 and 4.
        assert_eq!(site(256, 20, 16), Known { base: 256, each: 4, whole: 2 });
        assert_eq!(site(256, 21, 16), Known { base: 256, each: 4, whole: 2 });
        assert_eq!(site(256, 8, 0), Known { base: 256, each: 1, whole: 1 });
        assert_eq!(site(256, 7, 16), Known { base: 256, each: 0, whole: 0 });
        // Addresses are counted from the base in steps of the alignment, which it has to have.
        assert_eq!(site(258, 20, 16), Known { base: 258, each: 0, whole: 0 });
    }
}
