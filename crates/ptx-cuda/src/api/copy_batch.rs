//! Batches of copies, and copies with attributes.

use std::ffi::c_uint;
use std::sync::Arc;

use crate::api::copy::{NONE, SourceAccess, submit_reading};
use crate::array;
use crate::context;
use crate::copy::{Copy, Side};
use crate::entry::stream_entries;
use crate::error::{Answer, Failure};
use crate::handle::Handle;
use crate::pointer::{In, Out};
use crate::stream::Stream;
use crate::types::{BatchCopy3d, CopyAttributes, CopyOperand};

/// When the source of a copy is read, by `CUmemcpySrcAccessOrder`, after checks of the flags of the copy.
fn access(order: c_uint, flags: c_uint) -> Answer<SourceAccess> {
    // The flag 1 asks for overlap with kernels.
    if flags > 1 {
        return Err(Failure::value(format!("flags {flags:#x} of a copy")));
    }
    match order {
        1 | 3 => Ok(SourceAccess::InStream),
        2 => Ok(SourceAccess::DuringCall),
        _ => Err(Failure::value(format!("there is no order {order} of accesses to a source"))),
    }
}

type Reading = (Copy, SourceAccess);

/// The copies of bytes that lists describe. Each element of `attributes` is that of the copies from its index in `first` up to the next such index.
fn lines(
    (to, from, bytes): (In<u64>, In<u64>, In<usize>),
    count: usize,
    (attributes, first, attribute_count): (In<CopyAttributes>, In<usize>, usize),
) -> Answer<Vec<Answer<Reading>>> {
    if count == 0 || attribute_count == 0 || attribute_count > count {
        return Err(Failure::value("numbers of copies and of their attributes"));
    }
    let (to, from, bytes) = (to.list(count)?, from.list(count)?, bytes.list(count)?);
    let (attributes, first) = (attributes.list(attribute_count)?, first.list(attribute_count)?);
    let increases = first.windows(2).all(|pair| pair[0] < pair[1]);
    if first[0] != 0 || !increases || first[attribute_count - 1] >= count {
        return Err(Failure::value("indices of the copies that attributes are for"));
    }
    let copy = |index: usize| -> Answer<Reading> {
        let CopyAttributes { order, flags, .. } =
            attributes[first.partition_point(|&first| first <= index) - 1];
        Ok((Copy::line(to[index], from[index], bytes[index] as u64), access(order, flags)?))
    };
    Ok((0..count).map(copy).collect())
}

/// A side of a copy in elements of so many bytes.
fn side(operand: &CopyOperand, extent: [u64; 3], element: u64) -> Answer<Side> {
    let too_large = || Failure::value("a side of a copy is larger than memory");
    let bytes = |elements: u64| elements.checked_mul(element).ok_or_else(too_large);
    let [first, x, y, z] = operand.words;
    match operand.kind {
        1 => {
            let (row, rows) = (x, y);
            if (row != 0 && row < extent[0]) || (rows != 0 && rows < extent[1]) {
                return Err(Failure::value("a row or slice of memory is smaller than that of the copy"));
            }
            // Zero stands for no gaps.
            let row = bytes(if row == 0 { extent[0] } else { row })?;
            let slice = row.checked_mul(if rows == 0 { extent[1] } else { rows }).ok_or_else(too_large)?;
            Ok(Side::Linear { address: first, row, slice })
        }
        2 => Ok(Side::Array { array: array::slice(Handle::from_bits(first as usize))?, x: bytes(x)?, y, z }),
        other => Err(Failure::value(format!("there is no kind {other} of operands of copies"))),
    }
}

