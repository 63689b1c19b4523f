//! Executes the launch of a plan with the engine that it names.

use std::time::{Duration, Instant};

use ptx_cli::{ExitStatus, Failure, Output};
use ptx_device::policy::{self, Raced};
use ptx_diag::{Diagnostic, Diagnostics, Severity};
use ptx_driver::Sources;
use ptx_exec::engine::{Interpreted, Launchable};
use ptx_exec::{DecodedLaunch, ExecError, Executed, Launch, Outcome, codes};
use ptx_host::Options;
use ptx_verify::Verified;

use crate::arguments::Arguments;
use crate::automatic::Trial;
use crate::engine::{
    self, Check, Chosen, Compiled, Engine, First, JitOptions, Loaded, Uncompiled, Unexecuted,
};
use crate::plan::Plan;
use crate::store::Store;
use crate::time::{self, Stopwatch};

/// A launch, and how it is to be executed.
#[derive(Clone, Copy)]
pub struct Launching<'a> {
    /// The command line.
    pub arguments: &'a Arguments,
    /// What it and the launch file have.
    pub plan: &'a Plan,
    /// The texts of the module.
    pub sources: &'a Sources,
    /// The module.
    pub module: Verified<'a>,
    /// The launch.
    pub launch: &'a Launch,
}

/// How a launch begins.
enum Begun<'a> {
    /// It is over.
    Over(Outcome),
    /// Code, or the interpreter, is to execute it.
    Ready(Box<dyn Compiled<'a> + 'a>),
}

impl<'a> Launching<'a> {
    /// Launches as often as the arguments have it; gives what the last launch left. `read` is what reading the program took.
    ///
    /// # Errors
    /// The launch was refused, or a thread was stopped.
    pub fn execute(&self, read: Duration, printed: &mut Printed<'_>) -> Result<Outcome, Failure> {
        let begin = Stopwatch::start();
        // The time limit is that of the first launch with what comes before it, and of each launch after it.
        let deadline = self.plan.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let options = self.options(deadline);
        let trial =
            (self.plan.engine == Engine::Auto).then_some(Trial { module: self.module, launch: self.launch });
        let (begun, trial) = match trial.filter(|_| !self.concerns_code()) {
            Some(trial) => self.first(&options, trial, printed)?,
            None => (Begun::Ready(self.compile(&options)?), trial),
        };
        match begun {
            Begun::Over(outcome) => {
                printed.write(&outcome.output)?;
                Ok(outcome)
            }
            Begun::Ready(compiled) => {
                let compile = read + begin.elapsed().wall;
                self.repeat(compiled.load(), (compile, deadline), trial, printed)
            }
        }
    }

    /// Whether the command line asks for something of compiled code, which has to be there then.
    fn concerns_code(&self) -> bool {
        let Arguments { remarks, jit_check_shapes, debug, perf_map, repeat, time, disable, .. } =
            self.arguments;
        !disable.is_empty()
            || *remarks
            || *jit_check_shapes
            || *debug
            || *perf_map
            || repeat.get() > 1
            || time.is_some()
    }

    fn options(&self, deadline: Option<Instant>) -> JitOptions {
        let Arguments { check, jit_check_shapes, perf_map, remarks, debug, disable, .. } = self.arguments;
        let engine = self.plan.engine;
        let checks_memory = check.map_or(engine == Engine::Auto, |check| check == Check::Memory);
        let mut options = Options::default()
            .with_check_shapes(*jit_check_shapes)
            .with_check_memory(checks_memory)
            .with_disabled(disable.iter().copied());
        if *perf_map {
            options.perf_map = self.sources.files().first().map(|file| file.name().to_owned());
        }
        let store = Store::new(self.arguments);
        JitOptions { engine, options, remarks: *remarks, debug: *debug, store, deadline }
    }

