//! Modules and their kernels.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ptx_diag::{Diagnostic, Diagnostics, Finding, SourceFile};
use ptx_exec::{ExecError, Image, KernelAttributes, Parameter, Prepared, Report, Shape, Variable, codes};
use ptx_isa::{Sm, SmVariant};
use ptx_link::Sources;
use ptx_specialize::{Specialization, specializations};
use ptx_verify::verify;

use crate::architecture::{MultiprocessorLimits, USUAL_SHARED_BYTES};
use crate::argument::pack;
use crate::code::Code;
use crate::control::LaunchControl;
use crate::error::{Stopped, findings, refused};
use crate::source::{read, undefined};
use crate::{Argument, Device, DeviceError, SharedMemory};

/// What all handles of a kernel share.
#[derive(Debug, Default)]
struct Kept {
    code: Code,
    attributes: OnceLock<KernelAttributes>,
    /// Bytes of dynamic shared memory that launches may have, once they are set.
    dynamic_shared: Mutex<Option<u32>>,
}

/// A module on a device: its variables are in the device's memory and keep their values across launches. Clones refer
/// to the same module; when the last one and the last of its kernels are dropped, the variables are freed.
#[derive(Clone, Debug)]
pub struct Module {
    device: Device,
    image: Arc<Image>,
    sources: Arc<Sources>,
    warnings: Arc<Vec<Finding>>,
    /// Its kernels for known launches, by the kernel that they were made of.
    specialized: Arc<HashMap<String, Vec<Specialization>>>,
    /// What is kept of its kernels.
    kept: Arc<Mutex<HashMap<String, Arc<Kept>>>>,
}

impl Module {
    /// Loads PTX. `name` is the file name in errors.
    ///
    /// With the feature `llvm` it also loads LLVM IR, text or bitcode, which is distinguished from PTX by the extension
    /// of the name (`.ptx`, `.ll`, `.bc`), or, without such an extension, by the contents. LLVM IR is first translated
    /// to PTX ([`Module::texts`]), to which the locations in launch errors refer.
    ///
    /// # Errors
    /// [`DeviceError::Module`] with all errors of the text; [`DeviceError::Target`] if the device has an earlier
    /// architecture. Functions and variables that the module uses and does not define are errors, except for those that are built in (`vprintf`,
    /// `malloc`, `free`, `__assertfail`) and those of CUDA's device runtime that PTX can express, which are linked. Unsupported constructs are only
    /// refused when a [kernel](Module::kernel) needs them.
    pub fn load(device: &Device, name: &str, text: impl Into<Vec<u8>>) -> Result<Self, DeviceError> {
        Self::load_files(device, vec![SourceFile::new(name, text)])
    }

    /// Loads several files, each a name and PTX or LLVM IR, and links them.
    ///
    /// # Errors
    /// See [`Module::load`].
    ///
    /// ```
    /// use ptx_device::{Device, Module, Shape};
    ///
    /// let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    /// let caller = format!("{head}
    /// .extern .func (.reg .u32 r) seven();
    /// .visible .global .u32 result;
    /// .visible .entry k() {{ .reg .u32 %r; call (%r), seven; st.global.u32 [result], %r; ret; }}");
    /// let callee = format!("{head} .visible .func (.reg .u32 r) seven() {{ mov.u32 r, 7; ret; }}");
    ///
    /// let device = Device::new();
    /// let module = Module::link(&device, [("caller.ptx", caller), ("callee.ptx", callee)])?;
    /// module.kernel("k")?.launch(&Shape::default(), &[])?;
    /// let mut bytes = [0; 4];
    /// device.read(module.variable("result").unwrap().address, &mut bytes)?;
    /// assert_eq!(u32::from_le_bytes(bytes), 7);
    /// # Ok::<(), ptx_device::DeviceError>(())
    /// ```
    pub fn link<N: Into<String>, T: Into<Vec<u8>>>(
        device: &Device,
        files: impl IntoIterator<Item = (N, T)>,
    ) -> Result<Self, DeviceError> {
        let files = files.into_iter().map(|(name, text)| SourceFile::new(name, text));
        Self::load_files(device, files.collect())
    }

