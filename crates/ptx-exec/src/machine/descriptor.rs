//! Matrices in shared memory given by descriptors: the address of each element (manual 9.7.15.5.1.2; for `tcgen05`,
//! whose descriptors have other fields with the same meaning, 9.7.16.3 and 9.7.16.4.1).
//!
//! A line is a row of A or a column of B: the elements with the same index along M or N. Memory is organized in 16-byte
//! chunks of adjacent elements of a line (K-major) or of adjacent lines (MN-major). Chunks form patterns of eight rows,
//! whose width is given by the swizzle mode; two strides separate the patterns. Swizzling then permutes the chunks of a
//! row by the number of the row, which is an exclusive or on a few bits of the address.

use ptx_program::Majorness;

use crate::memory::Fault;

/// Bytes of a chunk: the unit that swizzling moves, or half of it ([`Swizzle::Wide128`]).
const CHUNK: u64 = 16;
/// Bits that are unused in descriptors of `wgmma` only.
const UNUSED: u64 = 0x3ff1_c000_c000_c000;

/// Permutation of the chunks within a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Swizzle {
    None,
    Bytes32,
    Bytes64,
    Bytes128,
    /// 128 bytes in units of 32, only for `tcgen05` and [`Majorness::Mn`] matrices. A pattern has four rows.
    Wide128,
}

impl Swizzle {
    /// Chunks per row of a pattern.
    const fn width(self) -> u64 {
        match self {
            Swizzle::None => 1,
            Swizzle::Bytes32 => 2,
            Swizzle::Bytes64 => 4,
            Swizzle::Bytes128 | Swizzle::Wide128 => 8,
        }
    }

    /// Rows per pattern.
    const fn rows(self) -> u64 {
        match self {
            Swizzle::None | Swizzle::Bytes32 | Swizzle::Bytes64 | Swizzle::Bytes128 => 8,
            Swizzle::Wide128 => 4,
        }
    }

    /// The bits of the number of a 128-byte line that are combined with the address by exclusive or, and their position there.
    const fn exchanged(self) -> (u64, u32) {
        match self {
            Swizzle::None => (0, 4),
            Swizzle::Bytes32 => (1, 4),
            Swizzle::Bytes64 => (3, 4),
            Swizzle::Bytes128 => (7, 4),
            Swizzle::Wide128 => (3, 5),
        }
    }
}

/// The fields of a descriptor; all in bytes, except `base`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Descriptor {
    pub(super) start: u64,
    /// The leading-dimension byte offset.
    pub(super) leading: u64,
    /// The stride-dimension byte offset.
    pub(super) stride: u64,
    /// The base offset, in units of 128 bytes.
    pub(super) base: u64,
    pub(super) swizzle: Swizzle,
}

impl Descriptor {
    /// The fields common to descriptors of `wgmma` and `tcgen05`: addresses without their four low bits.
    pub(super) const fn new(bits: u64, swizzle: Swizzle) -> Self {
        Self {
            start: (bits & 0x3fff) * CHUNK,
            leading: (bits >> 16 & 0x3fff) * CHUNK,
            stride: (bits >> 32 & 0x3fff) * CHUNK,
            base: bits >> 49 & 7,
            swizzle,
        }
    }

    /// A descriptor of `wgmma` (manual 9.7.15.5.1.2.2).
    ///
    /// # Errors
    /// If undefined bits are set.
    pub(super) fn of_warpgroup(bits: u64) -> Result<Self, String> {
        if bits & UNUSED != 0 {
            let stray = bits & UNUSED;
            return Err(format!(
                "the matrix descriptor {bits:#018x} has bits {stray:#x}, which mean nothing"
            ));
        }
        let swizzle = match bits >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::Bytes128,
            2 => Swizzle::Bytes64,
            _ => Swizzle::Bytes32,
        };
        Ok(Self::new(bits, swizzle))
    }
}

/// The chunk addresses of a matrix as plain numbers: each address is computed without a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ChunkAddresses {
    start: u64,
    /// Number of rows of a pattern (log2); bytes between rows, and between patterns.
    rows: u32,
    row: u64,
    rows_apart: u64,
    /// Number of adjacent chunks (log2), and bytes between groups of those.
    chunks: u32,
    chunks_apart: u64,
    /// For swizzling: the base offset, the mask of bits of the 128-byte line number, and their position in the address.
    base: u64,
    exchanged: u64,
    shift: u32,
}

