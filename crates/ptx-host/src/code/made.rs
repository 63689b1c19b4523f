//! What code generation makes: the name of the function, what one call of it executes, and which functions of the runtime it calls.

/// The name of the function in its module.
pub(crate) const NAME: &str = "kernel";

/// Properties of a kernel's function.
pub(crate) struct Made {
    pub(crate) runs: Runs,
    /// The instructions that call functions of the runtime, each with the function's offset in its table (`offset_of!(Runtime, ..)`).
    pub(crate) asks: Vec<(u32, usize)>,
}

/// What one call of a kernel's function executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Runs {
    /// A warp.
    Warp,
    /// A warp for which the runtime executes instructions: all warps of a cluster run concurrently.
    Cluster,
    /// As `Cluster`; the warp yields to others, and its cluster to others, when it may wait for them in a loop.
    PatientCluster,
    /// A warp that yields to others when it may wait for them in a loop.
    PatientWarp,
    /// All warps of a block (CTA), which take turns at barriers.
    Block,
}

impl Runs {
    /// Whether the runtime executes instructions of the kernel.
    pub(crate) fn is_heavy(self) -> bool {
        matches!(self, Self::Cluster | Self::PatientCluster)
    }

    /// Whether warps yield in loops in which they may wait for others.
    pub(crate) fn is_patient(self) -> bool {
        matches!(self, Self::PatientWarp | Self::PatientCluster)
    }
}
