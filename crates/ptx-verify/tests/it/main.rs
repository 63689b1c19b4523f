//! The integration tests, as one program.

mod calls;
mod common;
mod directives;
mod help;
mod memory;
mod modifiers;
mod operands;
mod resources;
mod robustness;
mod tensors;
mod textures;
