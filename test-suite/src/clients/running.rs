//! Runs, and what they say.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use regex_lite::Regex;

use super::packages::{cargo, manifest, programs};
use super::{Client, Packages, Program, Run};

/// The tool, the libraries, and the folder with the programs.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The folder with `ptx-cuda` and the libraries.
    pub built: PathBuf,
    /// `test-suite/clients`.
    pub programs: PathBuf,
    /// How long a run may take.
    pub limit: Duration,
    /// Told of each file of tests when it has run: its name, and what became of it.
    pub progress: fn(&str, &Outcome),
}

/// What became of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that the client left out.
    pub skipped: usize,
    /// The names of those that failed; that of the run if it did not come to its end.
    pub failed: Vec<String>,
    /// What it wrote last.
    pub tail: String,
}

/// Lines of output that are kept to explain a failure.
const TAIL: usize = 30;

impl Tools {
    /// Runs a program or a module of tests.
    pub fn run(&self, client: &Client, run: &Run, packages: &Packages) -> Outcome {
        match run.program {
            Program::Script(file, tests) => self.run_script(run, file, tests, packages),
            Program::Numba(module) => {
                let module = format!("numba.cuda.tests.{module}");
                let (ended, text) = self.output(run, packages, &["-m", "numba.runtests", "-v", &module]);
                let mut outcome = of_unittest(&text, run.name);
                if !ended && outcome.failed.is_empty() {
                    outcome.failed.push(run.name.to_owned());
                }
                outcome
            }
            Program::Pytest(folder, files) => self.run_pytest(run, folder, files, packages),
            Program::Cargo(tests) => {
                let manifest = manifest(client);
                let cargo =
                    ["run", "--quiet", "--locked", "--offline", "--manifest-path", utf8(&manifest), "--"];
                self.run_tests(run, &cargo, tests, packages)
            }
        }
        .named(client)
    }

    /// Runs files of tests one after the other.
    fn run_pytest(&self, run: &Run, folder: &str, files: &[&str], packages: &Packages) -> Outcome {
        // Without what users of pytest have set up.
        let options = ["-m", "pytest", "-q", "-rfE", "--color=no", "-p", "no:cacheprovider", "--tb=short"];
        let mut all = Outcome::default();
        for file in files {
            let path = format!("{folder}/{file}.py");
            let (_, text) = self.output(run, packages, &[&options[..], &[&path]].concat());
            let name = format!("{}/{file}", run.name);
            let outcome = of_pytest(&text, &name);
            (self.progress)(&name, &outcome);
            let Outcome { passed, skipped, failed, tail } = outcome;
            all.passed += passed;
            all.skipped += skipped;
            if !failed.is_empty() {
                all.tail = tail;
            }
            all.failed.extend(failed);
        }
        all
    }

    /// Runs the tests of a file of Python.
    fn run_script(&self, run: &Run, file: &str, tests: &[&str], packages: &Packages) -> Outcome {
        self.run_tests(run, &[utf8(&self.programs.join(file))], tests, packages)
    }

    /// Runs a program with names of tests after these words; those after one that fails are run again without it.
    fn run_tests(&self, run: &Run, program: &[&str], tests: &[&str], packages: &Packages) -> Outcome {
        let mut outcome = Outcome::default();
        let mut rest = tests;
        while !rest.is_empty() {
            let (ended, text) = self.output(run, packages, &[program, rest].concat());
            let has_passed = |test: &&str| text.lines().any(|line| line == format!("passed {test}"));
            let passed = rest.iter().take_while(|test| has_passed(test)).count();
            outcome.passed += passed;
            let Some(failed) = rest.get(passed) else {
                if !ended {
                    outcome.failed.push(format!("{}: end", run.name));
                    outcome.tail = tail(&text);
                }
                break;
            };
            outcome.failed.push(format!("{}: {failed}", run.name));
            outcome.tail = tail(&text);
            rest = &rest[passed + 1..];
        }
        outcome
    }