    fn load_files(device: &Device, files: Vec<SourceFile>) -> Result<Self, DeviceError> {
        device.check()?;
        let (tree, sources, mut warnings) = read(files)?;
        let rejected = |found: &Diagnostics| DeviceError::Module(findings(&sources, found));
        let (verified, more) = verify(&tree).map_err(|found| rejected(&found))?;
        warnings.extend(findings(&sources, &more));
        let undefined = undefined(&tree);
        if undefined.has_errors() {
            return Err(rejected(&undefined));
        }
        let needed = tree.target().and_then(|target| target.sm);
        if let (Some(has), Some(needed)) = (device.architecture(), needed)
            && !(Sm { variant: SmVariant::Arch, ..has }).provides(needed)
        {
            return Err(DeviceError::Target { needed: needed.to_string(), has: has.to_string() });
        }
        let specialized = Arc::new(specializations(&tree));
        let image = Image::new(verified, device.surroundings()).map_err(|found| rejected(&found))?;
        let (sources, warnings) = (Arc::new(sources), Arc::new(warnings));
        Ok(Self { device: device.clone(), image, sources, warnings, specialized, kept: Arc::default() })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn image(&self) -> &Image {
        &self.image
    }

    /// The warnings about its text.
    pub fn warnings(&self) -> &[Finding] {
        &self.warnings
    }

    /// The files that it was linked from, each with its name and the PTX that is executed: as given, or translated from
    /// LLVM IR. Locations in errors refer to these texts.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.sources.files().iter().map(|file| (file.name(), file.text()))
    }

    /// The names of its kernels, in text order.
    pub fn kernels(&self) -> Vec<&str> {
        self.image.kernels()
    }

    /// Looks up a kernel. The first call decodes it; the result is cached with the module.
    ///
    /// # Errors
    /// [`DeviceError::Kernel`] if there is none of this name, or with every reachable construct that cannot be executed.
    pub fn kernel(&self, name: &str) -> Result<Kernel, DeviceError> {
        self.device.check()?;
        let found = |found: Diagnostics| DeviceError::Kernel(findings(&self.sources, &found));
        let prepared = self.image.kernel(name).map_err(found)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.entry(name.to_owned()).or_default().clone();
        Ok(Kernel { module: self.clone(), prepared, kept })
    }

    /// Looks up a `.global` or `.const` variable of the module by name: its address and size. Host writes to constants are seen by the next launch.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.image.variable(name)
    }

    /// The names of its variables, sorted.
    pub fn variables(&self) -> Vec<&str> {
        self.image.variables()
    }

    /// Resets all variables to their initial values.
    pub fn reset(&self) {
        self.image.reset();
    }
}

/// A kernel of a module on a device.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    prepared: Prepared,
    kept: Arc<Kept>,
}

impl Kernel {
    /// Its name.
    pub fn name(&self) -> &str {
        self.prepared.name()
    }

