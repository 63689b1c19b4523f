//! Capture of streams into graphs.

use std::ffi::c_uint;

use crate::entry::NullStream;
use crate::error::Answer;
use crate::functions::{
    cuStreamBeginCapture_v2, cuStreamBeginCaptureToGraph, cuStreamEndCapture, cuStreamGetCaptureInfo_v2,
    cuStreamGetCaptureInfo_v3, cuStreamIsCapturing, cuStreamUpdateCaptureDependencies_v2,
    cuThreadExchangeStreamCaptureMode,
};
use crate::pointer::{In, Out};
use crate::types::{EdgeData, Handle};
use crate::{entries, stream_entries};

/// `cudaStreamGetCaptureInfo` of CUDA 13, `_v3` of CUDA 12.
pub fn info(
    null: NullStream,
    stream: Handle,
    status: Out<c_uint>,
    id: Out<u64>,
    graph: Out<Handle>,
    dependencies: Out<u64>,
    edges: Out<u64>,
    count: Out<usize>,
) -> Answer {
    cuStreamGetCaptureInfo_v3(null.stream(stream), status, id, graph, dependencies, edges, count)
}

/// `cudaStreamGetCaptureInfo` and `_v2` of CUDA 12.
pub fn info_without_edges(
    null: NullStream,
    stream: Handle,
    status: Out<c_uint>,
    id: Out<u64>,
    graph: Out<Handle>,
    dependencies: Out<u64>,
    count: Out<usize>,
) -> Answer {
    cuStreamGetCaptureInfo_v2(null.stream(stream), status, id, graph, dependencies, count)
}

/// `cudaStreamUpdateCaptureDependencies` of CUDA 13, `_v2` of CUDA 12.
pub fn update(
    null: NullStream,
    stream: Handle,
    dependencies: In<Handle>,
    edges: In<EdgeData>,
    count: usize,
    flags: c_uint,
) -> Answer {
    cuStreamUpdateCaptureDependencies_v2(null.stream(stream), dependencies, edges, count, flags)
}

entries! {
    fn cudaThreadExchangeStreamCaptureMode(mode: Out<c_uint>) {
        cuThreadExchangeStreamCaptureMode(mode)
    }
}

stream_entries! {
    fn cudaStreamBeginCapture / cudaStreamBeginCapture_ptsz |null| (stream: Handle, mode: c_uint) {
        cuStreamBeginCapture_v2(null.stream(stream), mode)
    }

    fn cudaStreamBeginCaptureToGraph / cudaStreamBeginCaptureToGraph_ptsz |null| (
        stream: Handle, graph: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, mode: c_uint,
    ) {
        cuStreamBeginCaptureToGraph(null.stream(stream), graph, dependencies, edges, count, mode)
    }

    fn cudaStreamEndCapture / cudaStreamEndCapture_ptsz |null| (stream: Handle, graph: Out<Handle>) {
        cuStreamEndCapture(null.stream(stream), graph)
    }

    fn cudaStreamIsCapturing / cudaStreamIsCapturing_ptsz |null| (stream: Handle, status: Out<c_uint>) {
        cuStreamIsCapturing(null.stream(stream), status)
    }

    // Names of CUDA 12.
    fn cudaStreamGetCaptureInfo_v2 / cudaStreamGetCaptureInfo_v2_ptsz |null| (
        stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, dependencies: Out<u64>, count: Out<usize>,
    ) {
        info_without_edges(null, stream, status, id, graph, dependencies, count)
    }

    fn cudaStreamGetCaptureInfo_v3 / cudaStreamGetCaptureInfo_v3_ptsz |null| (
        stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, dependencies: Out<u64>, edges: Out<u64>, count: Out<usize>,
    ) {
        info(null, stream, status, id, graph, dependencies, edges, count)
    }

    fn cudaStreamUpdateCaptureDependencies_v2 / cudaStreamUpdateCaptureDependencies_v2_ptsz |null| (
        stream: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, flags: c_uint,
    ) {
        update(null, stream, dependencies, edges, count, flags)
    }
}
