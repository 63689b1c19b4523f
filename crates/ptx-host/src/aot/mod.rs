//! Kernels compiled ahead of time: object files that programs link with the library of `ptx-host-rt-c`.
//!
//! | module | |
//! |---|---|
//! | `addresses` | the addresses of global variables, which are known when a program is loaded |
//! | `relocate` | makes a kernel load these addresses from its constant memory |
//! | `symbols` | the contents of an object: the C function of each kernel, its description, variables |
//! | `header` | the C header of these |
//!
//! The module is decoded twice, with its global variables at different addresses ([`Unit::images`]): any value that differs between
//! the two is derived from an address, which follows from both. So nothing needs to be known about how decoding computes with addresses.

mod addresses;
mod header;
mod relocate;
mod symbols;

use std::collections::BTreeSet;
use std::mem::offset_of;
use std::sync::Arc;

use ptx_diag::Span;
use ptx_exec::{Dim3, Image, Limits, Parameter, Prepared, Shape};
use ptx_host_rt::{ForShape, Runtime, Site};
use ptx_ir::Param;
use ptx_isa::ScalarType;
use ptx_llvm_core::build::{Type, Types};
use ptx_llvm_core::host::{Cpu, HostMachine};
use ptx_llvm_core::{Context, LlvmError, Module, OptLevel};
use ptx_program::{Effect, Inst, Op, Program};
use thiserror::Error;

use crate::analysis::{Launched, Refusal};
use crate::code::{NAME, Runs};
use crate::error::CompileError;
use crate::inline::inline;
use crate::kernel::{Generated, PIPELINE, generate_one};
use crate::options::Options;
use crate::source::Source;
use crate::stack::{stack_bytes, waits};
use crate::strategy::Forms;
use addresses::Addresses;
use relocate::relocate;
use symbols::Symbols;

pub use header::{header, identifier};

/// The kind of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// LLVM IR as text, optimized.
    Ll,
    /// LLVM bitcode, optimized.
    Bc,
    /// Assembly.
    Asm,
    /// An object file.
    Obj,
}

/// A module whose kernels are compiled.
pub struct Unit<'a> {
    /// The module, decoded twice: in one memory, or in two that are alive at once.
    pub images: [&'a Arc<Image>; 2],
    /// The names of its source files.
    pub files: Vec<String>,
    /// Maps a source span to the number of the file, line and column.
    pub position: &'a dyn Fn(Span) -> (u32, u32, u32),
    /// The kernels, each with its own C name.
    pub kernels: Vec<UnitKernel>,
}

/// A kernel to be compiled.
#[derive(Debug)]
pub struct UnitKernel {
    /// Its C name ([`identifier`]).
    pub symbol: String,
    /// The kernel in both images.
    pub prepared: [Prepared; 2],
    /// The shapes of blocks that it is compiled for, at least one.
    pub blocks: Vec<Dim3>,
}

/// Why a module could not be compiled.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum AotError {
    /// A kernel cannot be compiled.
    #[error("the kernel `{kernel}` is not compiled: {why}")]
    Kernel {
        /// Its name.
        kernel: String,
        /// The instruction: its source location, and its mnemonic.
        place: Option<(Span, String)>,
        /// The reason.
        why: String,
    },
    /// A variable of the module cannot be in an object file.
    #[error("{0}")]
    Variable(String),
    /// LLVM rejected its input, which is a defect of this crate, or there is no LLVM, or it does not support the processor.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
}

/// The C type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CType {
    /// An integer of this width, and whether it is signed.
    Int(u32, bool),
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// A pointer to memory that the kernel accesses.
    Pointer,
    /// A pointer to the value, of this size in bytes.
    Bytes(u32),
}

impl CType {
    fn of(parameter: &Parameter, is_pointer: bool) -> Self {
        let Parameter { ty, bytes, is_array, .. } = *parameter;
        if is_pointer && bytes == 8 {
            return Self::Pointer;
        }
        if is_array || ty.bits() != 8 * bytes || bytes > 8 {
            return Self::Bytes(bytes);
        }
        match ty {
            ScalarType::F32 => Self::F32,
            ScalarType::F64 => Self::F64,
            ScalarType::S8 | ScalarType::S16 | ScalarType::S32 | ScalarType::S64 => {
                Self::Int(8 * bytes, true)
            }
            _ => Self::Int(8 * bytes, false),
        }
    }
}

