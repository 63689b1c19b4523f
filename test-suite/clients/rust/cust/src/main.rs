//! Programs with cust. The arguments name those that run; each prints a line when it has passed.

use std::error::Error;

use cust::prelude::*;

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

/// Data to the device, a launch, and back.
fn buffers() -> Outcome {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(PTX, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let scale = module.get_function("scale")?;
    let device = DeviceBuffer::from_slice(&(0..N).collect::<Vec<u32>>())?;
    // SAFETY: the arguments are those of the kernel, and it checks its bounds.
    unsafe { launch!(scale<<<N.div_ceil(128), 128, 0, stream>>>(device.as_device_ptr(), 3u32, N))? };
    stream.synchronize()?;
    assert!(device.as_host_vec()?.into_iter().zip(0..).all(|(found, i)| found == 3 * i));
    Ok(())
}

/// What is wrong is an error.
fn errors() -> Outcome {
    let _context = cust::quick_init()?;
    assert!(Module::from_ptx(".version 8.0 .target sm_80 nonsense", &[]).is_err());
    let module = Module::from_ptx(PTX, &[])?;
    assert!(module.get_function("none").is_err());
    Ok(())
}

fn main() -> Outcome {
    for name in std::env::args().skip(1) {
        match name.as_str() {
            "buffers" => buffers()?,
            "errors" => errors()?,
            other => return Err(format!("there is no program {other}").into()),
        }
        println!("passed {name}");
    }
    Ok(())
}
