//! Streams.

use std::ffi::{c_int, c_uint};

use crate::functions::{
    cuCtxGetStreamPriorityRange, cuCtxSynchronize, cuStreamAttachMemAsync, cuStreamCopyAttributes,
    cuStreamCreate, cuStreamCreateWithPriority, cuStreamDestroy_v2, cuStreamGetAttribute, cuStreamGetDevice,
    cuStreamGetFlags, cuStreamGetId, cuStreamGetPriority, cuStreamQuery, cuStreamSetAttribute,
    cuStreamSynchronize,
};
use crate::pointer::{In, Out};
use crate::types::Handle;
use crate::{entries, stream_entries};

entries! {
    fn cudaStreamCreate(stream: Out<Handle>) {
        cuStreamCreate(stream, 0)
    }

    fn cudaStreamCreateWithFlags(stream: Out<Handle>, flags: c_uint) {
        cuStreamCreate(stream, flags)
    }

    fn cudaStreamCreateWithPriority(stream: Out<Handle>, flags: c_uint, priority: c_int) {
        cuStreamCreateWithPriority(stream, flags, priority)
    }

    fn cudaStreamDestroy(stream: Handle) {
        cuStreamDestroy_v2(stream)
    }

    fn cudaDeviceGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        cuCtxGetStreamPriorityRange(least, greatest)
    }

    fn cudaDeviceSynchronize() {
        cuCtxSynchronize()
    }

    // Of CUDA 12 and before.
    fn cudaThreadSynchronize() {
        cuCtxSynchronize()
    }
}

stream_entries! {
    fn cudaStreamSynchronize / cudaStreamSynchronize_ptsz |null| (stream: Handle) {
        cuStreamSynchronize(null.stream(stream))
    }

    fn cudaStreamQuery / cudaStreamQuery_ptsz |null| (stream: Handle) {
        cuStreamQuery(null.stream(stream))
    }

    fn cudaStreamGetPriority / cudaStreamGetPriority_ptsz |null| (stream: Handle, priority: Out<c_int>) {
        cuStreamGetPriority(null.stream(stream), priority)
    }

    fn cudaStreamGetFlags / cudaStreamGetFlags_ptsz |null| (stream: Handle, flags: Out<c_uint>) {
        cuStreamGetFlags(null.stream(stream), flags)
    }

    fn cudaStreamGetId / cudaStreamGetId_ptsz |null| (stream: Handle, id: Out<u64>) {
        cuStreamGetId(null.stream(stream), id)
    }

    fn cudaStreamGetDevice / cudaStreamGetDevice_ptsz |null| (stream: Handle, device: Out<c_int>) {
        cuStreamGetDevice(null.stream(stream), device)
    }

    fn cudaStreamAttachMemAsync / cudaStreamAttachMemAsync_ptsz |null| (stream: Handle, address: u64, bytes: usize, flags: c_uint) {
        cuStreamAttachMemAsync(null.stream(stream), address, bytes, flags)
    }

    fn cudaStreamGetAttribute / cudaStreamGetAttribute_ptsz |null| (stream: Handle, id: c_uint, value: Out<[u64; 8]>) {
        cuStreamGetAttribute(null.stream(stream), id, value)
    }

    fn cudaStreamSetAttribute / cudaStreamSetAttribute_ptsz |null| (stream: Handle, id: c_uint, value: In<[u64; 8]>) {
        cuStreamSetAttribute(null.stream(stream), id, value)
    }

    fn cudaStreamCopyAttributes / cudaStreamCopyAttributes_ptsz |null| (to: Handle, from: Handle) {
        cuStreamCopyAttributes(null.stream(to), null.stream(from))
    }
}
