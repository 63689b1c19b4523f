//! `libcudart.so.13`: the CUDA runtime API of CUDA 13, over `libcuda.so.1`.
//!
//! All functions are those of `ptx-cudart`, except the ones here, whose names have other parameters in CUDA 12.

#![allow(unsafe_code)]
// The functions have the names of CUDA, and its documentation.
#![allow(non_snake_case, missing_docs)]

use std::ffi::{c_int, c_uint};

use cudart::api::memory::{self, PointerAttributes};
use cudart::api::{capture, copy_batch, graph, graph_nodes, proc_address};
use cudart::entry::NullStream;
use cudart::pointer::{In, Out, Text};
use cudart::properties::Properties13;
use cudart::types::{BatchCopy3d, CopyAttributes, EdgeData, Handle, MemoryLocation, NodeParameters};
use cudart::{entries, stream_entries, unchecked_entries};

/// The version of the runtime, 13.5.
const VERSION: c_uint = 13050;

/// The words that follow what `cudaPointerAttributes` of all versions has: no locality domain (-1), and zeros.
const REST_OF_ATTRIBUTES: [u64; 8] = [u32::MAX as u64, 0, 0, 0, 0, 0, 0, 0];

unchecked_entries! {
    fn cudaRuntimeGetVersion(version: Out<c_int>) {
        version.set(VERSION as c_int)
    }

    fn cudaGetDeviceProperties(to: Out<Properties13>, device: c_int) {
        to.require()?;
        to.set(Properties13::of(device)?)
    }
}

entries! {
    fn cudaPointerGetAttributes(to: Out<PointerAttributes>, address: u64) {
        to.require()?;
        to.set(memory::pointer_attributes(address)?)?;
        to.nth(1).cast().set(REST_OF_ATTRIBUTES)
    }

    fn cudaMemAdvise(address: u64, bytes: usize, advice: c_uint, location: MemoryLocation) {
        memory::advise(address, bytes, advice, location)
    }

    fn cudaGraphAddDependencies(graph: Handle, from: In<Handle>, to: In<Handle>, edges: In<EdgeData>, count: usize) {
        graph::add_dependencies(graph, from, to, edges, count)
    }

    fn cudaGraphRemoveDependencies(graph: Handle, from: In<Handle>, to: In<Handle>, edges: In<EdgeData>, count: usize) {
        graph::remove_dependencies(graph, from, to, edges, count)
    }

    fn cudaGraphGetEdges(graph: Handle, from: Out<Handle>, to: Out<Handle>, edges: Out<EdgeData>, count: Out<usize>) {
        graph::edges(graph, from, to, edges, count)
    }

    fn cudaGraphNodeGetDependencies(node: Handle, to: Out<Handle>, edges: Out<EdgeData>, count: Out<usize>) {
        graph::dependencies(node, to, edges, count)
    }

    fn cudaGraphNodeGetDependentNodes(node: Handle, to: Out<Handle>, edges: Out<EdgeData>, count: Out<usize>) {
        graph::dependents(node, to, edges, count)
    }

    fn cudaGraphAddNode(
        node: Out<Handle>, graph: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, parameters: Out<NodeParameters>,
    ) {
        graph::add_node(node, graph, dependencies, edges, count, parameters, true)
    }

    fn cudaGraphNodeSetParams(node: Handle, parameters: In<NodeParameters>) {
        graph_nodes::set_node(node, parameters, true)
    }

    fn cudaGraphExecNodeSetParams(executable: Handle, node: Handle, parameters: In<NodeParameters>) {
        graph_nodes::set_executable_node(executable, node, parameters, true)
    }

    fn cudaGetDriverEntryPoint(symbol: Text, function: Out<u64>, flags: u64, status: Out<c_int>) {
        proc_address::entry_point(NullStream::Legacy, symbol, function, VERSION, flags, status)
    }

    fn cudaGetDriverEntryPoint_ptsz(symbol: Text, function: Out<u64>, flags: u64, status: Out<c_int>) {
        proc_address::entry_point(NullStream::PerThread, symbol, function, VERSION, flags, status)
    }
}

stream_entries! {
    fn cudaMemPrefetchAsync / cudaMemPrefetchAsync_ptsz |null| (
        address: u64, bytes: usize, location: MemoryLocation, flags: c_uint, stream: Handle,
    ) {
        memory::prefetch(null, address, bytes, location, flags, stream)
    }

    fn cudaMemcpyBatchAsync / cudaMemcpyBatchAsync_ptsz |null| (
        to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, indices: In<usize>,
        attribute_count: usize, stream: Handle,
    ) {
        copy_batch::several(null, to, from, bytes, count, attributes, indices, attribute_count, stream)
    }

    fn cudaMemcpy3DBatchAsync / cudaMemcpy3DBatchAsync_ptsz |null| (
        count: usize, list: In<BatchCopy3d>, flags: u64, stream: Handle,
    ) {
        copy_batch::boxes(null, count, list, flags, stream)
    }

    fn cudaStreamGetCaptureInfo / cudaStreamGetCaptureInfo_ptsz |null| (
        stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, dependencies: Out<u64>, edges: Out<u64>, count: Out<usize>,
    ) {
        capture::info(null, stream, status, id, graph, dependencies, edges, count)
    }

    fn cudaStreamUpdateCaptureDependencies / cudaStreamUpdateCaptureDependencies_ptsz |null| (
        stream: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, flags: c_uint,
    ) {
        capture::update(null, stream, dependencies, edges, count, flags)
    }
}
