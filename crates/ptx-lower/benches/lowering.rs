//! How fast a large file becomes LLVM IR in memory, without optimization.
//!
//! `docs/performance.md` has the figures.

#[path = "../../ptx-verify/benches/large_file/mod.rs"]
mod large_file;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use ptx_diag::SourceFile;
use ptx_llvm::Context;
use ptx_lower::lower;
use ptx_syntax::parse;
use ptx_verify::verify;

fn main() {
    let source = SourceFile::new("large.ptx", large_file::large_file(large_file::SIZE));
    let (module, findings) = parse(&source);
    assert!(!findings.has_errors(), "the file must be valid");
    let Ok((verified, _)) = verify(&module) else { panic!("the file must be valid") };

    let mut criterion = Criterion::default()
        .with_measurement(large_file::ProcessorTime::new())
        .measurement_time(Duration::from_secs(10))
        .configure_from_args();
    let mut group = criterion.benchmark_group("lowering");
    group.sample_size(10).throughput(Throughput::Bytes(source.text().len() as u64));
    group.bench_function("lower", |bencher| {
        bencher.iter_with_large_drop(|| {
            let context = Context::new().expect("LLVM 22");
            let lowered = lower(black_box(&verified), &context).map(drop);
            assert!(lowered.is_ok(), "every construct of the file is lowered");
            context
        });
    });
    group.finish();
    criterion.final_summary();
}
