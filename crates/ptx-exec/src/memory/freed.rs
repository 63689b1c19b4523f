//! Freed memory, and the description of a faulty address by the nearest allocation.

use std::sync::Arc;

use ptx_diag::counted;

use super::ALLOCATION_SHIFT;
use super::region::Region;

/// Maximum distance from a region at which an address is attributed to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Near {
    /// Within the unused addresses that follow it.
    Numbered,
    /// Within this many bytes before and after it.
    Bytes(u64),
}

/// For regions at host addresses.
pub(super) const NEAR: Near = Near::Bytes(4096);

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
    let Near::Bytes(near) = near else {
        return before.filter(|region| address - region.base < 1 << ALLOCATION_SHIFT).map(offset_in);
    };
    let past = before.map(|region| (address - region.base - region.len, region));
    let short = regions.get(after).map(|region| (region.base - address, region));
    match (past.filter(|(n, _)| *n < near), short.filter(|(n, _)| *n < near)) {
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
        let described = |address| describe(&numbered, &[], Near::Numbered, address).unwrap_or_default();
        assert_eq!(described((1 << 36) + 0x10000), "offset 65536 of a, which has 64 bytes");
        assert_eq!((described((1 << 36) - 4), described(2 << 36)), (String::new(), String::new()));
    }
}
