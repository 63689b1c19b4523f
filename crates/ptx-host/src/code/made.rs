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
    /// A warp that yields to others when it may wait for them in a loop.
    PatientWarp,
    /// All warps of a block (CTA), which take turns at barriers.
    Block,
}
