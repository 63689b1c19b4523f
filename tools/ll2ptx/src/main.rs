//! The ll2ptx tool.
fn main() {}
