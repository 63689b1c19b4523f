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
    /// `cp.async.bulk`, `cp.reduce.async.bulk`, `st.bulk`.
    Bulk(Box<Bulk>),
    /// `st.async`, `red.async`.
    Write(Box<AsyncWrite>),
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`.
    TensorCopy(Box<TensorCopy>),
    /// `tensormap.replace`.
    TensormapReplace(Box<TensormapReplace>),
    /// `tensormap.cp_fenceproxy`.
    TensormapCopy(Box<TensormapCopy>),
    /// An operation on tensor memory.
    Tensor(Box<TensorIssue>),
    /// `tcgen05.commit`.
    TensorCommit(Box<TensorCommit>),
    /// `clusterlaunchcontrol.try_cancel`.
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
    /// The family of the groups.
    pub family: Family,
    /// What is done with them.
    pub action: GroupAction,
}

/// The memory operation of an asynchronous store.
#[derive(Clone, Debug, Hash)]
pub enum Write {
    /// `st.async`
    Store(Store),
    /// `red.async`
    Combine(Atomic),
}

/// `st.async`, `red.async`.
#[derive(Clone, Debug, Hash)]
pub struct AsyncWrite {
    /// What is written.
    pub write: Write,
    /// The mbarrier that counts the bytes.
    pub barrier: Option<Address>,
}
