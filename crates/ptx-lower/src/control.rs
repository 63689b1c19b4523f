//! Which way each meaning is lowered, and control flow (manual 9.7.12).

use ptx_ir::{Body, FunctionKind, LabelId, Operand, Param, Prototype, Stmt, Symbol};
use ptx_isa::{ScalarType, Sem, Way};
use ptx_llvm::address_space;
use ptx_llvm::build::{Type, Value, Volatility};
use rustc_hash::FxHashMap;

use crate::emit::{Argument, Emitter, Site};
use crate::errors::{Out, unsupported};
use crate::float::is_floating;
use crate::flow::{End, NodeId};
use crate::function::{Shape, function_type, prototype_shapes, result_type, units, unnatural_align};

/// The statements of a body that say what indirect calls call, by their labels.
pub(crate) fn prototypes(body: &Body) -> FxHashMap<LabelId, &Stmt> {
    let named = body.statements.iter().filter_map(|statement| match statement {
        Stmt::CallPrototype(label, _) | Stmt::CallTargets(label, _) => Some((*label, statement)),
        _ => None,
    });
    named.collect()
}

fn no_plain_form() -> Out<()> {
    unsupported("its meaning has no plain form")
}

impl<'c> Emitter<'_, '_, 'c> {
    /// Lowers an instruction that does not end its node, the way its row says.
    pub(crate) fn instruction(&mut self, site: Site<'_>) -> Out<()> {
        match site.inst.mnemonic.sem().way() {
            Way::Plain => self.plain(site),
            Way::Intrinsic => match site.inst.mnemonic.sem() {
                Sem::Isspacep => self.test_space(site),
                Sem::Barrier => self.block_barrier(site),
                _ => self.row_or_inline(site),
            },
            Way::Assembly => self.inline(site),
        }
    }

