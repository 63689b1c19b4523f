//! Copies, of one to three dimensions, between linear memory and arrays.

use std::ffi::c_uint;
use std::sync::Arc;

use crate::array::{self, Array, Slice};
use crate::context::{self, Context};
use crate::driver::Gpu;
use crate::entry::{NullStream, stream_entries};
use crate::error::{Answer, Failure};
use crate::handle::Handle;
use crate::memory;
use crate::operation::Operation;
use crate::pointer::{In, Out};
use crate::stream::{self, Stream};
use crate::types::{self, Copy2d, Copy3d, CopyAttributes};

/// One side of a copy.
#[derive(Clone, Debug)]
pub enum Side {
    /// Linear memory: the address of the first byte, and the distances of rows and of slices.
    Linear { address: u64, row: u64, slice: u64 },
    /// Bytes that were read when the copy was queued, without gaps.
    Staged(Arc<[u8]>),
    /// Part of an array.
    Array { array: Slice, x: u64, y: u64, z: u64 },
}

/// A copy of `width` bytes of each of `height` rows of each of `depth` slices.
#[derive(Clone, Debug)]
pub struct Copy {
    pub to: Side,
    pub from: Side,
    pub width: u64,
    pub height: u64,
    pub depth: u64,
}

impl Side {
    /// Bytes from the first to the last one of a linear side.
    fn span(row: u64, slice: u64, copy: (u64, u64, u64)) -> Answer<u64> {
        let (width, height, depth) = copy;
        let span = || {
            (depth - 1).checked_mul(slice)?.checked_add((height - 1).checked_mul(row)?)?.checked_add(width)
        };
        span().ok_or_else(|| Failure::value("a copy of more bytes than 64 bits count"))
    }

    fn is_unknown(&self) -> bool {
        matches!(*self, Side::Linear { address, .. } if memory::region(address).is_none())
    }
}

impl Copy {
    /// A copy of consecutive bytes.
    pub fn line(to: u64, from: u64, bytes: u64) -> Self {
        let side = |address| Side::Linear { address, row: 0, slice: 0 };
        Self { to: side(to), from: side(from), width: bytes, height: 1, depth: 1 }
    }

    fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Checks the sides; `known` says of the first and the second one whether its memory has to be known.
    fn check(&self, known: (bool, bool)) -> Answer {
        if self.is_empty() {
            return Ok(());
        }
        for (side, is_known) in [(&self.to, known.0), (&self.from, known.1)] {
            match side {
                Side::Linear { address, row, slice } => {
                    let rows_overlap = self.height > 1 && *row < self.width;
                    let bytes = Side::span(*row, *slice, (self.width, self.height, self.depth))?;
                    if *address == 0 || rows_overlap {
                        return Err(Failure::value("a side of a copy is null, or its rows overlap"));
                    }
                    if is_known || memory::region(*address).is_some() {
                        memory::require(*address, bytes)?;
                    }
                }
                Side::Array { array, x, y, z } => {
                    array.check((*x, *y, *z), (self.width, self.height, self.depth))?
                }
                Side::Staged(_) => {}
            }
        }
        Ok(())
    }

    /// Does it.
    pub fn run(&self, gpu: &'static Gpu) -> Answer {
        if let Some(error) = gpu.device.stopped() {
            return Err(gpu.failure(error));
        }
        if self.is_empty() {
            return Ok(());
        }
        let (width, height, depth) = (self.width, self.height, self.depth);
        match (&self.to, &self.from) {
            (
                Side::Linear { address: to, row, slice },
                Side::Linear { address: from, row: from_row, slice: from_slice },
            ) => {
                let is_whole = |row: u64, slice: u64| {
                    (height == 1 || row == width) && (depth == 1 || slice == width * height)
                };
                if is_whole(*row, *slice) && is_whole(*from_row, *from_slice) {
                    return memory::transfer(*to, *from, width * height * depth);
                }
                for z in 0..depth {
                    for y in 0..height {
                        memory::transfer(
                            to + z * slice + y * row,
                            from + z * from_slice + y * from_row,
                            width,
                        )?;
                    }
                }
                Ok(())
            }
            (to, from) => self.write(to, &self.read(from)?),
        }
    }

