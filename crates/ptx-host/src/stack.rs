//! The stack of the function of a kernel: how many bytes it needs, from the rows and the local memory of the program, and whether each warp needs a
//! stack of its own.

use ptx_program::{Effect, Function, Op, Program, WARP};

use crate::code::Runs;
use crate::join::most_rows;

/// The most stack of a warp's function for which it runs on the stack of a host thread.
pub(crate) const LARGEST_ON_THREAD: usize = 512 << 10;

/// Upper bound on the stack of a warp's function: its rows and its local memory, the rows twice for temporaries, and the stack of the
/// runtime. Only touched pages take memory.
pub(crate) fn stack_bytes(program: &Program) -> usize {
    stack_bytes_of(program, WARP)
}

/// As [`stack_bytes`], for a function with the rows of `lanes` lanes at a time.
pub(crate) fn stack_bytes_of(program: &Program, lanes: usize) -> usize {
    const RUNTIME: usize = 64 << 10;
    let function = program.kernel();
    let local = |function: &Function| if has_large_local(function) { 0 } else { function.local as usize };
    let rows = |function: &Function| function.rows as usize + most_rows(program);
    let of_lane = 2 * 8 * rows(function) + local(function);
    of_lane * lanes + RUNTIME
}

/// Whether the local memory of a kernel is too large for the stack of its function.
pub(crate) fn has_large_local(function: &Function) -> bool {
    function.local > 64 << 10
}

/// Whether each warp needs a stack of its own.
pub(crate) fn waits(program: &Program, runs: Runs, stack: usize) -> bool {
    match runs {
        // Host threads have small stacks.
        Runs::Warp => has_barriers(program) || stack > LARGEST_ON_THREAD,
        Runs::PatientWarp => true,
        Runs::Cluster | Runs::PatientCluster | Runs::Block => false,
    }
}

pub(crate) fn has_barriers(program: &Program) -> bool {
    program.code.iter().any(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
}
