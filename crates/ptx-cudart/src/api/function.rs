//! Attributes of kernels.

use std::ffi::{c_int, c_uint};

use crate::entries;
use crate::error::Answer;
use crate::functions::{
    cuFuncGetAttribute, cuFuncGetName, cuFuncGetParamCount, cuFuncGetParamInfo, cuFuncSetAttribute,
    cuFuncSetCacheConfig, cuFuncSetSharedMemConfig, cuKernelSetAttribute,
};
use crate::pointer::{Out, Text};
use crate::registry::function;
use crate::types::{FunctionAttributes, Handle};

fn attributes(function: Handle) -> Answer<FunctionAttributes> {
    let of = |which| -> Answer<c_int> {
        let mut value = 0;
        cuFuncGetAttribute(Out::to(&mut value), which, function)?;
        Ok(value)
    };
    let bytes = |which| of(which).map(|value| value.unsigned_abs() as usize);
    Ok(FunctionAttributes {
        threads: of(0)?,
        shared: bytes(1)?,
        constant: bytes(2)?,
        local: bytes(3)?,
        registers: of(4)?,
        ptx: of(5)?,
        binary: of(6)?,
        caches_all: of(7)?,
        dynamic_shared: of(8)?,
        carveout: of(9)?,
        needs_cluster: of(10)?,
        cluster: [of(11)?, of(12)?, of(13)?],
        non_portable_cluster: of(14)?,
        cluster_policy: of(15)?,
        ..FunctionAttributes::default()
    })
}

entries! {
    fn cudaFuncGetAttributes(to: Out<FunctionAttributes>, address: u64) {
        to.require()?;
        to.set(attributes(function(address)?)?)
    }

    fn cudaFuncSetAttribute(address: u64, which: c_uint, value: c_int) {
        cuFuncSetAttribute(function(address)?, which, value)
    }

    fn cudaFuncSetCacheConfig(address: u64, config: c_uint) {
        cuFuncSetCacheConfig(function(address)?, config)
    }

    fn cudaFuncSetSharedMemConfig(address: u64, config: c_uint) {
        cuFuncSetSharedMemConfig(function(address)?, config)
    }

    fn cudaFuncGetName(name: Out<Text>, address: u64) {
        cuFuncGetName(name, function(address)?)
    }

    fn cudaFuncGetParamCount(address: u64, count: Out<usize>) {
        cuFuncGetParamCount(function(address)?, count)
    }

    fn cudaFuncGetParamInfo(address: u64, index: usize, offset: Out<usize>, bytes: Out<usize>) {
        cuFuncGetParamInfo(function(address)?, index, offset, bytes)
    }

    fn cudaKernelSetAttributeForDevice(kernel: Handle, which: c_uint, value: c_int, device: c_int) {
        cuKernelSetAttribute(which, value, kernel, device)
    }
}
