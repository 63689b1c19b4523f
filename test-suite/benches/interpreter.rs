//! How fast the interpreter executes: instructions of warps a second, on one host thread.
//!
//! `docs/performance.md` has the figures.

#[path = "large_file/processor_time.rs"]
mod processor_time;

use std::hint::black_box;
use std::num::NonZeroUsize;

use criterion::{Criterion, Throughput};
use processor_time::ProcessorTime;
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch, run};

const KERNELS: &str = include_str!("kernels.ptx");
/// Threads of the block.
const THREADS: u32 = 256;

fn main() {
    let mut criterion = Criterion::default().with_measurement(ProcessorTime::new()).configure_from_args();
    let source = SourceFile::new("kernels.ptx", KERNELS);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "the kernels must be valid");
    let Ok((verified, _)) = ptx_verify::verify(&module) else { panic!("the kernels must be valid") };
    let mut group = criterion.benchmark_group("interpreter");
    group.sample_size(20);
    for kernel in ["floats", "integers", "shared", "divergent", "atomics"] {
        let launch = Launch {
            grid: [16, 1, 1],
            block: [THREADS, 1, 1],
            arguments: vec![Argument::Buffer(vec![0; THREADS as usize * 4])],
            threads: Some(NonZeroUsize::MIN),
            ..Launch::new(kernel)
        };
        let outcome = run(verified, &launch).expect("the kernels execute");
        group.throughput(Throughput::Elements(outcome.warp_instructions));
        group.bench_function(kernel, |bencher| bencher.iter(|| run(black_box(verified), &launch)));
    }
    group.finish();
    criterion.final_summary();
}
