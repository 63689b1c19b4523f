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

objects! { Module, 7; }

/// A module.
#[derive(Debug)]
pub struct Module {
    pub gpu: &'static Gpu,
    pub context: AnyHandle,
    pub inner: ptx_device::Module,
    /// The most registers of a thread, if they were limited.
    pub registers: Option<u32>,
    /// The functions that were asked for, by name.
    pub functions: Mutex<HashMap<String, Handle<Function>>>,
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
        context: AnyHandle,
        files: &Files,
        options: &JitOptions,
    ) -> Answer<Handle<Self>> {
        let inner = image::load(gpu, files, options)?;
        let registers = options.registers.or(files.registers);
        Self::table().insert(Arc::new(Self { gpu, context, inner, registers, functions: Mutex::default() }))
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
        let function = Function::table().insert(Arc::new(Function::new(
            module.cast(),
            self.gpu,
            kernel,
            self.registers,
        )?))?;
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