    fn plain(&mut self, site: Site<'_>) -> Out<()> {
        let floating = site.inst.mnemonic.scalar_type().is_some_and(is_floating);
        match site.inst.mnemonic.sem() {
            Sem::Add | Sem::Sub | Sem::Mul if floating => self.float_arithmetic(site),
            Sem::Add | Sem::Sub => self.int_add_sub(site),
            Sem::Mul | Sem::Mad => self.int_multiply(site),
            Sem::Fma => self.fused_multiply_add(site),
            Sem::Div if floating => self.float_divide(site),
            Sem::Div | Sem::Rem => self.int_divide(site),
            Sem::Neg if floating => self.float_negate(site),
            Sem::Abs | Sem::Min | Sem::Max if floating => self.row_or_inline(site),
            Sem::Abs | Sem::Neg => self.int_sign(site),
            Sem::Min | Sem::Max => self.int_min_max(site),
            Sem::Mad24 => self.mad24(site),
            Sem::AddCarry | Sem::SubCarry => self.carry_add(site),
            Sem::MadCarry => self.carry_mad(site),
            Sem::And | Sem::Or | Sem::Xor | Sem::Not | Sem::Cnot => self.logic(site),
            Sem::Lop3 => self.lop3(site),
            Sem::Shl | Sem::Shr => self.shift(site),
            Sem::Popc | Sem::Clz => self.count_bits(site),
            Sem::Bfe => self.bit_field_extract(site),
            Sem::Bfi => self.bit_field_insert(site),
            Sem::Testp => self.test_property(site),
            Sem::Setp => self.set_predicate(site),
            Sem::Set => self.set_value(site),
            Sem::Selp => self.select_by_predicate(site),
            Sem::Slct => self.select_by_sign(site),
            Sem::Mov => self.copy(site),
            Sem::MovVector => self.copy_vector(site),
            Sem::Cvt => self.convert(site),
            Sem::Cvta => self.convert_address(site),
            Sem::Load => self.load(site),
            Sem::Store => self.store(site),
            Sem::Atom | Sem::Red => self.atomic(site),
            Sem::Fence => self.fence(site),
            Sem::Call => self.call(site),
            // These end a block, and are lowered with it.
            Sem::Bra | Sem::BrxIdx | Sem::Ret | Sem::Exit | Sem::Trap => no_plain_form(),
            // These go another way.
            Sem::Isspacep | Sem::Barrier | Sem::Mul24 | Sem::Sad | Sem::Dp4a => no_plain_form(),
            Sem::Dp2a | Sem::Shf | Sem::Bfind | Sem::Fns | Sem::Brev | Sem::Bmsk => no_plain_form(),
            Sem::Szext | Sem::Prmt | Sem::Copysign | Sem::Rcp | Sem::Sqrt => no_plain_form(),
            Sem::Rsqrt | Sem::Sin | Sem::Cos | Sem::Lg2 | Sem::Ex2 => no_plain_form(),
            Sem::LoadUniform | Sem::Prefetch | Sem::ApplyPriority | Sem::Discard => no_plain_form(),
            Sem::CpAsync | Sem::CpAsyncCommit | Sem::CpAsyncWait => no_plain_form(),
            Sem::CpAsyncArrive | Sem::BarrierWarp | Sem::ClusterBarrier => no_plain_form(),
            Sem::FenceProxy | Sem::Shfl | Sem::Vote | Sem::Match | Sem::Activemask => no_plain_form(),
            Sem::Redux | Sem::ReduxFloat | Sem::Elect | Sem::Setmaxnreg => no_plain_form(),
            Sem::Griddepcontrol | Sem::Mapa | Sem::Getctarank | Sem::Mma => no_plain_form(),
            Sem::Ldmatrix | Sem::Stmatrix | Sem::Movmatrix | Sem::WmmaLoad => no_plain_form(),
            Sem::WmmaStore | Sem::Wmma | Sem::WgmmaFence | Sem::WgmmaCommit => no_plain_form(),
            Sem::WgmmaWait | Sem::TensorMemory | Sem::Tcgen05Mma | Sem::Brkpt => no_plain_form(),
            Sem::Pmevent | Sem::Nanosleep | Sem::CvtNarrow | Sem::Tex | Sem::Tld4 => no_plain_form(),
            Sem::Txq | Sem::Istypep | Sem::SurfaceLoad | Sem::SurfaceStore => no_plain_form(),
            Sem::SurfaceQuery | Sem::StoreBulk | Sem::BulkCopy | Sem::BulkPrefetch => no_plain_form(),
            Sem::BulkCommit | Sem::BulkWait | Sem::TensorCopy | Sem::TensorReduce => no_plain_form(),
            Sem::TensorPrefetch | Sem::TensormapReplace | Sem::MbarrierInit => no_plain_form(),
            Sem::MbarrierInval | Sem::MbarrierTransactions | Sem::MbarrierArrive => no_plain_form(),
            Sem::MbarrierWait | Sem::MbarrierPendingCount | Sem::TryCancel => no_plain_form(),
            Sem::Tanh | Sem::CvtPack | Sem::FmaOob | Sem::Min3 | Sem::Max3 => no_plain_form(),
            Sem::PackedBytes | Sem::Video | Sem::VideoSimd | Sem::SurfaceReduce => no_plain_form(),
            Sem::AtomVector | Sem::RedVector | Sem::StoreAsync | Sem::ReduceAsync => no_plain_form(),
            Sem::BulkReduce | Sem::TensormapCopy | Sem::MultimemLoadReduce => no_plain_form(),
            Sem::MultimemStore | Sem::MultimemReduce | Sem::Fabric => no_plain_form(),
            Sem::FabricGroup => no_plain_form(),
            Sem::CreatePolicy | Sem::MbarrierCheckLayout | Sem::QueryCancel => no_plain_form(),
            Sem::Stacksave | Sem::Stackrestore | Sem::Alloca | Sem::MmaSparse => no_plain_form(),
            Sem::MmaScaled | Sem::Wgmma | Sem::WgmmaSparse => no_plain_form(),
        }
    }

