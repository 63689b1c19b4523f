//! Launches that begin in the interpreter and go on as compiled code, with `Engine::Automatic`.

use std::num::NonZeroUsize;
use std::time::Duration;

use ptx_device::{
    Device, DeviceError, DeviceOptions, Engine, Kernel, Limits, Module, Report, Shape, TrapKind,
};

/// `work`: each thread computes for some rounds, and counts itself in its block's word. A thread of one block stops. The block
/// prints a line. `chain`: each block waits for another one. `wide`: with an access of 128 bits.
const KERNELS: &str = ".version 8.7
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.global .b8 text[4] = {37, 100, 10, 0};
.visible .entry work(.param .u64 counts, .param .u32 rounds, .param .u32 stops)
{
    .local .align 8 .b8 room[8];
    .reg .pred %p; .reg .b32 %b, %n, %s, %x, %t, %r; .reg .b64 %a, %o;
    mov.u32 %b, %ctaid.x; mov.u32 %t, %tid.x; ld.param.u32 %n, [rounds]; ld.param.u32 %s, [stops];
    mov.u32 %x, %t;
again:
    mad.lo.u32 %x, %x, 1664525, 1013904223;
    sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;
    setp.eq.u32 %p, %b, %s; @%p trap;
    ld.param.u64 %a, [counts]; mul.wide.u32 %o, %b, 8; add.s64 %a, %a, %o;
    red.global.add.u32 [%a], 1; red.global.add.u32 [%a+4], %x;
    setp.ne.u32 %p, %t, 0; @%p ret;
    st.local.u32 [room], %b;
    { .param .b64 f; .param .b64 v; .param .b32 r;
      mov.u64 %a, text; cvta.global.u64 %a, %a; st.param.b64 [f], %a;
      mov.u64 %a, room; cvta.local.u64 %a, %a; st.param.b64 [v], %a;
      call (r), vprintf, (f, v); ld.param.b32 %r, [r]; }
    ret;
}
.visible .entry chain(.param .u64 from, .param .u64 to, .param .u32 rounds)
{
    .reg .pred %p; .reg .b32 %b, %n, %x; .reg .b64 %a, %c, %o;
    mov.u32 %b, %ctaid.x; ld.param.u32 %n, [rounds]; mov.u32 %x, %b;
again:
    mad.lo.u32 %x, %x, 1664525, 1013904223;
    sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;
    ld.param.u64 %a, [from]; ld.param.u64 %c, [to]; mul.wide.u32 %o, %b, 4; add.s64 %a, %a, %o; add.s64 %c, %c, %o;
wait:
    ld.acquire.gpu.global.u32 %n, [%a]; setp.eq.u32 %p, %n, 0; @%p bra wait;
    add.u32 %n, %n, 1; st.release.gpu.global.u32 [%c], %n;
    ret;
}
.visible .entry wide(.param .u64 to, .param .u32 rounds)
{
    .reg .pred %p; .reg .b32 %n; .reg .b64 %a; .reg .b128 %w;
    ld.param.u64 %a, [to]; ld.param.u32 %n, [rounds];
again:
    sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;
    mov.b128 %w, {%a, %a}; atom.global.relaxed.gpu.exch.b128 %w, [%a], %w;
    ret;
}
.func f() { .reg .b64 %a; stacksave.u64 %a; .reg .pred %p; setp.eq.u64 %p, %a, 1; @%p call f; ret; }
.visible .entry saves(.param .u32 rounds)
{
    .reg .pred %p; .reg .b32 %n;
    call f; ld.param.u32 %n, [rounds];
again:
    sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;
    ret;
}
";

const THREADS: u32 = 64;
/// Blocks of a launch whose execution takes the interpreter far longer than the compilation.
const BLOCKS: u32 = 2000;
const ROUNDS: u32 = 20_000;
/// No block.
const NONE: u32 = u32::MAX;

fn device(threads: usize, limits: Limits) -> Device {
    let threads = NonZeroUsize::new(threads);
    Device::with(DeviceOptions {
        engine: Engine::Automatic,
        threads,
        limits,
        interpreted_first: Some(100_000),
        ..DeviceOptions::default()
    })
}

fn kernel(device: &Device, name: &str) -> Kernel {
    Module::load(device, "k.ptx", KERNELS).expect("a module").kernel(name).expect("a kernel")
}

/// A block's word of `work`: its threads, and the sum of what they computed.
fn word(rounds: u32) -> [u32; 2] {
    let step = |x: u32, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    let sum = (0..THREADS).map(|thread| (0..rounds).fold(thread, step)).fold(0, u32::wrapping_add);
    [THREADS, sum]
}

fn words(device: &Device, address: u64, count: u32) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count as usize];
    device.read(address, &mut bytes).expect("readable");
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn work(
    device: &Device,
    work: &Kernel,
    (blocks, rounds, stops): (u32, u32, u32),
) -> (Result<Report, DeviceError>, u64) {
    let counts = device.allocate(8 * u64::from(blocks)).expect("memory");
    let arguments = [counts.into(), rounds.into(), stops.into()];
    (work.launch(&Shape::linear(blocks, THREADS), &arguments), counts)
}

