//! Executes the launch of a plan with its engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ptx_cli::{ExitStatus, Failure, Output};
use ptx_demangle::demangled_finding;
use ptx_device::policy::{self, Compilation, NotStarted, Raced, Start, When};
use ptx_diag::{Diagnostic, Diagnostics, Severity};
use ptx_driver::Sources;
use ptx_exec::engine::{Checked, Interpretation, Setup};
use ptx_exec::{DecodedLaunch, ExecError, Executed, Launch, LoadedLaunch, Outcome, Report, codes};
use ptx_host::analysis::Launched;
use ptx_host::{Cancellation, CompileError, Compiler, Kernel, Kernels, Options, Rest};
use ptx_llvm_core::KernelCrash;
use ptx_verify::Verified;

use crate::arguments::Arguments;
use crate::automatic::Trial;
use crate::engine::{self, Check, Engine};
use crate::interrupt::{self, Interruptible, Watched};
use crate::plan::Plan;
use crate::store::Store;
use crate::time::{self, Stopwatch};

/// A launch, and how it is to be executed.
#[derive(Clone, Copy)]
pub struct Launching<'a> {
    /// The command line.
    pub arguments: &'a Arguments,
    /// The plan, from the command line and the launch file.
    pub plan: &'a Plan,
    /// The texts of the module.
    pub sources: &'a Sources,
    /// The module.
    pub module: Verified<'a>,
    /// The launch.
    pub launch: &'a Launch,
}

/// The state of a launch after its start.
enum Begun<'a> {
    /// It is finished.
    Over(Outcome),
    /// It is to be executed by compiled code or the interpreter.
    Ready(Box<Ready<'a>>),
}

/// A launch that is to be executed; no buffer has been copied yet.
struct Ready<'a> {
    decoded: DecodedLaunch<'a>,
    /// Its compiled code; without it the interpreter executes the launch.
    code: Option<Arc<Kernel>>,
}

impl<'a> Launching<'a> {
    /// Launches as often as `--repeat` specifies, and returns the outcome of the last launch. `read` is the time for reading the program.
    ///
    /// # Errors
    /// The launch was rejected, or a thread was stopped.
    pub fn execute(&self, read: Duration, printed: &mut Printed<'_>) -> Result<Outcome, Failure> {
        let begin = Stopwatch::start();
        // The time limit applies to the first launch including its compilation, and to each launch after it.
        let deadline = self.plan.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        match self.begin(deadline, printed)? {
            Begun::Over(outcome) => {
                printed.write(&outcome.output)?;
                Ok(outcome)
            }
            Begun::Ready(ready) => {
                let compile = read + begin.elapsed().wall;
                self.repeat(*ready, (compile, deadline), printed)
            }
        }
    }

    /// When a kernel that is not in the cache is compiled: before the launch if an option concerns compiled code.
    fn when(&self) -> When {
        let Arguments { remarks, jit_check_shapes, disable, cpu, debug, perf_map, repeat, time, .. } =
            self.arguments;
        let concerns_code = !disable.is_empty()
            || cpu.is_some()
            || *remarks
            || *jit_check_shapes
            || *debug
            || *perf_map
            || repeat.get() > 1
            || time.is_some();
        if concerns_code { When::AtOnce } else { When::OnceLong }
    }

    fn checks_memory(&self) -> bool {
        let check = self.arguments.check;
        check.map_or(self.plan.engine == Engine::Auto, |check| check == Check::Memory)
    }

    /// The options of the compiler.
    fn options(&self) -> Options {
        let Arguments { jit_check_shapes, disable, .. } = self.arguments;
        Options::default()
            .with_check_shapes(*jit_check_shapes)
            .with_disabled(disable.iter().copied())
            .with_check_memory(self.checks_memory())
    }

