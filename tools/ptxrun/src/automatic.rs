//! What `--engine=auto` does before it compiles a kernel.
//!
//! Compiling takes tens of milliseconds, in which the interpreter executes about a million instructions of warps. So the interpreter begins
//! the launch; one that is not over after [`STEPS`] instructions begins anew as compiled code, which checks its accesses. A launch that is short pays
//! for no compiler then, and one that is long twice as much as for the compiler alone. The number counts instructions and not time, so
//! that the same launch is executed in the same way each time.
//!
//! An error within these instructions is told by the interpreter, also where code that was kept on disk has found it: in the same words, with the same
//! addresses, whether or not there is a cache.

use ptx_exec::program::{AsyncOp, CollectiveKind, Effect, Op, Program, WARP};
use ptx_exec::{DecodedLaunch, ExecError, Geometry, Launch, Outcome, TrapKind};
use ptx_verify::Verified;

/// Instructions of warps that the interpreter executes at first.
const STEPS: u64 = 1 << 20;
/// The same in kernels with products of matrices, of which one takes as long as a hundred other instructions and more.
const STEPS_OF_PRODUCTS: u64 = 1 << 14;
/// A launch of more warps is not short: the least kernel that does something has about sixteen instructions.
const MOST_WARPS: u64 = STEPS / 16;

/// Whether a launch may be over after few instructions.
pub fn may_be_short(geometry: &Geometry) -> bool {
    geometry.blocks().saturating_mul(geometry.threads().div_ceil(WARP) as u64) <= MOST_WARPS
}

/// The instructions that the interpreter executes of a program at first.
fn steps(program: &Program) -> u64 {
    let is_product = |op: &Op| match op {
        Op::Effect(Effect::Collective(collective)) => {
            matches!(collective.kind, CollectiveKind::Multiply(_))
        }
        Op::Effect(Effect::Async(AsyncOp::Tensor(_)) | Effect::Warpgroup(_)) => true,
        _ => false,
    };
    if program.code.iter().any(|inst| is_product(&inst.op)) { STEPS_OF_PRODUCTS } else { STEPS }
}

/// The beginning of a launch, in the interpreter.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The module.
    pub module: Verified<'a>,
    /// The launch.
    pub launch: &'a Launch,
}

impl Trial<'_> {
    /// Executes it; `None` where the launch is not over.
    ///
    /// # Errors
    /// The launch was refused, or a thread was stopped.
    pub fn run(&self) -> Result<Option<Outcome>, ExecError> {
        let decoded = DecodedLaunch::new(self.module, self.launch)?;
        let steps = steps(decoded.program());
        let loaded = decoded.load();
        match loaded.launch_at_most(steps) {
            Ok(executed) => Ok(Some(loaded.outcome(executed))),
            Err(ExecError::Trap(trap)) if matches!(trap.kind, TrapKind::Steps | TrapKind::Timeout) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// What the interpreter tells of an error that code has found, where it comes to one.
    pub fn retold(&self, found: ExecError) -> ExecError {
        match (&found, self.run()) {
            (ExecError::Trap(_), Err(told @ ExecError::Trap(_))) => told,
            _ => found,
        }
    }
}
