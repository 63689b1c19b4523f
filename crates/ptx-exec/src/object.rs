//! The named object nearest to a faulty address, by which it is described.

use ptx_diag::counted;
use ptx_program::Object;

use crate::memory::Fault;

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
