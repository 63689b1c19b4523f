//! Functions: kernels of modules, and their attributes.

use std::ffi::{CString, c_int};
use std::sync::Mutex;

use crate::driver::{Gpu, lock};
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{AnyHandle, objects};
use crate::pointer::Out;

objects! { Function, 8; }

/// A kernel of a module.
#[derive(Debug)]
pub struct Function {
    pub module: AnyHandle,
    pub gpu: &'static Gpu,
    pub kernel: ptx_device::Kernel,
    pub name: CString,
    /// The most registers of a thread, if they were limited.
    pub registers: Option<u32>,
    pub settings: Mutex<Settings>,
}

/// The attributes that programs set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    pub carveout: c_int,
    /// Blocks of a cluster along each axis, zeros if none is required.
    pub cluster: [u32; 3],
    pub non_portable_cluster: bool,
    pub cluster_policy: c_int,
}

impl Function {
    pub fn new(
        module: AnyHandle,
        gpu: &'static Gpu,
        kernel: ptx_device::Kernel,
        registers: Option<u32>,
    ) -> Answer<Self> {
        let name = CString::new(kernel.name()).map_err(|_| CUresult::NOT_FOUND)?;
        Ok(Self { module, gpu, kernel, name, registers, settings: Mutex::default() })
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
            4 => self.registers.map_or(fixed.registers, |most| fixed.registers.min(most)).into(),
            // `CU_FUNC_ATTRIBUTE_PTX_VERSION` is the number of the virtual architecture, from which libraries see what the kernel was compiled for.
            5 => match fixed.target {
                Some(target) => target.number.into(),
                None => return Err(Failure::value("the module has no target")),
            },
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
