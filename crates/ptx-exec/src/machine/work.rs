//! What asynchronous operations do: each with its operands resolved, as far as they are read at issue.

use ptx_program::Combine;
use ptx_program::memory::SpaceAddress;

use super::bulk_work::BulkWork;
use super::tcgen05::{Tcgen05Work, TensorStore};
use super::tensor_work::TensorWork;
use super::warpgroup::WarpgroupWork;

/// The effect of an operation when it is performed.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// No effect except the signal.
    Nothing,
    /// `cp.async`.
    Copy(CopyWork),
    /// `st.async`, `red.async`.
    Write(WriteWork),
    /// `cp.async.bulk`, `cp.reduce.async.bulk`.
    Bulk(BulkWork),
    /// `wgmma.mma_async`.
    Warpgroup(Box<WarpgroupWork>),
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`.
    Tensor(TensorWork),
    /// `tcgen05.mma`, `tcgen05.cp`, `tcgen05.shift`.
    Tcgen05(Box<Tcgen05Work>),
    /// `tcgen05.st`.
    TensorStore(Box<TensorStore>),
}

/// A `cp.async` of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyWork {
    pub(super) to: SpaceAddress,
    pub(super) from: SpaceAddress,
    /// Bytes that are written; those past `copied` are zero-filled.
    pub(super) size: u32,
    pub(super) copied: u32,
}

/// An `st.async` or `red.async` of a thread.
#[derive(Clone, Debug)]
pub(super) struct WriteWork {
    pub(super) to: SpaceAddress,
    /// Bytes of an element; 16-byte elements are two values of 8 bytes.
    pub(super) size: u32,
    pub(super) values: Box<[u64]>,
    /// The operation that combines the old value with the new one; `None` to overwrite.
    pub(super) combine: Option<Combine>,
}

impl WriteWork {
    /// Writes two values of 8 bytes.
    pub(super) fn of_pair(to: SpaceAddress, values: [u64; 2]) -> Self {
        Self { to, size: 8, values: values.into(), combine: None }
    }
}
