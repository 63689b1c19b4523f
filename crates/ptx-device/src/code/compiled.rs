//! Kernels with the feature `jit`: a launch executes native code if the engine of its device does.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use ptx_diag::Diagnostic;
use ptx_exec::engine::{Checked, Interpretation};
use ptx_exec::{LaunchSpec, Prepared, Report, codes};
use ptx_host::Kernels;
use ptx_host::analysis::Launched;
use ptx_link::Sources;

use super::relay::{self, Budgets};
use crate::error::refused;
use crate::policy::{self, Compilation, NotStarted, Start, When};
use crate::{Device, DeviceError, Engine};

/// The code of a kernel for each block shape.
#[derive(Clone, Default)]
pub(crate) struct Code {
    unchecked: Arc<Kernels>,
    /// Code that checks memory accesses.
    checked: Checking,
    /// What the interpreter executed before there was code.
    budgets: Arc<Budgets>,
}

/// Code that checks memory accesses.
#[derive(Clone)]
struct Checking(Arc<Kernels>);

impl Default for Checking {
    fn default() -> Self {
        Self(Arc::new(Kernels::new(ptx_host::Options::default().with_check_memory(true))))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl Code {
    /// Compiles the code for launches of a shape; returns whether they execute compiled code.
    pub(crate) fn prepare(
        &self,
        device: &Device,
        prepared: &Prepared,
        spec: &LaunchSpec,
        sources: &Sources,
    ) -> Result<bool, DeviceError> {
        let Ok(launch) = prepared.checked(spec) else { return Ok(false) };
        let started = self.start(device, &launch, When::AtOnce, None, sources)?;
        Ok(matches!(started, Start::Compiled(_)))
    }

    fn start(
        &self,
        device: &Device,
        launch: &Checked<'_>,
        when: When,
        deadline: Option<Instant>,
        sources: &Sources,
    ) -> Result<Start, DeviceError> {
        let compilation = || Ok(self.compilation(device, launch));
        let started = policy::start(device.engine(), launch, when, deadline, compilation, || ());
        started.map_err(|error| match error {
            NotStarted::NotCompiled(why) => {
                let finding = why.finding(launch.program, codes::UNSUPPORTED, "the kernel is not compiled");
                DeviceError::Kernel(refused(sources, finding))
            }
            NotStarted::TimedOut => {
                let finding = Diagnostic::error_without_place(codes::TIMEOUT, policy::NOT_IN_TIME);
                DeviceError::Launch(refused(sources, finding))
            }
        })
    }

    fn compilation(&self, device: &Device, launch: &Checked<'_>) -> Compilation {
        Compilation {
            compiler: device.compiler().clone(),
            kernels: if device.checks_memory() { self.checked.0.clone() } else { self.unchecked.clone() },
            program: launch.program.clone(),
            launched: Launched::of(&launch.geometry),
        }
    }

    pub(crate) fn launch(
        &self,
        device: &Device,
        prepared: &Prepared,
        mut spec: LaunchSpec,
        sources: &Sources,
    ) -> Result<Report, DeviceError> {
        let deadline = spec.limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let (first, mut started) = match prepared.checked(&spec) {
            Ok(launch) => {
                let first = First::of(device, &launch);
                (first, self.start(device, &launch, first.when(), deadline, sources)?)
            }
            Err(error) => return Ok(Report::refused(error)),
        };
        if let (First::Tried, Start::Both(compilation)) = (first, &started) {
            if let Some(report) = self.try_out(device, prepared, &spec, compilation) {
                return Ok(report);
            }
            // It fits, as before.
            if let Ok(launch) = prepared.checked(&spec) {
                started = self.start(device, &launch, When::AtOnce, deadline, sources)?;
            }
        }
        // What is left of it after the compilation.
        spec.limits.timeout = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let setup = match prepared.set_up(spec) {
            Ok(setup) => setup,
            Err(error) => return Ok(Report::refused(error)),
        };
        Ok(match started {
            Start::Interpreted(_) => Interpretation::new(setup).run(),
            Start::Compiled(kernel) => ptx_host::launch(&kernel, &setup),
            Start::Both(compilation) => {
                let budget = self.budgets.of(compilation.launched);
                let steps = device.interpreted_first(&compilation.program);
                relay::launch(&setup, compilation, &budget, steps)
            }
        })
    }

    /// Executes a launch in the interpreter if that is short; `None` if it is not, and nothing has happened.
    fn try_out(
        &self,
        device: &Device,
        prepared: &Prepared,
        spec: &LaunchSpec,
        compilation: &Compilation,
    ) -> Option<Report> {
        let budget = self.budgets.of(compilation.launched);
        let steps = device.interpreted_first(&compilation.program);
        let copy = policy::steps_of_copy(steps, prepared.memory_bytes());
        let left = budget.left(steps).checked_sub(copy).filter(|&left| left > 0)?;
        let report = prepared.try_out(spec.clone(), left);
        budget.spend(copy + report.as_ref().map_or(left, |report| report.warp_instructions));
        report
    }
}

/// What begins a launch on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum First {
    /// Compiled code.
    Code,
    /// The interpreter, which executes a short launch on a copy of the memory, and nothing of a long one.
    Tried,
    /// The interpreter, which leaves blocks that have not started to compiled code.
    Relayed,
}

impl First {
    fn of(device: &Device, launch: &Checked<'_>) -> Self {
        // Blocks that have started end in the interpreter, however long they are.
        let is_together = ptx_host::kept_together(launch).is_some();
        let starts_at_once = launch.geometry.clusters() <= launch.threads().get() as u64
            && !policy::is_straight(launch.program);
        if device.engine() == Engine::Compiled
            || device.interpreted_first(launch.program) == 0
            // The interpreter would check accesses.
            || !device.checks_memory()
        {
            Self::Code
        } else if !starts_at_once && !is_together {
            Self::Relayed
        } else if policy::is_isolated(launch.program) {
            Self::Tried
        } else if !is_together && policy::is_sooner_interpreted(launch.program, &launch.geometry) {
            // It ends in the interpreter; code that is made meanwhile is for the next launches.
            Self::Relayed
        } else {
            Self::Code
        }
    }

    fn when(self) -> When {
        match self {
            Self::Code => When::AtOnce,
            Self::Tried | Self::Relayed => When::OnceLong,
        }
    }
}
