//! Variadic arguments, passed as by LLVM's pass `expand-variadics` on NVPTX: those after the fixed ones are in a structure in the caller's local
//! memory, which all its calls share, each with the alignment of its type, and the callee gets its generic address as an additional parameter. A
//! `va_list` is a pointer to the next one.

use ptx_ir::{AddressBase, Operand, RegId, Symbol, VarId};
use ptx_isa::ptx;
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{Call, InstId, Op, TypeId, Value};

use super::access::Access;
use super::access::offset_operand;
use super::append::Arg;
use super::call::MAX_BY_VALUE;
use super::generic::argument;
use super::stack::local_address;
use super::state::Emitter;
use crate::error::{CALL, INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Scalar};
use crate::value::{Base, Val, mask};

/// An argument that is passed in memory.
struct VariadicArgument {
    arg: Value,
    ty: TypeId,
    /// Whether the argument is the address of the passed value.
    by_value: bool,
    at: u64,
    align: u32,
    bytes: u64,
}

/// The arguments of one call that are passed in memory.
struct Structure {
    arguments: Vec<VariadicArgument>,
    size: u64,
    align: u32,
}

impl Emitter<'_, '_, '_> {
    /// The offsets of the arguments after the first `fixed` ones in their structure, and its size and alignment.
    fn variadic_structure(&self, call: &Call, fixed: usize) -> Result<Structure> {
        let mut structure = Structure { arguments: Vec::new(), size: 0, align: 1 };
        for (at, &arg) in call.args.iter().enumerate().skip(fixed) {
            let by_value = call.arg_attributes.get(at).and_then(|attributes| attributes.ty("byval"));
            let ty = match by_value {
                Some(ty) => ty,
                None => self.value_type(arg)?,
            };
            let layout = self.module.view.layout(ty).ok_or_else(|| {
                RaiseError::new(CALL, format!("an argument of type {}", self.module.view.type_text(ty)))
            })?;
            let at = structure.size.next_multiple_of(u64::from(layout.align.max(1)));
            structure.align = structure.align.max(layout.align);
            structure.size = at + layout.size;
            let by_value = by_value.is_some();
            structure.arguments.push(VariadicArgument {
                arg,
                ty,
                by_value,
                at,
                align: layout.align,
                bytes: layout.size,
            });
        }
        Ok(structure)
    }

    /// The variable for the structures of all calls, of which only one is in use at a time.
    fn structure_variable(&mut self) -> VarId {
        if let Some(variable) = self.frame.structures {
            return variable;
        }
        let (mut size, mut align) = (0, 1);
        for inst in &self.function.insts {
            if let Op::Call(call) | Op::Invoke { call, .. } = &inst.op
                && let Some(fixed) = self.source.fixed_arguments(call)
                && let Ok(structure) = self.variadic_structure(call, fixed)
            {
                (size, align) = (structure.size.max(size), structure.align.max(align));
            }
        }
        let name = self.local_name("vararg", 0);
        let variable = self.local_variable(&name, size, align);
        self.frame.structures = Some(variable);
        variable
    }

    /// Stores the arguments after the first `fixed` ones and returns the address of the first.
    pub(super) fn further_arguments(&mut self, call: &Call, fixed: usize) -> Result<RegId> {
        let structure = self.variadic_structure(call, fixed)?;
        if structure.arguments.is_empty() {
            // Nothing is read through the address.
            return self.in_register(Val::Bits(0), Scalar::Int(self.list_class().bits()));
        }
        let buffer = self.structure_variable();
        let start = Operand::Address(AddressBase::Symbol(Symbol::Variable(buffer)), 0);
        for VariadicArgument { arg, ty, by_value, at, align, bytes } in structure.arguments {
            let to = offset_operand(start, at);
            if !by_value {
                let values = self.defined(arg)?;
                self.store_whole(ty, &values, &Access::store(address_space::LOCAL, to, u64::from(align))?)?;
                continue;
            }
            if bytes > MAX_BY_VALUE {
                let message = format!("a structure of {bytes} bytes passed by value");
                return Err(RaiseError::new(CALL, message).with_help("pass its address"));
            }
            let (pointer, scalar) = self.scalar(arg)?;
            let (from, space) = self.address_operand(pointer, scalar)?;
            let to = Access::store(address_space::LOCAL, to, u64::from(align))?;
            self.copy_bytes(&Access::load(space, from, u64::from(align))?, &to, bytes)?;
        }
        let class = self.list_class();
        let pointer = Scalar::Pointer { space: address_space::GENERIC, bits: class.bits(), class };
        self.in_register(local_address(Base::Symbol(Symbol::Variable(buffer))), pointer)
    }

    /// `llvm.va_start`: the list begins at the address that the caller passed.
    pub(super) fn start_list(&mut self, call: &Call) -> Result<()> {
        let outside = || RaiseError::new(CALL, "va_start in a function with a fixed number of arguments");
        if self.signature.variadic.is_none() {
            return Err(outside());
        }
        let &variable = self.frame.params.last().ok_or_else(outside)?;
        let passed = Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), 0);
        let ty = self.list_class().register_type();
        let first = self.compute(ptx!("ld.param.b32").with_type(ty)?, &[passed.into()])?;
        let (_, list) = self.list(argument(call, 0)?)?;
        self.store_vector(&list, ty, &[first])
    }

    /// `llvm.va_copy`.
    pub(super) fn copy_list(&mut self, call: &Call) -> Result<()> {
        let (_, to) = self.list(argument(call, 0)?)?;
        let (from, _) = self.list(argument(call, 1)?)?;
        let class = self.list_class();
        let next = self.load_vector(&from, class.register_type(), class, 1)?;
        self.store_vector(&to, class.register_type(), &next)
    }

    /// `va_arg`: the argument at the list's pointer, aligned, which then moves on.
    pub(super) fn next_argument(&mut self, id: InstId, list: Value) -> Result<()> {
        let ty = self.type_of(id);
        let layout = self.module.view.layout(ty);
        let (size, align) = layout.map(|layout| (layout.size, u64::from(layout.align))).ok_or_else(|| {
            RaiseError::new(INSTRUCTION, format!("a va_arg of type {}", self.module.view.type_text(ty)))
        })?;
        let (load, store) = self.list(list)?;
        let class = self.list_class();
        let (bits, pointer) = (class.bits(), class.register_type());
        let add = ptx!("add.s32").with_bits(bits)?;
        let mut next = self.compute(load.of(pointer, 1)?, &[load.address.into()])?;
        if align > 1 {
            let above = self.compute(add, &[next.into(), Arg::Bits(align - 1, bits)])?;
            let kept = Arg::Bits(align.wrapping_neg() & mask(bits), bits);
            next = self.compute(ptx!("and.b32").with_bits(bits)?, &[above.into(), kept])?;
        }
        let address = Operand::Address(AddressBase::Register(next), 0);
        let values = self.load_whole(ty, &Access::load(address_space::GENERIC, address, align)?)?;
        let after = self.compute(add, &[next.into(), Arg::Bits(size, bits)])?;
        self.store_vector(&store, pointer, &[after])?;
        self.define(id, values.into())
    }

    /// The class of registers that hold the address of an argument.
    fn list_class(&self) -> Class {
        self.pointer_class(address_space::GENERIC)
    }

    /// How a list is read and written; it is aligned.
    fn list(&mut self, list: Value) -> Result<(Access<'static>, Access<'static>)> {
        let (pointer, scalar) = self.scalar(list)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        let align = u64::from(self.list_class().bits() / 8);
        Ok((Access::load(space, address, align)?, Access::written(space, address, align)?))
    }
}
