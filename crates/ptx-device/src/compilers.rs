//! The compiler of the kernels of a device: a folder for its cache in, the compiler out.

use std::path::Path;
use std::sync::OnceLock;

use ptx_host::{Cache, Compiler, DEFAULT_CACHE_BYTES};

/// The compiler of a device, created when a kernel first needs it.
#[derive(Default)]
pub(crate) struct Compilers {
    made: OnceLock<Compiler>,
}

impl Compilers {
    /// The compiler, which caches compiled kernels in this folder.
    pub(crate) fn get(&self, folder: Option<&Path>) -> &Compiler {
        self.made.get_or_init(|| {
            // An unusable cache is ignored.
            let cache = folder.and_then(|folder| Cache::open(folder, DEFAULT_CACHE_BYTES).ok());
            Compiler::host().with_cache(cache)
        })
    }
}
