//! The functions that code from `nvcc` calls: it registers binaries, kernels and variables, and launches kernels.

use std::cell::RefCell;
use std::ffi::c_int;

use crate::error::{Error, Failure};
use crate::pointer::{Out, Text};
use crate::types::{Dim3, Handle};
use crate::{entries, entry, registry, unchecked_entries};

/// The shape of a launch between `<<<` and `>>>`.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: Handle,
}

thread_local! {
    /// The launches that the thread prepares: arguments of a kernel may launch others.
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

// These return no results: failures are reported when the kernel or variable is used. Handles of binaries are opaque to the code of `nvcc`.

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(wrapper: u64) -> u64 {
    let mut handle = 0;
    entry::unchecked("__cudaRegisterFatBinary", || {
        handle = registry::register_binary(wrapper);
        Ok(())
    });
    handle
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_binary: u64) {}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(binary: u64) {
    entry::unchecked("__cudaUnregisterFatBinary", || {
        registry::unregister_binary(binary);
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFunction(
    binary: u64,
    address: u64,
    _device_address: u64,
    name: Text,
    _thread_limit: c_int,
    _thread: u64,
    _block_id: u64,
    _block: u64,
    _grid: u64,
    _warp: u64,
) {
    entry::unchecked("__cudaRegisterFunction", || {
        registry::register_function(binary, address, name.get()?);
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterVar(
    binary: u64,
    address: u64,
    _device_address: u64,
    name: Text,
    _is_external: c_int,
    _bytes: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    entry::unchecked("__cudaRegisterVar", || {
        registry::register_variable(binary, address, name.get()?);
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterManagedVar(
    binary: u64,
    pointer: u64,
    _device_address: u64,
    name: Text,
    _is_external: c_int,
    _bytes: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    entry::unchecked("__cudaRegisterManagedVar", || {
        registry::register_managed(binary, pointer, name.get()?);
        Ok(())
    });
}

/// Called before the host first accesses a managed variable of a binary; returns whether that may be done.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(binary: u64) -> u8 {
    let result = entry::checked("__cudaInitModule", || registry::require_binary(binary));
    (result == Error::SUCCESS).into()
}

/// Returns 0, or 1 to leave the launch out.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Handle) -> u32 {
    let result = entry::unchecked("__cudaPushCallConfiguration", || {
        let configuration = Configuration { grid, block, shared, stream };
        // A thread that ends launches nothing any more.
        let pushed = CONFIGURATIONS.try_with(|all| all.borrow_mut().push(configuration));
        pushed.map_err(|_| Error::MISSING_CONFIGURATION.into())
    });
    (result != Error::SUCCESS).into()
}

unchecked_entries! {
    fn __cudaPopCallConfiguration(grid: Out<Dim3>, block: Out<Dim3>, shared: Out<usize>, stream: Out<Handle>) {
        let found = CONFIGURATIONS.try_with(|all| all.borrow_mut().pop()).ok().flatten();
        let found = found.ok_or(Error::MISSING_CONFIGURATION)?;
        grid.set(found.grid)?;
        block.set(found.block)?;
        shared.set(found.shared)?;
        stream.set(found.stream)
    }

    // Called once for each place that launches a kernel, which keeps the result: the address of the kernel does not change
    // when the device is reset.
    fn __cudaGetKernel(kernel: Out<u64>, address: u64) {
        kernel.set(address)
    }
}

entries! {
    fn cudaGetSymbolAddress(address: Out<u64>, symbol: u64) {
        address.require()?;
        address.set(registry::variable(symbol)?.0)
    }

    fn cudaGetSymbolSize(bytes: Out<usize>, symbol: u64) {
        bytes.require()?;
        bytes.set(registry::variable(symbol)?.1)
    }

    fn cudaGetKernel(kernel: Out<Handle>, address: u64) {
        kernel.require()?;
        if address == 0 {
            return Err(Failure::value("the address of a kernel is null"));
        }
        kernel.set(registry::kernel(address)?)
    }

    fn cudaGetFuncBySymbol(function: Out<Handle>, symbol: u64) {
        function.require()?;
        function.set(registry::function(symbol)?)
    }
}
