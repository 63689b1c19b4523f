//! A single function that runs a kernel on memory of the caller, like that of gpuocelot.

use std::ffi::{c_char, c_int, c_void};
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ptx_device::{AfterStop, Device, DeviceOptions, Kernel, Module, Shape};

use crate::device::{PtxPrint, address_of, memory, print_to, usual_check, usual_compilation, usual_engine};
use crate::mappings::Mappings;
use crate::pointer::{items, text};
use crate::status::{Failure, PtxStatus, guard, last_text};

/// Number of decoded modules that are cached.
const KEPT: usize = 64;

/// The device of `ptx_run`.
fn device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let mut options = DeviceOptions {
            after_stop: AfterStop::GoOn,
            host: Some(Arc::new(Mappings::default())),
            ..DeviceOptions::default()
        };
        // An invalid value selects the default here, since there is no way to report it.
        if let Ok(engine) = usual_engine() {
            options.engine = engine;
        }
        if let Ok(check) = usual_check() {
            options.check = check;
        }
        let options = match usual_compilation(options.clone()) {
            Ok(compiled) => compiled,
            Err(_) => options,
        };
        let device = Device::with(options);
        print_to(&device, None, std::ptr::null_mut());
        device
    })
}

/// Cache of the first kernels of texts, least recently used first. A running kernel is not in the cache.
static KERNELS: Mutex<Vec<(Box<str>, Kernel)>> = Mutex::new(Vec::new());

fn take(ptx: &str) -> Result<Kernel, Failure> {
    let mut kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = kernels.iter().position(|(known, _)| **known == *ptx) {
        return Ok(kernels.remove(at).1);
    }
    drop(kernels);
    let module = Module::load(device(), "ptx", ptx)?;
    let missing = || Failure::new(PtxStatus::PtxNotFound, "the module defines no kernel");
    let name = module.kernels().first().map(|name| (*name).to_owned()).ok_or_else(missing)?;
    Ok(module.kernel(&name)?)
}

fn keep(ptx: &str, kernel: Kernel) {
    // Each run starts with the initial values.
    kernel.module().reset();
    let mut kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    if kernels.len() >= KEPT {
        kernels.remove(0);
    }
    kernels.push((ptx.into(), kernel));
}

/// The parameter space, from values that each occupy a pointer-sized slot.
fn pack(kernel: &Kernel, values: &[u64]) -> Result<Vec<u8>, Failure> {
    let parameters = kernel.parameters();
    let refuse = |text: String| Err(Failure::new(PtxStatus::PtxInvalidArguments, text));
    if parameters.len() != values.len() {
        let (name, takes, given) = (kernel.name(), parameters.len(), values.len());
        return refuse(format!("kernel `{name}` takes {takes} arguments, {given} were given"));
    }
    let mut space = Vec::new();
    for (index, (parameter, value)) in parameters.iter().zip(values).enumerate() {
        let bytes = parameter.bytes as usize;
        let value = value.to_le_bytes();
        let Some(value) = value.get(..bytes) else {
            return refuse(format!("parameter {index} has {bytes} bytes, more than a pointer has"));
        };
        space.resize(parameter.offset as usize, 0);
        space.extend_from_slice(value);
    }
    Ok(space)
}

fn run(ptx: &str, values: &[u64], block: [c_int; 3], grid: [c_int; 3], shared: c_int) -> Result<(), Failure> {
    let extents = |dims: [c_int; 3], of: &str, what: &str| -> Result<[u32; 3], Failure> {
        let [x, y, z] = dims;
        let negative = |_| {
            let text = format!("{of} cannot have ({x}, {y}, {z}) {what}");
            Failure::new(PtxStatus::PtxInvalidLaunch, text)
        };
        let extent = |dim: c_int| u32::try_from(dim).map_err(negative);
        Ok([extent(x)?, extent(y)?, extent(z)?])
    };
    let dynamic_shared =
        u32::try_from(shared).map_err(|_| Failure::value("the bytes of shared memory are negative"))?;
    let (grid, block) = (extents(grid, "a grid", "blocks")?, extents(block, "a block", "threads")?);
    let shape = Shape { grid, block, dynamic_shared, ..Shape::default() };
    let kernel = take(ptx)?;
    let result = pack(&kernel, values).and_then(|space| Ok(kernel.launch_raw(&shape, &space).map(drop)?));
    keep(ptx, kernel);
    result
}

