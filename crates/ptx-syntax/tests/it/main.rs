//! The integration tests, as one program.

mod common;
mod constants;
mod diagnostics;
mod inline_asm;
mod instructions;
mod module;
mod parts;
mod robustness;
mod syntax;
