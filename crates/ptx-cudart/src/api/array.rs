//! Arrays and mipmapped arrays.

use std::ffi::{c_int, c_uint};

use crate::error::{Answer, Error, Failure};
use crate::functions::{
    cuArray3DCreate_v2, cuArray3DGetDescriptor_v2, cuArrayDestroy, cuArrayGetMemoryRequirements,
    cuMipmappedArrayCreate, cuMipmappedArrayDestroy, cuMipmappedArrayGetLevel,
    cuMipmappedArrayGetMemoryRequirements,
};
use crate::pointer::{In, Out};
use crate::types::{ArrayDescription, ArrayRequirements, ChannelFormat, Extent, Handle};
use crate::{channel, entries};

fn description(format: In<ChannelFormat>, extent: Extent, flags: c_uint) -> Answer<ArrayDescription> {
    let (format, channels) = channel::format(&format.get()?)?;
    Ok(ArrayDescription {
        width: extent.width,
        height: extent.height,
        depth: extent.depth,
        format,
        channels,
        flags,
    })
}

fn found(array: Handle) -> Answer<ArrayDescription> {
    let mut found = ArrayDescription::default();
    cuArray3DGetDescriptor_v2(Out::to(&mut found), array)?;
    Ok(found)
}

entries! {
    fn cudaMallocArray(array: Out<Handle>, format: In<ChannelFormat>, width: usize, height: usize, flags: c_uint) {
        let description = description(format, Extent { width, height, depth: 0 }, flags)?;
        cuArray3DCreate_v2(array, In::from(&description))
    }

    fn cudaMalloc3DArray(array: Out<Handle>, format: In<ChannelFormat>, extent: Extent, flags: c_uint) {
        cuArray3DCreate_v2(array, In::from(&description(format, extent, flags)?))
    }

    fn cudaFreeArray(array: Handle) {
        if array == 0 { Ok(()) } else { cuArrayDestroy(array) }
    }

    fn cudaMallocMipmappedArray(array: Out<Handle>, format: In<ChannelFormat>, extent: Extent, levels: c_uint, flags: c_uint) {
        cuMipmappedArrayCreate(array, In::from(&description(format, extent, flags)?), levels)
    }

    fn cudaFreeMipmappedArray(array: Handle) {
        if array == 0 { Ok(()) } else { cuMipmappedArrayDestroy(array) }
    }

    fn cudaGetMipmappedArrayLevel(array: Out<Handle>, whole: Handle, level: c_uint) {
        cuMipmappedArrayGetLevel(array, whole, level)
    }

    fn cudaArrayGetInfo(format: Out<ChannelFormat>, extent: Out<Extent>, flags: Out<c_uint>, array: Handle) {
        let found = found(array)?;
        format.set_if_wanted(channel::described(found.format, found.channels));
        extent.set_if_wanted(Extent { width: found.width, height: found.height, depth: found.depth });
        flags.set_if_wanted(found.flags);
        Ok(())
    }

    fn cudaGetChannelDesc(format: Out<ChannelFormat>, array: Handle) {
        let found = found(array)?;
        format.set(channel::described(found.format, found.channels))
    }

    fn cudaArrayGetMemoryRequirements(to: Out<ArrayRequirements>, array: Handle, device: c_int) {
        cuArrayGetMemoryRequirements(to, array, device)
    }

    fn cudaMipmappedArrayGetMemoryRequirements(to: Out<ArrayRequirements>, array: Handle, device: c_int) {
        cuMipmappedArrayGetMemoryRequirements(to, array, device)
    }

    // No format that has planes can be allocated.
    fn cudaArrayGetPlane(plane: Out<Handle>, array: Handle, _index: c_uint) {
        plane.require()?;
        found(array)?;
        Err(Failure::value("the array has no planes"))
    }

    // No array is sparse.
    fn cudaArrayGetSparseProperties(to: Out<u8>, array: Handle) {
        to.require()?;
        found(array)?;
        Err(Failure::because(Error::INVALID_VALUE, "the array is not sparse"))
    }
}

/// Makes a description from its parts.
#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_uint,
) -> ChannelFormat {
    ChannelFormat { bits: [x, y, z, w], kind }
}
