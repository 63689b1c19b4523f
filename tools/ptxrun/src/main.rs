//! The ptxrun tool.
fn main() {}
