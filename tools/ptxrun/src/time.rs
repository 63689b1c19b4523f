//! The time of launches (`--time=json`).

use std::time::{Duration, Instant};

use clap::ValueEnum;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use crate::engine::Engine;

/// The format in which times are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TimeFormat {
    /// An object on a line for each launch.
    Json,
}

/// Measures the time from its creation.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    /// The processor time of the process at the start.
    cpu: Duration,
}

/// A measured time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elapsed {
    /// Wall-clock time.
    pub wall: Duration,
    /// Processor time of all threads of the process.
    pub cpu: Duration,
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        Self { cpu: processor_time(), wall: Instant::now() }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Elapsed {
        let wall = self.wall.elapsed();
        Elapsed { wall, cpu: processor_time().saturating_sub(self.cpu) }
    }
}

/// Processor time of all threads of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    // The time of a process is not negative.
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

/// The line of a launch that one of the two engines executed, in nanoseconds.
pub fn line(number: u64, engine: Engine, compile: Duration, launch: Elapsed) -> String {
    // Default: no launch takes centuries.
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let object = json!({
        "launch": number,
        "engine": engine.name(),
        "compile_ns": nanoseconds(compile),
        "wall_ns": nanoseconds(launch.wall),
        "cpu_ns": nanoseconds(launch.cpu),
    });
    format!("{object}\n")
}
