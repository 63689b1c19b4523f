//! How fast LLVM IR in memory becomes PTX text, without optimization, and LLVM's own backend on the same module.
//!
//! `docs/performance.md` has the figures. Bytes are those of the PTX that comes out.

mod large_file;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput};
use ptx_diag::SourceFile;
use ptx_llvm_core::{Context, Gpu, Machine, Module, OptLevel};
use ptx_raise::{RaiseOptions, raise};

fn main() {
    let mut criterion = Criterion::default()
        .with_measurement(large_file::ProcessorTime::new())
        .measurement_time(Duration::from_secs(10))
        .configure_from_args();
    let mut group = criterion.benchmark_group("raising");
    group.sample_size(10);
    let context = Context::new().expect("LLVM 22");
    let large = lowered(&context, large_file::SIZE);
    let text = text_of(&large);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("raise and print", |bencher| bencher.iter(|| text_of(black_box(&large))));
    group.bench_function("view", |bencher| {
        bencher
            .iter_with_large_drop(|| ptx_llvm_core::view::View::new(black_box(&large)).expect("a picture"));
    });
    drop(large);

    // LLVM's backend consumes its module, and takes longer.
    let small = lowered(&context, large_file::SIZE / 8);
    let bitcode = small.to_bitcode();
    let machine = Machine::new(&Gpu::of_module(&small).for_pipelines(), OptLevel::O2).expect("a machine");
    group.throughput(Throughput::Bytes(text_of(&small).len() as u64));
    group.bench_function("raise and print the eighth", |bencher| bencher.iter(|| text_of(black_box(&small))));
    group.bench_function("llc -O2 of the eighth", |bencher| {
        let setup = || Module::parse(&context, "again", &bitcode).expect("own bitcode");
        let generate = |module| ptx_llvm_core::emit_ptx(module, &machine).expect("the backend takes it");
        bencher.iter_batched(setup, generate, BatchSize::PerIteration);
    });
    group.finish();
    criterion.final_summary();
}

/// The LLVM IR of the large file.
fn lowered(context: &Context, size: usize) -> Module<'_> {
    let source = SourceFile::new("large.ptx", large_file::large_file(size));
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "the file must be valid");
    let Ok((verified, _)) = ptx_verify::verify(&module) else { panic!("the file must be valid") };
    let Ok(lowered) = ptx_lower::lower(&verified, context) else { panic!("every construct is lowered") };
    lowered
}

fn text_of(module: &Module<'_>) -> String {
    let Ok((ptx, _)) = raise(module, &RaiseOptions::default()) else { panic!("every construct is raised") };
    ptx_ir::print(&ptx)
}
