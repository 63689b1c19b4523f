//! Modules.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ptx_image::Files;

use crate::driver::{Gpu, lock};
use crate::error::{Answer, CUresult, Failure};
use crate::function::Function;
use crate::handle::{AnyHandle, Handle, Object, objects};
use crate::image::{self, JitOptions};
use crate::pointer::Out;
use crate::texture_reference::{SurfaceReference, TextureReference};

objects! { Module, 7; }

/// A module.
#[derive(Debug)]
pub struct Module {
    pub gpu: &'static Gpu,
    pub context: AnyHandle,
    pub inner: ptx_device::Module,
    /// The most registers of a thread, if they were limited.
    pub registers: Option<u32>,
    /// Handles that have been requested.
    pub functions: Named<Function>,
    pub texture_references: Named<TextureReference>,
    pub surface_references: Named<SurfaceReference>,
}

/// Handles of parts of a module, by name. They are valid as long as the module is.
#[derive(Debug)]
pub struct Named<T: Object>(Mutex<HashMap<String, Handle<T>>>);

impl<T: Object> Default for Named<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Object> Named<T> {
    /// The handle of a part, which is created first if it has none.
    pub fn get_or_insert(&self, name: &str, create: impl FnOnce() -> Answer<T>) -> Answer<Handle<T>> {
        let mut handles = lock(&self.0);
        if let Some(&handle) = handles.get(name) {
            return Ok(handle);
        }
        let handle = T::table().insert(Arc::new(create()?))?;
        handles.insert(name.to_owned(), handle);
        Ok(handle)
    }
}

impl<T: Object> Drop for Named<T> {
    fn drop(&mut self) {
        for handle in lock(&self.0).values() {
            // These handles are removed only here; references that programs created do not belong to a module.
            let _ = handle.remove();
        }
    }
}

impl Module {
    /// Loads files.
    pub fn load(
        gpu: &'static Gpu,
        context: AnyHandle,
        files: &Files,
        options: &JitOptions,
    ) -> Answer<Handle<Self>> {
        let inner = image::load(gpu, files, options)?;
        let registers = options.registers.or(files.registers);
        let (functions, texture_references, surface_references) =
            (Named::default(), Named::default(), Named::default());
        let module =
            Self { gpu, context, inner, registers, functions, texture_references, surface_references };
        Self::table().insert(Arc::new(module))
    }

    /// The handle of a function.
    pub fn function(&self, module: Handle<Self>, name: &str) -> Answer<Handle<Function>> {
        self.functions.get_or_insert(name, || {
            if !self.inner.kernels().contains(&name) {
                return Err(Failure::because(CUresult::NOT_FOUND, format!("there is no kernel `{name}`")));
            }
            let kernel = self.inner.kernel(name).map_err(|error| {
                crate::log::LOG.report(&error.to_string());
                self.gpu.failure(error)
            })?;
            Function::new(module.cast(), self.gpu, kernel, self.registers)
        })
    }

    /// The address and size of a variable.
    pub fn variable(&self, name: &str) -> Answer<(u64, usize)> {
        let variable = self.inner.variable(name);
        let found = variable.map(|variable| (variable.address, variable.bytes as usize));
        found.ok_or_else(|| Failure::because(CUresult::NOT_FOUND, format!("there is no variable `{name}`")))
    }
}

/// Writes the address and size of a variable, each unless its pointer is null.
pub fn store_variable(to: Out<u64>, bytes: Out<usize>, found: (u64, usize)) -> Answer {
    if to.is_null() && bytes.is_null() {
        return Err(Failure::value("neither the address nor the size of a variable is wanted"));
    }
    to.set_if_wanted(found.0);
    bytes.set_if_wanted(found.1);
    Ok(())
}
