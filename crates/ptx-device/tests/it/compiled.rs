//! Compiled kernels on a device: the same results and errors as the interpreter's.
//!
//! What kernels leave is worked out here by plain loops.

use std::time::Duration;

use ptx_device::{
    Check, Completion, Device, DeviceError, DeviceOptions, Engine, Kernel, Limits, Module, Shape, Stream,
    TrapKind,
};

const KERNELS: &str = ".version 8.7
.target sm_90
.address_size 64
.visible .global .u32 total = 7;
.const .u32 weights[4] = {3, 1, 4, 1};
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.global .b8 text[4] = {104, 105, 10, 0};
.visible .entry sums(.param .u64 out, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %i, %n, %w, %t, %d; .reg .b64 %a, %o;
    mov.u32 %i, %ctaid.x; mov.u32 %d, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %d, %t;
    ld.param.u32 %n, [n]; setp.ge.u32 %p, %i, %n; @%p ret;
    and.b32 %w, %i, 3; mul.wide.u32 %o, %w, 4; mov.u64 %a, weights; add.s64 %a, %a, %o; ld.const.u32 %w, [%a];
    mad.lo.u32 %w, %w, %i, 5;
    ld.param.u64 %a, [out]; mul.wide.u32 %o, %i, 4; add.s64 %a, %a, %o; st.global.u32 [%a], %w;
    atom.global.add.u32 %t, [total], 2;
    ret;
}
.visible .entry stops()
{
    .reg .pred %p; .reg .b32 %i;
    mov.u32 %i, %tid.x; setp.eq.u32 %p, %i, 40;
    @%p trap;
    ret;
}
.visible .entry prints()
{
    .reg .b32 %r; .reg .b64 %a;
    { .param .b64 f; .param .b64 v; .param .b32 r;
      mov.u64 %a, text; cvta.global.u64 %a, %a; st.param.b64 [f], %a; mov.u64 %a, 0; st.param.b64 [v], %a;
      call (r), vprintf, (f, v); ld.param.b32 %r, [r]; }
    ret;
}
.visible .entry explains()
{
    .reg .pred %p; .reg .b32 %r; .reg .b64 %a;
    { .param .b64 f; .param .b64 v; .param .b32 r;
      mov.u64 %a, text; cvta.global.u64 %a, %a; st.param.b64 [f], %a; mov.u64 %a, 0; st.param.b64 [v], %a;
      call (r), vprintf, (f, v); ld.param.b32 %r, [r]; }
    bar.sync 0;
    mov.u32 %r, %ctaid.x; setp.eq.u32 %p, %r, 1;
    @%p trap;
    ret;
}
.func f() { .reg .b64 %a; stacksave.u64 %a; .reg .pred %p; setp.eq.u64 %p, %a, 1; @%p call f; ret; }
.visible .entry saves() { call f; ret; }
.visible .entry forever() { again: bra again; }
.visible .entry nothing() { ret; }
";

/// The line of something in the text.
fn line(what: &str) -> usize {
    1 + KERNELS.lines().position(|line| line.contains(what)).expect("it is there")
}

fn device(engine: Engine) -> Device {
    Device::with(DeviceOptions { engine, ..DeviceOptions::default() })
}

fn kernel(device: &Device, name: &str) -> Kernel {
    Module::load(device, "k.ptx", KERNELS).expect("a module").kernel(name).expect("a kernel")
}

fn words(device: &Device, address: u64, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count];
    device.read(address, &mut bytes).expect("readable");
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[test]
fn engines_leave_the_same() {
    let weights = [3, 1, 4, 1];
    let expected: Vec<u32> =
        (0..200).map(|i| if i < 150 { weights[i as usize % 4] * i + 5 } else { 0 }).collect();
    for (engine, is_compiled) in
        [(Engine::Interpreter, false), (Engine::Compiled, true), (Engine::Automatic, true)]
    {
        let device = device(engine);
        let sums = kernel(&device, "sums");
        let shape = Shape::linear(4, 50);
        assert_eq!(sums.prepare(&shape).expect("it fits"), is_compiled);
        let out = device.allocate(800).expect("memory");
        // Variables keep their values; each thread adds two.
        for launch in 1..=3u32 {
            let report = sums.launch(&shape, &[out.into(), 150u32.into()]).expect("it runs");
            assert_eq!(report.warp_instructions > 0, !is_compiled);
            assert_eq!(words(&device, out, 200), expected);
            let total = sums.module().variable("total").expect("a variable").address;
            assert_eq!(words(&device, total, 1), [7 + 2 * 150 * launch]);
        }
        let stream = Stream::new(&device).expect("a stream");
        device.fill(out, &[0], 800).expect("writable");
        stream.launch(&sums, &shape, &[out.into(), 150u32.into()]).expect("it fits");
        stream.synchronize().expect("it runs");
        assert_eq!(words(&device, out, 200), expected);
        kernel(&device, "prints").launch(&Shape::linear(2, 1), &[]).expect("it runs");
        assert_eq!(device.take_output(), b"hi\nhi\n");
    }
}

