//! Libraries: modules that are loaded in the context that needs them, and their kernels.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use crate::context;
use crate::driver::{Driver, Gpu};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::function::Function;
use crate::handle::Handle;
use crate::image::{self, JitOptions};
use crate::library::{Kernel, Library};
use crate::module::{Module, store_variable};
use crate::pointer::{In, Out, Text};

/// The options of libraries: a table of functions (0) is not supported, and the image is copied in any case (1).
fn check_options(count: c_uint, options: In<c_uint>) -> Answer {
    for option in options.list(count as usize)? {
        match option {
            0 => return Err(Failure::because(CUresult::NOT_SUPPORTED, "universal functions")),
            1 => {}
            _ => return Err(Failure::value(format!("there is no option {option} of libraries"))),
        }
    }
    Ok(())
}

/// The device of the current context, or the first one.
fn device() -> Answer<&'static Gpu> {
    context::current().map_or_else(|_| Driver::gpu(0), |context| Ok(context.gpu))
}

/// The function of a kernel on a device.
fn on(kernel: Handle<Kernel>, device: c_int) -> Answer<Arc<Function>> {
    kernel.get()?.function(Driver::gpu(device)?)?.get()
}

/// The function of a kernel on the device of the current context.
fn here(kernel: Handle<Kernel>) -> Answer<Arc<Function>> {
    kernel.get()?.function(device()?)?.get()
}

entries! {
    fn cuLibraryLoadData(
        library: Out<Handle<Library>>, image: u64, jit: In<c_uint>, jit_values: Out<usize>, jit_count: c_uint,
        options: In<c_uint>, _values: In<u64>, count: c_uint,
    ) {
        library.require()?;
        check_options(count, options)?;
        let gpu = device()?;
        let options = JitOptions::read(jit_count, jit, jit_values)?;
        library.set(Library::create(image::read(image, None, gpu)?, gpu, &options)?)
    }

    fn cuLibraryLoadFromFile(
        library: Out<Handle<Library>>, path: Text, jit: In<c_uint>, jit_values: Out<usize>, jit_count: c_uint,
        options: In<c_uint>, _values: In<u64>, count: c_uint,
    ) {
        library.require()?;
        check_options(count, options)?;
        let gpu = device()?;
        let options = JitOptions::read(jit_count, jit, jit_values)?;
        library.set(Library::create(image::read_file(path.bytes()?, gpu)?, gpu, &options)?)
    }

    fn cuLibraryUnload(library: Handle<Library>) {
        library.get()?;
        for gpu in &Driver::get()?.gpus {
            // Its kernels may still run; later calls report their errors.
            let _ = gpu.device.synchronize();
        }
        library.remove().map(drop)
    }

    fn cuLibraryGetKernel(kernel: Out<Handle<Kernel>>, library: Handle<Library>, name: Text) {
        kernel.require()?;
        kernel.set(library.get()?.kernel(device()?, library, name.name()?)?)
    }

    fn cuLibraryGetKernelCount(count: Out<c_uint>, library: Handle<Library>) {
        let module = library.get()?.module(device()?, &JitOptions::default())?.get()?;
        count.set(module.inner.kernels().len() as c_uint)
    }

    fn cuLibraryEnumerateKernels(to: Out<Handle<Kernel>>, count: c_uint, library: Handle<Library>) {
        let found = library.get()?;
        let module = found.module(device()?, &JitOptions::default())?.get()?;
        let names = module.inner.kernels().into_iter().take(count as usize);
        let kernels: Answer<Vec<_>> = names.map(|name| found.kernel(device()?, library, name)).collect();
        to.set_all(kernels?)
    }

    fn cuLibraryGetModule(module: Out<Handle<Module>>, library: Handle<Library>) {
        let gpu = context::current()?.gpu;
        module.set(library.get()?.module(gpu, &JitOptions::default())?)
    }

    fn cuLibraryGetGlobal(to: Out<u64>, bytes: Out<usize>, library: Handle<Library>, name: Text) {
        let gpu = context::current()?.gpu;
        let module = library.get()?.module(gpu, &JitOptions::default())?.get()?;
        store_variable(to, bytes, module.variable(name.name()?)?)
    }

    fn cuLibraryGetManaged(to: Out<u64>, bytes: Out<usize>, library: Handle<Library>, name: Text) {
        let gpu = device()?;
        let module = library.get()?.module(gpu, &JitOptions::default())?.get()?;
        store_variable(to, bytes, module.variable(name.name()?)?)
    }

    fn cuLibraryGetUnifiedFunction(_to: Out<*const c_void>, library: Handle<Library>, _name: Text) {
        library.get()?;
        Err(Failure::because(CUresult::NOT_FOUND, "functions are not unified"))
    }

    fn cuKernelGetFunction(function: Out<Handle<Function>>, kernel: Handle<Kernel>) {
        function.require()?;
        function.set(kernel.get()?.function(context::current()?.gpu)?)
    }

    fn cuKernelGetLibrary(library: Out<Handle<Library>>, kernel: Handle<Kernel>) {
        library.set(kernel.get()?.library)
    }

    fn cuKernelGetAttribute(value: Out<c_int>, which: c_int, kernel: Handle<Kernel>, device: c_int) {
        value.require()?;
        value.set(on(kernel, device)?.attribute(which)?)
    }

    fn cuKernelSetAttribute(which: c_int, value: c_int, kernel: Handle<Kernel>, device: c_int) {
        on(kernel, device)?.set_attribute(which, value)
    }

    fn cuKernelSetCacheConfig(kernel: Handle<Kernel>, config: c_uint, device: c_int) {
        on(kernel, device)?;
        if config > 3 { Err(Failure::value("configuration of caches")) } else { Ok(()) }
    }

    // The caller may read the name for as long as the kernel exists.
    fn cuKernelGetName(name: Out<*const c_char>, kernel: Handle<Kernel>) {
        kernel.require()?;
        name.set(kernel.get()?.name.as_ptr())
    }

    fn cuKernelGetParamInfo(kernel: Handle<Kernel>, index: usize, offset: Out<usize>, size: Out<usize>) {
        here(kernel)?.parameter(index, offset, size)
    }

    fn cuKernelGetParamCount(kernel: Handle<Kernel>, count: Out<usize>) {
        count.set(here(kernel)?.kernel.parameters().len())
    }
}
