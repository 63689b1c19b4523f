//! The engines that execute a launch. A further one is a variant of [`Engine`] and an arm of [`compile`].

use clap::ValueEnum;
use ptx_exec::{DecodedLaunch, ExecError, Executed, Launch, LoadedLaunch, Outcome};
use ptx_verify::Verified;

/// What executes the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Engine {
    /// The reference interpreter.
    #[default]
    Interp,
}

/// A launch whose kernel an engine can execute; no buffer was copied yet.
pub trait Compiled<'l> {
    /// Copies the buffers of the launch to memory.
    fn load(self: Box<Self>) -> Box<dyn Loaded + 'l>;
}

/// A launch whose buffers are in memory. They keep what it stores, for the next time it is launched.
pub trait Loaded {
    /// Runs all blocks and waits for them.
    ///
    /// # Errors
    /// The launch was refused, or a thread was stopped.
    fn launch(&mut self) -> Result<Executed, ExecError>;

    /// What the buffers hold now, together with what the last launch did.
    fn outcome(&self, last: Executed) -> Outcome;
}

/// Makes what an engine executes of a launch.
///
/// # Errors
/// The launch does not fit the module, or something that the kernel reaches cannot be executed.
pub fn compile<'l>(
    engine: Engine,
    module: Verified<'_>,
    launch: &'l Launch,
) -> Result<Box<dyn Compiled<'l> + 'l>, ExecError> {
    match engine {
        Engine::Interp => Ok(Box::new(DecodedLaunch::new(module, launch)?)),
    }
}

impl<'l> Compiled<'l> for DecodedLaunch<'l> {
    fn load(self: Box<Self>) -> Box<dyn Loaded + 'l> {
        Box::new(DecodedLaunch::load(*self))
    }
}

impl Loaded for LoadedLaunch<'_> {
    fn launch(&mut self) -> Result<Executed, ExecError> {
        LoadedLaunch::launch(self)
    }

    fn outcome(&self, last: Executed) -> Outcome {
        LoadedLaunch::outcome(self, last)
    }
}
