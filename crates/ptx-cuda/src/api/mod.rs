//! The functions that programs call, a file for each subject. Nothing else depends on them.

mod array;
mod capture;
mod context;
mod copy;
mod copy_batch;
mod device;
mod error;
mod event;
mod fill;
mod function;
mod graph;
mod graph_nodes;
mod host_memory;
mod launch;
mod library;
mod link;
mod memory;
mod module;
mod occupancy;
mod pool;
mod proc_address;
mod stream;
mod tensor_map;
mod texture;
mod texture_reference;
mod virtual_memory;
