//! Functions that every kernel may call without a definition.

/// The names of functions that are built in: a module only declares them. `vprintf` prints, `malloc` and `free` use the heap, `__assertfail` stops the
/// kernel (CUDA Programming Guide, "C++ Language Extensions").
pub const BUILTIN_FUNCTIONS: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];
