//! The integration tests, as one program.

mod jit_debug;
mod view;
