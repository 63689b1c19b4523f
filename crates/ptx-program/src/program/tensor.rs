//! Tensor copies and updates of tensor maps (manual 9.7.9.25.5, 9.7.9.28, 9.7.13.16).

use super::{Address, Src};
use crate::tensormap::Field;

/// Which elements of the tensor are copied, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorMode {
    /// A box.
    Tile,
    /// `.tile::gather4`, `.tile::scatter4`: four rows with separate coordinates.
    FourRows,
    /// `.im2col`, and `.im2col_no_offs` without offsets.
    Im2col,
    /// `.im2col::w`: the offsets are the halo and the offset along W.
    Im2colW,
    /// `.im2col::w::128`.
    Im2colW128,
}

/// Reduction of `cp.reduce.async.bulk.tensor`; the element type is in the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorReduction {
    /// `.add`
    Add,
    /// `.min`
    Min,
    /// `.max`
    Max,
    /// `.inc`
    Inc,
    /// `.dec`
    Dec,
    /// `.and`
    And,
    /// `.or`
    Or,
    /// `.xor`
    Xor,
}

/// Direction of a tensor copy.
#[derive(Clone, Copy, Debug, Hash)]
pub enum TensorAction {
    /// To shared memory, signalling an mbarrier there. With a mask it is multicast to the blocks of the cluster in the
    /// mask; for pairs of blocks the mbarriers are those of the even or odd blocks, with the parity of the given one.
    Load {
        /// The mbarrier that counts the bytes.
        barrier: Address,
        /// The mask of the blocks that receive the data.
        blocks: Option<Src>,
        /// Whether the mbarriers are those of pairs of blocks.
        for_pairs: bool,
    },
    /// To the tensor.
    Store,
    /// To the tensor, combined with its contents.
    Reduce(TensorReduction),
}

/// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`.
#[derive(Clone, Debug, Hash)]
pub struct TensorCopy {
    /// Address of the tensor map.
    pub map: Address,
    /// Dimensions of the tensor.
    pub rank: usize,
    /// Which elements are copied.
    pub mode: TensorMode,
    /// The address in shared memory.
    pub shared: Address,
    /// The coordinates in the tensor, innermost first.
    pub coordinates: Box<[Src]>,
    /// The offsets of `.im2col` modes.
    pub offsets: Box<[Src]>,
    /// Overrides the tensor address of the map.
    pub address: Option<Src>,
    /// The direction.
    pub action: TensorAction,
}

/// `tensormap.replace`.
#[derive(Clone, Debug, Hash)]
pub struct TensormapReplace {
    /// The address of the tensor map.
    pub map: Address,
    /// The field.
    pub field: Field,
    /// Its new value.
    pub value: Src,
}

/// `tensormap.cp_fenceproxy`, executed when all threads of the warp have arrived.
#[derive(Clone, Debug, Hash)]
pub struct TensormapCopy {
    /// The address of the copy.
    pub to: Address,
    /// The address of the tensor map in shared memory.
    pub from: Address,
}
