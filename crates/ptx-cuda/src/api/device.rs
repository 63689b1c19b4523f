//! Devices: their number and attributes.

use std::ffi::{c_char, c_int, c_uint};

use ptx_device::USUAL_SHARED_BYTES;

use crate::device::{LARGEST_PITCH, MULTIPROCESSORS};
use crate::driver::{Driver, Gpu};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::pointer::{In, Out, Text, write_text};
use crate::types::CUdevprop;

/// The value of an attribute of a device, `CUdevice_attribute`.
fn attribute(gpu: &Gpu, attribute: c_int) -> Answer<u32> {
    let model = gpu.model;
    let (limits, (major, minor)) = (model.limits(), model.capability());
    let since = |first: u32| u32::from(major >= first);
    let properties = gpu.device.properties();
    Ok(match attribute {
        1 => properties.threads_per_block,
        2..=4 => properties.block[attribute as usize - 2],
        5..=7 => properties.grid[attribute as usize - 5],
        8 => USUAL_SHARED_BYTES,
        9 => 65_536,
        10 => properties.warp_size,
        11 => LARGEST_PITCH,
        12 => limits.block_registers,
        82 => limits.registers,
        13 => 1_500_000,
        14 | 30 => 512,
        51 => 32,
        16 => MULTIPROCESSORS,
        // Copies overlap with kernels; host memory can be mapped; there is one address space.
        15 | 19 | 31 | 41 | 44 => 1,
        // No time limit, not integrated, compute mode "default", no ECC, no TCC, no group of boards.
        17 | 18 | 20 | 32 | 33 | 35 | 50 | 84 | 85 => 0,
        34 => gpu.ordinal as u32,
        // Textures: the guide's "Technical Specifications per Compute Capability".
        21..=23 | 27 | 28 | 42 | 45 | 46 | 52..=53 | 55 | 66 | 67 | 69..=71 | 73 | 74 | 77 => match attribute
        {
            21 | 22 => 131_072,
            23 => 65_536,
            69 => 1 << 28,
            70 => 131_072,
            71 => 65_000,
            _ => 32_768,
        },
        24..=26 | 47..=49 | 58..=60 => 16_384,
        29 | 43 | 62 | 65 => 2048,
        54 | 68 => 2046,
        56 | 57 | 61 | 63 | 64 => 32_768,
        72 => 2_097_120,
        36 => 2_619_000,
        37 => 5120,
        38 => model.l2_bytes,
        39 => limits.threads(),
        40 => 2,
        75 => major,
        76 => minor,
        // Priorities of streams, caches, managed memory that both sides access at once.
        78..=80 | 83 | 89 => 1,
        81 => limits.shared_bytes,
        86 => 1,
        87 => 2,
        // Memory of the host must be registered: an access to other memory is reported.
        88 | 100 => 0,
        90 => 1,
        91 => 1,
        // The first version of the operations on memory is not in this driver, the second is.
        92..=94 => 0,
        95 => 1,
        96 => 0,
        97 | 150 => limits.block_shared_bytes,
        98 => 0,
        99 => 1,
        101 => 1,
        102 | 103 => 1,
        104 | 105 => 0,
        106 => limits.blocks,
        107 => 0,
        108 | 109 => 0,
        110 => 0,
        111 => limits.reserved_shared_bytes,
        112 => 0,
        113 => 1,
        114 => 0,
        115 => 1,
        116..=119 => 0,
        120 => since(9),
        121 => 0,
        122 | 123 => 1,
        124 | 125 => 0,
        126 => 1,
        127 => since(9),
        128 => 0,
        129 => 0,
        130 => 0,
        131 | 134 => u32::MAX,
        132 | 133 => 0,
        135..=138 => 0,
        139 | 140 => 0,
        141..=148 => 0,
        149 => 1,
        151..=156 | 158..=161 => 0,
        157 => MULTIPROCESSORS,
        _ => return Err(Failure::value(format!("there is no attribute {attribute} of devices"))),
    })
}

/// The name of a device.
fn name(gpu: &Gpu) -> String {
    format!("PTX on the host CPU ({})", gpu.model.name)
}

/// Bytes that differ for each device, and are the same in each process with the same settings.
fn uuid(gpu: &Gpu) -> [u8; 16] {
    let mut id = *b"ptx-cuda\0\0\0\0\0\0\0\0";
    id[10..12].copy_from_slice(&gpu.model.architecture.number.to_be_bytes());
    id[12..].copy_from_slice(&gpu.ordinal.to_be_bytes());
    id
}

fn bus_id(gpu: &Gpu) -> String {
    format!("0000:00:{:02X}.0", gpu.ordinal)
}

