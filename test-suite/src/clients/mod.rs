//! Real clients of CUDA, run without a GPU by `ptx-cuda run`: packages from PyPI with programs of `test-suite/clients`, or with the clients' own tests.
//!
//! Everything must pass but what `test-suite/clients/expected.tsv` lists with a reason; what is listed and passes is a fault of the list.

mod expected;
mod packages;
mod running;
mod suites;
mod table;

pub use expected::Expected;
pub use packages::{Packages, Unavailable};
pub use running::{Outcome, Tools};
pub use table::{CLIENTS, Client, Program, Run, Source};