#[test]
fn engines_stop_alike() {
    let stop = |engine, name: &str, limits: Limits| {
        let device = Device::with(DeviceOptions { engine, limits, ..DeviceOptions::default() });
        let kernel = kernel(&device, name);
        // The time limit of a launch is also that of a compilation before it.
        kernel.prepare(&Shape::linear(3, 64)).expect("it fits");
        let error = kernel.launch(&Shape::linear(3, 64), &[]).expect_err("it is stopped");
        // The device refuses further work.
        assert!(matches!(device.synchronize(), Err(DeviceError::Stopped(_))));
        device.recover().expect("it was stopped");
        device.synchronize().expect("it works again");
        error
    };
    let [interpreted, compiled] =
        [Engine::Interpreter, Engine::Compiled].map(|engine| stop(engine, "stops", Limits::default()));
    assert_eq!(interpreted.to_string(), compiled.to_string());
    let text = compiled.to_string();
    assert!(text.starts_with(&format!("k.ptx:{}:5: error", line("@%p trap"))), "{text}");
    assert!(text.contains("`trap` in kernel stops, block (0, 0, 0), thread (40, 0, 0)"), "{text}");
    let timeout = Limits { timeout: Some(Duration::from_millis(50)), ..Limits::default() };
    let late = stop(Engine::Compiled, "forever", timeout);
    assert!(
        matches!(&late, DeviceError::Stopped(stopped) if stopped.trap.kind == TrapKind::Timeout),
        "{late}"
    );
    // What does not fit concerns the launch alone.
    let device = device(Engine::Compiled);
    let nothing = kernel(&device, "nothing");
    assert!(matches!(nothing.launch(&Shape::linear(1, 2000), &[]), Err(DeviceError::Launch(_))));
    assert!(matches!(nothing.launch(&Shape::linear(1, 1), &[1u32.into()]), Err(DeviceError::Arguments(_))));
    nothing.launch(&Shape::linear(1, 1), &[]).expect("it runs");
}

/// Nothing was executed, so the device goes on.
#[test]
fn a_kernel_that_is_not_compiled_in_time_is_an_error_of_the_launch() {
    for engine in [Engine::Compiled, Engine::Automatic] {
        let limits = Limits { timeout: Some(Duration::from_nanos(1)), ..Limits::default() };
        let options = DeviceOptions { engine, limits, ..DeviceOptions::default() };
        let device = Device::with(DeviceOptions { interpreted_first: Some(0), ..options });
        let error = kernel(&device, "nothing").launch(&Shape::linear(1, 1), &[]).expect_err("too late");
        let DeviceError::Launch(findings) = &error else { panic!("{error}") };
        assert_eq!(findings[0].code, "X0204", "{error}");
        assert!(error.to_string().contains("its kernel was not compiled in time"), "{error}");
        device.synchronize().expect("it works");
    }
}

/// A device without options has both engines, and its code checks accesses.
#[test]
fn by_default_kernels_of_long_launches_are_compiled_with_checks() {
    let device = Device::new();
    assert_eq!(device.engine(), Engine::Automatic);
    let sums = kernel(&device, "sums");
    let out = device.allocate(800).expect("memory");
    let few = sums.launch(&Shape::linear(4, 50), &[out.into(), 150u32.into()]).expect("it runs");
    assert_eq!(few.compiled_blocks, 0, "short launches are interpreted");
    assert!(few.warp_instructions > 0);
    // More warps than a short launch has.
    let many = Shape::linear(70_000, 1);
    let report = sums.launch(&many, &[out.into(), 200u32.into()]).expect("it runs");
    assert_eq!(report.compiled_blocks, 70_000);
    let error = sums.launch(&many, &[out.into(), 201u32.into()]).expect_err("no room");
    assert!(error.to_string().contains("offset 800 of allocation 1, which has 800 bytes"), "{error}");
}

#[test]
fn what_was_printed_before_a_stop_is_not_lost() {
    for engine in [Engine::Interpreter, Engine::Compiled, Engine::Automatic] {
        let device = device(engine);
        let explains = kernel(&device, "explains");
        let shape = Shape::linear(2, 3);
        explains.launch(&shape, &[]).expect_err("it is stopped");
        assert_eq!(device.take_output(), "hi\n".repeat(6).into_bytes(), "{engine:?}");
        device.recover().expect("it was stopped");
        let stream = Stream::new(&device).expect("a stream");
        stream.launch(&explains, &shape, &[]).expect("it fits");
        stream.synchronize().expect_err("it is stopped");
        assert_eq!(device.take_output(), "hi\n".repeat(6).into_bytes(), "{engine:?}");
    }
}

