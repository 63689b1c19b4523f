//! Judges in processes of their own: one that brings LLVM down or never ends costs its own verdict only.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
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
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the judge cannot be started")?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let start = Instant::now();
    Ok(std::thread::scope(|scope| {
        let said = scope.spawn(move || slurp(out.as_mut()));
        let complaint = scope.spawn(move || slurp(err.as_mut()));
        let ending = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => break None,
                Ok(Some(status)) => break Some(status.to_string()),
                Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
                Ok(None) => {
                    // The child may have ended by itself meanwhile; either way it is gone after this.
                    let _ = child.kill();
                    let _ = child.wait();
                    break Some(format!("no end after {} s", limit.as_secs()));
                }
                Err(error) => break Some(error.to_string()),
            }
        };
        let (said, complaint) = (said.join().unwrap_or_default(), complaint.join().unwrap_or_default());
        Ended { said, complaint, ending }
    }))
}

fn slurp(stream: Option<&mut impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // A broken pipe ends the text early; the verdicts that are missing then tell it.
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
