//! Every operation that has a form in host LLVM IR, against the interpreter's own function of rows, bit for bit: as a scalar and as
//! vectors of 4 and of 16 lanes, compiled for processors with AVX-512, AVX2 and SSE4.2, on random and on special values.
//!
//! The parameters of the operations are enumerated here (types, roundings, subnormals, limits ...), whether PTX has an
//! instruction for a combination or not. A combination that has no form yet is counted; how many there are of an operation is a
//! number in its test, so that forms cannot get lost unnoticed.

#![allow(unsafe_code)]

mod floats;
mod functions;
mod harness;
mod integers;
mod packs;
mod video;
