//! Modules.

use std::collections::HashMap;
use std::ffi::{c_int, c_uint};
use std::sync::{Arc, Mutex};

use crate::context::{self, Context};
use crate::driver::{Gpu, lock};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::function::Function;
use crate::handle::{Handle, Object, objects};
use crate::image::{self, Files, JitOptions};
use crate::pointer::{In, Out, Text};

objects! { Module, 7; }

/// A module.
#[derive(Debug)]
pub struct Module {
    pub gpu: &'static Gpu,
    pub context: Handle<Context>,
    pub inner: ptx_device::Module,
    /// The functions that were asked for, by name.
    functions: Mutex<HashMap<String, Handle<Function>>>,
}

impl Drop for Module {
    fn drop(&mut self) {
        for function in lock(&self.functions).values() {
            // They are only removed here.
            let _ = function.remove();
        }
    }
}

impl Module {
    /// Loads files.
    pub fn load(
        gpu: &'static Gpu,
        context: Handle<Context>,
        files: &Files,
        options: &JitOptions,
    ) -> Answer<Handle<Self>> {
        let inner = image::load(gpu, files, options)?;
        Self::table().insert(Arc::new(Self { gpu, context, inner, functions: Mutex::default() }))
    }

    /// The handle of a function.
    pub fn function(&self, module: Handle<Self>, name: &str) -> Answer<Handle<Function>> {
        let mut functions = lock(&self.functions);
        if let Some(&function) = functions.get(name) {
            return Ok(function);
        }
        if !self.inner.kernels().contains(&name) {
            return Err(Failure::because(CUresult::NOT_FOUND, format!("there is no kernel `{name}`")));
        }
        let kernel = self.inner.kernel(name).map_err(|error| {
            crate::log::report(&error.to_string());
            self.gpu.failure(error)
        })?;
        let function = Function::table().insert(Arc::new(Function::new(module, self.gpu, kernel)?))?;
        functions.insert(name.to_owned(), function);
        Ok(function)
    }

    /// The address and size of a variable.
    pub fn variable(&self, name: &str) -> Answer<(u64, usize)> {
        let variable = self.inner.variable(name);
        let found = variable.map(|variable| (variable.address, variable.bytes as usize));
        found.ok_or_else(|| Failure::because(CUresult::NOT_FOUND, format!("there is no variable `{name}`")))
    }
}

/// Writes the address and size of a variable, where they are wanted.
pub fn store_variable(to: Out<u64>, bytes: Out<usize>, found: (u64, usize)) -> Answer {
    if to.is_null() && bytes.is_null() {
        return Err(Failure::value("neither the address nor the size of a variable is wanted"));
    }
    to.set_if_wanted(found.0);
    bytes.set_if_wanted(found.1);
    Ok(())
}

fn load(module: Out<Handle<Module>>, address: u64, options: &JitOptions) -> Answer {
    let context = context::current()?;
    module.require()?;
    let files = image::read(address, None, context.gpu)?;
    module.set(Module::load(context.gpu, context::current_handle(), &files, options)?)
}

entries! {
    fn cuModuleLoad(module: Out<Handle<Module>>, path: Text) {
        let context = context::current()?;
        module.require()?;
        let files = image::read_file(path.bytes()?, context.gpu)?;
        module.set(Module::load(context.gpu, context::current_handle(), &files, &JitOptions::default())?)
    }

    fn cuModuleLoadData(module: Out<Handle<Module>>, image: u64) {
        load(module, image, &JitOptions::default())
    }

    fn cuModuleLoadDataEx(module: Out<Handle<Module>>, image: u64, count: c_uint, options: In<c_uint>, values: Out<usize>) {
        load(module, image, &JitOptions::read(count, options, values)?)
    }

    fn cuModuleLoadFatBinary(module: Out<Handle<Module>>, image: u64) {
        load(module, image, &JitOptions::default())
    }

    fn cuModuleUnload(module: Handle<Module>) {
        context::current()?;
        let found = module.get()?;
        // Kernels of it may still run; their errors are reported elsewhere.
        let _ = found.gpu.device.synchronize();
        module.remove().map(drop)
    }

    fn cuModuleGetLoadingMode(mode: Out<c_int>) {
        // Kernels are decoded when they are first asked for.
        mode.set(2)
    }

    fn cuModuleGetFunction(function: Out<Handle<Function>>, module: Handle<Module>, name: Text) {
        function.require()?;
        function.set(module.get()?.function(module, name.name()?)?)
    }

    fn cuModuleGetFunctionCount(count: Out<c_uint>, module: Handle<Module>) {
        count.set(module.get()?.inner.kernels().len() as c_uint)
    }

    fn cuModuleEnumerateFunctions(to: Out<Handle<Function>>, count: c_uint, module: Handle<Module>) {
        let found = module.get()?;
        let names = found.inner.kernels().into_iter().take(count as usize);
        let functions: Answer<Vec<_>> = names.map(|name| found.function(module, name)).collect();
        to.set_all(functions?)
    }

    fn cuModuleGetGlobal_v2(to: Out<u64>, bytes: Out<usize>, module: Handle<Module>, name: Text) {
        store_variable(to, bytes, module.get()?.variable(name.name()?)?)
    }
}
