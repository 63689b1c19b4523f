//! Programs with cudarc. The arguments name those that run; each prints a line when it has passed.

use std::error::Error;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 factor, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %i, %b, %t, %n, %f, %v; .reg .b64 %a;
    mov.u32 %b, %ctaid.x; mov.u32 %t, %ntid.x; mov.u32 %i, %tid.x; mad.lo.u32 %i, %b, %t, %i;
    ld.param.u32 %n, [n]; setp.ge.u32 %p, %i, %n; @%p bra end;
    ld.param.u64 %a, [data]; mad.wide.u32 %a, %i, 4, %a; ld.param.u32 %f, [factor];
    ld.global.u32 %v, [%a]; mul.lo.u32 %v, %v, %f; st.global.u32 [%a], %v;
end:
    ret;
}
";

const N: u32 = 1000;

type Outcome = Result<(), Box<dyn Error>>;

fn scale(context: &Arc<CudaContext>) -> Result<CudaFunction, Box<dyn Error>> {
    Ok(context.load_module(Ptx::from_src(PTX))?.load_function("scale")?)
}

/// Data to the device, a launch, and back.
fn launch() -> Outcome {
    let context = CudaContext::new(0)?;
    let (stream, scale) = (context.default_stream(), scale(&context)?);
    let host: Vec<u32> = (0..N).collect();
    let mut device = stream.clone_htod(&host)?;
    let mut call = stream.launch_builder(&scale);
    call.arg(&mut device).arg(&3u32).arg(&N);
    // SAFETY: the arguments are those of the kernel, and it checks its bounds.
    unsafe { call.launch(LaunchConfig::for_num_elems(N)) }?;
    let found = stream.clone_dtoh(&device)?;
    assert!(found.iter().zip(0..).all(|(&found, i)| found == 3 * i));
    Ok(())
}

/// A second stream waits for an event of the first.
fn streams() -> Outcome {
    let context = CudaContext::new(0)?;
    let (first, second, scale) = (context.new_stream()?, context.new_stream()?, scale(&context)?);
    let mut device = first.clone_htod(&vec![1u32; N as usize])?;
    for stream in [&first, &second] {
        let mut call = stream.launch_builder(&scale);
        call.arg(&mut device).arg(&5u32).arg(&N);
        // SAFETY: as above.
        unsafe { call.launch(LaunchConfig::for_num_elems(N)) }?;
        let event = stream.record_event(None)?;
        second.wait(&event)?;
    }
    second.synchronize()?;
    assert!(second.clone_dtoh(&device)?.iter().all(|&found| found == 25));
    Ok(())
}

/// What is wrong is an error, and the context can be used afterwards.
fn errors() -> Outcome {
    let context = CudaContext::new(0)?;
    assert!(context.load_module(Ptx::from_src(".version 8.0 .target sm_80 nonsense")).is_err());
    let module = context.load_module(Ptx::from_src(PTX))?;
    assert!(module.load_function("none").is_err());
    let (stream, scale) = (context.default_stream(), module.load_function("scale")?);
    let device = stream.alloc_zeros::<u32>(1)?;
    let mut call = stream.launch_builder(&scale);
    call.arg(&device).arg(&1u32).arg(&1u32);
    let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (2000, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the launch is refused, since a block has more threads than there can be.
    assert!(unsafe { call.launch(shape) }.is_err());
    assert!(stream.alloc_zeros::<u8>(1 << 50).is_err());
    assert_eq!(stream.clone_dtoh(&device)?, [0]);
    Ok(())
}

fn main() -> Outcome {
    for name in std::env::args().skip(1) {
        match name.as_str() {
            "launch" => launch()?,
            "streams" => streams()?,
            "errors" => errors()?,
            other => return Err(format!("there is no program {other}").into()),
        }
        println!("passed {name}");
    }
    Ok(())
}
