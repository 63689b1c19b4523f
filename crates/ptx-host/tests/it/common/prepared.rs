//! Kernels of a source, decoded for tests: those of this folder, and those within the crate.

use ptx_diag::SourceFile;
use ptx_exec::{DeviceHeap, Image, Limits, Memory, Prepared, Surroundings};

/// The kernel `k` of a source without errors, with its variables in some memory.
pub fn prepared(source: &SourceFile, memory: &Memory) -> Prepared {
    let (module, findings) = ptx_syntax::parse(source);
    assert!(!findings.has_errors(), "{findings:?}\n{}", String::from_utf8_lossy(source.text()));
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let surroundings =
        Surroundings { memory: memory.clone(), heap: DeviceHeap::default(), limits: Limits::default() };
    Image::new(verified, surroundings).expect("variables").kernel("k").expect("a kernel")
}
