//! When kernels are compiled: the policy of [`Engine::Automatic`](crate::Engine::Automatic), which `ptxrun --engine=auto` shares.
//!
//! Compiling takes tens of milliseconds and more, in which the interpreter executes about a million instructions of warps.
//! So the interpreter begins a launch, and only once it has executed that many instructions is the kernel compiled, while the
//! interpreter goes on. Whichever is ready first decides: the end of the launch, or compiled code.
//!
//! | | a launch whose memory is needed elsewhere, as on a device | a launch with memory of its own, as in `ptxrun` |
//! |---|---|---|
//! | once there is code | it executes the clusters that have not started; those that have started end in the interpreter | the launch begins anew, on fresh memory (`race`) |
//! | launches of a few blocks, all of which have started by then | the interpreter executes them on a copy of the memory, which is discarded if they are long; see [`is_isolated`] | as others |
//! | those of them that cannot be executed on a copy | compiled before they begin; small ones of long kernels are executed to their end by the interpreter ([`is_sooner_interpreted`]) | as others |

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

use ptx_exec::{Geometry, Space};
use ptx_program::{AsyncOp, Builtin, Callee, CollectiveKind, Effect, Op, Order, Program, WARP};

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

/// A launch of more warps, all of which start at once, is not left to the interpreter if it may be long: a block of the largest size.
const MOST_WARPS_INTERPRETED: u64 = 32;

/// A kernel of fewer instructions is compiled in a second or two.
const LONG_TO_COMPILE: usize = 4096;

/// Whether it is not worth to compile a kernel before a launch that may be long, since it has so many instructions that a few warps are likely to be
/// done before: a kernel with a memory manager in it took minutes, of which such launches execute a hundred instructions.
pub fn is_sooner_interpreted(program: &Program, geometry: &Geometry) -> bool {
    let warps = geometry.blocks().saturating_mul(geometry.threads().div_ceil(WARP) as u64);
    program.code.len() > LONG_TO_COMPILE && warps <= MOST_WARPS_INTERPRETED
}

/// Whether nothing but global memory shows that a launch has run, and other launches and the host cannot tell in which order it has stored
/// to that: it may run on a copy of the memory that replaces it at the end.
pub fn is_isolated(program: &Program) -> bool {
    let is_shared = |space: Space| matches!(space, Space::Shared | Space::SharedCluster);
    program.code.iter().all(|inst| match &inst.op {
        Op::Alu(_) => true,
        Op::Effect(effect) => match effect {
            Effect::Load(load) => !load.polls && load.order == Order::Relaxed,
            Effect::Store(store) => store.order == Order::Relaxed,
            Effect::Atomic(atomic) => is_shared(atomic.address.space),
            Effect::VectorAtomic(atomic) => is_shared(atomic.address.space),
            Effect::WideAtomic(atomic) => is_shared(atomic.address.space),
            Effect::Call(call) => !matches!(call.callee, Callee::Builtin(Builtin::Malloc | Builtin::Free)),
            Effect::Copy(_)
            | Effect::Special { .. }
            | Effect::FrameAddress { .. }
            | Effect::AsyncCopy(_)
            | Effect::AsyncGroup(_)
            | Effect::Mbarrier(_)
            | Effect::Within(_)
            | Effect::Stack(_)
            | Effect::BlockBarrier(_)
            | Effect::ClusterBarrier(_)
            | Effect::MapAddress(_)
            | Effect::Collective(_)
            | Effect::Warpgroup(_)
            | Effect::ActiveMask { .. }
            | Effect::Branch { .. }
            | Effect::BranchIndexed { .. }
            | Effect::Return
            | Effect::Exit
            | Effect::Trap
            | Effect::Breakpoint
            | Effect::Pause
            | Effect::Nothing => true,
            // Fences order stores for others, images are not part of global memory, multimem and bulk operations may update it in place;
            // nothing is known of an effect that is not listed.
            _ => false,
        },
    })
}

/// What copying memory takes, in instructions of warps of which a kernel has `steps` before it is compiled: as long as that is the copy of
/// 64 MiB, there and back.
pub fn steps_of_copy(steps: u64, bytes: u64) -> u64 {
    (bytes >> 13).saturating_mul(steps) >> 13
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
