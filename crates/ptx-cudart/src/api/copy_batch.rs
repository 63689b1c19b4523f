//! Batches of copies, and of operations on managed memory.

use crate::entry::NullStream;
use crate::error::Answer;
use crate::functions::{
    cuMemDiscardAndPrefetchBatchAsync, cuMemDiscardBatchAsync, cuMemPrefetchBatchAsync, cuMemcpy3DBatchAsync,
    cuMemcpy3DBatchAsync_v2, cuMemcpy3DWithAttributesAsync, cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2,
};
use crate::pointer::{In, Out};
use crate::stream_entries;
use crate::types::{BatchCopy3d, CopyAttributes, Handle, MemoryLocation};

/// `cudaMemcpyBatchAsync` of CUDA 13.
pub fn several(
    null: NullStream,
    to: In<u64>,
    from: In<u64>,
    bytes: In<usize>,
    count: usize,
    attributes: In<CopyAttributes>,
    indices: In<usize>,
    attribute_count: usize,
    stream: Handle,
) -> Answer {
    cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, indices, attribute_count, null.stream(stream))
}

/// `cudaMemcpyBatchAsync` of CUDA 12, which says the number of the copy that it fails at.
pub fn several_with_failed(
    null: NullStream,
    to: In<u64>,
    from: In<u64>,
    bytes: In<usize>,
    count: usize,
    attributes: In<CopyAttributes>,
    indices: In<usize>,
    attribute_count: usize,
    failed: Out<usize>,
    stream: Handle,
) -> Answer {
    let stream = null.stream(stream);
    cuMemcpyBatchAsync(to, from, bytes, count, attributes, indices, attribute_count, failed, stream)
}

/// `cudaMemcpy3DBatchAsync` of CUDA 13.
pub fn boxes(null: NullStream, count: usize, list: In<BatchCopy3d>, flags: u64, stream: Handle) -> Answer {
    cuMemcpy3DBatchAsync_v2(count, list, flags, null.stream(stream))
}

/// `cudaMemcpy3DBatchAsync` of CUDA 12, which says the number of the copy that it fails at.
pub fn boxes_with_failed(
    null: NullStream,
    count: usize,
    list: In<BatchCopy3d>,
    failed: Out<usize>,
    flags: u64,
    stream: Handle,
) -> Answer {
    cuMemcpy3DBatchAsync(count, list, failed, flags, null.stream(stream))
}

stream_entries! {
    fn cudaMemcpy3DWithAttributesAsync / cudaMemcpy3DWithAttributesAsync_ptsz |null| (copy: In<BatchCopy3d>, flags: u64, stream: Handle) {
        cuMemcpy3DWithAttributesAsync(copy, flags, null.stream(stream))
    }

    fn cudaMemPrefetchBatchAsync / cudaMemPrefetchBatchAsync_ptsz |null| (
        addresses: In<u64>, bytes: In<usize>, count: usize, locations: In<MemoryLocation>, first: In<usize>, location_count: usize,
        flags: u64, stream: Handle,
    ) {
        cuMemPrefetchBatchAsync(addresses, bytes, count, locations, first, location_count, flags, null.stream(stream))
    }

    fn cudaMemDiscardBatchAsync / cudaMemDiscardBatchAsync_ptsz |null| (
        addresses: In<u64>, bytes: In<usize>, count: usize, flags: u64, stream: Handle,
    ) {
        cuMemDiscardBatchAsync(addresses, bytes, count, flags, null.stream(stream))
    }

    fn cudaMemDiscardAndPrefetchBatchAsync / cudaMemDiscardAndPrefetchBatchAsync_ptsz |null| (
        addresses: In<u64>, bytes: In<usize>, count: usize, locations: In<MemoryLocation>, first: In<usize>, location_count: usize,
        flags: u64, stream: Handle,
    ) {
        cuMemDiscardAndPrefetchBatchAsync(addresses, bytes, count, locations, first, location_count, flags, null.stream(stream))
    }
}
