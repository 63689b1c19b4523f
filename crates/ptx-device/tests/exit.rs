//! Processes that exit while a kernel is compiled neither crash nor change their status. The program starts itself, so that the main thread
//! is not one of libtest's.

use std::num::NonZeroUsize;
use std::process::{Command, ExitCode, exit};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_device::{Device, DeviceOptions, Engine, Module, Shape};

const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry work(.param .u64 out, .param .u32 rounds)
{
    .reg .pred %p; .reg .b32 %n, %x, %b, %d, %t; .reg .b64 %a, %o;
    mov.u32 %b, %ctaid.x; mov.u32 %d, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %x, %b, %d, %t;
    ld.param.u64 %a, [out]; mul.wide.u32 %o, %x, 4; add.s64 %a, %a, %o; ld.param.u32 %n, [rounds];
again:
    mad.lo.u32 %x, %x, 1664525, 1013904223;
    sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra again;
    st.global.u32 [%a], %x;
    ret;
}
";

/// The variable with which the program starts itself: the milliseconds between launch and exit.
const PAUSE: &str = "PTX_DEVICE_TEST_PAUSE";
/// The exit status of a process that did what it should.
const STATUS: u8 = 7;

/// Launches something that the interpreter ends, after the compilation of the kernel has begun.
fn launch() -> Result<(), ptx_device::DeviceError> {
    const BUDGET: u64 = 10_000;
    let device = Device::with(DeviceOptions {
        engine: Engine::Automatic,
        threads: NonZeroUsize::new(2),
        interpreted_first: Some(BUDGET),
        ..DeviceOptions::default()
    });
    let kernel = Module::load(&device, "k.ptx", KERNEL)?.kernel("work")?;
    let out = device.allocate(4 * 64 * 4)?;
    let report = kernel.launch(&Shape::linear(4, 64), &[out.into(), 1_000u32.into()])?;
    assert!(report.warp_instructions > BUDGET && report.compiled_blocks == 0, "{report:?}");
    Ok(())
}

/// Processes that pause for longer and longer, so that the compilation is at different stages.
fn exits_with(argument: &str) -> Result<(), Failed> {
    for pause in (0..100).step_by(4) {
        let mut command = Command::new(std::env::current_exe()?);
        let output = command.arg(argument).env(PAUSE, pause.to_string()).output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(STATUS.into()) {
            return Err(format!("{pause} ms: {}: {text}", output.status).into());
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let Ok(pause) = std::env::var(PAUSE) else {
        let trial = |name: &'static str| Trial::test(name, move || exits_with(name));
        let trials = ["return", "exit", "exit-of-thread"].map(trial);
        return libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code();
    };
    let pause = Duration::from_millis(pause.parse().expect("a number"));
    let run = move || {
        launch().expect("it runs");
        std::thread::sleep(pause);
    };
    match std::env::args().nth(1).as_deref() {
        Some("exit") => {
            run();
            exit(STATUS.into());
        }
        Some("exit-of-thread") => {
            let ends = move || {
                run();
                exit(STATUS.into())
            };
            std::thread::spawn(ends).join().expect("the process ends");
        }
        _ => run(),
    }
    ExitCode::from(STATUS)
}
