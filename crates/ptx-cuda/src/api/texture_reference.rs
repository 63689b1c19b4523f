//! References to textures and surfaces.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use crate::array::{Array, MipmappedArray};
use crate::context;
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::function::Function;
use crate::handle::{Handle, Object};
use crate::module::Module;
use crate::pointer::{In, Out, Text};
use crate::texture_reference::{Settings, SurfaceReference, TextureReference};
use crate::types::{ArrayDescription, LinearResource, ResourceDescription};

type Reference = Handle<TextureReference>;

/// The kinds of resources, `CUresourcetype`.
const ARRAY: c_uint = 0;

const MIPMAPPED_ARRAY: c_uint = 1;

const LINEAR: c_uint = 2;

const PITCH_2D: c_uint = 3;

/// `CU_TRSA_OVERRIDE_FORMAT`: the reference takes the format of its array.
const OVERRIDE_FORMAT: c_uint = 1;

fn change(reference: Reference, change: impl FnOnce(&mut Settings)) -> Answer {
    context::current()?;
    reference.get()?.change(change)
}

fn settings(reference: Reference) -> Answer<Settings> {
    context::current()?;
    Ok(reference.get()?.settings())
}

fn resource(kind: c_uint, resource: LinearResource) -> ResourceDescription {
    ResourceDescription { kind, resource, flags: 0 }
}

/// The address of the memory of a reference of a kind.
fn address_of(reference: Reference, is_wanted: impl Fn(c_uint) -> bool) -> Answer<u64> {
    let found = settings(reference)?.resource.filter(|resource| is_wanted(resource.kind));
    found
        .map(|found| found.resource.address)
        .ok_or_else(|| Failure::value("the reference has no such memory"))
}

fn set_array(
    reference: Reference,
    kind: c_uint,
    array: usize,
    flags: c_uint,
    format: (c_uint, c_uint),
) -> Answer {
    if flags != OVERRIDE_FORMAT {
        return Err(Failure::value(format!("flags {flags:#x} of the array of a reference")));
    }
    change(reference, |settings| {
        settings.format = format;
        let address = array as u64;
        settings.resource = Some(resource(kind, LinearResource { address, ..LinearResource::default() }));
    })
}

fn set_rows(reference: Reference, description: In<ArrayDescription>, address: u64, pitch: usize) -> Answer {
    let ArrayDescription { width, height, format, channels } = description.get()?;
    change(reference, |settings| {
        settings.format = (format, channels);
        let rows =
            LinearResource { address, format, channels, width, height, pitch, ..LinearResource::default() };
        settings.resource = Some(resource(PITCH_2D, rows));
    })
}

/// The index of an axis.
fn axis(dimension: c_int) -> Answer<usize> {
    let found = usize::try_from(dimension).ok().filter(|&axis| axis < 3);
    found.ok_or_else(|| Failure::value(format!("a texture has no axis {dimension}")))
}

