//! Control flow (manual 9.7.12): branches, returns, calls.
//!
//! Each instruction is lowered to LLVM IR at the builder's position. Instructions that end a node are lowered with the node
//! ([`Emitter::terminator`], [`Emitter::guarded_branch`]), all others by [`Emitter::instruction`] (`dispatch.rs`). A guarded instruction is a
//! separate node:
//!
//! ```text
//! @!%p st.global.u32 [%rd1], %r1;           br i1 %p, label %no, label %yes, !ptx.guard !0
//!                                         yes:
//!                                           store i32 %r1, ptr addrspace(1) %rd1
//!                                           br label %no
//!                                         no:
//! ```

use std::borrow::Cow;

use ptx_ir::{FunctionKind, LabelId, Operand, Param, Prototype, Stmt, Symbol};
use ptx_isa::{ControlSem, ScalarType, Sem};
use ptx_llvm_core::address_space;
use ptx_llvm_core::build::{Type, Value, Volatility};
use ptx_llvm_core::marks;

use crate::emit::{Emitter, Site};
use crate::errors::{Result, defect, unsupported};
use crate::flow::{End, NodeId};
use crate::signature::{
    Argument, Shape, function_type, prototype_shapes, result_type, units, unnatural_align,
};

/// What a call calls.
struct Callee<'s, 'c> {
    ty: Type<'c>,
    value: Value<'c>,
    parameters: Cow<'s, [Shape]>,
    results: Cow<'s, [Shape]>,
    /// The alignment of the result, when its type does not imply it.
    result_align: Option<u32>,
    convergent: bool,
}

