//! What the interpreter reports of errors that compiled code finds, with `--engine=auto`.
//!
//! An error within the instructions after which a kernel is compiled is reported by the interpreter, also where code from the cache has
//! found it: in the same words, with the same addresses, whether or not there is a cache.

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
    /// What is left of its time limit, if there is one.
    pub timeout: Option<Duration>,
}

impl Trial<'_> {
    /// Executes it; an error where it is not over, too.
    fn run(&self) -> Result<Executed, ExecError> {
        let loaded = DecodedLaunch::new(self.module, self.launch)?.load();
        let setup = loaded.set_up_with(|spec| {
            let steps = policy::steps(loaded.program());
            spec.limits.timeout = self.timeout;
            spec.limits.steps = Some(spec.limits.steps.map_or(steps, |limit| limit.min(steps)));
        })?;
        Interpretation::new(setup).run().executed()
    }

    /// The interpreter's report of an error that code has found, if it finds one.
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
