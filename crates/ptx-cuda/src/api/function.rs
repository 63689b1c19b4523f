//! Functions: kernels of modules, and their attributes.

use std::ffi::{c_char, c_int, c_uint};

use crate::entry::entries;
use crate::error::Failure;
use crate::function::Function;
use crate::handle::Handle;
use crate::library::named;
use crate::module::Module;
use crate::pointer::Out;

entries! {
    fn cuFuncGetAttribute(value: Out<c_int>, which: c_int, function: Handle<Function>) {
        value.require()?;
        let gpu = crate::context::current()?.gpu;
        value.set(named(function, gpu)?.attribute(which)?)
    }

    fn cuFuncSetAttribute(function: Handle<Function>, which: c_int, value: c_int) {
        let gpu = crate::context::current()?.gpu;
        named(function, gpu)?.set_attribute(which, value)
    }

    fn cuFuncSetCacheConfig(function: Handle<Function>, config: c_uint) {
        function.get()?;
        if config > 3 { Err(Failure::value("configuration of caches")) } else { Ok(()) }
    }

    fn cuFuncSetSharedMemConfig(function: Handle<Function>, config: c_uint) {
        function.get()?;
        if config > 2 { Err(Failure::value("configuration of shared memory")) } else { Ok(()) }
    }

    fn cuFuncGetModule(module: Out<Handle<Module>>, function: Handle<Function>) {
        module.set(function.get()?.module.cast())
    }

    // The caller may read the name for as long as the function exists.
    fn cuFuncGetName(name: Out<*const c_char>, function: Handle<Function>) {
        function.require()?;
        name.set(function.get()?.name.as_ptr())
    }

    fn cuFuncGetParamInfo(function: Handle<Function>, index: usize, offset: Out<usize>, size: Out<usize>) {
        function.get()?.parameter(index, offset, size)
    }

    fn cuFuncGetParamCount(function: Handle<Function>, count: Out<usize>) {
        count.set(function.get()?.kernel.parameters().len())
    }

    fn cuFuncIsLoaded(state: Out<c_int>, function: Handle<Function>) {
        function.get()?;
        state.set(1)
    }

    fn cuFuncLoad(function: Handle<Function>) {
        function.get().map(drop)
    }
}
