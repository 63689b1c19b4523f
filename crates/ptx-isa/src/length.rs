//! What determines the number of registers of a vector operand if shape, types and mode do so together.

/// How the length of a vector operand is determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VectorLengthRule {
    /// The fragment of matrix A that a thread holds (manual 9.7.14.4, 9.7.14.5).
    A,
    /// The fragment of matrix B.
    B,
    /// The fragment of the matrix that is added.
    C,
    /// The fragment of the result.
    D,
    /// The tensor memory that a thread loads or stores (manual 9.7.16.8.1).
    TensorMemory,
    /// The 8-bit and 16-bit matrices of `ldmatrix` and `stmatrix` (manual 9.7.14.5.15).
    Matrices,
    /// The coordinates in a tensor, with the rows of `.tile::gather4` and `.tile::scatter4` (manual 9.7.9.25.5.2).
    TensorCoordinates,
    /// The sizes of a tensor.
    TensorSizes,
    /// The strides of a tensor: one less than its dimensions.
    TensorStrides,
    /// The offsets or halo of the `.im2col` modes.
    TensorOffsets,
    /// The offsets of a texture fetch: one per dimension, three padded to four (manual 9.7.10.3).
    TextureOffsets,
    /// The derivative of the coordinates of a texture: one per dimension, three padded to four, without array indices.
    Gradient,
    /// The mask of lanes that stay as they are: 4 words, or 8 for a pair of blocks (manual 9.7.16.10.9).
    DisabledLanes,
    /// Half of the elements that a thread loads: what is kept of 2:4 compressed ones.
    CompressedValues,
    /// The positions of compressed elements, 2 bits for each.
    CompressedPositions,
}
