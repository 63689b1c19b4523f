//! Devices and their memory.

use std::ffi::{c_char, c_void};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ptx_device::{
    AddressSize, AfterStop, Bounds, Check, Completion, Device, DeviceOptions, Engine, HostMemory, HostRegion,
    SharedMemory, Sm, cache_folder_in,
};

use crate::mappings::Mappings;
use crate::pointer::{given, items, or_zero, region, room, store, text};
use crate::status::{Failure, PtxStatus, guard};

/// A device: memory, and the execution of kernels on it.
pub struct PtxDevice(pub(crate) Device);

/// Options of a device. Zeros select the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxDeviceOptions {
    /// The architecture, 90 for `sm_90` and `sm_90a`: modules for later ones are refused. 0 for any.
    pub architecture: u32,
    /// Host threads that the blocks of a launch are spread over; 0 for as many as the host has.
    pub threads: u32,
    /// Time limit of a launch in milliseconds; 0 for no limit.
    pub timeout: u64,
    /// Bytes of the heap of `malloc`; 0 for 8 MiB.
    pub heap: u64,
    /// When asynchronous operations complete: 0 when they are issued, 1 as late as waits allow, 2 at random points determined by `seed`.
    pub completion: u32,
    /// The random seed if `completion` is 2.
    pub seed: u64,
    /// Nonzero if errors of kernels only affect the launch. Otherwise the device refuses all work until `ptx_device_recover`.
    pub go_on_after_stop: u32,
    /// Nonzero if kernels may access all memory of the process, checked against its mappings (Linux), in addition to registered memory.
    pub unregistered: u32,
    /// Nonzero for 32-bit addresses, which modules with `.address_size 32` require. Then device addresses are not
    /// addresses of the process: memory of `ptx_malloc` is accessed with `ptx_copy_in` and `ptx_copy_out`.
    pub has_32_bit_addresses: u32,
    /// The execution engine, a `PtxEngine`.
    pub engine: u32,
    /// Bytes of stack of a thread: registers and local memory of all active calls; 0 for 512 KiB. Compiled kernels have what they need.
    pub stack: u64,
    /// Maximum bytes of shared memory of a block, static and dynamic; 0 for 1 MiB.
    pub shared: u64,
    /// Maximum instructions of all warps of a launch together; 0 for no limit. With a limit kernels are not compiled.
    pub steps: u64,
    /// The checks of compiled kernels, a `PtxCheck`.
    pub check: u32,
    /// With `PtxEngineAutomatic`, the instructions of warps that the interpreter executes of a kernel, in all of its launches
    /// together, before the kernel is compiled, while the interpreter goes on; 1 to compile kernels before their first
    /// launch. 0 for the value of the environment variable `PTX_EXEC_INTERPRETED_FIRST`, and if it is not set for 1,048,576, or 16,384
    /// in kernels with matrix products.
    pub interpreted_first: u64,
    /// A directory in which compiled kernels are cached for later processes. If it cannot be used, or if someone else may
    /// write to it, nothing is cached; nothing is cached either if it is empty. Null for the value of the environment variable
    /// `PTX_EXEC_CACHE`, which may be empty, too; if it is not set, `ptx-llvm` in `$XDG_CACHE_HOME` or `~/.cache`.
    pub cache_folder: *const c_char,
    /// Maximum total size of the files in that directory, of which the least recently used are removed; 0 for the value of the environment
    /// variable `PTX_EXEC_CACHE_SIZE`, a number of bytes, and if it is not set for 256 MiB.
    pub cache_bytes: u64,
    /// Bytes of the device's memory: of `ptx_malloc`, variables and the heap; 0 for as many as the machine has.
    pub memory: u64,
    /// Nonzero if allocations end at a multiple of 512 bytes, as those of the CUDA driver: programs that access memory a few bytes beyond the
    /// end of an allocation work.
    pub lenient_bounds: u32,
    /// Nonzero if launches with more than 48 KiB of shared memory require `ptx_kernel_set_dynamic_shared`, which allows as much as the architecture
    /// has, as with CUDA. Otherwise only `shared` is the limit.
    pub opt_in_shared: u32,
}

