//! Reading and verifying take time in proportion to the input, whatever it looks like.

use std::time::{Duration, Instant};

use ptx_diag::SourceFile;
use test_suite::stress::{SHAPES, Shape};

/// A size for each shape that takes long enough to measure.
const PART: u64 = 50;
/// Four times the input may take so many times the time: twice the proportion, and what a busy machine adds.
const MOST: u32 = 10;

/// The least time of some runs: what else the machine does only adds.
fn time(shape: &Shape, size: u64) -> Duration {
    let mut text = Vec::new();
    (shape.write)(&mut text, size).expect("memory takes everything");
    let source = SourceFile::new("large.ptx", text);
    let once = || {
        let start = Instant::now();
        let (module, findings) = ptx_syntax::parse(&source);
        let verified = ptx_verify::verify(&module).is_ok();
        assert!(!(verified && findings.iter().any(|finding| finding.message.is_empty())));
        start.elapsed()
    };
    (0..4).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn time_grows_as_the_input_does() {
    let mut complaints = Vec::new();
    for shape in SHAPES {
        let size = shape.size / PART;
        let (one, four) = (time(shape, size), time(shape, 4 * size));
        // Below a millisecond a measurement says nothing.
        let bound = one.max(Duration::from_millis(1)) * MOST;
        if four > bound {
            complaints.push(format!("{}: {size} takes {one:?}, four times as much {four:?}", shape.name));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