    /// Begins a launch whose engine no one has chosen; gives the trial where it may still tell what went wrong.
    fn first(
        &self,
        options: &JitOptions,
        trial: Trial<'a>,
        printed: &mut Printed<'_>,
    ) -> Result<(Begun<'a>, Option<Trial<'a>>), Failure> {
        let terminal = self.arguments.report.terminal();
        let first = terminal.step("compile", || engine::first(self.module, self.launch, options));
        match first.map_err(|error| failed(self.sources, error))? {
            First::Ready(compiled) => {
                terminal.note(|| "compiled code executes the launch".to_owned());
                Ok((Begun::Ready(compiled), Some(trial)))
            }
            First::Compile => Ok((Begun::Ready(self.compile(options)?), Some(trial))),
            First::Race(uncompiled) => {
                let begun = terminal.step("execute", || self.race(*uncompiled, printed))?;
                Ok((begun, Some(trial)))
            }
        }
    }

    /// Executes a launch in the interpreter, until it is over or its kernel is compiled.
    fn race(&self, uncompiled: Uncompiled<'a>, printed: &mut Printed<'_>) -> Result<Begun<'a>, Failure> {
        let terminal = self.arguments.report.terminal();
        let stopped = |error, printed: &mut Printed<'_>| printed.stopped(self.sources, error);
        let decoded = match DecodedLaunch::new(self.module, self.launch) {
            Ok(decoded) => decoded,
            Err(error) => return Err(stopped(error, printed)),
        };
        let steps = policy::steps(decoded.program());
        let loaded = decoded.load();
        let interpretation = match Launchable::interpret(&loaded) {
            Ok(interpretation) => interpretation,
            Err(error) => return Err(stopped(error, printed)),
        };
        let tell = move || {
            terminal.note(|| {
                "the launch is long: its kernel is compiled while the interpreter goes on".to_owned()
            });
        };
        let (interpreted, error) = match policy::race(interpretation, uncompiled.compilation(), steps, tell) {
            Raced::Compiled(kernel) => {
                terminal.note(|| {
                    "compiled code executes the launch from its beginning: it was ready before the interpreter"
                        .to_owned()
                });
                return Ok(Begun::Ready(uncompiled.with(kernel)));
            }
            Raced::Interpreted(interpreted, error) => (interpreted, error),
        };
        match error.map(|error| uncompiled.refusal(error)) {
            Some(why) => {
                terminal.note(|| format!("the interpreter executed the launch: {}", why.why()));
                let mut remarks = Diagnostics::new();
                remarks.push(why.remark());
                show_remarks(self.arguments, self.sources, remarks)?;
            }
            None if interpreted.executed[0] <= steps => {
                terminal.note(|| "the interpreter executed the launch, which is short".to_owned());
            }
            None => terminal
                .note(|| "the interpreter executed the launch before its kernel was compiled".to_owned()),
        }
        let Interpreted { result, output, executed: [warp_instructions, thread_instructions], .. } =
            interpreted;
        match result {
            Ok(()) => {
                let executed = Executed { output, warp_instructions, thread_instructions };
                Ok(Begun::Over(loaded.outcome(executed)))
            }
            Err(error) => Err(stopped(error.with_output(output), printed)),
        }
    }

    fn compile(&self, options: &JitOptions) -> Result<Box<dyn Compiled<'a> + 'a>, Failure> {
        let terminal = self.arguments.report.terminal();
        let mut remarks = Diagnostics::new();
        let chosen = terminal.step("compile", || {
            engine::compile(self.module, self.launch, options, self.sources, &mut remarks)
        });
        let ready = match chosen.map_err(|error| unexecuted(self.sources, error))? {
            Chosen::Compiled(ready) => {
                terminal.note(|| "compiled code executes the launch".to_owned());
                ready
            }
            Chosen::Interpreted(ready, None) => ready,
            Chosen::Interpreted(ready, Some(why)) => {
                terminal.note(|| format!("the interpreter executes the launch: {}", why.why()));
                remarks.push(why.remark());
                ready
            }
        };
        show_remarks(self.arguments, self.sources, remarks)?;
        Ok(ready)
    }

    /// Launches as often as the arguments have it; gives what the last launch left. `compile` is what the first one needed before it. What stops that
    /// the trial tells, where it comes to it.
    fn repeat(
        &self,
        mut loaded: Box<dyn Loaded + '_>,
        (compile, deadline): (Duration, Option<Instant>),
        trial: Option<Trial<'_>>,
        printed: &mut Printed<'_>,
    ) -> Result<Outcome, Failure> {
        let terminal = self.arguments.report.terminal();
        let mut last = Executed::default();
        for number in 0..self.arguments.repeat.get() {
            let timeout = match deadline.filter(|_| number == 0) {
                Some(deadline) => Some(deadline.saturating_duration_since(Instant::now())),
                None => self.plan.timeout,
            };
            let (executed, elapsed) = terminal.step("execute", || {
                let begin = Stopwatch::start();
                let executed = loaded.launch(timeout);
                (executed, begin.elapsed())
            });
            last = match (executed, trial) {
                (Ok(executed), _) => executed,
                (Err(error), Some(trial)) if number == 0 => {
                    return Err(printed.stopped(self.sources, trial.retold(error)));
                }
                (Err(error), _) => return Err(printed.stopped(self.sources, error)),
            };
            if self.arguments.time.is_some() {
                let compile = if number == 0 { compile } else { Duration::ZERO };
                printed.write(time::line(number, compile, elapsed).as_bytes())?;
            }
            printed.write(&last.output)?;
        }
        Ok(loaded.outcome(last))
    }
}

