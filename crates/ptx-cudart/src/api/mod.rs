//! The functions that programs call, a file for each subject.

mod array;
pub mod capture;
mod compiled;
pub mod copy;
mod copy_arrays;
pub mod copy_batch;
mod device;
mod error;
mod event;
mod fill;
mod function;
pub mod graph;
pub mod graph_nodes;
pub mod launch;
mod library;
pub mod memory;
mod occupancy;
mod pool;
pub mod proc_address;
mod stream;
mod texture;
