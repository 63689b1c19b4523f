//! Two PTX modules compared, up to what has no meaning: names of registers, labels and local variables, comments, debug information and layout.
//!
//! [`compare`] matches functions and variables by name, and functions that have only another name by their bodies. The statements of two bodies are aligned
//! as `diff` aligns lines, where instructions are alike if they have the same opcode and operands of the same kinds; those that are aligned must then have the same modifiers, and
//! names that correspond one to one.
//!
//! Time grows with the size of the modules; where bodies have little in common the alignment may not be the shortest.

mod align;
mod function;
mod key;
mod module;
mod names;

pub use function::{Counts, Edit, FunctionChange, Line};
pub use module::{Change, Comparison, compare};
