//! Sectors of global memory that a warp touches.

use std::collections::BTreeSet;

use ptx_isa::StateSpace;
use serde::Serialize;

use crate::divergence::Divergence;
use crate::memory::{Known, Site};
use crate::polynomial::{Atom, Polynomial};

/// Bytes of a sector.
pub(crate) const SECTOR: i64 = 32;
/// Bytes to which memory that the host allocates is aligned, at least.
const ALLOCATED: i64 = 256;

/// The sectors of an access by all threads of a warp.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Coalescing {
    /// The line of the access.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// The address.
    pub address: Option<String>,
    /// Bytes of a thread.
    pub bytes: Option<u32>,
    /// What a warp touches; `None` if the addresses of its threads are not known.
    pub sectors: Option<Sectors>,
}

/// Sectors of 32 bytes. What is not the same for all warps and for all addresses that the parts of the address that are not known may have is a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Sectors {
    /// The fewest that a full warp touches.
    pub least: u32,
    /// The most.
    pub most: u32,
    /// The sectors that as many different bytes need.
    pub ideal: u32,
    /// Bytes between the addresses of neighbouring threads, if it is always the same.
    pub stride: Option<i64>,
}

impl Sectors {
    /// How many times as many sectors are touched as are needed, at most.
    pub fn ratio(&self) -> f64 {
        f64::from(self.most) / f64::from(self.ideal.max(1))
    }
}

impl Divergence<'_, '_, '_> {
    /// The accesses of global memory among these.
    pub(crate) fn coalescing(&self, sites: &[Site]) -> Vec<Coalescing> {
        let global = sites.iter().filter(|site| site.space == Some(StateSpace::Global));
        let of = |site: &Site| Coalescing {
            line: site.access.line,
            instruction: site.access.instruction.clone(),
            address: site.access.address.clone(),
            bytes: site.access.bytes,
            sectors: self.sectors(site),
        };
        global.map(of).collect()
    }

    fn sectors(&self, site: &Site) -> Option<Sectors> {
        let known = self.split(site.sum.as_ref()?)?;
        let (bytes, lanes) = site.lanes?;
        let (mut found, mut strides): (Option<Sectors>, BTreeSet<i64>) = (None, BTreeSet::new());
        for warp in 0..self.warps.all.len() {
            let addresses = self.addresses(&known.own, warp, lanes)?;
            strides.extend(addresses.windows(2).filter_map(|pair| match pair {
                [a, b] => b.checked_sub(*a),
                _ => None,
            }));
            let different: BTreeSet<i64> =
                addresses.iter().flat_map(|address| *address..address.saturating_add(bytes.into())).collect();
            let ideal = (different.len() as u32).div_ceil(SECTOR as u32);
            for rest in self.rests(&known, SECTOR, bytes) {
                let touched: BTreeSet<i64> =
                    different.iter().map(|byte| byte.wrapping_add(rest).div_euclid(SECTOR)).collect();
                let count = touched.len() as u32;
                let before = found.get_or_insert(Sectors { least: count, most: count, ideal, stride: None });
                before.least = before.least.min(count);
                before.most = before.most.max(count);
                before.ideal = before.ideal.max(ideal);
            }
        }
        let mut found = found?;
        found.stride = strides.first().copied().filter(|_| strides.len() == 1);
        Some(found)
    }

    /// The parts of the addresses that the first lanes of a warp have for themselves.
    pub(crate) fn addresses(&self, own: &Polynomial, warp: usize, lanes: u32) -> Option<Vec<i64>> {
        let threads = self.warps.all.get(warp)?.iter().take(lanes as usize);
        threads.map(|thread| self.values.evaluate(own, thread)).collect()
    }

    /// What the part that is the same for a warp may be, divided by a power of two: all remainders that its factors allow, and with which addresses are aligned as an
    /// access of these bytes needs.
    pub(crate) fn rests(&self, known: &Known, by: i64, bytes: u32) -> Vec<i64> {
        let bases =
            known.same.terms().filter(|(atoms, factor)| *factor == 1 && self.alignment(atoms) > 1).count();
        let step =
            known.same.terms().filter(|(atoms, _)| !atoms.is_empty()).fold(by, |step, (atoms, factor)| {
                gcd(step, if bases == 1 && factor == 1 { self.alignment(atoms) } else { factor })
            });
        let constant = known.same.constant_term();
        let aligned = i64::from(bytes.next_power_of_two().min(16)).min(by);
        // What threads add is aligned too if one address is.
        let offset = self.addresses(&known.own, 0, 1).and_then(|first| first.first().copied());
        let all = (0..by / step.max(1)).map(|at| (constant + at * step).rem_euclid(by));
        let fits =
            |rest: &i64| offset.is_none_or(|offset| (offset.wrapping_add(*rest)).rem_euclid(aligned) == 0);
        let found: BTreeSet<i64> = all.clone().filter(fits).collect();
        if found.is_empty() { all.collect() } else { found.into_iter().collect() }
    }

    /// The alignment of the address that an atom is; 1 for what is none.
    fn alignment(&self, atoms: &[Atom]) -> i64 {
        let module = self.values.code.module;
        match atoms {
            [Atom::Parameter(variable, _)] if self.values.may_be_pointer(*variable) => {
                match module.variable(*variable).pointer.and_then(|pointer| pointer.align) {
                    Some(align) => i64::from(align.max(1)),
                    None => ALLOCATED,
                }
            }
            [Atom::Address(variable)] => i64::from(module.variable(*variable).alignment().max(1)),
            _ => 1,
        }
    }
}

/// The greatest common divisor of a positive number and another one.
pub(crate) fn gcd(positive: i64, other: i64) -> i64 {
    let (mut a, mut b) = (positive, other % positive.max(1));
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}
