//! Cost of a warp's memory accesses: sectors of memory, and bank conflicts of shared memory.

use ptx_program::memory::{AddressSize, Space};
use ptx_program::{
    Address, AsyncOp, Collective, CollectiveKind, Effect, Fragment, LaneAccess, Mask, Multimem,
    MultimemAction, Row, WARP, Write, first_lane, lanes,
};

use super::at::At;
use std::collections::BTreeSet;

use super::grid::Grid;
use super::multimem;
use super::sectors::Sectors;

/// Banks of shared memory, and bytes of a bank word.
const BANKS: u64 = 32;
const WORD: u64 = 4;
/// Bytes of a row of a matrix loaded by `ldmatrix`.
const LINE: u32 = 16;

/// The memory number of local memory.
const LOCAL: u64 = u64::MAX;

/// One access by the threads of a warp.
#[derive(Default)]
pub(super) struct Access {
    sectors: Sectors,
    /// The words of shared memory, each with its lane.
    shared: Vec<(usize, u64)>,
    /// Bytes per thread.
    bytes: u32,
}

impl Access {
    /// An access of these lanes, given the address of each.
    fn of_lanes(space: (Space, AddressSize), bytes: u32, mask: Mask, address: impl Fn(usize) -> u64) -> Self {
        let mut access = Self { bytes, ..Self::default() };
        lanes(mask).for_each(|lane| access.add(space, address(lane), bytes, lane));
        access
    }

    fn add(&mut self, (space, size): (Space, AddressSize), address: u64, bytes: u32, lane: usize) {
        let placed = match space {
            Space::Generic => Space::of_generic(address, size),
            space => Some((space, address)),
        };
        let Some((space, address)) = placed else { return };
        let last = address.wrapping_add(u64::from(bytes.max(1)) - 1);
        match space {
            Space::Global => self.sectors.add(address, bytes.into()),
            Space::Local => {
                // Local memory is interleaved: words of consecutive lanes are adjacent.
                for word in address / WORD..=last / WORD {
                    self.sectors.add_to(LOCAL, (word * WARP as u64 + lane as u64) * WORD, WORD);
                }
            }
            Space::Const | Space::Param | Space::Generic => {}
            Space::Shared | Space::SharedCluster => {
                self.shared.extend((address / WORD..=last / WORD).map(|word| (lane, word)));
            }
        }
    }

    pub(super) fn sectors(&self) -> u64 {
        self.sectors.count()
    }

    /// Additional cycles in shared memory compared to an access without conflicts. In a cycle each bank provides one
    /// word, to any number of threads; 8- and 16-byte accesses are made by halves and quarters of a warp.
    pub(super) fn conflicts(&self) -> u64 {
        let together = (WARP as u64 * WORD / u64::from(self.bytes.clamp(4, 128))).max(1) as usize;
        (0..WARP.div_ceil(together))
            .map(|part| {
                let of_part = self.shared.iter().filter(|(lane, _)| lane / together == part);
                let distinct: BTreeSet<u64> = of_part.map(|(_, word)| *word).collect();
                let mut banks = [0u64; BANKS as usize];
                distinct.iter().for_each(|word| banks[(word % BANKS) as usize] += 1);
                banks.into_iter().fold(0, u64::max).saturating_sub(1)
            })
            .sum()
    }
}

/// The accesses of an instruction made by the executing threads. Accesses made on their behalf, such as those of bulk
/// copies and textures, are counted where they are performed.
pub(super) fn accesses(at: &At<'_>, effect: &Effect) -> Vec<Access> {
    let (grid, operands, active) = (at.grid, &at.operands, at.place.active);
    let of = |address: &Address, bytes: u32| {
        let resolved = operands.addresses(address);
        Access::of_lanes((address.space, grid.addresses), bytes, active, |lane| resolved.of(lane))
    };
    // A 16-byte element has two registers.
    let vector = |size: u32, registers: usize| size * (registers as u32 / if size == 16 { 2 } else { 1 });
    match effect {
        Effect::Load(load) => vec![of(&load.address, vector(load.size, load.dsts.len()))],
        Effect::Store(store) => vec![of(&store.address, vector(store.size, store.srcs.len()))],
        Effect::Atomic(atomic) => vec![of(&atomic.address, atomic.size)],
        Effect::VectorAtomic(atomic) => vec![of(&atomic.address, vector(atomic.size, atomic.elements.len()))],
        Effect::WideAtomic(atomic) => vec![of(&atomic.address, 16)],
        Effect::AsyncCopy(copy) => vec![of(&copy.from, copy.size), of(&copy.to, copy.size)],
        Effect::Async(AsyncOp::Write(write)) => match &write.write {
            Write::Store(store) => vec![of(&store.address, vector(store.size, store.srcs.len()))],
            Write::Combine(atomic) => vec![of(&atomic.address, atomic.size)],
        },
        Effect::Multimem(access) => {
            vec![of_multimem(grid, access, active, |lane| operands.address(&access.address, lane))]
        }
        Effect::Collective(collective) => of_collective(grid, collective, active, |row| {
            debug_assert!(row < collective.srcs.len(), "an access without operand {row}");
            match collective.srcs.get(row) {
                Some(src) => operands.row(*src),
                None => &[0; WARP],
            }
        }),
        other => {
            debug_assert_eq!(other.traits().access, LaneAccess::None, "an access of lanes");
            Vec::new()
        }
    }
}

