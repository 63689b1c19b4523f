//! `libcudart.so.12`: the CUDA runtime API of CUDA 12, over `libcuda.so.1`.
//!
//! All functions are those of `ptx-cudart`, except the ones here, whose names have other parameters in CUDA 13.

#![allow(unsafe_code)]
// The functions have the names of CUDA, and its documentation.
#![allow(non_snake_case, missing_docs)]

use std::ffi::{c_int, c_uint};

use cudart::api::memory::{self, PointerAttributes};
use cudart::api::{capture, copy_batch, graph, graph_nodes, proc_address};
use cudart::entry::NullStream;
use cudart::pointer::{In, Out, Text};
use cudart::properties::Properties12;
use cudart::types::{BatchCopy3d, CopyAttributes, EdgeData, Handle, NodeParameters};
use cudart::{entries, stream_entries, unchecked_entries};

/// The version of the runtime, 12.9.
const VERSION: c_uint = 12090;

unchecked_entries! {
    fn cudaRuntimeGetVersion(version: Out<c_int>) {
        version.set(VERSION as c_int)
    }

    // The structure of CUDA 11: programs that are compiled for CUDA 12 call `_v2`.
    fn cudaGetDeviceProperties(to: Out<u8>, device: c_int) {
        to.require()?;
        Properties12::of(device)?.write_first(to, Properties12::BYTES_11)
    }

    fn cudaGetDeviceProperties_v2(to: Out<Properties12>, device: c_int) {
        to.require()?;
        to.set(Properties12::of(device)?)
    }
}

entries! {
    fn cudaPointerGetAttributes(to: Out<PointerAttributes>, address: u64) {
        to.require()?;
        to.set(memory::pointer_attributes(address)?)
    }

    fn cudaMemAdvise(address: u64, bytes: usize, advice: c_uint, device: c_int) {
        memory::advise_for_device(address, bytes, advice, device)
    }

    fn cudaGraphAddDependencies(graph: Handle, from: In<Handle>, to: In<Handle>, count: usize) {
        graph::add_dependencies(graph, from, to, In::null(), count)
    }

    fn cudaGraphRemoveDependencies(graph: Handle, from: In<Handle>, to: In<Handle>, count: usize) {
        graph::remove_dependencies(graph, from, to, In::null(), count)
    }

    fn cudaGraphGetEdges(graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) {
        graph::edges(graph, from, to, Out::null(), count)
    }

    fn cudaGraphNodeGetDependencies(node: Handle, to: Out<Handle>, count: Out<usize>) {
        graph::dependencies(node, to, Out::null(), count)
    }

    fn cudaGraphNodeGetDependentNodes(node: Handle, to: Out<Handle>, count: Out<usize>) {
        graph::dependents(node, to, Out::null(), count)
    }

    fn cudaGraphAddNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, parameters: Out<NodeParameters>) {
        graph::add_node(node, graph, dependencies, In::null(), count, parameters, false)
    }

    fn cudaGraphNodeSetParams(node: Handle, parameters: In<NodeParameters>) {
        graph_nodes::set_node(node, parameters, false)
    }

    fn cudaGraphExecNodeSetParams(executable: Handle, node: Handle, parameters: In<NodeParameters>) {
        graph_nodes::set_executable_node(executable, node, parameters, false)
    }

    fn cudaGetDriverEntryPoint(symbol: Text, function: Out<u64>, flags: u64, status: Out<c_int>) {
        proc_address::entry_point(NullStream::Legacy, symbol, function, VERSION, flags, status)
    }

    fn cudaGetDriverEntryPoint_ptsz(symbol: Text, function: Out<u64>, flags: u64, status: Out<c_int>) {
        proc_address::entry_point(NullStream::PerThread, symbol, function, VERSION, flags, status)
    }
}

stream_entries! {
    fn cudaMemPrefetchAsync / cudaMemPrefetchAsync_ptsz |null| (address: u64, bytes: usize, device: c_int, stream: Handle) {
        memory::prefetch_to_device(null, address, bytes, device, stream)
    }

    fn cudaMemcpyBatchAsync / cudaMemcpyBatchAsync_ptsz |null| (
        to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, indices: In<usize>,
        attribute_count: usize, failed: Out<usize>, stream: Handle,
    ) {
        copy_batch::several_with_failed(null, to, from, bytes, count, attributes, indices, attribute_count, failed, stream)
    }

    fn cudaMemcpy3DBatchAsync / cudaMemcpy3DBatchAsync_ptsz |null| (
        count: usize, list: In<BatchCopy3d>, failed: Out<usize>, flags: u64, stream: Handle,
    ) {
        copy_batch::boxes_with_failed(null, count, list, failed, flags, stream)
    }

    fn cudaStreamGetCaptureInfo / cudaStreamGetCaptureInfo_ptsz |null| (stream: Handle, status: Out<c_uint>, id: Out<u64>) {
        capture::info_without_edges(null, stream, status, id, Out::null(), Out::null(), Out::null())
    }

    fn cudaStreamUpdateCaptureDependencies / cudaStreamUpdateCaptureDependencies_ptsz |null| (
        stream: Handle, dependencies: In<Handle>, count: usize, flags: c_uint,
    ) {
        capture::update(null, stream, dependencies, In::<EdgeData>::null(), count, flags)
    }
}
