//! Texture and surface objects.

use std::collections::HashMap;
use std::sync::Mutex;

use ptx_device::texture::{Handle as Object, SharedImage};

use crate::context;
use crate::driver::{Gpu, lock};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::pointer::{In, Out};
use crate::texture::{image, texture};
use crate::types::{ResourceDescription, TextureDescription, ViewDescription};

/// The descriptions that an object was created from, for queries.
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
        let texture = texture(&description, &image)?;
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
