//! Executes PTX on the host CPU.
