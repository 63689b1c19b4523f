//! Modules, kernels and launches.

use std::ffi::{CString, c_char, c_void};

use ptx_device::{Device, Kernel, Module, Shape};

use crate::device::PtxDevice;
use crate::pointer::{given, items, store, text};
use crate::status::{Failure, PtxStatus, c_text, guard};
use crate::stream::PtxStream;

/// A module on a device. Its variables keep their values across launches.
pub struct PtxModule {
    pub(crate) module: Module,
    kernels: Vec<CString>,
    /// The names of its files.
    names: Vec<CString>,
}

/// A file of a module, whose contents need not be zero-terminated.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxFile {
    /// Its name in errors.
    pub name: *const c_char,
    /// Its contents.
    pub contents: *const c_void,
    /// Size of the contents in bytes.
    pub bytes: usize,
}

/// Loads files from memory and links them.
fn link(device: &Device, files: Vec<(&str, &[u8])>) -> Result<Box<PtxModule>, Failure> {
    if files.is_empty() {
        return Err(Failure::value("there is no file to load"));
    }
    let module = Module::link(device, files)?;
    let kernels = module.kernels().into_iter().map(c_text).collect();
    let names = module.texts().map(|(name, _)| c_text(name)).collect();
    Ok(Box::new(PtxModule { module, kernels, names }))
}

/// A kernel of a module.
pub struct PtxKernel {
    pub(crate) kernel: Kernel,
    names: Vec<CString>,
}

/// The shape of a launch: grid, block and cluster extents, and dynamic shared memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxShape {
    /// Blocks of the grid along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster; zeros for the shape required by the kernel, or one block.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Nonzero if blocks wait for each other: then a launch with more blocks than can be co-resident is refused.
    pub cooperative: u32,
}

/// A parameter of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxParameter {
    /// Its name, valid as long as the kernel's handle.
    pub name: *const c_char,
    /// Its size in bytes.
    pub bytes: u32,
    /// Its offset in the parameter space.
    pub offset: u32,
}

/// Loads PTX. `name` is the file name in errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_load(
    device: *const PtxDevice,
    name: *const c_char,
    ptx: *const c_char,
    module: *mut *mut PtxModule,
) -> PtxStatus {
    // SAFETY: the header's contract.
    unsafe { ptx_module_link(device, 1, &name, &ptx, module) }
}

/// Loads several files of PTX and links them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_link(
    device: *const PtxDevice,
    count: usize,
    names: *const *const c_char,
    ptx: *const *const c_char,
    module: *mut *mut PtxModule,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = unsafe { given(device, "`device`") }?;
        // SAFETY: the header's contract.
        let (names, texts) = unsafe { (items(names, count, "`names`")?, items(ptx, count, "`ptx`")?) };
        let mut files = Vec::new();
        for (&name, &ptx) in names.iter().zip(texts) {
            // SAFETY: the header's contract.
            files.push(unsafe { (text(name, "`name`")?, text(ptx, "`ptx`")?.as_bytes()) });
        }
        let loaded = link(&device.0, files)?;
        // SAFETY: the header's contract.
        unsafe { store(module, Box::into_raw(loaded), "`module`") }
    })
}

/// Loads one or several files with explicit lengths and links them. With the feature `llvm` the library also accepts
/// LLVM IR, text and bitcode, which is distinguished from PTX by the extension of the name (`.ptx`, `.ll`, `.bc`) or by
/// the contents.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_load_files(
    device: *const PtxDevice,
    count: usize,
    files: *const PtxFile,
    module: *mut *mut PtxModule,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, given_files) = unsafe { (given(device, "`device`")?, items(files, count, "`files`")?) };
        let mut files = Vec::new();
        for file in given_files {
            // SAFETY: the header's contract.
            let name = unsafe { text(file.name, "`name`") }?;
            // SAFETY: the header's contract.
            let contents = unsafe { items(file.contents.cast::<u8>(), file.bytes, "`contents`") }?;
            files.push((name, contents));
        }
        let loaded = link(&device.0, files)?;
        // SAFETY: the header's contract.
        unsafe { store(module, Box::into_raw(loaded), "`module`") }
    })
}

