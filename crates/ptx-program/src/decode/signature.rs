//! The interface of a function: the places of its parameters, results, registers and variables.

use ptx_ir::{Body, FunctionId, FunctionKind, Module, Operand, Param, RegId, Stmt, Symbol, VarId};
use ptx_isa::{ControlSem, OperandKey, ScalarType, Sem, StateSpace};
use rustc_hash::FxHashMap;

use super::output::{Decoded, finding};
use crate::codes;
use crate::layout::align_up;
use crate::program::{FRAME_ALIGNMENT, Slot, Src};

/// The interface and frame layout of a function.
#[derive(Debug, Default)]
pub(super) struct Signature {
    pub(super) params: Vec<Slot>,
    pub(super) results: Vec<Slot>,
    /// Bytes of local memory of a frame.
    pub(super) local: u32,
    /// Offsets of the variables in the frame.
    pub(super) frame: FxHashMap<VarId, u32>,
    /// Offsets of the parameters of a kernel in the parameter space.
    pub(super) kernel_params: FxHashMap<VarId, u32>,
}

/// Number of rows per element of a register.
pub(super) const fn rows_of(ty: ScalarType) -> u32 {
    if ty.bits() == 128 { 2 } else { 1 }
}

/// Mask of the bits used in a row of a register of this type.
pub(super) const fn row_bits(ty: ScalarType) -> u64 {
    if ty.bits() >= 64 { u64::MAX } else { (1 << ty.bits()) - 1 }
}

/// The rows of the registers of a function.
#[derive(Debug)]
pub(super) struct RegisterRows {
    /// The first row of each register.
    firsts: Vec<u32>,
    /// The number of rows.
    pub(super) count: u32,
}

impl RegisterRows {
    pub(super) fn of(body: &Body) -> Self {
        let (firsts, count) = register_rows(body);
        Self { firsts, count }
    }

    /// The first row of a register of the function.
    pub(super) fn first(&self, register: RegId) -> u32 {
        let first = self.firsts.get(register.index()).copied();
        debug_assert!(first.is_some(), "a register of another function");
        // The row after all registers is none of them.
        first.unwrap_or(self.count)
    }

    pub(super) fn slot(&self, body: &Body, register: RegId) -> Slot {
        let (ty, first) = (body.reg_type(register), Src::register(self.first(register)));
        Slot::Rows { first, count: body.decl(register).shape.lanes() * rows_of(ty), bits: row_bits(ty) }
    }
}

/// The first row of each register, and the total number of rows.
fn register_rows(body: &Body) -> (Vec<u32>, u32) {
    let mut next = 0u32;
    let firsts = (0..body.registers.len())
        .map(|index| {
            let first = next;
            let decl = body.decl(RegId(index as u32));
            next = next.saturating_add(decl.shape.lanes() * rows_of(decl.ty));
            first
        })
        .collect();
    (firsts, next)
}

/// The parameters of a kernel with their offsets and sizes in the parameter space, in order, and the total size.
pub type KernelParameters = (Vec<(VarId, u32, u32)>, u32);

/// Lays out the parameters of a kernel.
///
/// # Errors
/// Parameters that cannot be passed.
pub fn kernel_parameters(module: &Module, kernel: FunctionId) -> Decoded<KernelParameters> {
    let mut places = Vec::new();
    let mut next = 0u64;
    for param in &module.function(kernel).params {
        let Param::Variable(id) = *param else {
            return finding(codes::UNSUPPORTED, module.function(kernel).at.0, "a kernel takes no registers");
        };
        let variable = module.variable(id);
        let size = variable.bytes().filter(|&bytes| bytes <= 1 << 16);
        let Some(size) = size else {
            return finding(codes::SIZE, variable.at.0, "the parameter is larger than 65536 bytes");
        };
        let at = align_up(next, variable.alignment().into());
        next = at + size;
        places.push((id, at as u32, size as u32));
    }
    Ok((places, next as u32))
}

