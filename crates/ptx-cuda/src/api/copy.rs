//! Copies, of one to three dimensions, between linear memory and arrays.

use std::sync::Arc;

use crate::array::{self, Array};
use crate::context::{self, Context};
use crate::copy::{Copy, Side, described};
use crate::entry::{NullStream, stream_entries};
use crate::error::Answer;
use crate::handle::Handle;
use crate::operation::Operation;
use crate::pointer::In;
use crate::stream::Stream;
use crate::types::{Copy2d, Copy3d};

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

fn default_stream(null: NullStream) -> Answer<Arc<Stream>> {
    context::stream(Handle::NULL, null)
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
    submit(copy, stream, is_async)
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

pub const NONE: (bool, bool) = (false, false);

/// Performs a copy in the order of a stream. As with the real driver, memory of the host that is not known may be changed as soon as the call returns if
/// it is copied from, and has been written if it is copied to.
pub fn submit(copy: Copy, stream: &Arc<Stream>, is_async: bool) -> Answer {
    submit_reading(copy, SourceAccess::Usual, stream, is_async)
}

/// When the source of a copy is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceAccess {
    /// Memory that is not known before the call returns, other memory in the order of the stream.
    Usual,
    /// In the order of the stream.
    InStream,
    /// Before the call returns.
    DuringCall,
}

/// As [`submit`], for a copy whose source is read at a time that the caller chooses.
pub fn submit_reading(mut copy: Copy, access: SourceAccess, stream: &Arc<Stream>, is_async: bool) -> Answer {
    if copy.is_empty() {
        return Ok(());
    }
    let is_captured = crate::driver::lock(&stream.capture).is_some();
    // A copy between devices in a default stream comes after all earlier work of both devices, and before all later work.
    let others = if stream.is_legacy() && !is_captured { copy.others(stream.gpu()) } else { Vec::new() };
    if !others.is_empty() {
        others.into_iter().try_for_each(|other| other.synchronize())?;
        return stream.run(Operation::Copy(Arc::new(copy)));
    }
    if !is_async || (!is_captured && copy.to.is_unknown()) {
        return stream.run(Operation::Copy(Arc::new(copy)));
    }
    let reads_now = match access {
        SourceAccess::Usual => copy.from.is_unknown(),
        SourceAccess::InStream => false,
        SourceAccess::DuringCall => copy.from.is_of_host(),
    };
    if !is_captured && reads_now {
        copy.from = Side::Staged(copy.read(&copy.from)?.into());
    }
    stream.submit(Operation::Copy(Arc::new(copy)))
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
    submit(copy, stream, is_async)
}

stream_entries! {
    fn cuMemcpy / cuMemcpy_ptds |null| (to: u64, from: u64, bytes: usize) {
        line(to, from, bytes, NONE, &default_stream(null)?, false)
    }

    fn cuMemcpyAsync / cuMemcpyAsync_ptsz |null| (to: u64, from: u64, bytes: usize, stream: Handle<Stream>) {
        line(to, from, bytes, NONE, &context::stream(stream, null)?, true)
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
        line(to, from, bytes, TO, &context::stream(stream, null)?, true)
    }

    fn cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz |null| (to: u64, from: u64, bytes: usize, stream: Handle<Stream>) {
        line(to, from, bytes, FROM, &context::stream(stream, null)?, true)
    }

    fn cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz |null| (to: u64, from: u64, bytes: usize, stream: Handle<Stream>) {
        line(to, from, bytes, BOTH, &context::stream(stream, null)?, true)
    }

    fn cuMemcpyPeer / cuMemcpyPeer_ptds |null| (to: u64, to_context: Handle<Context>, from: u64, from_context: Handle<Context>, bytes: usize) {
        between(to_context, from_context)?;
        line(to, from, bytes, BOTH, &default_stream(null)?, false)
    }

    fn cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz |null| (to: u64, to_context: Handle<Context>, from: u64, from_context: Handle<Context>, bytes: usize, stream: Handle<Stream>) {
        between(to_context, from_context)?;
        line(to, from, bytes, BOTH, &context::stream(stream, null)?, true)
    }

    fn cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds |null| (given: In<Copy2d>) {
        submit(described(&widened(&given.get()?))?, &default_stream(null)?, false)
    }

    fn cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds |null| (given: In<Copy2d>) {
        submit(described(&widened(&given.get()?))?, &default_stream(null)?, false)
    }

    fn cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz |null| (given: In<Copy2d>, stream: Handle<Stream>) {
        submit(described(&widened(&given.get()?))?, &context::stream(stream, null)?, true)
    }

    fn cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds |null| (given: In<Copy3d>) {
        submit(described(&given.get()?)?, &default_stream(null)?, false)
    }

    fn cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz |null| (given: In<Copy3d>, stream: Handle<Stream>) {
        submit(described(&given.get()?)?, &context::stream(stream, null)?, true)
    }

    fn cuMemcpy3DPeer / cuMemcpy3DPeer_ptds |null| (given: In<Copy3d>) {
        let given = given.get()?;
        between(given.to_context.cast(), given.from_context.cast())?;
        submit(described(&given)?, &default_stream(null)?, false)
    }

    fn cuMemcpy3DPeerAsync / cuMemcpy3DPeerAsync_ptsz |null| (given: In<Copy3d>, stream: Handle<Stream>) {
        let given = given.get()?;
        between(given.to_context.cast(), given.from_context.cast())?;
        submit(described(&given)?, &context::stream(stream, null)?, true)
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
        with_array(in_array(to, offset)?, linear(from), bytes, NONE, &context::stream(stream, null)?, true)
    }

    fn cuMemcpyAtoHAsync_v2 / cuMemcpyAtoHAsync_v2_ptsz |null| (to: u64, from: Handle<Array>, offset: usize, bytes: usize, stream: Handle<Stream>) {
        with_array(linear(to), in_array(from, offset)?, bytes, NONE, &context::stream(stream, null)?, true)
    }
}
