//! Launches of kernels.

use std::ffi::c_uint;
use std::sync::Arc;

use ptx_device::Shape;

use crate::device::MULTIPROCESSORS;
use crate::driver::Gpu;
use crate::error::{Answer, CUresult, Failure};
use crate::function::Function;
use crate::handle::Handle;
use crate::library;
use crate::occupancy;
use crate::pointer::{In, host_bytes};
use crate::profile;

/// A launch with its arguments.
#[derive(Debug)]
pub struct Launch {
    pub handle: Handle<Function>,
    pub function: Arc<Function>,
    pub shape: Shape,
    /// The bytes of all parameters.
    pub parameters: Vec<u8>,
    /// The address of each parameter among them, for queries of the arguments of a node.
    pub pointers: Vec<u64>,
}

impl Launch {
    /// Fails if it has no blocks.
    pub fn require_blocks(&self) -> Answer {
        if self.shape.grid.contains(&0) { Err(Failure::value("a launch of no blocks")) } else { Ok(()) }
    }

    /// Runs it on this thread.
    pub fn run(&self, gpu: &'static Gpu) -> Answer {
        let begin = profile::begin();
        let report = self.function.kernel.launch_raw(&self.shape, &self.parameters);
        let blocks = self.shape.grid.iter().map(|&blocks| u64::from(blocks)).product();
        profile::end(begin, self.function.kernel.name(), blocks, &report);
        report.map(drop).map_err(|error| gpu.failure(error))
    }

    /// A launch of a kernel. A node of a graph (`is_node`) may have no blocks until it is launched: programs set the number later.
    pub fn new(
        handle: Handle<Function>,
        gpu: &'static Gpu,
        shape: Shape,
        arguments: Arguments,
        is_node: bool,
    ) -> Answer<Self> {
        let function = library::named(handle, gpu)?;
        if function.gpu.ordinal != gpu.ordinal {
            return Err(Failure::because(
                CUresult::INVALID_HANDLE,
                "the kernel and the stream are of different devices",
            ));
        }
        let shape = if is_node && shape.grid.contains(&0) { shape } else { checked(&function, shape)? };
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
    pub fn buffer(&self) -> Answer<(u64, usize)> {
        let (mut buffer, mut size) = (0, None);
        for pair in 0..3 {
            match self.extra.nth(2 * pair).get()? {
                END => break,
                BUFFER => buffer = self.extra.nth(2 * pair + 1).get()?,
                BUFFER_SIZE => size = Some(In::<usize>::at(self.extra.nth(2 * pair + 1).get()?).get()?),
                other => return Err(Failure::value(format!("there is no extra option {other} of launches"))),
            }
        }
        let size = size.ok_or_else(|| Failure::value("the size of the buffer of arguments is missing"))?;
        if buffer == 0 && size > 0 {
            return Err(Failure::value("the buffer of arguments is null"));
        }
        Ok((buffer, size))
    }

    pub fn bytes(&self, function: &Function) -> Answer<Vec<u8>> {
        let parameters = function.kernel.parameters();
        let end = |parameter: &ptx_device::Parameter| (parameter.offset + parameter.bytes) as usize;
        let size = parameters.iter().map(end).fold(0, usize::max);
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
            let from = self.each.nth(index).get()?;
            if from == 0 {
                return Err(Failure::value(format!("argument {index} is null")));
            }
            bytes[parameter.offset as usize..end(parameter)]
                .copy_from_slice(host_bytes(from, parameter.bytes as usize));
        }
        Ok(bytes)
    }
}

/// Fails unless the function may be launched in a shape, which gets the cluster size of the function's attributes.
fn checked(function: &Function, mut shape: Shape) -> Answer<Shape> {
    let settings = function.settings();
    let attributes = function.kernel.attributes();
    if attributes.is_tile && shape.block == [1; 3] {
        shape.block = attributes.required_block.unwrap_or(shape.block);
    }
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