/// Each thread of a block of 64 stores a word; the memory has room for 60.
#[test]
fn wrong_accesses_are_found_where_they_are_checked() {
    let told = |engine, check| {
        let device = Device::with(DeviceOptions { engine, check, ..DeviceOptions::default() });
        let sums = kernel(&device, "sums");
        let out = device.allocate(240).expect("memory");
        assert_eq!(sums.prepare(&Shape::linear(1, 64)).expect("it fits"), engine != Engine::Interpreter);
        sums.launch(&Shape::linear(1, 64), &[out.into(), 60u32.into()]).expect("it has room");
        assert_eq!(words(&device, out, 2), [5, 6]);
        let error = sums.launch(&Shape::linear(1, 64), &[out.into(), 64u32.into()]).expect_err("no room");
        let DeviceError::Stopped(stopped) = &error else { panic!("{error}") };
        assert_eq!((stopped.trap.block, stopped.trap.thread), ([0; 3], [60, 0, 0]), "{error}");
        let place = format!("k.ptx:{}:", line("st.global.u32 [%a], %w;"));
        assert!(error.to_string().starts_with(&place), "{error}");
        error.to_string().replace(&format!("{:#x}", out + 240), "END")
    };
    let interpreted = told(Engine::Interpreter, Check::Usual);
    assert!(
        interpreted.contains("access of 4 bytes at END in .global memory is out of bounds"),
        "{interpreted}"
    );
    for (engine, check) in [
        (Engine::Automatic, Check::Usual),
        (Engine::Automatic, Check::Memory),
        (Engine::Compiled, Check::Memory),
    ] {
        assert_eq!(told(engine, check), interpreted, "{engine:?}");
    }
}

/// The memory is one of the process that the device does not know, so that nothing is overwritten.
#[test]
fn accesses_are_not_checked_where_that_is_not_wanted() {
    for (engine, check) in [(Engine::Compiled, Check::Usual), (Engine::Automatic, Check::None)] {
        let device = Device::with(DeviceOptions { engine, check, ..DeviceOptions::default() });
        let mut memory = vec![0u32; 128];
        let address = memory.as_mut_ptr().expose_provenance() as u64;
        let sums = kernel(&device, "sums");
        sums.launch(&Shape::linear(1, 64), &[address.into(), 64u32.into()]).expect("no one looks");
        assert_eq!(memory[..3], [5, 6, 13]);
    }
}

#[test]
fn what_is_not_compiled_is_interpreted_or_an_error() {
    let automatic = device(Engine::Automatic);
    let saves = kernel(&automatic, "saves");
    assert!(!saves.prepare(&Shape::default()).expect("it fits"));
    assert!(saves.launch(&Shape::default(), &[]).expect("it runs").warp_instructions > 0);
    let compiled = device(Engine::Compiled);
    let saves = kernel(&compiled, "saves");
    for error in [
        saves.prepare(&Shape::default()).expect_err("not compiled"),
        saves.launch(&Shape::default(), &[]).map(drop).expect_err("not compiled"),
    ] {
        let [finding] = error.findings() else { panic!("{error}") };
        assert!(finding.text.starts_with(&format!("k.ptx:{}:", line("stacksave"))), "{}", finding.text);
        assert!(finding.text.contains("the kernel is not compiled"), "{}", finding.text);
    }
    kernel(&compiled, "nothing").launch(&Shape::default(), &[]).expect("the device works");
    // Launches that only the interpreter can do.
    let steps = Limits { steps: Some(1000), ..Limits::default() };
    for (limits, completion) in [(steps, Completion::Eager), (Limits::default(), Completion::Late)] {
        for engine in [Engine::Compiled, Engine::Automatic] {
            let options =
                DeviceOptions { engine, limits: limits.clone(), completion, ..DeviceOptions::default() };
            let device = Device::with(options);
            let result = kernel(&device, "nothing").launch(&Shape::default(), &[]);
            assert_eq!(result.is_ok(), engine == Engine::Automatic);
        }
    }
}

#[test]
fn kernels_are_kept_for_other_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = || std::fs::read_dir(folder.path()).expect("readable").count();
    for _ in 0..2 {
        let cache_folder = Some(folder.path().to_owned());
        let options = DeviceOptions { engine: Engine::Compiled, cache_folder, ..DeviceOptions::default() };
        let device = Device::with(options);
        let sums = kernel(&device, "sums");
        assert!(sums.prepare(&Shape::linear(1, 32)).expect("compiled"));
        assert_eq!(files(), 1);
        let out = device.allocate(128).expect("memory");
        sums.launch(&Shape::linear(1, 32), &[out.into(), 4u32.into()]).expect("it runs");
        assert_eq!(words(&device, out, 5), [5, 6, 13, 8, 0]);
    }
    // Only what is launched is compiled, once for each shape.
    let device = device(Engine::Compiled);
    let nothing = kernel(&device, "nothing");
    nothing.prepare(&Shape::linear(1, 32)).expect("compiled");
    assert_eq!(files(), 1);
}
