//! Launches of which all blocks start at once, with `Engine::Automatic`: the interpreter executes short ones on a copy of the memory, and
//! compiled code long ones from the beginning.

use std::num::NonZeroUsize;
use std::time::Duration;

use ptx_device::{
    Device, DeviceError, DeviceOptions, HostRegion, Kernel, Limits, Module, Report, Shape, TrapKind,
};

/// `steps` takes steps in place, so that a part that is executed twice shows. The others are `steps` with something in addition that others
/// may see before the end of the launch, or that is not part of global memory.
const KERNELS: &str = ".version 8.7
.target sm_90
.address_size 64
.global .u32 total;
.extern .func (.param .b64 r) malloc(.param .b64 bytes);
.visible .entry steps(.param .u64 words, .param .u32 rounds) { BODY }
.visible .entry stops(.param .u64 words, .param .u32 rounds) { BODY_TO trap; }
.visible .entry counts(.param .u64 words, .param .u32 rounds) { red.global.add.u32 [total], 1; BODY }
.visible .entry tells(.param .u64 words, .param .u32 rounds) { membar.sys; BODY }
.visible .entry releases(.param .u64 words, .param .u32 rounds) { st.release.sys.global.u32 [total], 1; BODY }
.visible .entry polls(.param .u64 words, .param .u32 rounds) { .reg .b32 %q; ld.volatile.global.u32 %q, [total]; BODY }
.visible .entry keeps(.param .u64 words, .param .u32 rounds) { { .param .b64 r; .param .b64 n; st.param.b64 [n], 8; call (r), malloc, (n); } BODY }
";

const BODY: &str = "
    .reg .pred %p; .reg .b32 %n, %x, %t; .reg .b64 %a, %o;
    ld.param.u64 %a, [words]; ld.param.u32 %n, [rounds];
    mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.s64 %a, %a, %o;
again:
    ld.global.u32 %x, [%a]; mad.lo.u32 %x, %x, 1664525, 1013904223; st.global.u32 [%a], %x;
    sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;";

const THREADS: u32 = 64;
const SHORT: u32 = 10;
/// More than the budget of `device`.
const LONG: u32 = 50_000;

fn device_with(limits: Limits) -> Device {
    let threads = NonZeroUsize::new(2);
    Device::with(DeviceOptions {
        threads,
        limits,
        interpreted_first: Some(10_000),
        ..DeviceOptions::default()
    })
}

fn device() -> Device {
    device_with(Limits::default())
}

fn kernel(device: &Device, name: &str) -> Kernel {
    let text = KERNELS.replace("BODY_TO", BODY).replace("BODY", &format!("{BODY} ret;"));
    Module::load(device, "k.ptx", text).expect("a module").kernel(name).expect("a kernel")
}

fn launch(kernel: &Kernel, words: u64, rounds: u32) -> Result<Report, DeviceError> {
    kernel.launch(&Shape::linear(1, THREADS), &[words.into(), rounds.into()])
}

fn after(rounds: u32) -> u32 {
    (0..rounds).fold(0, |x: u32, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}

fn words(device: &Device, address: u64) -> Vec<u32> {
    let mut bytes = vec![0; 4 * THREADS as usize];
    device.read(address, &mut bytes).expect("readable");
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// What a launch of so many rounds leaves, and how many blocks compiled code has executed.
fn executed(name: &str, rounds: u32) -> (Vec<u32>, u64) {
    let device = device();
    let memory = device.allocate(4 * u64::from(THREADS)).expect("memory");
    let report = launch(&kernel(&device, name), memory, rounds).expect("it runs");
    assert_eq!(report.warp_instructions > 0, report.compiled_blocks == 0);
    (words(&device, memory), report.compiled_blocks)
}

#[test]
fn short_launches_are_interpreted_and_long_ones_compiled() {
    let left = |rounds| vec![after(rounds); THREADS as usize];
    assert_eq!(executed("steps", SHORT), (left(SHORT), 0));
    // What the interpreter has done of it until then has not happened.
    assert_eq!(executed("steps", LONG), (left(LONG), 1));
}

#[test]
fn what_others_may_see_before_the_end_is_not_interpreted_on_a_copy() {
    for name in ["counts", "tells", "releases", "polls", "keeps"] {
        assert_eq!(executed(name, SHORT), (vec![after(SHORT); THREADS as usize], 1), "{name}");
    }
}

/// The budget is that of all launches, and copies count, too.
#[test]
fn many_short_launches_are_a_long_one() {
    let device = device();
    let steps = kernel(&device, "steps");
    let memory = device.allocate(4 * u64::from(THREADS)).expect("memory");
    let compiled = (1..=200).position(|number| {
        let report = launch(&steps, memory, SHORT).expect("it runs");
        assert_eq!(words(&device, memory), vec![after(number * SHORT); THREADS as usize]);
        report.compiled_blocks == 1
    });
    // Two warps execute about 140 instructions.
    assert!(compiled.is_some_and(|at| (50..100).contains(&at)), "{compiled:?}");
    // So much memory is not copied for that.
    let device = self::device();
    let memory = device.allocate(65 << 20).expect("memory");
    assert_eq!(launch(&kernel(&device, "steps"), memory, SHORT).expect("it runs").compiled_blocks, 1);
}

#[test]
fn errors_of_short_launches_leave_memory_as_it_was_then() {
    let device = device();
    let memory = device.allocate(4 * u64::from(THREADS)).expect("memory");
    let error = launch(&kernel(&device, "stops"), memory, SHORT).expect_err("it is stopped");
    let DeviceError::Stopped(stopped) = &error else { panic!("{error}") };
    assert_eq!(stopped.trap.kind, TrapKind::Trap);
    device.recover().expect("it was stopped");
    // The first warp.
    assert_eq!(words(&device, memory)[..32], vec![after(SHORT); 32]);
    let beyond = memory + 4 * u64::from(THREADS);
    let text = launch(&kernel(&device, "steps"), beyond, SHORT).expect_err("no memory").to_string();
    assert!(text.contains("offset 256 of allocation 1, which has 256 bytes"), "{text}");
}

/// The time limit is that of both engines together.
#[test]
fn a_launch_that_does_not_end_is_stopped() {
    let limits = Limits { timeout: Some(Duration::from_secs(3)), ..Limits::default() };
    let device = device_with(limits);
    let memory = device.allocate(4 * u64::from(THREADS)).expect("memory");
    // 2^32 rounds.
    let error = launch(&kernel(&device, "steps"), memory, 0).expect_err("too long");
    assert!(error.findings().iter().any(|finding| finding.code == "X0204"), "{error}");
}

/// Bytes of the process around registered memory, which are in the same words, are its own.
#[test]
fn registered_memory_may_begin_and_end_anywhere() {
    let device = device();
    let memory: &'static [std::sync::atomic::AtomicU64] =
        Box::leak((0..40).map(|_| std::sync::atomic::AtomicU64::new(0)).collect());
    let address = memory.as_ptr().expose_provenance() as u64 + 4;
    let region = HostRegion { words: memory, address, bytes: 4 * u64::from(THREADS), is_writable: true };
    device.register(region, "memory").expect("it fits");
    launch(&kernel(&device, "steps"), address, SHORT).expect("it runs");
    assert_eq!(words(&device, address), vec![after(SHORT); THREADS as usize]);
    let sides = [
        memory[0].load(std::sync::atomic::Ordering::Relaxed) as u32,
        (memory[32].load(std::sync::atomic::Ordering::Relaxed) >> 32) as u32,
    ];
    assert_eq!(sides, [0, 0]);
}
