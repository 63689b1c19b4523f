//! What code to debug says in so many words: copies from register to register, sums that are addresses, offsets of zero.

use std::rc::Rc;

use ptx_ir::{Body, Inst, Operand, RegId, Stmt, ZeroOffsets};
use ptx_isa::{ScalarType, Sem};
use ptx_llvm::address_space;
use ptx_llvm::view::{CastOp, Inst as LlvmInst, InstId, Op, Type, Value};
use rustc_hash::FxHashSet as HashSet;

use super::FunctionRaiser;
use super::emit::{Arg, mov, space_word};
use crate::coalesce::for_each_register;
use crate::error::Raised;
use crate::references::for_each_operand;
use crate::registers::Named;
use crate::signature::Parameter;
use crate::types::Scalar;
use crate::value::{Val, sign_extend};

/// What `!ptx.mods` says of an access whose offset of zero was written out.
const ZERO_OFFSET: &str = "+0";

/// Whether an instruction is a copy that PTX had as an instruction of its own.
pub(super) fn is_copy(inst: &LlvmInst) -> bool {
    matches!(inst.op, Op::Freeze { .. }) && inst.metadata("ptx.literal").is_some()
}

/// Whether an instruction does nothing but see the same bits as another type, without a name of its own.
fn is_retyping(inst: &LlvmInst) -> bool {
    inst.name.is_empty()
        && matches!(inst.op, Op::Cast { op: CastOp::BitCast | CastOp::PtrToInt | CastOp::IntToPtr, .. })
}

/// The name of a register without what tells its assignments apart.
fn first_name(name: &str) -> &str {
    let dot = name.char_indices().skip(1).find(|(_, c)| *c == '.');
    dot.map_or(name, |(at, _)| name.get(..at).unwrap_or(name))
}

