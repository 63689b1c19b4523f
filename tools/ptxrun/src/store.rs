//! The cache of compiled kernels on disk.

use std::path::PathBuf;
use std::str::FromStr;

use ptx_cli::Terminal;
use ptx_device::cache_folder_in;
use ptx_host::{Cache, CacheError, Compiler, DEFAULT_CACHE_BYTES, Kernel};

use crate::arguments::Arguments;

/// A number of bytes, as in `300`, `64K`, `256M` or `2G`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, shift) = match text.char_indices().next_back() {
            Some((at, 'K')) => (&text[..at], 10),
            Some((at, 'M')) => (&text[..at], 20),
            Some((at, 'G')) => (&text[..at], 30),
            _ => (text, 0),
        };
        let bytes = number.parse().ok().and_then(|number: u64| number.checked_mul(1 << shift));
        bytes
            .map(Self)
            .ok_or_else(|| format!("expected a number of bytes, as in 300, 64K or 256M, not `{text}`"))
    }
}

/// The options of the command line for the cache.
#[derive(Clone, Debug)]
pub struct Store {
    folder: Option<PathBuf>,
    bytes: u64,
    terminal: Terminal,
}

impl Store {
    /// The options of a command line.
    pub fn new(arguments: &Arguments) -> Self {
        let folder = match &arguments.cache_dir {
            _ if arguments.no_cache => None,
            Some(folder) => Some(folder.clone()),
            None => cache_folder_in(std::env::var_os("XDG_CACHE_HOME"), std::env::home_dir()),
        };
        let bytes = arguments.cache_size.map_or(DEFAULT_CACHE_BYTES, |Bytes(bytes)| bytes);
        Self { folder, bytes, terminal: arguments.report.terminal() }
    }

    /// The cache, if it is enabled and can be used.
    pub fn open(&self) -> Option<Cache> {
        let opened = Cache::open(self.folder.as_ref()?, self.bytes);
        opened.map_err(|error| self.tell(&error)).ok()
    }

    /// Reports whether a kernel was in the cache, and errors of the cache, with `--verbose`.
    pub fn report(&self, compiler: Option<&Compiler>, kernel: &Kernel) {
        let Some(cache) = compiler.and_then(Compiler::cache) else { return };
        if kernel.is_from_cache() {
            self.terminal
                .note(|| format!("the kernel was loaded from the cache, {}", cache.path().display()));
        }
        if let Some(error) = cache.take_trouble() {
            self.tell(&error);
        }
    }

    fn tell(&self, error: &CacheError) {
        self.terminal.note(|| format!("the cache is not used: {error}"));
    }
}
