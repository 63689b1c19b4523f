//! Texture and surface objects.

use std::ffi::c_uint;

use crate::error::{Answer, Error, Failure};
use crate::functions::{
    cuArray3DGetDescriptor_v2, cuMipmappedArrayGetLevel, cuSurfObjectCreate, cuSurfObjectDestroy,
    cuSurfObjectGetResourceDesc, cuTexObjectCreate, cuTexObjectDestroy, cuTexObjectGetResourceDesc,
    cuTexObjectGetResourceViewDesc, cuTexObjectGetTextureDesc,
};
use crate::pointer::{In, Out};
use crate::types::{
    ArrayDescription, ChannelFormat, DriverResource, DriverTexture, DriverView, Handle, LinearResource,
    Resource, Texture, View,
};
use crate::{channel, entries};

/// `cudaResourceType`, as of the driver.
const ARRAY: c_uint = 0;
const MIPMAPPED: c_uint = 1;
const LINEAR: c_uint = 2;
const ROWS: c_uint = 3;

/// Flags of textures of the driver.
const AS_INTEGER: c_uint = 1;
const NORMALIZED: c_uint = 2;
const SRGB: c_uint = 0x10;
const NO_TRILINEAR: c_uint = 0x20;
const SEAMLESS: c_uint = 0x40;

fn resource(given: &Resource) -> Answer<DriverResource> {
    let mut resource = LinearResource { address: given.address, ..LinearResource::default() };
    match given.kind {
        ARRAY | MIPMAPPED => {}
        LINEAR | ROWS => {
            (resource.format, resource.channels) = channel::format(&given.format)?;
            resource.width = given.width;
            if given.kind == ROWS {
                (resource.height, resource.pitch) = (given.height, given.pitch);
            }
        }
        other => return Err(Failure::value(format!("there is no kind {other} of resources"))),
    }
    Ok(DriverResource { kind: given.kind, resource, flags: 0 })
}

fn resource_described(found: &DriverResource) -> Resource {
    let LinearResource { address, format, channels, width, height, pitch, .. } = found.resource;
    let mut resource = Resource { kind: found.kind, address, ..Resource::default() };
    if matches!(found.kind, LINEAR | ROWS) {
        resource.format = channel::described(format, channels);
        resource.width = width;
    }
    if found.kind == ROWS {
        (resource.height, resource.pitch) = (height, pitch);
    }
    resource
}

/// The format of a resource of the driver.
fn format(resource: &DriverResource) -> Answer<c_uint> {
    let array = match resource.kind {
        ARRAY => resource.resource.address as Handle,
        MIPMAPPED => {
            let mut level = 0;
            cuMipmappedArrayGetLevel(Out::to(&mut level), resource.resource.address as Handle, 0)?;
            level
        }
        _ => return Ok(resource.resource.format),
    };
    let mut found = ArrayDescription::default();
    cuArray3DGetDescriptor_v2(Out::to(&mut found), array)?;
    Ok(found.format)
}

/// The format that a view gives the texels of a resource, if it changes it: `cudaResourceViewFormat` has three numbers for each type.
fn is_integer_view(view: Option<View>) -> Option<bool> {
    let format = view?.format;
    // 1 to 18 are integers of 8, 16 and 32 bits, 19 to 24 floating-point, and the others compressed.
    (format != 0).then_some((1..=18).contains(&format))
}

fn texture(given: &Texture, is_integer: bool) -> Answer<DriverTexture> {
    let reads_as_is = match given.read_mode {
        0 => true,
        1 => false,
        other => return Err(Failure::value(format!("there is no read mode {other}"))),
    };
    let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
    Ok(DriverTexture {
        address_mode: given.address_mode,
        filter: given.filter,
        flags: flag(reads_as_is && is_integer, AS_INTEGER)
            | flag(given.is_normalized != 0, NORMALIZED)
            | flag(given.srgb != 0, SRGB)
            | flag(given.no_trilinear != 0, NO_TRILINEAR)
            | flag(given.is_seamless != 0, SEAMLESS),
        max_anisotropy: given.max_anisotropy,
        level_filter: given.level_filter,
        level_bias: given.level_bias,
        min_level: given.min_level,
        max_level: given.max_level,
        border: given.border,
        ..DriverTexture::default()
    })
}

fn texture_described(found: &DriverTexture, is_integer: bool) -> Texture {
    let has = |flag| found.flags & flag != 0;
    Texture {
        address_mode: found.address_mode,
        filter: found.filter,
        read_mode: (is_integer && !has(AS_INTEGER)).into(),
        srgb: has(SRGB).into(),
        border: found.border,
        is_normalized: has(NORMALIZED).into(),
        max_anisotropy: found.max_anisotropy,
        level_filter: found.level_filter,
        level_bias: found.level_bias,
        min_level: found.min_level,
        max_level: found.max_level,
        no_trilinear: has(NO_TRILINEAR).into(),
        is_seamless: has(SEAMLESS).into(),
    }
}

entries! {
    fn cudaCreateTextureObject(object: Out<u64>, given: In<Resource>, description: In<Texture>, view: In<View>) {
        object.require()?;
        let resource = resource(&given.get()?)?;
        let given_texture = description.get()?;
        let view = view.optional();
        let is_integer = match is_integer_view(view) {
            Some(is_integer) => is_integer,
            None => channel::is_integer(format(&resource)?),
        };
        let texture = texture(&given_texture, is_integer)?;
        let view = view.map(|view| DriverView { view, ..DriverView::default() });
        let view = view.as_ref().map_or(In::null(), In::from);
        cuTexObjectCreate(object, In::from(&resource), In::from(&texture), view)
    }

    fn cudaDestroyTextureObject(object: u64) {
        if object == 0 { Ok(()) } else { cuTexObjectDestroy(object) }
    }

    fn cudaGetTextureObjectResourceDesc(to: Out<Resource>, object: u64) {
        to.require()?;
        let mut found = DriverResource::default();
        cuTexObjectGetResourceDesc(Out::to(&mut found), object)?;
        to.set(resource_described(&found))
    }

    fn cudaGetTextureObjectTextureDesc(to: Out<Texture>, object: u64) {
        to.require()?;
        let (mut resource, mut found) = (DriverResource::default(), DriverTexture::default());
        cuTexObjectGetResourceDesc(Out::to(&mut resource), object)?;
        cuTexObjectGetTextureDesc(Out::to(&mut found), object)?;
        to.set(texture_described(&found, channel::is_integer(format(&resource)?)))
    }

    fn cudaGetTextureObjectResourceViewDesc(to: Out<View>, object: u64) {
        to.require()?;
        let mut found = DriverView::default();
        cuTexObjectGetResourceViewDesc(Out::to(&mut found), object)?;
        to.set(found.view)
    }

    fn cudaCreateSurfaceObject(object: Out<u64>, given: In<Resource>) {
        object.require()?;
        let given = given.get()?;
        if given.kind != ARRAY {
            return Err(Failure::because(Error::INVALID_VALUE, "surfaces are of arrays"));
        }
        let given = Resource { format: ChannelFormat::default(), ..given };
        cuSurfObjectCreate(object, In::from(&resource(&given)?))
    }

    fn cudaDestroySurfaceObject(object: u64) {
        if object == 0 { Ok(()) } else { cuSurfObjectDestroy(object) }
    }

    fn cudaGetSurfaceObjectResourceDesc(to: Out<Resource>, object: u64) {
        to.require()?;
        let mut found = DriverResource::default();
        cuSurfObjectGetResourceDesc(Out::to(&mut found), object)?;
        to.set(resource_described(&found))
    }
}
