//! The CUDA runtime API over the CUDA driver API of `libcuda.so.1`, which is loaded when it is first needed.
//!
//! `ptx-cudart-12` and `ptx-cudart-13` make the libraries `libcudart.so.12` and `libcudart.so.13` of this crate. What differs between the two
//! versions of CUDA under one name (parameters, or layouts of structures) is theirs, written with the macros of [`entry`]; all else is in
//! `api`, a file for each subject. [`table`] lists all names; those that are not implemented return `cudaErrorNotSupported` and are named
//! once in the `log`.
//!
//! Handles of the runtime are those of the driver, which checks them. State of this crate are the binaries of the program ([`registry`]), the
//! primary contexts that are in use ([`context`]), and the last error, the device and the launches in preparation of each thread.

#![allow(unsafe_code)]
// The functions have the names of CUDA, and its documentation.
#![allow(non_snake_case, missing_docs)]

pub mod api;
mod channel;
pub mod context;
pub mod driver;
pub mod entry;
pub mod error;
mod functions;
mod linked;
mod log;
mod node;
pub mod pointer;
pub mod properties;
pub mod registry;
mod symbols;
pub mod table;
pub mod types;

// For the macros of `entry`.
#[doc(hidden)]
pub use ptx_cabi;