/// The execution engine of kernels. Compiled kernels have the same results as the interpreter and are stopped by the
/// same errors, unless their accesses are not checked (`PtxCheck`). They require the library to be built with
/// `--features jit`, and LLVM's library.
#[repr(C)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxEngine {
    /// The value of the environment variable `PTX_EXEC_ENGINE` when the device is created: `interp`, `jit` or `auto`;
    /// `PtxEngineAutomatic` if it is not set.
    PtxEngineDefault = 0,
    /// The interpreter, which checks every access.
    PtxEngineInterpreter = 1,
    /// Native code; launches that cannot be compiled are errors.
    PtxEngineCompiled = 2,
    /// Native code if a launch can be compiled, otherwise the interpreter, to which a library without compiled kernels leaves all
    /// launches. The interpreter begins, so that short launches do not wait for the compiler: see `interpreted_first` of
    /// `PtxDeviceOptions`.
    PtxEngineAutomatic = 3,
}

/// The checks of compiled kernels.
#[repr(C)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxCheck {
    /// The value of the environment variable `PTX_EXEC_CHECK` when the device is created: `none` or `memory`. If it is
    /// not set, memory with `PtxEngineAutomatic`, nothing with `PtxEngineCompiled`.
    PtxCheckDefault = 0,
    /// None: an access outside the memory of the device is undefined behaviour as in a native program.
    PtxCheckNone = 1,
    /// Every access, like the interpreter.
    PtxCheckMemory = 2,
}

/// The engine selected by the environment.
pub(crate) fn usual_engine() -> Result<Engine, Failure> {
    match std::env::var("PTX_EXEC_ENGINE").as_deref() {
        Err(std::env::VarError::NotPresent) | Ok("" | "auto") => Ok(Engine::Automatic),
        Ok("interp") => Ok(Engine::Interpreter),
        Ok("jit") => Ok(Engine::Compiled),
        Ok(_) | Err(_) => Err(Failure::value("`PTX_EXEC_ENGINE` is not `interp`, `jit` or `auto`")),
    }
}

/// The checks selected by the environment.
pub(crate) fn usual_check() -> Result<Check, Failure> {
    match std::env::var("PTX_EXEC_CHECK").as_deref() {
        Err(std::env::VarError::NotPresent) | Ok("") => Ok(Check::Usual),
        Ok("none") => Ok(Check::None),
        Ok("memory") => Ok(Check::Memory),
        Ok(_) | Err(_) => Err(Failure::value("`PTX_EXEC_CHECK` is not `none` or `memory`")),
    }
}

/// A number in a variable of the environment; `None` if it is not set.
fn number(name: &str) -> Result<Option<u64>, Failure> {
    match std::env::var(name).as_deref() {
        Err(std::env::VarError::NotPresent) | Ok("") => Ok(None),
        Ok(text) => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Failure::value(format!("`{name}` is not a number"))),
        },
        Err(_) => Err(Failure::value(format!("`{name}` is not a number"))),
    }
}

/// The instructions before a kernel is compiled, from those in the options.
fn interpreted_first(given: u64) -> Result<Option<u64>, Failure> {
    let steps = if given == 0 { number("PTX_EXEC_INTERPRETED_FIRST")? } else { Some(given) };
    // One is what the documentation has for none, since zero selects the default.
    Ok(steps.filter(|&steps| steps != 0).map(|steps| if steps == 1 { 0 } else { steps }))
}

/// The policy and the cache selected by the environment, in options that have neither.
pub(crate) fn usual_compilation(options: DeviceOptions) -> Result<DeviceOptions, Failure> {
    let cache_folder = match std::env::var_os("PTX_EXEC_CACHE") {
        Some(folder) => Some(PathBuf::from(folder)).filter(|folder| !folder.as_os_str().is_empty()),
        None => cache_folder_in(std::env::var_os("XDG_CACHE_HOME"), std::env::home_dir()),
    };
    Ok(DeviceOptions {
        interpreted_first: interpreted_first(0)?,
        cache_folder,
        cache_bytes: number("PTX_EXEC_CACHE_SIZE")?,
        ..options
    })
}

fn check(number: u32) -> Result<Check, Failure> {
    match number {
        number if number == PtxCheck::PtxCheckDefault as u32 => usual_check(),
        number if number == PtxCheck::PtxCheckNone as u32 => Ok(Check::None),
        number if number == PtxCheck::PtxCheckMemory as u32 => Ok(Check::Memory),
        other => Err(Failure::value(format!("`check` is {other}; expected 0, 1 or 2"))),
    }
}

