//! Asynchronous operations that engines pass to the runtime; groups of them, committed and waited for by the issuing
//! thread (manual 9.7.9.25.1.1); and asynchronous stores.

use super::{
    Address, Atomic, Bulk, Src, Store, TensorCommit, TensorCopy, TensorIssue, TensormapCopy,
    TensormapReplace, TryCancel,
};

/// An operation that proceeds asynchronously to the thread, or that modifies the inputs of such operations. The machine
/// executes it (`machine/asynchronous.rs`), for compiled code too. `cp.async` is not included: compiled code copies
/// inline.
#[derive(Clone, Debug, Hash)]
pub enum AsyncOp {
    Bulk(Box<Bulk>),
    Write(Box<AsyncWrite>),
    TensorCopy(Box<TensorCopy>),
    TensormapReplace(Box<TensormapReplace>),
    TensormapCopy(Box<TensormapCopy>),
    /// An operation on tensor memory.
    Tensor(Box<TensorIssue>),
    TensorCommit(Box<TensorCommit>),
    TryCancel(Box<TryCancel>),
}

/// Operations that are committed and waited for together. A thread has separate groups for each family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Family {
    /// `cp.async`.
    Copies,
    /// `cp.async.bulk`, `cp.reduce.async.bulk` and their tensor forms, if they do not complete at an mbarrier.
    Bulk,
    /// `wgmma.mma_async`, per warp.
    Products,
    /// `tcgen05` operations on tensor memory, per block: a later operation does not overtake one it is ordered after.
    Tensor,
    /// `tcgen05.st`, per warp.
    TensorStores,
}

/// Operation on the groups of a family.
#[derive(Clone, Copy, Debug, Hash)]
pub enum GroupAction {
    /// Commits the operations since the last commit as a group.
    Commit,
    /// Waits until at most this number of the most recent groups is incomplete.
    Wait(Src),
    /// Waits until all but this number of the most recent groups have finished reading their sources.
    WaitForReads(Src),
    /// Commits the group and waits for all.
    WaitForAll,
}

/// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`, `cp.async.bulk.commit_group`,
/// `cp.async.bulk.wait_group`.
#[derive(Clone, Copy, Debug, Hash)]
pub struct AsyncGroup {
    pub family: Family,
    pub action: GroupAction,
}

/// The memory operation of an asynchronous store.
#[derive(Clone, Debug, Hash)]
pub enum Write {
    Store(Store),
    Combine(Atomic),
}

/// `st.async`, `red.async`.
#[derive(Clone, Debug, Hash)]
pub struct AsyncWrite {
    pub write: Write,
    /// The mbarrier that counts the bytes.
    pub barrier: Option<Address>,
}
