//! A launch that the interpreter executes.

use std::sync::Arc;

use crate::error::ExecError;
use crate::launch::Report;
use crate::machine::{Finished, Relay, Running, Setup};

/// A launch that the interpreter is to execute, and of which another engine may take the clusters that have not started.
pub struct Interpretation {
    setup: Arc<Setup>,
    running: Running,
}

impl Interpretation {
    /// Its time limit begins now.
    pub fn new(setup: Arc<Setup>) -> Self {
        Self { running: Running::new(setup.clone()), setup }
    }

    /// For a thread that takes clusters from the launch, or abandons it.
    pub fn relay(&self) -> Relay {
        self.running.relay()
    }

    /// Has a function called once, by a thread that executes the launch, as soon as this many instructions of warps have
    /// been executed. The launch goes on when it returns.
    pub fn notify_at(&self, steps: u64, notice: impl FnOnce() + Send + 'static) {
        self.running.notify_at(steps, notice);
    }

    /// Runs all blocks that no other engine takes, and waits for them.
    pub fn run(self) -> Report {
        let Finished { result, output, executed } = self.running.run();
        let [warp_instructions, thread_instructions] = executed;
        let result = result.map_err(|mut trap| {
            self.setup.explain(&mut trap);
            ExecError::Trap(trap)
        });
        Report { result, output, warp_instructions, thread_instructions, compiled_blocks: 0 }
    }
}

impl std::fmt::Debug for Interpretation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interpretation").field("relay", &self.relay()).finish_non_exhaustive()
    }
}
