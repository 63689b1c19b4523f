//! Named objects in memory, by which faulty addresses are described.

use ptx_diag::counted;

use crate::memory::{Fault, Space};

/// A named object in memory.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Object {
    /// Its description in messages: "variable `x`", "argument 2 (`p`)".
    pub name: String,
    pub space: Space,
    /// Address of its first byte in the space.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Describes the object nearest to a faulty access outside global memory: the last one that starts at or before the
/// address.
pub(crate) fn nearest(fault: &Fault, objects: &[Object]) -> Option<String> {
    let (space, address) = (fault.space, fault.address);
    let is_before = |object: &&Object| object.space == space && object.address <= address;
    let object =
        objects.iter().filter(is_before).max_by_key(|object| (object.address, object.bytes, &object.name))?;
    let (name, bytes, offset) = (&object.name, object.bytes, address - object.address);
    Some(format!("offset {offset} of {name}, which has {}", counted(bytes, "byte")))
}
