//! Functions: kernels of modules, and their attributes.

use std::ffi::{CString, c_char, c_int, c_uint};
use std::sync::Mutex;

use crate::device::{SHARED, SHARED_RESERVED};
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
    /// Bytes of dynamic shared memory that a launch may have.
    pub dynamic_shared: u32,
    carveout: c_int,
    /// Blocks of a cluster along each axis, zeros if none is required.
    pub cluster: [u32; 3],
    pub non_portable_cluster: bool,
    cluster_policy: c_int,
}

impl Function {
    pub fn new(module: Handle<Module>, gpu: &'static Gpu, kernel: ptx_device::Kernel) -> Answer<Self> {
        let name = CString::new(kernel.name()).map_err(|_| CUresult::NOT_FOUND)?;
        let mut function = Self { module, gpu, kernel, name, settings: Mutex::default() };
        let dynamic_shared = SHARED.saturating_sub(function.static_shared());
        function.settings = Mutex::new(Settings { dynamic_shared, ..Settings::default() });
        Ok(function)
    }

    /// Bytes of shared memory that the kernel has by itself.
    pub fn static_shared(&self) -> u32 {
        crate::attributes::of(&self.kernel).static_shared
    }

    /// The attributes that programs set.
    pub fn settings(&self) -> Settings {
        *lock(&self.settings)
    }

    /// An attribute, `CUfunction_attribute`.
    pub fn attribute(&self, which: c_int) -> Answer<c_int> {
        let fixed = crate::attributes::of(&self.kernel);
        let settings = self.settings();
        let version = (self.gpu.model.major * 10 + self.gpu.model.minor) as c_int;
        Ok(match which {
            0 => fixed.max_threads as c_int,
            1 => fixed.static_shared as c_int,
            2 => fixed.constant_bytes as c_int,
            3 => fixed.local_bytes as c_int,
            4 => fixed.registers as c_int,
            5 => fixed.ptx_version as c_int,
            6 => version,
            7 => 0,
            8 => settings.dynamic_shared as c_int,
            9 => settings.carveout,
            10 => fixed.needs_cluster.into(),
            11..=13 => {
                let own = fixed.cluster[which as usize - 11];
                (if own == 0 { settings.cluster[which as usize - 11] } else { own }) as c_int
            }
            14 => settings.non_portable_cluster.into(),
            15 => settings.cluster_policy,
            _ => return Err(Failure::value(format!("there is no attribute {which} of functions"))),
        })
    }

    /// Sets an attribute.
    pub fn set_attribute(&self, which: c_int, value: c_int) -> Answer {
        let number = u32::try_from(value);
        let wrong = || Failure::value(format!("{value} for attribute {which} of a function"));
        let most = self.gpu.model.shared_optin.saturating_sub(self.static_shared());
        let mut settings = lock(&self.settings);
        match (which, number) {
            (8, Ok(bytes)) if bytes <= most => settings.dynamic_shared = bytes,
            (9, _) if (-1..=100).contains(&value) => settings.carveout = value,
            (11..=13, Ok(blocks)) => settings.cluster[which as usize - 11] = blocks,
            (14, Ok(0 | 1)) => settings.non_portable_cluster = value == 1,
            (15, Ok(0..=3)) => settings.cluster_policy = value,
            _ => return Err(wrong()),
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

    /// Bytes of shared memory that a block with this much dynamic shared memory takes of a multiprocessor.
    pub fn shared_of_block(&self, dynamic: u32) -> u32 {
        self.static_shared().saturating_add(dynamic).saturating_add(SHARED_RESERVED)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dynamic_shared: SHARED,
            carveout: -1,
            cluster: [0; 3],
            non_portable_cluster: false,
            cluster_policy: 0,
        }
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
