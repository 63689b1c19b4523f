//! What executes the kernels of a device, and what it checks.

/// The execution engine of the kernels of a device, by default [`Engine::Automatic`].
///
/// Compiled kernels have the same results as the interpreter and are stopped by the same errors, unless their accesses
/// are **not checked** ([`Check`]). The interpreter's counts ([`Report::warp_instructions`](ptx_exec::Report::warp_instructions)) are zero.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// The interpreter, which checks every access.
    Interpreter,
    /// Native code, which LLVM generates when a kernel is first launched with a block shape. Launches that cannot be
    /// compiled are errors. Accesses are not checked unless [`Check::Memory`] is set.
    Compiled,
    /// Native code if a launch can be compiled, otherwise the interpreter: also if there is no LLVM, or the crate lacks
    /// the feature `jit`. Accesses are checked unless [`Check::None`] is set.
    ///
    /// A kernel is compiled only once the interpreter has executed a [number of its
    /// instructions](crate::DeviceOptions::interpreted_first), on a thread of its own, while the launch goes on in the interpreter.
    /// Blocks that have not started when there is code are executed by it; [`Report::compiled_blocks`](ptx_exec::Report::compiled_blocks)
    /// counts them. Where that is not possible or of no use, the interpreter executes short launches on a copy of the memory, and nothing of
    /// long ones: launches of no more blocks than host threads unless the kernel has neither loops nor calls, cooperative ones, and kernels
    /// with accesses of 128 bits as one element. Kernels are compiled before their first launch if others may see it before its end (atomic
    /// operations on global memory, for instance), for launches of more than 65,536 warps, and with [`Check::None`];
    /// `docs/compiled.md` has the whole list.
    #[default]
    Automatic,
}

/// The checks of compiled kernels; the interpreter checks every access.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Check {
    /// Memory with [`Engine::Automatic`], nothing with [`Engine::Compiled`].
    #[default]
    Usual,
    /// None: an access outside the memory of the device is undefined behaviour as in a native program, so that an
    /// incorrect kernel may terminate the process or corrupt its memory.
    None,
    /// Every access, like the interpreter (`docs/compiled.md` lists possible differences in reports).
    Memory,
}
