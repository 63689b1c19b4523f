//! Occupancy: how many blocks a multiprocessor has at a time, by the limits of the CUDA C++ Programming Guide.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::device::{MULTIPROCESSORS, REGISTERS, SHARED_RESERVED};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::function::{self, Function};
use crate::handle::Handle;
use crate::pointer::{In, Out};
use crate::types::LaunchConfig;

/// Registers are given to warps in units of this many.
const REGISTER_UNIT: u32 = 256;

/// Blocks of so many threads and bytes of dynamic shared memory that a multiprocessor has at a time.
pub fn blocks(function: &Function, threads: u32, dynamic_shared: u32) -> u32 {
    let fixed = crate::attributes::of(&function.kernel);
    let model = function.gpu.model;
    if threads == 0 || threads > fixed.max_threads {
        return 0;
    }
    let shared = function.shared_of_block(dynamic_shared);
    if shared > model.shared_optin + SHARED_RESERVED {
        return 0;
    }
    let warps = threads.div_ceil(32);
    let of_warp = (fixed.registers * 32).next_multiple_of(REGISTER_UNIT).max(REGISTER_UNIT);
    let by_registers = REGISTERS / of_warp / warps;
    let by_threads = model.threads_per_multiprocessor / (warps * 32);
    let by_shared = model.shared_per_multiprocessor / shared.max(1);
    model.blocks_per_multiprocessor.min(by_registers).min(by_threads).min(by_shared)
}

fn active(
    to: Out<c_int>,
    function: Handle<Function>,
    threads: c_int,
    shared: usize,
    flags: c_uint,
) -> Answer {
    to.require()?;
    let function = function::named(function, context::current()?.gpu)?;
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
    let function = function::named(function, context::current()?.gpu)?;
    let most = crate::attributes::of(&function.kernel).max_threads;
    let most = if limit > 0 { most.min(limit as u32) } else { most };
    let (mut found, mut found_blocks, mut found_threads) = (0, 0, 0);
    for threads in (1..=most.div_ceil(32)).rev().map(|warps| (warps * 32).min(most)) {
        let bytes = shared_of.map_or(shared, |shared_of| shared_of(threads as c_int));
        let blocks = u32::try_from(bytes).map_or(0, |bytes| blocks(&function, threads, bytes));
        if blocks * threads > found {
            (found, found_blocks, found_threads) = (blocks * threads, blocks, threads);
        }
    }
    least_grid.set((found_blocks * MULTIPROCESSORS) as c_int)?;
    best_block.set(found_threads as c_int)
}

/// Blocks of a cluster that a configuration names.
fn cluster(config: &LaunchConfig, function: &Function) -> Answer<u32> {
    let mut blocks = function.settings().cluster.iter().map(|&blocks| blocks.max(1)).product();
    for attribute in In::<crate::types::LaunchAttribute>::from_address(config.attributes)
        .list(config.attribute_count as usize)?
    {
        if attribute.id == 4 {
            let [x, y, z] =
                [attribute.value[0] as u32, (attribute.value[0] >> 32) as u32, attribute.value[1] as u32];
            blocks = x.max(1).saturating_mul(y.max(1)).saturating_mul(z.max(1));
        }
    }
    Ok(blocks)
}

fn threads(config: &LaunchConfig) -> u32 {
    config.block.iter().fold(1, |all: u32, &one| all.saturating_mul(one))
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
        let function = function::named(function, context::current()?.gpu)?;
        let count = u32::try_from(blocks).ok().filter(|&blocks| blocks > 0).ok_or(CUresult::INVALID_VALUE)?;
        let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(CUresult::INVALID_VALUE)?;
        if self::blocks(&function, threads, 0) < count {
            return Err(Failure::value("so many blocks do not fit"));
        }
        let share = (function.gpu.model.shared_per_multiprocessor / count).min(function.gpu.model.shared_optin + SHARED_RESERVED);
        bytes.set(share.saturating_sub(function.shared_of_block(0)) as usize)
    }

    fn cuOccupancyMaxPotentialClusterSize(size: Out<c_int>, function: Handle<Function>, config: In<LaunchConfig>) {
        size.require()?;
        let function = function::named(function, context::current()?.gpu)?;
        let config = config.get()?;
        if function.gpu.model.major < 9 {
            return Err(CUresult::NOT_SUPPORTED.into());
        }
        if blocks(&function, threads(&config), config.shared) == 0 {
            return Err(Failure::value("a block does not fit"));
        }
        size.set(if function.settings().non_portable_cluster { 16 } else { 8 })
    }

    fn cuOccupancyMaxActiveClusters(count: Out<c_int>, function: Handle<Function>, config: In<LaunchConfig>) {
        count.require()?;
        let function = function::named(function, context::current()?.gpu)?;
        let config = config.get()?;
        let size = cluster(&config, &function)?;
        let most = if function.settings().non_portable_cluster { 16 } else { 8 };
        if size > most {
            return Err(CUresult::INVALID_CLUSTER_SIZE.into());
        }
        count.set((blocks(&function, threads(&config), config.shared) * MULTIPROCESSORS / size) as c_int)
    }
}
