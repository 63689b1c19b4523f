//! The analysis results of rows as claims, and whether values of a warp satisfy them.
//!
//! Code that is generated to check claims computes each lane separately, without relying on any claim, and compares the results. Each row is
//! checked where an instruction writes it, in the lanes that do, and at the beginning of each block that reads it, in the block's active
//! lanes: this finds a wrong transfer function, and also a wrong answer as to which inactive lanes keep their values.

use std::collections::BTreeMap;

use ptx_program::{Mask, WARP, lanes};

use super::facts::{Facts, Zeros, mask};
use super::{Indexed, Shape, Stride};

/// The analysis results for the values of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// How the values of active lanes relate.
    pub shape: Shape,
    /// Bounds of the values, if any are known.
    pub facts: Option<Facts>,
    /// The bits in which lanes may differ.
    pub differing: u64,
    /// The bits of the chunk's number that the values depend on, if chunks have different values.
    pub chunkwise: u32,
    /// The width of the row.
    pub bits: u32,
}

/// The claims of all rows of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claims {
    rows: Vec<Claim>,
    /// Lanes of a chunk.
    lanes: usize,
}

impl Claims {
    pub(super) fn new(rows: Vec<Claim>, lanes: u32) -> Self {
        Self { rows, lanes: (lanes as usize).clamp(1, WARP) }
    }

    /// Checks the values of active lanes in a row against its claim. If several warps run together, `active` has a mask for each, and the values
    /// of the first warp come first. `indices` are the indices from which the values follow if the claim is [`Shape::Indexed`].
    ///
    /// # Errors
    /// A description of the difference.
    pub fn check(&self, row: u32, active: &[Mask], values: &[u64], indices: &[u64]) -> Result<(), String> {
        let Some(claim) = self.rows.get(row as usize) else { return Ok(()) };
        let of_warp = |(warp, &mask): (usize, &Mask)| lanes(mask).map(move |lane| warp * WARP + lane);
        let active: Vec<usize> = active.iter().enumerate().flat_map(of_warp).collect();
        let most = active.last().copied();
        let Some(most) = most else { return Ok(()) };
        if values.len().min(indices.len()) <= most {
            return Err("there are fewer values than lanes".to_owned());
        }
        let active = active.as_slice();
        self.check_shape(claim, active, values, indices)?;
        self.check_chunkwise(claim, active, values)?;
        for &lane in active {
            let value = values[lane];
            if let Some(facts) = claim.facts
                && !(facts.least..=facts.most).contains(&value)
            {
                let Facts { least, most, .. } = facts;
                return Err(format!(
                    "lane {lane} has {value:#x}, which is claimed to be from {least:#x} to {most:#x}"
                ));
            }
        }
        match claim.facts {
            Some(facts) => self.check_zeros(claim, facts.zeros, active, values),
            None => Ok(()),
        }
    }

    fn check_shape(
        &self,
        claim: &Claim,
        active: &[usize],
        values: &[u64],
        indices: &[u64],
    ) -> Result<(), String> {
        let own = |lane: usize| values[lane];
        match claim.shape {
            Shape::Unwritten => Err("a register has a value that is claimed not to be written".to_owned()),
            Shape::Constant(value) => {
                let value = value & mask(claim.bits);
                match active.iter().find(|&&lane| values[lane] != value) {
                    Some(&lane) => {
                        Err(format!("lane {lane} has {:#x}, which is claimed to be {value:#x}", values[lane]))
                    }
                    None => Ok(()),
                }
            }
            Shape::Uniform => same(active, own, values, "all lanes are claimed to have one value"),
            Shape::Strided(stride) => self.check_stride(stride, claim.bits, active, values, own),
            Shape::Indexed(indexed) => self.check_indexed(claim, indexed, active, values, indices),
            Shape::Varying => {
                let fixed = !claim.differing & mask(claim.bits);
                let what = format!("no lanes are claimed to differ in the bits {fixed:#x}");
                same(active, |lane| values[lane] & fixed, values, &what)
            }
        }
    }

    /// Whether chunks whose numbers differ only in bits that do not count have equal values.
    fn check_chunkwise(&self, claim: &Claim, active: &[usize], values: &[u64]) -> Result<(), String> {
        let has_own = match claim.shape {
            Shape::Varying => true,
            Shape::Strided(stride) | Shape::Indexed(Indexed { index: stride, .. }) => stride.across.is_none(),
            _ => false,
        };
        if !has_own {
            return Ok(());
        }
        let chunkwise = claim.chunkwise;
        let what = format!("groups of {} lanes are claimed to differ by the bits {chunkwise:#x}", self.lanes);
        let alike = |lane: usize| ((lane / self.lanes) & chunkwise as usize, lane % self.lanes);
        let mut firsts = BTreeMap::new();
        active.iter().try_for_each(|&lane| {
            let first = *firsts.entry(alike(lane)).or_insert(lane);
            same(&[first, lane], |lane| values[lane], values, &what)
        })
    }

