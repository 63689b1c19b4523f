//! Dispatches asynchronous operations.

use ptx_program::AsyncOp;

use super::Stop;
use super::async_write::async_write;
use super::at::At;
use super::bulk::bulk;
use super::launch_control::try_cancel;
use super::tcgen05::{tensor, tensor_commit};
use super::tensor::{tensor_copy, tensormap_copy, tensormap_replace};

pub(super) fn asynchronous(at: &mut At<'_>, op: &AsyncOp) -> Result<(), Stop> {
    match op {
        AsyncOp::Bulk(copy) => bulk(at, copy),
        AsyncOp::Write(write) => async_write(at, write),
        AsyncOp::TensorCopy(copy) => tensor_copy(at, copy),
        AsyncOp::TensormapReplace(change) => tensormap_replace(at, change),
        AsyncOp::TensormapCopy(copy) => tensormap_copy(at, copy),
        AsyncOp::Tensor(issue) => tensor(at, issue),
        AsyncOp::TensorCommit(commit) => tensor_commit(at, commit),
        AsyncOp::TryCancel(cancel) => try_cancel(at, cancel),
    }
}
