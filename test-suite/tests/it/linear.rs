//! Reading and verifying take time in proportion to the input, whatever it looks like.

use std::time::Duration;

use ptx_diag::SourceFile;
use test_suite::growth::{complaint, timed};
use test_suite::stress::{SHAPES, Shape};

/// The smaller size is such a part of the shape's.
const PART: u64 = 40;

fn time(shape: &Shape, size: u64) -> Duration {
    let mut text = Vec::new();
    (shape.write)(&mut text, size).expect("memory takes everything");
    let source = SourceFile::new("large.ptx", text);
    let ((findings, more), spent) = timed(|| {
        let (module, findings) = ptx_syntax::parse(&source);
        let verified = ptx_verify::verify(&module);
        (findings, verified.map_or_else(|findings| findings.len(), |(_, warnings)| warnings.len()))
    });
    assert!(findings.len() <= 10_000 && more <= 10_000, "{}: nobody reads so many findings", shape.name);
    spent
}

#[test]
fn time_grows_as_the_input_does() {
    let mut complaints = Vec::new();
    for shape in SHAPES {
        let size = shape.size / PART;
        complaints.extend(complaint(shape.name, size as usize, |size| time(shape, size as u64)));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