    /// How the kernel is compiled.
    fn compilation(&self, launch: &Checked<'_>) -> Result<Compilation, CompileError> {
        let Arguments { perf_map, debug, cpu, .. } = self.arguments;
        let compiler = match cpu {
            None => Compiler::host().with_cache(Store::new(self.arguments).open()),
            Some(name) => Compiler::new(engine::processor(Some(name))?)?,
        };
        let mut options = self.options();
        if *perf_map {
            options.perf_map = self.sources.files().first().map(|file| file.name().to_owned());
        }
        if *debug {
            compiler.show_to_debuggers()?;
            options.lines = Some(Arc::new(engine::lines(launch.program, self.sources)));
        }
        Ok(Compilation {
            compiler: Arc::new(compiler),
            kernels: Arc::new(Kernels::new(options)),
            program: launch.program.clone(),
            launched: Launched::of(&launch.geometry),
        })
    }

    /// Selects the engine that executes the launch, and starts the launch.
    fn begin(&self, deadline: Option<Instant>, printed: &mut Printed<'_>) -> Result<Begun<'a>, Failure> {
        let terminal = self.arguments.report.terminal();
        let interpreted = || DecodedLaunch::new(self.module, self.launch);
        let refused = |error| failed(self.sources, error);
        if self.plan.engine == Engine::Interp {
            let decoded = terminal.step("compile", interpreted).map_err(refused)?;
            return Ok(Begun::Ready(Box::new(Ready { decoded, code: None })));
        }
        let decoded = DecodedLaunch::at_host_addresses(self.module, self.launch).map_err(refused)?;
        let launch = decoded.checked().map_err(refused)?;
        let mut compiler = None;
        let started = terminal.step("compile", || {
            let compilation = || {
                let made = self.compilation(&launch)?;
                compiler = Some(made.compiler.clone());
                Ok(made)
            };
            let tell = || terminal.note(|| "the kernel is compiled before the launch".to_owned());
            policy::start(self.plan.engine.into(), &launch, self.when(), deadline, compilation, tell)
        });
        match started.map_err(|error| not_started(self.sources, error, &launch))? {
            Start::Compiled(kernel) => {
                terminal.note(|| "compiled code executes the launch".to_owned());
                Store::new(self.arguments).report(compiler.as_deref(), &kernel);
                if self.arguments.remarks {
                    let launched = Launched::of(&launch.geometry);
                    let cpu = self.arguments.cpu.as_deref();
                    let remarks = engine::remarks(launch.program, &launched, cpu, &self.options());
                    show_remarks(self.arguments, self.sources, remarks)?;
                }
                Ok(Begun::Ready(Box::new(Ready { decoded, code: Some(kernel) })))
            }
            Start::Interpreted(why) => {
                if let Some(why) = why {
                    terminal.note(|| format!("the interpreter executes the launch: {}", why.why()));
                    let remark = engine::interpreted(&why, launch.program);
                    show_remarks(self.arguments, self.sources, [remark])?;
                }
                Ok(Begun::Ready(Box::new(Ready { decoded: interpreted().map_err(refused)?, code: None })))
            }
            Start::Both(compilation) => {
                terminal.step("execute", || self.race(decoded, compilation, deadline, printed))
            }
        }
    }

    /// Executes a launch in the interpreter, until it is finished or its kernel is compiled.
    fn race(
        &self,
        decoded: DecodedLaunch<'a>,
        compilation: Compilation,
        deadline: Option<Instant>,
        printed: &mut Printed<'_>,
    ) -> Result<Begun<'a>, Failure> {
        let terminal = self.arguments.report.terminal();
        let loaded = DecodedLaunch::new(self.module, self.launch).map(DecodedLaunch::load);
        let setup = loaded.and_then(|loaded| {
            let setup = loaded.set_up_with(|spec| spec.limits.timeout = left(deadline))?;
            Ok((setup, loaded))
        });
        let (setup, loaded) = setup.map_err(|error| failed(self.sources, error))?;
        let interpretation = Interpretation::new(setup.clone());
        let steps = policy::steps(setup.program());
        let tell = move || {
            terminal.show_work("execute and compile");
            terminal.note(|| {
                "the launch is long: its kernel is compiled while the interpreter goes on".to_owned()
            });
        };
        let compiler = compilation.compiler.clone();
        let watched = interpreted(&interpretation, &setup);
        let _interruptible = interrupt::during(terminal, &self.launch.entry, watched);
        let (report, error) = match policy::race(interpretation, compilation, steps, tell) {
            Raced::Compiled(kernel) => {
                terminal.note(|| {
                    "compiled code executes the launch from its beginning: it was ready before the interpreter"
                        .to_owned()
                });
                Store::new(self.arguments).report(Some(&compiler), &kernel);
                return Ok(Begun::Ready(Box::new(Ready { decoded, code: Some(kernel) })));
            }
            Raced::Interpreted(report, error) => (report, error),
        };
        match error.map(policy::NotCompiled::from) {
            Some(why) => {
                terminal.note(|| format!("the interpreter executed the launch: {}", why.why()));
                let remark = engine::interpreted(&why, decoded.program());
                show_remarks(self.arguments, self.sources, [remark])?;
            }
            None if report.warp_instructions <= steps => {
                terminal.note(|| "the interpreter executed the launch, which is short".to_owned());
            }
            None => terminal
                .note(|| "the interpreter executed the launch before its kernel was compiled".to_owned()),
        }
        match report.executed() {
            Ok(executed) => Ok(Begun::Over(loaded.outcome(executed))),
            Err(error) => Err(printed.stopped(self.sources, error)),
        }
    }

