//! The integration tests, as one program.

mod constructs;
mod dwarf;
mod raise;
mod targets;
