//! The ptx2ll tool.
fn main() {}
