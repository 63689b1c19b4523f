//! Counts how often the threads of a kernel execute each of its blocks, by atomic additions that it inserts.
//!
//!     cargo run --example instrument
#![allow(clippy::print_stdout, reason = "a program may print, unlike a library")]

use ptx_llvm::{BlockId, Cfg, Operand, PtxModule, ScalarType, Stmt, Variable, ptx};
use ptx_llvm::{Device, Shape, StateSpace, device::Module};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut ptx = ptx_llvm::parse(include_str!("kernels/scale.ptx"))?;
    let mut counts = vec![0u64; instrument(&mut ptx, "scale").ok_or("no such kernel")?];
    let device = Device::new();
    let module = Module::load(&device, "counted.ptx", ptx.to_string())?;
    let data = device.upload(&[1.0f32; 40])?;
    let arguments = [data.into(), data.into(), 2.0f32.into(), 40u32.into()];
    module.kernel("scale")?.launch(&Shape::linear(2, 32), &arguments)?;
    device.download(module.variable("executions").ok_or("no counters")?.address, &mut counts)?;
    println!("{counts:?}");
    Ok(())
}

fn instrument(module: &mut PtxModule, kernel: &str) -> Option<usize> {
    let (kernel, name) = (module.find_function(kernel)?, module.strings.intern("executions"));
    let cfg = Cfg::new(module.function(kernel).body.as_ref()?);
    let counters = Variable::array(name, StateSpace::Global, ScalarType::U64, cfg.blocks.len() as u64);
    let counters = module.declare_variable(counters);
    let body = module.function_mut(kernel).body.as_mut()?;
    for block in (0..cfg.blocks.len()).rev() {
        let Some(at) = cfg.first_inst(body, BlockId(block as u32)) else { continue };
        let operands = [Operand::memory_of(counters, 8 * block as i64), Operand::integer(1)];
        let count = body.new_inst(None, ptx!("red.global.add.u64"), &operands)?;
        body.statements.insert(at, Stmt::Inst(count));
    }
    Some(cfg.blocks.len())
}