fn engine(number: u32) -> Result<Engine, Failure> {
    match number {
        number if number == PtxEngine::PtxEngineDefault as u32 => usual_engine(),
        number if number == PtxEngine::PtxEngineInterpreter as u32 => Ok(Engine::Interpreter),
        number if number == PtxEngine::PtxEngineCompiled as u32 => Ok(Engine::Compiled),
        number if number == PtxEngine::PtxEngineAutomatic as u32 => Ok(Engine::Automatic),
        other => Err(Failure::value(format!("`engine` is {other}; expected 0, 1, 2 or 3"))),
    }
}

/// Receives the output of kernels: the text, its length in bytes, and the pointer that was given with the function.
/// Streams call it on their own threads.
pub type PtxPrint = Option<extern "C" fn(*const c_char, usize, *mut c_void)>;

pub(crate) struct User(pub(crate) *mut c_void);

// SAFETY: the pointer is only passed back to the caller's function, which is documented to be called by other threads.
unsafe impl Send for User {}
// SAFETY: as above; the function is called by one thread at a time.
unsafe impl Sync for User {}

pub(crate) fn print_to(device: &Device, print: PtxPrint, user: *mut c_void) {
    let user = User(user);
    device.print_to(move |text| {
        let user = &user;
        if let Some(print) = print {
            print(text.as_ptr().cast(), text.len(), user.0);
        }
    });
}

impl PtxDeviceOptions {
    /// # Safety
    /// The folder is null or a zero-terminated string.
    unsafe fn read(self) -> Result<DeviceOptions, Failure> {
        let mut options = usual_compilation(DeviceOptions::default())?;
        if self.interpreted_first != 0 {
            options.interpreted_first = interpreted_first(self.interpreted_first)?;
        }
        if !self.cache_folder.is_null() {
            // SAFETY: by the contract of this function.
            let folder = unsafe { text(self.cache_folder, "`cache_folder`") }?;
            options.cache_folder = Some(PathBuf::from(folder)).filter(|_| !folder.is_empty());
        }
        if self.cache_bytes != 0 {
            options.cache_bytes = Some(self.cache_bytes);
        }
        if self.architecture != 0 {
            let number = u16::try_from(self.architecture);
            options.architecture =
                Some(Sm::new(number.map_err(|_| Failure::value("there is no such architecture"))?));
        }
        options.threads = NonZeroUsize::new(self.threads as usize);
        options.limits.timeout = (self.timeout != 0).then(|| Duration::from_millis(self.timeout));
        if self.heap != 0 {
            options.limits.heap =
                usize::try_from(self.heap).map_err(|_| Failure::value("the heap is too large"))?;
        }
        options.completion = match self.completion {
            0 => Completion::Eager,
            1 => Completion::Late,
            2 => Completion::Random(self.seed),
            other => return Err(Failure::value(format!("`completion` is {other}; expected 0, 1 or 2"))),
        };
        options.after_stop = if self.go_on_after_stop == 0 { AfterStop::Refuse } else { AfterStop::GoOn };
        options.host = (self.unregistered != 0).then(|| Arc::new(Mappings::default()) as Arc<dyn HostMemory>);
        if self.has_32_bit_addresses != 0 {
            options.addresses = AddressSize::Bits32;
        }
        options.engine = engine(self.engine)?;
        options.check = check(self.check)?;
        if self.stack != 0 {
            options.limits.stack =
                usize::try_from(self.stack).map_err(|_| Failure::value("the stack is too large"))?;
        }
        if self.shared != 0 {
            options.limits.shared = self.shared;
        }
        options.memory = (self.memory != 0).then_some(self.memory);
        options.bounds = if self.lenient_bounds == 0 { Bounds::Strict } else { Bounds::Lenient };
        options.shared_memory =
            if self.opt_in_shared == 0 { SharedMemory::Free } else { SharedMemory::OptIn };
        options.limits.steps = (self.steps != 0).then_some(self.steps);
        Ok(options)
    }
}

