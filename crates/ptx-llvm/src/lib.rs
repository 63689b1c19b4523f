//! The seam to LLVM 22: every unsafe call and every LLVM-specific name.
