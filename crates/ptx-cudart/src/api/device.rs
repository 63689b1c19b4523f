//! Devices and versions.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::driver;
use crate::error::{self, Answer, Error, Failure};
use crate::functions::{
    cuCtxDisablePeerAccess, cuCtxEnablePeerAccess, cuCtxGetCacheConfig, cuCtxGetFlags, cuCtxGetLimit,
    cuCtxGetSharedMemConfig, cuCtxResetPersistingL2Cache, cuCtxSetCacheConfig, cuCtxSetLimit,
    cuCtxSetSharedMemConfig, cuDeviceCanAccessPeer, cuDeviceGetAttribute, cuDeviceGetByPCIBusId,
    cuDeviceGetCount, cuDeviceGetHostAtomicCapabilities, cuDeviceGetP2PAttribute, cuDeviceGetPCIBusId,
    cuDeviceGetTexture1DLinearMaxWidth, cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxSetFlags_v2,
    cuDriverGetVersion, cuFlushGPUDirectRDMAWrites, cuProfilerStart, cuProfilerStop,
};
use crate::pointer::{In, Out, Text};
use crate::types::ChannelFormat;
use crate::{channel, entries, registry, unchecked_entries};

/// `cudaDeviceMapHost`, which always holds.
const MAPS_HOST: c_uint = 8;

/// The flags that devices can have.
const FLAGS: c_uint = 0xff;

fn set_flags(device: c_int, flags: c_uint) -> Answer {
    context::require_device(device)?;
    if flags & !FLAGS != 0 {
        return Err(Failure::value(format!("flags {flags:#x} of a device")));
    }
    cuDevicePrimaryCtxSetFlags_v2(device, flags)
}

fn reset() -> Answer {
    context::reset()?;
    error::forget();
    registry::place_managed()
}

/// The devices that a thread may use, of which the first is used unless it chooses one.
fn set_valid_devices(devices: In<c_int>, count: c_int) -> Answer {
    let count = usize::try_from(count).map_err(|_| Failure::value("a number of devices"))?;
    let devices = devices.list(count)?;
    devices.iter().try_for_each(|&device| context::require_device(device))?;
    devices.first().map_or(Ok(()), |&device| context::prefer_device(device))
}

