//! The interpreter's reports of errors that compiled code detects, with `--engine=auto`.
//!
//! An error within the number of instructions after which a kernel is compiled is reported by the interpreter, even if code from the cache
//! detected it, so that the message and the addresses do not depend on the cache.

use std::time::Duration;

use ptx_device::policy;
use ptx_exec::engine::Interpretation;
use ptx_exec::{DecodedLaunch, ExecError, Executed, Launch, TrapKind};
use ptx_verify::Verified;

/// The beginning of a launch, in the interpreter.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The module.
    pub module: Verified<'a>,
    /// The launch.
    pub launch: &'a Launch,
    /// The rest of its time limit, if there is one.
    pub timeout: Option<Duration>,
}

impl Trial<'_> {
    /// Executes it up to the limit of steps, which is an error, too.
    fn run(&self) -> Result<Executed, ExecError> {
        let loaded = DecodedLaunch::new(self.module, self.launch)?.load();
        let setup = loaded.set_up_with(|spec| {
            let steps = policy::steps(loaded.program());
            spec.limits.timeout = self.timeout;
            spec.limits.steps = Some(spec.limits.steps.map_or(steps, |limit| limit.min(steps)));
        })?;
        Interpretation::new(setup).run().executed()
    }

    /// Returns the interpreter's report of an error that compiled code detected, or `found` if the interpreter detects none.
    pub fn retold(&self, found: ExecError) -> ExecError {
        let ExecError::Trap(trap) = &found else { return found };
        if trap.kind == TrapKind::Timeout {
            return found;
        }
        match self.run() {
            Err(ExecError::Trap(told)) if !matches!(told.kind, TrapKind::Steps | TrapKind::Timeout) => {
                ExecError::Trap(told)
            }
            Ok(_) | Err(_) => found,
        }
    }
}