    /// Runs Python or Cargo in `ptx-cuda run`; gives whether it succeeded in time, and all that it wrote.
    fn output(&self, run: &Run, packages: &Packages, words: &[&str]) -> (bool, String) {
        use std::os::unix::process::CommandExt as _;

        let mut command = Command::new(self.built.join("ptx-cuda"));
        command.args(["run", "-q", "--lib-dir"]).arg(&self.built).args(run.options).arg("--");
        if matches!(run.program, Program::Cargo(_)) {
            // cust looks for a folder `lib64` of a CUDA installation, and finds the library where `ptx-cuda run` tells the linker.
            let folder = packages.folder();
            if let Err(error) = std::fs::create_dir_all(folder.join("lib64")) {
                return (false, format!("{}: {error}", folder.display()));
            }
            command.arg(cargo()).env("CARGO_TARGET_DIR", folder).env("CUDA_LIBRARY_PATH", folder);
        } else {
            command.arg(packages.python());
        }
        command.args(words).envs(run.environment.iter().copied());
        if let (Program::Pytest(..), Some((folder, modules))) = (run.program, packages.source()) {
            // Plugins of pytest that a run names are among the programs.
            let path = [modules.as_str(), utf8(&self.programs)];
            let path: Vec<&str> = path.into_iter().filter(|part| !part.is_empty()).collect();
            command.current_dir(folder).env("PYTHONPATH", path.join(":"));
        }
        for (variable, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PTX_CUDA_"))
        {
            command.env_remove(variable);
        }
        // Its processes are ended together.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return (false, format!("ptx-cuda does not start: {error}")),
        };
        let readers = [collect(child.stdout.take()), collect(child.stderr.take())];
        let ended = wait(&mut child, self.limit);
        let [out, err] = readers.map(|reader| reader.join().expect("reading does not panic"));
        let note = if ended.is_none() { "\nthe run was ended: it took too long" } else { "" };
        (ended == Some(true), format!("{out}\n{err}{note}"))
    }
}

impl Outcome {
    fn named(mut self, client: &Client) -> Self {
        for name in &mut self.failed {
            *name = format!("{} {name}", client.name);
        }
        self
    }
}

/// Reads a stream to its end on a thread of its own.
fn collect(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is kept.
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for a process, and ends it and its children if it takes longer; whether it succeeded, if it ended by itself.
fn wait(child: &mut Child, limit: Duration) -> Option<bool> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if start.elapsed() < limit => thread::sleep(Duration::from_millis(50)),
            Ok(None) | Err(_) => break,
        }
    }
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    // A process that is gone by now needs no end.
    let _ = group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
    let _ = child.wait();
    None
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("a folder named in UTF-8")
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

/// Reads what `unittest` writes at its end: the tests that failed, and how many there were.
fn of_unittest(text: &str, name: &str) -> Outcome {
    let number = |pattern: &str| {
        let found = Regex::new(pattern).expect("a pattern").captures_iter(text).last()?;
        found[1].parse::<usize>().ok()
    };
    let Some(all) = number(r"(?m)^Ran (\d+) tests? in") else {
        return Outcome { failed: vec![name.to_owned()], tail: tail(text), ..Outcome::default() };
    };
    let heading =
        Regex::new(r"(?m)^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\w+ \([\w.]+\)|.*)").expect("a pattern");
    let in_parentheses =
        |text: &str| text.split_once('(').map(|(_, rest)| rest.trim_end_matches(')').to_owned());
    let names = heading.captures_iter(text).map(|found| {
        let whole = found[1].to_owned();
        let name = in_parentheses(&whole).unwrap_or(whole);
        name.strip_prefix("numba.cuda.tests.").unwrap_or(&name).to_owned()
    });
    let mut failed: Vec<String> = names.collect();
    failed.sort_unstable();
    failed.dedup();
    // Default: without the word none was left out.
    let skipped = number(r"(?m)^(?:OK|FAILED) \(.*skipped=(\d+)").unwrap_or(0);
    let tail = if failed.is_empty() { String::new() } else { tail(text) };
    Outcome { passed: all.saturating_sub(skipped + failed.len()), skipped, failed, tail }
}