entries! {
    fn cuDeviceGet(device: Out<c_int>, ordinal: c_int) {
        device.require()?;
        device.set(Driver::gpu(ordinal)?.ordinal)
    }

    fn cuDeviceGetCount(count: Out<c_int>) {
        count.set(Driver::get()?.gpus.len() as c_int)
    }

    fn cuDeviceGetName(to: Out<u8>, room: c_int, device: c_int) {
        let gpu = Driver::gpu(device)?;
        let room = usize::try_from(room).ok().filter(|&room| room > 0);
        write_text(to, room.ok_or(CUresult::INVALID_VALUE)?, name(gpu).as_bytes()).map(drop)
    }

    fn cuDeviceGetUuid(id: Out<[u8; 16]>, device: c_int) {
        id.set(uuid(Driver::gpu(device)?))
    }

    fn cuDeviceGetUuid_v2(id: Out<[u8; 16]>, device: c_int) {
        id.set(uuid(Driver::gpu(device)?))
    }

    fn cuDeviceGetAttribute(value: Out<c_int>, which: c_int, device: c_int) {
        value.require()?;
        value.set(attribute(Driver::gpu(device)?, which)? as c_int)
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int) {
        bytes.set(Driver::gpu(device)?.memory_bytes as usize)
    }

    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) {
        let capability = Driver::gpu(device)?.model.capability();
        minor.require()?;
        major.set(capability.0 as c_int)?;
        minor.set(capability.1 as c_int)
    }

    fn cuDeviceGetProperties(to: Out<CUdevprop>, device: c_int) {
        let gpu = Driver::gpu(device)?;
        let properties = gpu.device.properties();
        to.set(CUdevprop {
            max_threads_per_block: properties.threads_per_block as c_int,
            max_threads_dim: properties.block.map(|extent| extent as c_int),
            max_grid_size: properties.grid.map(|extent| extent as c_int),
            shared_mem_per_block: USUAL_SHARED_BYTES as c_int,
            total_constant_memory: 65_536,
            simd_width: 32,
            mem_pitch: LARGEST_PITCH as c_int,
            regs_per_block: gpu.model.limits().block_registers as c_int,
            clock_rate: 1_500_000,
            texture_align: 512,
        })
    }

    fn cuDeviceGetPCIBusId(to: Out<u8>, room: c_int, device: c_int) {
        let id = bus_id(Driver::gpu(device)?);
        let room = usize::try_from(room).ok().filter(|&room| room > id.len());
        write_text(to, room.ok_or(CUresult::INVALID_VALUE)?, id.as_bytes()).map(drop)
    }

    fn cuDeviceGetByPCIBusId(device: Out<c_int>, id: Text) {
        let id = id.name()?;
        let found = Driver::get()?.gpus.iter().find(|gpu| bus_id(gpu).eq_ignore_ascii_case(id));
        device.set(found.ok_or(CUresult::INVALID_DEVICE)?.ordinal)
    }

    fn cuDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, format: c_uint, channels: c_uint, device: c_int) {
        Driver::gpu(device)?;
        crate::array::channel_format(format)?;
        if !matches!(channels, 1 | 2 | 4) {
            return Err(Failure::value("a texel has 1, 2 or 4 channels"));
        }
        width.set(1 << 28)
    }

    fn cuDeviceGetExecAffinitySupport(is_supported: Out<c_int>, _kind: c_uint, device: c_int) {
        Driver::gpu(device)?;
        is_supported.set(0)
    }

    // The devices are not connected: copies between them go through the host, as the real driver does in this case.
    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) {
        Driver::gpu(device)?;
        Driver::gpu(peer)?;
        can.set(0)
    }

    fn cuDeviceGetP2PAttribute(value: Out<c_int>, which: c_int, device: c_int, peer: c_int) {
        if Driver::gpu(device)?.ordinal == Driver::gpu(peer)?.ordinal {
            return Err(CUresult::INVALID_DEVICE.into());
        }
        if !(1..=5).contains(&which) {
            return Err(Failure::value("no attribute of a pair of devices"));
        }
        value.set(0)
    }

    fn cuCtxEnablePeerAccess(peer: crate::handle::Handle<crate::context::Context>, flags: c_uint) {
        let own = crate::context::current()?;
        if flags != 0 {
            return Err(Failure::value("flags of peer access"));
        }
        let peer = peer.get()?;
        let result = if peer.gpu.ordinal == own.gpu.ordinal { CUresult::INVALID_CONTEXT } else { CUresult::PEER_ACCESS_UNSUPPORTED };
        Err(result.into())
    }

    fn cuCtxDisablePeerAccess(peer: crate::handle::Handle<crate::context::Context>) {
        crate::context::current()?;
        peer.get()?;
        Err(CUresult::PEER_ACCESS_NOT_ENABLED.into())
    }

    // There is no profiler to control.
    fn cuProfilerStart() {
        Ok(())
    }

    fn cuProfilerStop() {
        Ok(())
    }

    fn cuProfilerInitialize(_configuration: Text, _output: Text, _mode: c_uint) {
        Err(CUresult::NOT_SUPPORTED.into())
    }

    fn cuFlushGPUDirectRDMAWrites(_target: c_uint, _scope: c_uint) {
        Err(CUresult::NOT_SUPPORTED.into())
    }

    fn cuDeviceGetLuid(_id: Out<c_char>, _mask: Out<c_uint>, device: c_int) {
        // Only Windows has these.
        Driver::gpu(device)?;
        Err(CUresult::NOT_SUPPORTED.into())
    }

    fn cuDeviceGetHostAtomicCapabilities(capabilities: Out<c_uint>, operations: In<c_uint>, count: c_uint, device: c_int) {
        Driver::gpu(device)?;
        let operations = operations.list(count as usize)?;
        // Every operation on 32 and 64 bits, signed and unsigned, is atomic for both sides: bits 0 to 3 of `CUatomicOperationCapability`.
        capabilities.set_all(operations.iter().map(|_| 0xf))
    }
}