/// Limits of launches on a device.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxProperties {
    /// The architecture, 90 for `sm_90`; 0 if modules for any are run.
    pub architecture: u32,
    /// Threads per warp.
    pub warp_size: u32,
    /// Maximum threads of a block.
    pub threads_per_block: u32,
    /// Maximum threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Maximum blocks along x, y and z.
    pub grid: [u32; 3],
    /// Maximum blocks of a cooperative launch, if their registers and memory fit.
    pub cooperative_blocks: u32,
    /// Maximum bytes of shared memory of a block, static and dynamic.
    pub shared_bytes: u64,
    /// Maximum bytes of local memory and registers of a thread.
    pub stack_bytes: u64,
    /// Bytes of the heap of `malloc`.
    pub heap_bytes: u64,
    /// Bytes of memory; 0 if the size of the machine's memory is unknown.
    pub memory_bytes: u64,
}

/// The limits of launches on a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_properties(
    device: *const PtxDevice,
    properties: *mut PtxProperties,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = &unsafe { given(device, "`device`") }?.0;
        let found = device.properties();
        let found = PtxProperties {
            architecture: match device.architecture() {
                Some(sm) => sm.number.into(),
                None => 0,
            },
            warp_size: found.warp_size,
            threads_per_block: found.threads_per_block,
            block: found.block,
            grid: found.grid,
            cooperative_blocks: found.cooperative_blocks,
            shared_bytes: found.shared_bytes,
            stack_bytes: found.stack_bytes as u64,
            heap_bytes: found.heap_bytes as u64,
            memory_bytes: or_zero(found.memory_bytes),
        };
        // SAFETY: the header's contract.
        unsafe { store(properties, found, "`properties`") }
    })
}

/// Creates a device. `options` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_create(
    options: *const PtxDeviceOptions,
    device: *mut *mut PtxDevice,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let options = unsafe { options.as_ref() }.copied();
        let usual = || {
            let (engine, check) = (usual_engine()?, usual_check()?);
            usual_compilation(DeviceOptions { engine, check, ..DeviceOptions::default() })
        };
        let options = match options {
            // SAFETY: the header's contract.
            Some(options) => unsafe { options.read() }?,
            None => usual()?,
        };
        let made = Box::new(PtxDevice(Device::with(options)));
        print_to(&made.0, None, std::ptr::null_mut());
        // SAFETY: the header's contract.
        unsafe { store(device, Box::into_raw(made), "`device`") }
    })
}

/// Destroys the handle of a device. The device itself lives until everything that uses it is destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_destroy(device: *mut PtxDevice) -> PtxStatus {
    guard(|| {
        if !device.is_null() {
            // SAFETY: the header's contract: it came from `ptx_device_create` and is destroyed once.
            drop(unsafe { Box::from_raw(device) });
        }
        Ok(())
    })
}

/// Waits until all work of the device is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_synchronize(device: *const PtxDevice) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(device, "`device`") }?.0.synchronize()?))
}

/// Makes a device usable again after a kernel was stopped. Memory is as the kernel left it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_recover(device: *const PtxDevice) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        unsafe { given(device, "`device`") }?.0.recover();
        Ok(())
    })
}

/// Passes the output of kernels to a function, launch by launch. A null function discards it, which is the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_print_to(
    device: *const PtxDevice,
    print: PtxPrint,
    user: *mut c_void,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        print_to(&unsafe { given(device, "`device`") }?.0, print, user);
        Ok(())
    })
}

/// A limit of launches that can be changed.
#[repr(C)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxLimit {
    /// Bytes of stack of a thread.
    PtxLimitStack = 0,
    /// Bytes of the heap of `malloc`, until a kernel uses it.
    PtxLimitHeap = 1,
    /// Bytes that a launch may print.
    PtxLimitOutput = 2,
    /// Milliseconds that a launch may take; 0 for no limit.
    PtxLimitTime = 3,
}

/// Sets a limit, a `PtxLimit`, of subsequent launches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_set_limit(device: *const PtxDevice, limit: u32, value: u64) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = &unsafe { given(device, "`device`") }?.0;
        let bytes = || usize::try_from(value).map_err(|_| Failure::value("the limit is too large"));
        let mut limits = device.limits();
        match limit {
            limit if limit == PtxLimit::PtxLimitStack as u32 => limits.stack = bytes()?,
            limit if limit == PtxLimit::PtxLimitHeap as u32 => limits.heap = bytes()?,
            limit if limit == PtxLimit::PtxLimitOutput as u32 => limits.output = bytes()?,
            limit if limit == PtxLimit::PtxLimitTime as u32 => {
                limits.timeout = (value != 0).then(|| Duration::from_millis(value));
            }
            other => return Err(Failure::value(format!("`limit` is {other}; expected 0 to 3"))),
        }
        Ok(device.set_limits(limits)?)
    })
}

