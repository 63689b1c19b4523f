//! Two PTX modules compared, up to what has no meaning: names of registers, labels and local variables, comments, debug information and layout.
//!
//! [`compare`] matches functions and variables by name, and functions that have only another name by their bodies. The statements of two bodies are aligned
//! as `diff` aligns lines, where instructions are alike if they have the same opcode and operands of the same kinds; those that are aligned must then have the same modifiers, and
//! names that correspond one to one. Basic blocks are matched by the statements that they have in common.
//!
//! Time grows with the size of the modules; where bodies have little in common the alignment may not be the shortest.

mod align;
mod anonymous;
mod blocks;
mod edit;
mod function;
mod key;
mod machine;
mod module;
mod names;

pub use blocks::{Block, BlockChange};
pub use edit::{Edit, Line};
pub use function::{Counts, FunctionChange};
pub use machine::{MachineChange, MachineEdit, classes, compare_machine, instructions};
pub use module::{Change, Comparison, compare};
