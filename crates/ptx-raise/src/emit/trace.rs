//! The locations of source variables and of code, for DWARF.
//!
//! While a function is emitted, marks ([`ptx_dwarf::Marks`]) are among its statements. When the registers are final
//! [`ptx_dwarf::trace_code`] evaluates them.

use ptx_ir::{Body, RegId, Symbol};
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{DebugRecord, DebugRecordKind, InstId, LocationId, Value};

use super::state::Emitter;
use crate::types::{Leaf, Scalar};
use crate::value::{Base, Val};
use ptx_dwarf::{
    Expression, GENERIC, Held, IN_REGISTER, Instance, Step, address_class, op_piece, op_value, pointer_class,
};

impl Emitter<'_, '_, '_> {
    /// Whether the function's debug information becomes DWARF.
    pub(super) fn is_traced(&self) -> bool {
        self.function.subprogram.is_some() && self.module.makes_dwarf()
    }

    /// Marks that code of a location begins.
    pub(super) fn mark_location(&mut self, id: LocationId) {
        if self.is_traced() {
            let mark = self.marks.location(id);
            self.push(mark);
        }
    }

    /// Adds marks for the debug records before an instruction.
    pub(super) fn mark_records(&mut self, id: InstId) {
        if !self.is_traced() {
            return;
        }
        let function = self.function;
        let first = function.records.partition_point(|record| record.before < id);
        for record in function.records.iter().skip(first).take_while(|r| r.before == id) {
            let inlined_at =
                record.location.and_then(|location| self.module.view.location(location).inlined_at);
            let instance = Instance { variable: record.variable, inlined_at };
            match record.kind {
                DebugRecordKind::Declare => {
                    let held = self.held_in_memory(record);
                    self.marks.declare(instance, held);
                }
                DebugRecordKind::Value => {
                    let held = self.held(record);
                    let mark = self.marks.value(instance, held);
                    self.push(mark);
                }
            }
        }
    }

    fn expression(&self, record: &DebugRecord) -> Option<Expression> {
        Expression::of(self.module.view.debug_node(record.expression)?)
    }

    /// The leaves of a record's value with their bytes; `None` where it is gone.
    fn record_leaves(&mut self, record: &DebugRecord) -> Option<Vec<(Val, Scalar, u64, u64)>> {
        let value = record.value?;
        // Intermediate results of a PTX text have no separate value.
        if let Value::Inst(id) = value
            && !self.computed.values.contains(id)
        {
            return None;
        }
        let leaves = self.value_leaves(value).ok()?;
        let has_address = leaves.iter().any(|leaf| matches!(leaf.scalar, Scalar::Pointer { .. }));
        if self.source.is_undef(value) || has_address && matches!(value, Value::Const(_)) {
            return None;
        }
        let values = self.value(value).ok()?;
        let leaf =
            |(at, leaf): (usize, &Leaf)| Some((*values.get(at)?, leaf.scalar, leaf.offset, leaf.bytes));
        leaves.iter().enumerate().map(leaf).collect()
    }

    /// The memory location of a variable.
    fn held_in_memory(&mut self, record: &DebugRecord) -> Option<Held> {
        let expression = self.expression(record)?;
        let &[(value, scalar, ..)] = self.record_leaves(record)?.as_slice() else { return None };
        let Scalar::Pointer { space: own, .. } = scalar else { return None };
        let (mut steps, class) = match value {
            Val::Address { base: Base::Symbol(Symbol::Variable(id)), offset, .. } => {
                let variable = self.module.ir.variable(id);
                let name = self.module.ir.name(variable.name).to_owned();
                (symbol(name, offset)?, address_class(variable.space))
            }
            Val::Address { base: Base::Register(register), offset, space } => {
                (vec![Step::Based(register, offset)], pointer_class(space))
            }
            Val::Register(register, _) => (vec![Step::Based(register, 0)], pointer_class(own)),
            Val::Address { base: Base::Symbol(_), .. } | Val::Bits(_) => return None,
        };
        steps.extend(expression.steps);
        Some(Held { fragment: expression.fragment, steps, class: expression.class.unwrap_or(class) })
    }

    /// The value a variable has.
    fn held(&mut self, record: &DebugRecord) -> Option<Held> {
        let expression = self.expression(record)?;
        let leaves = self.record_leaves(record)?;
        let fragment = expression.fragment;
        if let (&[(value, scalar, ..)], false) = (leaves.as_slice(), expression.steps.is_empty()) {
            let mut steps = based(value, scalar)?;
            steps.extend(expression.steps);
            if expression.is_value {
                steps.extend(op_value());
            }
            return Some(Held { fragment, steps, class: expression.class.unwrap_or(GENERIC) });
        }
        if !expression.steps.is_empty() {
            return None;
        }
        let mut steps = Vec::new();
        let mut end = 0;
        for &(value, scalar, offset, bytes) in &leaves {
            if offset > end {
                steps.extend(op_piece(offset - end));
            }
            steps.extend(one(value, scalar)?);
            if leaves.len() > 1 {
                steps.extend(op_piece(bytes));
            }
            end = offset + bytes;
        }
        (!steps.is_empty()).then_some(Held { fragment, steps, class: IN_REGISTER })
    }

    /// Evaluates the marks of a finished body; `settled` maps a register to its final one.
    pub(super) fn trace(&mut self, body: &mut Body, settled: &dyn Fn(RegId) -> RegId) {
        let Some(subprogram) = self.function.subprogram.filter(|_| self.is_traced()) else { return };
        let code = (body, &self.marks);
        let trace = ptx_dwarf::trace_code(self.module.view, self.module, code, settled, subprogram);
        self.module.traces.push(trace);
    }
}

/// A variable's address and bytes after it.
fn symbol(name: String, offset: i64) -> Option<Vec<Step>> {
    let mut steps = vec![Step::Symbol(name)];
    match u64::try_from(offset) {
        Ok(0) => {}
        Ok(offset) => steps.extend(ptx_dwarf::op_plus(offset)),
        Err(_) => return None,
    }
    Some(steps)
}

/// The start of an expression with operations.
fn based(value: Val, scalar: Scalar) -> Option<Vec<Step>> {
    match value {
        Val::Register(register, _) => Some(vec![Step::Based(register, 0)]),
        Val::Bits(bits) => Some(ptx_dwarf::op_constant(bits)),
        Val::Address { base: Base::Register(register), offset, space } if same_number(space, scalar) => {
            Some(vec![Step::Based(register, offset)])
        }
        Val::Address { .. } => None,
    }
}

/// A leaf's value.
fn one(value: Val, scalar: Scalar) -> Option<Vec<Step>> {
    let mut steps = based(value, scalar)?;
    if let &[Step::Based(register, 0)] = steps.as_slice() {
        return Some(vec![Step::Register(register)]);
    }
    steps.extend(op_value());
    Some(steps)
}

/// Whether an address of a space is the number that a pointer's bits are.
fn same_number(space: u32, scalar: Scalar) -> bool {
    let Scalar::Pointer { space: own, .. } = scalar else { return false };
    let plain = |space| if space == address_space::GLOBAL { address_space::GENERIC } else { space };
    plain(own) == plain(space)
}
