//! What code loads when it begins: the inputs of a warp, and the state of the checks of memory accesses.

use ptx_llvm_core::build::Value;
use rustc_hash::FxHashMap;

/// The inputs of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'c> {
    pub(crate) params: Value<'c>,
    pub(crate) constant: Value<'c>,
    pub(crate) shared: Value<'c>,
    pub(crate) block_index: [Value<'c>; 3],
    pub(crate) grid: [Value<'c>; 3],
    /// The index of the warp, or of the first of those that execute together.
    pub(crate) warp: Value<'c>,
    /// The index of the warp's part in the block (CTA), where warps execute part by part.
    pub(crate) part: Option<Value<'c>>,
    pub(crate) attention: Value<'c>,
}

/// The state of the checks.
pub(crate) struct Probes<'a, 'c> {
    pub(crate) firsts: &'a FxHashMap<u32, u32>,
    /// The known range of each site.
    pub(crate) known: Value<'c>,
    /// Memory for arguments of the runtime: the rows of sources, the lane masks of warps, and the bytes of all lanes for each run.
    pub(crate) rows: Value<'c>,
    pub(crate) lanes: Value<'c>,
    pub(crate) wholes: Value<'c>,
}
