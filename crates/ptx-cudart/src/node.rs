//! Copies, launches and nodes of graphs, from the runtime's descriptions to the driver's and back.

use std::ffi::c_uint;

use crate::api::copy::{BY_ADDRESS, TO_DEVICE, TO_HOST, WITHIN_DEVICE, sides};
use crate::channel;
use crate::context;
use crate::error::{Answer, Error, Failure};
use crate::functions::cuArray3DGetDescriptor_v2;
use crate::pointer::{In, Out};
use crate::registry;
use crate::types::{
    ARRAY, ArrayDescription, Copy3d, CopyNode, DEVICE, DriverCopy, DriverCopyNode, DriverKernelNode, HOST,
    Handle, KernelNode, KernelNode2, NodeParameters, PeerCopy, Pitched, Position,
};

/// The bytes of an element of an array.
pub fn element(array: Handle) -> Answer<usize> {
    let mut found = ArrayDescription::default();
    cuArray3DGetDescriptor_v2(Out::to(&mut found), array)?;
    channel::texel_bytes(found.format, found.channels)
}

/// A side of a copy: its array or memory.
fn side(array: Handle, memory: Pitched) -> Answer {
    match (array, memory.address) {
        (0, 0) => Err(Failure::value("a side of a copy is null")),
        (0, _) | (_, 0) => Ok(()),
        _ => Err(Failure::value("a side of a copy is both an array and memory")),
    }
}

/// The driver's form of a copy of a box.
pub fn copy_of(given: &Copy3d) -> Answer<DriverCopy> {
    let (from_kind, to_kind) = sides(given.kind)?;
    side(given.from_array, given.from)?;
    side(given.to_array, given.to)?;
    // Where an array takes part, what is across is counted in its elements.
    let unit = match (given.from_array, given.to_array) {
        (0, 0) => 1,
        (0, array) | (array, 0) => element(array)?,
        (from, to) => {
            let unit = element(from)?;
            if element(to)? != unit {
                return Err(Failure::value("the arrays have elements of different sizes"));
            }
            unit
        }
    };
    let bytes =
        |count: usize, unit| count.checked_mul(unit).ok_or_else(|| Failure::value("a copy is too wide"));
    let own = |array: Handle, position: Position| bytes(position.x, if array == 0 { 1 } else { unit });
    Ok(DriverCopy {
        from_x: own(given.from_array, given.from_position)?,
        from_y: given.from_position.y,
        from_z: given.from_position.z,
        from_kind: if given.from_array == 0 { from_kind } else { ARRAY },
        from_host: given.from.address,
        from_device: given.from.address,
        from_array: given.from_array,
        from_pitch: given.from.pitch,
        from_height: given.from.height,
        to_x: own(given.to_array, given.to_position)?,
        to_y: given.to_position.y,
        to_z: given.to_position.z,
        to_kind: if given.to_array == 0 { to_kind } else { ARRAY },
        to_host: given.to.address,
        to_device: given.to.address,
        to_array: given.to_array,
        to_pitch: given.to.pitch,
        to_height: given.to.height,
        width: bytes(given.extent.width, unit)?,
        height: given.extent.height,
        depth: given.extent.depth,
        ..DriverCopy::default()
    })
}

/// The driver's form of a copy of a box between devices.
pub fn copy_of_peers(given: &PeerCopy) -> Answer<DriverCopy> {
    let mut copy = copy_of(&Copy3d {
        from_array: given.from_array,
        from_position: given.from_position,
        from: given.from,
        to_array: given.to_array,
        to_position: given.to_position,
        to: given.to,
        extent: given.extent,
        kind: WITHIN_DEVICE,
    })?;
    copy.from_context = context::primary(given.from_device)?;
    copy.to_context = context::primary(given.to_device)?;
    Ok(copy)
}

/// A copy of bytes as one of a box.
pub fn copy_of_bytes(to: u64, from: u64, bytes: usize, kind: c_uint) -> Answer<DriverCopy> {
    let (from_kind, to_kind) = sides(kind)?;
    Ok(DriverCopy {
        from_kind,
        from_host: from,
        from_device: from,
        to_kind,
        to_host: to,
        to_device: to,
        width: bytes,
        height: 1,
        depth: 1,
        ..DriverCopy::default()
    })
}

