//! Named objects in memory, by which faulty addresses are described.

use crate::memory::Space;

/// A named object in memory.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Object {
    /// Its description in messages: "variable `x`", "argument 2 (`p`)".
    pub name: String,
    /// Its state space.
    pub space: Space,
    /// Address of its first byte in the space.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
}
