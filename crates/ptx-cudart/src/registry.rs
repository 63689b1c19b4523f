//! The binaries of the program, and the kernels and variables in them, as the code that `nvcc` makes registers them before `main`.
//!
//! A binary is loaded when something of it is first used, as a library of the driver, which exists once for all contexts.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::error::{Answer, Error, Failure};
use crate::functions::{
    cuKernelGetFunction, cuLibraryGetGlobal, cuLibraryGetKernel, cuLibraryGetManaged, cuLibraryLoadData,
    cuLibraryUnload,
};
use crate::linked;
use crate::pointer::{In, Out, Text};
use crate::types::Handle;

/// A binary: what a structure with the magic number of fat binaries refers to.
#[derive(Debug)]
pub struct Binary {
    wrapper: u64,
    /// The library of the driver, once it is loaded.
    library: Mutex<Option<Handle>>,
    /// The variables in managed memory.
    managed: Mutex<Vec<Managed>>,
}

/// A variable in managed memory, which code of the host accesses through a pointer.
#[derive(Clone, Debug)]
struct Managed {
    /// Where the pointer is.
    pointer: u64,
    name: CString,
}

/// A kernel.
#[derive(Debug)]
struct Function {
    binary: Arc<Binary>,
    name: CString,
    /// The kernel of the driver, 0 until it is needed.
    kernel: AtomicUsize,
}

/// A variable of a device.
#[derive(Debug)]
struct Variable {
    binary: Arc<Binary>,
    name: CString,
}

/// What is registered, kernels and variables by their addresses in the host's code.
#[derive(Debug, Default)]
struct Registry {
    binaries: HashMap<u64, Arc<Binary>>,
    /// The last registration is used: several files of a program may have the same template, whose address they share.
    functions: HashMap<u64, Vec<Arc<Function>>>,
    variables: HashMap<u64, Vec<Arc<Variable>>>,
    next: u64,
}

static REGISTRY: RwLock<Option<Registry>> = RwLock::new(None);

fn read() -> RwLockReadGuard<'static, Option<Registry>> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Option<Registry>> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Binary {
    fn load(&self) -> Answer<Handle> {
        let mut library = 0;
        let linked = linked::image(self.wrapper)?;
        // Default: a binary that is not linked from several is loaded as it is.
        let image = linked.as_ref().map_or(self.wrapper, |linked| linked.address());
        cuLibraryLoadData(
            Out::to(&mut library),
            image,
            In::null(),
            Out::null(),
            0,
            In::null(),
            In::null(),
            0,
        )?;
        self.place_managed(library)?;
        Ok(library)
    }

    fn place_managed(&self, library: Handle) -> Answer {
        lock(&self.managed).iter().try_for_each(|variable| variable.place(library))
    }

    /// The driver's library for it.
    fn library(&self) -> Answer<Handle> {
        let mut library = lock(&self.library);
        match *library {
            Some(library) => Ok(library),
            None => Ok(*library.insert(self.load()?)),
        }
    }

    fn unload(&self) {
        if let Some(library) = lock(&self.library).take() {
            // The driver may have been shut down.
            let _ = cuLibraryUnload(library);
        }
    }
}

impl Managed {
    /// Writes its address to the pointer that the host has.
    fn place(&self, library: Handle) -> Answer {
        let (mut address, mut bytes) = (0, 0);
        cuLibraryGetManaged(Out::to(&mut address), Out::to(&mut bytes), library, Text::of(&self.name))?;
        Out::at(self.pointer).set(address)
    }
}

/// Registers a binary, and returns the handle by which the code of `nvcc` refers to it.
pub fn register_binary(wrapper: u64) -> u64 {
    let binary = Binary { wrapper, library: Mutex::default(), managed: Mutex::default() };
    let mut registry = write();
    let registry = registry.get_or_insert_default();
    registry.next += 1;
    registry.binaries.insert(registry.next, Arc::new(binary));
    registry.next
}

fn binary(handle: u64) -> Option<Arc<Binary>> {
    read().as_ref()?.binaries.get(&handle).cloned()
}

/// Removes a binary with all that is in it.
pub fn unregister_binary(handle: u64) {
    let mut guard = write();
    let Some(registry) = guard.as_mut() else { return };
    let Some(binary) = registry.binaries.remove(&handle) else { return };
    registry.functions.retain(|_, all| {
        all.retain(|function| !Arc::ptr_eq(&function.binary, &binary));
        !all.is_empty()
    });
    registry.variables.retain(|_, all| {
        all.retain(|variable| !Arc::ptr_eq(&variable.binary, &binary));
        !all.is_empty()
    });
    drop(guard);
    binary.unload();
}

/// Writes the addresses of managed variables again, which change when their device is reset.
pub fn place_managed() -> Answer {
    let binaries: Vec<_> = read().iter().flat_map(|registry| registry.binaries.values().cloned()).collect();
    binaries.iter().try_for_each(|binary| match lock(&binary.library).as_ref() {
        Some(library) => binary.place_managed(*library),
        None => Ok(()),
    })
}

