//! The compiler of the kernels of a device: a folder for its cache in, the compiler out.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use ptx_host::{Cache, Compiler, DEFAULT_CACHE_BYTES};

/// The compiler of a device, created when a kernel first needs it.
#[derive(Default)]
pub(crate) struct Compilers {
    made: OnceLock<Arc<Compiler>>,
}

impl Compilers {
    /// The compiler, which caches compiled kernels in this folder, in files of at most so many bytes in total.
    pub(crate) fn get(&self, folder: Option<&Path>, bytes: Option<u64>) -> &Arc<Compiler> {
        self.made.get_or_init(|| {
            let bytes = bytes.unwrap_or(DEFAULT_CACHE_BYTES);
            // An unusable cache is ignored.
            let cache = folder.and_then(|folder| Cache::open(folder, bytes).ok());
            Arc::new(Compiler::host().with_cache(cache))
        })
    }
}
