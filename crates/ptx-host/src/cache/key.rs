//! What the code of a kernel depends on, as one number.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use ptx_exec::program::Program;

use super::Processor;
use crate::analysis::Launched;

/// The hash of everything that decides the code of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key([u8; Key::BYTES]);

/// The end of the names of files.
const SUFFIX: &str = ".kernel";

impl Key {
    pub(crate) const BYTES: usize = blake3::OUT_LEN;

    /// That of a kernel for launches of a kind on a processor. Which LLVM compiles it is known when that is loaded: entries tell
    /// ([`Entry::llvm`](super::Entry)).
    pub(crate) fn new(
        program: &Program,
        launched: &Launched,
        processor: Processor<'_>,
        pipeline: &str,
    ) -> Self {
        let mut hashed = Hashed::default();
        // This project as it is built: its sources where they are there (`build.rs`), and its version.
        env!("CARGO_PKG_VERSION").hash(&mut hashed);
        env!("PTX_HOST_SOURCES").hash(&mut hashed);
        processor.hash(&mut hashed);
        pipeline.hash(&mut hashed);
        launched.hash(&mut hashed);
        program.hash_code(&mut hashed);
        Self(*blake3::hash(&hashed.bytes).as_bytes())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name of its file.
    pub(crate) fn file_name(&self) -> String {
        let mut name = String::with_capacity(2 * Self::BYTES + SUFFIX.len());
        for byte in self.0 {
            // Strings take everything.
            let _ = write!(name, "{byte:02x}");
        }
        name + SUFFIX
    }

    /// Whether a file is called so.
    pub(crate) fn is_file_name(name: &str) -> bool {
        let digits = name.strip_suffix(SUFFIX).unwrap_or_default();
        digits.len() == 2 * Self::BYTES && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    }

    #[cfg(test)]
    pub(crate) fn of(number: u8) -> Self {
        Self([number; Self::BYTES])
    }
}

/// Everything that is hashed, one after the other: numbers have their size, and lists and texts begin or end with what tells where they do, so that
/// no two things become the same bytes.
#[derive(Default)]
struct Hashed {
    bytes: Vec<u8>,
}

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Nothing asks for it.
    fn finish(&self) -> u64 {
        0
    }
}
