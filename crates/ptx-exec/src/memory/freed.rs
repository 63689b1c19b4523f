//! Freed memory, and the description of a faulty address by the nearest allocation.

use std::sync::Arc;

use ptx_diag::counted;
use ptx_program::memory::ALLOCATION_SHIFT;

use super::region::Region;

/// Maximum distances from a region at which an address is attributed to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Near {
    /// Beyond its last byte.
    after: u64,
    /// Before its first one.
    before: u64,
}

/// For regions at host addresses.
pub(super) const NEAR: Near = Near { after: 4096, before: 4096 };

/// For numbered regions, which are far from each other, and for a region from whose address another one is known to be computed. Neither windows of other
/// spaces nor addresses near a null pointer are so near to the first numbered region.
pub(super) const FAR: Near = Near { after: (1 << ALLOCATION_SHIFT) - (1 << 32), before: 1 << 32 };

/// A freed region.
#[derive(Clone, Debug)]
pub(crate) struct Freed {
    pub(crate) base: u64,
    pub(crate) len: u64,
    pub(crate) name: Arc<str>,
}

impl Freed {
    /// Whether it contained an address.
    pub(crate) fn holds(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.len
    }
}

/// Describes the object at or near an address, given the regions in address order; `None` if there is none.
pub(super) fn describe(regions: &[Region], freed: &[Freed], near: Near, address: u64) -> Option<String> {
    let after = regions.partition_point(|region| region.base <= address);
    let before = after.checked_sub(1).and_then(|index| regions.get(index));
    let offset_in = |region: &Region| {
        let unknown = || format!("offset {} of {}", address - region.base, region.name);
        region.describe(address).unwrap_or_else(unknown)
    };
    if let Some(region) = before.filter(|region| address - region.base < region.len) {
        return Some(offset_in(region));
    }
    if let Some(Freed { base, len, name }) = freed.iter().rev().find(|freed| freed.holds(address)) {
        return Some(format!(
            "offset {} of {name}, which had {} and was freed",
            address - base,
            counted(*len, "byte")
        ));
    }
    let past = before.map(|region| (address - region.base - region.len, region));
    let short = regions.get(after).map(|region| (region.base - address, region));
    match (past.filter(|(n, _)| *n < near.after), short.filter(|(n, _)| *n < near.before)) {
        (Some((past, _)), Some((short, region))) if short < past => Some(before_start(short, region)),
        (Some((_, region)), _) => Some(offset_in(region)),
        (None, Some((short, region))) => Some(before_start(short, region)),
        (None, None) => None,
    }
}

fn before_start(bytes: u64, region: &Region) -> String {
    format!("{} before {}, which has {}", counted(bytes, "byte"), region.name, counted(region.len, "byte"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_described_by_what_is_near() {
        let at = |base, len, name| Region::of_bytes(base, &vec![0; len], name);
        let regions = [at(0x10000, 64, "a"), at(0x10100, 32, "b")];
        let freed = [Freed { base: 0x10080, len: 16, name: "c".into() }];
        let described = |address| describe(&regions, &freed, NEAR, address).unwrap_or_default();
        assert_eq!(described(0x1003f), "offset 63 of a, which has 64 bytes");
        assert_eq!(described(0x10040), "offset 64 of a, which has 64 bytes");
        assert_eq!(described(0x10084), "offset 4 of c, which had 16 bytes and was freed");
        assert_eq!(described(0x100f8), "8 bytes before b, which has 32 bytes");
        assert_eq!(described(0x0fff8), "8 bytes before a, which has 64 bytes");
        assert_eq!(described(0x20000), "");
        let numbered = [at(1 << 36, 64, "a")];
        let described = |address| describe(&numbered, &[], FAR, address).unwrap_or_default();
        assert_eq!(described((1 << 36) + 0x10000), "offset 65536 of a, which has 64 bytes");
        assert_eq!(described((1 << 36) - 4), "4 bytes before a, which has 64 bytes");
        assert_eq!((described(4096), described(2 << 36)), (String::new(), String::new()));
    }
}
