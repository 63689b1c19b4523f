//! Copies from and to arrays, and between them.

use std::ffi::c_uint;

use crate::api::copy::{When, boxed, sides};
use crate::error::{Answer, Error, Failure};
use crate::functions::cuArray3DGetDescriptor_v2;
use crate::node::element;
use crate::pointer::Out;
use crate::stream_entries;
use crate::types::{ARRAY, ArrayDescription, DriverCopy, Handle};

/// A place in an array: bytes across, rows down.
#[derive(Clone, Copy, Debug)]
struct Place {
    array: Handle,
    x: usize,
    y: usize,
}

/// Rows of memory.
#[derive(Clone, Copy, Debug)]
struct Rows {
    address: u64,
    pitch: usize,
}

fn set_from(copy: &mut DriverCopy, place: Place) {
    (copy.from_kind, copy.from_array, copy.from_x, copy.from_y) = (ARRAY, place.array, place.x, place.y);
}

fn set_to(copy: &mut DriverCopy, place: Place) {
    (copy.to_kind, copy.to_array, copy.to_x, copy.to_y) = (ARRAY, place.array, place.x, place.y);
}

fn sized(width: usize, height: usize) -> DriverCopy {
    DriverCopy { width, height, depth: 1, ..DriverCopy::default() }
}

fn check_pitch(rows: Rows, width: usize, height: usize) -> Answer {
    if height > 1 && width > rows.pitch {
        return Err(Failure::because(
            Error::INVALID_PITCH,
            format!("rows of {width} bytes at a distance of {}", rows.pitch),
        ));
    }
    Ok(())
}

fn to_array(to: Place, from: Rows, width: usize, height: usize, kind: c_uint, when: When) -> Answer {
    check_pitch(from, width, height)?;
    let mut copy = sized(width, height);
    copy.from_kind = sides(kind)?.0;
    (copy.from_host, copy.from_device, copy.from_pitch) = (from.address, from.address, from.pitch);
    set_to(&mut copy, to);
    boxed(&copy, when)
}

fn from_array(to: Rows, from: Place, width: usize, height: usize, kind: c_uint, when: When) -> Answer {
    check_pitch(to, width, height)?;
    let mut copy = sized(width, height);
    copy.to_kind = sides(kind)?.1;
    (copy.to_host, copy.to_device, copy.to_pitch) = (to.address, to.address, to.pitch);
    set_from(&mut copy, from);
    boxed(&copy, when)
}

fn between_arrays(to: Place, from: Place, width: usize, height: usize, kind: c_uint, when: When) -> Answer {
    sides(kind)?;
    let mut copy = sized(width, height);
    set_from(&mut copy, from);
    set_to(&mut copy, to);
    boxed(&copy, when)
}

/// The bytes of a row of an array.
fn row_bytes(array: Handle) -> Answer<usize> {
    let mut found = ArrayDescription::default();
    cuArray3DGetDescriptor_v2(Out::to(&mut found), array)?;
    Ok(found.width * element(array)?)
}

/// Calls a function with the parts of a run of bytes of an array that do not cross rows: its place, and the bytes before it.
fn by_rows(place: Place, bytes: usize, mut copy: impl FnMut(Place, usize, usize, usize) -> Answer) -> Answer {
    let row = row_bytes(place.array)?;
    if place.x >= row {
        return Err(Failure::value("the offset is beyond the rows of the array"));
    }
    let first = bytes.min(row - place.x);
    copy(place, 0, first, 1)?;
    let whole = (bytes - first) / row;
    if whole > 0 {
        copy(Place { x: 0, y: place.y + 1, ..place }, first, row, whole)?;
    }
    let done = first + whole * row;
    if done < bytes {
        copy(Place { x: 0, y: place.y + 1 + whole, ..place }, done, bytes - done, 1)?;
    }
    Ok(())
}

/// Copies a run of bytes to an array.
fn run_to(to: Place, from: u64, bytes: usize, kind: c_uint, when: When) -> Answer {
    by_rows(to, bytes, |place, before, width, height| {
        to_array(place, Rows { address: from + before as u64, pitch: width }, width, height, kind, when)
    })
}

/// Copies a run of bytes from an array.
fn run_from(to: u64, from: Place, bytes: usize, kind: c_uint, when: When) -> Answer {
    by_rows(from, bytes, |place, before, width, height| {
        from_array(Rows { address: to + before as u64, pitch: width }, place, width, height, kind, when)
    })
}

