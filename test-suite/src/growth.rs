//! Whether time grows as the input does, in the time of one thread.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How many times as large the larger input is.
pub const LARGER: usize = 8;
/// The larger input may take so many times the time: three times its proportion, where a square would be eight times.
const MOST: u32 = 24;
/// Below this the caches and the first use of memory decide.
const FLOOR: Duration = Duration::from_millis(8);
/// How often a pair is measured before it is complained of. What else the machine does makes a measurement longer, never
/// shorter, so that the shortest of several is the best; work that grows too fast is too long in all of them.
const TRIES: usize = 3;

/// How long this thread has run: other programs do not count.
fn clock() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a clock of run time is not negative")
}

/// What some work comes to, and how long this thread took for it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = clock();
    let result = work();
    (result, clock() - start)
}

/// What is wrong with a shape of which an input of a `size` takes the time that `measure` gives: `None` where time grows as the
/// input does. It is measured at `size` and at [`LARGER`] times that, again where they do not fit.
pub fn complaint(name: &str, size: usize, mut measure: impl FnMut(usize) -> Duration) -> Option<String> {
    let [mut small, mut large] = [Duration::MAX; 2];
    for _ in 0..TRIES {
        small = small.min(measure(size));
        large = large.min(measure(LARGER * size));
        if large <= small.max(FLOOR) * MOST {
            return None;
        }
    }
    Some(format!("{name}: {size} takes {small:?}, {LARGER} times as much {large:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grows(time: impl Fn(usize) -> Duration) -> bool {
        complaint("shape", 1, time).is_some()
    }

    #[test]
    fn squares_are_complained_of_and_proportions_are_not() {
        let squares = |size: usize| 2 * FLOOR * (size * size) as u32;
        assert!(!grows(|size| 2 * FLOOR * size as u32));
        assert!(grows(squares));
        assert!(!grows(|size| if size == 1 { Duration::ZERO } else { FLOOR }));
    }

    #[test]
    fn one_measurement_that_was_disturbed_is_no_complaint() {
        let mut measured = 0;
        let disturbed = |size: usize| {
            measured += 1;
            2 * FLOOR * if measured == 2 { 64 } else { size as u32 }
        };
        assert_eq!(complaint("shape", 1, disturbed), None);
    }

    #[test]
    fn the_clock_is_that_of_the_thread() {
        let ((), spent) = timed(|| std::thread::sleep(4 * FLOOR));
        assert!(spent < FLOOR, "{spent:?} of a thread that slept");
    }
}
