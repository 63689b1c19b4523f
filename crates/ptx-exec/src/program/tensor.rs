//! Tensor copies and changes of tensor maps (manual 9.7.9.25.5, 9.7.9.28, 9.7.13.16).

use super::{Address, Src};
use crate::tensormap::Field;

/// Which elements of the tensor are copied, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TensorMode {
    /// A box.
    Tile,
    /// `.tile::gather4`, `.tile::scatter4`: four rows, each with a coordinate of its own.
    FourRows,
    /// `.im2col`, and `.im2col_no_offs` without offsets.
    Im2col,
    /// `.im2col::w`: the offsets are the halo and the offset along W.
    Im2colW,
    /// `.im2col::w::128`.
    Im2colW128,
}

/// How `cp.reduce.async.bulk.tensor` combines elements; their type is in the map.
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

/// Where a tensor copy goes.
#[derive(Clone, Copy, Debug, Hash)]
pub enum TensorAction {
    /// To shared memory; a barrier there counts the bytes. With a mask to the blocks of the cluster that it names, and
    /// for pairs of blocks the barriers are those of the even or of the odd ones, as the one that is named.
    Load { barrier: Address, blocks: Option<Src>, for_pairs: bool },
    /// To the tensor.
    Store,
    /// To the tensor, combined with what it holds.
    Reduce(TensorReduction),
}

/// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`.
#[derive(Clone, Debug, Hash)]
pub struct TensorCopy {
    /// Where the tensor map is.
    pub map: Address,
    /// Dimensions of the tensor.
    pub rank: usize,
    pub mode: TensorMode,
    pub shared: Address,
    pub coordinates: Box<[Src]>,
    pub offsets: Box<[Src]>,
    /// The address that replaces the one of the map.
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

/// `tensormap.cp_fenceproxy`, after all threads of the warp have come.
#[derive(Clone, Debug, Hash)]
pub struct TensormapCopy {
    pub to: Address,
    pub from: Address,
}
