//! `ptxrun`: executes a kernel on the host.

mod launch_file;
mod spec;

fn main() {}
