//! Very large and very odd inputs: `cargo xtask stress`.
//!
//! Each shape is written to the standard input of `ptx2ll --emit=none -` in three sizes, each twice the one before, and
//! the processor time and the largest memory of the process are printed, as Linux counts them. What takes linear time
//! takes about twice as long each time.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use test_suite::stress::{SHAPES, Shape};

use crate::cargo::{build_release, workspace};

/// What is measured.
#[derive(Args)]
pub(crate) struct StressArguments {
    /// Shapes to measure [default: all]
    shapes: Vec<String>,
    /// Multiplies the sizes
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// The `ptx2ll` to measure [default: that of this workspace, built as it is released]
    #[arg(long)]
    program: Option<PathBuf>,
    /// What `ptx2ll` emits
    #[arg(long, default_value = "none")]
    emit: String,
}

/// What a run took.
struct Cost {
    bytes: u64,
    used: Usage,
    accepted: bool,
}

/// What a process has used so far.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// Processor time in seconds.
    seconds: f64,
    /// The most memory at any time, in bytes.
    memory: u64,
}

/// Measures the shapes and prints a table.
pub(crate) fn measure(arguments: &StressArguments) -> Result<()> {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => {
            build_release("ptx2ll")?;
            workspace().join("target/release/ptx2ll")
        }
    };
    let wanted = |shape: &&Shape| {
        arguments.shapes.is_empty() || arguments.shapes.iter().any(|name| name == shape.name)
    };
    let mut out = io::stdout().lock();
    writeln!(out, "| shape | size | MB | seconds | times | peak MB | memory / input | verdict |")?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for shape in SHAPES.iter().filter(wanted) {
        let mut before: Option<f64> = None;
        for half in [1, 2, 4] {
            let size = (shape.size as f64 * arguments.scale) as u64 * half / 2;
            let cost = run(&program, &arguments.emit, shape, size)
                .with_context(|| format!("{} with {size} {}", shape.name, shape.unit))?;
            let Usage { seconds, memory } = cost.used;
            // Default: the first size has none before it.
            let times = before.replace(seconds).map_or("-".to_owned(), |b| format!("{:.1}", seconds / b));
            writeln!(
                out,
                "| {} | {size} {} | {:.1} | {seconds:.2} | {times} | {} | {:.1} | {} |",
                shape.name,
                shape.unit,
                cost.bytes as f64 / 1e6,
                memory >> 20,
                memory as f64 / cost.bytes as f64,
                if cost.accepted { "accepted" } else { "rejected" },
            )?;
            out.flush()?;
        }
    }
    Ok(())
}

fn run(program: &Path, emit: &str, shape: &Shape, size: u64) -> Result<Cost> {
    let mut child = Command::new(program)
        .args([&format!("--emit={emit}"), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let pipe = child.stdin.take().context("no pipe")?;
    let mut counted = Counted { inner: BufWriter::with_capacity(1 << 20, pipe), bytes: 0 };
    let written = (shape.write)(&mut counted, size).and_then(|()| counted.flush());
    let bytes = counted.bytes;
    drop(counted);
    let used = watch(&mut child)?;
    let status = child.wait()?;
    written.context("the program stopped reading")?;
    let code = status.code();
    ensure!(matches!(code, Some(0 | 1)), "the program ended with {status}");
    Ok(Cost { bytes, used, accepted: code == Some(0) })
}

/// What a process has used, asked for again and again until it ends.
fn watch(child: &mut Child) -> Result<Usage> {
    let mut used = Usage::default();
    while child.try_wait()?.is_none() {
        if let Some(now) = usage(child.id()) {
            used = now;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(used)
}

/// Reads `/proc/ID`; nothing when the process has just ended.
fn usage(process: u32) -> Option<Usage> {
    const TICKS_A_SECOND: f64 = 100.0;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.split_whitespace().next()?.parse().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold blanks; user and system time are the 12th and 13th field after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().ok());
    let seconds = ticks.sum::<Option<f64>>()? / TICKS_A_SECOND;
    Some(Usage { seconds, memory: kilobytes << 10 })
}

struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(data)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