    /// Its module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Its parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        self.prepared.parameters()
    }

    /// Its attributes.
    pub fn attributes(&self) -> &KernelAttributes {
        self.kept.attributes.get_or_init(|| self.prepared.attributes())
    }

    /// The limits of a multiprocessor of the device's architecture, or else of the module's target, for occupancy.
    pub fn multiprocessor(&self) -> MultiprocessorLimits {
        let architecture = self.module.device().architecture().or(self.attributes().target);
        match architecture {
            Some(architecture) => MultiprocessorLimits::of(architecture),
            // A module without an architecture runs on all of them, also the first that CUDA supports.
            None => MultiprocessorLimits::of(Sm::new(50)),
        }
    }

    /// Maximum bytes of dynamic shared memory of a launch.
    pub fn dynamic_shared(&self) -> u64 {
        let device = self.module.device();
        let usual = match device.shared_memory() {
            SharedMemory::Free => device.limits().shared,
            SharedMemory::OptIn => USUAL_SHARED_BYTES.into(),
        };
        match *self.dynamic_shared_set() {
            Some(bytes) => bytes.into(),
            None => usual.saturating_sub(self.prepared.static_shared_bytes()),
        }
    }

    fn dynamic_shared_set(&self) -> MutexGuard<'_, Option<u32>> {
        self.kept.dynamic_shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the maximum bytes of dynamic shared memory of subsequent launches, of all handles of this kernel, as
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`: with [`SharedMemory::OptIn`] launches with more than 48 KiB require it.
    ///
    /// # Errors
    /// [`DeviceError::Launch`] of the kind [`SharedMemory`](crate::ErrorKind::SharedMemory) if a block would have more than the architecture allows.
    pub fn set_dynamic_shared(&self, bytes: u32) -> Result<(), DeviceError> {
        let device = self.module.device();
        let (fixed, most) = (self.prepared.static_shared_bytes(), device.most_shared());
        if fixed.saturating_add(bytes.into()) > most {
            let text = format!(
                "{bytes} bytes of dynamic shared memory, with {fixed} of static shared memory, are more than the {most} of a block"
            );
            return Err(self.too_much_shared(text));
        }
        *self.dynamic_shared_set() = Some(bytes);
        Ok(())
    }

    fn too_much_shared(&self, text: String) -> DeviceError {
        let finding = Diagnostic::error_without_place(codes::SIZE, text);
        DeviceError::Launch(refused(&self.module.sources, finding))
    }

    /// Checks the dynamic shared memory of a launch.
    fn check_shared(&self, bytes: u32) -> Result<(), DeviceError> {
        if self.module.device().shared_memory() == SharedMemory::Free {
            return Ok(());
        }
        let (fixed, most) = (self.prepared.static_shared_bytes(), self.dynamic_shared());
        if u64::from(bytes) <= most {
            return Ok(());
        }
        Err(self.too_much_shared(format!(
            "the launch requests {bytes} bytes of dynamic shared memory in addition to {fixed} of static shared memory, and kernel `{}` may have {most}; \
             more than {USUAL_SHARED_BYTES} in all have to be allowed for the kernel first (`cuFuncSetAttribute`)",
            self.name()
        )))
    }

    /// Launches it and waits for it, concurrently with streams.
    ///
    /// # Errors
    /// [`DeviceError::Arguments`] and [`DeviceError::Launch`] if something does not fit, [`DeviceError::Stopped`] if a
    /// thread was stopped, now or in an earlier launch.
    pub fn launch(&self, shape: &Shape, arguments: &[Argument]) -> Result<Report, DeviceError> {
        self.launch_with(shape, arguments, &LaunchControl::default())
    }

    /// Like [`Kernel::launch`], with limits for this launch alone.
    ///
    /// # Errors
    /// See [`Kernel::launch`]. A launch that is ended is [`DeviceError::Stopped`] of the kind [`Timeout`](crate::ErrorKind::Timeout).
    pub fn launch_with(
        &self,
        shape: &Shape,
        arguments: &[Argument],
        control: &LaunchControl,
    ) -> Result<Report, DeviceError> {
        let params = self.checked(shape, arguments)?;
        self.run_with(shape, &params, control)
    }

    /// Launches it with the bytes of all parameters at their offsets ([`Kernel::parameters`]); bytes missing at the end are zero.
    ///
    /// # Errors
    /// See [`Kernel::launch`]; [`DeviceError::Arguments`] if there are more bytes than the parameters have.
    pub fn launch_raw(&self, shape: &Shape, params: &[u8]) -> Result<Report, DeviceError> {
        self.check_raw(shape, params)?;
        self.run(shape, params)
    }

    /// Checks a launch with the bytes of all parameters.
    pub(crate) fn check_raw(&self, shape: &Shape, params: &[u8]) -> Result<(), DeviceError> {
        self.check(shape)?;
        let most = self.prepared.parameter_bytes();
        if params.len() > most {
            let (name, given) = (self.name(), params.len());
            let text = format!("the parameters of kernel `{name}` have {most} bytes, not {given}");
            return Err(DeviceError::Arguments(text));
        }
        Ok(())
    }

    /// Checks whether a launch of this shape fits the kernel and the device.
    ///
    /// # Errors
    /// [`DeviceError::Launch`], or if the device was stopped.
    pub fn check(&self, shape: &Shape) -> Result<(), DeviceError> {
        // The kernel may be compiled on a thread that goes on after the launch.
        #[cfg(feature = "jit")]
        ptx_llvm_core::detached::watch_exit();
        self.module.device.check()?;
        self.check_shared(shape.dynamic_shared)?;
        let fits = self.prepared.check(shape, &self.module.device.limits());
        fits.map(drop).map_err(|found| self.refused(&found))
    }

    /// Whether launches of this shape execute compiled code. Compiles it if the device's
    /// [engine](crate::DeviceOptions::engine) does and it has not been compiled yet, so that the first launch takes no
    /// longer than others.
    ///
    /// # Errors
    /// [`DeviceError::Kernel`] if it cannot be compiled and the engine is
    /// [`Engine::Compiled`](crate::Engine::Compiled); otherwise see [`Kernel::check`].
    pub fn prepare(&self, shape: &Shape) -> Result<bool, DeviceError> {
        self.check(shape)?;
        let (device, sources) = (&self.module.device, &self.module.sources);
        let specialized = self.specialized(shape, &[]);
        let kernel = specialized.as_ref().map_or(self, |kernel| kernel);
        kernel.kept.code.prepare(device, &kernel.prepared, &device.spec(shape, &[]), sources)
    }

    fn refused(&self, found: &Diagnostics) -> DeviceError {
        DeviceError::Launch(findings(&self.module.sources, found))
    }

    /// The parameter space of a launch, after checking it.
    pub(crate) fn checked(&self, shape: &Shape, arguments: &[Argument]) -> Result<Vec<u8>, DeviceError> {
        self.check(shape)?;
        pack(self.name(), self.parameters(), arguments, self.prepared.parameter_bytes())
    }

    /// The kernel that the module has for launches like this one (`ptx2ll --assume`), if it has one that can be executed. `params` are the bytes of the parameters.
    fn specialized(&self, shape: &Shape, params: &[u8]) -> Option<Kernel> {
        let argument = |index: usize| {
            let Parameter { offset, bytes, .. } = self.parameters().get(index)?;
            params.get(*offset as usize..*offset as usize + *bytes as usize)
        };
        let kernels = self.module.specialized.get(self.name())?;
        let are_apart = || self.arguments_are_apart(params);
        let fits = |kernel: &&Specialization| {
            kernel.fits(shape.grid, shape.block, argument) && (!kernel.assumptions.noalias || are_apart())
        };
        let fitting = kernels.iter().find(fits)?;
        self.module.kernel(&fitting.name).ok()
    }

    /// Whether no two arguments contain addresses in the same region of memory; an argument is an address or a structure with addresses at multiples of eight.
    fn arguments_are_apart(&self, params: &[u8]) -> bool {
        let mut owners = HashMap::new();
        for (index, parameter) in self.parameters().iter().enumerate() {
            let (start, bytes) = (parameter.offset as usize, parameter.bytes as usize);
            let Some(own) = params.get(start..start + bytes) else { return false };
            for word in own.as_chunks::<8>().0 {
                // Other numbers are no addresses that a kernel can access.
                let Some(region) = self.module.device.region(u64::from_le_bytes(*word)) else { continue };
                if *owners.entry(region.address).or_insert(index) != index {
                    return false;
                }
            }
        }
        true
    }

    /// Executes a launch that was checked.
    pub(crate) fn run(&self, shape: &Shape, params: &[u8]) -> Result<Report, DeviceError> {
        self.run_with(shape, params, &LaunchControl::default())
    }

    /// Executes a launch that was checked, with limits of its own.
    fn run_with(&self, shape: &Shape, params: &[u8], control: &LaunchControl) -> Result<Report, DeviceError> {
        let device = &self.module.device;
        device.check()?;
        let active = device.begin();
        let mut spec = device.spec(shape, params);
        control.apply(&mut spec);
        let specialized = self.specialized(shape, params);
        let kernel = specialized.as_ref().map_or(self, |kernel| kernel);
        let report = kernel.kept.code.launch(device, &kernel.prepared, spec, &self.module.sources);
        drop(active);
        let mut report = report?;
        device.print(&report.output);
        let result = std::mem::replace(&mut report.result, Ok(()));
        match result {
            Ok(()) => Ok(report),
            Err(ExecError::Refused(found)) => Err(self.refused(&found)),
            Err(ExecError::Trap(trap)) => {
                let found = ExecError::Trap(trap.clone()).into_diagnostics();
                let findings = findings(&self.module.sources, &found);
                Err(device.stop(Stopped { trap: *trap, findings }))
            }
        }
    }
}
