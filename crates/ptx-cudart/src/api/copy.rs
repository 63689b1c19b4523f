//! Copies between linear memory of all kinds.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::entry::NullStream;
use crate::error::{Answer, Error, Failure};
use crate::functions::{
    cuMemcpy, cuMemcpy3D_v2, cuMemcpy3DAsync_v2, cuMemcpy3DPeer, cuMemcpy3DPeerAsync, cuMemcpyAsync,
    cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2,
    cuMemcpyHtoDAsync_v2, cuMemcpyPeer, cuMemcpyPeerAsync, cuMemcpyWithAttributesAsync, cuStreamSynchronize,
};
use crate::node::{copy_of, copy_of_peers};
use crate::pointer::In;
use crate::types::{Copy3d, CopyAttributes, DEVICE, DriverCopy, HOST, Handle, PeerCopy, UNIFIED};
use crate::{entries, registry, stream_entries};

/// When a copy is performed.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Before the function returns, after the default stream.
    Now(NullStream),
    /// In a stream.
    In(Handle),
}

/// `cudaMemcpyKind`.
pub const TO_DEVICE: c_uint = 1;
pub const TO_HOST: c_uint = 2;
pub const WITHIN_DEVICE: c_uint = 3;
pub const BY_ADDRESS: c_uint = 4;

/// The kinds of memory that a kind of copies is from and to.
///
/// # Errors
/// `cudaErrorInvalidMemcpyDirection` if there is no such kind.
pub fn sides(kind: c_uint) -> Answer<(c_uint, c_uint)> {
    match kind {
        0 => Ok((HOST, HOST)),
        TO_DEVICE => Ok((HOST, DEVICE)),
        TO_HOST => Ok((DEVICE, HOST)),
        WITHIN_DEVICE => Ok((DEVICE, DEVICE)),
        BY_ADDRESS => Ok((UNIFIED, UNIFIED)),
        _ => {
            Err(Failure::because(Error::INVALID_COPY_DIRECTION, format!("there is no kind {kind} of copies")))
        }
    }
}

/// Copies bytes.
pub fn linear(to: u64, from: u64, bytes: usize, kind: c_uint, when: When) -> Answer {
    sides(kind)?;
    if bytes == 0 {
        return Ok(());
    }
    match when {
        When::Now(NullStream::Legacy) => match kind {
            TO_DEVICE => cuMemcpyHtoD_v2(to, from, bytes),
            TO_HOST => cuMemcpyDtoH_v2(to, from, bytes),
            WITHIN_DEVICE => cuMemcpyDtoD_v2(to, from, bytes),
            _ => cuMemcpy(to, from, bytes),
        },
        When::Now(null) => {
            linear(to, from, bytes, kind, When::In(null.handle()))?;
            cuStreamSynchronize(null.handle())
        }
        When::In(stream) => match kind {
            TO_DEVICE => cuMemcpyHtoDAsync_v2(to, from, bytes, stream),
            TO_HOST => cuMemcpyDtoHAsync_v2(to, from, bytes, stream),
            WITHIN_DEVICE => cuMemcpyDtoDAsync_v2(to, from, bytes, stream),
            _ => cuMemcpyAsync(to, from, bytes, stream),
        },
    }
}

/// Copies a box of bytes.
pub fn boxed(copy: &DriverCopy, when: When) -> Answer {
    if copy.width == 0 || copy.height == 0 || copy.depth == 0 {
        return Ok(());
    }
    match when {
        When::Now(NullStream::Legacy) => cuMemcpy3D_v2(In::from(copy)),
        When::Now(null) => {
            cuMemcpy3DAsync_v2(In::from(copy), null.handle())?;
            cuStreamSynchronize(null.handle())
        }
        When::In(stream) => cuMemcpy3DAsync_v2(In::from(copy), stream),
    }
}

/// Copies a box of bytes between devices.
fn between(copy: &DriverCopy, when: When) -> Answer {
    if copy.width == 0 || copy.height == 0 || copy.depth == 0 {
        return Ok(());
    }
    match when {
        When::Now(NullStream::Legacy) => cuMemcpy3DPeer(In::from(copy)),
        When::Now(null) => {
            cuMemcpy3DPeerAsync(In::from(copy), null.handle())?;
            cuStreamSynchronize(null.handle())
        }
        When::In(stream) => cuMemcpy3DPeerAsync(In::from(copy), stream),
    }
}

/// Copies rows.
fn rows(
    (to, to_pitch): (u64, usize),
    (from, from_pitch): (u64, usize),
    (width, height): (usize, usize),
    kind: c_uint,
    when: When,
) -> Answer {
    let (from_kind, to_kind) = sides(kind)?;
    if width > to_pitch || width > from_pitch {
        let reason = format!("rows of {width} bytes at distances of {from_pitch} and {to_pitch}");
        return Err(Failure::because(Error::INVALID_PITCH, reason));
    }
    let copy = DriverCopy {
        from_kind,
        from_host: from,
        from_device: from,
        from_pitch,
        to_kind,
        to_host: to,
        to_device: to,
        to_pitch,
        width,
        height,
        depth: 1,
        ..DriverCopy::default()
    };
    boxed(&copy, when)
}

