//! Calls (manual 7.1, 9.7.12.5): arguments and result go through variables in the parameter space.

use ptx_ir::{At, FunctionKind, LabelKind, Operand, Param, Prototype, RegId, Stmt, Symbol as PtxSymbol};
use ptx_isa::{Construct, Mod, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{Attributes, Call, Constant, Function, InstId, Value};

use super::access::{Access, variable_address};
use super::state::Emitter;
use crate::cover::Piece;
use crate::error::{CALL, INTRINSIC, RaiseError, Result};
use crate::signature::{self, Parameter, Passing, RegisterPassing};
use crate::types::{Scalar, layout_of};
use crate::value::{Fill, Val};

/// Structures passed by value over this size would unroll into too much code.
pub(super) const MAX_BY_VALUE: u64 = 16 << 10;

impl<'v> Emitter<'_, 'v, '_> {
    /// A call of whatever kind.
    pub(super) fn call(&mut self, id: InstId, call: &Call) -> Result<()> {
        if let Some(bundle) = call.bundles.iter().find(|bundle| !is_harmless_bundle(&bundle.tag)) {
            let message = format!("the operand bundle \"{}\" has no counterpart in PTX", bundle.tag);
            return Err(RaiseError::new(CALL, message));
        }
        if call.must_tail {
            if self.function.variadic {
                let message = "a musttail call that passes a variable number of arguments on";
                return Err(RaiseError::new(CALL, message));
            }
            self.module.warn_of_tail_call(&self.function.name);
        }
        if let Value::Asm(asm) = call.callee {
            return self.inline_asm(id, call, asm);
        }
        match self.source.callee(call) {
            Some(function) if function.intrinsic || function.name.starts_with("llvm.") => {
                self.intrinsic(id, call, &function.name)
            }
            Some(function) if function.name == "__nvvm_reflect" => {
                let message = "__nvvm_reflect must be resolved by a pass";
                Err(RaiseError::new(INTRINSIC, message).with_help("run the pass nvvm-reflect, or -O1"))
            }
            Some(function) => self.direct_call(id, call, function),
            None => self.indirect_call(id, call),
        }
    }

    fn direct_call(&mut self, id: InstId, call: &Call, function: &Function) -> Result<()> {
        if self.is_called_kernel(function) {
            return Err(RaiseError::new(CALL, format!("the kernel {} cannot be called", function.name)));
        }
        let Value::Const(callee) = call.callee else { return Ok(()) };
        let Constant::Symbol(symbol) = self.module.view.constant(callee) else {
            return self.indirect_call(id, call);
        };
        let (PtxSymbol::Function(target), ..) = self.module.symbol(*symbol)? else {
            return self.indirect_call(id, call);
        };
        let returned = function.ret_attributes.clone();
        let attributes: Vec<Attributes> = function
            .params
            .iter()
            .enumerate()
            .map(|(at, param)| match call.arg_attributes.get(at) {
                // The alignment of the parameter is that in the function's declaration.
                Some(own) if own.has("byval") && !param.attributes.has("byval") => own.clone(),
                _ => param.attributes.clone(),
            })
            .collect();
        let callee = Operand::Symbol(PtxSymbol::Function(target), 0);
        match signature::register_passing(self.module, function)? {
            Some(registers) => self.call_with_registers(id, call, &registers, callee),
            None => self.emit_call(id, call, &attributes, &returned, callee, None),
        }
    }

    /// A call whose arguments and results stay in registers.
    fn call_with_registers(
        &mut self,
        id: InstId,
        call: &Call,
        registers: &RegisterPassing,
        callee: Operand,
    ) -> Result<()> {
        let mut passed = Vec::with_capacity(call.args.len());
        for &arg in &call.args {
            let (value, scalar) = self.scalar(arg)?;
            passed.push(Operand::Register(self.in_register(value, scalar)?));
        }
        let results: Vec<RegId> = registers.results.iter().map(|class| self.register(*class)).collect();
        let given: Vec<Operand> = results.iter().map(|register| Operand::Register(*register)).collect();
        let mut list = |operands: &[Operand]| match operands {
            [] => Operand::Omitted,
            some => Operand::List(self.builder.list(some)),
        };
        let (given, passed) = (list(&given), list(&passed));
        self.emit(ptx!("call.uni"), &[given.into(), callee.into(), passed.into(), Operand::Omitted.into()])?;
        let values: Vec<Val> = results.into_iter().map(Val::reg).collect();
        self.define(id, values.into())
    }

    fn is_called_kernel(&self, function: &Function) -> bool {
        matches!(function.convention, ptx_llvm_core::view::CallingConvention::PtxKernel)
    }

    /// A call through an address, with its prototype (manual 11.3.3).
    fn indirect_call(&mut self, id: InstId, call: &Call) -> Result<()> {
        let (address, scalar) = self.scalar(call.callee)?;
        let register = self.in_register(address, scalar)?;
        let mut params = Vec::with_capacity(call.args.len());
        let fixed = self.source.fixed_arguments(call);
        for (at, &arg) in call.args.iter().enumerate().take(fixed.unwrap_or(call.args.len())) {
            let ty = self.value_type(arg)?;
            let none = Attributes::default();
            let attributes = call.arg_attributes.get(at).unwrap_or(&none);
            let parameter =
                signature::parameter(self.module, ty, attributes, FunctionKind::Device, "_".to_owned())?;
            params.push(Param::Variable(signature::param_variable(
                self.module,
                &parameter.passing,
                None,
                "_",
            )));
        }
        if fixed.is_some() {
            let further = signature::address_passing(self.module);
            params.push(Param::Variable(signature::param_variable(self.module, &further, None, "_")));
        }
        let result = signature::result(self.module, self.type_of(id), &call.ret_attributes)?;
        let results = result
            .iter()
            .map(|passing| Param::Variable(signature::param_variable(self.module, passing, None, "_")));
        let results = results.collect();
        let hint = call.attributes.has("noreturn") && self.module.target.has(Construct::NoReturn.since());
        let noreturn = (hint && result.is_none()).then(At::default);
        let prototype = Prototype { results, params, noreturn, ..Prototype::default() };
        let name = format!("prototype_{}", self.module.call_count);
        self.module.call_count += 1;
        let name = self.module.ir.strings.intern(&name);
        let label = self.builder.new_label(name, LabelKind::CallPrototype);
        let prototype = Stmt::CallPrototype(label, Box::new(prototype));
        let attributes = call.arg_attributes.clone();
        let callee = Operand::Register(register);
        self.emit_call(id, call, &attributes, &call.ret_attributes, callee, Some((label, prototype)))
    }

    fn emit_call(
        &mut self,
        id: InstId,
        call: &Call,
        attributes: &[Attributes],
        returned: &Attributes,
        callee: Operand,
        prototype: Option<(ptx_ir::LabelId, Stmt)>,
    ) -> Result<()> {
        let none = Attributes::default();
        let mut arguments = Vec::with_capacity(call.args.len());
        let fixed = self.source.fixed_arguments(call);
        let further = match fixed {
            Some(fixed) => Some(self.further_arguments(call, fixed)?),
            None => None,
        };
        for (at, &arg) in call.args.iter().enumerate().take(fixed.unwrap_or(call.args.len())) {
            let ty = self.value_type(arg)?;
            let own = attributes.get(at).unwrap_or(&none);
            let name = format!("{}{at}", self.module.call_names.argument);
            let parameter = signature::parameter(self.module, ty, own, FunctionKind::Device, name)?;
            let pieces = self.passed_pieces(id, at);
            let values = match (&pieces, &parameter.passing) {
                (Some(_), _) => Vec::new(),
                (None, Passing::Bytes { .. }) => self.defined(arg)?,
                (None, Passing::Scalar(_)) => self.value(arg)?.iter().copied().map(Some).collect(),
            };
            let source = call.arg_attributes.get(at).unwrap_or(&none);
            arguments.push((parameter, values, pieces, own.has("signext"), stated_alignment(source)));
        }
        let result = signature::result(self.module, self.type_of(id), returned)?;
        self.push(Stmt::ScopeStart);
        let mut passed = Vec::with_capacity(arguments.len());
        for (parameter, values, pieces, signed, source) in arguments {
            let variable = signature::param_variable(self.module, &parameter.passing, None, &parameter.name);
            self.push(Stmt::Variable(variable));
            let address = variable_address(variable);
            let fill = Fill::of(signed);
            match (pieces, &parameter.passing) {
                (Some(pieces), Passing::Bytes { align, .. }) => {
                    for piece in pieces {
                        self.store_piece(piece, variable, u64::from(*align))?;
                    }
                }
                (_, _) => self.pass(&parameter, &values, address, fill, source)?,
            }
            passed.push(Operand::Symbol(PtxSymbol::Variable(variable), 0));
        }
        if let Some(further) = further {
            let name = format!("{}{}", self.module.call_names.argument, passed.len());
            let passing = signature::address_passing(self.module);
            let variable = signature::param_variable(self.module, &passing, None, &name);
            self.push(Stmt::Variable(variable));
            let address = variable_address(variable);
            let bits = self.module.view.addresses().bits();
            self.emit(ptx!("st.param.b32").with_bits(bits)?, &[address.into(), further.into()])?;
            passed.push(Operand::Symbol(PtxSymbol::Variable(variable), 0));
        }
        let returned = result.as_ref().map(|passing| {
            let name = format!("{}0", self.module.call_names.result);
            let variable = signature::param_variable(self.module, passing, None, &name);
            self.push(Stmt::Variable(variable));
            variable
        });
        let targets = match prototype {
            Some((label, statement)) => {
                self.push(statement);
                Operand::Label(label)
            }
            None => Operand::Omitted,
        };
        let results = match returned {
            Some(variable) => {
                Operand::List(self.builder.list(&[Operand::Symbol(PtxSymbol::Variable(variable), 0)]))
            }
            None => Operand::Omitted,
        };
        let arguments =
            if passed.is_empty() { Operand::Omitted } else { Operand::List(self.builder.list(&passed)) };
        let direct = targets == Operand::Omitted;
        let uniform = direct || self.hints(id).contains(&Mod::Uni);
        let operands = [results.into(), callee.into(), arguments.into(), targets.into()];
        self.emit(if uniform { ptx!("call.uni") } else { ptx!("call") }, &operands)?;
        if let (Some(variable), Some(passing)) = (returned, result) {
            self.take_result(id, variable, &passing)?;
        }
        self.push(Stmt::ScopeEnd);
        Ok(())
    }

    /// The stores of the pieces of an argument.
    fn passed_pieces(&self, id: InstId, at: usize) -> Option<Vec<Piece>> {
        let pieces = self.cover.call_pieces(id)?;
        pieces.passed.iter().find(|(argument, _)| *argument == at).map(|(_, pieces)| pieces.clone())
    }

    /// Stores one argument into its variable. A by-value argument is at an address with the alignment `source`, if the call has
    /// one, and that of its type otherwise.
    fn pass(
        &mut self,
        parameter: &Parameter,
        values: &[Option<Val>],
        address: Operand,
        fill: Fill,
        source: Option<u64>,
    ) -> Result<()> {
        let leaves = self.leaves(parameter.ty)?;
        match (&parameter.passing, parameter.by_value) {
            (Passing::Bytes { size, align }, Some(content)) => {
                if *size > MAX_BY_VALUE {
                    let message = format!("a structure of {size} bytes passed by value");
                    return Err(RaiseError::new(CALL, message).with_help("pass its address"));
                }
                let (Some(leaf), Some(&Some(pointer))) = (leaves.first(), values.first()) else {
                    return Ok(());
                };
                let (from, space) = self.address_operand(pointer, leaf.scalar)?;
                let natural = u64::from(layout_of(self.module.view, content)?.align);
                let align = source.unwrap_or(natural).min(u64::from(*align));
                let to = Access::store(address_space::PARAM, address, align)?;
                self.copy_bytes(&Access::load(space, from, align)?, &to, *size)
            }
            (Passing::Bytes { align, .. }, None) => {
                self.store_passed(parameter.ty, values, address, u64::from(*align))
            }
            (Passing::Scalar(ty), _) => {
                let (Some(leaf), Some(&Some(value))) = (leaves.first(), values.first()) else {
                    return Ok(());
                };
                self.store_param(address, *ty, value, leaf.scalar, fill)
            }
        }
    }

    fn take_result(&mut self, id: InstId, variable: ptx_ir::VarId, passing: &Passing) -> Result<()> {
        let ty = self.type_of(id);
        let address = variable_address(variable);
        let received = self.cover.call_pieces(id).and_then(|pieces| pieces.received.clone());
        if let (Some(pieces), Passing::Bytes { align, .. }) = (received, passing) {
            for piece in pieces {
                self.load_piece(piece, variable, u64::from(*align))?;
            }
            return Ok(());
        }
        let values = match passing {
            Passing::Scalar(passed) => {
                let leaves = self.leaves(ty)?;
                let scalar = leaves.first().map_or(Scalar::Int(32), |leaf| leaf.scalar);
                vec![self.load_param(address, *passed, scalar)?]
            }
            Passing::Bytes { align, .. } => self.load_passed(ty, address, u64::from(*align))?,
        };
        self.define(id, values.into())
    }
}

/// The alignment of a pointer in the attributes.
fn stated_alignment(attributes: &Attributes) -> Option<u64> {
    attributes.number("align")
}

/// Bundles that are only for optimizers, or for a runtime that no GPU has (`deopt`, `kcfi`).
fn is_harmless_bundle(tag: &str) -> bool {
    matches!(
        tag,
        "convergencectrl"
            | "align"
            | "nonnull"
            | "dereferenceable"
            | "noundef"
            | "cold"
            | "ignore"
            | "separate_storage"
            | "deopt"
            | "kcfi"
            | marks::ORDER
    )
}
