//! Asynchronous operations, as what engines hand to the runtime; groups of them, closed and waited for by the thread that issued them
//! (manual 9.7.9.25.1.1); and asynchronous stores.

use super::{
    Address, Atomic, Bulk, Src, Store, TensorCommit, TensorCopy, TensorIssue, TensormapCopy,
    TensormapReplace, TryCancel,
};

/// An operation that goes on while the thread does, or that changes what such operations are made of. The machine executes it
/// (`machine/asynchronous.rs`), for compiled code too. `cp.async` is not among them: compiled code copies by itself.
#[derive(Clone, Debug, Hash)]
pub enum AsyncOp {
    Bulk(Box<Bulk>),
    Write(Box<AsyncWrite>),
    TensorCopy(Box<TensorCopy>),
    TensormapReplace(Box<TensormapReplace>),
    TensormapCopy(Box<TensormapCopy>),
    /// What is done with tensor memory.
    Tensor(Box<TensorIssue>),
    TensorCommit(Box<TensorCommit>),
    TryCancel(Box<TryCancel>),
}

/// Operations that are closed and waited for together. Those of a thread are in groups of each family apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Family {
    /// `cp.async`.
    Copies,
    /// `cp.async.bulk`, `cp.reduce.async.bulk` and their tensor forms, where they end at no barrier.
    Bulk,
    /// `wgmma.mma_async`, of a whole warp.
    Products,
    /// What `tcgen05` does with tensor memory, of a whole block: what is issued later does not overtake what it must follow.
    Tensor,
    /// `tcgen05.st`, of a whole warp.
    TensorStores,
}

/// What is done to groups of a family.
#[derive(Clone, Copy, Debug, Hash)]
pub enum GroupAction {
    /// Closes the group of the operations since the last one was closed.
    Commit,
    /// Waits until only so many of the last closed groups are not complete.
    Wait(Src),
    /// Waits until all but so many have read what they read.
    WaitForReads(Src),
    /// Closes the group and waits for all.
    WaitForAll,
}

/// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`, `cp.async.bulk.commit_group`,
/// `cp.async.bulk.wait_group`.
#[derive(Clone, Copy, Debug, Hash)]
pub struct AsyncGroup {
    pub family: Family,
    pub action: GroupAction,
}

/// What an asynchronous store does to memory.
#[derive(Clone, Debug, Hash)]
pub enum Write {
    Store(Store),
    Combine(Atomic),
}

/// `st.async`, `red.async`.
#[derive(Clone, Debug, Hash)]
pub struct AsyncWrite {
    pub write: Write,
    /// The barrier that counts the bytes.
    pub barrier: Option<Address>,
}
