//! A launch that has been set up, for all engines that execute parts of it.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use ptx_program::{Object, Program};

use super::executable::Executable;
use super::geometry::Geometry;
use super::heap::Heap;
use super::observer::Observer;
use crate::memory::GlobalMemory;
use crate::spec::LaunchSpec;
use crate::texture::Units;

/// Everything that one execution of a launch needs, checked against the kernel. Engines that execute parts of the launch share it.
pub struct Setup {
    pub(crate) executable: Arc<Executable>,
    pub(crate) geometry: Geometry,
    /// What the kernel is launched with; the parameter space is complete.
    pub(crate) spec: LaunchSpec,
    pub(crate) global: GlobalMemory,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    pub(crate) workspace: u64,
    /// Textures, samplers and surfaces.
    pub(crate) units: Arc<Units>,
    pub(crate) constant: Vec<u8>,
    pub(crate) heap: Arc<Mutex<Heap>>,
    /// The variables outside global memory, and whether each is dynamic shared memory.
    pub(crate) variables: Arc<[(Object, bool)]>,
    pub(crate) observer: Option<Arc<Observer>>,
    pub(crate) threads: NonZeroUsize,
    /// Bytes of output of all engines.
    pub(crate) written: Arc<AtomicU64>,
}

impl Setup {
    /// The instructions.
    pub fn program(&self) -> &Arc<Program> {
        &self.executable.program
    }

    /// The shape of the launch.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// What the kernel is launched with.
    pub fn spec(&self) -> &LaunchSpec {
        &self.spec
    }

    /// Contents of constant memory.
    pub fn constant(&self) -> &[u8] {
        &self.constant
    }

    /// The address of the memory with which the blocks of a cooperative launch synchronize; 0 for other launches.
    pub fn workspace(&self) -> u64 {
        self.workspace
    }

    /// Host threads that blocks are spread over.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("kernel", &self.program().kernel().name).finish_non_exhaustive()
    }
}
