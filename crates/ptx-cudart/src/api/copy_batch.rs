//! Several copies at once.

use crate::entry::NullStream;
use crate::error::Answer;
use crate::functions::{cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2};
use crate::pointer::{In, Out};
use crate::types::{CopyAttributes, Handle};

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
