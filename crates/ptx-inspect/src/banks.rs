//! Conflicts of banks of shared memory, and layouts of arrays without them.
//!
//! In a cycle each of 32 banks gives one word of 4 bytes, to any number of threads. Accesses of 8 bytes are made by halves of a warp, those of 16 by quarters.

mod layout;

use std::collections::{BTreeMap, BTreeSet};

use ptx_ir::VarId;
use ptx_isa::StateSpace;
use serde::Serialize;

pub use layout::{ArrayLayout, LayoutAccess, Padding, Swizzle};

use crate::divergence::Divergence;
use crate::memory::{Known, Site};
use crate::polynomial::{Atom, Polynomial};

/// Banks, and bytes of a word.
const BANKS: i64 = 32;
const WORD: i64 = 4;

/// The conflicts of an access by all threads of a warp.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BankAccess {
    /// The line of the access.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// The address.
    pub address: Option<String>,
    /// Bytes of a thread.
    pub bytes: Option<u32>,
    /// The array, if the address is in one.
    pub array: Option<String>,
    /// `None` if the addresses of the threads are not known.
    pub conflicts: Option<Conflicts>,
}

/// Cycles that an access takes beyond those of one without conflicts, and words of one bank in the same cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Conflicts {
    /// The fewest cycles more.
    pub least: u32,
    /// The most.
    pub most: u32,
    /// The most words of one bank that are asked for at once: 1 without conflicts.
    pub ways: u32,
}

/// The conflicts of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct BankConflicts {
    /// Each access of shared memory.
    pub accesses: Vec<BankAccess>,
    /// The arrays with conflicts, each with layouts that have fewer.
    pub arrays: Vec<ArrayLayout>,
}

/// The cycles beyond the fewest, and the most words of a bank, of threads that access bytes at these addresses.
pub(crate) fn conflicts(addresses: &[i64], bytes: u32) -> (u32, u32) {
    let bytes = i64::from(bytes.max(1));
    let together = (BANKS * WORD / bytes.clamp(WORD, BANKS * WORD)).max(1) as usize;
    let (mut cycles, mut ways) = (0, 1);
    for part in addresses.chunks(together) {
        let words: BTreeSet<i64> = part
            .iter()
            .flat_map(|address| address.div_euclid(WORD)..=(address + bytes - 1).div_euclid(WORD))
            .collect();
        let mut of_bank = [0u32; BANKS as usize];
        for word in words {
            of_bank[word.rem_euclid(BANKS) as usize] += 1;
        }
        let most = of_bank.into_iter().fold(1, u32::max);
        cycles += most - 1;
        ways = ways.max(most);
    }
    (cycles, ways)
}

/// An access to an array of which all is known.
pub(crate) struct ArrayAccess {
    pub(crate) line: u32,
    pub(crate) instruction: String,
    pub(crate) bytes: u32,
    /// The offsets of the lanes of each warp from that of its first one, each once, and by what they may be moved together: any multiples of a step and a constant.
    pub(crate) shapes: Vec<(Vec<i64>, i64)>,
    pub(crate) step: i64,
    /// The factors in its offset, of which one may be the length of a row.
    pub(crate) factors: BTreeSet<i64>,
}

