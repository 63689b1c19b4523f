//! The xtask tool.
fn main() {}
