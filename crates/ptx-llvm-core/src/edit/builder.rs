//! Building instructions at a place.

use llvm_sys::core::*;

use super::change::refused;
use super::editor::Editor;
use super::handle::{Block, Function, Inst, Type, Value};
use super::opcode::Opcode;
use super::operation::{FastMath, GepFlags};
use super::ty::TypeKind;
use crate::LlvmError;
use crate::build::{self, Asm, BinaryOp, CastOp, FloatPredicate, IntPredicate, Volatility};

/// What a call gives: the result of the new instruction, or the constant that LLVM folds it to.
type Built<'e> = Result<Value<'e>, LlvmError>;

/// Where instructions are built.
#[derive(Clone, Copy, Debug)]
enum Place<'e> {
    Before(Inst<'e>),
    End(Block<'e>),
}

/// Builds instructions at one place, one after the other. Each has the place in the source of the instruction that it is built before.
///
/// Operations on constants are folded by LLVM. Results have no name.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a, 'e> {
    editor: &'a Editor<'e>,
    place: Place<'e>,
    function: Function<'e>,
}

impl<'a, 'e> Builder<'a, 'e> {
    pub(super) fn before(editor: &'a Editor<'e>, inst: Inst<'e>) -> Result<Self, LlvmError> {
        Ok(Self { editor, place: Place::Before(inst), function: inst.function()? })
    }

    pub(super) fn at_end(editor: &'a Editor<'e>, block: Block<'e>) -> Self {
        Self { editor, place: Place::End(block), function: block.function() }
    }

    /// The builder of the checked functions, at the place, which is still one.
    fn at(&self, operands: &[Value<'e>]) -> Result<&'a build::Builder<'e>, LlvmError> {
        for operand in operands {
            operand.check_operand_in(self.function)?;
        }
        let builder = &self.editor.builder;
        match self.place {
            Place::Before(inst) if inst.is_erased() => return refused("a place that was erased".to_owned()),
            Place::Before(inst) => build::build_before(builder, inst.value().build()),
            Place::End(block) => {
                builder.position_at_end(build::Block::new(block.raw));
                builder.set_location(None);
            }
        }
        Ok(builder)
    }

    fn give(value: build::Value<'e>) -> Value<'e> {
        Value::new(value.raw())
    }

    /// An operation on two integers or two floating-point numbers, or on vectors of them, without flags.
    ///
    /// # Errors
    ///
    /// When the operands do not fit, or what is needed for it was erased.
    pub fn binary(&self, op: BinaryOp, a: Value<'e>, b: Value<'e>) -> Built<'e> {
        Ok(Self::give(self.at(&[a, b])?.binary(op, a.build(), b.build())?))
    }

    /// `fneg`
    ///
    /// # Errors
    ///
    /// When the value is no floating-point number or vector of such, or what is needed for it was erased.
    pub fn negate(&self, value: Value<'e>) -> Built<'e> {
        let builder = self.at(&[value])?;
        Ok(Self::give(builder.float_negate(value.build())?))
    }

    /// A conversion; a value that has the type already stays as it is.
    ///
    /// # Errors
    ///
    /// When LLVM has no such conversion between the types, or what is needed for it was erased.
    pub fn cast(&self, op: CastOp, value: Value<'e>, to: Type<'e>) -> Built<'e> {
        Ok(Self::give(self.at(&[value])?.cast(op, value.build(), to.build())?))
    }

    /// `icmp`
    ///
    /// # Errors
    ///
    /// When the operands do not fit, or what is needed for it was erased.
    pub fn int_compare(&self, predicate: IntPredicate, a: Value<'e>, b: Value<'e>) -> Built<'e> {
        let scalar = a.ty().scalar();
        if a.ty() != b.ty() || (scalar.integer_bits().is_none() && scalar.pointer_space().is_none()) {
            return refused(format!("icmp of {a:?} and {b:?}"));
        }
        let builder = self.at(&[a, b])?.raw;
        // SAFETY: integers or pointers of one type, and a place to build at.
        Ok(Value::new(unsafe { LLVMBuildICmp(builder, predicate.raw(), a.raw, b.raw, c"".as_ptr()) }))
    }

