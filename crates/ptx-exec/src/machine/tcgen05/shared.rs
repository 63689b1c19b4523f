//! Matrices in shared memory given by `tcgen05` descriptors (manual 9.7.16.3, 9.7.16.4.1).

use ptx_program::memory::Space;
use ptx_program::scalar::narrow::Narrow;
use ptx_program::{Element, Majorness};

use super::misuse::misuse;
use crate::error::TrapKind;
use crate::machine::descriptor::{Descriptor, SharedMatrix, Swizzle};
use crate::machine::products::Lines;
use crate::memory::read_bytes;

/// Bits 46 to 48 of every descriptor.
const VERSION: u64 = 1;
/// Undefined bits: between the fields, and 53 to 60.
const UNUSED: u64 = 0x1fe0_0000_c000_c000;

/// A matrix in the shared memory of a block.
pub(super) struct SharedFactor<'m> {
    matrix: SharedMatrix,
    /// The address of the remainder of rows that do not fit in their pattern.
    second: Option<u64>,
    memory: &'m [u8],
}

impl<'m> SharedFactor<'m> {
    /// A matrix of `lines` lines of `depth` elements of `element_bits` bits.
    pub(super) fn new(
        bits: u64,
        majorness: Majorness,
        element_bits: u32,
        (lines, depth): (usize, usize),
        memory: &'m [u8],
    ) -> Result<Self, TrapKind> {
        if bits & UNUSED != 0 || bits >> 46 & 7 != VERSION {
            return misuse(format!(
                "the matrix descriptor {bits:#018x} has {} in bits 46 to 48, expected 1, or bits that mean nothing",
                bits >> 46 & 7
            ));
        }
        let swizzle = match bits >> 61 {
            0 => Swizzle::None,
            1 => Swizzle::Wide128,
            2 => Swizzle::Bytes128,
            4 => Swizzle::Bytes64,
            6 => Swizzle::Bytes32,
            other => {
                return misuse(format!(
                    "the matrix descriptor {bits:#018x} names the swizzling mode {other}, expected 0, 1, 2, 4 or 6"
                ));
            }
        };
        let descriptor = Descriptor::new(bits, swizzle);
        let matrix = SharedMatrix { descriptor, majorness, bits: element_bits, lines, depth };
        let second = if bits >> 52 & 1 == 1 { Some(descriptor.leading) } else { None };
        match second {
            None => matrix.check().or_else(misuse)?,
            Some(_) if swizzle == Swizzle::Bytes128 && majorness == Majorness::K && descriptor.base == 0 => {}
            Some(_) => {
                return misuse(
                    "an absolute address in a matrix descriptor needs swizzling of 128 bytes, K-major, and no base offset",
                );
            }
        }
        Ok(Self { matrix, second, memory })
    }

    /// The matrix in the form for another engine, if all rows are separated by one stride.
    pub(super) fn lines(&self) -> Option<Lines<'m>> {
        self.second.is_none().then(|| Lines::new(self.matrix, self.memory))
    }

    pub(super) fn swizzle(&self) -> Swizzle {
        self.matrix.descriptor.swizzle
    }

    /// 16 bytes of a row, or of column `row` for [`Majorness::Mn`].
    pub(super) fn chunk(&self, row: usize, chunk: usize) -> Result<u128, TrapKind> {
        let mut matrix = self.matrix;
        let mut chunk = chunk;
        if let Some(second) = self.second {
            let first = (matrix.descriptor.start / 16 % 8) as usize;
            if first + chunk >= 8 {
                matrix.descriptor.start = second;
                chunk = first + chunk - 8;
            }
        }
        let at = matrix.chunk(row, chunk);
        let half = |at| read_bytes(self.memory, Space::Shared, at, 8).map_err(TrapKind::Fault);
        Ok(u128::from(half(at)?) | u128::from(half(at + 8)?) << 64)
    }

    /// The bits of all elements, line by line.
    pub(super) fn elements(&self, element: Element) -> Result<Vec<u64>, TrapKind> {
        let SharedMatrix { majorness, lines, depth, .. } = self.matrix;
        let each = (128 / element.bits()) as usize;
        let (rows, along) = match majorness {
            Majorness::K => (lines, depth),
            Majorness::Mn => (depth, lines),
        };
        let mut elements = vec![0; lines * depth];
        for row in 0..rows {
            for chunk in 0..along.div_ceil(each) {
                let bytes = self.chunk(row, chunk)?;
                for i in 0..each.min(along - chunk * each) {
                    let (line, at) = match majorness {
                        Majorness::K => (row, chunk * each + i),
                        Majorness::Mn => (chunk * each + i, row),
                    };
                    if let Some(entry) = elements.get_mut(line * depth + at) {
                        *entry = element_of(element, bytes, i);
                    }
                }
            }
        }
        Ok(elements)
    }
}

/// Element `i` of 16 bytes of shared memory, in its tensor memory representation: 4- and 6-bit elements occupy a byte
/// there, and are packed in the low bits of the 16 bytes here (manual 9.7.16.10.4).
pub(super) fn element_of(element: Element, bytes: u128, i: usize) -> u64 {
    let field = |bits: usize| (bytes >> (bits * i)) as u64 & (u64::MAX >> (64 - bits));
    match element {
        Element::Narrow(Narrow::E2m1) => field(4) << 2,
        Element::Narrow(Narrow::E2m3 | Narrow::E3m2) => field(6),
        other => field(other.bits() as usize),
    }
}