/// The mnemonic of a load, store or copy with the type that its registers have: that of floating-point numbers where all of them hold such
/// numbers, else bits.
fn typed_text(body: &Body, inst: &Inst) -> Option<String> {
    let mnemonic = inst.mnemonic;
    if !matches!(mnemonic.sem(), Sem::Load | Sem::Store | Sem::Mov) {
        return None;
    }
    let (own, other, to_float) = match mnemonic.scalar_type()? {
        ScalarType::B32 => (".b32", ".f32", true),
        ScalarType::B64 => (".b64", ".f64", true),
        ScalarType::F32 => (".f32", ".b32", false),
        ScalarType::F64 => (".f64", ".b64", false),
        _ => return None,
    };
    // Halves side by side have a type of their own each.
    let packs = body.operands(inst).iter().any(|operand| matches!(operand, Operand::Vector(_)));
    if packs && mnemonic.sem() == Sem::Mov {
        return None;
    }
    let registers: Vec<RegId> =
        body.operands(inst).iter().flat_map(|operand| plain_registers(body, *operand)).collect();
    let all_float = registers.iter().all(|register| body.reg_type(*register).is_float());
    let changes = !registers.is_empty() && all_float == to_float;
    let text = mnemonic.to_string();
    changes.then(|| text.strip_suffix(own).map(|stem| format!("{stem}{other}")))?
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

impl FunctionRaiser<'_, '_, '_> {
    /// Whether an instruction's result is a register that code to debug had: another instruction does not do its work as well.
    pub(super) fn is_own_register(&self, id: InstId) -> bool {
        self.module.is_to_debug() && !self.function.inst(id).name.is_empty()
    }

    /// Whether a register is one that code to debug had: what takes it there as bits takes it here.
    pub(super) fn is_own_name(&self, register: RegId) -> bool {
        self.module.is_to_debug() && self.wanted.is_noted(register)
    }

    /// Whether code to debug does nothing with a parameter but copy it, which is what loading it is to LLVM.
    pub(super) fn is_only_copied(&self, parameter: usize) -> bool {
        let is_value = |own: &Parameter| own.by_value.is_none() && own.reference.is_none();
        let is_value = self.signature.params.get(parameter).is_some_and(is_value);
        let parameter = Value::Arg(parameter as u32);
        self.module.is_to_debug()
            && is_value
            && self.function.insts.iter().enumerate().all(|(at, inst)| {
                let mut is_read = false;
                for_each_operand(&inst.op, &mut |operand| is_read |= operand == parameter);
                !is_read || self.copies(InstId::new(at))
            })
    }

    /// Whether an instruction is a copy, or a cast that only such copies read.
    fn copies(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let users = self.users.get(id.index()).unwrap_or_default();
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

    /// A copy that PTX had as an instruction of its own.
    pub(super) fn copy(&mut self, id: InstId, value: Value) -> Raised<()> {
        if let Some(at) = self.loaded_parameter(value)
            && let Some(&variable) = self.params.get(at)
            && let Some(parameter) = self.signature.params.get(at).cloned()
        {
            let loaded = self.by_register(&parameter, variable)?;
            self.define(id, loaded.into());
            return Ok(());
        }
        let (leaves, values) = (self.value_leaves(value)?, self.value(value)?);
        let mut copies = Vec::with_capacity(values.len());
        for (leaf, &value) in leaves.iter().zip(values.iter()) {
            let copy = match value {
                Val::Register(register, upper) => {
                    let class = leaf.scalar.class();
                    let copy = self.emit_new(class, mov(class), &[register.into()])?;
                    self.copies.insert(copy);
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
        self.define(id, Rc::from(copies));
        Ok(())
    }

    /// A sum that is an address and that PTX computed where it stands, with whatever it adds.
    pub(super) fn sum(&mut self, id: InstId, (base, pointer): (Val, Scalar), index: Value) -> Raised<()> {
        let class = pointer.class();
        let base = self.in_register(base, pointer)?;
        let (index, kind) = self.scalar(index)?;
        let index: Arg = match index {
            Val::Bits(bits) => Arg::Bits(sign_extend(bits, kind.bits()) as u64, class.bits()),
            other => self.sign_extended(other, kind, class.bits())?.into(),
        };
        let text = format!("add.s{}", class.bits());
        let sum = self.emit_new(class, &text, &[base.into(), index])?;
        self.define_one(id, Val::reg(sum));
        Ok(())
    }

    /// Whether a cast says of an address in code to debug only that it is generic or global, which is the same number, and PTX did not
    /// convert it.
    pub(super) fn is_same_number(&self, id: InstId, from: Scalar, to: Scalar) -> bool {
        let is_either = |scalar| {
            let either = [address_space::GENERIC, address_space::GLOBAL];
            matches!(scalar, Scalar::Pointer { space, .. } if either.contains(&space))
        };
        let inst = self.function.inst(id);
        let is_unmarked = inst.name.is_empty() && inst.metadata("ptx.literal").is_none();
        self.module.is_to_debug() && is_unmarked && is_either(from) && is_either(to)
    }

    /// The number that code to debug converts to a generic address from the window of a narrow space, in a register of 64 bits, though it is an
    /// address of the space to LLVM in between.
    pub(super) fn converted_number(&self, id: InstId) -> Option<(Value, u32)> {
        if !self.module.is_to_debug() {
            return None;
        }
        let inst = self.function.inst(id);
        let Op::Cast { op: CastOp::AddrSpaceCast, value: Value::Inst(address), .. } = inst.op else {
            return None;
        };
        let inner = self.function.inst(address);
        let Op::Cast { op: CastOp::IntToPtr, value, .. } = inner.op else { return None };
        let is_plain =
            self.module.is_to_debug() && inner.name.is_empty() && inst.metadata("ptx.literal").is_some();
        let view = self.module.view;
        let bits = view.addresses().bits();
        let is_wide = *view.ty(view.value_type(self.function, value)?) == Type::Int { bits };
        match (view.ty(inst.ty), view.ty(inner.ty)) {
            (Type::Pointer { space: address_space::GENERIC }, Type::Pointer { space })
                if is_plain && is_wide =>
            {
                Some((value, *space))
            }
            _ => None,
        }
    }

    /// `cvta` of such a number.
    pub(super) fn convert_number(&mut self, id: InstId, value: Value, space: u32) -> Raised<()> {
        let (number, scalar) = self.scalar(value)?;
        let number = self.in_register(number, scalar)?;
        let class = self.pointer_class(address_space::GENERIC);
        let text = format!("cvta{}.u{}", space_word(space)?, class.bits());
        let address = self.emit_new(class, &text, &[number.into()])?;
        self.define_one(id, Val::reg(address));
        Ok(())
    }

    /// Loads a parameter of which only the low bits are read where code to debug did.
    pub(super) fn load_low_bits(&mut self, parameter: usize) -> Raised<()> {
        let widening = self.narrow_parameters.remove(&parameter);
        if let (Some(widening), Some(&variable)) = (widening, self.params.get(parameter)) {
            self.low_bits(widening, variable)?;
        }
        Ok(())
    }

    /// Leaves out the addresses that only such conversions take.
    pub(super) fn skip_converted(&mut self) {
        if !self.module.is_to_debug() {
            return;
        }
        for at in 0..self.function.insts.len() {
            let address = InstId::new(at);
            let users = self.users.get(at).unwrap_or_default();
            let is_cast = matches!(self.function.inst(address).op, Op::Cast { op: CastOp::IntToPtr, .. });
            if is_cast && !users.is_empty() && users.iter().all(|user| self.converted_number(*user).is_some())
            {
                self.fused.insert(address);
            }
        }
    }

    /// The registers that were one in code to debug.
    pub(super) fn namesakes(&self) -> Vec<(RegId, RegId)> {
        if !self.module.is_to_debug() {
            return Vec::new();
        }
        let function = self.function;
        self.wanted.namesakes(&|named| match named {
            Named::Parameter(_) => None,
            Named::Inst(id) => Some(first_name(&function.inst(id).name)).filter(|name| !name.is_empty()),
        })
    }

    /// The registers of bits that no instruction takes for an integer or an address (manual 9.4.1), in code to debug.
    pub(super) fn float_registers(&self, body: &Body) -> HashSet<RegId> {
        let (mut found, mut counted) = (HashSet::default(), HashSet::default());
        if !self.module.is_to_debug() {
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
            for_each_register(body, inst, &mut |register, _| match plain
                .iter()
                .position(|own| *own == register)
            {
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
        if !self.module.is_to_debug() {
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

    /// Accesses and copies have the type that their registers have, as compilers write them: `ptxas` gives out other registers for
    /// another type.
    pub(super) fn type_accesses(&mut self, body: &mut Body) {
        if !self.module.is_to_debug() {
            return;
        }
        for at in 0..body.statements.len() {
            let Some(Stmt::Inst(inst)) = body.statements.get(at) else { continue };
            let Some(text) = typed_text(body, inst) else { continue };
            let Some(rows) = self.module.mnemonics.rows(&text) else { continue };
            let count = body.operands(inst).len();
            let row = rows.iter().find(|row| row.mnemonic.form().operands.len() == count);
            let mnemonic = row.map(|row| row.mnemonic);
            if let (Some(mnemonic), Some(Stmt::Inst(inst))) = (mnemonic, body.statements.get_mut(at)) {
                inst.mnemonic = mnemonic;
            }
        }
    }

    /// Writes out the offset of zero of the access that an instruction has just become, where PTX had it.
    pub(super) fn write_zero_offset(&mut self, id: InstId) {
        let view = self.module.view;
        let Some(node) = self.function.inst(id).metadata("ptx.mods") else { return };
        if view.strings(node).contains(&ZERO_OFFSET)
            && let Some(Stmt::Inst(inst)) = self.builder.body_mut().statements.last_mut()
        {
            inst.zero_offsets = ZeroOffsets::Written;
        }
    }
}
