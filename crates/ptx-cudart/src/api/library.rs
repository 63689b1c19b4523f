//! Libraries that the program loads, and their kernels.

use std::ffi::c_uint;

use crate::entries;
use crate::functions::{
    cuLibraryEnumerateKernels, cuLibraryGetGlobal, cuLibraryGetKernel, cuLibraryGetKernelCount,
    cuLibraryGetManaged, cuLibraryGetUnifiedFunction, cuLibraryLoadData, cuLibraryLoadFromFile,
    cuLibraryUnload,
};
use crate::pointer::{In, Out, Text};
use crate::types::Handle;

entries! {
    fn cudaLibraryLoadData(
        library: Out<Handle>, image: u64, jit: In<c_uint>, jit_values: Out<usize>, jit_count: c_uint,
        options: In<c_uint>, values: In<u64>, count: c_uint,
    ) {
        cuLibraryLoadData(library, image, jit, jit_values, jit_count, options, values, count)
    }

    fn cudaLibraryLoadFromFile(
        library: Out<Handle>, path: Text, jit: In<c_uint>, jit_values: Out<usize>, jit_count: c_uint,
        options: In<c_uint>, values: In<u64>, count: c_uint,
    ) {
        cuLibraryLoadFromFile(library, path, jit, jit_values, jit_count, options, values, count)
    }

    fn cudaLibraryUnload(library: Handle) {
        cuLibraryUnload(library)
    }

    fn cudaLibraryGetKernel(kernel: Out<Handle>, library: Handle, name: Text) {
        cuLibraryGetKernel(kernel, library, name)
    }

    fn cudaLibraryGetKernelCount(count: Out<c_uint>, library: Handle) {
        cuLibraryGetKernelCount(count, library)
    }

    fn cudaLibraryEnumerateKernels(kernels: Out<Handle>, count: c_uint, library: Handle) {
        cuLibraryEnumerateKernels(kernels, count, library)
    }

    fn cudaLibraryGetGlobal(address: Out<u64>, bytes: Out<usize>, library: Handle, name: Text) {
        cuLibraryGetGlobal(address, bytes, library, name)
    }

    fn cudaLibraryGetManaged(address: Out<u64>, bytes: Out<usize>, library: Handle, name: Text) {
        cuLibraryGetManaged(address, bytes, library, name)
    }

    fn cudaLibraryGetUnifiedFunction(address: Out<u64>, library: Handle, name: Text) {
        cuLibraryGetUnifiedFunction(address, library, name)
    }
}
