//! The matrices of `mma`, `wmma` and `wgmma`: their shapes, and how threads share them.

use crate::names::Mod;

/// The shape of a product: A has m rows and k columns, B has k rows and n columns, the sums have m rows and n columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatrixShape {
    /// Rows of A and of the sums.
    pub m: u32,
    /// Columns of B and of the sums.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

impl Mod {
    /// The shape that a modifier like `.m16n8k32` names; `None` for other modifiers.
    pub fn matrix_shape(self) -> Option<MatrixShape> {
        let rest = self.as_str().strip_prefix('m')?;
        let (m, rest) = rest.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(MatrixShape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }
}

/// The kinds of multiplication that keep elements of 4 bits as they are; otherwise formats of 4 and 6 bits are padded to bytes.
pub const PACKED_KINDS: [Mod; 2] = [Mod::KindMxf4, Mod::KindMxf4nvf4];

/// The registers that `wmma` has for a factor of `.f16`, of every shape (manual 9.7.14.4.1).
pub const WMMA_HALVES: u32 = 8;

/// The registers in which each of `threads` threads holds its share of a matrix: of 64 bits for elements of 64 bits, else of 32.
pub const fn fragment_registers(elements: u32, bits: u32, threads: u32) -> u32 {
    (elements * bits).div_ceil(threads * if bits == 64 { 64 } else { 32 })
}

/// The elements of a chunk of a sparse A, which has four slots of which two are kept (manual 9.7.14.6): a slot is one element of 8 or
/// 16 bits, two of 4 bits, or half of one of 32 bits.
pub const fn sparse_chunk(bits: u32) -> u32 {
    match bits {
        32 => 2,
        4 => 8,
        _ => 4,
    }
}

/// How many choices there are of the threads that provide the metadata of a sparse A with `k` columns (manual 9.7.14.6.1,
/// 9.7.15.6.1): a thread of a group of four provides that of eight chunks. At least 1.
pub const fn sparsity_selectors(k: u32, bits: u32) -> u32 {
    match k / sparse_chunk(bits) {
        0..=4 => 4,
        5..=8 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{MatrixShape, fragment_registers, sparsity_selectors};
    use crate::Mod;

    #[test]
    fn shapes_of_products_have_three_numbers() {
        assert_eq!(Mod::M16n8k32.matrix_shape(), Some(MatrixShape { m: 16, n: 8, k: 32 }));
        assert_eq!(Mod::M64n256k16.matrix_shape(), Some(MatrixShape { m: 64, n: 256, k: 16 }));
        assert_eq!([Mod::M16n16, Mod::Mma, Mod::S16x64b].map(Mod::matrix_shape), [None; 3]);
    }

    #[test]
    fn threads_share_matrices_evenly() {
        // A of `mma.m16n8k16` in halves, the sums in doubles, D of `wgmma.m64n256k16` (manual 9.7.14.5, 9.7.15.5).
        assert_eq!(fragment_registers(16 * 16, 16, 32), 4);
        assert_eq!(fragment_registers(16 * 8, 64, 32), 4);
        assert_eq!(fragment_registers(64 * 256, 32, 128), 128);
    }

    #[test]
    fn longer_rows_leave_fewer_choices_of_threads() {
        // `mma.sp` in halves with k = 16 and 32, in bytes with k = 64, on four bits with k = 64 (manual 9.7.14.6.1).
        assert_eq!(
            [(16, 16), (32, 16), (64, 8), (64, 4)].map(|(k, bits)| sparsity_selectors(k, bits)),
            [4, 2, 1, 2]
        );
    }
}