    /// The bytes of a side, without gaps.
    fn read(&self, from: &Side) -> Answer<Vec<u8>> {
        let (width, height, depth) = (self.width, self.height, self.depth);
        match from {
            Side::Staged(bytes) => Ok(bytes.to_vec()),
            Side::Linear { address, row, slice } => {
                let mut bytes = vec![0; (width * height * depth) as usize];
                let mut rows = bytes.chunks_exact_mut(width as usize);
                for z in 0..depth {
                    for (y, bytes) in rows.by_ref().take(height as usize).enumerate() {
                        memory::read(address + z * slice + y as u64 * row, bytes)?;
                    }
                }
                Ok(bytes)
            }
            Side::Array { array, x, y, z } => array.read((*x, *y, *z), (width, height, depth)),
        }
    }

    fn write(&self, to: &Side, bytes: &[u8]) -> Answer {
        let (width, height, depth) = (self.width, self.height, self.depth);
        match to {
            Side::Staged(_) => Err(Failure::value("a copy to bytes that were read")),
            Side::Linear { address, row, slice } => {
                let mut rows = bytes.chunks_exact(width as usize);
                for z in 0..depth {
                    for (y, bytes) in rows.by_ref().take(height as usize).enumerate() {
                        memory::write(address + z * slice + y as u64 * row, bytes)?;
                    }
                }
                Ok(())
            }
            Side::Array { array, x, y, z } => array.write((*x, *y, *z), (width, height, depth), bytes),
        }
    }

    /// Does it in the order of a stream. As with the real driver, memory of the host that is not known may be changed as soon as the call returns if
    /// it is copied from, and has been written if it is copied to.
    fn submit(mut self, stream: &Arc<Stream>, is_async: bool) -> Answer {
        if self.is_empty() {
            return Ok(());
        }
        let is_captured = crate::driver::lock(&stream.capture).is_some();
        if !is_async || (!is_captured && self.to.is_unknown()) {
            return stream.run(Operation::Copy(Arc::new(self)));
        }
        if !is_captured && self.from.is_unknown() {
            self.from = Side::Staged(self.read(&self.from)?.into());
        }
        stream.submit(Operation::Copy(Arc::new(self)))
    }
}

/// A side of a copy that a structure describes.
struct Described {
    kind: c_uint,
    host: u64,
    device: u64,
    array: Handle<Array>,
    level: usize,
    x: usize,
    y: usize,
    z: usize,
    pitch: usize,
    height: usize,
}

impl Described {
    fn side(&self, copy: (u64, u64, u64)) -> Answer<Side> {
        let (width, height, depth) = copy;
        let address = match self.kind {
            types::HOST => self.host,
            types::DEVICE | types::UNIFIED => self.device,
            types::ARRAY => {
                if self.level != 0 {
                    return Err(Failure::value("a level of a side that is one level"));
                }
                let array = array::slice(self.array)?;
                return Ok(Side::Array { array, x: self.x as u64, y: self.y as u64, z: self.z as u64 });
            }
            other => return Err(Failure::value(format!("there is no kind {other} of memory"))),
        };
        // A pitch of zero is that of rows without gaps.
        let row = if self.pitch == 0 { self.x as u64 + width } else { self.pitch as u64 };
        let rows = if self.height == 0 { self.y as u64 + height } else { self.height as u64 };
        if (height > 1 || depth > 1) && row < self.x as u64 + width
            || (depth > 1 && rows < self.y as u64 + height)
        {
            return Err(Failure::value("rows or slices of a copy overlap"));
        }
        let start = || {
            let slice = row.checked_mul(rows)?;
            let start = slice.checked_mul(self.z as u64)?.checked_add(row.checked_mul(self.y as u64)?)?;
            Some((address.checked_add(start)?.checked_add(self.x as u64)?, slice))
        };
        let (address, slice) =
            start().ok_or_else(|| Failure::value("a copy of more bytes than 64 bits count"))?;
        Ok(Side::Linear { address, row, slice })
    }