/// The parameters of a kernel with their C types.
fn parameters(prepared: &Prepared) -> Vec<(&Parameter, CType)> {
    let module = prepared.image().module();
    let function = module.functions.iter().find(|function| module.name(function.name) == prepared.name());
    let is_pointer = |name: &str| {
        let mut declared = function.into_iter().flat_map(|function| &function.params);
        declared.any(|declared| match declared {
            Param::Variable(id) => {
                let variable = module.variable(*id);
                module.name(variable.name) == name && variable.pointer.is_some()
            }
            Param::Register(..) => false,
        })
    };
    prepared
        .parameters()
        .iter()
        .map(|parameter| (parameter, CType::of(parameter, is_pointer(&parameter.name))))
        .collect()
}

/// The code of a kernel for one shape of blocks.
struct Made {
    /// Its name in the module.
    name: String,
    about: ForShape,
    /// LLVM's passes for it.
    passes: &'static str,
}

/// Compiles the kernels of a module for a processor.
///
/// # Errors
/// Why the module could not be compiled: all problems, one for each kernel.
pub fn compile(unit: &Unit<'_>, cpu: &Cpu, product: Product) -> Result<Vec<u8>, Vec<AotError>> {
    let one = |error: AotError| vec![error];
    let llvm = |error: LlvmError| vec![AotError::Llvm(error)];
    let context = Context::new().map_err(llvm)?;
    let machine = HostMachine::new(cpu, OptLevel::O2).map_err(llvm)?;
    let mut module = Module::new(&context, &unit.files.join(" "));
    machine.set_up(&mut module);
    let mut addresses = Addresses::new(unit.images);
    let (mut kernels, mut errors) = (Vec::new(), Vec::new());
    for kernel in &unit.kernels {
        match compile_kernel(unit, kernel, &mut module, &machine, &mut addresses) {
            Ok(made) => kernels.push((kernel, made)),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let symbols = Symbols { module: &module, machine: &machine, unit };
    symbols.add(&addresses, &kernels).map_err(one)?;
    // One kernel that is split into many functions would take most of the time of the usual passes.
    let all = kernels.iter().flat_map(|(_, made)| made).map(|made| made.passes);
    let passes = all.rev().find(|&passes| passes != PIPELINE).unwrap_or(PIPELINE);
    let finish = || -> Result<Vec<u8>, LlvmError> {
        module.verify()?;
        machine.optimize(&mut module, passes)?;
        Ok(match product {
            Product::Ll => module.to_text().into_bytes(),
            Product::Bc => module.to_bitcode(),
            Product::Asm => machine.emit_assembly(module)?.into_bytes(),
            Product::Obj => machine.emit_object(module)?,
        })
    };
    finish().map_err(llvm)
}

/// Adds the functions of a kernel to a module.
fn compile_kernel<'c>(
    unit: &Unit<'_>,
    kernel: &UnitKernel,
    module: &mut Module<'c>,
    machine: &HostMachine,
    addresses: &mut Addresses,
) -> Result<Vec<Made>, AotError> {
    let [first, second] = kernel.prepared.each_ref().map(|prepared| &**prepared.program());
    let failed = |pc: Option<u32>, why: &str| AotError::Kernel {
        kernel: kernel.prepared[0].name().to_owned(),
        place: pc
            .and_then(|pc| first.origins.get(pc as usize))
            .map(|origin| (origin.span, origin.mnemonic.to_string())),
        why: why.to_owned(),
    };
    let refused = |Refusal { pc, why }: Refusal| failed(Some(pc), why);
    let rows = addresses.rows(first, second).map_err(|why| failed(None, why))?;
    let is_stack = |inst: &Inst| matches!(inst.op, Op::Effect(Effect::Stack(_)));
    if let Some(pc) = first.code.iter().position(is_stack) {
        // Object files only record for calls that a trap means a stack overflow.
        return Err(failed(Some(pc as u32), "memory allocated on the stack is not compiled ahead of time"));
    }
    let inlined = inline(first, Forms::NONE).map_err(refused)?;
    let place = |pc: u32| inlined.as_ref().map_or(pc, |inlined| inlined.place(pc));
    let program = inlined.as_ref().map_or(first, |inlined| &inlined.program);
    let (program, shift) =
        relocate(program, &rows).map_err(|Refusal { pc, why }| failed(Some(place(pc)), why))?;
    let place = |pc: u32| place(pc.saturating_sub(shift));
    let mut all = Vec::new();
    for &block in &kernel.blocks {
        let shape = Shape { grid: [1; 3], block, cluster: None, dynamic_shared: 0, cooperative: false };
        // The caller that requested the shape reports that it does not fit.
        let geometry = kernel.prepared[0]
            .check(&shape, &Limits::default())
            .map_err(|_| failed(None, "the shape of its blocks does not fit"))?;
        if geometry.cluster_size() > 1 {
            return Err(failed(None, "clusters of several blocks are not compiled"));
        }
        let name = format!("{}.{}x{}x{}", kernel.symbol, block[0], block[1], block[2]);
        let options = Options::default();
        let launched = Launched::blocks(block);
        let made = generate_one(module.context(), machine, Source::new(&program, &launched, &options));
        let Generated { module: made, passes, runs, asks, .. } = made.map_err(|error| match error {
            CompileError::Refused(Refusal { pc, why }) => failed(Some(place(pc)), why),
            CompileError::Llvm(error) => AotError::Llvm(error),
        })?;
        if runs.is_heavy() {
            return Err(failed(
                None,
                "the interpreter's runtime executes instructions of it, which an object file does not have",
            ));
        }
        let types = Types::new(module.context());
        made.function(NAME, warp_function(types))?.rename(&name);
        module.link_whole(made)?;
        let stack = stack_bytes(&program);
        let about = ForShape {
            block,
            waits: waits(&program, runs, stack),
            is_patient: runs == Runs::PatientWarp,
            runs_blocks: runs == Runs::Block,
            stack: stack as u64,
            sites: sites(&program, &asks).map_err(|Refusal { pc, why }| failed(Some(place(pc)), why))?,
            calls: calls(first, &program, place),
            places: positions(unit, first, &program, place),
        };
        all.push(Made { name, about, passes });
    }
    Ok(all)
}

/// The type of the function of a warp.
fn warp_function(types: Types<'_>) -> Type<'_> {
    types.function(types.int(32), &[types.pointer(0)])
}

/// The data that runtime functions look up, for the instructions that call them.
fn sites(program: &Program, asks: &[(u32, usize)]) -> Result<Vec<(u32, Site)>, Refusal> {
    const KNOWN: [usize; 12] = [
        offset_of!(Runtime, barrier),
        offset_of!(Runtime, part),
        offset_of!(Runtime, common),
        offset_of!(Runtime, ask),
        offset_of!(Runtime, row),
        offset_of!(Runtime, call),
        offset_of!(Runtime, give_way),
        offset_of!(Runtime, local),
        offset_of!(Runtime, stuck),
        offset_of!(Runtime, arrive),
        offset_of!(Runtime, await_phase),
        offset_of!(Runtime, left),
    ];
    const ROW: usize = offset_of!(Runtime, row);
    if let Some(&(pc, _)) = asks.iter().find(|(_, function)| !KNOWN.contains(function)) {
        return Err(Refusal { pc, why: "the instruction is not compiled ahead of time" });
    }
    let rows: BTreeSet<u32> =
        asks.iter().filter(|(_, function)| *function == ROW).map(|(pc, _)| *pc).collect();
    let all = program.code.iter().zip(0..).filter_map(|(inst, pc)| {
        let site = Site::of(&inst.op)?;
        (!matches!(site, Site::Row(_)) || rows.contains(&pc)).then_some((pc, site))
    });
    Ok(all.collect())
}

/// The instructions that stop threads at calls (`inline/calls.rs`).
fn calls(decoded: &Program, program: &Program, place: impl Fn(u32) -> u32) -> Vec<u32> {
    let is_end = |pc: &u32| {
        let op = program.code.get(*pc as usize).map(|inst| &inst.op);
        let origin = decoded.code.get(place(*pc) as usize).map(|inst| &inst.op);
        matches!(op, Some(Op::Effect(Effect::Trap | Effect::BranchIndexed { .. })))
            && matches!(origin, Some(Op::Effect(Effect::Call(_))))
    };
    (0..program.code.len() as u32).filter(is_end).collect()
}

/// The file, line and column of each instruction.
fn positions(
    unit: &Unit<'_>,
    decoded: &Program,
    program: &Program,
    place: impl Fn(u32) -> u32,
) -> Vec<(u32, u32, u32)> {
    let of = |pc: usize| {
        let origin = decoded.origins.get(place(pc as u32) as usize);
        origin.map_or((u32::MAX, 0, 0), |origin| (unit.position)(origin.span))
    };
    (0..program.code.len()).map(of).collect()
}