    /// Whether `of` has this stride in the active lanes; `values` are for the message.
    fn check_stride(
        &self,
        stride: Stride,
        bits: u32,
        active: &[usize],
        values: &[u64],
        of: impl Fn(usize) -> u64,
    ) -> Result<(), String> {
        let first = |lane: usize| of(lane).wrapping_sub(self.distance(stride, lane)) & mask(bits);
        let within = stride.within;
        match stride.across {
            Some(across) => {
                let what = format!(
                    "a stride of {within} within and of {across} between groups of {} lanes is claimed",
                    self.lanes
                );
                same(active, first, values, &what)
            }
            None => self.chunks(active).try_for_each(|chunk| {
                let what = format!("a stride of {within} within groups of {} lanes is claimed", self.lanes);
                same(chunk, first, values, &what)
            }),
        }
    }

    /// Whether `value = first + scale * (ext(index) - ext(first index))`, and the indices have their stride.
    fn check_indexed(
        &self,
        claim: &Claim,
        indexed: Indexed,
        active: &[usize],
        values: &[u64],
        indices: &[u64],
    ) -> Result<(), String> {
        self.check_stride(indexed.index, indexed.bits, active, indices, |lane| indices[lane])?;
        let extended = |index: u64| {
            let shift = u64::BITS - indexed.bits;
            if indexed.is_signed {
                ((index << shift) as i64 >> shift) as u64
            } else {
                index << shift >> shift
            }
        };
        let first = |lane: usize| {
            let scaled = extended(indices[lane]).wrapping_mul(indexed.scale as u64);
            values[lane].wrapping_sub(scaled) & mask(claim.bits)
        };
        let what =
            format!("a multiple, by {}, of an index of {} bits is claimed", indexed.scale, indexed.bits);
        match indexed.index.across {
            Some(_) => same(active, first, values, &what),
            None => self.chunks(active).try_for_each(|chunk| same(chunk, first, values, &what)),
        }
    }

    /// Whether the low bits are zero in the first lane: of the warp, or of each chunk if first lanes have unrelated values.
    fn check_zeros(
        &self,
        claim: &Claim,
        zeros: Zeros,
        active: &[usize],
        values: &[u64],
    ) -> Result<(), String> {
        let has_own = claim.shape.stride().is_some_and(|stride| stride.across.is_none());
        let zeros = if has_own { zeros.chunk } else { zeros.warp };
        let low = mask(zeros.min(claim.bits));
        let firsts: Vec<(usize, u64)> = match claim.shape.stride() {
            Some(stride) => self
                .chunks(active)
                .filter_map(|chunk| chunk.first().copied())
                .map(|lane| (lane, self.distance(stride, lane)))
                .collect(),
            None => (active.first() == Some(&0)).then_some((0, 0)).into_iter().collect(),
        };
        let is_not = |&(lane, distance): &(usize, u64)| values[lane].wrapping_sub(distance) & low != 0;
        match firsts.into_iter().find(is_not) {
            Some((lane, _)) => Err(format!(
                "lane {lane} has {:#x}, which is claimed to follow from a multiple of {:#x}",
                values[lane],
                u128::from(low) + 1
            )),
            None => Ok(()),
        }
    }

    /// The offset that a stride gives a lane: from lane 0, or from the first lane of its chunk if first lanes have unrelated values.
    fn distance(&self, stride: Stride, lane: usize) -> u64 {
        let (chunk, within) = (lane / self.lanes, lane % self.lanes);
        let times = |stride: i64, count: usize| stride.wrapping_mul(count as i64) as u64;
        times(stride.within, within).wrapping_add(times(stride.known_across(), chunk))
    }

    /// The active lanes of each chunk that has any.
    fn chunks<'a>(&self, active: &'a [usize]) -> impl Iterator<Item = &'a [usize]> {
        let lanes = self.lanes;
        active.chunk_by(move |a, b| a / lanes == b / lanes)
    }
}

