//! Compiled kernels.

use ptx_exec::AddressSize;
use ptx_exec::program::{Program, WARP};
use ptx_llvm::host::{Cpu, HostMachine, Jit, JitCode};
use ptx_llvm::{Context, LlvmError, Module, OptLevel};
use thiserror::Error;

use crate::analysis::{Analysis, Launched, Refusal};
use crate::code;
use crate::run::{RUNTIME, Status, Stopped, WarpFrame};

/// Why a kernel has no code.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum CompileError {
    /// An instruction is not compiled; the interpreter executes such kernels.
    #[error("{}", .0.why)]
    Refused(Refusal),
    /// LLVM refused what it was given, which is a defect of this crate, or there is no LLVM.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
}

impl From<Refusal> for CompileError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl CompileError {
    pub(crate) fn refused(pc: u32, why: &'static str) -> Self {
        Self::Refused(Refusal { pc, why })
    }
}

/// A kernel as host code, for blocks of one shape.
#[derive(Debug)]
pub struct Kernel {
    _code: JitCode,
    address: usize,
    block: [u32; 3],
}

/// LLVM IR of a kernel for a processor, before and after LLVM's optimizations.
///
/// # Errors
/// Why there is none.
pub fn host_ir(program: &Program, launched: &Launched, cpu: &Cpu) -> Result<[String; 2], CompileError> {
    let context = Context::new()?;
    let machine = HostMachine::new(cpu, OptLevel::O2)?;
    let module = generate(&context, &machine, program, launched)?;
    let before = module.to_text();
    machine.optimize(&module, PIPELINE)?;
    Ok([before, module.to_text()])
}

const PIPELINE: &str = "default<O2>";

fn generate<'c>(
    context: &'c Context,
    machine: &HostMachine,
    program: &Program,
    launched: &Launched,
) -> Result<Module<'c>, CompileError> {
    if program.address_size == AddressSize::Bits32 {
        // Global addresses are those of the host process in the code.
        let entry = program.functions.get(program.entry as usize).map_or(0, |function| function.start);
        return Err(CompileError::refused(entry, "modules with 32-bit addresses are not compiled"));
    }
    // Numbers of 32 bits are the most frequent ones.
    let lanes = (machine.vector_bits() / 32).clamp(1, WARP as u32);
    let analysis = Analysis::new(program, launched, lanes)?;
    let module = Module::new(context, "kernel");
    machine.set_up(&module);
    code::generate(&module, machine, program, &analysis, launched, lanes)?;
    module.verify()?;
    Ok(module)
}

impl Kernel {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// Why it has no code.
    pub fn compile(
        program: &Program,
        launched: &Launched,
        cpu: &Cpu,
        jit: &Jit,
    ) -> Result<Self, CompileError> {
        let context = Context::new()?;
        let machine = HostMachine::new(cpu, OptLevel::O2)?;
        let module = generate(&context, &machine, program, launched)?;
        machine.optimize(&module, PIPELINE)?;
        let code = jit.add_object("kernel", &machine.emit_object(&module)?)?;
        let address = code.address(code::NAME)?;
        Ok(Self { _code: code, address, block: launched.block })
    }

    /// Runs all warps of a grid, one after the other.
    ///
    /// # Errors
    /// The first warp that was stopped; those after it did not run.
    ///
    /// # Safety
    /// Every access that the kernel makes has to be in memory of this process that may be accessed so, at a multiple of its size, its
    /// parameters and constants in
    /// `params` and `constant`, and its shared memory in the `shared` bytes of a block. The program is the one that was compiled.
    pub unsafe fn run(
        &self,
        program: &Program,
        grid: [u32; 3],
        params: &[u8],
        constant: &[u8],
        shared: usize,
    ) -> Result<(), Stopped> {
        let threads: usize = self.block.iter().map(|&extent| extent as usize).product();
        let mut memory = vec![0u64; shared.div_ceil(8)];
        // SAFETY: the address is that of a function of this type, whose code is alive as long as `self`.
        let code: extern "C" fn(*mut WarpFrame) -> i32 = unsafe { std::mem::transmute(self.address) };
        let blocks = grid.iter().map(|&extent| u64::from(extent)).product();
        for number in 0..blocks {
            let [x, y] = [grid[0], grid[1]].map(u64::from);
            let block_index = [number % x, number / x % y, number / (x * y)].map(|index| index as u32);
            memory.fill(0);
            for warp in 0..threads.div_ceil(WARP) {
                let left = (threads - warp * WARP).min(WARP) as u32;
                let mut frame = WarpFrame {
                    params: params.as_ptr(),
                    constant: constant.as_ptr(),
                    shared: memory.as_mut_ptr().cast(),
                    block_index,
                    grid,
                    warp: warp as u32,
                    lanes: u32::MAX >> (WARP as u32 - left),
                    runtime: &raw const RUNTIME,
                    program,
                    pc: 0,
                    stopped: 0,
                };
                let status = code(&raw mut frame);
                if status != Status::Done as i32 {
                    return Err(frame.stop(status));
                }
            }
        }
        Ok(())
    }
}
