//! Libraries: modules that are loaded in the context that needs them, and their kernels.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex};

use ptx_image::Files;

use crate::driver::{Gpu, lock};
use crate::error::{Answer, CUresult, Failure};
use crate::function::Function;
use crate::handle::{Handle, Object, objects};
use crate::image::JitOptions;
use crate::module::Module;

objects! { Library, 9; Kernel, 10; }

/// A library.
#[derive(Debug)]
pub struct Library {
    pub files: Files,
    /// Its modules, by device.
    pub modules: Mutex<HashMap<i32, Handle<Module>>>,
    pub kernels: Mutex<HashMap<String, Handle<Kernel>>>,
}

/// A kernel of a library.
#[derive(Debug)]
pub struct Kernel {
    pub library: Handle<Library>,
    pub name: CString,
}

impl Drop for Library {
    fn drop(&mut self) {
        for kernel in lock(&self.kernels).values() {
            // These handles are removed only here.
            let _ = kernel.remove();
        }
        for module in lock(&self.modules).values() {
            // A context that was destroyed has removed its own.
            let _ = module.remove();
        }
    }
}

impl Library {
    pub fn create(files: Files, gpu: &'static Gpu, options: &JitOptions) -> Answer<Handle<Self>> {
        let library = Self { files, modules: Mutex::default(), kernels: Mutex::default() };
        library.module(gpu, options)?;
        Self::table().insert(Arc::new(library))
    }

    /// Its module on a device.
    pub fn module(&self, gpu: &'static Gpu, options: &JitOptions) -> Answer<Handle<Module>> {
        let mut modules = lock(&self.modules);
        match modules.get(&gpu.ordinal) {
            Some(&module) if module.get().is_ok() => Ok(module),
            _ => {
                // It outlives contexts, as the library does.
                let module = Module::load(gpu, Handle::NULL, &self.files, options)?;
                modules.insert(gpu.ordinal, module);
                Ok(module)
            }
        }
    }

    pub fn kernel(&self, gpu: &'static Gpu, library: Handle<Self>, name: &str) -> Answer<Handle<Kernel>> {
        let mut kernels = lock(&self.kernels);
        if let Some(&kernel) = kernels.get(name) {
            return Ok(kernel);
        }
        let module = self.module(gpu, &JitOptions::default())?.get()?;
        if !module.inner.kernels().contains(&name) {
            return Err(Failure::because(CUresult::NOT_FOUND, format!("there is no kernel `{name}`")));
        }
        let named = CString::new(name).map_err(|_| CUresult::NOT_FOUND)?;
        let kernel = Kernel::table().insert(Arc::new(Kernel { library, name: named }))?;
        kernels.insert(name.to_owned(), kernel);
        Ok(kernel)
    }
}

impl Kernel {
    /// Its function on a device.
    pub fn function(&self, gpu: &'static Gpu) -> Answer<Handle<Function>> {
        let module = self.library.get()?.module(gpu, &JitOptions::default())?;
        // The name was a text when the kernel was found.
        module.get()?.function(module, &self.name.to_string_lossy())
    }
}

/// Unloads the modules of all libraries on a device whose primary context is destroyed: they are loaded again when they are needed, with the initial
/// values of their variables.
pub fn unload_modules(gpu: &Gpu) {
    for library in Library::table().find(|_| true) {
        // One that is unloaded meanwhile has no modules.
        let Ok(library) = library.get() else { continue };
        if let Some(module) = lock(&library.modules).remove(&gpu.ordinal) {
            // As above.
            let _ = module.remove();
        }
    }
}

/// The function that a launch names, which may be a kernel of a library.
pub fn named(function: Handle<Function>, gpu: &'static Gpu) -> Answer<Arc<Function>> {
    let kernel: Handle<Kernel> = function.cast();
    if kernel.is_of_kind() { kernel.get()?.function(gpu)?.get() } else { function.get() }
}
