//! Names the library and its symbols as programs that are linked with CUDA 13's look for them.

#[path = "../ptx-cudart/link.rs"]
mod link;

fn main() {
    link::link("libcudart.so.13");
}
