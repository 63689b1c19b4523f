//! Launches of kernels.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use ptx_device::Shape;

use crate::device::MULTIPROCESSORS;
use crate::driver::Gpu;
use crate::entry::{NullStream, entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::event::Event;
use crate::function::{self, Function};
use crate::handle::Handle;
use crate::memory;
use crate::occupancy;
use crate::operation::{Condition, Operation, WordOperation};
use crate::pointer::{In, host_bytes};
use crate::stream::{self, Stream};
use crate::types::{LaunchAttribute, LaunchConfig, MemoryOperation};

/// A launch with its arguments.
#[derive(Debug)]
pub struct Launch {
    pub handle: Handle<Function>,
    pub function: Arc<Function>,
    pub shape: Shape,
    /// The bytes of all parameters.
    pub parameters: Vec<u8>,
    /// The address of each parameter among them, for who asks for the arguments of a node.
    pub pointers: Vec<u64>,
}

impl Launch {
    /// Runs it on this thread.
    pub fn run(&self, gpu: &'static Gpu) -> Answer {
        let report = self.function.kernel.launch_raw(&self.shape, &self.parameters);
        report.map(drop).map_err(|error| gpu.failure(error))
    }

    /// The same kernel in the same shape with other arguments, or all else.
    pub fn new(
        handle: Handle<Function>,
        gpu: &'static Gpu,
        shape: Shape,
        arguments: Arguments,
    ) -> Answer<Self> {
        let function = function::named(handle, gpu)?;
        if function.gpu.ordinal != gpu.ordinal {
            return Err(Failure::because(
                CUresult::INVALID_HANDLE,
                "the kernel and the stream are of different devices",
            ));
        }
        let shape = checked(&function, shape)?;
        let parameters = arguments.bytes(&function)?;
        let at = parameters.as_ptr() as u64;
        let pointers =
            function.kernel.parameters().iter().map(|parameter| at + u64::from(parameter.offset)).collect();
        Ok(Self { handle, function, shape, parameters, pointers })
    }
}

/// The arguments of a launch, as they are passed.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// A pointer to each.
    pub each: In<u64>,
    /// Pairs of a constant and its value, for a buffer with all.
    pub extra: In<u64>,
}

/// `CU_LAUNCH_PARAM_*`.
const END: u64 = 0;
const BUFFER: u64 = 1;
const BUFFER_SIZE: u64 = 2;

impl Arguments {
    fn buffer(&self) -> Answer<(u64, usize)> {
        let (mut buffer, mut size) = (0, None);
        for pair in 0..3 {
            match self.extra.at(2 * pair)? {
                END => break,
                BUFFER => buffer = self.extra.at(2 * pair + 1)?,
                BUFFER_SIZE => size = Some(In::<usize>::from_address(self.extra.at(2 * pair + 1)?).get()?),
                other => return Err(Failure::value(format!("there is no extra option {other} of launches"))),
            }
        }
        let size = size.ok_or_else(|| Failure::value("the size of the buffer of arguments is missing"))?;
        if buffer == 0 && size > 0 {
            return Err(Failure::value("the buffer of arguments is null"));
        }
        Ok((buffer, size))
    }

    fn bytes(&self, function: &Function) -> Answer<Vec<u8>> {
        let parameters = function.kernel.parameters();
        let end = |parameter: &ptx_device::Parameter| (parameter.offset + parameter.bytes) as usize;
        let size = parameters.iter().map(end).max().unwrap_or_default();
        if !self.extra.is_null() {
            if !self.each.is_null() {
                return Err(Failure::value("arguments are given one by one and in a buffer"));
            }
            let (buffer, given) = self.buffer()?;
            if given < size {
                return Err(Failure::value(format!(
                    "the buffer of arguments has {given} bytes; the kernel takes {size}"
                )));
            }
            return Ok(host_bytes(buffer, size).to_vec());
        }
        let mut bytes = vec![0; size];
        for (index, parameter) in parameters.iter().enumerate() {
            let from = self.each.at(index)?;
            if from == 0 {
                return Err(Failure::value(format!("argument {index} is null")));
            }
            bytes[parameter.offset as usize..end(parameter)]
                .copy_from_slice(host_bytes(from, parameter.bytes as usize));
        }
        Ok(bytes)
    }
}

/// Fails unless the function may be launched in a shape, which gets the cluster that the function's attributes say.
fn checked(function: &Function, mut shape: Shape) -> Answer<Shape> {
    let settings = function.settings();
    if shape.cluster.is_none() && settings.cluster.iter().any(|&blocks| blocks > 0) {
        shape.cluster = Some(settings.cluster.map(|blocks| blocks.max(1)));
    }
    if let Some(cluster) = shape.cluster {
        let blocks: u64 = cluster.iter().map(|&blocks| u64::from(blocks)).product();
        let most = if settings.non_portable_cluster { 16 } else { 8 };
        let divides = shape
            .grid
            .iter()
            .zip(&cluster)
            .all(|(grid, &cluster)| cluster > 0 && grid.is_multiple_of(cluster));
        if blocks > most || !divides {
            return Err(Failure::because(
                CUresult::INVALID_CLUSTER_SIZE,
                format!("clusters of {cluster:?} blocks"),
            ));
        }
    }
    if shape.cooperative {
        let threads = shape.block.iter().fold(1u32, |all, &one| all.saturating_mul(one));
        let per_multiprocessor = occupancy::blocks(function, threads, shape.dynamic_shared);
        let blocks = shape.grid.iter().fold(1u64, |all, &one| all.saturating_mul(one.into()));
        if blocks > u64::from(per_multiprocessor) * u64::from(MULTIPROCESSORS) {
            return Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE.into());
        }
    }
    function.kernel.check(&shape).map_err(|error| function.gpu.failure(error))?;
    Ok(shape)
}

/// The shape of a launch without attributes.
pub fn shape(grid: [c_uint; 3], block: [c_uint; 3], shared: c_uint) -> Shape {
    Shape { grid, block, cluster: None, dynamic_shared: shared, cooperative: false }
}

fn launch(stream: &Arc<Stream>, function: Handle<Function>, shape: Shape, arguments: Arguments) -> Answer {
    if let Some(error) = stream.gpu().device.stopped() {
        return Err(stream.gpu().failure(error));
    }
    let launch = Launch::new(function, stream.gpu(), shape, arguments)?;
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
            // Nothing, caches, how to wait, how clusters are scheduled, overlap with the kernel before (which has ended here), priority,
            // memory domains, preferred clusters, the division of shared memory, and what has no effect on one host.
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
    let stream = stream::named(config.stream, null)?;
    let mut shape = shape(config.grid, config.block, config.shared);
    let list = In::from_address(config.attributes).list(config.attribute_count as usize)?;
    let events = attributes(&mut shape, &list)?;
    for event in &events {
        event.get()?;
    }
    launch(&stream, function, shape, arguments)?;
    events.into_iter().try_for_each(|event| stream.submit(Operation::Record(event)))
}

stream_entries! {
    fn cuLaunchKernel / cuLaunchKernel_ptsz |null| (
        function: Handle<Function>, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: Handle<Stream>, each: In<u64>, extra: In<u64>,
    ) {
        let shape = shape([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared);
        launch(&stream::named(stream, null)?, function, shape, Arguments { each, extra })
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
        launch(&stream::named(stream, null)?, function, shape, Arguments { each, extra: In::from_address(0) })
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
        // 1 is "without a barrier before".
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
    stream::named(stream, null)?.submit(Operation::Words(list.into()))
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