/// The address of bytes of a variable.
pub fn within(symbol: u64, offset: usize, bytes: usize) -> Answer<u64> {
    let (address, size) = registry::variable(symbol)?;
    if offset.checked_add(bytes).is_none_or(|end| end > size) {
        let reason = format!("{bytes} bytes at offset {offset} of a variable of {size} bytes");
        return Err(Failure::value(reason));
    }
    Ok(address + offset as u64)
}

/// Fails unless a kind of copies is one to a variable (`TO_DEVICE`) or from one (`TO_HOST`).
pub fn require_symbol_kind(kind: c_uint, expected: c_uint) -> Answer {
    if kind == expected || kind == WITHIN_DEVICE || kind == BY_ADDRESS {
        return Ok(());
    }
    Err(Failure::because(Error::INVALID_COPY_DIRECTION, format!("kind {kind} of a copy of a variable")))
}

fn to_symbol(symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_uint, when: When) -> Answer {
    require_symbol_kind(kind, TO_DEVICE)?;
    linear(within(symbol, offset, bytes)?, from, bytes, kind, when)
}

fn from_symbol(to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_uint, when: When) -> Answer {
    require_symbol_kind(kind, TO_HOST)?;
    linear(to, within(symbol, offset, bytes)?, bytes, kind, when)
}

entries! {
    fn cudaMemcpyPeer(to: u64, to_device: c_int, from: u64, from_device: c_int, bytes: usize) {
        let (to_context, from_context) = (context::primary(to_device)?, context::primary(from_device)?);
        if bytes == 0 { Ok(()) } else { cuMemcpyPeer(to, to_context, from, from_context, bytes) }
    }

    fn cudaMemcpyPeerAsync(to: u64, to_device: c_int, from: u64, from_device: c_int, bytes: usize, stream: Handle) {
        let (to_context, from_context) = (context::primary(to_device)?, context::primary(from_device)?);
        if bytes == 0 { Ok(()) } else { cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream) }
    }
}

stream_entries! {
    fn cudaMemcpy / cudaMemcpy_ptds |null| (to: u64, from: u64, bytes: usize, kind: c_uint) {
        linear(to, from, bytes, kind, When::Now(null))
    }

    fn cudaMemcpyAsync / cudaMemcpyAsync_ptsz |null| (to: u64, from: u64, bytes: usize, kind: c_uint, stream: Handle) {
        linear(to, from, bytes, kind, When::In(null.stream(stream)))
    }

    fn cudaMemcpyWithAttributesAsync / cudaMemcpyWithAttributesAsync_ptsz |null| (
        to: u64, from: u64, bytes: usize, attributes: In<CopyAttributes>, stream: Handle,
    ) {
        cuMemcpyWithAttributesAsync(to, from, bytes, attributes, null.stream(stream))
    }

    fn cudaMemcpy2D / cudaMemcpy2D_ptds |null| (
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_uint,
    ) {
        rows((to, to_pitch), (from, from_pitch), (width, height), kind, When::Now(null))
    }

    fn cudaMemcpy2DAsync / cudaMemcpy2DAsync_ptsz |null| (
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_uint, stream: Handle,
    ) {
        rows((to, to_pitch), (from, from_pitch), (width, height), kind, When::In(null.stream(stream)))
    }

    fn cudaMemcpy3D / cudaMemcpy3D_ptds |null| (given: In<Copy3d>) {
        boxed(&copy_of(&given.get()?)?, When::Now(null))
    }

    fn cudaMemcpy3DAsync / cudaMemcpy3DAsync_ptsz |null| (given: In<Copy3d>, stream: Handle) {
        boxed(&copy_of(&given.get()?)?, When::In(null.stream(stream)))
    }

    fn cudaMemcpy3DPeer / cudaMemcpy3DPeer_ptds |null| (given: In<PeerCopy>) {
        between(&copy_of_peers(&given.get()?)?, When::Now(null))
    }

    fn cudaMemcpy3DPeerAsync / cudaMemcpy3DPeerAsync_ptsz |null| (given: In<PeerCopy>, stream: Handle) {
        between(&copy_of_peers(&given.get()?)?, When::In(null.stream(stream)))
    }

    fn cudaMemcpyToSymbol / cudaMemcpyToSymbol_ptds |null| (symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_uint) {
        to_symbol(symbol, from, bytes, offset, kind, When::Now(null))
    }

    fn cudaMemcpyToSymbolAsync / cudaMemcpyToSymbolAsync_ptsz |null| (
        symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_uint, stream: Handle,
    ) {
        to_symbol(symbol, from, bytes, offset, kind, When::In(null.stream(stream)))
    }

    fn cudaMemcpyFromSymbol / cudaMemcpyFromSymbol_ptds |null| (to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_uint) {
        from_symbol(to, symbol, bytes, offset, kind, When::Now(null))
    }

    fn cudaMemcpyFromSymbolAsync / cudaMemcpyFromSymbolAsync_ptsz |null| (
        to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_uint, stream: Handle,
    ) {
        from_symbol(to, symbol, bytes, offset, kind, When::In(null.stream(stream)))
    }
}