/// Registers a kernel of a binary by the address of the function that launches it.
pub fn register_function(handle: u64, address: u64, name: &CStr) {
    let Some(binary) = binary(handle) else { return };
    let function = Function { binary, name: name.to_owned(), kernel: AtomicUsize::new(0) };
    write().get_or_insert_default().functions.entry(address).or_default().push(Arc::new(function));
}

/// Registers a variable of a binary by the address of the variable that stands for it on the host.
pub fn register_variable(handle: u64, address: u64, name: &CStr) {
    let Some(binary) = binary(handle) else { return };
    let variable = Variable { binary, name: name.to_owned() };
    write().get_or_insert_default().variables.entry(address).or_default().push(Arc::new(variable));
}

/// Registers a variable in managed memory by the address of the host's pointer to it.
pub fn register_managed(handle: u64, pointer: u64, name: &CStr) {
    let Some(binary) = binary(handle) else { return };
    lock(&binary.managed).push(Managed { pointer, name: name.to_owned() });
    register_variable(handle, pointer, name);
}

/// Loads a binary, so that its managed variables exist.
pub fn require_binary(handle: u64) -> Answer {
    let binary = binary(handle).ok_or_else(|| Failure::value("no such binary is registered"))?;
    binary.library().map(drop)
}

/// The kernel of the driver that an address of the host's code, or a handle of the driver, stands for.
///
/// # Errors
/// `cudaErrorInvalidDeviceFunction` if it stands for none.
pub fn kernel(address: u64) -> Answer<Handle> {
    let found = read().as_ref().and_then(|registry| registry.functions.get(&address)?.last().cloned());
    let Some(function) = found else {
        let mut own = 0;
        return match cuKernelGetFunction(Out::to(&mut own), address as Handle) {
            Ok(()) => Ok(address as Handle),
            Err(_) => Err(Failure::because(
                Error::INVALID_DEVICE_FUNCTION,
                format!("{address:#x} is no kernel of the program"),
            )),
        };
    };
    match function.kernel.load(Ordering::Acquire) {
        0 => {
            let mut kernel = 0;
            let library = function.binary.library()?;
            let name = Text::of(&function.name);
            cuLibraryGetKernel(Out::to(&mut kernel), library, name).map_err(|failure| Failure {
                error: absent(failure.error, Error::INVALID_DEVICE_FUNCTION),
                ..failure
            })?;
            function.kernel.store(kernel, Ordering::Release);
            Ok(kernel)
        }
        kernel => Ok(kernel),
    }
}

/// The error of a name that a binary does not have.
fn absent(error: Error, meaning: Error) -> Error {
    if error == Error::SYMBOL_NOT_FOUND { meaning } else { error }
}

/// The function of [`kernel`] in the current context.
pub fn function(address: u64) -> Answer<Handle> {
    let mut function = 0;
    cuKernelGetFunction(Out::to(&mut function), kernel(address)?)?;
    Ok(function)
}

/// The address in the host's code of a kernel of the driver, or the kernel itself if it is not of the program.
pub fn address_of(kernel: Handle) -> u64 {
    let registry = read();
    let is_kernel = |function: &Arc<Function>| function.kernel.load(Ordering::Acquire) == kernel;
    let mut functions = registry.iter().flat_map(|registry| &registry.functions);
    let found = functions.find(|(_, all)| all.iter().any(is_kernel));
    // Default: a kernel of a library that the program has loaded has no other name.
    found.map_or(kernel as u64, |(&address, _)| address)
}

/// The address and size of a variable on the device of the current context, by the address of what stands for it on the host.
///
/// # Errors
/// `cudaErrorInvalidSymbol` if there is no such variable.
pub fn variable(symbol: u64) -> Answer<(u64, usize)> {
    let unknown =
        || Failure::because(Error::INVALID_SYMBOL, format!("{symbol:#x} is no variable of a device"));
    let found = read().as_ref().and_then(|registry| registry.variables.get(&symbol)?.last().cloned());
    let variable = match found {
        Some(variable) => variable,
        None => managed_at(symbol).ok_or_else(unknown)?,
    };
    let (mut address, mut bytes) = (0, 0);
    let library = variable.binary.library()?;
    let name = Text::of(&variable.name);
    cuLibraryGetGlobal(Out::to(&mut address), Out::to(&mut bytes), library, name)
        .map_err(|failure| Failure { error: absent(failure.error, Error::INVALID_SYMBOL), ..failure })?;
    Ok((address, bytes))
}

/// The variable in managed memory that is at an address.
fn managed_at(address: u64) -> Option<Arc<Variable>> {
    let registry = read();
    let registry = registry.as_ref()?;
    let managed = |binary: &Arc<Binary>| lock(&binary.managed).clone();
    let mut pointers = registry.binaries.values().flat_map(managed).map(|managed| managed.pointer);
    let pointer = pointers.find(|&pointer| In::<u64>::at(pointer).get().is_ok_and(|at| at == address))?;
    registry.variables.get(&pointer)?.last().cloned()
}
