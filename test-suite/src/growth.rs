//! Whether time grows as the input does, in the time of one thread.

use std::time::{Duration, Instant};

/// How many times as large the larger input is.
pub const LARGER: usize = 8;
/// The larger input may take so many times the time: three times its proportion, where a square would be eight times.
const MOST: u32 = 24;
/// The system counts in steps of several milliseconds; below this a measurement says nothing.
const FLOOR: Duration = Duration::from_millis(8);

/// How long this thread has run: other programs do not count, where the system tells.
fn clock(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// What some work comes to, and how long this thread took for it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let now = Instant::now();
    let start = clock(now);
    let result = work();
    (result, clock(now).saturating_sub(start))
}

/// What is wrong with a shape whose input of `size` takes `small`, and [`LARGER`] times as much `large`; `None` where time grows as
/// the input does.
pub fn complaint(name: &str, size: usize, small: Duration, large: Duration) -> Option<String> {
    let grows = large > small.max(FLOOR) * MOST;
    grows.then(|| format!("{name}: {size} takes {small:?}, {LARGER} times as much {large:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_complained_of_and_proportions_are_not() {
        let small = 2 * FLOOR;
        assert_eq!(complaint("line", 1, small, small * 8), None);
        assert!(complaint("square", 1, small, small * 64).is_some());
        assert_eq!(complaint("short", 1, Duration::ZERO, FLOOR), None);
    }
}
