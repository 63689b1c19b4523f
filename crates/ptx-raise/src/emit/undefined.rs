//! The parts of a value that are undefined, because they were never set.
//!
//! LLVM represents uninitialized parts by `undef` or `poison`. Any bits are allowed there, so that storing them does not
//! need an initialized register.

use ptx_llvm_core::view::{Constant, Op, Type, Value};

use super::state::Emitter;
use crate::error::Result;
use crate::value::Val;

impl Emitter<'_, '_, '_> {
    /// The leaves of a value, without those that are plainly undefined.
    pub(super) fn defined(&mut self, value: Value) -> Result<Vec<Option<Val>>> {
        let values = self.value(value)?;
        let undefined = self.undefined_leaves(value, values.len())?;
        Ok(values.iter().zip(undefined).map(|(value, undefined)| (!undefined).then_some(*value)).collect())
    }

    /// For each leaf of a value whether it is undefined: follows the chain of insertions that it is computed by.
    fn undefined_leaves(&mut self, value: Value, count: usize) -> Result<Vec<bool>> {
        let function = self.function;
        let mut undefined = vec![false; count];
        // The leaves without an insertion so far, on the way back.
        let mut open = vec![true; count];
        let mut rest = value;
        // A cyclic chain is never executed.
        for _ in 0..=function.insts.len() {
            let Value::Inst(id) = rest else { break };
            match &function.inst(id).op {
                Op::InsertValue { aggregate, element, indices } => {
                    let ty = self.value_type(*aggregate)?;
                    let range = self.field(ty, indices)?;
                    if self.cover.skips_field(id) {
                        for at in range {
                            if let (Some(open), Some(undefined)) = (open.get_mut(at), undefined.get_mut(at)) {
                                *undefined |= std::mem::take(open);
                            }
                        }
                    } else {
                        self.put(*element, range, &mut open, &mut undefined);
                    }
                    rest = *aggregate;
                }
                Op::InsertElement { vector, element, index } => {
                    let &Value::Const(index) = index else { break };
                    let Some(at) = self.module.view.constant(index).as_u64() else { break };
                    let (Ok(at), true) = (usize::try_from(at), self.has_a_leaf_each(*vector, count)?) else {
                        break;
                    };
                    self.put(*element, at..at.saturating_add(1), &mut open, &mut undefined);
                    rest = *vector;
                }
                Op::ShuffleVector { mask, .. } => {
                    if mask.len() == count {
                        for (at, from) in mask.iter().enumerate() {
                            undefined[at] |= open[at] && *from < 0;
                        }
                    }
                    return Ok(undefined);
                }
                _ => break,
            }
        }
        if let Value::Const(_) = rest {
            self.put(rest, 0..count, &mut open, &mut undefined);
        }
        Ok(undefined)
    }

    /// Resolves a range of leaves with the value that was inserted there.
    fn put(&self, part: Value, range: std::ops::Range<usize>, open: &mut [bool], undefined: &mut [bool]) {
        let fields = match part {
            Value::Const(id) => match self.module.view.constant(id) {
                Constant::Aggregate(fields) if fields.len() == range.len() => Some(fields),
                _ => None,
            },
            _ => None,
        };
        let whole = self.source.is_undef(part);
        for (field, at) in range.enumerate() {
            if let (Some(open), Some(undefined)) = (open.get_mut(at), undefined.get_mut(at)) {
                let this = fields.is_some_and(|fields| {
                    fields.get(field).is_some_and(|id| self.source.is_undef(Value::Const(*id)))
                });
                *undefined |= *open && (whole || this);
                *open = false;
            }
        }
    }

    /// Whether every element of a vector is one leaf.
    fn has_a_leaf_each(&mut self, vector: Value, leaves: usize) -> Result<bool> {
        let ty = self.value_type(vector)?;
        Ok(matches!(self.module.view.ty(ty), Type::Vector { len, .. } if *len as usize == leaves))
    }
}

/// Values with zeros in place of undefined parts.
pub(super) fn filled(values: &[Option<Val>]) -> Vec<Val> {
    values.iter().map(|value| value.unwrap_or(Val::Bits(0))).collect()
}
