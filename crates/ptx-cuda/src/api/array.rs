//! Arrays and mipmapped arrays: the memory of textures and surfaces.

use std::ffi::{c_int, c_uint};
use std::sync::{Arc, Mutex};

use bytemuck::allocation::try_zeroed_vec;
use ptx_device::texture::{Extent, Image, SharedImage, Storage};

use crate::array::{Array, MipmappedArray, format_and_channels};
use crate::context;
use crate::device::free_bytes;
use crate::driver::{Driver, Gpu};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, Object};
use crate::pointer::{In, Out};
use crate::types::{Array3dDescription, ArrayDescription, ArrayRequirements};

const LAYERED: c_uint = 1;

const CUBE: c_uint = 4;

/// Layered, surfaces, cubes, gather, depth, color attachment.
const FLAGS: c_uint = 0x3f;

/// The image of a description, on a device that must have enough memory for it.
fn image_of(gpu: &Gpu, given: &Array3dDescription, levels: u32) -> Answer<Image> {
    let (format, channels) = format_and_channels(given.format)?;
    let side = |size: usize| u32::try_from(size).map_err(|_| Failure::value("an array is too large"));
    let (width, height, depth) = (side(given.width)?, side(given.height)?, side(given.depth)?);
    if given.flags & !FLAGS != 0 {
        return Err(Failure::because(
            CUresult::NOT_SUPPORTED,
            format!("flags {:#x} of an array", given.flags),
        ));
    }
    let is_layered = given.flags & LAYERED != 0;
    let (extent, layers) = match (given.flags & CUBE != 0, is_layered) {
        (true, _) if width != height => return Err(Failure::value("the faces of a cube are squares")),
        (true, false) if depth == 6 => (Extent::Cube { size: width }, None),
        (true, true) if depth > 0 && depth.is_multiple_of(6) => {
            (Extent::Cube { size: width }, Some(depth / 6))
        }
        (true, _) => return Err(Failure::value("the depth of a cube is six for each layer")),
        (false, true) if height == 0 => (Extent::D1 { width }, Some(depth)),
        (false, true) => (Extent::D2 { width, height }, Some(depth)),
        (false, false) if depth > 0 => (Extent::D3 { width, height, depth }, None),
        (false, false) if height > 0 => (Extent::D2 { width, height }, None),
        (false, false) => (Extent::D1 { width }, None),
    };
    let channels = channels.unwrap_or(given.channels);
    let image =
        Image { format, channels, extent, layers, levels, samples: 1, storage: Storage::Array(Vec::new()) };
    let fits = |&bytes: &u64| bytes <= free_bytes(gpu);
    let bytes = image.bytes().filter(fits).ok_or(CUresult::OUT_OF_MEMORY)?;
    let texels = try_zeroed_vec(bytes as usize).map_err(|_| CUresult::OUT_OF_MEMORY)?;
    Ok(Image { storage: Storage::Array(texels), ..image })
}

fn create(given: Array3dDescription) -> Answer<Handle<Array>> {
    let context = context::current()?;
    let image = context
        .gpu
        .device
        .image(image_of(context.gpu, &given, 1)?)
        .map_err(|error| context.gpu.failure(error))?;
    let array = Array { gpu: context.gpu, image, level: 0, description: given, change: Arc::default() };
    Array::table().insert(Arc::new(array))
}

fn requirements(image: &SharedImage) -> Answer<ArrayRequirements> {
    let bytes = image.description().bytes().ok_or(CUresult::INVALID_VALUE)?;
    Ok(ArrayRequirements { size: bytes as usize, align: 512, ..ArrayRequirements::default() })
}

entries! {
    fn cuArrayCreate_v2(array: Out<Handle<Array>>, given: In<ArrayDescription>) {
        let ArrayDescription { width, height, format, channels } = given.get()?;
        array.require()?;
        array.set(create(Array3dDescription { width, height, depth: 0, format, channels, flags: 0 })?)
    }

    fn cuArray3DCreate_v2(array: Out<Handle<Array>>, given: In<Array3dDescription>) {
        let given = given.get()?;
        array.require()?;
        array.set(create(given)?)
    }

    fn cuArrayGetDescriptor_v2(to: Out<ArrayDescription>, array: Handle<Array>) {
        let Array3dDescription { width, height, format, channels, .. } = array.get()?.description;
        to.set(ArrayDescription { width, height, format, channels })
    }

    fn cuArray3DGetDescriptor_v2(to: Out<Array3dDescription>, array: Handle<Array>) {
        to.set(array.get()?.description)
    }

    fn cuArrayDestroy(array: Handle<Array>) {
        let found = array.get()?;
        found.gpu.synchronize()?;
        array.remove().map(drop)
    }

    fn cuArrayGetMemoryRequirements(to: Out<ArrayRequirements>, array: Handle<Array>, device: c_int) {
        Driver::gpu(device)?;
        to.set(requirements(&array.get()?.image)?)
    }

    fn cuMipmappedArrayGetMemoryRequirements(to: Out<ArrayRequirements>, array: Handle<MipmappedArray>, device: c_int) {
        Driver::gpu(device)?;
        to.set(requirements(&array.get()?.image)?)
    }

    fn cuMipmappedArrayCreate(array: Out<Handle<MipmappedArray>>, given: In<Array3dDescription>, levels: c_uint) {
        let context = context::current()?;
        let given = given.get()?;
        array.require()?;
        let largest = given.width.max(given.height).max(if given.flags & (LAYERED | CUBE) == 0 { given.depth } else { 0 });
        let most = usize::BITS - largest.max(1).leading_zeros();
        if levels == 0 {
            return Err(Failure::value("a mipmapped array has levels"));
        }
        let image = image_of(context.gpu, &given, levels.min(most))?;
        let sizes: Vec<[u32; 3]> = (0..levels.min(most)).map(|level| image.level_size(level)).collect();
        let image = context.gpu.device.image(image).map_err(|error| context.gpu.failure(error))?;
        let change = Arc::new(Mutex::new(()));
        let mut handles = Vec::new();
        for (level, [width, height, depth]) in (0..).zip(sizes) {
            let shrunk = |given: usize, size: u32| if given == 0 { 0 } else { size as usize };
            let is_stack = given.flags & (LAYERED | CUBE) != 0;
            let description = Array3dDescription {
                width: width as usize,
                height: shrunk(given.height, height),
                depth: if is_stack { given.depth } else { shrunk(given.depth, depth) },
                ..given
            };
            let level = Array { gpu: context.gpu, image: image.clone(), level, description, change: change.clone() };
            handles.push(Array::table().insert(Arc::new(level))?);
        }
        let made = MipmappedArray { image, levels: handles };
        array.set(MipmappedArray::table().insert(Arc::new(made))?)
    }

    fn cuMipmappedArrayGetLevel(array: Out<Handle<Array>>, whole: Handle<MipmappedArray>, level: c_uint) {
        let whole = whole.get()?;
        array.set(*whole.levels.get(level as usize).ok_or_else(|| Failure::value("there is no such level"))?)
    }

    fn cuMipmappedArrayDestroy(array: Handle<MipmappedArray>) {
        let whole = array.remove()?;
        for level in &whole.levels {
            // These handles are removed only here.
            let _ = level.remove();
        }
        Ok(())
    }
}
