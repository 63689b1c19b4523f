//! Launches that begin in the interpreter and go on as compiled code: while the interpreter executes a launch its kernel is
//! compiled, and the clusters that have not started by then are executed by the code, in the same memory.
//!
//! A cluster is executed by one engine from its beginning to its end. The interpreter starts clusters in order, so that those left to
//! the code are the last ones: the output of the interpreter comes first, and so do its errors.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use ptx_exec::Report;
use ptx_exec::engine::{Interpretation, Relay, Setup};
use ptx_host::analysis::Launched;
use ptx_host::{Cancellation, Kernel, Rest, launch_rest};
use ptx_llvm_core::detached::settle;

use crate::policy::{Compilation, Made};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The instructions that the interpreter has executed of a kernel, for each block shape: the budget before it is compiled is that
/// of all of its launches together.
#[derive(Default)]
pub(super) struct Budgets(Mutex<HashMap<Launched, Arc<Budget>>>);

impl Budgets {
    pub(super) fn of(&self, launched: Launched) -> Arc<Budget> {
        lock(&self.0).entry(launched).or_default().clone()
    }
}

/// The budget of a kernel for a block shape.
#[derive(Default)]
pub(super) struct Budget(Mutex<Spent>);

#[derive(Default)]
struct Spent {
    steps: u64,
    /// The launches that wait for the code, while it is compiled.
    waiting: Option<Vec<Weak<Handover>>>,
}

impl Budget {
    /// What is left of so many instructions.
    pub(super) fn left(&self, steps: u64) -> u64 {
        steps.saturating_sub(lock(&self.0).steps)
    }

    /// Counts instructions.
    pub(super) fn spend(&self, steps: u64) {
        let mut spent = lock(&self.0);
        spent.steps = spent.steps.saturating_add(steps);
    }

    /// Has the kernel compiled for a launch, unless it is being compiled.
    fn compile(self: &Arc<Self>, compilation: Compilation, handover: &Arc<Handover>) {
        let mut spent = lock(&self.0);
        if let Some(waiting) = &mut spent.waiting {
            waiting.retain(|other| other.strong_count() > 0);
            waiting.push(Arc::downgrade(handover));
            return;
        }
        spent.waiting = Some(vec![Arc::downgrade(handover)]);
        drop(spent);
        let budget = self.clone();
        // If the host refuses a thread, the interpreter goes on to the end.
        if compilation.start(move |made| budget.compiled(made)).is_err() {
            lock(&self.0).waiting = None;
        }
    }

    fn compiled(&self, made: Made) {
        let waiting = lock(&self.0).waiting.take();
        let mut waiting: Vec<_> =
            waiting.into_iter().flatten().filter_map(|launch| launch.upgrade()).collect();
        match (made.kernel(), waiting.pop()) {
            (Some(kernel), Some(last)) => {
                // Each launch has a thread for its code.
                for launch in waiting {
                    let kernel = kernel.clone();
                    let thread = std::thread::Builder::new().name("ptx launch".to_owned());
                    // If the host refuses one, the interpreter goes on to the end.
                    let _ = thread.spawn(move || launch.go_on(kernel));
                }
                last.go_on(kernel);
            }
            (Some(_), None) => {}
            // A refusal is kept with the kernels. A panic is the error of a launch.
            (None, last) => {
                if let Some(last) = last {
                    last.fail(made);
                }
            }
        }
    }
}

/// What the threads of a launch know of each other.
struct Handover {
    phase: Mutex<Phase>,
    /// Signalled when the code is done.
    changed: Condvar,
    cancellation: Arc<Cancellation>,
    deadline: Option<Instant>,
}

/// The progress of a launch.
enum Phase {
    /// The kernel has not been compiled.
    Interpreted(Arc<Setup>, Relay),
    /// The code runs. The interpreter goes on with what it has begun, also on the only host thread of a launch: blocks of both
    /// may wait for each other.
    Compiled,
    /// The code has run.
    Done(Done),
    /// The compilation failed.
    Failed(Made),
    Over,
}

/// What the code did of a launch, or its panic.
type Done = Result<Report, Box<dyn Any + Send>>;

impl Handover {
    /// Executes what has not started, now that there is code.
    fn go_on(&self, kernel: Arc<Kernel>) {
        let mut phase = lock(&self.phase);
        let (setup, relay) = match std::mem::replace(&mut *phase, Phase::Over) {
            Phase::Interpreted(setup, relay) => (setup, relay),
            other => {
                *phase = other;
                return;
            }
        };
        let rest = relay.take_rest();
        if rest.is_empty() {
            return;
        }
        *phase = Phase::Compiled;
        drop(phase);
        let done = catch_unwind(AssertUnwindSafe(|| self.run(&kernel, &setup, rest.start)));
        // The memory of the launch is its caller's when that knows that the code has run.
        drop((setup, relay, kernel));
        *lock(&self.phase) = Phase::Done(done);
        self.changed.notify_all();
    }

    fn run(&self, kernel: &Kernel, setup: &Arc<Setup>, first: u64) -> Report {
        let timeout = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let rest = Rest { first, timeout, cancellation: Some(&self.cancellation) };
        launch_rest(kernel, setup, &rest, |_, run| run())
    }

    fn fail(&self, made: Made) {
        let mut phase = lock(&self.phase);
        if let Phase::Interpreted(..) = *phase {
            *phase = Phase::Failed(made);
        }
    }

    /// Waits for the code, if it executes anything, after the interpreter is done, with or without an error.
    fn finish(&self, is_stopped: bool) -> Option<Report> {
        let mut phase = lock(&self.phase);
        loop {
            match std::mem::replace(&mut *phase, Phase::Over) {
                Phase::Interpreted(..) | Phase::Over => return None,
                Phase::Failed(made) => {
                    drop(phase);
                    // What was refused was interpreted; a panic goes on here.
                    let _refused = made.get();
                    return None;
                }
                Phase::Compiled => {
                    *phase = Phase::Compiled;
                    if is_stopped {
                        self.cancellation.cancel();
                    }
                    phase = self.changed.wait(phase).unwrap_or_else(PoisonError::into_inner);
                }
                Phase::Done(Ok(done)) => return Some(done),
                Phase::Done(Err(payload)) => {
                    drop(phase);
                    resume_unwind(payload);
                }
            }
        }
    }
}

/// Launches a kernel that has not been compiled, with a budget of instructions before it is.
pub(super) fn launch(
    setup: &Arc<Setup>,
    compilation: Compilation,
    budget: &Arc<Budget>,
    steps: u64,
) -> Report {
    let timeout = setup.spec().limits.timeout;
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let interpretation = Interpretation::new(setup.clone());
    let relay = interpretation.relay();
    let handover = Arc::new(Handover {
        phase: Mutex::new(Phase::Interpreted(setup.clone(), relay.clone())),
        changed: Condvar::new(),
        cancellation: Arc::default(),
        deadline,
    });
    let left = budget.left(steps);
    let (own, at) = (budget.clone(), Arc::downgrade(&handover));
    interpretation.notify_at(left, move || {
        if let Some(handover) = at.upgrade() {
            own.compile(compilation, &handover);
        }
    });
    let mut report = interpretation.run();
    let rest = handover.finish(report.result.is_err());
    budget.spend(relay.steps());
    settle();
    if let Some(Report { result, output, compiled_blocks, .. }) = rest {
        report.output.extend(output);
        report.result = report.result.and(result);
        report.compiled_blocks = compiled_blocks;
    }
    report
}
