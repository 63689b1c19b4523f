//! How fast a large file becomes LLVM IR in memory, without optimization and at -O2.
//!
//! `docs/performance.md` has the figures.

mod large_file;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use ptx_diag::SourceFile;
use ptx_llvm_core::{Context, Gpu};
use ptx_lower::lower;
use ptx_opt::{OptLevel, optimize};
use ptx_syntax::parse;
use ptx_verify::verify;

fn main() {
    let mut criterion = Criterion::default()
        .with_measurement(large_file::ProcessorTime::new())
        .measurement_time(Duration::from_secs(10))
        .configure_from_args();
    let mut group = criterion.benchmark_group("lowering");
    group.sample_size(10);
    for (name, size, level) in [
        ("lower", large_file::SIZE, OptLevel::O0),
        // LLVM's passes take about ten times as long as the rest.
        ("lower and optimize the eighth", large_file::SIZE / 8, OptLevel::O2),
    ] {
        let source = SourceFile::new("large.ptx", large_file::large_file(size));
        let (module, findings) = parse(&source);
        assert!(!findings.has_errors(), "the file must be valid");
        let Ok((verified, _)) = verify(&module) else { panic!("the file must be valid") };
        group.throughput(Throughput::Bytes(source.text().len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_with_large_drop(|| {
                let context = Context::new().expect("LLVM 22");
                let Ok(mut lowered) = lower(black_box(&verified), &context) else {
                    panic!("every construct of the file is lowered")
                };
                optimize(&mut lowered, level, None, Gpu::default()).expect("the passes run");
                drop(lowered);
                context
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