/// Shows which kernels another engine executes than the one that was chosen, and which accesses and branches of compiled ones are not
/// plain, where that is wanted; defects in any case.
pub fn show_remarks(arguments: &Arguments, sources: &Sources, remarks: Diagnostics) -> Result<(), Failure> {
    let mut shown = Diagnostics::new();
    let is_shown = |remark: &&Diagnostic| arguments.remarks || remark.severity != Severity::Note;
    remarks.iter().filter(is_shown).for_each(|remark| shown.push(remark.clone()));
    if shown.iter().next().is_none() {
        return Ok(());
    }
    arguments.report.terminal().warn(sources.split(&shown))
}

/// What a program printed, after a line with its name where there is one.
pub struct Printed<'a> {
    /// The name, until it is written.
    name: Option<&'a str>,
}

impl<'a> Printed<'a> {
    /// Nothing yet.
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

    /// Writes what a program printed before an error; gives the error, which is shown after it.
    pub fn stopped(&mut self, sources: &Sources, error: ExecError) -> Failure {
        match self.write(error.output()) {
            Ok(()) => failed(sources, error),
            Err(unwritable) => unwritable,
        }
    }
}

/// Nothing was executed: the input or the launch is rejected, or the time was over before.
pub fn unexecuted(sources: &Sources, error: Unexecuted) -> Failure {
    match error {
        Unexecuted::Refused(error) => failed(sources, error),
        Unexecuted::TimedOut => {
            let message = "the launch took longer than its time limit: its kernel was not compiled in time";
            let finding = Diagnostic::error_without_place(codes::TIMEOUT, message);
            let mut findings = Diagnostics::new();
            findings.push(finding);
            Failure::about_several(ExitStatus::Failed, sources.split(&findings))
        }
        Unexecuted::NotCompiled(why) => {
            let help = "`--engine=auto` leaves such launches to the interpreter";
            not_compiled(sources, why.error().with_help(help))
        }
    }
}

/// That a kernel is not compiled where it has to be.
pub fn not_compiled(sources: &Sources, error: Diagnostic) -> Failure {
    let mut findings = Diagnostics::new();
    findings.push(error);
    Failure::about_several(ExitStatus::Rejected, sources.split(&findings))
}

/// A launch that was refused is rejected input; a thread that was stopped is a failed execution.
pub fn failed(sources: &Sources, error: ExecError) -> Failure {
    let status = match &error {
        ExecError::Refused(_) => ExitStatus::Rejected,
        ExecError::Trap(_) => ExitStatus::Failed,
    };
    Failure::about_several(status, sources.split(&error.into_diagnostics()))
}
