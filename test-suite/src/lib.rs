//! The conformance suite: a test is an input file that specifies its expected results.
//!
//! `cases/` holds PTX and LLVM IR files. Their comments are directives ([`directive`]): what is run, the launches with
//! their inputs and independently computed results ([`value`]), the properties of emitted text ([`check`]), the
//! diagnostics expected on each line. The runner (`tests/conformance.rs`) turns every `RUN:` line into one trial.
//! External oracles ([`oracle`], [`sass`]) are used if they are installed; checks that had to be skipped are
//! counted ([`skip`]).
//!
//! Invariants: no expectation of an execution is ever written by this crate; a file without directives, a directive
//! that is unknown, a golden file without a test and a buffer without an expectation are failures.

pub mod access;
pub mod assumed;
pub mod check;
pub mod clients;
pub mod control_flow;
pub mod corpus;
pub mod csmith;
pub mod differential;
pub mod directive;
pub mod generated;
pub mod gpu;
pub mod grammar;
pub mod growth;
mod host;
pub mod intrinsics;
pub mod ir;
mod judge;
pub mod kept;
pub mod kernel_program;
pub mod kernels;
pub mod langref;
pub mod lines;
pub mod linked;
pub mod llvm_set;
pub mod machine;
pub mod oracle;
pub mod pattern;
pub mod printed;
pub mod prove;
pub mod ptx_program;
pub mod reasons;
pub mod roundtrip;
pub mod sampled;
pub mod sass;
pub mod skip;
pub mod stage;
pub mod stress;
pub mod trial;
pub mod value;
pub mod weighted;