/// Reads what pytest writes at its end: the tests that failed, and how many there were.
fn of_pytest(text: &str, name: &str) -> Outcome {
    let number = |of: &str| {
        let pattern = Regex::new(&format!(r"(?m)^.*?(\d+) {of}\b.* in [\d.:]+")).expect("a pattern");
        pattern.captures_iter(text).last().and_then(|found| found[1].parse::<usize>().ok())
    };
    let is_complete =
        Regex::new(r"(?m)^(?:=+ )?(?:\d+ [\w ]+?(?:, )?)+ in [\d.]+s").expect("a pattern").is_match(text);
    if !is_complete {
        return Outcome { failed: vec![name.to_owned()], tail: tail(text), ..Outcome::default() };
    }
    let failing = Regex::new(r"(?m)^(?:FAILED|ERROR) (\S+?\.py)(?:::(.*?))?(?: - .*)?$").expect("a pattern");
    let names = failing.captures_iter(text).map(|found| match found.get(2) {
        Some(test) => format!("{name}::{}", test.as_str()),
        None => format!("{name}: {}", &found[1]),
    });
    let mut failed: Vec<String> = names.collect();
    failed.sort_unstable();
    failed.dedup();
    // Default: what is not counted did not happen.
    let count = |of: &str| number(of).unwrap_or(0);
    let passed = count("passed") + count("xfailed");
    let tail = if failed.is_empty() { String::new() } else { tail(text) };
    Outcome { passed, skipped: count("skipped"), failed, tail }
}

impl Tools {
    /// The tools of this folder.
    pub fn new(built: PathBuf, limit: Duration, progress: fn(&str, &Outcome)) -> Self {
        Self { built, programs: programs(), limit, progress }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_unittest_is_read() {
        let text = "\
test_a (numba.cuda.tests.x.T.test_a) ... ok
======================================================================
FAIL: test_b (numba.cuda.tests.x.T.test_b) (i=1)
----------------------------------------------------------------------
FAIL: test_b (numba.cuda.tests.x.T.test_b) (i=2)
ERROR: setUpClass (numba.cuda.tests.x.U)
----------------------------------------------------------------------
Ran 9 tests in 1.2s

FAILED (failures=2, errors=1, skipped=3)
";
        let outcome = of_unittest(text, "x");
        assert_eq!(outcome.failed, ["x.T.test_b", "x.U"]);
        assert_eq!((outcome.passed, outcome.skipped), (4, 3));
        let outcome = of_unittest("Ran 2 tests in 0.1s\n\nOK\n", "x");
        assert_eq!((outcome.passed, outcome.skipped, outcome.failed.len()), (2, 0, 0));
        assert_eq!(of_unittest("Segmentation fault", "x").failed, ["x"]);
    }

    #[test]
    fn the_end_of_pytest_is_read() {
        let text = "\
..F.s
=========================== short test summary info ============================
FAILED tests/test_x.py::T::test_a[1 2] - AssertionError: a - b
FAILED tests/test_x.py::test_b
ERROR tests/test_x.py::test_c - ValueError
2 failed, 30 passed, 4 skipped, 3 xfailed, 16 subtests passed, 1 error in 61.20s (0:01:01)
";
        let outcome = of_pytest(text, "x");
        assert_eq!(outcome.failed, ["x::T::test_a[1 2]", "x::test_b", "x::test_c"]);
        assert_eq!((outcome.passed, outcome.skipped), (33, 4));
        let outcome = of_pytest("...\n81 skipped in 2.76s\n", "x");
        assert_eq!((outcome.passed, outcome.skipped, outcome.failed.len()), (0, 81, 0));
        let outcome = of_pytest("ERROR tests/test_y.py - ImportError: no\n1 error in 0.85s\n", "x");
        assert_eq!(outcome.failed, ["x: tests/test_y.py"]);
        assert_eq!(of_pytest("..\nFatal Python error: Aborted", "x").failed, ["x"]);
    }
}
