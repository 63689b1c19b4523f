//! Reading and verifying take time in proportion to the input, whatever it looks like.

use std::time::{Duration, Instant};

use ptx_diag::SourceFile;
use test_suite::stress::{SHAPES, Shape};

/// The smaller size is such a part of the shape's.
const PART: u64 = 40;
/// The larger input is so many times as large,
const LARGER: u64 = 8;
/// and may take so many times the time: three times its proportion, where a square would be eight times.
const MOST: u32 = 24;
/// The system counts in steps of several milliseconds; below this a measurement says nothing.
const FLOOR: Duration = Duration::from_millis(8);

/// How long this thread has run: other programs do not count, where the system tells.
fn clock(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn time(shape: &Shape, size: u64) -> Duration {
    let mut text = Vec::new();
    (shape.write)(&mut text, size).expect("memory takes everything");
    let source = SourceFile::new("large.ptx", text);
    let now = Instant::now();
    let start = clock(now);
    let (module, findings) = ptx_syntax::parse(&source);
    let more =
        ptx_verify::verify(&module).map_or_else(|findings| findings.len(), |(_, warnings)| warnings.len());
    let spent = clock(now).saturating_sub(start);
    assert!(findings.len() <= 10_000 && more <= 10_000, "{}: nobody reads so many findings", shape.name);
    spent
}

#[test]
fn time_grows_as_the_input_does() {
    let mut complaints = Vec::new();
    for shape in SHAPES {
        let size = shape.size / PART;
        let (small, large) = (time(shape, size), time(shape, LARGER * size));
        if large > small.max(FLOOR) * MOST {
            let name = shape.name;
            complaints.push(format!("{name}: {size} takes {small:?}, {LARGER} times as much {large:?}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
