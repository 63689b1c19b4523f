//! Why the cache is not used.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a cache cannot be used, or an entry not be read or written. Kernels are then compiled as without a cache.
#[derive(Debug, Error)]
pub enum CacheError {
    /// Another user may write there.
    #[error("{}: {why}", path.display())]
    Untrusted {
        /// The folder or file.
        path: PathBuf,
        /// Why it is not trusted.
        why: &'static str,
    },
    /// The system refused an access.
    #[error("{}: {error}", path.display())]
    Refused {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}
