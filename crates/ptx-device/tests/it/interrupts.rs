//! Launches that another thread ends, or that have a time limit of their own.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ptx_device::{
    AfterStop, Device, DeviceError, DeviceOptions, Engine, Interrupt, Kernel, LaunchControl, Module, Shape,
    TrapKind,
};

const TEXT: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry forever(.param .u64 flag)
{
    .reg .b64 %flag;
    ld.param.u64 %flag, [flag];
    st.global.u32 [%flag], 1;
again:
    bra again;
}
";

/// Far more than any launch here takes, so that a test that fails ends.
const LONG: Duration = Duration::from_secs(60);

fn device(engine: Engine) -> Device {
    let options = DeviceOptions { engine, after_stop: AfterStop::GoOn, ..DeviceOptions::default() };
    Device::with(options)
}

fn kernel(device: &Device) -> Kernel {
    let module = Module::load(device, "k.ptx", TEXT).expect("valid");
    module.kernel("forever").expect("it can be executed")
}

fn is_timeout(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Stopped(stopped) if stopped.trap.kind == TrapKind::Timeout)
}

fn engines() -> Vec<Engine> {
    if cfg!(feature = "jit") {
        vec![Engine::Interpreter, Engine::Compiled, Engine::Automatic]
    } else {
        vec![Engine::Interpreter]
    }
}

#[test]
fn a_launch_that_runs_ends_on_request() {
    for engine in engines() {
        for blocks in [1, 300] {
            let device = device(engine);
            let flag = device.allocate(8).expect("memory");
            let (kernel, interrupt) = (kernel(&device), Interrupt::default());
            let control = LaunchControl { timeout: Some(LONG), interrupt: Some(interrupt.clone()) };
            let begin = Instant::now();
            let error = std::thread::scope(|scope| {
                let launch =
                    scope.spawn(|| kernel.launch_with(&Shape::linear(blocks, 64), &[flag.into()], &control));
                // Until a thread of it has written.
                let words = device.words(flag).expect("an allocation");
                while words[0].load(Ordering::Relaxed) == 0 && begin.elapsed() < LONG {
                    std::thread::sleep(Duration::from_millis(1));
                }
                interrupt.request();
                launch.join().expect("no panic")
            });
            let error = error.expect_err("it never ends");
            assert!(is_timeout(&error), "{engine:?}: {error}");
            assert!(begin.elapsed() < LONG, "{engine:?}: its time limit ended it");
        }
    }
}

#[test]
fn a_request_before_the_launch_ends_it() {
    for engine in engines() {
        let device = device(engine);
        let flag = device.allocate(8).expect("memory");
        let interrupt = Interrupt::default();
        interrupt.request();
        let control = LaunchControl { timeout: Some(LONG), interrupt: Some(interrupt) };
        let begin = Instant::now();
        let error = kernel(&device).launch_with(&Shape::linear(4, 64), &[flag.into()], &control);
        assert!(is_timeout(&error.expect_err("it never ends")), "{engine:?}");
        assert!(begin.elapsed() < LONG, "{engine:?}: its time limit ended it");
    }
}

#[test]
fn the_time_limit_of_a_launch_is_its_own() {
    for engine in engines() {
        let device = device(engine);
        let flag = device.allocate(8).expect("memory");
        let kernel = kernel(&device);
        // The time limit is that of a compilation, too.
        kernel.prepare(&Shape::linear(4, 64)).expect("it fits");
        let control = LaunchControl { timeout: Some(Duration::from_millis(100)), interrupt: None };
        let error = kernel.launch_with(&Shape::linear(4, 64), &[flag.into()], &control);
        assert!(is_timeout(&error.expect_err("it never ends")), "{engine:?}");
    }
}
