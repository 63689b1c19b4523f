//! Executes PTX on the host CPU.

pub mod scalar;