/// Writes the output of kernels to the standard output of the process, launch by launch, and at once: what C functions have put in a buffer comes later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_print_to_stdout(device: *const PtxDevice) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        unsafe { given(device, "`device`") }?.0.print_to(|text| {
            let mut out = std::io::stdout().lock();
            // Kernels are not told that no one reads what they print.
            let _ = out.write_all(text).and_then(|()| out.flush());
        });
        Ok(())
    })
}

/// Bytes of the device's memory that are in use by allocations, variables of modules and the heap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_device_used_bytes(device: *const PtxDevice, bytes: *mut u64) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let used = unsafe { given(device, "`device`") }?.0.used_bytes();
        // SAFETY: the header's contract.
        unsafe { store(bytes, used, "`bytes`") }
    })
}

/// Allocates zeroed memory at a multiple of 256. The process may access it too, also while kernels run. The machine provides it page by page
/// when it is accessed. PTX_OUT_OF_MEMORY if there is not enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_malloc(
    device: *const PtxDevice,
    bytes: usize,
    pointer: *mut *mut c_void,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let address = unsafe { given(device, "`device`") }?.0.allocate(bytes as u64)?;
        // SAFETY: the header's contract.
        unsafe { store(pointer, std::ptr::with_exposed_provenance_mut(address as usize), "`pointer`") }
    })
}

/// Frees memory of `ptx_malloc`, once all work of the device is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_free(device: *const PtxDevice, pointer: *mut c_void) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(device, "`device`") }?.0.free(address_of(pointer))?))
}

pub(crate) fn address_of(pointer: *const c_void) -> u64 {
    pointer.expose_provenance() as u64
}

/// Memory of the process as a region; refuses null and ranges that do not fit in the address space.
///
/// # Safety
/// As for [`region`].
pub(crate) unsafe fn memory(
    pointer: *const c_void,
    bytes: usize,
    is_writable: bool,
) -> Result<HostRegion, Failure> {
    // SAFETY: by the contract of this function.
    let found = unsafe { region(address_of(pointer), bytes as u64, is_writable) };
    found.ok_or_else(|| Failure::value(format!("{pointer:p} is not the address of {bytes} bytes")))
}

/// Makes memory of the process accessible to kernels, until `ptx_unregister`. It must stay mapped and accessible until then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_register(
    device: *const PtxDevice,
    pointer: *mut c_void,
    bytes: usize,
    is_writable: bool,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = unsafe { given(device, "`device`") }?;
        // SAFETY: the header's contract.
        let region = unsafe { memory(pointer, bytes, is_writable) }?;
        Ok(device.0.register(region, "registered memory")?)
    })
}

/// Undoes `ptx_register`, once all work of the device is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_unregister(device: *const PtxDevice, pointer: *mut c_void) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(device, "`device`") }?.0.unregister(address_of(pointer))?))
}

/// Copies bytes of the process to memory of the device, with bounds checks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_copy_in(
    device: *const PtxDevice,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = unsafe { given(device, "`device`") }?;
        // SAFETY: the header's contract.
        let from = unsafe { items(from.cast::<u8>(), bytes, "`from`") }?;
        Ok(device.0.write(address_of(to), from)?)
    })
}

/// Copies bytes from memory of the device to the process, with bounds checks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_copy_out(
    device: *const PtxDevice,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = unsafe { given(device, "`device`") }?;
        // SAFETY: the header's contract.
        let to = unsafe { room(to.cast::<u8>(), bytes, "`to`") }?;
        Ok(device.0.read(address_of(from), to)?)
    })
}

/// Copies bytes within memory of the device; source and destination may overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_copy(
    device: *const PtxDevice,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = unsafe { given(device, "`device`") }?;
        Ok(device.0.copy(address_of(to), address_of(from), bytes as u64)?)
    })
}

