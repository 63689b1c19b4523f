//! Functions: kernels of modules, and their attributes.

use std::ffi::{CString, c_char, c_int, c_uint};
use std::sync::Mutex;

use crate::driver::{Gpu, lock};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, objects};
use crate::library::Kernel;
use crate::module::Module;
use crate::pointer::Out;

objects! { Function, 8; }

/// A kernel of a module.
#[derive(Debug)]
pub struct Function {
    module: Handle<Module>,
    pub gpu: &'static Gpu,
    pub kernel: ptx_device::Kernel,
    name: CString,
    settings: Mutex<Settings>,
}

/// The attributes that programs set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    carveout: c_int,
    /// Blocks of a cluster along each axis, zeros if none is required.
    pub cluster: [u32; 3],
    pub non_portable_cluster: bool,
    cluster_policy: c_int,
}

impl Function {
    pub fn new(module: Handle<Module>, gpu: &'static Gpu, kernel: ptx_device::Kernel) -> Answer<Self> {
        let name = CString::new(kernel.name()).map_err(|_| CUresult::NOT_FOUND)?;
        Ok(Self { module, gpu, kernel, name, settings: Mutex::default() })
    }

    /// The attributes that programs set.
    pub fn settings(&self) -> Settings {
        *lock(&self.settings)
    }

    /// An attribute, `CUfunction_attribute`.
    pub fn attribute(&self, which: c_int) -> Answer<c_int> {
        let fixed = self.kernel.attributes();
        let settings = self.settings();
        let value = match which {
            0 => fixed.max_threads.into(),
            1 => fixed.static_shared_bytes,
            2 => fixed.constant_bytes,
            3 => fixed.local_bytes,
            4 => fixed.registers.into(),
            // Default: a module without a version has the first one.
            5 => fixed
                .ptx_version
                .map_or(10, |version| u64::from(version.major) * 10 + u64::from(version.minor)),
            6 => self.gpu.model.architecture.number.into(),
            7 => 0,
            8 => self.kernel.dynamic_shared(),
            9 => return Ok(settings.carveout),
            10 => (fixed.needs_cluster || fixed.required_cluster.is_some()).into(),
            // Default: a kernel that requires no shape has that of its attributes.
            11..=13 => fixed.required_cluster.unwrap_or(settings.cluster)[which as usize - 11].into(),
            14 => settings.non_portable_cluster.into(),
            15 => return Ok(settings.cluster_policy),
            _ => return Err(Failure::value(format!("there is no attribute {which} of functions"))),
        };
        c_int::try_from(value).map_err(|_| Failure::value(format!("attribute {which} is {value}")))
    }

    /// Sets an attribute.
    pub fn set_attribute(&self, which: c_int, value: c_int) -> Answer {
        let number = u32::try_from(value);
        let mut settings = lock(&self.settings);
        match (which, number) {
            (8, Ok(bytes)) => {
                self.kernel.set_dynamic_shared(bytes).map_err(|error| self.gpu.failure(error))?;
            }
            (9, _) if (-1..=100).contains(&value) => settings.carveout = value,
            (11..=13, Ok(blocks)) => settings.cluster[which as usize - 11] = blocks,
            (14, Ok(0 | 1)) => settings.non_portable_cluster = value == 1,
            (15, Ok(0..=3)) => settings.cluster_policy = value,
            _ => return Err(Failure::value(format!("{value} for attribute {which} of a function"))),
        }
        Ok(())
    }

    /// The place and size of a parameter.
    pub fn parameter(&self, index: usize, offset: Out<usize>, size: Out<usize>) -> Answer {
        let found = self.kernel.parameters().get(index);
        let found = found.ok_or_else(|| Failure::value(format!("there is no parameter {index}")))?;
        offset.require()?;
        size.set_if_wanted(found.bytes as usize);
        offset.set(found.offset as usize)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { carveout: -1, cluster: [0; 3], non_portable_cluster: false, cluster_policy: 0 }
    }
}

/// The function that a launch names: a kernel of a library is one, too.
pub fn named(function: Handle<Function>, gpu: &'static Gpu) -> Answer<std::sync::Arc<Function>> {
    let kernel: Handle<Kernel> = function.cast();
    if kernel.is_of_kind() { kernel.get()?.function(gpu)?.get() } else { function.get() }
}

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
        module.set(function.get()?.module)
    }

    // The caller may read the name for as long as the function exists.
    fn cuFuncGetName(name: Out<*const c_char>, function: Handle<Function>) {
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