/// An access to several replicas at one address.
fn of_multimem(grid: &Grid<'_>, access: &Multimem, active: Mask, address: impl Fn(usize) -> u64) -> Access {
    let registers = match &access.action {
        MultimemAction::Store(srcs) | MultimemAction::Combine(srcs, _) => srcs.len(),
        MultimemAction::Load(dsts, _) => dsts.len(),
    };
    let bytes = u64::from(access.size) * registers as u64;
    let mut touched = Access::default();
    for lane in lanes(active) {
        // An access that faults touches nothing.
        let places = multimem::places(grid, &access.address, address(lane), bytes);
        for place in places.into_iter().flatten() {
            touched.sectors.add(place, bytes);
        }
    }
    touched
}

/// The accesses of `ldmatrix`, `stmatrix` and `wmma`.
fn of_collective<'r>(
    grid: &Grid<'_>,
    collective: &Collective,
    active: Mask,
    row: impl Fn(usize) -> &'r Row,
) -> Vec<Access> {
    let space = (collective.space, grid.addresses);
    let address = |lane: usize| row(0)[lane].wrapping_add(collective.offset as u64);
    match &collective.kind {
        // Each 16-byte row has the address of one lane; eight rows are 128 bytes, the width of all banks.
        CollectiveKind::LoadMatrix(tiles) | CollectiveKind::StoreMatrix(tiles) => {
            let givers = u32::MAX >> (WARP - (tiles.count * tiles.lines).clamp(1, WARP));
            vec![Access::of_lanes(space, LINE, active & givers, address)]
        }
        CollectiveKind::LoadFragment(fragment) | CollectiveKind::StoreFragment(fragment) => {
            let first = first_lane(active);
            vec![of_fragment(*fragment, space, address(first), row(1)[first])]
        }
        _ => Vec::new(),
    }
}

/// The rows or columns of a `wmma` matrix. In which order they are read is not documented, so no conflicts are counted.
fn of_fragment(fragment: Fragment, space: (Space, AddressSize), start: u64, stride: u64) -> Access {
    let (length, count) = fragment.leading();
    let bits = u64::from(fragment.factor.element.bits());
    let mut access = Access::default();
    for piece in 0..u64::from(count) {
        let at = start.wrapping_add(piece.wrapping_mul(stride).wrapping_mul(bits) / 8);
        access.add(space, at, (u64::from(length) * bits / 8) as u32, 0);
    }
    access.shared.clear();
    access
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(stride: u64, bytes: u32) -> u64 {
        let space = (Space::Shared, AddressSize::Bits64);
        Access::of_lanes(space, bytes, Mask::MAX, |lane| lane as u64 * stride).conflicts()
    }

    #[test]
    fn words_of_one_bank_conflict() {
        // A stride of n words hits each of 32 / gcd(n, 32) banks gcd(n, 32) times.
        for (words, expected) in [(0, 0), (1, 0), (2, 1), (3, 0), (4, 3), (8, 7), (32, 31), (33, 0)] {
            assert_eq!(shared(words * 4, 4), expected, "{words}");
        }
        // Wide accesses that follow each other do not conflict; rows of 128 bytes do, 16 in a half and 8 in a quarter.
        assert_eq!((shared(8, 8), shared(16, 16)), (0, 0));
        assert_eq!((shared(128, 8), shared(128, 16)), (2 * 15, 4 * 7));
        assert_eq!(shared(1, 1), 0, "four threads in a word");
    }

    #[test]
    fn sectors_are_32_bytes() {
        let of = |space, stride: u64, bytes| {
            let address = |lane| (1 << 40) + lane as u64 * stride;
            Access::of_lanes((space, AddressSize::Bits64), bytes, Mask::MAX, address).sectors()
        };
        assert_eq!((of(Space::Global, 4, 4), of(Space::Global, 8, 8), of(Space::Global, 32, 4)), (4, 8, 32));
        assert_eq!((of(Space::Global, 0, 4), of(Space::Generic, 1, 1)), (1, 1));
        // All threads at one address of theirs: 128 bytes in a row.
        assert_eq!((of(Space::Local, 0, 4), of(Space::Local, 0, 8)), (4, 8));
    }
}
