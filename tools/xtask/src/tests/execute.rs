//! Runs test programs, several at a time.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::build::Program;
use super::times;
use crate::cargo::workspace;

/// After this a program hangs and is killed: many times what the longest takes on a slow machine.
const LIMIT: Duration = Duration::from_secs(40 * 60);
/// The programs that take longest, the longest first: what starts late must not be long.
const LONGEST: [&str; 8] = [
    "ptx-host/it",
    "test-suite/conformance",
    "test-suite/it",
    "ptx-exec/it",
    "test-suite/aarch64",
    "ptx-host-rt/products",
    "test-suite/model",
    "test-suite/differential",
];
/// After this without a line the programs that run are named.
const SILENCE: Duration = Duration::from_secs(30);

/// How programs are run.
pub(super) struct Execution {
    /// Whether tests take all of their inputs.
    pub(super) all: bool,
    /// The folder with up-to-date tools and libraries.
    pub(super) built: PathBuf,
    /// Where tests record what they leave out.
    pub(super) left_out: PathBuf,
    /// Where tests record the rows that they execute.
    pub(super) executed_rows: Option<PathBuf>,
    /// Arguments of each program.
    pub(super) arguments: Vec<String>,
}

/// The tests of a program, or of all.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) ignored: usize,
}

/// A program that has run.
pub(super) struct Done {
    pub(super) program: Program,
    pub(super) time: Duration,
    pub(super) succeeded: bool,
    pub(super) counts: Counts,
    /// The tests that failed and where they panicked, a line each.
    pub(super) failures: Vec<String>,
}

/// What the threads that run programs share.
struct Shared {
    waiting: VecDeque<Program>,
    running: Vec<(String, Instant)>,
    done: Vec<Done>,
    last_line: Instant,
    total: usize,
}

impl Execution {
    /// Runs the programs, those that took longest the last time first.
    pub(super) fn run(&self, mut programs: Vec<Program>) -> Result<Vec<Done>> {
        let known = times::last();
        let last = |program: &Program| {
            let name = program.name();
            // Without times, in the first run, those that are known to be long.
            let place = LONGEST.iter().rev().position(|long| *long == name);
            known.get(&name).copied().unwrap_or(place.map_or(0.0, |place| place as f64 + 10.0))
        };
        programs.sort_by(|a, b| last(b).total_cmp(&last(a)));
        let logs = workspace().join("target/test-logs");
        fs::create_dir_all(&logs)?;
        let shared = Mutex::new(Shared {
            total: programs.len(),
            waiting: programs.into(),
            running: Vec::new(),
            done: Vec::new(),
            last_line: Instant::now(),
        });
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // Two threads at least: libtest does not name a single one after its test. Some wait for programs that they call.
        let threads = (processors / 4).max(2);
        let results: Vec<Result<()>> = std::thread::scope(|scope| {
            let worker = || scope.spawn(|| self.work(&shared, threads, &logs));
            let workers: Vec<_> = (0..(processors / (threads / 2)).max(1)).map(|_| worker()).collect();
            workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(()))).collect()
        });
        results.into_iter().collect::<Result<Vec<()>>>()?;
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        ensure!(shared.done.len() == shared.total, "not all programs have run");
        Ok(shared.done)
    }

    fn work(&self, shared: &Mutex<Shared>, threads: usize, logs: &Path) -> Result<()> {
        let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some(program) = locked().waiting.pop_front() else { return Ok(()) };
            let start = Instant::now();
            locked().running.push((program.name(), start));
            let log = logs.join(format!("{}.log", program.name().replace('/', ".")));
            let ended = self.start(&program, threads, &log).and_then(|child| wait(child, &locked));
            let mut shared = locked();
            shared.running.retain(|(name, _)| *name != program.name());
            let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
            let (succeeded, why) = match ended {
                Ok(succeeded) => (succeeded, String::new()),
                Err(error) => (false, format!("{error:#}\n")),
            };
            let counts = counts(&text);
            let text = text + &why;
            let failures = if succeeded { Vec::new() } else { shortened(&text) };
            let done = Done { counts, time: start.elapsed(), program, succeeded, failures };
            let at = shared.done.len() + 1;
            line(at, shared.total, &done, &text)?;
            shared.last_line = Instant::now();
            shared.done.push(done);
        }
    }

    /// Starts a program as Cargo does, with what it prints in a file.
    fn start(&self, program: &Program, threads: usize, log: &Path) -> Result<Child> {
        let output = File::create(log)?;
        let mut command = command(program);
        command.arg(format!("--test-threads={threads}")).args(&self.arguments);
        command.env(testing::EXTENT, if self.all { "all" } else { "sample" });
        command.env(testing::LEFT_OUT, &self.left_out).env(testing::BUILT, &self.built);
        // The place of a panic tells what failed; hundreds of frames of the test library hide it in the output of a server.
        command.env("RUST_BACKTRACE", "0");
        if let Some(folder) = &self.executed_rows {
            command.env(executed_rows::FOLDER, std::path::absolute(folder)?);
        }
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        command.spawn().with_context(|| format!("{} does not start", program.executable.display()))
    }
}