impl<'s, 'c> Emitter<'s, '_, 'c> {
    /// Lowers the instruction that ends a node.
    pub(crate) fn terminator(&mut self, site: Site<'_>, node: NodeId) -> Result<()> {
        match self.analysis.flow.nodes[node.index()].end.clone() {
            End::Goto(to, _) => {
                let to = self.block(to)?;
                let branch = self.b.branch(to)?;
                self.attach_hints(site, branch);
                self.attach_loop(node, branch);
                Ok(())
            }
            End::Switch(_, targets) => {
                let index = self.operand_of(site, site.operand(0), ScalarType::U32)?;
                let targets: Vec<_> =
                    targets.into_iter().map(|target| self.block(target)).collect::<Result<_>>()?;
                // An index past the list is undefined (manual 9.7.12.4).
                let beyond = self.signature.function.append_block(self.types, "");
                let switch = self.b.switch(index, beyond, &targets)?;
                self.attach_hints(site, switch);
                let here = self.b.block()?;
                self.b.position_at_end(beyond);
                self.b.unreachable()?;
                self.b.position_at_end(here);
                Ok(())
            }
            End::Leave(_) => self.leave(site),
            End::Nowhere(_) => unsupported("its target is not in this function"),
            End::If { .. } | End::FallOff => unsupported("it does not end a block"),
        }
    }

    fn leave(&mut self, site: Site<'_>) -> Result<()> {
        match site.inst.mnemonic.sem() {
            Sem::Control(ControlSem::Trap) => {
                self.ordered_intrinsic("llvm.trap")?;
                self.b.unreachable()?;
            }
            Sem::Control(ControlSem::Exit) if self.function.kind == FunctionKind::Device => {
                self.ordered_intrinsic("llvm.nvvm.exit")?;
                self.b.unreachable()?;
            }
            Sem::Control(ControlSem::Ret | ControlSem::Exit) => {
                let results = self.results(|slot, this| this.analysis.ssa.read(site.statement, slot))?;
                let ret = self.b.ret(results)?;
                self.attach_hints(site, ret);
            }
            _ => return unsupported("it does not end a block"),
        }
        Ok(())
    }

    /// A conditional branch for a guarded instruction: to it if the guard is true, else past it.
    pub(crate) fn guarded_branch(&mut self, site: Site<'_>, node: NodeId) -> Result<()> {
        let End::If { guard, yes, no, .. } = self.analysis.flow.nodes[node.index()].end.clone() else {
            return unsupported("it has no guard");
        };
        let slot = self.analysis.slots.lane(guard.register, 0);
        let condition = self.read(site.statement, slot, self.types.int(1))?;
        let (yes, no) = (self.block(yes)?, self.block(no)?);
        // `@!%p` has its targets exchanged and no `xor`: raising derives the negation from the order of the targets, and LLVM has one
        // instruction less.
        let branch = if guard.negated {
            self.b.branch_if(condition, no, yes)?
        } else {
            self.b.branch_if(condition, yes, no)?
        };
        if site.inst.mnemonic.sem() == Sem::Control(ControlSem::Bra) {
            self.attach_hints(site, branch);
            self.attach_loop(node, branch);
        } else {
            self.types.attach(branch, marks::GUARD, self.types.metadata_strings(&[]));
        }
        Ok(())
    }

    /// Marks a branch back to a loop whose header has a `nounroll` pragma (manual 12).
    fn attach_loop(&self, node: NodeId, branch: Value<'c>) {
        let nodes = &self.analysis.flow.nodes;
        // Nodes are numbered in the order of the text, so a branch to a lower number, or the same, goes back.
        let back = nodes[node.index()]
            .successors()
            .into_iter()
            .any(|to| to <= node && nodes.get(to.index()).is_some_and(|header| header.nounroll));
        if back {
            let disable = self.types.metadata_strings(&[marks::UNROLL_DISABLE]);
            self.types.attach(branch, "llvm.loop", self.types.distinct_node(&[disable]));
        }
    }

    /// The end of a body without a final `ret`.
    pub(crate) fn fall_off(&mut self, node: NodeId) -> Result<()> {
        let results = self.results(|slot, this| this.analysis.ssa.at_fall(node, slot))?;
        self.b.ret(results)?;
        Ok(())
    }

    /// The return value of the function: the contents of its result variables or registers.
    fn results(
        &self,
        value_of: impl Fn(crate::ssa::Slot, &Self) -> Option<crate::ssa::ValueId>,
    ) -> Result<Option<Value<'c>>> {
        let ty = self.signature.function.ty().result().unwrap_or_else(|| self.types.void());
        let mut values = Vec::new();
        let single = self.signature.results.len() == 1;
        for (index, (param, shape)) in self.function.results.iter().zip(&self.signature.results).enumerate() {
            let declared = if single { Some(ty) } else { ty.field(index as u32) };
            let shape_type = declared.unwrap_or_else(|| shape.result_type(self.types));
            let of_slot = |slot, ty: Type<'c>| match value_of(slot, self) {
                Some(id) => self.bits_as(self.raw_value(id), ty),
                None => Ok(ty.zero()),
            };
            values.push(match (param, shape) {
                (Param::Register(_, register), Shape::Vector { ty, .. }) => {
                    let element = self.llvm_type(*ty);
                    let elements: Result<Vec<_>> = self
                        .analysis
                        .slots
                        .lanes(self.body, *register)
                        .map(|slot| of_slot(slot, element))
                        .collect();
                    self.aggregate(shape_type, &elements?)?
                }
                (Param::Register(_, register), _) => {
                    of_slot(self.analysis.slots.lane(*register, 0), shape_type)?
                }
                (Param::Variable(var), _) => match (self.analysis.slots.param(*var), self.arguments.get(var))
                {
                    (Some(slot), _) => of_slot(slot, shape_type)?,
                    (None, Some(Argument::Memory(address))) => {
                        self.b.load(shape_type, *address, shape.align(), Volatility::Ordinary)?
                    }
                    (None, Some(Argument::Scalar(_)) | None) => {
                        return unsupported(
                            "its prototype has a result that is not a variable of this function",
                        );
                    }
                },
            });
        }
        match values.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            many => Ok(Some(self.aggregate(ty, many)?)),
        }
    }

    /// A value of a struct or array type.
    fn aggregate(&self, ty: Type<'c>, fields: &[Value<'c>]) -> Result<Value<'c>> {
        let mut whole = ty.poison();
        for (index, field) in fields.iter().enumerate() {
            whole = self.b.insert_field(whole, *field, index as u32)?;
        }
        Ok(whole)
    }

    /// `call` (manual 9.7.12.5).
    pub(crate) fn call(&mut self, site: Site<'_>) -> Result<()> {
        let list = |operand| match operand {
            Operand::List(list) => self.body.list(list).to_vec(),
            _ => Vec::new(),
        };
        let (results, arguments) = (list(site.operand(0)), list(site.operand(2)));
        let callee = self.callee(site)?;
        // A call may pass nothing to a parameter without a size.
        let missing = arguments.len() + 1 == callee.parameters.len() && callee.ty.is_variadic();
        if (arguments.len() != callee.parameters.len() && !missing) || results.len() != callee.results.len() {
            return unsupported("its arguments do not match the function");
        }
        let mut values = Vec::new();
        let variadic = callee.ty.is_variadic().then(|| self.types.pointer(address_space::GENERIC));
        for ((argument, shape), ty) in
            arguments.iter().zip(&*callee.parameters).zip(callee.ty.parameters().into_iter().chain(variadic))
        {
            values.push(self.call_argument(site, *argument, shape, ty)?);
        }
        let call = self.b.call_value(callee.ty, callee.value, &values)?;
        self.describe_call(site, &callee, &arguments, call)?;
        self.attach_hints(site, call);
        for (index, (result, shape)) in results.iter().zip(&*callee.results).enumerate() {
            let value = if results.len() == 1 { call } else { self.b.extract_field(call, index as u32)? };
            self.take_result(site, *result, shape, value)?;
        }
        Ok(())
    }

    /// The callee of a call: a function, or one whose address is in a register.
    fn callee(&self, site: Site<'_>) -> Result<Callee<'s, 'c>> {
        match site.operand(1) {
            Operand::Symbol(Symbol::Function(id), _) => match self.shared.signatures.get(&id) {
                Some(signature) => Ok(Callee {
                    ty: signature.function.ty(),
                    value: signature.function.value(),
                    parameters: signature.parameters.as_slice().into(),
                    results: signature.results.as_slice().into(),
                    result_align: signature.result_align,
                    convergent: signature.behaviour.convergent,
                }),
                None => unsupported("it calls a function that has no declaration"),
            },
            Operand::Register(register) => {
                let slot = self.analysis.slots.lane(register, 0);
                let value = self.read(site.statement, slot, self.types.pointer(0))?;
                let (parameters, results) = self.prototype(site.operand(3))?;
                let fixed = parameters.iter().filter(|shape| !matches!(shape, Shape::Unsized { .. }));
                let types: Vec<Type<'c>> = fixed.map(|shape| shape.parameter_type(self.types)).collect();
                let result = result_type(self.types, &results);
                Ok(Callee {
                    ty: function_type(self.types, result, &types, &parameters),
                    value,
                    result_align: unnatural_align(&results),
                    parameters: parameters.into(),
                    results: results.into(),
                    // It may reach a barrier: LLVM must not make it depend on additional conditions.
                    convergent: true,
                })
            }
            _ => unsupported("its callee is not a function"),
        }
    }

    /// The attributes and metadata of a call.
    fn describe_call(
        &self,
        site: Site<'_>,
        callee: &Callee<'_, 'c>,
        arguments: &[Operand],
        call: Value<'c>,
    ) -> Result<()> {
        if callee.convergent {
            call.add_call_flag(self.types, "convergent");
        }
        if self.never_returns(site.operand(3)) {
            call.add_call_flag(self.types, "noreturn");
        }
        self.attach_targets(site.operand(3), call);
        for (index, (shape, argument)) in callee.parameters.iter().zip(arguments).enumerate() {
            let ty = match shape {
                Shape::Scalar(_) | Shape::Vector { .. } => continue,
                Shape::Bytes { bytes, .. } => self.types.array(self.types.int(8), *bytes),
                Shape::Unsized { align } => units(self.types, self.argument_bytes(*argument)?, *align),
            };
            call.add_call_byval(self.types, index as u32, ty, shape.align());
        }
        if let Some(align) = callee.result_align {
            call.add_call_result_alignment(self.types, align);
        }
        Ok(())
    }

    /// Whether the prototype of an indirect call is `.noreturn` (manual 11.4.6).
    fn never_returns(&self, prototype: Operand) -> bool {
        let Operand::Label(label) = prototype else { return false };
        matches!(self.prototypes.get(&label), Some(Stmt::CallPrototype(_, own)) if own.noreturn.is_some())
    }

    /// The shapes of an indirect call: of its prototype, or of the first of its listed targets.
    pub(crate) fn prototype(&self, operand: Operand) -> Result<(Vec<Shape>, Vec<Shape>)> {
        let Operand::Label(label) = operand else { return unsupported("an indirect call needs a prototype") };
        match self.prototypes.get(&label) {
            Some(Stmt::CallPrototype(_, prototype)) => return self.shapes_of(prototype),
            Some(Stmt::CallTargets(_, targets)) => {
                let first = targets.first().and_then(|id| self.shared.signatures.get(id));
                return match first {
                    Some(signature) => Ok((signature.parameters.clone(), signature.results.clone())),
                    None => unsupported("its list of targets is empty"),
                };
            }
            Some(_) | None => {}
        }
        unsupported(format!("its prototype `{}` is not declared", self.label_name(label)))
    }

    /// The functions an indirect call can reach, when the program lists them: LLVM's `!callees`.
    fn attach_targets(&self, operand: Operand, call: Value<'c>) {
        let Operand::Label(label) = operand else { return };
        let Some(Stmt::CallTargets(_, targets)) = self.prototypes.get(&label) else { return };
        let functions: Vec<_> = targets
            .iter()
            .filter_map(|id| self.shared.signatures.get(id))
            .map(|signature| self.types.metadata_value(signature.function.value()))
            .collect();
        self.types.attach(call, "callees", self.types.metadata_node(&functions));
    }

    fn label_name(&self, label: LabelId) -> &str {
        self.shared.module.name(self.body.label(label).name)
    }

    fn shapes_of(&self, prototype: &Prototype) -> Result<(Vec<Shape>, Vec<Shape>)> {
        prototype_shapes(self.shared.module, self.body, prototype)
    }

    fn call_argument(
        &mut self,
        site: Site<'_>,
        argument: Operand,
        shape: &Shape,
        ty: Type<'c>,
    ) -> Result<Value<'c>> {
        if let Operand::Symbol(Symbol::Variable(var), _) = argument {
            if let Some(slot) = self.analysis.slots.param(var) {
                let (_, value) = self.seen(site.statement, slot)?;
                return self.bits_as(value, ty);
            }
            return match (self.arguments.get(&var), shape) {
                (Some(Argument::Memory(address)), Shape::Bytes { .. } | Shape::Unsized { .. }) => {
                    Ok(*address)
                }
                (Some(Argument::Memory(address)), Shape::Scalar(scalar)) => {
                    Ok(self.b.load(ty, *address, scalar.bytes(), Volatility::Ordinary)?)
                }
                // A parameter of the caller passed on.
                (Some(Argument::Scalar(value)), Shape::Scalar(_)) => self.bits_as(*value, ty),
                (Some(_), Shape::Vector { .. })
                | (Some(Argument::Scalar(_)), Shape::Bytes { .. } | Shape::Unsized { .. })
                | (None, _) => unsupported("an argument is not a variable of this function"),
            };
        }
        if let (Shape::Vector { ty: element, .. }, Operand::Register(register)) = (shape, argument) {
            let element = self.llvm_type(*element);
            let lanes = self.analysis.slots.lanes(self.body, register);
            let elements: Result<Vec<_>> =
                lanes.map(|slot| self.read(site.statement, slot, element)).collect();
            return self.aggregate(ty, &elements?);
        }
        let Shape::Scalar(scalar) = shape else { return unsupported("an aggregate is passed in a register") };
        if let (Operand::Register(register), true) = (argument, ty.pointer_space().is_some()) {
            return self.read(site.statement, self.analysis.slots.lane(register, 0), ty);
        }
        let value = self.operand_of(site, argument, *scalar)?;
        self.bits_as(value, ty)
    }

    /// The size of a variable that is passed.
    fn argument_bytes(&self, argument: Operand) -> Result<u64> {
        let Operand::Symbol(Symbol::Variable(var), _) = argument else {
            return defect("an argument without a size is not a variable");
        };
        match self.shared.module.variable(var).bytes() {
            Some(bytes) => Ok(bytes),
            None => unsupported("an argument is too large"),
        }
    }

    fn take_result(
        &mut self,
        site: Site<'_>,
        result: Operand,
        shape: &Shape,
        value: Value<'c>,
    ) -> Result<()> {
        if let Operand::Symbol(Symbol::Variable(var), _) = result {
            if let Some(slot) = self.analysis.slots.param(var) {
                return self.set(site.statement, slot, value);
            }
            return match self.arguments.get(&var).copied() {
                Some(Argument::Memory(address)) => {
                    self.b.store(value, address, shape.align(), Volatility::Ordinary)?;
                    Ok(())
                }
                Some(Argument::Scalar(_)) | None => {
                    unsupported("a result is not a variable of this function")
                }
            };
        }
        match shape {
            Shape::Scalar(scalar) => self.define_operand(site, result, *scalar, value),
            Shape::Vector { .. } => {
                let Operand::Register(register) = result else { return Ok(()) };
                let slots = self.analysis.slots.lanes(self.body, register);
                for (lane, slot) in slots.enumerate() {
                    let element = self.b.extract_field(value, lane as u32)?;
                    self.set(site.statement, slot, element)?;
                }
                Ok(())
            }
            Shape::Bytes { .. } | Shape::Unsized { .. } => {
                unsupported("an aggregate is returned in a register")
            }
        }
    }
}
