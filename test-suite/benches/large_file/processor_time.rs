//! The time a thread has a processor for: on a shared machine it is more telling than the time that passes.

use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// Measures the CPU time of the thread on Linux, else wall-clock time.
pub struct ProcessorTime {
    started: Instant,
    format: WallTime,
}

impl ProcessorTime {
    /// Starts to count.
    pub fn new() -> Self {
        Self { started: Instant::now(), format: WallTime }
    }

    fn now(&self) -> Duration {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = text.split(' ').next().and_then(|count| count.parse().ok());
        nanoseconds.map_or_else(|| self.started.elapsed(), Duration::from_nanos)
    }
}

impl Measurement for ProcessorTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        self.now()
    }

    fn end(&self, start: Duration) -> Duration {
        self.now().saturating_sub(start)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self.format.formatter()
    }
}
