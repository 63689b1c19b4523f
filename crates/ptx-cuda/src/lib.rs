//! `libcuda.so.1`: CUDA's driver API on the host CPU, over `ptx-device`, so that programs for CUDA run where there is no GPU.
//!
//! [`table`] lists every name of `cuda.h`; those that are not implemented return `CUDA_ERROR_NOT_SUPPORTED` and are named once in the
//! `log`. An implemented function is written with one of the macros of `entry`, in the file of its subject: its parameters are the
//! types of `pointer` and `handle`, which check arguments, so that bodies are safe code.
//!
//! No argument makes a function crash where the real driver returns an error: objects are looked up by handles (`handle`),
//! which are numbers that are never reused, null pointers are errors, and no panic leaves a function.

#![allow(unsafe_code)]
// The functions have the names of CUDA, and its documentation.
#![allow(non_snake_case, missing_docs)]

mod api;
mod array;
mod capture;
mod context;
mod copy;
mod device;
mod driver;
mod entry;
pub mod error;
mod event;
mod fill;
mod function;
mod graph;
mod graph_memory;
mod graph_nodes;
mod handle;
mod host_call;
mod host_memory;
mod image;
mod launch;
mod library;
mod link;
mod log;
mod memory;
mod module;
mod occupancy;
mod operation;
mod pointer;
mod pool;
mod proc_address;
mod profile;
mod settings;
mod stream;
mod symbols;
pub mod table;
mod tensor_map;
mod texture;
mod texture_reference;
pub mod types;
mod virtual_memory;

pub use settings::{architectures, device_options};
