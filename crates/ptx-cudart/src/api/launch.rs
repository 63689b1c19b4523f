//! Launches of kernels and calls of functions of the host.

use std::sync::OnceLock;

use crate::entry::NullStream;
use crate::error::{Answer, Error, Failure};
use crate::functions::{
    cuDeviceGetAttribute, cuLaunchHostFunc, cuLaunchHostFunc_v2, cuLaunchKernelEx, cuStreamAddCallback,
};
use crate::pointer::{In, Out};
use crate::types::{Dim3, Handle, LaunchAttribute, LaunchConfig, RuntimeLaunchConfig};
use crate::{registry, stream_entries};

/// Attributes of a device: threads of a block, its sides, and the sides of the grid.
const LIMITS: [i32; 7] = [1, 2, 3, 4, 5, 6, 7];

/// `cudaLaunchAttributeCooperative`.
const COOPERATIVE: u32 = 2;

/// The values of [`LIMITS`], which all devices of the driver share.
fn limits() -> Answer<[u32; 7]> {
    static FOUND: OnceLock<Answer<[u32; 7]>> = OnceLock::new();
    let find = || {
        let mut values = [0; 7];
        for (value, which) in values.iter_mut().zip(LIMITS) {
            let mut found = 0;
            cuDeviceGetAttribute(Out::to(&mut found), which, 0)?;
            *value = found.unsigned_abs();
        }
        Ok(values)
    };
    FOUND.get_or_init(find).clone()
}

/// Fails unless grids and blocks have sides that the device can have.
fn check(grid: Dim3, block: Dim3) -> Answer {
    let [threads, most @ ..] = limits()?;
    let sides = [block.x, block.y, block.z, grid.x, grid.y, grid.z];
    let all: u64 = sides[..3].iter().map(|&side| u64::from(side)).product();
    let fits = sides.iter().zip(most).all(|(&side, most)| (1..=most).contains(&side));
    if fits && all <= threads.into() {
        return Ok(());
    }
    Err(Failure::because(
        Error::INVALID_CONFIGURATION,
        format!("a grid of {:?} blocks of {:?} threads", &sides[3..], &sides[..3]),
    ))
}

/// The driver's form of the configuration of a launch.
pub fn config(given: &RuntimeLaunchConfig, null: NullStream) -> Answer<LaunchConfig> {
    let shared = u32::try_from(given.shared).map_err(|_| Failure::value("bytes of dynamic shared memory"))?;
    Ok(LaunchConfig {
        grid: given.grid,
        block: given.block,
        shared,
        stream: null.stream(given.stream),
        attributes: given.attributes,
        attribute_count: given.attribute_count,
    })
}

fn launch(null: NullStream, address: u64, given: &RuntimeLaunchConfig, arguments: In<u64>) -> Answer {
    let kernel = registry::kernel(address)?;
    check(given.grid, given.block)?;
    cuLaunchKernelEx(In::from(&config(given, null)?), kernel, arguments, In::null())
}

fn plain(grid: Dim3, block: Dim3, shared: usize, stream: Handle) -> RuntimeLaunchConfig {
    RuntimeLaunchConfig { grid, block, shared, stream, attributes: 0, attribute_count: 0 }
}

stream_entries! {
    fn cudaLaunchKernel / cudaLaunchKernel_ptsz |null| (
        address: u64, grid: Dim3, block: Dim3, arguments: In<u64>, shared: usize, stream: Handle,
    ) {
        launch(null, address, &plain(grid, block, shared, stream), arguments)
    }

    fn __cudaLaunchKernel / __cudaLaunchKernel_ptsz |null| (
        kernel: u64, grid: Dim3, block: Dim3, arguments: In<u64>, shared: usize, stream: Handle,
    ) {
        launch(null, kernel, &plain(grid, block, shared, stream), arguments)
    }

    fn cudaLaunchCooperativeKernel / cudaLaunchCooperativeKernel_ptsz |null| (
        address: u64, grid: Dim3, block: Dim3, arguments: In<u64>, shared: usize, stream: Handle,
    ) {
        let mut attribute = LaunchAttribute { id: COOPERATIVE, ..LaunchAttribute::default() };
        attribute.value[0] = 1;
        let mut given = plain(grid, block, shared, stream);
        given.attributes = In::from(&attribute).address();
        given.attribute_count = 1;
        launch(null, address, &given, arguments)
    }

    fn cudaLaunchKernelExC / cudaLaunchKernelExC_ptsz |null| (given: In<RuntimeLaunchConfig>, address: u64, arguments: In<u64>) {
        launch(null, address, &given.get()?, arguments)
    }

    fn cudaLaunchHostFunc / cudaLaunchHostFunc_ptsz |null| (stream: Handle, function: u64, data: u64) {
        cuLaunchHostFunc(null.stream(stream), function, data)
    }

    fn cudaLaunchHostFunc_v2 / cudaLaunchHostFunc_v2_ptsz |null| (stream: Handle, function: u64, data: u64, mode: u32) {
        cuLaunchHostFunc_v2(null.stream(stream), function, data, mode)
    }

    // Results of the driver, which the function is given, have the numbers of the runtime's.
    fn cudaStreamAddCallback / cudaStreamAddCallback_ptsz |null| (stream: Handle, callback: u64, data: u64, flags: u32) {
        cuStreamAddCallback(null.stream(stream), callback, data, flags)
    }
}
