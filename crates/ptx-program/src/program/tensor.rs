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
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
}

/// Direction of a tensor copy.
#[derive(Clone, Copy, Debug, Hash)]
pub enum TensorAction {
    /// To shared memory, signalling an mbarrier there. With a mask it is multicast to the blocks of the cluster in the
    /// mask; for pairs of blocks the mbarriers are those of the even or odd blocks, with the parity of the given one.
    Load { barrier: Address, blocks: Option<Src>, for_pairs: bool },
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
    pub mode: TensorMode,
    pub shared: Address,
    pub coordinates: Box<[Src]>,
    pub offsets: Box<[Src]>,
    /// Overrides the tensor address of the map.
    pub address: Option<Src>,
    pub action: TensorAction,
}

/// `tensormap.replace`.
#[derive(Clone, Debug, Hash)]
pub struct TensormapReplace {
    pub map: Address,
    pub field: Field,
    pub value: Src,
}

/// `tensormap.cp_fenceproxy`, executed when all threads of the warp have arrived.
#[derive(Clone, Debug, Hash)]
pub struct TensormapCopy {
    pub to: Address,
    pub from: Address,
}