entries! {
    fn cuModuleGetTexRef(to: Out<Reference>, module: Handle<Module>, name: Text) {
        to.require()?;
        to.set(module.get()?.texture_reference(module, name.name()?)?)
    }

    fn cuModuleGetSurfRef(to: Out<Handle<SurfaceReference>>, module: Handle<Module>, name: Text) {
        to.require()?;
        to.set(module.get()?.surface_reference(module, name.name()?)?)
    }

    fn cuTexRefCreate(to: Out<Reference>) {
        context::current()?;
        to.require()?;
        to.set(TextureReference::table().insert(Arc::new(TextureReference::new(None)))?)
    }

    fn cuTexRefDestroy(reference: Reference) {
        if reference.get()?.variable.is_some() {
            return Err(Failure::value("the reference belongs to a module"));
        }
        reference.remove().map(drop)
    }

    fn cuTexRefSetArray(reference: Reference, array: Handle<Array>, flags: c_uint) {
        let description = array.get()?.description;
        set_array(reference, ARRAY, array.bits(), flags, (description.format, description.channels))
    }

    fn cuTexRefSetMipmappedArray(reference: Reference, array: Handle<MipmappedArray>, flags: c_uint) {
        let first = array.get()?.levels.first().copied().ok_or(CUresult::INVALID_VALUE)?;
        let description = first.get()?.description;
        set_array(reference, MIPMAPPED_ARRAY, array.bits(), flags, (description.format, description.channels))
    }

    fn cuTexRefSetAddress_v2(offset: Out<usize>, reference: Reference, address: u64, bytes: usize) {
        change(reference, |settings| {
            let (format, channels) = settings.format;
            let linear = LinearResource { address, format, channels, width: bytes, ..LinearResource::default() };
            settings.resource = Some(resource(LINEAR, linear));
        })?;
        // Memory may start at any address.
        offset.set_if_wanted(0);
        Ok(())
    }

    fn cuTexRefSetAddress2D_v2(reference: Reference, description: In<ArrayDescription>, address: u64, pitch: usize) {
        set_rows(reference, description, address, pitch)
    }

    fn cuTexRefSetAddress2D_v3(reference: Reference, description: In<ArrayDescription>, address: u64, pitch: usize) {
        set_rows(reference, description, address, pitch)
    }

    fn cuTexRefSetFormat(reference: Reference, format: c_uint, channels: c_int) {
        let Ok(channels @ (1 | 2 | 4)) = c_uint::try_from(channels) else {
            return Err(Failure::value(format!("a texel has 1, 2 or 4 channels, not {channels}")));
        };
        change(reference, |settings| {
            settings.format = (format, channels);
            if let Some(resource) = settings.resource.as_mut().filter(|resource| resource.kind == LINEAR) {
                (resource.resource.format, resource.resource.channels) = (format, channels);
            }
        })
    }

    fn cuTexRefSetAddressMode(reference: Reference, dimension: c_int, mode: c_uint) {
        let axis = axis(dimension)?;
        if mode > 3 {
            return Err(Failure::value(format!("there is no address mode {mode}")));
        }
        change(reference, |settings| settings.texture.address_mode[axis] = mode)
    }

    fn cuTexRefSetFilterMode(reference: Reference, filter: c_uint) {
        if filter > 1 {
            return Err(Failure::value(format!("there is no filter {filter}")));
        }
        change(reference, |settings| settings.texture.filter = filter)
    }

    fn cuTexRefSetMipmapFilterMode(reference: Reference, filter: c_uint) {
        if filter > 1 {
            return Err(Failure::value(format!("there is no filter {filter}")));
        }
        change(reference, |settings| settings.texture.level_filter = filter)
    }

    fn cuTexRefSetMipmapLevelBias(reference: Reference, bias: f32) {
        change(reference, |settings| settings.texture.level_bias = bias)
    }

    fn cuTexRefSetMipmapLevelClamp(reference: Reference, least: f32, most: f32) {
        change(reference, |settings| {
            (settings.texture.min_level, settings.texture.max_level) = (least, most);
        })
    }

    fn cuTexRefSetMaxAnisotropy(reference: Reference, most: c_uint) {
        change(reference, |settings| settings.texture.max_anisotropy = most)
    }

    fn cuTexRefSetBorderColor(reference: Reference, color: In<[f32; 4]>) {
        let color = color.get()?;
        change(reference, |settings| settings.texture.border = color)
    }

    fn cuTexRefSetFlags(reference: Reference, flags: c_uint) {
        change(reference, |settings| settings.texture.flags = flags)
    }

    fn cuTexRefGetAddress_v2(to: Out<u64>, reference: Reference) {
        to.set(address_of(reference, |kind| matches!(kind, LINEAR | PITCH_2D))?)
    }

    fn cuTexRefGetArray(to: Out<Handle<Array>>, reference: Reference) {
        to.set(Handle::from_bits(address_of(reference, |kind| kind == ARRAY)? as usize))
    }

    fn cuTexRefGetMipmappedArray(to: Out<Handle<MipmappedArray>>, reference: Reference) {
        to.set(Handle::from_bits(address_of(reference, |kind| kind == MIPMAPPED_ARRAY)? as usize))
    }

    fn cuTexRefGetAddressMode(to: Out<c_uint>, reference: Reference, dimension: c_int) {
        to.set(settings(reference)?.texture.address_mode[axis(dimension)?])
    }

    fn cuTexRefGetFilterMode(to: Out<c_uint>, reference: Reference) {
        to.set(settings(reference)?.texture.filter)
    }

    fn cuTexRefGetFormat(format: Out<c_uint>, channels: Out<c_uint>, reference: Reference) {
        let found = settings(reference)?.format;
        format.set_if_wanted(found.0);
        channels.set_if_wanted(found.1);
        Ok(())
    }

    fn cuTexRefGetMipmapFilterMode(to: Out<c_uint>, reference: Reference) {
        to.set(settings(reference)?.texture.level_filter)
    }

    fn cuTexRefGetMipmapLevelBias(to: Out<f32>, reference: Reference) {
        to.set(settings(reference)?.texture.level_bias)
    }

    fn cuTexRefGetMipmapLevelClamp(least: Out<f32>, most: Out<f32>, reference: Reference) {
        let texture = settings(reference)?.texture;
        least.set_if_wanted(texture.min_level);
        most.set_if_wanted(texture.max_level);
        Ok(())
    }

    fn cuTexRefGetMaxAnisotropy(to: Out<c_uint>, reference: Reference) {
        to.set(settings(reference)?.texture.max_anisotropy)
    }

    fn cuTexRefGetBorderColor(to: Out<[f32; 4]>, reference: Reference) {
        to.set(settings(reference)?.texture.border)
    }

    fn cuTexRefGetFlags(to: Out<c_uint>, reference: Reference) {
        to.set(settings(reference)?.texture.flags)
    }

    fn cuParamSetTexRef(function: Handle<Function>, unit: c_int, reference: Reference) {
        // `CU_PARAM_TR_DEFAULT`: all references of a module are available to its kernels in any case.
        if unit != -1 {
            return Err(Failure::value(format!("there is no texture unit {unit}")));
        }
        function.get()?;
        reference.get().map(drop)
    }

    fn cuSurfRefSetArray(reference: Handle<SurfaceReference>, array: Handle<Array>, flags: c_uint) {
        context::current()?;
        if flags != 0 {
            return Err(Failure::value(format!("flags {flags:#x} of the array of a surface")));
        }
        reference.get()?.set(array)
    }

    fn cuSurfRefGetArray(to: Out<Handle<Array>>, reference: Handle<SurfaceReference>) {
        to.set(reference.get()?.array()?)
    }
}