/// A file of a module as it is executed: the given PTX, or PTX translated from LLVM IR, to which line numbers in errors
/// refer. The contents are not zero-terminated; they are valid as long as the module's handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_file(
    module: *const PtxModule,
    index: usize,
    file: *mut PtxFile,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let module = unsafe { given(module, "`module`") }?;
        let found = module.module.texts().nth(index).zip(module.names.get(index));
        let missing = || Failure::new(PtxStatus::PtxNotFound, format!("the module has no file {index}"));
        let ((_, contents), name) = found.ok_or_else(missing)?;
        let found =
            PtxFile { name: name.as_ptr(), contents: contents.as_ptr().cast(), bytes: contents.len() };
        // SAFETY: the header's contract.
        unsafe { store(file, found, "`file`") }
    })
}

/// Destroys the handle of a module; its variables are freed once its kernels are destroyed too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_destroy(module: *mut PtxModule) -> PtxStatus {
    guard(|| {
        if !module.is_null() {
            // SAFETY: the header's contract: it came from this library and is destroyed once.
            drop(unsafe { Box::from_raw(module) });
        }
        Ok(())
    })
}

/// Resets all variables to their initial values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_reset(module: *const PtxModule) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        unsafe { given(module, "`module`") }?.module.reset();
        Ok(())
    })
}

/// The address and size of a `.global` or `.const` variable. `bytes` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_variable(
    module: *const PtxModule,
    name: *const c_char,
    pointer: *mut *mut c_void,
    bytes: *mut usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (module, name) = unsafe { (given(module, "`module`")?, text(name, "`name`")?) };
        let missing = || Failure::new(PtxStatus::PtxNotFound, format!("the module has no variable `{name}`"));
        let variable = module.module.variable(name).ok_or_else(missing)?;
        let address = std::ptr::with_exposed_provenance_mut(variable.address as usize);
        // SAFETY: the header's contract.
        unsafe {
            store(pointer, address, "`pointer`")?;
            if !bytes.is_null() {
                store(bytes, variable.bytes as usize, "`bytes`")?;
            }
        }
        Ok(())
    })
}

/// The number of kernels of a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_kernel_count(module: *const PtxModule, count: *mut usize) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let module = unsafe { given(module, "`module`") }?;
        // SAFETY: the header's contract.
        unsafe { store(count, module.kernels.len(), "`count`") }
    })
}

/// The name of a kernel of a module, in text order. It is valid as long as the module's handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_kernel_name(
    module: *const PtxModule,
    index: usize,
    name: *mut *const c_char,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let module = unsafe { given(module, "`module`") }?;
        let missing = || Failure::new(PtxStatus::PtxNotFound, format!("the module has no kernel {index}"));
        let found = module.kernels.get(index).ok_or_else(missing)?;
        // SAFETY: the header's contract.
        unsafe { store(name, found.as_ptr(), "`name`") }
    })
}

/// Looks up a kernel of a module by name. The first call for a kernel decodes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_get(
    module: *const PtxModule,
    name: *const c_char,
    kernel: *mut *mut PtxKernel,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (module, name) = unsafe { (given(module, "`module`")?, text(name, "`name`")?) };
        let found = module.module.kernel(name)?;
        let names = found.parameters().iter().map(|parameter| c_text(&parameter.name)).collect();
        let found = Box::new(PtxKernel { kernel: found, names });
        // SAFETY: the header's contract.
        unsafe { store(kernel, Box::into_raw(found), "`kernel`") }
    })
}

/// Destroys the handle of a kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_destroy(kernel: *mut PtxKernel) -> PtxStatus {
    guard(|| {
        if !kernel.is_null() {
            // SAFETY: the header's contract: it came from `ptx_kernel_get` and is destroyed once.
            drop(unsafe { Box::from_raw(kernel) });
        }
        Ok(())
    })
}

/// The number of parameters of a kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_parameter_count(
    kernel: *const PtxKernel,
    count: *mut usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let kernel = unsafe { given(kernel, "`kernel`") }?;
        // SAFETY: the header's contract.
        unsafe { store(count, kernel.names.len(), "`count`") }
    })
}