/// The runtime's form of a copy of the driver.
pub fn described(copy: &DriverCopy) -> Answer<Copy3d> {
    let is_host = |kind| kind == HOST;
    let is_device = |kind| kind == DEVICE || kind == ARRAY;
    let kind = match (copy.from_kind, copy.to_kind) {
        (from, to) if is_host(from) && is_host(to) => 0,
        (from, to) if is_host(from) && is_device(to) => TO_DEVICE,
        (from, to) if is_device(from) && is_host(to) => TO_HOST,
        (from, to) if is_device(from) && is_device(to) => WITHIN_DEVICE,
        _ => BY_ADDRESS,
    };
    let from_unit = if copy.from_array == 0 { 1 } else { element(copy.from_array)? };
    let to_unit = if copy.to_array == 0 { 1 } else { element(copy.to_array)? };
    let unit = from_unit.max(to_unit);
    let memory = |kind, host, device, pitch, height| match kind {
        ARRAY => Pitched::default(),
        HOST => Pitched { address: host, pitch, width: copy.width, height },
        _ => Pitched { address: device, pitch, width: copy.width, height },
    };
    Ok(Copy3d {
        from_array: copy.from_array,
        from_position: Position { x: copy.from_x / from_unit, y: copy.from_y, z: copy.from_z },
        from: memory(copy.from_kind, copy.from_host, copy.from_device, copy.from_pitch, copy.from_height),
        to_array: copy.to_array,
        to_position: Position { x: copy.to_x / to_unit, y: copy.to_y, z: copy.to_z },
        to: memory(copy.to_kind, copy.to_host, copy.to_device, copy.to_pitch, copy.to_height),
        extent: crate::types::Extent { width: copy.width / unit, height: copy.height, depth: copy.depth },
        kind,
    })
}

/// The driver's form of a launch of a graph.
pub fn kernel_of(given: &KernelNode) -> Answer<DriverKernelNode> {
    Ok(DriverKernelNode {
        kernel: registry::kernel(given.function)?,
        grid: given.grid,
        block: given.block,
        shared: given.shared,
        parameters: given.parameters,
        extra: given.extra,
        ..DriverKernelNode::default()
    })
}

/// The runtime's form of a launch of a graph of the driver.
pub fn kernel_described(node: &DriverKernelNode) -> KernelNode {
    let function = if node.kernel == 0 { node.function as u64 } else { registry::address_of(node.kernel) };
    KernelNode {
        function,
        grid: node.grid,
        block: node.block,
        shared: node.shared,
        parameters: node.parameters,
        extra: node.extra,
    }
}

/// Kinds of nodes whose parameters the runtime describes in a form of its own.
const KERNEL: c_uint = 0;
const COPY: c_uint = 1;

/// `cudaKernelFunctionType`: how the function of a launch is named.
const UNSPECIFIED: c_uint = 0;
const BY_ADDRESS_OF_HOST: c_uint = 1;
const BY_KERNEL: c_uint = 2;
const BY_FUNCTION: c_uint = 3;

/// The driver's form of the parameters of a node of any kind. `has_function_types` is whether they say how a function is named.
pub fn parameters_of(given: &NodeParameters, has_function_types: bool) -> Answer<NodeParameters> {
    let mut parameters = *given;
    let words = In::from(&given.parameters);
    let places = Out::to(&mut parameters.parameters);
    match given.kind {
        KERNEL => {
            let launch = words.cast::<KernelNode2>().get()?;
            let kind = if has_function_types { launch.kind } else { UNSPECIFIED };
            let mut node = match kind {
                UNSPECIFIED | BY_ADDRESS_OF_HOST | BY_KERNEL => kernel_of(&launch.node)?,
                BY_FUNCTION => DriverKernelNode {
                    function: launch.node.function as Handle,
                    grid: launch.node.grid,
                    block: launch.node.block,
                    shared: launch.node.shared,
                    parameters: launch.node.parameters,
                    extra: launch.node.extra,
                    ..DriverKernelNode::default()
                },
                other => return Err(Failure::value(format!("there is no kind {other} of functions"))),
            };
            if has_function_types && launch.context != 0 {
                return Err(Failure::because(Error::NOT_SUPPORTED, "execution contexts"));
            }
            node.context = 0;
            places.cast().set(node)?;
        }
        COPY => {
            let node = words.cast::<CopyNode>().get()?;
            let (CopyNode { flags, reserved, context, .. }, copy) = (node, copy_of(&node.copy)?);
            places.cast().set(DriverCopyNode { flags, reserved, context, copy })?;
        }
        _ => {}
    }
    Ok(parameters)
}
