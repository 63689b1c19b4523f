//! What a kernel is launched with, besides the memory that its addresses refer to.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::interrupt::Interrupt;
use crate::launch::{Completion, Launch, Limits, Reconvergence, Shape};
use crate::machine::Products;
use crate::memory::HostMemory;
use crate::texture::TextureSet;

/// What a kernel is launched with, for every engine: shape, parameters, textures, limits.
#[derive(Clone, Debug, Default)]
pub struct LaunchSpec {
    /// The shape.
    pub shape: Shape,
    /// The parameter space; bytes missing at its end are zero.
    pub params: Vec<u8>,
    /// Textures, samplers and surfaces.
    pub textures: Arc<TextureSet>,
    /// Host threads that blocks are spread over; `None` for as many as the host has.
    pub threads: Option<NonZeroUsize>,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Where threads that a branch has parted run together again.
    pub reconvergence: Reconvergence,
    /// Limits on the launch. Those on variables and on the heap are of the module ([`Surroundings`](crate::Surroundings)).
    pub limits: Limits,
    /// Stops the launch from another thread, if any.
    pub interrupt: Option<Interrupt>,
    /// Describes host-process memory outside registered regions, for kernels of an [`Image`](crate::Image); without it,
    /// accesses there fault.
    pub host: Option<Arc<dyn HostMemory>>,
    /// An external implementation of matrix products, if any.
    #[doc(hidden)]
    pub products: Option<&'static dyn Products>,
}

impl LaunchSpec {
    /// A launch with these parameters, and otherwise with the defaults.
    pub fn new(shape: Shape, params: impl Into<Vec<u8>>) -> Self {
        Self { shape, params: params.into(), ..Self::default() }
    }
}

impl Launch {
    /// What its kernel is launched with, once its arguments are in the parameter space and its textures have their memory.
    pub(crate) fn spec(&self, params: Vec<u8>, textures: TextureSet) -> LaunchSpec {
        LaunchSpec {
            shape: self.shape(),
            params,
            textures: Arc::new(textures),
            threads: self.threads,
            completion: self.completion,
            reconvergence: self.reconvergence,
            limits: self.limits.clone(),
            ..LaunchSpec::default()
        }
    }
}