/// Writes `count` consecutive copies of a pattern.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_fill_pattern(
    device: *const PtxDevice,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_bytes: usize,
    count: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = unsafe { given(device, "`device`") }?;
        // SAFETY: the header's contract.
        let pattern = unsafe { items(pattern.cast::<u8>(), pattern_bytes, "`pattern`") }?;
        Ok(device.0.fill(address_of(to), pattern, count as u64)?)
    })
}

/// Creates a multimem address, through which `bytes` bytes at each of these addresses are accessed together
/// (`multimem.*`), until the memory there is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_multicast(
    device: *const PtxDevice,
    members: *const *const c_void,
    count: usize,
    bytes: usize,
    pointer: *mut *mut c_void,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, members) = unsafe { (given(device, "`device`")?, items(members, count, "`members`")?) };
        let members: Vec<u64> = members.iter().map(|member| address_of(*member)).collect();
        if members.is_empty() {
            return Err(Failure::value("a multimem address is of one place at least"));
        }
        let address = device.0.multicast(&members, bytes as u64)?;
        // SAFETY: the header's contract.
        unsafe { store(pointer, std::ptr::with_exposed_provenance_mut(address as usize), "`pointer`") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros() -> PtxDeviceOptions {
        PtxDeviceOptions {
            architecture: 0,
            threads: 0,
            timeout: 0,
            heap: 0,
            completion: 0,
            seed: 0,
            go_on_after_stop: 0,
            unregistered: 0,
            has_32_bit_addresses: 0,
            engine: 0,
            stack: 0,
            shared: 0,
            steps: 0,
            check: 0,
            interpreted_first: 0,
            cache_folder: std::ptr::null(),
            cache_bytes: 0,
            memory: 0,
            lenient_bounds: 0,
            opt_in_shared: 0,
        }
    }

    #[test]
    fn zeros_are_the_defaults_and_numbers_are_what_they_name() {
        // SAFETY: folders are null or literals.
        let read = |options: PtxDeviceOptions| unsafe { options.read() }.map_err(|_| ());
        let usual = DeviceOptions::default();
        let found = read(zeros()).expect("the defaults");
        assert_eq!((found.limits, found.engine), (usual.limits, Engine::Automatic));
        assert_eq!((found.check, found.interpreted_first), (Check::Usual, None));
        let engines = [Engine::Interpreter, Engine::Compiled, Engine::Automatic];
        for (number, engine) in (1..).zip(engines) {
            let found = read(PtxDeviceOptions { engine: number, ..zeros() }).expect("an engine");
            assert_eq!(found.engine, engine);
        }
        assert!(read(PtxDeviceOptions { engine: 4, ..zeros() }).is_err());
        for (number, check) in [(0, Check::Usual), (1, Check::None), (2, Check::Memory)] {
            let found = read(PtxDeviceOptions { check: number, ..zeros() }).expect("a check");
            assert_eq!(found.check, check);
        }
        assert!(read(PtxDeviceOptions { check: 3, ..zeros() }).is_err());
        let found = read(PtxDeviceOptions { stack: 4096, shared: 2048, steps: 99, ..zeros() });
        let limits = found.expect("limits").limits;
        assert_eq!((limits.stack, limits.shared, limits.steps), (4096, 2048, Some(99)));
        for (given, first) in [(0, None), (1, Some(0)), (2, Some(2)), (1 << 40, Some(1 << 40))] {
            let found = read(PtxDeviceOptions { interpreted_first: given, ..zeros() }).expect("a number");
            assert_eq!(found.interpreted_first, first);
        }
        let found = read(zeros()).expect("the defaults");
        let own = cache_folder_in(std::env::var_os("XDG_CACHE_HOME"), std::env::home_dir());
        assert_eq!((found.cache_folder, found.cache_bytes), (own, None));
        let uncached = PtxDeviceOptions { cache_folder: c"".as_ptr(), ..zeros() };
        assert_eq!(read(uncached).expect("no folder").cache_folder, None);
        let cached = PtxDeviceOptions { cache_folder: c"/a/b".as_ptr(), cache_bytes: 4096, ..zeros() };
        let found = read(cached).expect("a folder");
        assert_eq!((found.cache_folder, found.cache_bytes), (Some(PathBuf::from("/a/b")), Some(4096)));
    }
}
