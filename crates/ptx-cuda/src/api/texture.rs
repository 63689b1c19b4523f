//! Texture and surface objects.

use std::collections::HashMap;
use std::ffi::c_uint;
use std::sync::Mutex;

use ptx_device::texture::{
    AddressMode, Extent, Filter, Handle as Object, Image, ReadMode, Sampler, SharedImage, Start, Storage,
    Texture,
};

use crate::array::{Array, MipmappedArray, format_and_channels};
use crate::context;
use crate::driver::{Gpu, lock};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::handle::Handle;
use crate::pointer::{In, Out};
use crate::types::{LinearResource, ResourceDescription, TextureDescription, ViewDescription};

/// Flags of textures: integers as they are, coordinates from 0 to 1, sRGB, seamless cubes.
const AS_INTEGER: c_uint = 1;

const NORMALIZED: c_uint = 2;

const SRGB: c_uint = 0x10;

const NO_TRILINEAR: c_uint = 0x20;

const SEAMLESS: c_uint = 0x40;

/// What an object was made of, to be asked for.
#[derive(Clone, Copy, Debug)]
struct Made {
    resource: ResourceDescription,
    texture: TextureDescription,
    view: Option<ViewDescription>,
}

/// The objects of all devices, by device and value.
static OBJECTS: Mutex<Option<HashMap<(i32, u64), Made>>> = Mutex::new(None);

fn made(gpu: &Gpu, object: u64) -> Answer<Made> {
    let found = lock(&OBJECTS).as_ref().and_then(|all| all.get(&(gpu.ordinal, object)).copied());
    found.ok_or_else(|| Failure::value(format!("{object:#x} is no object of the device")))
}

/// The image that a resource is.
fn image(gpu: &Gpu, given: &ResourceDescription) -> Answer<(SharedImage, u32)> {
    let LinearResource { address, format, channels, width, height, pitch, .. } = given.resource;
    let linear = |extent, pitch: u64| {
        let (format, own) = format_and_channels(format)?;
        let storage = Storage::Linear { start: Start::Address(address), pitch };
        let image = Image {
            format,
            channels: own.unwrap_or(channels),
            extent,
            layers: None,
            levels: 1,
            samples: 1,
            storage,
        };
        gpu.device.image(image).map(|image| (image, 0)).map_err(|error| gpu.failure(error))
    };
    let side = |size: usize| u32::try_from(size).map_err(|_| Failure::value("a texture is too large"));
    match given.kind {
        0 => {
            let array = Handle::<Array>::from_bits(address as usize).get()?;
            Ok((array.image.clone(), array.level))
        }
        1 => Ok((Handle::<MipmappedArray>::from_bits(address as usize).get()?.image.clone(), 0)),
        2 => {
            let (format, own) = format_and_channels(format)?;
            let texel = format.bytes() * own.unwrap_or(channels);
            if texel == 0 {
                return Err(Failure::value("a texel has 1, 2 or 4 channels"));
            }
            linear(Extent::D1 { width: side(width / texel as usize)? }, width as u64)
        }
        3 => linear(Extent::D2 { width: side(width)?, height: side(height)? }, pitch as u64),
        other => Err(Failure::value(format!("there is no kind {other} of resources"))),
    }
}

fn filter(filter: c_uint) -> Answer<Filter> {
    match filter {
        0 => Ok(Filter::Point),
        1 => Ok(Filter::Linear),
        _ => Err(Failure::value(format!("there is no filter {filter}"))),
    }
}

fn address_mode(mode: c_uint) -> Answer<AddressMode> {
    match mode {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Clamp),
        2 => Ok(AddressMode::Mirror),
        3 => Ok(AddressMode::Border),
        _ => Err(Failure::value(format!("there is no address mode {mode}"))),
    }
}

/// The texture that a description means.
fn texture(given: &TextureDescription) -> Answer<Texture> {
    if given.flags & !(AS_INTEGER | NORMALIZED | SRGB | NO_TRILINEAR | SEAMLESS) != 0 {
        return Err(Failure::value(format!("flags {:#x} of a texture", given.flags)));
    }
    let [x, y, z] = given.address_mode;
    let level_clamp = if given.min_level == 0.0 && given.max_level == 0.0 {
        [0.0, f32::MAX]
    } else {
        [given.min_level, given.max_level]
    };
    let sampler = Sampler {
        address: [address_mode(x)?, address_mode(y)?, address_mode(z)?],
        border: given.border,
        filter: filter(given.filter)?,
        level_filter: filter(given.level_filter)?,
        level_bias: given.level_bias,
        level_clamp,
        max_anisotropy: given.max_anisotropy.max(1),
        seamless: given.flags & SEAMLESS != 0,
        ..Sampler::default()
    };
    let read = if given.flags & AS_INTEGER != 0 { ReadMode::Element } else { ReadMode::NormalizedFloat };
    Ok(Texture {
        read,
        srgb: given.flags & SRGB != 0,
        normalized: Some(given.flags & NORMALIZED != 0),
        sampler: Some(sampler),
        ..Texture::new(0)
    })
}

