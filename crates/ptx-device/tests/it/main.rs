//! The integration tests, as one program.

#[cfg(feature = "jit")]
mod compiled;
mod device;
mod errors;
#[cfg(feature = "llvm")]
mod llvm;
mod tensor;
mod textures;