impl ChunkAddresses {
    /// The address of a chunk: of elements `chunk * each()` onwards of line `row`, or for [`Majorness::Mn`] of element
    /// `row` of lines `chunk * each()` onwards.
    #[inline]
    pub(super) const fn chunk(&self, row: usize, chunk: usize) -> u64 {
        let (row, chunk) = (row as u64, chunk as u64);
        let in_pattern =
            (row & ((1 << self.rows) - 1)) * self.row + (chunk & ((1 << self.chunks) - 1)) * CHUNK;
        let apart = (row >> self.rows) * self.rows_apart + (chunk >> self.chunks) * self.chunks_apart;
        exchange(self.start + in_pattern + apart, self.base, (self.exchanged, self.shift))
    }
}

/// The swizzled address of the byte at unswizzled `address`. Patterns start at multiples of their size, or `base` times 128 bytes after one.
const fn exchange(address: u64, base: u64, (exchanged, shift): (u64, u32)) -> u64 {
    address ^ ((address >> 7).wrapping_sub(base) & exchanged) << shift
}

/// A matrix in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SharedMatrix {
    pub(super) descriptor: Descriptor,
    pub(super) majorness: Majorness,
    /// Bits of an element, a divisor of 128.
    pub(super) bits: u32,
    /// Rows of A or columns of B.
    pub(super) lines: usize,
    /// Elements per line.
    pub(super) depth: usize,
}

impl SharedMatrix {
    /// Elements per chunk.
    const fn each(&self) -> usize {
        (128 / self.bits) as usize
    }

    /// Whether the layout specified by the manual places each chunk at exactly one address.
    ///
    /// # Errors
    /// If the adjacent chunks are wider than a row of the pattern, or than the part of the row after the start.
    pub(super) fn check(&self) -> Result<(), String> {
        let Descriptor { start, swizzle, .. } = self.descriptor;
        let width = swizzle.width();
        if swizzle == Swizzle::None {
            return Ok(());
        }
        let first = start / CHUNK % width;
        // Swizzling permutes the chunks of one row of a pattern. Chunks past its end would be permuted like those of another row.
        let beside = match self.majorness {
            Majorness::K => self.depth.div_ceil(self.each()) as u64,
            // Lines after the first row of a pattern are in the next pattern, at the leading-dimension offset.
            Majorness::Mn => (self.lines.div_ceil(self.each()) as u64).min(width),
        };
        if first + beside <= width && (self.majorness == Majorness::Mn || swizzle != Swizzle::Wide128) {
            return Ok(());
        }
        Err(format!(
            "a matrix with {} bytes side by side, from byte {} of a row on, does not fit into a row of {} bytes of the swizzled pattern",
            beside * CHUNK,
            first * CHUNK,
            width * CHUNK
        ))
    }

    /// The chunk addresses. These are the canonical layouts (manual 9.7.15.5.1.2.1.3).
    pub(super) const fn chunk_addresses(&self) -> ChunkAddresses {
        let Descriptor { start, leading, stride, base, swizzle } = self.descriptor;
        let width = swizzle.width().trailing_zeros();
        let (rows_apart, chunks, chunks_apart) = match (self.majorness, swizzle) {
            (Majorness::K, Swizzle::None) => (stride, 0, leading),
            (Majorness::Mn, Swizzle::None) => (leading, 0, stride),
            // All chunks of a line are adjacent.
            (Majorness::K, _) => (stride, 63, 0),
            (Majorness::Mn, _) => (stride, width, leading),
        };
        let (exchanged, shift) = swizzle.exchanged();
        let (rows, row) = (swizzle.rows().trailing_zeros(), CHUNK << width);
        ChunkAddresses { start, rows, row, rows_apart, chunks, chunks_apart, base, exchanged, shift }
    }

    /// The address of a chunk (see [`ChunkAddresses::chunk`]).
    pub(super) const fn chunk(&self, row: usize, chunk: usize) -> u64 {
        self.chunk_addresses().chunk(row, chunk)
    }