    /// `fcmp`, with fast-math flags.
    ///
    /// # Errors
    ///
    /// When the operands do not fit, or what is needed for it was erased.
    pub fn float_compare(
        &self,
        predicate: FloatPredicate,
        a: Value<'e>,
        b: Value<'e>,
        flags: FastMath,
    ) -> Built<'e> {
        if a.ty() != b.ty() || !a.ty().scalar().is_float() {
            return refused(format!("fcmp of {a:?} and {b:?}"));
        }
        let builder = self.at(&[a, b])?.raw;
        // SAFETY: floating-point numbers of one type, and a place to build at.
        let built =
            Value::new(unsafe { LLVMBuildFCmp(builder, predicate.raw(), a.raw, b.raw, c"".as_ptr()) });
        if let Some(inst) = built.as_inst() {
            inst.set_fast_math(flags);
        }
        Ok(built)
    }

    /// `select`
    ///
    /// # Errors
    ///
    /// When the operands do not fit, or what is needed for it was erased.
    pub fn select(&self, condition: Value<'e>, yes: Value<'e>, no: Value<'e>) -> Built<'e> {
        let builder = self.at(&[condition, yes, no])?;
        Ok(Self::give(builder.select(condition.build(), yes.build(), no.build())?))
    }

    /// `freeze`
    ///
    /// # Errors
    ///
    /// When the value is no data, or what is needed for it was erased.
    pub fn freeze(&self, value: Value<'e>) -> Built<'e> {
        if !value.ty().is_first_class() {
            return refused(format!("freeze of {value:?}"));
        }
        Ok(Self::give(self.at(&[value])?.freeze(value.build())?))
    }

    /// `getelementptr` from a pointer, the first index over elements of the type.
    ///
    /// # Errors
    ///
    /// When the base is no pointer, an index is no integer or names what the type does not have, or what is needed for it was erased.
    pub fn gep(
        &self,
        source: Type<'e>,
        base: Value<'e>,
        indices: &[Value<'e>],
        flags: GepFlags,
    ) -> Built<'e> {
        if base.ty().pointer_space().is_none() || !source.build().is_sized() || !has_elements(source, indices)
        {
            return refused(format!("getelementptr {source:?} of {base:?} by {indices:?}"));
        }
        self.at(&[base])?;
        let builder = self.at(indices)?.raw;
        let mut raw: Vec<_> = indices.iter().map(|index| index.raw).collect();
        let (list, count) = (raw.as_mut_ptr(), raw.len() as u32);
        // SAFETY: a pointer, integers that lead to elements of the type, and a place to build at; LLVM copies the list.
        Ok(Value::new(unsafe {
            LLVMBuildGEPWithNoWrapFlags(builder, source.raw, base.raw, list, count, c"".as_ptr(), flags.0)
        }))
    }

    /// `store` with an alignment in bytes.
    ///
    /// # Errors
    ///
    /// When the address is no pointer, the alignment is no power of two, or what is needed for it was erased.
    pub fn store(&self, value: Value<'e>, address: Value<'e>, align: u32) -> Built<'e> {
        let builder = self.at(&[value, address])?;
        Ok(Self::give(builder.store(value.build(), address.build(), align, Volatility::Ordinary)?))
    }

    /// A call of a function of the module.
    ///
    /// # Errors
    ///
    /// When the arguments are not the function's parameters, or what is needed for it was erased.
    pub fn call(&self, function: Function<'e>, arguments: &[Value<'e>]) -> Built<'e> {
        let own: Vec<_> = arguments.iter().map(|argument| argument.build()).collect();
        let (ty, callee) = (function.function_type(), function.value());
        Ok(Self::give(self.at(arguments)?.call_value(ty.build(), callee.build(), &own)?))
    }

    /// A call of an intrinsic of LLVM's by the name without its types, and the types that it is overloaded for.
    ///
    /// # Errors
    ///
    /// When LLVM has no such intrinsic of these types, the arguments are not its parameters, or what is needed for it was erased.
    pub fn intrinsic(&self, name: &str, overloads: &[Type<'e>], arguments: &[Value<'e>]) -> Built<'e> {
        let own: Vec<_> = arguments.iter().map(|argument| argument.build()).collect();
        let types: Vec<_> = overloads.iter().map(|ty| ty.build()).collect();
        Ok(Self::give(self.at(arguments)?.intrinsic(name, &types, &own)?))
    }

    /// A call of inline assembly with a result, or with `void`.
    ///
    /// # Errors
    ///
    /// When the result is neither, an argument is no data, or what is needed for it was erased.
    pub fn inline_asm(
        &self,
        result: Type<'e>,
        asm: Asm<'_>,
        arguments: &[Value<'e>],
    ) -> Result<Inst<'e>, LlvmError> {
        let is_data = |ty: Type<'e>| ty.is_first_class();
        if !(is_data(result) || result.kind() == TypeKind::Void)
            || !arguments.iter().all(|argument| is_data(argument.ty()))
        {
            return refused(format!("inline assembly that gives {result:?}"));
        }
        let builder = self.at(arguments)?;
        let types: Vec<_> = arguments.iter().map(|argument| argument.ty().build()).collect();
        let own: Vec<_> = arguments.iter().map(|argument| argument.build()).collect();
        let ty = builder.types().function(result.build(), &types);
        Ok(Inst::new(builder.inline_asm(ty, asm, &own)?.raw()))
    }

    /// `load` with an alignment in bytes.
    ///
    /// # Errors
    ///
    /// When the address is no pointer, the type has no size, the alignment is no power of two, or what is needed for it was erased.
    pub fn load(&self, ty: Type<'e>, address: Value<'e>, align: u32) -> Built<'e> {
        let builder = self.at(&[address])?;
        Ok(Self::give(builder.load(ty.build(), address.build(), align, Volatility::Ordinary)?))
    }

    /// An element of a vector.
    ///
    /// # Errors
    ///
    /// When there is no such element, or what is needed for it was erased.
    pub fn extract_element(&self, vector: Value<'e>, at: u32) -> Built<'e> {
        Ok(Self::give(self.at(&[vector])?.extract_element(vector.build(), at)?))
    }

    /// A vector with another element.
    ///
    /// # Errors
    ///
    /// When there is no such element, the value has another type, or what is needed for it was erased.
    pub fn insert_element(&self, vector: Value<'e>, value: Value<'e>, at: u32) -> Built<'e> {
        let builder = self.at(&[vector, value])?;
        Ok(Self::give(builder.insert_element(vector.build(), value.build(), at)?))
    }

    /// `shufflevector`: for each element of the result which one of both vectors it is, counted through; `None` for one that may be any.
    ///
    /// # Errors
    ///
    /// When the vectors differ in type, the mask is empty or names no element of them, or what is needed for it was erased.
    pub fn shuffle(&self, a: Value<'e>, b: Value<'e>, mask: &[Option<u32>]) -> Built<'e> {
        let TypeKind::Vector { length, .. } = a.ty().kind() else {
            return refused(format!("shufflevector of {a:?} and {b:?}"));
        };
        let fits = |element: &Option<u32>| element.is_none_or(|element| element / 2 < length);
        if a.ty() != b.ty() || mask.is_empty() || !mask.iter().all(fits) {
            return refused(format!("shufflevector of {a:?} and {b:?} by {mask:?}"));
        }
        let word = self.editor.integer(32);
        let element = |element: &Option<u32>| match element {
            Some(element) => word.number(i64::from(*element)),
            None => word.poison(),
        };
        let mask = mask.iter().map(element).collect::<Result<Vec<_>, _>>()?;
        let mask = self.editor.constant_vector(&mask)?;
        let builder = self.at(&[a, b])?.raw;
        // SAFETY: vectors of one type, a constant mask of elements that they have, and a place to build at.
        Ok(Value::new(unsafe { LLVMBuildShuffleVector(builder, a.raw, b.raw, mask.raw, c"".as_ptr()) }))
    }

    /// A number in all elements of a vector of so many.
    ///
    /// # Errors
    ///
    /// When there are no elements, or what is needed for it was erased.
    pub fn broadcast(&self, number: Value<'e>, length: u32) -> Built<'e> {
        let ty = self.editor.vector(number.ty(), length)?;
        let first = self.insert_element(ty.poison()?, number, 0)?;
        self.shuffle(first, ty.poison()?, &vec![Some(0); length as usize])
    }

    /// A field of a structure, or an element of an array.
    ///
    /// # Errors
    ///
    /// When there is no such field, or what is needed for it was erased.
    pub fn extract_value(&self, aggregate: Value<'e>, at: u32) -> Built<'e> {
        Ok(Self::give(self.at(&[aggregate])?.extract_field(aggregate.build(), at)?))
    }

    /// `br` to a block of the function.
    ///
    /// # Errors
    ///
    /// When the block is of another function, or the place is not the end of a block without a terminator.
    pub fn branch(&self, to: Block<'e>) -> Result<Inst<'e>, LlvmError> {
        if to.function() != self.function || matches!(self.place, Place::Before(_)) {
            return refused("br to a block of another function, or before an instruction".to_owned());
        }
        Ok(Inst::new(self.at(&[])?.branch(build::Block::new(to.raw))?.raw()))
    }

    /// `br` on a condition to one of two blocks of the function.
    ///
    /// # Errors
    ///
    /// When the condition is not a truth value, a block is of another function, the place is not the end of a block without a terminator, or what is needed for it was
    /// erased.
    pub fn branch_if(
        &self,
        condition: Value<'e>,
        yes: Block<'e>,
        no: Block<'e>,
    ) -> Result<Inst<'e>, LlvmError> {
        let is_own = [yes, no].iter().all(|to| to.function() == self.function);
        if !is_own || matches!(self.place, Place::Before(_)) {
            return refused("br to a block of another function, or before an instruction".to_owned());
        }
        let (yes, no) = (build::Block::new(yes.raw), build::Block::new(no.raw));
        Ok(Inst::new(self.at(&[condition])?.branch_if(condition.build(), yes, no)?.raw()))
    }

    /// A copy of an instruction, with its operands, flags, attributes, metadata and place in the source, without its name and what debuggers are told of variables before it.
    /// A copy of a phi is built by [`Builder::phi`].
    ///
    /// # Errors
    ///
    /// When it is a phi, is of another function, or was erased; when it is a terminator and the place is not the end of a block without one.
    pub fn copy(&self, inst: Inst<'e>) -> Result<Inst<'e>, LlvmError> {
        let is_end = matches!(self.place, Place::End(block) if block.terminator().is_none());
        let is_other = inst.function()? != self.function || inst.opcode() == Opcode::Phi;
        if is_other || (inst.opcode().is_terminator() && !is_end) {
            return refused(format!("a copy of `{inst:?}`"));
        }
        let builder = self.at(&[])?.raw;
        // SAFETY: an instruction of the function, whose copy is in no block yet, and a place to put it at.
        let copy = unsafe {
            let copy = LLVMInstructionClone(inst.raw);
            LLVMInsertIntoBuilder(builder, copy);
            Inst::new(copy)
        };
        // The builder gives the copy the place in the source of what it builds before.
        copy.set_location(inst.location());
        Ok(copy)
    }

    /// `ret` of a value. That it has the function's type is for the verifier.
    ///
    /// # Errors
    ///
    /// When the block has a terminator, or what is needed for it was erased.
    pub fn ret(&self, value: Value<'e>) -> Built<'e> {
        if let Place::Before(inst) = self.place {
            return refused(format!("ret before `{inst:?}`"));
        }
        Ok(Self::give(self.at(&[value])?.ret(Some(value.build()))?))
    }

    /// A phi with all of its values, each with the block that control comes from.
    ///
    /// # Errors
    ///
    /// When a value has another type, a block is of another function, or what is needed for it was erased.
    pub fn phi(&self, ty: Type<'e>, incoming: &[(Value<'e>, Block<'e>)]) -> Result<Inst<'e>, LlvmError> {
        for (value, block) in incoming {
            value.check_operand_in(self.function)?;
            if value.ty() != ty || block.function() != self.function {
                return refused(format!("a value of a phi of type {ty:?}: {value:?}"));
            }
        }
        let builder = self.at(&[])?;
        let phi = builder.phi(ty.build())?;
        for (value, block) in incoming {
            builder.add_incoming(phi, value.build(), build::Block::new(block.raw))?;
        }
        Ok(Inst::new(phi.raw()))
    }
}

/// Whether indices lead to an element of a type: the first steps over the type, and each of the others goes into a part.
fn has_elements<'e>(source: Type<'e>, indices: &[Value<'e>]) -> bool {
    let mut ty = source;
    let mut inner = indices.iter();
    if inner.next().is_none_or(|first| first.ty().integer_bits().is_none()) {
        return false;
    }
    for index in inner {
        let known = index.as_unsigned().and_then(|index| u32::try_from(index).ok());
        let part = match ty.kind() {
            TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => Some(element),
            TypeKind::Struct(_) => known.and_then(|at| ty.field(at)),
            _ => None,
        };
        match part {
            Some(part) if index.ty().integer_bits().is_some() => ty = part,
            _ => return false,
        }
    }
    true
}
