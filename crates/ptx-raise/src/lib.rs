//! Raises LLVM IR back to the PTX module model.
