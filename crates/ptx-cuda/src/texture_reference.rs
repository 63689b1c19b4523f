//! References to textures and surfaces: variables of modules that a program binds to memory.
//!
//! A launch reads what its module's variables are bound to when it starts. A change of a reference therefore waits for the work before it.

use std::ffi::c_uint;
use std::sync::Mutex;

use ptx_device::texture::{Handle as Object, Opaque};

use crate::array::Array;
use crate::driver::{Gpu, lock};
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, objects};
use crate::module::Module;
use crate::texture::{image, texture};
use crate::types::{ResourceDescription, TextureDescription};

objects! { TextureReference, 17; SurfaceReference, 18; }

/// `CU_AD_FORMAT_FLOAT`, the format of a reference without one.
const FLOAT: c_uint = 0x20;

/// `CU_TR_ADDRESS_MODE_CLAMP`, which is that of all axes at first.
const CLAMP: c_uint = 1;

/// A variable of a module.
#[derive(Clone, Debug)]
pub struct Variable {
    pub module: Handle<Module>,
    pub name: String,
}

impl Variable {
    /// Binds it for later launches, and returns the object it is bound to.
    ///
    /// The object that it was bound to before is destroyed.
    fn bind(
        &self,
        before: Option<Object>,
        create: impl FnOnce(&'static Gpu) -> Answer<Object>,
    ) -> Answer<Object> {
        let module = self.module.get()?;
        let gpu = module.gpu;
        let failure = |error| gpu.failure(error);
        let object = create(gpu)?;
        gpu.device.synchronize().map_err(failure)?;
        module.inner.bind(&self.name, Some(object)).map_err(failure)?;
        before.map_or(Ok(()), |before| gpu.device.destroy(before).map_err(failure))?;
        Ok(object)
    }
}

/// The settings of a texture reference.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The memory, if it has any.
    pub resource: Option<ResourceDescription>,
    pub texture: TextureDescription,
    /// The format of linear memory, `CUarray_format`, and its channels.
    pub format: (c_uint, c_uint),
    /// The object that its variable is bound to.
    object: Option<Object>,
}

/// A reference to a texture.
#[derive(Debug)]
pub struct TextureReference {
    /// The variable; `None` for references that the program created, which no kernel reads.
    pub variable: Option<Variable>,
    settings: Mutex<Settings>,
}

impl TextureReference {
    /// A reference without memory.
    pub fn new(variable: Option<Variable>) -> Self {
        let texture = TextureDescription { address_mode: [CLAMP; 3], ..TextureDescription::default() };
        let settings = Settings { resource: None, texture, format: (FLOAT, 1), object: None };
        Self { variable, settings: Mutex::new(settings) }
    }

    /// Its settings.
    pub fn settings(&self) -> Settings {
        *lock(&self.settings)
    }

    /// Changes its settings and binds its variable accordingly. After an error both are unchanged.
    pub fn change(&self, change: impl FnOnce(&mut Settings)) -> Answer {
        let mut settings = lock(&self.settings);
        let mut changed = *settings;
        change(&mut changed);
        if let (Some(variable), Some(resource)) = (&self.variable, &changed.resource) {
            let create = |gpu: &'static Gpu| {
                let (image, _) = image(gpu, resource)?;
                let texture = texture(&changed.texture, &image)?;
                gpu.device.texture(&image, &texture).map_err(|error| gpu.failure(error))
            };
            changed.object = Some(variable.bind(changed.object, create)?);
        }
        *settings = changed;
        Ok(())
    }
}

/// A reference to a surface.
#[derive(Debug)]
pub struct SurfaceReference {
    pub variable: Variable,
    array: Mutex<Option<(Handle<Array>, Object)>>,
}

impl SurfaceReference {
    /// A reference without an array.
    pub fn new(variable: Variable) -> Self {
        Self { variable, array: Mutex::default() }
    }

    /// Its array.
    pub fn array(&self) -> Answer<Handle<Array>> {
        let array = *lock(&self.array);
        array.map(|(array, _)| array).ok_or_else(|| Failure::value("the reference has no array"))
    }

    /// Sets its array.
    pub fn set(&self, array: Handle<Array>) -> Answer {
        let mut own = lock(&self.array);
        let found = array.get()?;
        let create = |gpu: &'static Gpu| {
            gpu.device.surface(&found.image, found.level).map_err(|error| gpu.failure(error))
        };
        let object = self.variable.bind(own.map(|(_, object)| object), create)?;
        *own = Some((array, object));
        Ok(())
    }
}

impl Module {
    /// A variable of a kind.
    fn reference(&self, module: Handle<Self>, name: &str, kind: Opaque) -> Answer<Variable> {
        if self.inner.reference(name) == Some(kind) {
            return Ok(Variable { module, name: name.to_owned() });
        }
        Err(Failure::because(CUresult::NOT_FOUND, format!("there is no reference `{name}` of this kind")))
    }

    /// The handle of a reference to a texture.
    pub fn texture_reference(&self, module: Handle<Self>, name: &str) -> Answer<Handle<TextureReference>> {
        self.texture_references.get_or_insert(name, || {
            Ok(TextureReference::new(Some(self.reference(module, name, Opaque::Texture)?)))
        })
    }

    /// The handle of a reference to a surface.
    pub fn surface_reference(&self, module: Handle<Self>, name: &str) -> Answer<Handle<SurfaceReference>> {
        self.surface_references.get_or_insert(name, || {
            Ok(SurfaceReference::new(self.reference(module, name, Opaque::Surface)?))
        })
    }
}
