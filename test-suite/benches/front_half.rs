//! How fast the front half reads, checks and prints a large file.
//!
//! `docs/performance.md` has the figures.

mod large_file;

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use ptx_diag::SourceFile;
use ptx_ir::print;
use ptx_syntax::parse;
use ptx_verify::verify;

fn main() {
    let text = large_file::large_file(large_file::SIZE);
    // Other programs can be measured with the same text.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("front_half.ptx");
    std::fs::write(&path, &text).expect("a folder for the file");

    let source = SourceFile::new("front_half.ptx", text.clone().into_bytes());
    let (module, findings) = parse(&source);
    assert!(!findings.has_errors() && verify(&module).is_ok(), "the file must be valid");

    let mut criterion = Criterion::default()
        .with_measurement(large_file::ProcessorTime::new())
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    let mut group = criterion.benchmark_group("front half");
    group.sample_size(20).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter_with_large_drop(|| parse(black_box(&source))));
    group.bench_function("parse and verify", |bencher| {
        bencher.iter_with_large_drop(|| {
            let (module, findings) = parse(black_box(&source));
            assert!(verify(&module).is_ok());
            (module, findings)
        });
    });
    group.throughput(Throughput::Bytes(print(&module).len() as u64));
    group.bench_function("print", |bencher| bencher.iter_with_large_drop(|| print(black_box(&module))));
    group.finish();
    criterion.final_summary();
}