impl Divergence<'_, '_, '_> {
    /// The conflicts of those accesses that are of shared memory.
    pub(crate) fn bank_conflicts(&self, sites: &[Site]) -> BankConflicts {
        let mut found = BankConflicts::default();
        let mut arrays: BTreeMap<VarId, (Vec<ArrayAccess>, usize)> = BTreeMap::new();
        for site in sites.iter().filter(|site| site.space == Some(StateSpace::Shared)) {
            let array = site.sum.as_ref().and_then(base);
            let module = self.values.code.module;
            found.accesses.push(BankAccess {
                line: site.access.line,
                instruction: site.access.instruction.clone(),
                address: site.access.address.clone(),
                bytes: site.access.bytes,
                array: array.map(|array| module.name(module.variable(array).name).to_owned()),
                conflicts: self.conflicts(site),
            });
            if let Some(array) = array {
                let (accesses, unknown) = arrays.entry(array).or_default();
                match self.array_access(site, array) {
                    Some(access) => accesses.push(access),
                    None => *unknown += 1,
                }
            }
        }
        for (array, (accesses, unknown)) in arrays {
            let module = self.values.code.module;
            let name = module.name(module.variable(array).name);
            found.arrays.extend(layout::better(name, &accesses, unknown));
        }
        found
    }

    fn conflicts(&self, site: &Site) -> Option<Conflicts> {
        let known = self.split(site.sum.as_ref()?)?;
        let (bytes, lanes) = site.lanes?;
        let mut found: Option<Conflicts> = None;
        for warp in 0..self.warps.all.len() {
            let addresses = self.addresses(&known.own, warp, lanes)?;
            // Words that are moved together by whole words keep their conflicts.
            for rest in self.rests(&known, WORD, bytes) {
                let moved: Vec<i64> = addresses.iter().map(|address| address.wrapping_add(rest)).collect();
                let (cycles, ways) = conflicts(&moved, bytes);
                let before = found.get_or_insert(Conflicts { least: cycles, most: cycles, ways });
                before.least = before.least.min(cycles);
                before.most = before.most.max(cycles);
                before.ways = before.ways.max(ways);
            }
        }
        found
    }

    fn array_access(&self, site: &Site, array: VarId) -> Option<ArrayAccess> {
        let offset = site.sum.as_ref()?.minus(&Polynomial::atom(Atom::Address(array)))?;
        let (bytes, lanes) = site.lanes?;
        let Known { same, own } = self.split(&offset)?;
        let mut shapes = BTreeSet::new();
        for warp in 0..self.warps.all.len() {
            let addresses = self.addresses(&own, warp, lanes)?;
            let first = *addresses.first()?;
            let relative: Vec<i64> = addresses.iter().map(|address| address.wrapping_sub(first)).collect();
            shapes.insert((relative, first.wrapping_add(same.constant_term())));
        }
        let of_same =
            same.terms().filter(|(atoms, _)| !atoms.is_empty()).map(|(_, factor)| factor.saturating_abs());
        let step = of_same
            .fold(0, |step, factor| if step == 0 { factor } else { crate::coalescing::gcd(step, factor) });
        let factors =
            offset.terms().filter(|(atoms, _)| !atoms.is_empty()).map(|(_, factor)| factor.saturating_abs());
        Some(ArrayAccess {
            line: site.access.line,
            instruction: site.access.instruction.clone(),
            bytes,
            shapes: shapes.into_iter().collect(),
            step,
            factors: factors.collect(),
        })
    }
}

/// The variable that an address is in.
fn base(sum: &Polynomial) -> Option<VarId> {
    let mut bases = sum.terms().filter_map(|(atoms, factor)| match (atoms, factor) {
        ([Atom::Address(variable)], 1) => Some(*variable),
        _ => None,
    });
    bases.next().filter(|_| bases.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(words: i64, bytes: u32) -> (u32, u32) {
        conflicts(&(0..32).map(|lane| lane * words * WORD).collect::<Vec<_>>(), bytes)
    }

    /// Worked out by hand: a stride of n words gives gcd(n, 32) words of one bank.
    #[test]
    fn strides_conflict_by_their_common_divisor_with_the_banks() {
        for (words, ways) in [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (32, 32), (33, 1)] {
            assert_eq!(strided(words, 4), (ways - 1, ways), "{words}");
        }
        assert_eq!((strided(2, 8), strided(4, 16)), ((0, 1), (0, 1)));
        assert_eq!((strided(32, 8), strided(32, 16)), ((2 * 15, 16), (4 * 7, 8)));
        assert_eq!(conflicts(&(0..32).collect::<Vec<_>>(), 1), (0, 1));
    }
}