/// The command that runs a program as Cargo does.
pub(super) fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.executable);
    command.current_dir(&program.folder);
    command.env("CARGO_PKG_NAME", &program.package).env("CARGO_MANIFEST_DIR", &program.folder);
    command.env("CARGO", std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
}

/// Waits for the end of a program; whether it succeeded. Says now and then what is running.
fn wait<'a>(mut child: Child, locked: &impl Fn() -> std::sync::MutexGuard<'a, Shared>) -> Result<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            anyhow::bail!("killed after {} minutes", LIMIT.as_secs() / 60);
        }
        std::thread::sleep(Duration::from_millis(20));
        let mut shared = locked();
        if shared.last_line.elapsed() > SILENCE {
            let running: Vec<String> = shared
                .running
                .iter()
                .map(|(name, since)| format!("{name} ({} s)", since.elapsed().as_secs()))
                .collect();
            writeln!(std::io::stdout().lock(), "running: {}", running.join(", "))?;
            shared.last_line = Instant::now();
        }
    }
}

/// Prints a line about a program that has ended, and after it what it printed if it failed, or what it skipped.
fn line(at: usize, total: usize, done: &Done, text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let Counts { passed, failed, ignored } = done.counts;
    let ignored = if ignored == 0 { String::new() } else { format!(", {ignored} skipped") };
    writeln!(
        out,
        "[{at:2}/{total}] {} {:24} {:6.1} s  {passed} passed{ignored}{}",
        if done.succeeded { "ok    " } else { "FAILED" },
        done.program.name(),
        done.time.as_secs_f64(),
        if failed == 0 { String::new() } else { format!(", {failed} failed") },
    )?;
    if !done.succeeded {
        return Ok(writeln!(out, "{}", failures(text))?);
    }
    if let Some((_, skipped)) = text.split_once("skipped checks:\n") {
        write!(out, "        skipped checks:\n{skipped}")?;
    }
    Ok(())
}

/// What a program printed, without the tests that passed.
fn failures(text: &str) -> String {
    let kept = text.lines().filter(|line| !(line.starts_with("test ") && line.ends_with(" ok")));
    kept.map(|line| format!("    {line}\n")).collect()
}

/// Lines after the place of a panic that are part of its message, at most.
const MESSAGE: usize = 4;

/// The names of the tests that failed, and the beginnings of the messages of panics: what is repeated after all programs, so that the end of the
/// output is enough to know what failed.
fn shortened(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_failed = |line: &&str| line.starts_with("test ") && line.ends_with("FAILED");
    let mut kept: Vec<String> = lines.iter().copied().filter(is_failed).map(str::to_owned).collect();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.contains(" panicked at ")) {
        let message = lines[at..].iter().take(MESSAGE).take_while(|line| !line.is_empty());
        kept.extend(message.map(|line| line.chars().take(300).collect()));
    }
    match (kept.is_empty(), lines.last()) {
        // Killed, or ended by a signal.
        (true, Some(last)) => vec![(*last).to_owned()],
        _ => kept,
    }
}

/// The counts of `test result: ok. 12 passed; 0 failed; 1 ignored; ..`.
fn counts(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("test result: ")) {
        let words: Vec<&str> = line.split([' ', ';', '.']).collect();
        for pair in words.windows(2) {
            let [number, what] = pair else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match *what {
                "passed" => counts.passed += number,
                "failed" => counts.failed += number,
                "ignored" => counts.ignored += number,
                _ => {}
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::{counts, failures, shortened};

    #[test]
    fn results_of_both_kinds_of_programs_are_counted() {
        let libtest = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 5 filtered out; finished in 0.00s";
        let trials =
            "test result: ok. 7 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 1.12s\n";
        for (text, expected) in [(libtest, [12, 3, 1]), (trials, [7, 0, 2])] {
            let found = counts(text);
            assert_eq!([found.passed, found.failed, found.ignored], expected);
        }
    }

    #[test]
    fn a_failure_is_shown_without_what_passed() {
        let text = "test a::b ... ok\ntest a::c ... FAILED\n---- a::c ----\nleft: 1\n";
        assert_eq!(failures(text), "    test a::c ... FAILED\n    ---- a::c ----\n    left: 1\n");
    }

    #[test]
    fn the_end_of_the_output_names_what_failed() {
        let text = "test a::b ... ok\ntest a::c ... FAILED\n---- a::c ----\nthread 'a::c' (7) panicked at a.rs:1:2:\nleft: 1\n\nstack\n";
        assert_eq!(
            shortened(text),
            ["test a::c ... FAILED", "thread 'a::c' (7) panicked at a.rs:1:2:", "left: 1"]
        );
        assert_eq!(shortened("test a::b ... ok\nkilled after 40 minutes"), ["killed after 40 minutes"]);
    }
}