/// The copy of a box that a structure describes.
fn boxed(given: &BatchCopy3d) -> Answer<Reading> {
    let extent = given.extent.map(|elements| elements as u64);
    if extent.contains(&0) {
        return Err(Failure::value("a copy of nothing"));
    }
    let texel = |operand: &CopyOperand| -> Answer<Option<u64>> {
        let array = (operand.kind == 2).then(|| array::slice(Handle::from_bits(operand.words[0] as usize)));
        Ok(array.transpose()?.map(|array| array.texel_bytes()))
    };
    let element = match (texel(&given.to)?, texel(&given.from)?) {
        (Some(to), Some(from)) if to != from => {
            return Err(Failure::value("the elements of the arrays of a copy have different sizes"));
        }
        (Some(bytes), _) | (None, Some(bytes)) => bytes,
        // Elements of memory are bytes.
        (None, None) => 1,
    };
    let width =
        extent[0].checked_mul(element).ok_or_else(|| Failure::value("a copy is larger than memory"))?;
    let (to, from) = (side(&given.to, extent, element)?, side(&given.from, extent, element)?);
    Ok((Copy { to, from, width, height: extent[1], depth: extent[2] }, access(given.order, given.flags)?))
}

fn boxes(list: In<BatchCopy3d>, count: usize, flags: u64) -> Answer<Vec<Answer<Reading>>> {
    if count == 0 || flags != 0 {
        return Err(Failure::value("number of copies, or flags of a batch"));
    }
    Ok(list.list(count)?.iter().map(boxed).collect())
}

/// Performs copies in the order of a stream, or none of them if one is invalid. `failed` gets the index of that one.
fn submit(copies: Vec<Answer<Reading>>, failed: Out<usize>, stream: &Arc<Stream>) -> Answer {
    failed.set_if_wanted(usize::MAX);
    if stream.is_legacy() {
        return Err(Failure::value("batches of copies are not queued on the legacy default stream"));
    }
    let mut checked = Vec::with_capacity(copies.len());
    for (index, copy) in copies.into_iter().enumerate() {
        let copy = copy.and_then(|(copy, access)| copy.check(NONE).map(|()| (copy, access)));
        checked.push(copy.inspect_err(|_| failed.set_if_wanted(index))?);
    }
    checked.into_iter().try_for_each(|(copy, access)| submit_reading(copy, access, stream, true))
}

stream_entries! {
    fn cuMemcpyBatchAsync_v2 / cuMemcpyBatchAsync_v2_ptsz |null| (to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, first: In<usize>, attribute_count: usize, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        submit(lines((to, from, bytes), count, (attributes, first, attribute_count))?, Out::null(), &stream)
    }

    fn cuMemcpyBatchAsync / cuMemcpyBatchAsync_ptsz |null| (to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, first: In<usize>, attribute_count: usize, failed: Out<usize>, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        submit(lines((to, from, bytes), count, (attributes, first, attribute_count))?, failed, &stream)
    }

    fn cuMemcpy3DBatchAsync_v2 / cuMemcpy3DBatchAsync_v2_ptsz |null| (count: usize, list: In<BatchCopy3d>, flags: u64, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        submit(boxes(list, count, flags)?, Out::null(), &stream)
    }

    fn cuMemcpy3DBatchAsync / cuMemcpy3DBatchAsync_ptsz |null| (count: usize, list: In<BatchCopy3d>, failed: Out<usize>, flags: u64, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        submit(boxes(list, count, flags)?, failed, &stream)
    }

    fn cuMemcpyWithAttributesAsync / cuMemcpyWithAttributesAsync_ptsz |null| (to: u64, from: u64, bytes: usize, attributes: In<CopyAttributes>, stream: Handle<Stream>) {
        let CopyAttributes { order, flags, .. } = attributes.get()?;
        let stream = context::stream(stream, null)?;
        let copy = Copy::line(to, from, bytes as u64);
        let access = access(order, flags)?;
        copy.check(NONE)?;
        submit_reading(copy, access, &stream, true)
    }

    fn cuMemcpy3DWithAttributesAsync / cuMemcpy3DWithAttributesAsync_ptsz |null| (given: In<BatchCopy3d>, flags: u64, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        if flags != 0 {
            return Err(Failure::value("flags of a copy"));
        }
        let (copy, access) = boxed(&given.get()?)?;
        copy.check(NONE)?;
        submit_reading(copy, access, &stream, true)
    }
}