/// Both engines execute a part, each block once, and the output is in block order.
#[test]
fn blocks_that_have_not_started_are_executed_by_the_code() {
    for threads in [1, 2, 4] {
        let device = device(threads, Limits::default());
        let kernel = kernel(&device, "work");
        let (report, counts) = work(&device, &kernel, (BLOCKS, ROUNDS, NONE));
        let report = report.expect("it runs");
        assert_eq!(words(&device, counts, 2 * BLOCKS), word(ROUNDS).repeat(BLOCKS as usize));
        let lines: String = (0..BLOCKS).map(|block| format!("{block}\n")).collect();
        assert_eq!(device.take_output(), lines.into_bytes());
        // The interpreter has executed its budget, and whole blocks.
        let interpreted = u64::from(BLOCKS) - report.compiled_blocks;
        assert!(report.compiled_blocks > 0 && interpreted > 0, "{}", report.compiled_blocks);
        let of_block = report.warp_instructions / interpreted;
        assert_eq!(report.warp_instructions, of_block * interpreted);
        assert!((80_000 * 2..81_000 * 2).contains(&of_block), "{of_block}");
        // From then on there is code.
        let (report, _) = work(&device, &kernel, (8, 3, NONE));
        assert_eq!(report.expect("it runs").compiled_blocks, 8);
    }
}

#[test]
fn the_first_error_is_reported_by_whichever_engine_finds_it() {
    for threads in [1, 2] {
        for (stops, first) in [(0, true), (1, true), (BLOCKS - 1, false)] {
            let device = device(threads, Limits::default());
            let kernel = kernel(&device, "work");
            let (report, _) = work(&device, &kernel, (BLOCKS, ROUNDS, stops));
            let Err(DeviceError::Stopped(stopped)) = report else { panic!("{report:?}") };
            assert_eq!((&stopped.trap.kind, stopped.trap.block), (&TrapKind::Trap, [stops, 0, 0]));
            if !first {
                // What all others printed is not lost.
                let lines = (0..BLOCKS - 1).map(|block| format!("{block}\n")).collect::<String>();
                assert_eq!(String::from_utf8(device.take_output()).expect("numbers"), lines);
            }
        }
    }
}

/// Each block waits for the one before it, or after it, so that one of the interpreter's and one of the code's wait for each other.
#[test]
fn blocks_of_both_engines_wait_for_each_other() {
    const CHAIN: u32 = 400;
    for threads in [1, 2] {
        for is_forward in [true, false] {
            let limits = Limits { timeout: Some(Duration::from_secs(120)), ..Limits::default() };
            let device = device(threads, limits);
            let chain = kernel(&device, "chain");
            let flags = device.allocate(4 * u64::from(CHAIN + 1)).expect("memory");
            let (first, last) = (flags, flags + 4 * u64::from(CHAIN));
            device.write(if is_forward { first } else { last }, &1u32.to_le_bytes()).expect("writable");
            let (from, to) = if is_forward { (flags, flags + 4) } else { (flags + 4, flags) };
            let arguments = [from.into(), to.into(), 10_000u32.into()];
            let report = chain.launch(&Shape::linear(CHAIN, 1), &arguments).expect("it runs");
            assert!(report.compiled_blocks > 0 && report.compiled_blocks < u64::from(CHAIN));
            let mut found = words(&device, flags, CHAIN + 1);
            if !is_forward {
                found.reverse();
            }
            assert_eq!(found, (1..=CHAIN + 1).collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_budget_is_that_of_all_launches_of_a_kernel() {
    let device = device(2, Limits::default());
    let kernel = kernel(&device, "work");
    let (mut interpreted, mut launches) = (0, 0);
    loop {
        let (report, counts) = work(&device, &kernel, (4, 10, NONE));
        let report = report.expect("it runs");
        assert_eq!(words(&device, counts, 8), word(10).repeat(4));
        launches += 1;
        if report.compiled_blocks > 0 {
            break;
        }
        interpreted += report.warp_instructions;
        // It is compiled as soon as the budget is spent, which takes no longer than this.
        if interpreted > 100_000 {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(launches < 20_000, "the kernel is never compiled");
    }
    assert!(interpreted >= 100_000, "{interpreted}");
}

#[test]
fn limits_count_what_both_engines_do() {
    // The time limit, which the last block exceeds: the interpreter, the compilation and the code together.
    let limits = Limits { timeout: Some(Duration::from_millis(500)), ..Limits::default() };
    for threads in [1, 2] {
        let device = device(threads, limits.clone());
        let (report, _) = work(&device, &kernel(&device, "work"), (BLOCKS, 20_000_000, NONE));
        let Err(DeviceError::Stopped(stopped)) = report else { panic!("{report:?}") };
        assert_eq!(stopped.trap.kind, TrapKind::Timeout);
    }
    // 6,000 bytes, of which the interpreter writes some.
    let device = device(2, Limits { output: 6_000, ..Limits::default() });
    let (report, _) = work(&device, &kernel(&device, "work"), (BLOCKS, ROUNDS, NONE));
    let Err(DeviceError::Stopped(stopped)) = report else { panic!("{report:?}") };
    assert_eq!(stopped.trap.kind, TrapKind::Output);
}

#[test]
fn what_cannot_be_handed_over_is_compiled_before() {
    let device = device(2, Limits::default());
    let to = device.allocate(16).expect("memory");
    let wide = kernel(&device, "wide").launch(&Shape::linear(9, 1), &[to.into(), 5u32.into()]);
    assert_eq!(wide.expect("it runs").compiled_blocks, 9);
    // No more blocks than threads, which would all have started.
    let kernel = kernel(&device, "work");
    let (report, _) = work(&device, &kernel, (2, 10, NONE));
    assert_eq!(report.expect("it runs").compiled_blocks, 2);
}

#[test]
fn the_interpreter_ends_what_is_not_compiled() {
    let device = device(2, Limits::default());
    let saves = kernel(&device, "saves");
    for _ in 0..2 {
        let report = saves.launch(&Shape::linear(50, 32), &[10_000u32.into()]).expect("it runs");
        assert_eq!(report.compiled_blocks, 0);
        assert!(report.warp_instructions >= 50 * 30_000);
    }
}