    fn is_known(&self) -> bool {
        self.kind == types::DEVICE
    }
}

/// The copy that a structure describes.
pub fn described(given: &Copy3d) -> Answer<Copy> {
    let (width, height, depth) = (given.width as u64, given.height as u64, given.depth as u64);
    let from = Described {
        kind: given.from_kind,
        host: given.from_host,
        device: given.from_device,
        array: given.from_array,
        level: given.from_level,
        x: given.from_x,
        y: given.from_y,
        z: given.from_z,
        pitch: given.from_pitch,
        height: given.from_height,
    };
    let to = Described {
        kind: given.to_kind,
        host: given.to_host,
        device: given.to_device,
        array: given.to_array,
        level: given.to_level,
        x: given.to_x,
        y: given.to_y,
        z: given.to_z,
        pitch: given.to_pitch,
        height: given.to_height,
    };
    let extent = (width, height, depth);
    let copy = Copy { to: to.side(extent)?, from: from.side(extent)?, width, height, depth };
    copy.check((to.is_known(), from.is_known()))?;
    Ok(copy)
}

/// A two-dimensional copy as a three-dimensional one.
fn widened(given: &Copy2d) -> Copy3d {
    Copy3d {
        from_x: given.from_x,
        from_y: given.from_y,
        from_kind: given.from_kind,
        from_host: given.from_host,
        from_device: given.from_device,
        from_array: given.from_array,
        from_pitch: given.from_pitch,
        to_x: given.to_x,
        to_y: given.to_y,
        to_kind: given.to_kind,
        to_host: given.to_host,
        to_device: given.to_device,
        to_array: given.to_array,
        to_pitch: given.to_pitch,
        width: given.width,
        height: given.height,
        depth: 1,
        ..Copy3d::default()
    }
}

/// Copies consecutive bytes; see [`Copy::check`] for `known`.
fn line(
    to: u64,
    from: u64,
    bytes: usize,
    known: (bool, bool),
    stream: &Arc<Stream>,
    is_async: bool,
) -> Answer {
    if let Some(error) = stream.gpu().device.stopped() {
        return Err(stream.gpu().failure(error));
    }
    let copy = Copy::line(to, from, bytes as u64);
    copy.check(known)?;
    copy.submit(stream, is_async)
}

fn default_stream(null: NullStream) -> Answer<Arc<Stream>> {
    stream::named(Handle::NULL, null)
}

/// Consecutive bytes of an array, which has one row.
fn in_array(array: Handle<Array>, offset: usize) -> Answer<Side> {
    Ok(Side::Array { array: array::slice(array)?, x: offset as u64, y: 0, z: 0 })
}

fn with_array(
    to: Side,
    from: Side,
    bytes: usize,
    known: (bool, bool),
    stream: &Arc<Stream>,
    is_async: bool,
) -> Answer {
    let copy = Copy { to, from, width: bytes as u64, height: 1, depth: 1 };
    copy.check(known)?;
    copy.submit(stream, is_async)
}

fn linear(address: u64) -> Side {
    Side::Linear { address, row: 0, slice: 0 }
}

/// Copies between devices, whose contexts must be valid.
fn between(to: Handle<Context>, from: Handle<Context>) -> Answer {
    context::named(to)?;
    context::named(from).map(drop)
}

const BOTH: (bool, bool) = (true, true);
const TO: (bool, bool) = (true, false);
const FROM: (bool, bool) = (false, true);
const NONE: (bool, bool) = (false, false);

