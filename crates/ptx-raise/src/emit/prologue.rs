//! The code before the first block: parameters are loaded from the parameter space.

use ptx_ir::{AddressBase, Operand, Stmt, Symbol, VarId, VarType, Variable};
use ptx_isa::{MemorySem, ScalarType, Sem, StateSpace, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{CastOp, InstId, Op, Type, Value};

use super::access::{Access, piece, variable_address, word_of};
use super::address::Use;
use super::append::mov;
use super::stack::local_address;
use super::state::Emitter;
use crate::cover::{ExtendingLoad, LowBits};
use crate::error::{CALL, RaiseError, Result};
use crate::registers::{Named, Rank};
use crate::signature::{Parameter, Passing};
use crate::types::Class;
use crate::value::{Base, Upper, Val};

impl Emitter<'_, '_, '_> {
    /// Gives every parameter its value.
    pub(super) fn prologue(&mut self) -> Result<()> {
        self.pragmas();
        if self.signature.registers.is_some() {
            for register in std::mem::take(&mut self.frame.register_params) {
                self.computed.args.push([Val::reg(register)].into());
            }
            return Ok(());
        }
        let params = self.signature.params.clone();
        for (at, param) in params.iter().enumerate() {
            let Some(&variable) = self.frame.params.get(at) else { continue };
            let values = match param.by_value {
                Some(_) => self.by_value(at, param, variable)?,
                None => match self.cover.parameters.get(&at).cloned() {
                    // The cast loads it.
                    Some(LowBits { at: Some(_), .. }) => vec![Val::Bits(0)],
                    Some(LowBits { load, at: None }) => self.low_bits(&load, variable)?,
                    // It is loaded at the copy.
                    None if self.is_only_copied(at) => vec![Val::Bits(0)],
                    None => self.by_register(param, variable)?,
                },
            };
            self.want(Named::Parameter(at), &values, Rank::Value);
            self.computed.args.push(values.into());
        }
        Ok(())
    }

    /// Sorts the loads at the start of a body by the order of the parameters: structures are read where LLVM reads them, the rest at
    /// the start, and ptxas allocates registers in the order of the text.
    pub(super) fn order_parameters(&self, statements: &mut [Stmt]) {
        let place = |statement: &Stmt| {
            let Stmt::Inst(inst) = statement else { return None };
            let (Sem::Memory(MemorySem::Load), None) = (inst.mnemonic.sem(), inst.guard) else { return None };
            self.builder.body().operands(inst).iter().find_map(|operand| match operand {
                Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), _) => {
                    self.frame.params.iter().position(|param| param == variable)
                }
                _ => None,
            })
        };
        let loads = statements.iter().take_while(|statement| place(statement).is_some()).count();
        if let Some(loads) = statements.get_mut(..loads) {
            loads.sort_by_key(|statement| place(statement));
        }
    }

    /// `.pragma` at the top of a body.
    fn pragmas(&mut self) {
        let Some(text) = self.function.attributes.string(marks::PRAGMA_BODY) else { return };
        for pragma in text.split(';').filter(|pragma| !pragma.is_empty()) {
            let text = self.module.ir.strings.intern(pragma);
            self.push(Stmt::Pragma(vec![text]));
        }
    }

    /// Loads the low bits of a parameter; nothing reads the rest.
    pub(super) fn low_bits(&mut self, load: &ExtendingLoad, variable: VarId) -> Result<Vec<Val>> {
        let ExtendingLoad { class, ty, casts } = load;
        let load = ptx!("ld.param.b32").with_type(*ty)?;
        let register = self.emit_new(*class, load, &[variable_address(variable).into()])?;
        let upper = match ty {
            ScalarType::B8 => Upper::Zero,
            ScalarType::S8 => Upper::Sign,
            _ => Upper::Any,
        };
        let value = Val::Register(register, upper);
        for &cast in casts.iter().flatten() {
            self.define_one(cast, value)?;
        }
        Ok(vec![Val::reg(register)])
    }

    /// Loads a parameter that is a value.
    pub(super) fn by_register(&mut self, param: &Parameter, variable: VarId) -> Result<Vec<Val>> {
        if param.reference.is_some() {
            return Ok(vec![Val::reg(self.handle(Symbol::Variable(variable))?)]);
        }
        let address = variable_address(variable);
        match &param.passing {
            Passing::Scalar(passed) => {
                let leaves = self.leaves(param.ty)?;
                let Some(leaf) = leaves.first() else { return Ok(Vec::new()) };
                Ok(vec![self.load_param(address, *passed, leaf.scalar)?])
            }
            Passing::Bytes { align, .. } if self.is_kernel() => {
                self.load_whole(param.ty, &Access::load(address_space::PARAM, address, u64::from(*align))?)
            }
            Passing::Bytes { align, .. } => self.load_passed(param.ty, address, u64::from(*align)),
        }
    }

    /// A parameter that a `byval` pointer points to: read in place if only loads and address arithmetic use it, else copied to
    /// local memory, since the function may write it and pass on its address.
    fn by_value(&mut self, at: usize, param: &Parameter, variable: VarId) -> Result<Vec<Val>> {
        let space = match self.module.view.ty(param.ty) {
            Type::Pointer { space } => *space,
            _ => address_space::GENERIC,
        };
        let base = Base::Symbol(Symbol::Variable(variable));
        let in_place = Val::Address { base, offset: 0, space: address_space::PARAM };
        let read_only = self
            .only_reads(Value::Arg(at as u32), if self.is_kernel() { Reach::Any } else { Reach::Constant });
        let named = self.is_named_parameter(at);
        let written = named && self.is_written(Value::Arg(at as u32));
        if space == address_space::PARAM || read_only || named && !written {
            return Ok(vec![in_place]);
        }
        if written && !self.reads_parameter_only(at) {
            let message = "a kernel that writes its parameter and passes on its address in parameter memory";
            return Err(RaiseError::new(CALL, message).with_help("write a copy of the parameter"));
        }
        if !self.is_kernel() {
            // Once its address is taken, a device function's parameter is in local memory, and private to the function
            // (manual 9.7.9.5).
            let class = self.pointer_class(address_space::LOCAL);
            let address = Operand::Symbol(Symbol::Variable(variable), 0);
            let base = Base::Register(self.emit_new(class, mov(class), &[address.into()])?);
            return Ok(vec![local_address(base)]);
        }
        let Passing::Bytes { size, align } = param.passing else { return Ok(vec![in_place]) };
        let name = self.local_name("byval", at);
        let local = self.local_variable(&name, size, align);
        let align = u64::from(align);
        let from = Access::load(address_space::PARAM, variable_address(variable), align)?;
        let to = Access::store(address_space::LOCAL, variable_address(local), align)?;
        self.copy_bytes(&from, &to, size)?;
        Ok(vec![local_address(Base::Symbol(Symbol::Variable(local)))])
    }

    /// Adds a variable of bytes in local memory.
    pub(super) fn local_variable(&mut self, name: &str, size: u64, align: u32) -> VarId {
        let name = self.module.ir.strings.intern(name);
        let variable = self.module.ir.add_variable(Variable {
            dims: vec![Some(size.max(1))],
            align: Some(align.max(1)),
            ..Variable::new(name, StateSpace::Local, VarType::Scalar(ScalarType::B8))
        });
        self.frame.locals.push(Stmt::Variable(variable));
        variable
    }

    /// Copies bytes with a sequence of loads and stores.
    pub(super) fn copy_bytes(&mut self, from: &Access<'_>, to: &Access<'_>, size: u64) -> Result<()> {
        let mut at = 0;
        while at < size {
            let bytes = piece(at, size - at, from.align.min(to.align));
            let ty = word_of(bytes);
            let value = self.load_vector(&from.after(at), ty, Class::of_type(ty), 1)?;
            self.store_vector(&to.after(at), ty, &value)?;
            at += bytes;
        }
        Ok(())
    }

    /// Whether a pointer is only used for loads.
    fn only_reads(&self, pointer: Value, reach: Reach) -> bool {
        self.all_uses(pointer, usize::MAX, |pointer, id| {
            let inst = self.function.inst(id);
            match &inst.op {
                Op::Load { volatile: false, .. } => Use::Allowed,
                Op::Gep { base, indices, .. } if *base == pointer && !indices.contains(&pointer) => {
                    let constant = indices.iter().all(|index| matches!(index, Value::Const(_)));
                    if reach == Reach::Any || constant { Use::Step } else { Use::Other }
                }
                // A device function reads its parameter in place, independent of the space that its address is cast to.
                Op::Cast { op: CastOp::AddrSpaceCast, .. }
                    if self.is_kernel() && self.casts_to_param(id)
                        || !self.is_kernel() && inst.metadata(marks::LITERAL).is_none() =>
                {
                    Use::Step
                }
                Op::Call(call) if self.source.is_ignored_call(call) => Use::Allowed,
                Op::Call(call) if self.only_passes_value(call, pointer) => Use::Allowed,
                _ => Use::Other,
            }
        })
    }

    /// Whether a pointer is only passed to a call as a `byval` argument. A device function can pass its parameter only by name.
    fn only_passes_value(&self, call: &ptx_llvm_core::view::Call, pointer: Value) -> bool {
        let mut uses = call.args.iter().enumerate().filter(|(_, argument)| **argument == pointer);
        let is_known = || self.source.callee(call).is_some_and(|callee| !callee.variadic);
        call.callee != pointer
            && (self.is_kernel() || is_known())
            && uses.all(|(at, _)| call.arg_attributes.get(at).is_some_and(|own| own.has("byval")))
    }

    /// Whether a kernel turns a parameter's pointer into one of the parameter space: then it refers to the parameter
    /// itself, which is read-only.
    fn is_named_parameter(&self, at: usize) -> bool {
        let pointer = Value::Arg(at as u32);
        self.is_kernel() && self.cover.uses.users_of(pointer).iter().any(|id| self.casts_to_param(*id))
    }

    /// Whether something is written through a pointer.
    fn is_written(&self, pointer: Value) -> bool {
        !self.all_uses(pointer, usize::MAX, |pointer, id| match &self.function.inst(id).op {
            Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. }
                if *ptr == pointer =>
            {
                Use::Other
            }
            Op::Gep { base, .. } if *base == pointer => Use::Step,
            Op::Cast { op: CastOp::AddrSpaceCast, .. } => Use::Step,
            _ => Use::Allowed,
        })
    }

    /// Whether a kernel only loads through the casts of a parameter's pointer to the parameter space.
    fn reads_parameter_only(&self, at: usize) -> bool {
        let pointer = Value::Arg(at as u32);
        let read = |id: &InstId| self.only_reads(Value::Inst(*id), Reach::Constant);
        self.cover.uses.users_of(pointer).iter().all(|id| !self.casts_to_param(*id) || read(id))
    }

    /// Whether an instruction casts a pointer to one of the parameter space.
    fn casts_to_param(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        matches!(inst.op, Op::Cast { op: CastOp::AddrSpaceCast, .. })
            && matches!(self.module.view.ty(inst.ty), Type::Pointer { space: address_space::PARAM })
    }
}

/// The offsets at which a parameter may be read in place: device functions can access their parameters only by name and constant offset.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Any,
    Constant,
}