/// Copies a run of bytes between arrays with rows of the same size, from and to the same offset in a row.
fn run_between(to: Place, from: Place, bytes: usize, kind: c_uint, when: When) -> Answer {
    if bytes > 0 && (row_bytes(to.array)? != row_bytes(from.array)? || to.x != from.x) {
        return Err(Failure::because(Error::NOT_SUPPORTED, "a run of bytes between arrays with other rows"));
    }
    by_rows(from, bytes, |place, _, width, height| {
        let to = Place { x: place.x, y: to.y + (place.y - from.y), ..to };
        between_arrays(to, place, width, height, kind, when)
    })
}

stream_entries! {
    fn cudaMemcpy2DToArray / cudaMemcpy2DToArray_ptds |null| (
        array: Handle, x: usize, y: usize, address: u64, pitch: usize, width: usize, height: usize, kind: c_uint,
    ) {
        to_array(Place { array, x, y }, Rows { address, pitch }, width, height, kind, When::Now(null))
    }

    fn cudaMemcpy2DToArrayAsync / cudaMemcpy2DToArrayAsync_ptsz |null| (
        array: Handle, x: usize, y: usize, address: u64, pitch: usize, width: usize, height: usize, kind: c_uint, stream: Handle,
    ) {
        to_array(Place { array, x, y }, Rows { address, pitch }, width, height, kind, When::In(null.stream(stream)))
    }

    fn cudaMemcpy2DFromArray / cudaMemcpy2DFromArray_ptds |null| (
        address: u64, pitch: usize, array: Handle, x: usize, y: usize, width: usize, height: usize, kind: c_uint,
    ) {
        from_array(Rows { address, pitch }, Place { array, x, y }, width, height, kind, When::Now(null))
    }

    fn cudaMemcpy2DFromArrayAsync / cudaMemcpy2DFromArrayAsync_ptsz |null| (
        address: u64, pitch: usize, array: Handle, x: usize, y: usize, width: usize, height: usize, kind: c_uint, stream: Handle,
    ) {
        from_array(Rows { address, pitch }, Place { array, x, y }, width, height, kind, When::In(null.stream(stream)))
    }

    fn cudaMemcpy2DArrayToArray / cudaMemcpy2DArrayToArray_ptds |null| (
        to: Handle, to_x: usize, to_y: usize, from: Handle, from_x: usize, from_y: usize, width: usize, height: usize, kind: c_uint,
    ) {
        let (to, from) = (Place { array: to, x: to_x, y: to_y }, Place { array: from, x: from_x, y: from_y });
        between_arrays(to, from, width, height, kind, When::Now(null))
    }

    fn cudaMemcpyToArray / cudaMemcpyToArray_ptds |null| (array: Handle, x: usize, y: usize, from: u64, bytes: usize, kind: c_uint) {
        run_to(Place { array, x, y }, from, bytes, kind, When::Now(null))
    }

    fn cudaMemcpyToArrayAsync / cudaMemcpyToArrayAsync_ptsz |null| (
        array: Handle, x: usize, y: usize, from: u64, bytes: usize, kind: c_uint, stream: Handle,
    ) {
        run_to(Place { array, x, y }, from, bytes, kind, When::In(null.stream(stream)))
    }

    fn cudaMemcpyFromArray / cudaMemcpyFromArray_ptds |null| (to: u64, array: Handle, x: usize, y: usize, bytes: usize, kind: c_uint) {
        run_from(to, Place { array, x, y }, bytes, kind, When::Now(null))
    }

    fn cudaMemcpyFromArrayAsync / cudaMemcpyFromArrayAsync_ptsz |null| (
        to: u64, array: Handle, x: usize, y: usize, bytes: usize, kind: c_uint, stream: Handle,
    ) {
        run_from(to, Place { array, x, y }, bytes, kind, When::In(null.stream(stream)))
    }

    fn cudaMemcpyArrayToArray / cudaMemcpyArrayToArray_ptds |null| (
        to: Handle, to_x: usize, to_y: usize, from: Handle, from_x: usize, from_y: usize, bytes: usize, kind: c_uint,
    ) {
        let (to, from) = (Place { array: to, x: to_x, y: to_y }, Place { array: from, x: from_x, y: from_y });
        run_between(to, from, bytes, kind, When::Now(null))
    }
}