/// Runs the first kernel of a module and waits for it, with blocks of `lx` by `ly` by `lz` threads, a grid of `gx` by
/// `gy` by `gz` blocks and `smem` bytes of dynamic shared memory. `args[i]` is the value of argument i itself, in the
/// size of a pointer: an address, an integer, or the bits of a floating-point number; for smaller parameters the lower
/// bytes are used.
///
/// Kernels access memory of the process at its address. Memory registered with `ptx_register_memory` is accessed
/// without further checks. Any other access, also past the end of registered memory, is checked against the mappings of
/// the process before it is made (Linux; elsewhere it is an error), so that an access to unmapped memory is an error;
/// one that hits unrelated mapped memory is not detected. Memory that kernels access must not be unmapped meanwhile.
///
/// The most recently used modules are cached in decoded form. Each run starts with the initial values of variables.
/// `ptx_last_error` shows whether it succeeded: its text is then empty. It is also written to standard error, unless the environment variable
/// `PTX_EXEC_REPORT` is `none`. `ptx_try_run` is the same function with a status, and writes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_run(
    ptx: *const c_char,
    nargs: c_int,
    args: *mut *mut c_void,
    lx: c_int,
    ly: c_int,
    lz: c_int,
    gx: c_int,
    gy: c_int,
    gz: c_int,
    smem: c_int,
) {
    // SAFETY: the header's contract.
    let status = unsafe { ptx_try_run(ptx, nargs, args, lx, ly, lz, gx, gy, gz, smem) };
    if status != PtxStatus::PtxSuccess
        && std::env::var_os("PTX_EXEC_REPORT").is_none_or(|report| report != "none")
    {
        report();
    }
}

/// Writes the last error to standard error: a caller that does not ask for it takes what is in its memory for results.
fn report() {
    let text = last_text();
    // There is no other way to report it.
    let _ = writeln!(std::io::stderr(), "ptx_run: {text}");
}

/// `ptx_run` with a status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_try_run(
    ptx: *const c_char,
    nargs: c_int,
    args: *mut *mut c_void,
    lx: c_int,
    ly: c_int,
    lz: c_int,
    gx: c_int,
    gy: c_int,
    gz: c_int,
    smem: c_int,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let ptx = unsafe { text(ptx, "`ptx`") }?;
        let count = usize::try_from(nargs).map_err(|_| Failure::value("`nargs` is negative"))?;
        // SAFETY: the header's contract.
        let values = unsafe { items(args.cast_const(), count, "`args`") }?;
        let values: Vec<u64> = values.iter().map(|value| address_of(*value)).collect();
        run(ptx, &values, [lx, ly, lz], [gx, gy, gz], smem)
    })
}

/// Passes the output of kernels of `ptx_run` to a function. A null function discards it, which is the default.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_run_print_to(print: PtxPrint, user: *mut c_void) -> PtxStatus {
    guard(|| {
        print_to(device(), print, user);
        Ok(())
    })
}

/// Makes memory accessible to kernels of `ptx_run` without checks against the process's mappings, until `ptx_unregister_memory`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_register_memory(pointer: *mut c_void, bytes: usize) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let region = unsafe { memory(pointer, bytes, true) }?;
        Ok(device().register(region, "registered memory")?)
    })
}

/// Undoes `ptx_register_memory`, once no kernel of `ptx_run` is running any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_unregister_memory(pointer: *mut c_void) -> PtxStatus {
    guard(|| Ok(device().unregister(address_of(pointer))?))
}
