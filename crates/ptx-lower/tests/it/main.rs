//! The integration tests, as one program.

mod initializers;
mod lowering;
mod optimized;
mod special_registers;