/// Integers of 32 bits and floating-point numbers are read as they are in any case.
fn with_read_mode(mut texture: Texture, image: &SharedImage) -> Texture {
    use ptx_device::texture::ChannelFormat;
    let is_small = matches!(
        image.description().format,
        ChannelFormat::Unsigned8
            | ChannelFormat::Unsigned16
            | ChannelFormat::Signed8
            | ChannelFormat::Signed16
    );
    if !is_small {
        texture.read = ReadMode::Element;
    }
    texture
}

/// A view that shows the whole resource in its own format.
fn is_whole(view: &ViewDescription, image: &SharedImage) -> bool {
    let description = image.description();
    let [width, height, depth] = description.extent.size().map(|size| size as usize);
    let same = |given: usize, size: usize| given == size || (given == 0 && size <= 1);
    same(view.width, width)
        && same(view.height, height)
        && same(view.depth, depth)
        && view.first_level == 0
        && (view.last_level + 1 >= description.levels || view.last_level == 0 && description.levels == 1)
        && view.first_layer == 0
        && (view.last_layer == 0 || description.layers.is_some_and(|layers| view.last_layer + 1 == layers))
}

fn destroy(object: u64, is_expected: impl Fn(Object) -> bool) -> Answer {
    let gpu = context::current()?.gpu;
    made(gpu, object)?;
    let handle = Object::from_value(object).filter(|&handle| is_expected(handle));
    let handle = handle.ok_or_else(|| Failure::value("an object of another kind"))?;
    gpu.device.destroy(handle).map_err(|error| gpu.failure(error))?;
    if let Some(all) = &mut *lock(&OBJECTS) {
        all.remove(&(gpu.ordinal, object));
    }
    Ok(())
}

fn remember(gpu: &Gpu, object: u64, made: Made) {
    lock(&OBJECTS).get_or_insert_default().insert((gpu.ordinal, object), made);
}

entries! {
    fn cuTexObjectCreate(to: Out<u64>, resource: In<ResourceDescription>, description: In<TextureDescription>, view: In<ViewDescription>) {
        let gpu = context::current()?.gpu;
        to.require()?;
        let (resource, description, view) = (resource.get()?, description.get()?, view.optional());
        let (image, level) = image(gpu, &resource)?;
        if level != 0 {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "a texture of one level of a mipmapped array"));
        }
        if view.is_some_and(|view| !is_whole(&view, &image)) {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "a view of a part of a resource"));
        }
        let texture = with_read_mode(texture(&description)?, &image);
        let object = gpu.device.texture(&image, &texture).map_err(|error| gpu.failure(error))?.value();
        remember(gpu, object, Made { resource, texture: description, view });
        to.set(object)
    }

    fn cuTexObjectDestroy(object: u64) {
        destroy(object, |handle| matches!(handle, Object::Texture(_)))
    }

    fn cuTexObjectGetResourceDesc(to: Out<ResourceDescription>, object: u64) {
        to.set(made(context::current()?.gpu, object)?.resource)
    }

    fn cuTexObjectGetTextureDesc(to: Out<TextureDescription>, object: u64) {
        to.set(made(context::current()?.gpu, object)?.texture)
    }

    fn cuTexObjectGetResourceViewDesc(to: Out<ViewDescription>, object: u64) {
        to.set(made(context::current()?.gpu, object)?.view.ok_or(CUresult::INVALID_VALUE)?)
    }

    fn cuSurfObjectCreate(to: Out<u64>, resource: In<ResourceDescription>) {
        let gpu = context::current()?.gpu;
        to.require()?;
        let resource = resource.get()?;
        if resource.kind != 0 {
            return Err(Failure::value("a surface is of an array"));
        }
        let (image, level) = image(gpu, &resource)?;
        let object = gpu.device.surface(&image, level).map_err(|error| gpu.failure(error))?.value();
        remember(gpu, object, Made { resource, texture: TextureDescription::default(), view: None });
        to.set(object)
    }

    fn cuSurfObjectDestroy(object: u64) {
        destroy(object, |handle| matches!(handle, Object::Surface(_)))
    }

    fn cuSurfObjectGetResourceDesc(to: Out<ResourceDescription>, object: u64) {
        to.set(made(context::current()?.gpu, object)?.resource)
    }
}
