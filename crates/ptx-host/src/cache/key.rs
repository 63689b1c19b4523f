//! The cache key: a hash of everything on which the code of a kernel depends.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use ptx_program::Program;

use super::processor::Processor;
use crate::analysis::Launched;

/// The hash of everything that determines the code of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key([u8; Key::BYTES]);

/// The suffix of file names.
const SUFFIX: &str = ".kernel";

impl Key {
    pub(crate) const BYTES: usize = blake3::OUT_LEN;

    /// The key of a kernel for launches of a kind on a processor. The LLVM that compiles it is not part of it, since it is only known once loaded:
    /// entries record it ([`Entry::llvm`](super::Entry)).
    pub(crate) fn new(
        program: &Program,
        launched: &Launched,
        processor: Processor<'_>,
        pipeline: &str,
    ) -> Self {
        let mut hashed = Hashed::default();
        // The build of this project: a hash of its sources if they are available (`build.rs`), and its version.
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
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        name + SUFFIX
    }

    /// Whether a file name is that of a key.
    pub(crate) fn is_file_name(name: &str) -> bool {
        name.strip_suffix(SUFFIX).is_some_and(|digits| {
            digits.len() == 2 * Self::BYTES && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
    }

    #[cfg(test)]
    pub(crate) fn of(number: u8) -> Self {
        Self([number; Self::BYTES])
    }
}

/// The hashed data, concatenated: integers have fixed sizes, and lists and texts are prefixed with their length or terminated, so that
/// the encoding is injective.
#[derive(Default)]
struct Hashed {
    bytes: Vec<u8>,
}

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Not used.
    fn finish(&self) -> u64 {
        0
    }
}
