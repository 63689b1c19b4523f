//! The integration tests, as one program.

mod attributes;
#[cfg(feature = "jit")]
mod compiled;
mod device;
mod errors;
mod graphs;
mod interrupts;
#[cfg(feature = "llvm")]
mod llvm;
#[cfg(feature = "jit")]
mod relay;
mod runtime;
mod specialized;
mod streams;
mod tensor;
mod textures;
#[cfg(feature = "jit")]
mod tried;
