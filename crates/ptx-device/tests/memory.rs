//! What launches of compiled kernels cost in memory, measured for the whole process: the tests of this file take turns, and nothing else
//! executes in their process.
#![cfg(target_os = "linux")]

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ptx_device::{Argument, Device, DeviceOptions, Engine, Kernel, Module, Shape};

const KERNELS: &str = ".version 8.7
.target sm_90
.address_size 64
.visible .global .u32 total = 7;
.visible .entry nothing() { ret; }
.visible .entry indices(.param .u64 out, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %i, %n, %t, %d; .reg .b64 %a, %o;
    mov.u32 %i, %ctaid.x; mov.u32 %d, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %d, %t;
    ld.param.u32 %n, [n]; setp.ge.u32 %p, %i, %n; @%p ret;
    ld.param.u64 %a, [out]; mul.wide.u32 %o, %i, 4; add.s64 %a, %a, %o; st.global.u32 [%a], %i;
    atom.global.add.u32 %t, [total], 2;
    ret;
}
.extern .shared .align 16 .b8 s[];
.visible .entry shares(.param .u64 out)
{
    .reg .pred %p; .reg .b32 %i, %v, %d; .reg .b64 %a;
    mov.u32 %i, %tid.x; mov.u32 %v, s; mad.lo.u32 %d, %i, 224, %v; st.shared.u32 [%d], %i;
    bar.sync 0;
    xor.b32 %i, %i, 1023; mad.lo.u32 %d, %i, 224, %v; ld.shared.u32 %v, [%d];
    ld.param.u64 %a, [out]; atom.global.add.u32 %d, [%a], %v;
    ret;
}
";

/// Held by the test that measures.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device that executes compiled kernels on two threads of the host.
fn device() -> Device {
    Device::with(DeviceOptions {
        engine: Engine::Compiled,
        threads: NonZeroUsize::new(2),
        ..DeviceOptions::default()
    })
}

fn kernel(device: &Device, name: &str) -> Kernel {
    Module::load(device, "k.ptx", KERNELS).expect("a module").kernel(name).expect("a kernel")
}

/// Bytes of memory that the process occupies: `VmRSS` now, `VmHWM` at most since [`reset_peak`].
fn memory(what: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(what)).expect("a line");
    1024 * line.split_whitespace().nth(1).expect("a number").parse::<u64>().expect("a number")
}

/// Lets `VmHWM` be what the process occupies now (proc(5), `clear_refs`).
fn reset_peak() {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux");
}

/// Launches leave no memory, however many there are. `PTX_LAUNCHES` asks for another number.
#[test]
fn launches_leave_nothing() {
    let _turn = turn();
    let count: u64 =
        std::env::var("PTX_LAUNCHES").ok().map_or(30_000, |count| count.parse().expect("a number"));
    let device = device();
    let (nothing, indices) = (kernel(&device, "nothing"), kernel(&device, "indices"));
    let out = device.allocate(800).expect("memory");
    let arguments: [Argument; 2] = [out.into(), 150u32.into()];
    let launch = |count: u64| {
        for _ in 0..count {
            nothing.launch(&Shape::linear(1, 32), &[]).expect("it runs");
            indices.launch(&Shape::linear(4, 50), &arguments).expect("it runs");
        }
    };
    launch(2000);
    let before = memory("VmRSS");
    let begin = Instant::now();
    launch(count);
    let (grown, time) = (memory("VmRSS").saturating_sub(before), begin.elapsed());
    // Eight bytes left by each of the 60,000 launches would be this much.
    assert!(grown < 480_000, "{grown} bytes after {count} pairs of launches in {time:?}");
}

/// A block of 1,024 threads with 227 KB of shared memory, on two threads of the host.
#[test]
fn large_blocks_take_little_memory() {
    let _turn = turn();
    let device = device();
    let shares = kernel(&device, "shares");
    let shape = Shape { dynamic_shared: 227 << 10, ..Shape::linear(64, 1024) };
    // What LLVM takes is not counted: it is there for all kernels.
    shares.prepare(&shape).expect("compiled");
    let out = device.allocate(4).expect("memory");
    reset_peak();
    let before = memory("VmRSS");
    shares.launch(&shape, &[out.into()]).expect("it runs");
    let grown = memory("VmHWM").saturating_sub(before);
    let mut sum = [0; 4];
    device.read(out, &mut sum).expect("readable");
    // Each block adds 0 + 1 + .. + 1023.
    assert_eq!(u32::from_le_bytes(sum), 64 * 1023 * 512);
    assert!(grown < 64 << 20, "{grown} bytes");
}
