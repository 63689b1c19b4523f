//! Lowers verified PTX to LLVM IR in NVPTX style.