/// A parameter of a kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_parameter(
    kernel: *const PtxKernel,
    index: usize,
    parameter: *mut PtxParameter,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let kernel = unsafe { given(kernel, "`kernel`") }?;
        let found = kernel.kernel.parameters().get(index).zip(kernel.names.get(index));
        let missing = || Failure::new(PtxStatus::PtxNotFound, format!("the kernel has no parameter {index}"));
        let (found, name) = found.ok_or_else(missing)?;
        let found = PtxParameter { name: name.as_ptr(), bytes: found.bytes, offset: found.offset };
        // SAFETY: the header's contract.
        unsafe { store(parameter, found, "`parameter`") }
    })
}

/// Launches a kernel. `arguments` has one element for each parameter, which points to the value, as for
/// `cuLaunchKernel`. Without a stream (null) the kernel has ended when the function returns; with one,
/// `ptx_stream_synchronize` waits for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_launch(
    kernel: *const PtxKernel,
    shape: *const PtxShape,
    arguments: *const *const c_void,
    stream: *const PtxStream,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (kernel, shape) = unsafe { (&given(kernel, "`kernel`")?.kernel, *given(shape, "`shape`")?) };
        // SAFETY: the header's contract.
        let space = unsafe { gather(kernel, arguments) }?;
        // SAFETY: the header's contract.
        unsafe { launch(kernel, shape, space, stream) }
    })
}

/// The parameter space of a launch.
///
/// # Safety
/// There is an argument for each parameter, which points to a value of its size.
pub(crate) unsafe fn gather(kernel: &Kernel, arguments: *const *const c_void) -> Result<Vec<u8>, Failure> {
    let parameters = kernel.parameters();
    // SAFETY: by the contract of this function.
    let values = unsafe { items(arguments, parameters.len(), "`arguments`") }?;
    let mut space = Vec::new();
    for (index, (parameter, &value)) in parameters.iter().zip(values).enumerate() {
        let what = format!("argument {index}");
        // SAFETY: by the contract of this function.
        let bytes = unsafe { items(value.cast::<u8>(), parameter.bytes as usize, &what) }?;
        space.resize(parameter.offset as usize, 0);
        space.extend_from_slice(bytes);
    }
    Ok(space)
}

impl PtxShape {
    pub(crate) fn read(self) -> Shape {
        let cluster = (self.cluster != [0; 3]).then_some(self.cluster);
        let Self { grid, block, dynamic_shared, cooperative, .. } = self;
        Shape { grid, block, cluster, dynamic_shared, cooperative: cooperative != 0 }
    }
}

/// # Safety
/// The stream is null or a handle.
unsafe fn launch(
    kernel: &Kernel,
    shape: PtxShape,
    params: Vec<u8>,
    stream: *const PtxStream,
) -> Result<(), Failure> {
    let shape = shape.read();
    if stream.is_null() {
        kernel.launch_raw(&shape, &params)?;
    } else {
        // SAFETY: by the contract of this function.
        unsafe { given(stream, "`stream`") }?.0.launch_raw(kernel, &shape, params)?;
    }
    Ok(())
}

/// `ptx_launch` with the values of all parameters in one buffer, at the offsets of `ptx_kernel_parameter`, as `CU_LAUNCH_PARAM_BUFFER_POINTER` of
/// `cuLaunchKernel`. Bytes that are missing at the end are zeros, and more bytes than the parameters have are an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_launch_buffer(
    kernel: *const PtxKernel,
    shape: *const PtxShape,
    buffer: *const c_void,
    bytes: usize,
    stream: *const PtxStream,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (kernel, shape) = unsafe { (&given(kernel, "`kernel`")?.kernel, *given(shape, "`shape`")?) };
        // SAFETY: the header's contract.
        let space = unsafe { items(buffer.cast::<u8>(), bytes, "`buffer`") }?.to_vec();
        // SAFETY: the header's contract.
        unsafe { launch(kernel, shape, space, stream) }
    })
}