/// The maximum number of bytes that calls in a program pass to a parameter of unspecified size.
pub(super) fn open_room(module: &Module, functions: &[FunctionId]) -> u64 {
    let bodies = functions.iter().filter_map(|&id| module.function(id).body.as_ref());
    let passed = bodies.flat_map(|body| {
        let calls =
            body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call));
        calls.filter_map(|(_, inst)| {
            let arguments = inst.mnemonic.form().operand(OperandKey::Args)?;
            let Some(Operand::List(list)) = body.operands(inst).get(arguments) else { return None };
            let Some(Operand::Symbol(Symbol::Variable(id), _)) = body.list(*list).last() else { return None };
            module.variable(*id).bytes()
        })
    });
    passed.fold(0, u64::max)
}

/// Whether a parameter has unspecified size, taking as many bytes as a call passes.
pub(super) fn is_open(module: &Module, param: Param) -> bool {
    matches!(param, Param::Variable(id) if matches!(module.variable(id).dims.first(), Some(None | Some(0))))
}

/// The most bytes of a frame.
const LARGEST_FRAME: u32 = 1 << 26;

/// Lays out the frame of a function, in which parameters of unspecified size get `open` bytes.
///
/// # Errors
/// Variables that do not fit in a frame.
pub(super) fn signature(module: &Module, id: FunctionId, open: u64) -> Decoded<Signature> {
    let function = module.function(id);
    let mut signature = Signature::default();
    let mut next = 0u64;
    let Some(body) = &function.body else { return Ok(signature) };
    let rows = RegisterRows::of(body);
    let is_kernel = function.kind == FunctionKind::Kernel;
    if is_kernel {
        let (places, _) = kernel_parameters(module, id)?;
        signature.kernel_params = places.into_iter().map(|(id, at, _)| (id, at)).collect();
    }
    // One slot for each variable, in program order; scopes do not share slots, so that an address stays valid for the whole call.
    let mut place = |signature: &mut Signature, id: VarId| -> Decoded<Slot> {
        let variable = module.variable(id);
        let align = variable.alignment();
        // The frame of a kernel is at the start of the window of local memory, which is a multiple of more than this.
        let most = if is_kernel { LARGEST_FRAME } else { FRAME_ALIGNMENT };
        if align > most {
            let of = if is_kernel { "a kernel" } else { "a function" };
            let text = format!("alignments over {most} bytes in the local memory of {of} cannot be executed");
            return finding(codes::UNSUPPORTED, variable.at.0, text);
        }
        let is_one = variable.count.is_none_or(|count| count <= 1);
        let is_open = is_open(module, Param::Variable(id));
        let size = if is_open { Some(open) } else { variable.bytes() };
        let size = size.filter(|&bytes| bytes <= 1 << 24 && is_one);
        let Some(size) = size else {
            return finding(
                codes::SIZE,
                variable.at.0,
                "the variable is too large for the stack of a thread",
            );
        };
        let at = align_up(next, align.into());
        next = at + size;
        if next > LARGEST_FRAME.into() {
            return finding(
                codes::SIZE,
                variable.at.0,
                "the variables of the function are too large for a stack",
            );
        }
        signature.frame.insert(id, at as u32);
        let (offset, size) = (at as u32, size as u32);
        Ok(if is_open { Slot::Open { offset, size } } else { Slot::Memory { offset, size } })
    };
    if !is_kernel {
        for (list, results) in [(&function.params, false), (&function.results, true)] {
            for param in list {
                let slot = match *param {
                    Param::Variable(id) => place(&mut signature, id)?,
                    Param::Register(_, register) => rows.slot(body, register),
                };
                if results { signature.results.push(slot) } else { signature.params.push(slot) }
            }
        }
    }
    for stmt in &body.statements {
        if let Stmt::Variable(id) = stmt
            && matches!(
                module.variable(*id).space,
                StateSpace::Local | StateSpace::Param | StateSpace::ParamFunc
            )
        {
            place(&mut signature, *id)?;
        }
    }
    signature.local = next as u32;
    Ok(signature)
}