    /// All elements, line by line.
    ///
    /// # Errors
    /// Errors of `read`, which reads the 16 bytes at an address.
    pub(super) fn elements(&self, read: impl Fn(u64) -> Result<u128, Fault>) -> Result<Vec<u64>, Fault> {
        let (each, mask) = (self.each(), u64::MAX >> (64 - self.bits.clamp(1, 64)));
        let mut elements = vec![0; self.lines * self.depth];
        let (rows, along) = match self.majorness {
            Majorness::K => (self.lines, self.depth),
            Majorness::Mn => (self.depth, self.lines),
        };
        for row in 0..rows {
            for chunk in 0..along.div_ceil(each) {
                let bytes = read(self.chunk(row, chunk))?;
                for i in 0..each.min(along - chunk * each) {
                    let (line, at) = match self.majorness {
                        Majorness::K => (row, chunk * each + i),
                        Majorness::Mn => (chunk * each + i, row),
                    };
                    if let Some(entry) = elements.get_mut(line * self.depth + at) {
                        *entry = (bytes >> (self.bits as usize * i)) as u64 & mask;
                    }
                }
            }
        }
        Ok(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mode of a CuTe layout: sizes with their strides, the first changing fastest.
    type Mode = Vec<(usize, usize)>;

    fn offset(mode: &Mode, mut index: usize) -> usize {
        let mut sum = 0;
        for (at, &(size, stride)) in mode.iter().enumerate() {
            // The last size is open.
            let digit = if at + 1 == mode.len() { index } else { index % size };
            sum += digit * stride;
            index /= size;
        }
        sum
    }

    /// CuTe's `Swizzle<bits, base, shift>` of a number of bytes.
    fn swizzled(bits: u32, base: u32, shift: u32, x: u64) -> u64 {
        let upper = ((1 << bits) - 1) << (base + shift);
        x ^ (x & upper) >> shift
    }

    /// A layout of the manual's table of canonical layouts (9.7.15.5.1.2.1.3), with strides in elements: the modes of lines and
    /// of depth, and the parameters of the swizzling.
    fn canonical(
        swizzle: Swizzle,
        majorness: Majorness,
        t: usize,
        leading: usize,
        stride: usize,
    ) -> (Mode, Mode, [u32; 3]) {
        let (w, bits) = match swizzle {
            Swizzle::None => (1, [0, 4, 3]),
            Swizzle::Bytes32 => (2, [1, 4, 3]),
            Swizzle::Bytes64 => (4, [2, 4, 3]),
            Swizzle::Bytes128 => (8, [3, 4, 3]),
            // From CUTLASS (`cute/atom/mma_traits_sm100.hpp`): the manual has no formula of it.
            Swizzle::Wide128 => (8, [2, 5, 2]),
        };
        let (lines, depth) = match (majorness, swizzle) {
            (Majorness::K, Swizzle::None) => (vec![(8, t), (1, stride)], vec![(t, 1), (1, leading)]),
            (Majorness::K, _) => (vec![(8, w * t), (1, stride)], vec![(t, 1), (1, t)]),
            (Majorness::Mn, Swizzle::None) => (vec![(t, 1), (1, t), (1, stride)], vec![(8, t), (1, leading)]),
            (Majorness::Mn, Swizzle::Wide128) => {
                (vec![(t, 1), (8, t), (1, leading)], vec![(4, 8 * t), (1, stride)])
            }
            (Majorness::Mn, _) => (vec![(t, 1), (w, t), (1, leading)], vec![(8, w * t), (1, stride)]),
        };
        (lines, depth, bits)
    }

    fn value(line: usize, depth: usize) -> u64 {
        (line as u64 * 37 + depth as u64 * 101 + line as u64 / 7 + 1) & 0xffff_ffff
    }

    /// Memory that has the elements where the layout of the manual puts them, and something else everywhere else.
    fn memory(matrix: &SharedMatrix, pattern: u64) -> Vec<u8> {
        let Descriptor { start, leading, stride, swizzle, .. } = matrix.descriptor;
        let bits = matrix.bits as usize;
        let elements = |bytes: u64| bytes as usize * 8 / bits;
        let t = 128 / bits;
        let (lines, depth, [count, base, shift]) =
            canonical(swizzle, matrix.majorness, t, elements(leading), elements(stride));
        let mut bytes: Vec<u8> = (0..1 << 18).map(|at: u32| (at * 73 + 5) as u8).collect();
        for line in 0..matrix.lines {
            for k in 0..matrix.depth {
                let at = (offset(&lines, line) + offset(&depth, k)) * bits;
                let within = start - pattern + at as u64 / 8;
                let place = (pattern + swizzled(count, base, shift, within)) as usize;
                let raw = value(line, k) & ((1 << bits) - 1);
                if bits < 8 {
                    let mask = ((1 << bits) - 1) << (at % 8);
                    bytes[place] = bytes[place] & !(mask as u8) | (raw << (at % 8)) as u8;
                } else {
                    bytes[place..place + bits / 8].copy_from_slice(&raw.to_le_bytes()[..bits / 8]);
                }
            }
        }
        bytes
    }

    fn check(matrix: &SharedMatrix, pattern: u64) {
        matrix.check().unwrap();
        let bytes = memory(matrix, pattern);
        let read = |address: u64| {
            let chunk: [u8; 16] = bytes[address as usize..address as usize + 16].try_into().unwrap();
            Ok(u128::from_le_bytes(chunk))
        };
        let found = matrix.elements(read).unwrap();
        let mask = u64::MAX >> (64 - matrix.bits);
        for line in 0..matrix.lines {
            for k in 0..matrix.depth {
                let wanted = value(line, k) & mask;
                assert_eq!(found[line * matrix.depth + k], wanted, "line {line}, {k}, {matrix:?}");
            }
        }
    }

    const SWIZZLES: [Swizzle; 4] = [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128];

    #[test]
    fn elements_lie_where_the_canonical_layouts_put_them() {
        for swizzle in SWIZZLES {
            let pattern = swizzle.width() * 128;
            for bits in [1, 4, 8, 16, 32] {
                // Patterns follow each other along the lines, then along the depth, or the other way round.
                for (leading, stride) in [(pattern, 16 * pattern), (8 * pattern, pattern)] {
                    for lines in [8, 24, 64] {
                        let descriptor = Descriptor { start: 2048, leading, stride, base: 0, swizzle };
                        let depth = 256 / bits as usize;
                        let matrix = SharedMatrix { descriptor, majorness: Majorness::K, bits, lines, depth };
                        check(&matrix, 2048);
                        if (lines * bits as usize).is_multiple_of(128) {
                            check(&SharedMatrix { majorness: Majorness::Mn, ..matrix }, 2048);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_matrix_may_begin_within_a_row_of_its_pattern() {
        // The second 32 bytes of each row of 128, as a loop over K has them; and those of 64.
        for (swizzle, within) in [(Swizzle::Bytes128, 32), (Swizzle::Bytes128, 96), (Swizzle::Bytes64, 32)] {
            let descriptor = Descriptor { start: 1024 + within, leading: 16, stride: 1024, base: 0, swizzle };
            let matrix = SharedMatrix { descriptor, majorness: Majorness::K, bits: 16, lines: 64, depth: 16 };
            check(&matrix, 1024);
            // 64 bytes from there on need another row.
            assert_eq!(
                SharedMatrix { depth: 32, ..matrix }.check().is_err(),
                within != 32 || swizzle == Swizzle::Bytes64
            );
        }
    }

    #[test]
    fn patterns_may_begin_anywhere() {
        for swizzle in [Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128] {
            for base in 0..8 {
                let start = 4096 + base * 128;
                let descriptor = Descriptor { start, leading: 1024, stride: 2048, base, swizzle };
                let matrix =
                    SharedMatrix { descriptor, majorness: Majorness::K, bits: 8, lines: 16, depth: 32 };
                check(&matrix, start);
                check(&SharedMatrix { majorness: Majorness::Mn, lines: 64, ..matrix }, start);
            }
        }
    }

    #[test]
    fn patterns_of_wide_pieces_have_four_rows() {
        let descriptor =
            Descriptor { start: 1024, leading: 4096, stride: 512, base: 0, swizzle: Swizzle::Wide128 };
        let matrix = SharedMatrix { descriptor, majorness: Majorness::Mn, bits: 32, lines: 64, depth: 8 };
        check(&matrix, 1024);
        assert!(SharedMatrix { majorness: Majorness::K, ..matrix }.check().is_err());
    }

    /// The fields of the manual's examples (figures 166 to 170).
    #[test]
    fn fields_of_a_descriptor() {
        let bits = 0x2000 >> 4 | (64 * 4 / 16) << 16 | (32 * 4 / 16) << 32;
        assert_eq!((bits >> 16 & 0x3fff, bits >> 32 & 0x3fff), (16, 8));
        let plain = Descriptor::of_warpgroup(bits).unwrap();
        let expected =
            Descriptor { start: 0x2000, leading: 256, stride: 128, base: 0, swizzle: Swizzle::None };
        assert_eq!(plain, expected);
        let modes = [Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32];
        for (mode, swizzle) in (0..).zip(modes) {
            let found = Descriptor::of_warpgroup(bits | 5 << 49 | mode << 62).unwrap();
            assert_eq!(found, Descriptor { base: 5, swizzle, ..expected });
        }
        for stray in [14, 31, 46, 48, 52, 61] {
            assert!(Descriptor::of_warpgroup(bits | 1 << stray).is_err(), "{stray}");
        }
    }
}
