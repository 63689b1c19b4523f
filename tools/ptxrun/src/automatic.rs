//! What the interpreter reports of errors that compiled code finds, with `--engine=auto`.
//!
//! An error within the instructions after which a kernel is compiled is reported by the interpreter, also where code from the cache has
//! found it: in the same words, with the same addresses, whether or not there is a cache.

use ptx_device::policy;
use ptx_exec::{DecodedLaunch, ExecError, Executed, Launch, TrapKind};
use ptx_verify::Verified;

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
    fn run(&self) -> Result<Option<Executed>, ExecError> {
        let decoded = DecodedLaunch::new(self.module, self.launch)?;
        let steps = policy::steps(decoded.program());
        match decoded.load().launch_at_most(steps) {
            Ok(executed) => Ok(Some(executed)),
            Err(ExecError::Trap(trap)) if matches!(trap.kind, TrapKind::Steps | TrapKind::Timeout) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The interpreter's report of an error that code has found, if it finds one.
    pub fn retold(&self, found: ExecError) -> ExecError {
        match (&found, self.run()) {
            (ExecError::Trap(trap), Err(told @ ExecError::Trap(_))) if trap.kind != TrapKind::Timeout => told,
            _ => found,
        }
    }
}
