//! Judges and oracles in processes of their own: one that brings LLVM down or never ends costs its own verdict only.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// What became of a judge.
pub(crate) struct Ended {
    /// What it wrote.
    pub(crate) said: String,
    /// What it wrote on the error stream.
    pub(crate) complaint: String,
    /// How it ended, when not well.
    pub(crate) ending: Option<String>,
}

/// Runs a judge and kills it after `limit`.
pub(crate) fn supervise(command: &mut Command, limit: Duration) -> Result<Ended> {
    let Watched { status, out, err } = watch(command, limit)?;
    let ending = match status {
        Some(status) if status.success() => None,
        Some(status) => Some(status.to_string()),
        None => Some(no_end(limit)),
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ended { said: text(out), complaint: text(err), ending })
}

/// What a command writes and how it ends, as [`Command::output`] gives it.
///
/// # Errors
/// When it cannot be run, and when it has not ended after `limit`.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> Result<Output> {
    let name =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Watched { status, out, err } = watch(command, limit).with_context(|| name.clone())?;
    let status = status.with_context(|| format!("{name}: {}", no_end(limit)))?;
    Ok(Output { status, stdout: out, stderr: err })
}

fn no_end(limit: Duration) -> String {
    format!("no end after {} s", limit.as_secs())
}

/// A command that is over.
struct Watched {
    /// How it ended; `None` when it was killed because its time was over.
    status: Option<ExitStatus>,
    out: Vec<u8>,
    err: Vec<u8>,
}

fn watch(command: &mut Command, limit: Duration) -> Result<Watched> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("it cannot be started")?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let start = Instant::now();
    std::thread::scope(|scope| {
        let out = scope.spawn(move || slurp(out.as_mut()));
        let err = scope.spawn(move || slurp(err.as_mut()));
        let status = loop {
            match child.try_wait()? {
                Some(status) => break Some(status),
                None if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
                None => {
                    // The child may have ended by itself meanwhile; either way it is gone after this.
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
            }
        };
        Ok(Watched { status, out: out.join().unwrap_or_default(), err: err.join().unwrap_or_default() })
    })
}

fn slurp(stream: Option<&mut impl std::io::Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // A broken pipe ends the bytes early; what is missing then tells it.
        let _ = stream.read_to_end(&mut bytes);
    }
    bytes
}

/// Does something with every item, `jobs` at a time; the results are in the items' order.
pub(crate) fn in_parallel<I: Sync, T: Send>(
    items: &[I],
    jobs: usize,
    run: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, T>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let result = run(item);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(at, result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values().collect()
}
