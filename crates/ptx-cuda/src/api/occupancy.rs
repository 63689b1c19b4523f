//! Occupancy: how many blocks are resident on a multiprocessor, by the limits of the CUDA C++ Programming Guide.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::device::MULTIPROCESSORS;
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::function::Function;
use crate::handle::Handle;
use crate::library;
use crate::occupancy::{blocks, threads};
use crate::pointer::{In, Out};
use crate::types::LaunchConfig;

fn active(
    to: Out<c_int>,
    function: Handle<Function>,
    threads: c_int,
    shared: usize,
    flags: c_uint,
) -> Answer {
    to.require()?;
    let function = library::named(function, context::current()?.gpu)?;
    let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0);
    if flags & !1 != 0 {
        return Err(Failure::value("flags of occupancy"));
    }
    let shared = u32::try_from(shared).map_err(|_| CUresult::INVALID_VALUE)?;
    to.set(blocks(&function, threads.ok_or(CUresult::INVALID_VALUE)?, shared) as c_int)
}

type SharedOfBlock = extern "C" fn(c_int) -> usize;

/// The size of a block with the most threads on a multiprocessor.
fn best(
    (least_grid, best_block): (Out<c_int>, Out<c_int>),
    function: Handle<Function>,
    shared_of: Option<SharedOfBlock>,
    shared: usize,
    limit: c_int,
) -> Answer {
    least_grid.require()?;
    best_block.require()?;
    let function = library::named(function, context::current()?.gpu)?;
    let most = u32::try_from(limit).map_err(|_| Failure::value("the limit of threads is negative"))?;
    // Blocks that need more shared memory than 32 bits count do not fit.
    let bytes = |threads: u32| {
        let bytes = shared_of.map_or(shared, |shared_of| shared_of(threads as c_int));
        bytes.min(u32::MAX as usize) as u32
    };
    let (threads, blocks) = function.gpu.model.limits().best_block(function.kernel.attributes(), bytes, most);
    least_grid.set((blocks * MULTIPROCESSORS) as c_int)?;
    best_block.set(threads as c_int)
}

/// Blocks of a cluster that a configuration names.
fn cluster(config: &LaunchConfig, function: &Function) -> Answer<u32> {
    let mut blocks = function.settings().cluster.iter().map(|&blocks| blocks.max(1)).product();
    for attribute in
        In::<crate::types::LaunchAttribute>::at(config.attributes).list(config.attribute_count as usize)?
    {
        if attribute.id == 4 {
            let [x, y, z] =
                [attribute.value[0] as u32, (attribute.value[0] >> 32) as u32, attribute.value[1] as u32];
            blocks = x.max(1).saturating_mul(y.max(1)).saturating_mul(z.max(1));
        }
    }
    Ok(blocks)
}

entries! {
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(to: Out<c_int>, function: Handle<Function>, threads: c_int, shared: usize) {
        active(to, function, threads, shared, 0)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, function: Handle<Function>, threads: c_int, shared: usize, flags: c_uint) {
        active(to, function, threads, shared, flags)
    }

    fn cuOccupancyMaxPotentialBlockSize(grid: Out<c_int>, block: Out<c_int>, function: Handle<Function>, shared_of: Option<SharedOfBlock>, shared: usize, limit: c_int) {
        best((grid, block), function, shared_of, shared, limit)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<c_int>, block: Out<c_int>, function: Handle<Function>, shared_of: Option<SharedOfBlock>, shared: usize, limit: c_int, flags: c_uint) {
        if flags & !1 != 0 {
            return Err(Failure::value("flags of occupancy"));
        }
        best((grid, block), function, shared_of, shared, limit)
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, function: Handle<Function>, blocks: c_int, threads: c_int) {
        bytes.require()?;
        let function = library::named(function, context::current()?.gpu)?;
        let count = u32::try_from(blocks).ok().filter(|&blocks| blocks > 0).ok_or(CUresult::INVALID_VALUE)?;
        let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(CUresult::INVALID_VALUE)?;
        if self::blocks(&function, threads, 0) < count {
            return Err(Failure::value("so many blocks do not fit"));
        }
        let limits = function.gpu.model.limits();
        let share = limits.shared_bytes / count / limits.shared_unit * limits.shared_unit;
        let of_block = share.saturating_sub(limits.reserved_shared_bytes).min(limits.block_shared_bytes);
        bytes.set(u64::from(of_block).saturating_sub(function.kernel.attributes().static_shared_bytes) as usize)
    }

    fn cuOccupancyMaxPotentialClusterSize(size: Out<c_int>, function: Handle<Function>, config: In<LaunchConfig>) {
        size.require()?;
        let function = library::named(function, context::current()?.gpu)?;
        let config = config.get()?;
        if function.gpu.model.architecture.number < 90 {
            return Err(CUresult::NOT_SUPPORTED.into());
        }
        if blocks(&function, threads(&config), config.shared) == 0 {
            return Err(Failure::value("a block does not fit"));
        }
        size.set(if function.settings().non_portable_cluster { 16 } else { 8 })
    }

    fn cuOccupancyMaxActiveClusters(count: Out<c_int>, function: Handle<Function>, config: In<LaunchConfig>) {
        count.require()?;
        let function = library::named(function, context::current()?.gpu)?;
        let config = config.get()?;
        let size = cluster(&config, &function)?;
        let most = if function.settings().non_portable_cluster { 16 } else { 8 };
        if size > most {
            return Err(CUresult::INVALID_CLUSTER_SIZE.into());
        }
        count.set((blocks(&function, threads(&config), config.shared) * MULTIPROCESSORS / size) as c_int)
    }
}
