//! Modules.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::entry::entries;
use crate::error::Answer;
use crate::function::Function;
use crate::handle::Handle;
use crate::image::{self, JitOptions};
use crate::module::{Module, store_variable};
use crate::pointer::{In, Out, Text};

fn load(module: Out<Handle<Module>>, address: u64, options: &JitOptions) -> Answer {
    let context = context::current()?;
    module.require()?;
    let files = image::read(address, None, context.gpu)?;
    module.set(Module::load(context.gpu, context::current_handle().cast(), &files, options)?)
}

entries! {
    fn cuModuleLoad(module: Out<Handle<Module>>, path: Text) {
        let context = context::current()?;
        module.require()?;
        let files = image::read_file(path.bytes()?, context.gpu)?;
        module.set(Module::load(context.gpu, context::current_handle().cast(), &files, &JitOptions::default())?)
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
        // Its kernels may still run; later calls report their errors.
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
