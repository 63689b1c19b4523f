//! Prologues of functions: the values of parameters, and memory for the variables of the body (manual 7.1).

use ptx_ir::{Operand, Param, RegId, Stmt, Symbol, VarId, Variable};
use ptx_isa::{ControlSem, Sem, StateSpace};
use ptx_llvm_core::address_space;
use ptx_llvm_core::build::{self, CastOp, Volatility};
use rustc_hash::FxHashSet;

use crate::emit::Emitter;
use crate::errors::{Result, unsupported};
use crate::globals::storage_type;
use crate::signature::{Argument, Shape, units};
use crate::slots::is_param;

impl<'c> Emitter<'_, '_, 'c> {
    /// Assigns values to parameters and memory to the variables of the body.
    pub(crate) fn enter(&mut self) -> Result<()> {
        let values = self.signature.function.parameters();
        for ((param, shape), value) in self.function.params.iter().zip(&self.signature.parameters).zip(values)
        {
            match param {
                Param::Register(_, register) => self.enter_register(*register, shape, value)?,
                Param::Variable(var) => {
                    let argument = match shape {
                        Shape::Bytes { .. } | Shape::Unsized { .. } => Argument::Memory(value),
                        Shape::Scalar(ty) if self.analysis.takes_address(self.shared.module, *var) => {
                            let place = self.b.alloca(value.ty(), ty.bytes())?;
                            self.b.store(value, place, ty.bytes(), Volatility::Ordinary)?;
                            Argument::Memory(place)
                        }
                        Shape::Scalar(_) | Shape::Vector { .. } => Argument::Scalar(value),
                    };
                    self.arguments.insert(*var, argument);
                }
            }
        }
        if let (Some(Param::Variable(var)), Some(Shape::Unsized { .. })) =
            (self.function.params.last(), self.signature.parameters.last())
        {
            let list = self.b.alloca(self.types.pointer(address_space::GENERIC), 8)?;
            self.intrinsic_by_name("llvm.va_start.p0", self.types.void(), &[list])?;
            let first =
                self.b.load(self.types.pointer(address_space::GENERIC), list, 8, Volatility::Ordinary)?;
            self.arguments.insert(*var, Argument::Memory(first));
        }
        self.leave_open()?;
        let passed = self.passed_unsized();
        let own: Vec<VarId> = self
            .function
            .results
            .iter()
            .filter_map(|param| match param {
                Param::Variable(var) => Some(*var),
                Param::Register(..) => None,
            })
            .chain(self.body.statements.iter().filter_map(|statement| match statement {
                Stmt::Variable(var) => Some(*var),
                _ => None,
            }))
            .collect();
        for var in own {
            self.place_variable(var, passed.contains(&var))?;
        }
        Ok(())
    }

    /// The variables that calls pass to parameters without a size.
    fn passed_unsized(&self) -> FxHashSet<VarId> {
        let mut passed = FxHashSet::default();
        for (_, inst) in
            self.body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call))
        {
            let operands = self.body.operands(inst);
            let is_unsized = match operands.get(1) {
                Some(Operand::Symbol(Symbol::Function(id), _)) => {
                    let signature = self.shared.signatures.get(id);
                    signature.is_some_and(|signature| signature.function.ty().is_variadic())
                }
                _ => operands.get(3).is_some_and(|prototype| {
                    let shapes = self.prototype(*prototype);
                    shapes.is_ok_and(|(shapes, _)| matches!(shapes.last(), Some(Shape::Unsized { .. })))
                }),
            };
            if let (true, Some(Operand::List(list))) = (is_unsized, operands.get(2))
                && let Some(Operand::Symbol(Symbol::Variable(var), _)) = self.body.list(*list).last()
            {
                passed.insert(*var);
            }
        }
        passed
    }

    /// The initial value of a register parameter, element by element if it is a vector.
    fn enter_register(&mut self, register: RegId, shape: &Shape, value: build::Value<'c>) -> Result<()> {
        let Shape::Vector { lanes, .. } = *shape else {
            return self.initial_value(self.analysis.slots.lane(register, 0), value);
        };
        for lane in 0..lanes {
            let element = self.b.extract_field(value, lane)?;
            self.initial_value(self.analysis.slots.lane(register, lane as usize), element)?;
        }
        Ok(())
    }

    /// The initial value of a register, in the type that its first read requires.
    fn initial_value(&mut self, slot: crate::ssa::Slot, value: build::Value<'c>) -> Result<()> {
        let undefined = self
            .analysis
            .ssa
            .values
            .iter()
            .position(|info| info.slot == slot && info.def == crate::ssa::Def::Undefined);
        let value = match undefined {
            Some(at) => self.bits_as(value, self.repr_type(crate::ssa::ValueId(at as u32)))?,
            None => value,
        };
        self.initial.insert(slot, value);
        Ok(())
    }

    /// Initializes registers that are read before they are written with some number, the same at each read.
    fn leave_open(&mut self) -> Result<()> {
        for id in self.analysis.ssa.unwritten() {
            let Some(slot) = self.analysis.ssa.values.get(id.index()).map(|info| info.slot) else { continue };
            if slot != self.analysis.slots.carry() && !self.initial.contains_key(&slot) {
                let open = self.b.freeze(self.repr_type(id).poison())?;
                self.initial.insert(slot, open);
            }
        }
        Ok(())
    }

    fn place_variable(&mut self, var: VarId, is_passed_unsized: bool) -> Result<()> {
        let variable: &Variable = self.shared.module.variable(var);
        if is_param(variable.space) {
            if self.analysis.slots.param(var).is_none() {
                let place = if is_passed_unsized {
                    // As long as what a call copies.
                    let align = variable.alignment().clamp(1, 16);
                    let Some(bytes) = variable.bytes() else {
                        return unsupported("an argument is too large");
                    };
                    let ty = units(self.types, bytes, align);
                    self.b.alloca(ty, align)?
                } else {
                    self.allocate(variable)?
                };
                self.arguments.insert(var, Argument::Memory(place));
            }
            return Ok(());
        }
        if variable.space == StateSpace::Local {
            let place = self.allocate(variable)?;
            let local = self.types.pointer(address_space::LOCAL);
            let place = self.b.cast(CastOp::AddrSpaceCast, place, local)?;
            self.locals.insert(var, place);
        }
        // Variables in other spaces are module variables.
        Ok(())
    }

    fn allocate(&mut self, variable: &Variable) -> Result<build::Value<'c>> {
        if variable.init.is_some() {
            return unsupported(format!("`{}` has an initial value", self.shared.module.name(variable.name)));
        }
        if variable.count.is_some() {
            return unsupported(format!(
                "`{}` is a range of variables",
                self.shared.module.name(variable.name)
            ));
        }
        let ty = storage_type(self.shared.module, (self.types, self.address_bits()), variable)?;
        let place = self.b.alloca(ty, variable.alignment().max(1))?;
        place.set_name(self.shared.module.name(variable.name));
        Ok(place)
    }
}
