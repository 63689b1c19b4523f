//! Variable numbers of arguments, as LLVM's pass `expand-variadics` passes them on NVPTX: those beyond the fixed ones lie in a
//! structure in the caller's local memory, which all its calls share, each aligned as its type is, and the callee gets its generic address as one more
//! parameter. A `va_list` is a pointer to the next one.

use ptx_ir::{AddressBase, Operand, RegId, Symbol, VarId};
use ptx_llvm::address_space;
use ptx_llvm::view::{Call, InstId, Op, Type, TypeId, Value};

use super::FunctionRaiser;
use super::call::MAX_BY_VALUE;
use super::emit::{Arg, space_word};
use super::generic::argument;
use crate::error::{CALL, INSTRUCTION, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::{Base, Val, mask};

/// An argument that is passed in memory.
struct Place {
    arg: Value,
    ty: TypeId,
    /// Whether the argument is the address of what is passed.
    by_value: bool,
    at: u64,
    align: u32,
    bytes: u64,
}

/// What is passed in memory to one call.
struct Structure {
    places: Vec<Place>,
    size: u64,
    align: u32,
}

impl FunctionRaiser<'_, '_, '_> {
    /// How many arguments a call of a variadic function passes in the ordinary way; `None` for other calls.
    pub(super) fn fixed_arguments(&self, call: &Call) -> Option<usize> {
        match self.module.view.ty(call.ty) {
            Type::Function { params, variadic: true, .. } => Some(params.len()),
            _ => None,
        }
    }

    /// Where the arguments after the first `fixed` ones lie in their structure, and its size and alignment.
    fn places(&self, call: &Call, fixed: usize) -> Raised<Structure> {
        let mut structure = Structure { places: Vec::new(), size: 0, align: 1 };
        for (at, &arg) in call.args.iter().enumerate().skip(fixed) {
            let by_value = call.arg_attributes.get(at).and_then(|attributes| attributes.ty("byval"));
            let ty = match by_value {
                Some(ty) => ty,
                None => self.value_type(arg)?,
            };
            let layout = self.module.view.layout(ty).ok_or_else(|| {
                Refusal::new(CALL, format!("an argument of type {}", self.module.view.type_text(ty)))
            })?;
            let at = structure.size.next_multiple_of(u64::from(layout.align.max(1)));
            structure.align = structure.align.max(layout.align);
            structure.size = at + layout.size;
            let by_value = by_value.is_some();
            structure.places.push(Place { arg, ty, by_value, at, align: layout.align, bytes: layout.size });
        }
        Ok(structure)
    }

    /// The variable for the structures of all calls, of which only one is in use at a time.
    fn structure_variable(&mut self) -> VarId {
        if let Some(variable) = self.structures {
            return variable;
        }
        let (mut size, mut align) = (0, 1);
        for inst in &self.function.insts {
            if let Op::Call(call) | Op::Invoke { call, .. } = &inst.op
                && let Some(fixed) = self.fixed_arguments(call)
                && let Ok(structure) = self.places(call, fixed)
            {
                (size, align) = (structure.size.max(size), structure.align.max(align));
            }
        }
        let name = self.local_name("vararg", 0);
        let variable = self.local_variable(&name, size, align);
        self.structures = Some(variable);
        variable
    }

    /// Stores the arguments after the first `fixed` ones and gives the address of the first.
    pub(super) fn further_arguments(&mut self, call: &Call, fixed: usize) -> Raised<RegId> {
        let structure = self.places(call, fixed)?;
        if structure.places.is_empty() {
            // Nothing is read through the address.
            return self.in_register(Val::Bits(0), Scalar::Int(self.list_class().bits()));
        }
        let buffer = self.structure_variable();
        let start = Operand::Address(AddressBase::Symbol(Symbol::Variable(buffer)), 0);
        for Place { arg, ty, by_value, at, align, bytes } in structure.places {
            let to = Self::offset_operand(start, at);
            if !by_value {
                let values = self.defined(arg)?;
                self.store_whole(ty, &values, to, ".local", u64::from(align), "st", "")?;
                continue;
            }
            if bytes > MAX_BY_VALUE {
                let message = format!("a structure of {bytes} bytes passed by value");
                return Err(Refusal::new(CALL, message).with_help("pass its address"));
            }
            let (pointer, scalar) = self.scalar(arg)?;
            let (from, space) = self.address_operand(pointer, scalar)?;
            self.copy_bytes(from, space_word(space)?, to, ".local", bytes, u64::from(align))?;
        }
        let base = Base::Symbol(Symbol::Variable(buffer));
        let class = self.list_class();
        let pointer = Scalar::Pointer { space: address_space::GENERIC, bits: class.bits(), class };
        self.in_register(Val::Address { base, offset: 0, space: address_space::LOCAL }, pointer)
    }

    /// `llvm.va_start`: the list begins at the address that the caller passed.
    pub(super) fn start_list(&mut self, call: &Call) -> Raised<()> {
        let outside = || Refusal::new(CALL, "va_start in a function with a fixed number of arguments");
        if self.signature.variadic.is_none() {
            return Err(outside());
        }
        let &variable = self.params.last().ok_or_else(outside)?;
        let passed = Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), 0);
        let class = self.list_class();
        let bits = class.bits();
        let first = self.emit_new(class, &format!("ld.param.b{bits}"), &[passed.into()])?;
        let (list, word) = self.list(argument(call, 0)?)?;
        self.emit(&format!("st{word}.b{bits}"), &[list.into(), first.into()])
    }

    /// `llvm.va_copy`.
    pub(super) fn copy_list(&mut self, call: &Call) -> Raised<()> {
        let (to, to_word) = self.list(argument(call, 0)?)?;
        let (from, from_word) = self.list(argument(call, 1)?)?;
        let class = self.list_class();
        let bits = class.bits();
        let next = self.emit_new(class, &format!("ld{from_word}.b{bits}"), &[from.into()])?;
        self.emit(&format!("st{to_word}.b{bits}"), &[to.into(), next.into()])
    }

    /// `va_arg`: the argument at the list's pointer, aligned, which then moves on.
    pub(super) fn next_argument(&mut self, id: InstId, list: Value) -> Raised<()> {
        let ty = self.type_of(id);
        let layout = self.module.view.layout(ty);
        let (size, align) = layout.map(|layout| (layout.size, u64::from(layout.align))).ok_or_else(|| {
            Refusal::new(INSTRUCTION, format!("a va_arg of type {}", self.module.view.type_text(ty)))
        })?;
        let (place, word) = self.list(list)?;
        let class = self.list_class();
        let bits = class.bits();
        let add = format!("add.s{bits}");
        let mut next = self.emit_new(class, &format!("ld{word}.b{bits}"), &[place.into()])?;
        if align > 1 {
            let above = self.emit_new(class, &add, &[next.into(), Arg::Bits(align - 1, bits)])?;
            let kept = Arg::Bits(align.wrapping_neg() & mask(bits), bits);
            next = self.emit_new(class, &format!("and.b{bits}"), &[above.into(), kept])?;
        }
        let address = Operand::Address(AddressBase::Register(next), 0);
        let values = self.load_whole(ty, address, "", align, "ld", "")?;
        let after = self.emit_new(class, &add, &[next.into(), Arg::Bits(size, bits)])?;
        self.emit(&format!("st{word}.b{bits}"), &[place.into(), after.into()])?;
        self.define(id, values.into());
        Ok(())
    }

    /// The class of registers that hold the address of an argument.
    fn list_class(&self) -> Class {
        self.pointer_class(address_space::GENERIC)
    }

    /// Where a list lies, and the word of that state space.
    fn list(&mut self, list: Value) -> Raised<(Operand, &'static str)> {
        let (pointer, scalar) = self.scalar(list)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        Ok((address, space_word(space)?))
    }
}
