//! Why a kernel cannot be specialized.

use thiserror::Error;

/// Why a kernel cannot be specialized. The fault is in the assumptions, not in the module.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SpecializeError {
    /// There is no kernel of this name.
    #[error("the module has no kernel `{0}`")]
    NoKernel(String),
    /// There is no kernel at all.
    #[error("the module has no kernel")]
    None,
    /// No kernel is named, and there are several.
    #[error("the module has several kernels, so that entry= must say which: {}", .0.join(", "))]
    Several(Vec<String>),
    /// The kernel has fewer parameters.
    #[error("arg{index}: the kernel `{kernel}` has {count} parameters, counted from 0")]
    NoParameter {
        /// The index.
        index: usize,
        /// The kernel.
        kernel: String,
        /// The number of its parameters.
        count: usize,
    },
    /// A parameter that is neither an integer nor a floating-point number.
    #[error("arg{index}: the parameter is {is}, whose value cannot be assumed")]
    Parameter {
        /// The index of the parameter.
        index: usize,
        /// What it is.
        is: &'static str,
    },
    /// A value that the type of the parameter does not have.
    #[error("arg{index}: {value} is not a value of type .{ty}")]
    Value {
        /// The index of the parameter.
        index: usize,
        /// The value.
        value: String,
        /// The type of the parameter.
        ty: &'static str,
    },
    /// The kernel cannot be launched with such blocks.
    #[error("blocks of {} threads contradict the kernel's {directive}", .block.map(|extent| extent.to_string()).join(","))]
    Block {
        /// The threads of a block.
        block: [u32; 3],
        /// The directive.
        directive: &'static str,
    },
    /// The module has the name of the new kernel, or of its assumptions, already.
    #[error("the module has `{0}` already")]
    Taken(String),
}
