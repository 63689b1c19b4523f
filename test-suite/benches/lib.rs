//! The benchmarks are in the files beside `Cargo.toml`; this package has no code of its own.