unchecked_entries! {
    fn cudaDriverGetVersion(version: Out<c_int>) {
        version.require()?;
        // A driver that is missing has version 0.
        cuDriverGetVersion(version).or_else(|failure| match failure.error {
            Error::INSUFFICIENT_DRIVER => version.set(0),
            _ => Err(failure),
        })
    }

    fn cudaGetDeviceCount(count: Out<c_int>) {
        count.require()?;
        count.set(0)?;
        driver::initialize()?;
        cuDeviceGetCount(count)?;
        if count.get()? == 0 { Err(Error::NO_DEVICE.into()) } else { Ok(()) }
    }

    fn cudaGetDevice(device: Out<c_int>) {
        device.require()?;
        device.set(context::device()?)
    }

    fn cudaSetDevice(device: c_int) {
        context::set_device(device)
    }

    fn cudaInitDevice(device: c_int, device_flags: c_uint, flags: c_uint) {
        // 1 is that the flags of the device are given.
        if flags & !1 != 0 {
            return Err(Failure::value(format!("flags {flags:#x}")));
        }
        context::require_device(device)?;
        if flags & 1 != 0 {
            set_flags(device, device_flags)?;
        }
        context::primary(device).map(drop)
    }

    fn cudaSetValidDevices(devices: In<c_int>, count: c_int) {
        set_valid_devices(devices, count)
    }

    // All devices are of one kind.
    fn cudaChooseDevice(device: Out<c_int>, properties: In<u8>) {
        driver::initialize()?;
        properties.get()?;
        context::require_device(0)?;
        device.set(0)
    }

    fn cudaSetDeviceFlags(flags: c_uint) {
        set_flags(context::device()?, flags)
    }

    fn cudaGetDeviceFlags(flags: Out<c_uint>) {
        flags.require()?;
        let device = context::device()?;
        let mut found = 0;
        if context::is_active(device)? {
            context::enter()?;
            cuCtxGetFlags(Out::to(&mut found))?;
        } else {
            context::require_device(device)?;
            cuDevicePrimaryCtxGetState(device, Out::to(&mut found), Out::to(&mut 0))?;
        }
        flags.set(found | MAPS_HOST)
    }

    fn cudaDeviceReset() {
        reset()
    }

    // Of CUDA 12 and before.
    fn cudaThreadExit() {
        reset()
    }

    fn cudaDeviceGetAttribute(value: Out<c_int>, which: c_int, device: c_int) {
        driver::initialize()?;
        cuDeviceGetAttribute(value, which, device)
    }

    fn cudaDeviceGetPCIBusId(to: Out<u8>, room: c_int, device: c_int) {
        driver::initialize()?;
        cuDeviceGetPCIBusId(to, room, device)
    }

    fn cudaDeviceGetByPCIBusId(device: Out<c_int>, id: Text) {
        driver::initialize()?;
        cuDeviceGetByPCIBusId(device, id)
    }

    fn cudaDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) {
        driver::initialize()?;
        cuDeviceCanAccessPeer(can, device, peer)
    }

    fn cudaDeviceGetP2PAttribute(value: Out<c_int>, which: c_int, device: c_int, peer: c_int) {
        driver::initialize()?;
        cuDeviceGetP2PAttribute(value, which, device, peer)
    }

    fn cudaDeviceGetHostAtomicCapabilities(to: Out<c_uint>, operations: In<c_uint>, count: c_uint, device: c_int) {
        driver::initialize()?;
        cuDeviceGetHostAtomicCapabilities(to, operations, count, device)
    }

    fn cudaDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, format: In<ChannelFormat>, device: c_int) {
        driver::initialize()?;
        let (format, channels) = channel::format(&format.get()?)?;
        cuDeviceGetTexture1DLinearMaxWidth(width, format, channels, device)
    }

    // Accesses to numbers of double precision were once replaced: this does nothing since CUDA 8.
    fn cudaSetDoubleForDevice(_value: Out<f64>) {
        Ok(())
    }

    fn cudaSetDoubleForHost(_value: Out<f64>) {
        Ok(())
    }
}

entries! {
    fn cudaDeviceGetLimit(value: Out<usize>, limit: c_uint) {
        cuCtxGetLimit(value, limit)
    }

    fn cudaDeviceSetLimit(limit: c_uint, value: usize) {
        cuCtxSetLimit(limit, value)
    }

    fn cudaDeviceGetCacheConfig(config: Out<c_uint>) {
        cuCtxGetCacheConfig(config)
    }

    fn cudaDeviceSetCacheConfig(config: c_uint) {
        cuCtxSetCacheConfig(config)
    }

    fn cudaDeviceGetSharedMemConfig(config: Out<c_uint>) {
        cuCtxGetSharedMemConfig(config)
    }

    fn cudaDeviceSetSharedMemConfig(config: c_uint) {
        cuCtxSetSharedMemConfig(config)
    }

    // Of CUDA 12 and before.
    fn cudaThreadGetLimit(value: Out<usize>, limit: c_uint) {
        cuCtxGetLimit(value, limit)
    }

    fn cudaThreadSetLimit(limit: c_uint, value: usize) {
        cuCtxSetLimit(limit, value)
    }

    fn cudaThreadGetCacheConfig(config: Out<c_uint>) {
        cuCtxGetCacheConfig(config)
    }

    fn cudaThreadSetCacheConfig(config: c_uint) {
        cuCtxSetCacheConfig(config)
    }

    fn cudaCtxResetPersistingL2Cache() {
        cuCtxResetPersistingL2Cache()
    }

    fn cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) {
        cuCtxEnablePeerAccess(context::primary(peer)?, flags)
    }

    fn cudaDeviceDisablePeerAccess(peer: c_int) {
        cuCtxDisablePeerAccess(context::primary(peer)?)
    }

    fn cudaDeviceFlushGPUDirectRDMAWrites(target: c_uint, scope: c_uint) {
        cuFlushGPUDirectRDMAWrites(target, scope)
    }

    fn cudaProfilerStart() {
        cuProfilerStart()
    }

    fn cudaProfilerStop() {
        cuProfilerStop()
    }
}
