//! The integration tests, as one program.

mod assembling;
mod common;
mod linking;
mod loading;
mod running;
