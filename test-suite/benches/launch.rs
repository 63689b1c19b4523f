//! What a launch of a decoded kernel costs: wall-clock time from the call to its return, the instructions of the kernel included.
//!
//! `docs/performance.md` has the figures.

use std::hint::black_box;

use criterion::Criterion;
use ptx_device::{Device, DeviceOptions, Engine, Module, Shape, Stream};

const STORE: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 to)
{
    .reg .b64 %a;
    .reg .b32 %i;
    ld.param.u64 %a, [to];
    mov.u32 %i, %tid.x;
    mad.wide.u32 %a, %i, 4, %a;
    st.global.u32 [%a], %i;
    ret;
}
.visible .entry nothing() { ret; }
";

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let device = Device::with(DeviceOptions { engine: Engine::Interpreter, ..DeviceOptions::default() });
    let module = Module::load(&device, "store.ptx", STORE).expect("the module is valid");
    let kernel = module.kernel("store").expect("the kernel executes");
    let to = device.allocate(4096).expect("there is memory");
    let mut group = criterion.benchmark_group("launch");
    for (name, blocks, threads) in [("one warp", 1, 32), ("one block of 256", 1, 256), ("16 blocks", 16, 32)]
    {
        let shape = Shape::linear(blocks, threads);
        group.bench_function(name, |bencher| {
            bencher.iter(|| kernel.launch(black_box(&shape), &[to.into()]).expect("the kernel runs"));
        });
    }
    let nothing = module.kernel("nothing").expect("the kernel executes");
    for threads in [32, 256, 1024] {
        let shape = Shape::linear(1, threads);
        group.bench_function(format!("nothing, {threads} threads"), |bencher| {
            bencher.iter(|| nothing.launch(black_box(&shape), &[]).expect("the kernel runs"));
        });
    }
    {
        let device = Device::with(DeviceOptions { engine: Engine::Compiled, ..DeviceOptions::default() });
        let module = Module::load(&device, "store.ptx", STORE).expect("the module is valid");
        let nothing = module.kernel("nothing").expect("the kernel executes");
        for (blocks, threads) in [(1, 32), (1, 1024), (1_000_000, 32)] {
            let shape = Shape::linear(blocks, threads);
            group.bench_function(format!("compiled: nothing, {blocks} blocks of {threads}"), |bencher| {
                bencher.iter(|| nothing.launch(black_box(&shape), &[]).expect("the kernel runs"));
            });
        }
    }
    let stream = Stream::new(&device).expect("there is a thread");
    group.bench_function("one warp on a stream, waited for", |bencher| {
        bencher.iter(|| {
            stream.launch(&kernel, &Shape::linear(1, 32), &[to.into()]).expect("the launch fits");
            stream.synchronize().expect("the kernel runs");
        });
    });
    group.finish();
    criterion.final_summary();
}
