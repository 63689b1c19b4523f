//! The integration tests, as one program.

mod alignment;
mod claims;
mod convergence;
mod defaults;
mod families;
mod forms;
mod gpu_golden;
mod grammar;
mod imports;
mod intrinsics;
mod kernel_program;
mod kernels;
mod langref;
mod legalize;
mod linear;
mod linear_compiling;
mod linear_lowering;
mod linear_raising;
mod linked;
mod machine_code;
mod skipped;
mod textures;
mod typed_calls;
mod updates;
mod volatile;
mod wrong_files;