/// Whether `of` is the same for all lanes of a set.
fn same(active: &[usize], of: impl Fn(usize) -> u64, values: &[u64], what: &str) -> Result<(), String> {
    let mut all = active.iter().copied();
    let Some(first) = all.next() else { return Ok(()) };
    match all.find(|&lane| of(lane) != of(first)) {
        Some(lane) => {
            let (one, other) = (values[first], values[lane]);
            Err(format!("{what}, but lane {first} has {one:#x} and lane {lane} has {other:#x}"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ptx_program::Row;

    use super::*;

    /// Claims of one row of 32 bits, in chunks of 16 lanes.
    fn claims(shape: Shape) -> Claims {
        Claims::new(vec![Claim { shape, facts: None, differing: u64::MAX, chunkwise: 1, bits: 32 }], 16)
    }

    fn row(of: impl Fn(u64) -> u64) -> Row {
        std::array::from_fn(|lane| of(lane as u64))
    }

    const NONE: Row = [0; WARP];

    #[test]
    fn strides_hold_for_the_lanes_that_run() {
        let claims = claims(Shape::Strided(Stride { within: 2, across: Some(100) }));
        let good = row(|lane| 7 + lane % 16 * 2 + lane / 16 * 100);
        assert_eq!(claims.check(0, &[u32::MAX], &good, &NONE), Ok(()));
        let mut bad = good;
        bad[20] += 1;
        assert!(claims.check(0, &[u32::MAX], &bad, &NONE).unwrap_err().contains("lane 20"));
        assert_eq!(claims.check(0, &[!(1 << 20)], &bad, &NONE), Ok(()));
        // The stride is modulo the bits of the register.
        let wraps = row(|lane| (0xffff_fffa + lane % 16 * 2 + lane / 16 * 100) & 0xffff_ffff);
        assert_eq!(claims.check(0, &[u32::MAX], &wraps, &NONE), Ok(()));
    }

    #[test]
    fn chunks_may_have_values_of_their_own() {
        let claims = claims(Shape::CHUNKWISE);
        assert_eq!(claims.check(0, &[u32::MAX], &row(|lane| lane / 16), &NONE), Ok(()));
        assert!(claims.check(0, &[u32::MAX], &row(|lane| lane / 8), &NONE).is_err());
    }

    #[test]
    fn indices_may_wrap_around_where_values_do() {
        let index = Stride { within: 1, across: Some(16) };
        let shape = Shape::Indexed(Indexed { index, bits: 8, is_signed: false, scale: 4 });
        let indices = row(|lane| (250 + lane) % 256);
        let values = row(|lane| 1000 + (250 + lane) % 256 * 4);
        assert_eq!(claims(shape).check(0, &[u32::MAX], &values, &indices), Ok(()));
        let straight = row(|lane| 1000 + (250 + lane) * 4);
        assert!(claims(shape).check(0, &[u32::MAX], &straight, &indices).is_err());
    }

    #[test]
    fn bounds_and_low_zeros_are_checked() {
        let facts = Some(Facts { least: 32, most: 95, zeros: Zeros::all(5) });
        let shape = Shape::Strided(Stride { within: 1, across: Some(16) });
        let claims =
            Claims::new(vec![Claim { shape, facts, differing: u64::MAX, chunkwise: 1, bits: 32 }], 16);
        assert_eq!(claims.check(0, &[u32::MAX], &row(|lane| 32 + lane), &NONE), Ok(()));
        let message = claims.check(0, &[u32::MAX], &row(|lane| 65 + lane), &NONE).unwrap_err();
        assert!(message.contains("claimed to be from 0x20 to 0x5f"), "{message}");
        let message = claims.check(0, &[0xf0], &row(|lane| 33 + lane), &NONE).unwrap_err();
        assert!(message.contains("a multiple of 0x20"), "{message}");
    }

    #[test]
    fn bits_in_which_no_lanes_differ_are_checked() {
        let claim = Claim { shape: Shape::Varying, facts: None, differing: 0xf, chunkwise: 1, bits: 32 };
        let claims = Claims::new(vec![claim], 16);
        assert_eq!(claims.check(0, &[u32::MAX], &row(|lane| 0x70 + lane % 16), &NONE), Ok(()));
        assert!(claims.check(0, &[u32::MAX], &row(|lane| 0x70 + lane), &NONE).is_err());
    }

    #[test]
    fn warps_that_run_together_are_compared_with_each_other() {
        let claims = claims(Shape::Strided(Stride { within: 1, across: Some(16) }));
        let mut values: Vec<u64> = (0..64).collect();
        let none = [0; 64];
        assert_eq!(claims.check(0, &[u32::MAX, u32::MAX], &values, &none), Ok(()));
        values[40] = 0;
        assert!(claims.check(0, &[1, 1 << 8], &values, &none).unwrap_err().contains("lane 40"));
        assert_eq!(claims.check(0, &[u32::MAX, 0xff], &values, &none), Ok(()));
        assert!(claims.check(0, &[1, 1], &values[..32], &none).is_err(), "there are values of one warp");
    }
}