    /// Lowers the instruction that ends a node.
    pub(crate) fn terminator(&mut self, site: Site<'_>, node: NodeId) -> Out<()> {
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
                    targets.into_iter().map(|target| self.block(target)).collect::<Out<_>>()?;
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

    fn leave(&mut self, site: Site<'_>) -> Out<()> {
        match site.inst.mnemonic.sem() {
            Sem::Trap => {
                self.ordered_intrinsic("llvm.trap", self.types.void(), &[])?;
                self.b.unreachable()?;
            }
            Sem::Exit if self.function.kind == FunctionKind::Device => {
                self.ordered_intrinsic("llvm.nvvm.exit", self.types.void(), &[])?;
                self.b.unreachable()?;
            }
            Sem::Ret | Sem::Exit => {
                let results = self.results(|slot, this| this.analysis.ssa.read(site.statement, slot))?;
                let ret = self.b.ret(results)?;
                self.attach_hints(site, ret);
            }
            _ => return unsupported("it does not end a block"),
        }
        Ok(())
    }

    /// A conditional branch for a guarded instruction: to it when the guard holds, else past it.
    pub(crate) fn guarded_branch(&mut self, site: Site<'_>, node: NodeId) -> Out<()> {
        let End::If { guard, yes, no, .. } = self.analysis.flow.nodes[node.index()].end.clone() else {
            return unsupported("it has no guard");
        };
        let slot = self.analysis.slots.lane(guard.register, 0);
        let condition = self.read(site.statement, slot, self.types.int(1))?;
        let (yes, no) = (self.block(yes)?, self.block(no)?);
        // The polarity of the guard stays visible as the order of the targets.
        let branch = if guard.negated {
            self.b.branch_if(condition, no, yes)?
        } else {
            self.b.branch_if(condition, yes, no)?
        };
        if site.inst.mnemonic.sem() == Sem::Bra {
            self.attach_hints(site, branch);
            self.attach_loop(node, branch);
        } else {
            self.types.attach(branch, "ptx.guard", self.types.metadata_strings(&[]));
        }
        Ok(())
    }

    /// Marks a branch back to a loop whose header has a `nounroll` pragma (manual 12).
    fn attach_loop(&self, node: NodeId, branch: Value<'c>) {
        let nodes = &self.analysis.flow.nodes;
        let back = nodes[node.index()]
            .successors()
            .into_iter()
            .any(|to| to <= node && nodes.get(to.index()).is_some_and(|header| header.nounroll));
        if back {
            let disable = self.types.metadata_strings(&["llvm.loop.unroll.disable"]);
            self.types.attach(branch, "llvm.loop", self.types.loop_metadata(&[disable]));
        }
    }

    /// The end of a body without a final `ret`.
    pub(crate) fn fall_off(&mut self, node: NodeId) -> Out<()> {
        let results = self.results(|slot, this| this.analysis.ssa.at_fall(node, slot))?;
        self.b.ret(results)?;
        Ok(())
    }

    /// What the function returns: the contents of its result variables or registers.
    fn results(
        &self,
        value_of: impl Fn(crate::ssa::Slot, &Self) -> Option<crate::ssa::ValueId>,
    ) -> Out<Option<Value<'c>>> {
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
                    let elements: Out<Vec<_>> = self
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
                        return unsupported("its result has no place");
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
    fn aggregate(&self, ty: Type<'c>, fields: &[Value<'c>]) -> Out<Value<'c>> {
        let mut whole = ty.poison();
        for (index, field) in fields.iter().enumerate() {
            whole = self.b.insert_field(whole, *field, index as u32)?;
        }
        Ok(whole)
    }

    /// `call` (manual 9.7.12.5).
    fn call(&mut self, site: Site<'_>) -> Out<()> {
        let list = |operand| match operand {
            Operand::List(list) => self.body.list(list).to_vec(),
            _ => Vec::new(),
        };
        let (results, arguments) = (list(site.operand(0)), list(site.operand(2)));
        let shared = self.shared;
        let prototype;
        let convergent = match site.operand(1) {
            Operand::Symbol(Symbol::Function(id), _) => {
                shared.signatures.get(&id).is_none_or(|signature| signature.behaviour.convergent)
            }
            _ => true,
        };
        let (ty, callee, parameter_shapes, result_shapes, result_align) = match site.operand(1) {
            Operand::Symbol(Symbol::Function(id), _) => match shared.signatures.get(&id) {
                Some(signature) => (
                    signature.function.ty(),
                    signature.function.value(),
                    signature.parameters.as_slice(),
                    signature.results.as_slice(),
                    signature.result_align,
                ),
                None => return unsupported("it calls a function that has no declaration"),
            },
            Operand::Register(register) => {
                let slot = self.analysis.slots.lane(register, 0);
                let callee = self.read(site.statement, slot, self.types.pointer(0))?;
                prototype = self.prototype(site.operand(3))?;
                let fixed = prototype.0.iter().filter(|shape| !matches!(shape, Shape::Unsized { .. }));
                let parameters: Vec<Type<'c>> = fixed.map(|shape| shape.parameter_type(self.types)).collect();
                let result = result_type(self.types, &prototype.1);
                (
                    function_type(self.types, result, &parameters, &prototype.0),
                    callee,
                    prototype.0.as_slice(),
                    prototype.1.as_slice(),
                    unnatural_align(&prototype.1),
                )
            }
            _ => return unsupported("what it calls is not a function"),
        };
        // A call may pass nothing to a parameter without a size.
        let missing = arguments.len() + 1 == parameter_shapes.len() && ty.is_variadic();
        if (arguments.len() != parameter_shapes.len() && !missing) || results.len() != result_shapes.len() {
            return unsupported("its arguments do not match the function");
        }
        let mut values = Vec::new();
        let variadic = ty.is_variadic().then(|| self.types.pointer(address_space::GENERIC));
        for ((argument, shape), ty) in
            arguments.iter().zip(parameter_shapes).zip(ty.parameters().into_iter().chain(variadic))
        {
            values.push(self.call_argument(site, *argument, shape, ty)?);
        }
        let call = self.b.call_value(ty, callee, &values)?;
        if convergent {
            call.add_call_flag(self.types, "convergent");
        }
        if self.never_returns(site.operand(3)) {
            call.add_call_flag(self.types, "noreturn");
        }
        self.attach_targets(site.operand(3), call);
        for (index, (shape, argument)) in parameter_shapes.iter().zip(&arguments).enumerate() {
            let ty = match shape {
                Shape::Scalar(_) | Shape::Vector { .. } => continue,
                Shape::Bytes { bytes, .. } => self.types.array(self.types.int(8), *bytes),
                Shape::Unsized { align } => units(self.types, self.argument_bytes(*argument), *align),
            };
            call.add_call_byval(self.types, index as u32, ty, shape.align());
        }
        if let Some(align) = result_align {
            call.add_call_result_alignment(self.types, align);
        }
        self.attach_hints(site, call);
        for (index, (result, shape)) in results.iter().zip(result_shapes).enumerate() {
            let value = if results.len() == 1 { call } else { self.b.extract_field(call, index as u32)? };
            self.take_result(site, *result, shape, value)?;
        }
        Ok(())
    }

    /// Whether the prototype of an indirect call says `.noreturn` (manual 11.4.6).
    fn never_returns(&self, prototype: Operand) -> bool {
        let Operand::Label(label) = prototype else { return false };
        matches!(self.prototypes.get(&label), Some(Stmt::CallPrototype(_, own)) if own.noreturn.is_some())
    }

    /// The shapes of an indirect call: of its prototype, or of the first of its listed targets.
    pub(crate) fn prototype(&self, operand: Operand) -> Out<(Vec<Shape>, Vec<Shape>)> {
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

    fn shapes_of(&self, prototype: &Prototype) -> Out<(Vec<Shape>, Vec<Shape>)> {
        prototype_shapes(self.shared.module, self.body, prototype)
    }

    fn call_argument(
        &mut self,
        site: Site<'_>,
        argument: Operand,
        shape: &Shape,
        ty: Type<'c>,
    ) -> Out<Value<'c>> {
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
                | (None, _) => unsupported("an argument has no place in this function"),
            };
        }
        if let (Shape::Vector { ty: element, .. }, Operand::Register(register)) = (shape, argument) {
            let element = self.llvm_type(*element);
            let lanes = self.analysis.slots.lanes(self.body, register);
            let elements: Out<Vec<_>> = lanes.map(|slot| self.read(site.statement, slot, element)).collect();
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
    fn argument_bytes(&self, argument: Operand) -> u64 {
        match argument {
            Operand::Symbol(Symbol::Variable(var), _) => {
                self.shared.module.variable(var).bytes().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn take_result(&mut self, site: Site<'_>, result: Operand, shape: &Shape, value: Value<'c>) -> Out<()> {
        if let Operand::Symbol(Symbol::Variable(var), _) = result {
            if let Some(slot) = self.analysis.slots.param(var) {
                return self.set(site.statement, slot, value);
            }
            return match self.arguments.get(&var).copied() {
                Some(Argument::Memory(address)) => {
                    self.b.store(value, address, shape.align(), Volatility::Ordinary)?;
                    Ok(())
                }
                Some(Argument::Scalar(_)) | None => unsupported("a result has no place in this function"),
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