    /// Launches as often as `--repeat` specifies, and returns the outcome of the last launch. `compile` is the time before the first one.
    fn repeat(
        &self,
        Ready { decoded, code }: Ready<'_>,
        (compile, deadline): (Duration, Option<Instant>),
        printed: &mut Printed<'_>,
    ) -> Result<Outcome, Failure> {
        let terminal = self.arguments.report.terminal();
        let loaded = decoded.load();
        let code = code.map(|kernel| (kernel, engine::crash(&self.launch.entry, self.checks_memory())));
        let mut last = Executed::default();
        for number in 0..self.arguments.repeat.get() {
            let timeout = if number == 0 { left(deadline) } else { self.plan.timeout };
            let (executed, elapsed) = terminal.step("execute", || {
                let begin = Stopwatch::start();
                let watch = |watched| interrupt::during(terminal, &self.launch.entry, watched);
                let executed = launch_once(&loaded, code.as_ref(), timeout, watch);
                (executed, begin.elapsed())
            });
            last = executed.map_err(|error| {
                let is_retold = self.plan.engine == Engine::Auto && number == 0 && code.is_some();
                let error = if is_retold { self.trial(deadline).retold(error) } else { error };
                printed.stopped(self.sources, error)
            })?;
            if self.arguments.time.is_some() {
                let compile = if number == 0 { compile } else { Duration::ZERO };
                let engine = if code.is_some() { Engine::Jit } else { Engine::Interp };
                printed.write(time::line(number, engine, compile, elapsed).as_bytes())?;
            }
            printed.write(&last.output)?;
        }
        Ok(loaded.outcome(last))
    }

    fn trial(&self, deadline: Option<Instant>) -> Trial<'a> {
        Trial { module: self.module, launch: self.launch, timeout: left(deadline) }
    }
}

/// The time until a deadline.
fn left(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
}

/// Runs all blocks and waits for them, at most until the time limit.
fn launch_once(
    loaded: &LoadedLaunch<'_>,
    code: Option<&(Arc<Kernel>, KernelCrash)>,
    timeout: Option<Duration>,
    watch: impl FnOnce(Watched) -> Interruptible,
) -> Result<Executed, ExecError> {
    let setup = loaded.set_up_with(|spec| spec.limits.timeout = timeout)?;
    let blocks = setup.geometry().blocks();
    let report: Report = match code {
        None => {
            let interpretation = Interpretation::new(setup.clone());
            let _interruptible = watch(interpreted(&interpretation, &setup));
            interpretation.run()
        }
        Some((kernel, crash)) => {
            let cancellation = Arc::new(Cancellation::default());
            let started = cancellation.clone();
            let _interruptible = watch(Watched { blocks, started: Box::new(move || started.started()) });
            let rest = Rest { cancellation: Some(&cancellation), ..Rest::all(&setup) };
            ptx_host::launch_rest(kernel, &setup, &rest, |system, run| {
                crash.during(&|write| system.pass_output(write), run);
            })
        }
    };
    report.executed()
}

