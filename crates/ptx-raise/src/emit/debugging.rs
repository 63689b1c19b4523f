//! Redundant code that is preserved in debug code: copies from register to register, sums that are addresses, offsets of zero.

use std::rc::Rc;

use ptx_ir::{Body, Inst, Operand, RegId, Stmt, ZeroOffsets};
use ptx_isa::{MemorySem, Mnemonic, MoveSem, ScalarType, Sem, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{CastOp, Inst as LlvmInst, InstId, Op, Value};
use rustc_hash::FxHashSet as HashSet;

use super::access::in_space;
use super::append::mov;
use super::state::Emitter;
use crate::error::Result;
use crate::registers::Named;
use crate::signature::Parameter;
use crate::types::Scalar;
use crate::value::{Fill, Val};

/// Whether an instruction is a copy that was a separate instruction in PTX.
pub(super) fn is_copy(inst: &LlvmInst) -> bool {
    matches!(inst.op, Op::Freeze { .. }) && inst.metadata(marks::LITERAL).is_some()
}

/// Whether an instruction is a cast that keeps all bits, and has no name.
fn is_retyping(inst: &LlvmInst) -> bool {
    inst.name.is_empty()
        && matches!(inst.op, Op::Cast { op: CastOp::BitCast | CastOp::PtrToInt | CastOp::IntToPtr, .. })
}

/// The name of a register without the suffix that distinguishes its assignments.
fn first_name(name: &str) -> &str {
    let dot = name.char_indices().skip(1).find(|(_, c)| *c == '.');
    dot.map_or(name, |(at, _)| name.get(..at).unwrap_or(name))
}

/// The mnemonic of a load, store or copy with the type that its registers have: that of floating-point numbers where all of them hold such
/// numbers, else bits.
fn with_type_of_registers(body: &Body, inst: &Inst) -> Option<Mnemonic> {
    let mnemonic = inst.mnemonic;
    if !matches!(mnemonic.sem(), Sem::Memory(MemorySem::Load | MemorySem::Store) | Sem::Move(MoveSem::Mov)) {
        return None;
    }
    let other = match mnemonic.scalar_type()? {
        ScalarType::B32 => ScalarType::F32,
        ScalarType::B64 => ScalarType::F64,
        ScalarType::F32 => ScalarType::B32,
        ScalarType::F64 => ScalarType::B64,
        _ => return None,
    };
    // Halves side by side have a type of their own each.
    let packs = body.operands(inst).iter().any(|operand| matches!(operand, Operand::Vector(_)));
    if packs && mnemonic.sem() == Sem::Move(MoveSem::Mov) {
        return None;
    }
    let registers: Vec<RegId> =
        body.operands(inst).iter().flat_map(|operand| plain_registers(body, *operand)).collect();
    let all_float = registers.iter().all(|register| body.reg_type(*register).is_float());
    let changes = !registers.is_empty() && all_float == other.is_float();
    if changes { mnemonic.with_type(other).ok() } else { None }
}

/// The registers of an operand that is one or a vector of them.
fn plain_registers(body: &Body, operand: Operand) -> Vec<RegId> {
    let one = |operand: &Operand| match operand {
        Operand::Register(register) => Some(*register),
        _ => None,
    };
    match operand {
        Operand::Vector(list) => body.list(list).iter().filter_map(one).collect(),
        other => one(&other).into_iter().collect(),
    }
}

impl Emitter<'_, '_, '_> {
    /// Whether a register is one of the original debug code, where instructions that use it as bits do so here, too.
    pub(super) fn is_own_name(&self, register: RegId) -> bool {
        self.source.to_debug && self.names.wanted.is_noted(register)
    }

    /// Whether debug code only copies a parameter, which is how a load of it is represented in LLVM IR.
    pub(super) fn is_only_copied(&self, parameter: usize) -> bool {
        let is_value = |own: &Parameter| own.by_value.is_none() && own.reference.is_none();
        let is_value = self.signature.params.get(parameter).is_some_and(is_value);
        let parameter = Value::Arg(parameter as u32);
        self.source.to_debug
            && is_value
            && self.function.insts.iter().enumerate().all(|(at, inst)| {
                let mut is_read = false;
                inst.op.for_each_operand(&mut |operand| is_read |= operand == parameter);
                !is_read || self.copies(InstId::new(at))
            })
    }

    /// Whether an instruction is a copy, or a cast that only such copies read.
    fn copies(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let users = self.cover.uses.users(id);
        is_copy(inst) || is_retyping(inst) && users.iter().all(|user| is_copy(self.function.inst(*user)))
    }

    /// The parameter that a copy loads.
    fn loaded_parameter(&self, copied: Value) -> Option<usize> {
        let value = match copied {
            Value::Inst(id) if is_retyping(self.function.inst(id)) => match self.function.inst(id).op {
                Op::Cast { value, .. } => value,
                _ => copied,
            },
            _ => copied,
        };
        match value {
            Value::Arg(at) if self.is_only_copied(at as usize) => Some(at as usize),
            _ => None,
        }
    }

    /// A copy that was a separate instruction in PTX.
    pub(super) fn copy(&mut self, id: InstId, value: Value) -> Result<()> {
        if let Some(at) = self.loaded_parameter(value)
            && let Some(&variable) = self.frame.params.get(at)
            && let Some(parameter) = self.signature.params.get(at).cloned()
        {
            let loaded = self.by_register(&parameter, variable)?;
            return self.define(id, loaded.into());
        }
        let (leaves, values) = (self.value_leaves(value)?, self.value(value)?);
        let mut copies = Vec::with_capacity(values.len());
        for (leaf, &value) in leaves.iter().zip(values.iter()) {
            let copy = match value {
                Val::Register(register, upper) => {
                    let class = leaf.scalar.class();
                    let copy = self.emit_new(class, mov(class), &[register.into()])?;
                    self.registers.copies.insert(copy);
                    Val::Register(copy, upper)
                }
                Val::Bits(_) => {
                    let copy = self.register_for(leaf.scalar);
                    self.copy_to(copy, value, leaf.scalar)?;
                    Val::reg(copy)
                }
                Val::Address { .. } => Val::reg(self.in_register(value, leaf.scalar)?),
            };
            copies.push(copy);
        }
        self.define(id, Rc::from(copies))
    }

    /// A sum that is an address and that PTX computed where it is, with all its terms.
    pub(super) fn sum(&mut self, id: InstId, (base, pointer): (Val, Scalar), index: Value) -> Result<()> {
        let class = pointer.class();
        let base = self.in_register(base, pointer)?;
        let (index, kind) = self.scalar(index)?;
        let index = self.extended_to(index, kind, class.bits(), Fill::Sign)?;
        let sum = self.compute(ptx!("add.s32").with_bits(class.bits())?, &[base.into(), index])?;
        self.define_one(id, Val::reg(sum))
    }

    /// Whether a cast in debug code only changes an address between generic and global, which is the same number, and PTX did not
    /// convert it.
    pub(super) fn is_same_number(&self, id: InstId, from: Scalar, to: Scalar) -> bool {
        let is_either = |scalar| {
            let either = [address_space::GENERIC, address_space::GLOBAL];
            matches!(scalar, Scalar::Pointer { space, .. } if either.contains(&space))
        };
        let inst = self.function.inst(id);
        let is_unmarked = inst.name.is_empty() && inst.metadata(marks::LITERAL).is_none();
        self.source.to_debug && is_unmarked && is_either(from) && is_either(to)
    }

    /// `cvta` of such a number.
    pub(super) fn convert_number(&mut self, id: InstId, value: Value, space: u32) -> Result<()> {
        let (number, scalar) = self.scalar(value)?;
        let number = self.in_register(number, scalar)?;
        let class = self.pointer_class(address_space::GENERIC);
        let convert = in_space(ptx!("cvta.global.u32").with_bits(class.bits())?, space)?;
        let address = self.compute(convert, &[number.into()])?;
        self.define_one(id, Val::reg(address))
    }

    /// The registers that were one in code to debug.
    pub(super) fn namesakes(&self) -> Vec<(RegId, RegId)> {
        if !self.source.to_debug {
            return Vec::new();
        }
        let function = self.function;
        self.names.wanted.namesakes(&|named| match named {
            Named::Parameter(_) => None,
            Named::Inst(id) => Some(first_name(&function.inst(id).name)).filter(|name| !name.is_empty()),
        })
    }

    /// The registers of bits that no instruction uses as an integer or an address (manual 9.4.1), in debug code.
    pub(super) fn float_registers(&self, body: &Body) -> HashSet<RegId> {
        let (mut found, mut counted) = (HashSet::default(), HashSet::default());
        if !self.source.to_debug {
            return found;
        }
        for (_, inst) in body.instructions() {
            let mut plain: Vec<RegId> = Vec::new();
            for (at, operand) in body.operands(inst).iter().enumerate() {
                let ty = inst.mnemonic.operand_type(at);
                if ty.is_some_and(|ty| ty.is_float() || ty.as_bits() == Some(ty)) {
                    plain.extend(plain_registers(body, *operand));
                }
            }
            body.for_each_register(inst, |register, _| match plain.iter().position(|own| *own == register) {
                Some(at) => {
                    plain.swap_remove(at);
                    found.insert(register);
                }
                None => {
                    counted.insert(register);
                }
            });
        }
        found.retain(|register| !counted.contains(register));
        found
    }

    /// Code to debug gets the classes of floating-point registers that its names are of, whatever its instructions are.
    pub(super) fn have_float_classes(&mut self) {
        if !self.source.to_debug {
            return;
        }
        for (stem, ty) in [("f", ScalarType::F32), ("fd", ScalarType::F64)] {
            let is_of_class = |name: &str| {
                let number = first_name(name).strip_prefix(stem);
                number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
            };
            if self.function.insts.iter().any(|inst| is_of_class(&inst.name)) {
                self.builder.new_register(&mut self.module.ir.strings, ty);
            }
        }
    }

    /// Accesses and copies have the type of their registers, as in the output of compilers: `ptxas` allocates other registers for
    /// another type.
    pub(super) fn type_accesses(&mut self, body: &mut Body) {
        if !self.source.to_debug {
            return;
        }
        for at in 0..body.statements.len() {
            let Some(Stmt::Inst(inst)) = body.statements.get(at) else { continue };
            let Some(typed) = with_type_of_registers(body, inst) else { continue };
            let rows = self.module.mnemonics.rows(typed);
            let count = body.operands(inst).len();
            let mut rows = rows.candidates.iter().map(|row| row.mnemonic);
            let row = rows.find(|row| row.form().operands.len() == count);
            if let (Some(mnemonic), Some(Stmt::Inst(inst))) = (row, body.statements.get_mut(at)) {
                inst.mnemonic = mnemonic;
            }
        }
    }

    /// Writes out the offset of zero of the access that an instruction has just become, where PTX had it.
    pub(super) fn write_zero_offset(&mut self, id: InstId) {
        let view = self.module.view;
        let Some(node) = self.function.inst(id).metadata(marks::MODS) else { return };
        if view.strings(node).contains(&marks::ZERO_OFFSET)
            && let Some(Stmt::Inst(inst)) = self.builder.body_mut().statements.last_mut()
        {
            inst.zero_offsets = ZeroOffsets::Written;
        }
    }
}
