//! The integration tests, as one program.

mod contract;
mod hostile;
