//! Launches of kernels.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use ptx_device::Shape;

use crate::context;
use crate::entry::{NullStream, entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::event::Event;
use crate::function::Function;
use crate::handle::Handle;
use crate::launch::{Arguments, Launch, shape};
use crate::memory;
use crate::operation::{Condition, Operation, WordOperation};
use crate::pointer::In;
use crate::stream::Stream;
use crate::types::{LaunchAttribute, LaunchConfig, MemoryOperation};

fn launch(stream: &Arc<Stream>, function: Handle<Function>, shape: Shape, arguments: Arguments) -> Answer {
    if let Some(error) = stream.gpu().device.stopped() {
        return Err(stream.gpu().failure(error));
    }
    let launch = Launch::new(function, stream.gpu(), shape, arguments, false)?;
    stream.submit(Operation::Launch(Arc::new(launch)))
}

/// The events that attributes name: they are recorded when the kernel has ended, which is later than they have to be.
fn attributes(shape: &mut Shape, list: &[LaunchAttribute]) -> Answer<Vec<Handle<Event>>> {
    let mut events = Vec::new();
    for LaunchAttribute { id, value, .. } in list {
        let word = |index: usize| (value[index / 2] >> (32 * (index % 2))) as u32;
        match id {
            // Cooperative.
            2 => shape.cooperative = word(0) != 0,
            // The size of clusters.
            4 => {
                let cluster = [word(0), word(1), word(2)];
                shape.cluster = cluster.iter().any(|&blocks| blocks != 0).then_some(cluster);
            }
            // Events: programmatic, and of the end of the launch.
            7 | 12 => events.push(Handle::from_bits(value[0] as usize)),
            13 if word(0) != 0 => {
                return Err(Failure::because(CUresult::NOT_SUPPORTED, "nodes that kernels update"));
            }
            // Ignored: caches, the way of waiting, scheduling of clusters, overlap with the kernel before (which has ended here), priority,
            // memory domains, preferred clusters, and the division of shared memory, none of which has an effect on a CPU.
            0 | 1 | 3 | 5 | 6 | 8..=11 | 13 | 14 | 16..=18 => {}
            _ => return Err(Failure::value(format!("there is no attribute {id} of launches"))),
        }
    }
    Ok(events)
}

fn launch_ex(
    config: In<LaunchConfig>,
    null: NullStream,
    function: Handle<Function>,
    arguments: Arguments,
) -> Answer {
    let config = config.get()?;
    let stream = context::stream(config.stream.cast(), null)?;
    let mut shape = shape(config.grid, config.block, config.shared);
    let list = In::at(config.attributes).list(config.attribute_count as usize)?;
    let events = attributes(&mut shape, &list)?;
    let events: Answer<Vec<_>> = events.into_iter().map(|event| Ok(event.get()?.inner.clone())).collect();
    let events = events?;
    launch(&stream, function, shape, arguments)?;
    events.into_iter().try_for_each(|event| stream.submit(Operation::Record(event)))
}

stream_entries! {
    fn cuLaunchKernel / cuLaunchKernel_ptsz |null| (
        function: Handle<Function>, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: Handle<Stream>, each: In<u64>, extra: In<u64>,
    ) {
        let shape = shape([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared);
        launch(&context::stream(stream, null)?, function, shape, Arguments { each, extra })
    }

    fn cuLaunchKernelEx / cuLaunchKernelEx_ptsz |null| (config: In<LaunchConfig>, function: Handle<Function>, each: In<u64>, extra: In<u64>) {
        launch_ex(config, null, function, Arguments { each, extra })
    }

    fn cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz |null| (
        function: Handle<Function>, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: Handle<Stream>, each: In<u64>,
    ) {
        let mut shape = shape([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared);
        shape.cooperative = true;
        launch(&context::stream(stream, null)?, function, shape, Arguments { each, extra: In::at(0) })
    }
}

entries! {
    // Removed with devices of compute capability 1.
    fn cuLaunchCooperativeKernelMultiDevice(_launches: In<u64>, _count: c_uint, _flags: c_uint) {
        Err(CUresult::NOT_SUPPORTED.into())
    }

    fn cuFuncSetSharedSize(function: Handle<Function>, _bytes: c_uint) {
        function.get()?;
        Err(CUresult::NOT_SUPPORTED.into())
    }

    fn cuFuncSetBlockShape(function: Handle<Function>, _x: c_int, _y: c_int, _z: c_int) {
        function.get()?;
        Err(CUresult::NOT_SUPPORTED.into())
    }
}

/// An operation on a word, after checks.
fn word(address: u64, value: u64, bytes: u32, wait: Option<c_uint>, flags: c_uint) -> Answer<WordOperation> {
    if !address.is_multiple_of(bytes.into()) {
        return Err(Failure::value(format!("{address:#x} is not a multiple of {bytes}")));
    }
    memory::require(address, bytes.into())?;
    let Some(condition) = wait else {
        // `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`.
        return if flags & !1 == 0 {
            Ok(WordOperation::Write { address, value, bytes })
        } else {
            Err(Failure::value("flags of a write"))
        };
    };
    // Bit 30 is for writes of other devices.
    let condition = match condition & !(1 << 30) {
        0 => Condition::GreaterOrEqual,
        1 => Condition::Equal,
        2 => Condition::And,
        3 => Condition::Nor,
        _ => return Err(Failure::value("flags of a wait")),
    };
    Ok(WordOperation::Wait { address, value, bytes, condition })
}

/// An operation of a list: its kind, address, value and flags are in 32-bit words 0, 2 to 3, 4 to 5 and 6.
fn listed(given: &MemoryOperation) -> Answer<Option<WordOperation>> {
    let [kind, address, value, flags, ..] = given.words;
    let flags = flags as u32;
    match kind as u32 {
        1 => word(address, value & u64::from(u32::MAX), 4, Some(flags), 0).map(Some),
        2 => word(address, value & u64::from(u32::MAX), 4, None, flags).map(Some),
        4 => word(address, value, 8, Some(flags), 0).map(Some),
        5 => word(address, value, 8, None, flags).map(Some),
        // Barriers and flushes: all that was done before is visible.
        3 | 6 => Ok(None),
        8 => Err(CUresult::NOT_SUPPORTED.into()),
        _ => Err(Failure::value("kind of an operation on memory")),
    }
}

fn words(stream: Handle<Stream>, null: NullStream, list: Vec<WordOperation>) -> Answer {
    context::stream(stream, null)?.submit(Operation::Words(list.into()))
}

stream_entries! {
    fn cuStreamWaitValue32_v2 / cuStreamWaitValue32_v2_ptsz |null| (stream: Handle<Stream>, address: u64, value: u32, flags: c_uint) {
        words(stream, null, vec![word(address, value.into(), 4, Some(flags), 0)?])
    }

    fn cuStreamWaitValue64_v2 / cuStreamWaitValue64_v2_ptsz |null| (stream: Handle<Stream>, address: u64, value: u64, flags: c_uint) {
        words(stream, null, vec![word(address, value, 8, Some(flags), 0)?])
    }

    fn cuStreamWriteValue32_v2 / cuStreamWriteValue32_v2_ptsz |null| (stream: Handle<Stream>, address: u64, value: u32, flags: c_uint) {
        words(stream, null, vec![word(address, value.into(), 4, None, flags)?])
    }

    fn cuStreamWriteValue64_v2 / cuStreamWriteValue64_v2_ptsz |null| (stream: Handle<Stream>, address: u64, value: u64, flags: c_uint) {
        words(stream, null, vec![word(address, value, 8, None, flags)?])
    }

    fn cuStreamBatchMemOp_v2 / cuStreamBatchMemOp_v2_ptsz |null| (stream: Handle<Stream>, count: c_uint, list: In<MemoryOperation>, flags: c_uint) {
        if flags != 0 || count > 256 {
            return Err(Failure::value("flags or number of operations on memory"));
        }
        let list: Answer<Vec<Option<WordOperation>>> = list.list(count as usize)?.iter().map(listed).collect();
        words(stream, null, list?.into_iter().flatten().collect())
    }
}
