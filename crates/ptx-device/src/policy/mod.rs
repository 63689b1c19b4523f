//! When kernels are compiled: the policy of [`Engine::Automatic`](crate::Engine::Automatic), which `ptxrun --engine=auto` shares.
//!
//! Compiling takes tens of milliseconds and more, in which the interpreter executes about a million instructions of warps.
//! So the interpreter begins a launch, and only once it has executed that many instructions is the kernel compiled, while the
//! interpreter goes on. Whichever is ready first decides: the end of the launch, or compiled code.
//!
//! | | a launch whose memory is needed elsewhere, as on a device | a launch with memory of its own, as in `ptxrun` |
//! |---|---|---|
//! | once there is code | it executes the clusters that have not started; those that have started end in the interpreter | the launch begins anew, on fresh memory (`race`) |
//! | launches that take too long | those with a few long blocks, all of which have started by then | none: at most twice as long as the faster engine |

#[cfg(feature = "jit")]
mod compilation;
#[cfg(feature = "jit")]
mod race;
#[cfg(feature = "jit")]
mod start;

#[cfg(feature = "jit")]
pub use compilation::{Compilation, Made};
#[cfg(feature = "jit")]
pub use race::{Raced, race};
#[cfg(feature = "jit")]
pub use start::{NotCompiled, NotStarted, Start, When, start};

use ptx_exec::Geometry;
use ptx_exec::program::{AsyncOp, Callee, CollectiveKind, Effect, Op, Program, WARP};

/// The message of [`NotStarted::TimedOut`].
#[cfg(feature = "jit")]
pub const NOT_IN_TIME: &str =
    "the launch took longer than its time limit: its kernel was not compiled in time";
/// Instructions of warps that the interpreter executes before a kernel is compiled.
pub const STEPS: u64 = 1 << 20;
/// The same in kernels with matrix products, one of which takes as long as a hundred other instructions and more.
pub const STEPS_OF_PRODUCTS: u64 = 1 << 14;
/// A launch of more warps is not short: the smallest kernel that does something has about sixteen instructions.
pub const MOST_WARPS: u64 = STEPS / 16;

/// The instructions of warps that the interpreter executes before a kernel is compiled.
pub fn steps(program: &Program) -> u64 {
    let is_product = |op: &Op| match op {
        Op::Effect(Effect::Collective(collective)) => {
            matches!(collective.kind, CollectiveKind::Multiply(_))
        }
        Op::Effect(Effect::Async(AsyncOp::Tensor(_)) | Effect::Warpgroup(_)) => true,
        _ => false,
    };
    if program.code.iter().any(|inst| is_product(&inst.op)) { STEPS_OF_PRODUCTS } else { STEPS }
}

/// Whether a launch may be over after that many instructions.
pub fn may_be_short(geometry: &Geometry) -> bool {
    geometry.blocks().saturating_mul(geometry.threads().div_ceil(WARP) as u64) <= MOST_WARPS
}

/// Whether a thread executes each instruction at most once, so that the length of the program bounds a launch.
pub fn is_straight(program: &Program) -> bool {
    program.code.iter().zip(0..).all(|(inst, pc): (_, u32)| match &inst.op {
        Op::Effect(Effect::Branch { target }) => *target > pc,
        Op::Effect(Effect::BranchIndexed { targets, .. }) => targets.iter().all(|&target| target > pc),
        Op::Effect(Effect::Call(call)) => matches!(call.callee, Callee::Builtin(_)),
        _ => true,
    })
}