stream_entries! {
    fn cuMemcpy / cuMemcpy_ptds |null| (to: u64, from: u64, bytes: usize) {
        line(to, from, bytes, NONE, &default_stream(null)?, false)
    }

    fn cuMemcpyAsync / cuMemcpyAsync_ptsz |null| (to: u64, from: u64, bytes: usize, stream: Handle<Stream>) {
        line(to, from, bytes, NONE, &stream::named(stream, null)?, true)
    }

    fn cuMemcpyHtoD_v2 / cuMemcpyHtoD_v2_ptds |null| (to: u64, from: u64, bytes: usize) {
        line(to, from, bytes, TO, &default_stream(null)?, false)
    }

    fn cuMemcpyDtoH_v2 / cuMemcpyDtoH_v2_ptds |null| (to: u64, from: u64, bytes: usize) {
        line(to, from, bytes, FROM, &default_stream(null)?, false)
    }

    fn cuMemcpyDtoD_v2 / cuMemcpyDtoD_v2_ptds |null| (to: u64, from: u64, bytes: usize) {
        line(to, from, bytes, BOTH, &default_stream(null)?, true)
    }

    fn cuMemcpyHtoDAsync_v2 / cuMemcpyHtoDAsync_v2_ptsz |null| (to: u64, from: u64, bytes: usize, stream: Handle<Stream>) {
        line(to, from, bytes, TO, &stream::named(stream, null)?, true)
    }

    fn cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz |null| (to: u64, from: u64, bytes: usize, stream: Handle<Stream>) {
        line(to, from, bytes, FROM, &stream::named(stream, null)?, true)
    }

    fn cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz |null| (to: u64, from: u64, bytes: usize, stream: Handle<Stream>) {
        line(to, from, bytes, BOTH, &stream::named(stream, null)?, true)
    }

    fn cuMemcpyWithAttributesAsync / cuMemcpyWithAttributesAsync_ptsz |null| (to: u64, from: u64, bytes: usize, attributes: In<CopyAttributes>, stream: Handle<Stream>) {
        attributes.get()?;
        line(to, from, bytes, NONE, &stream::named(stream, null)?, true)
    }

    fn cuMemcpyPeer / cuMemcpyPeer_ptds |null| (to: u64, to_context: Handle<Context>, from: u64, from_context: Handle<Context>, bytes: usize) {
        between(to_context, from_context)?;
        line(to, from, bytes, BOTH, &default_stream(null)?, false)
    }

    fn cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz |null| (to: u64, to_context: Handle<Context>, from: u64, from_context: Handle<Context>, bytes: usize, stream: Handle<Stream>) {
        between(to_context, from_context)?;
        line(to, from, bytes, BOTH, &stream::named(stream, null)?, true)
    }

    fn cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds |null| (given: In<Copy2d>) {
        described(&widened(&given.get()?))?.submit(&default_stream(null)?, false)
    }

    fn cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds |null| (given: In<Copy2d>) {
        described(&widened(&given.get()?))?.submit(&default_stream(null)?, false)
    }

    fn cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz |null| (given: In<Copy2d>, stream: Handle<Stream>) {
        described(&widened(&given.get()?))?.submit(&stream::named(stream, null)?, true)
    }

    fn cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds |null| (given: In<Copy3d>) {
        described(&given.get()?)?.submit(&default_stream(null)?, false)
    }

    fn cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz |null| (given: In<Copy3d>, stream: Handle<Stream>) {
        described(&given.get()?)?.submit(&stream::named(stream, null)?, true)
    }

    fn cuMemcpy3DPeer / cuMemcpy3DPeer_ptds |null| (given: In<Copy3d>) {
        let given = given.get()?;
        between(given.to_context, given.from_context)?;
        described(&given)?.submit(&default_stream(null)?, false)
    }

    fn cuMemcpy3DPeerAsync / cuMemcpy3DPeerAsync_ptsz |null| (given: In<Copy3d>, stream: Handle<Stream>) {
        let given = given.get()?;
        between(given.to_context, given.from_context)?;
        described(&given)?.submit(&stream::named(stream, null)?, true)
    }

    fn cuMemcpyDtoA_v2 / cuMemcpyDtoA_v2_ptds |null| (to: Handle<Array>, offset: usize, from: u64, bytes: usize) {
        with_array(in_array(to, offset)?, linear(from), bytes, BOTH, &default_stream(null)?, false)
    }

    fn cuMemcpyAtoD_v2 / cuMemcpyAtoD_v2_ptds |null| (to: u64, from: Handle<Array>, offset: usize, bytes: usize) {
        with_array(linear(to), in_array(from, offset)?, bytes, BOTH, &default_stream(null)?, false)
    }

    fn cuMemcpyHtoA_v2 / cuMemcpyHtoA_v2_ptds |null| (to: Handle<Array>, offset: usize, from: u64, bytes: usize) {
        with_array(in_array(to, offset)?, linear(from), bytes, NONE, &default_stream(null)?, false)
    }

    fn cuMemcpyAtoH_v2 / cuMemcpyAtoH_v2_ptds |null| (to: u64, from: Handle<Array>, offset: usize, bytes: usize) {
        with_array(linear(to), in_array(from, offset)?, bytes, NONE, &default_stream(null)?, false)
    }

    fn cuMemcpyAtoA_v2 / cuMemcpyAtoA_v2_ptds |null| (to: Handle<Array>, to_offset: usize, from: Handle<Array>, from_offset: usize, bytes: usize) {
        with_array(in_array(to, to_offset)?, in_array(from, from_offset)?, bytes, NONE, &default_stream(null)?, false)
    }

    fn cuMemcpyHtoAAsync_v2 / cuMemcpyHtoAAsync_v2_ptsz |null| (to: Handle<Array>, offset: usize, from: u64, bytes: usize, stream: Handle<Stream>) {
        with_array(in_array(to, offset)?, linear(from), bytes, NONE, &stream::named(stream, null)?, true)
    }

    fn cuMemcpyAtoHAsync_v2 / cuMemcpyAtoHAsync_v2_ptsz |null| (to: u64, from: Handle<Array>, offset: usize, bytes: usize, stream: Handle<Stream>) {
        with_array(linear(to), in_array(from, offset)?, bytes, NONE, &stream::named(stream, null)?, true)
    }

    fn cuMemcpyBatchAsync_v2 / cuMemcpyBatchAsync_v2_ptsz |null| (to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, indices: In<usize>, attribute_count: usize, stream: Handle<Stream>) {
        batch(to, from, bytes, count, (attributes, indices, attribute_count), &stream::named(stream, null)?)
    }

    fn cuMemcpyBatchAsync / cuMemcpyBatchAsync_ptsz |null| (to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, indices: In<usize>, attribute_count: usize, failed: Out<usize>, stream: Handle<Stream>) {
        failed.set_if_wanted(usize::MAX);
        batch(to, from, bytes, count, (attributes, indices, attribute_count), &stream::named(stream, null)?)
    }
}

/// Several copies, of which nothing is done if one is wrong.
fn batch(
    to: In<u64>,
    from: In<u64>,
    bytes: In<usize>,
    count: usize,
    attributes: (In<CopyAttributes>, In<usize>, usize),
    stream: &Arc<Stream>,
) -> Answer {
    let (to, from, bytes) = (to.list(count)?, from.list(count)?, bytes.list(count)?);
    if count == 0 || attributes.2 == 0 || attributes.2 > count {
        return Err(Failure::value("numbers of copies and of their attributes"));
    }
    attributes.0.list(attributes.2)?;
    attributes.1.list(attributes.2)?;
    let copies: Vec<Copy> = to
        .iter()
        .zip(&from)
        .zip(&bytes)
        .map(|((&to, &from), &bytes)| Copy::line(to, from, bytes as u64))
        .collect();
    for copy in &copies {
        copy.check(NONE)?;
    }
    copies.into_iter().try_for_each(|copy| copy.submit(stream, true))
}