/// The blocks of a launch that the interpreter executes.
fn interpreted(interpretation: &Interpretation, setup: &Setup) -> Watched {
    let (relay, size) = (interpretation.relay(), u64::from(setup.geometry().cluster_size()));
    let started = move || Some(relay.started().saturating_mul(size));
    Watched { blocks: setup.geometry().blocks(), started: Box::new(started) }
}

/// Shows which kernels are not executed by the selected engine, and which accesses and branches of compiled kernels are not plain, with
/// `--remarks`; defects are always shown.
pub fn show_remarks(
    arguments: &Arguments,
    sources: &Sources,
    remarks: impl IntoIterator<Item = Diagnostic>,
) -> Result<(), Failure> {
    let mut shown = Diagnostics::new();
    let is_shown = |remark: &Diagnostic| arguments.remarks || remark.severity != Severity::Note;
    remarks.into_iter().filter(is_shown).for_each(|remark| shown.push(demangled_finding(remark)));
    if shown.iter().next().is_none() {
        return Ok(());
    }
    arguments.report.terminal().warn(sources.split(&shown))
}

/// The output of a program, after a line with its name if it has one.
pub struct Printed<'a> {
    /// The name, until it is written.
    name: Option<&'a str>,
}

impl<'a> Printed<'a> {
    /// No output yet.
    pub fn new(name: Option<&'a str>) -> Self {
        Self { name }
    }

    /// Writes to standard output.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(name) = self.name.take() {
            Output::Stdout.write(format!("==> {name} <==\n").as_bytes())?;
        }
        Output::Stdout.write(bytes)
    }

    /// Writes the output of a program before an error, and returns the error, which is shown after it.
    pub fn stopped(&mut self, sources: &Sources, error: ExecError) -> Failure {
        match self.write(error.output()) {
            Ok(()) => failed(sources, error),
            Err(unwritable) => unwritable,
        }
    }
}

/// The failure that nothing was executed, because the requested code is not available or the time limit was exceeded before.
fn not_started(sources: &Sources, error: NotStarted, launch: &Checked<'_>) -> Failure {
    match error {
        NotStarted::TimedOut => {
            let mut findings = Diagnostics::new();
            findings.push(Diagnostic::error_without_place(codes::TIMEOUT, policy::NOT_IN_TIME));
            Failure::about_several(ExitStatus::Failed, sources.split(&findings))
        }
        NotStarted::NotCompiled(why) => {
            let error = engine::not_compiled(&why, launch.program);
            not_compiled(sources, error.with_help(LEAVES_TO_INTERPRETER))
        }
    }
}

/// The help for launches that are not compiled.
pub const LEAVES_TO_INTERPRETER: &str = "`--engine=auto` leaves such launches to the interpreter";

/// The failure that a kernel is not compiled although compiled code is required.
pub fn not_compiled(sources: &Sources, error: Diagnostic) -> Failure {
    let mut findings = Diagnostics::new();
    findings.push(demangled_finding(error));
    Failure::about_several(ExitStatus::Rejected, sources.split(&findings))
}

/// The failure of a launch: rejected input if the launch was rejected, a failed execution if a thread was stopped.
pub fn failed(sources: &Sources, error: ExecError) -> Failure {
    let status = match &error {
        ExecError::Refused(_) => ExitStatus::Rejected,
        ExecError::Trap(_) => ExitStatus::Failed,
    };
    let mut findings = Diagnostics::new();
    for finding in &error.into_diagnostics() {
        findings.push(demangled_finding(finding.clone()));
    }
    Failure::about_several(status, sources.split(&findings))
}
