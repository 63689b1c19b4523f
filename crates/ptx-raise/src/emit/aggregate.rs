//! Structures, arrays and vectors in registers: merely names for leaves, unless an index is not constant.

use std::rc::Rc;

use ptx_llvm_core::view::{InstId, IntPredicate, Type, TypeId, Value};

use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::Scalar;
use crate::value::Val;

impl Emitter<'_, '_, '_> {
    /// `extractvalue`.
    pub(super) fn extract_value(&mut self, id: InstId, aggregate: Value, indices: &[u32]) -> Result<()> {
        let ty = self.value_type(aggregate)?;
        let range = self.field(ty, indices)?;
        let values = self.value(aggregate)?;
        let part = values.get(range).ok_or_else(|| RaiseError::new(INSTRUCTION, "a field past the end"))?;
        self.define(id, Rc::from(part))
    }

    /// `insertvalue`.
    pub(super) fn insert_value(
        &mut self,
        id: InstId,
        aggregate: Value,
        element: Value,
        indices: &[u32],
    ) -> Result<()> {
        let ty = self.value_type(aggregate)?;
        let range = self.field(ty, indices)?;
        let mut values = self.value(aggregate)?.to_vec();
        if self.cover.skips_field(id) {
            return self.define(id, values.into());
        }
        let inserted = self.value(element)?;
        if range.end > values.len() || inserted.len() != range.len() {
            return Err(RaiseError::new(INSTRUCTION, "a field past the end"));
        }
        values.splice(range, inserted.iter().copied());
        self.define(id, values.into())
    }

    /// The leaves that a path of indices leads to.
    pub(super) fn field(&mut self, ty: TypeId, indices: &[u32]) -> Result<std::ops::Range<usize>> {
        let (mut ty, mut start) = (ty, 0);
        for &index in indices {
            let next = match self.module.view.ty(ty).clone() {
                Type::Struct { fields } => {
                    for &field in fields.iter().take(index as usize) {
                        start += self.leaves(field)?.len();
                    }
                    fields.get(index as usize).copied()
                }
                Type::Array { element, .. } => {
                    start += self.leaves(element)?.len() * index as usize;
                    Some(element)
                }
                _ => None,
            };
            ty = next.ok_or_else(|| RaiseError::new(INSTRUCTION, "a field of something that has none"))?;
        }
        let count = self.leaves(ty)?.len();
        Ok(start..start + count)
    }

    /// The elements of a vector, each with its leaves.
    pub(super) fn elements(&mut self, vector: Value) -> Result<(Vec<Vec<Val>>, Vec<Scalar>)> {
        let ty = self.value_type(vector)?;
        let values = self.value(vector)?;
        self.elements_of(ty, &values)
    }

    /// The elements of a vector of a type from the values of its leaves.
    pub(super) fn elements_of(&mut self, ty: TypeId, values: &[Val]) -> Result<(Vec<Vec<Val>>, Vec<Scalar>)> {
        let leaves = self.leaves(ty)?;
        let apart = self.apart(&leaves, values)?;
        let count = match self.module.view.ty(ty) {
            Type::Vector { len, .. } => *len as usize,
            _ => return Err(RaiseError::new(INSTRUCTION, "an element of something that is not a vector")),
        };
        let words = apart.len() / count.max(1);
        let scalars = apart.iter().take(words).map(|(_, scalar)| *scalar).collect();
        let values: Vec<Val> = apart.into_iter().map(|(value, _)| value).collect();
        Ok((values.chunks(words.max(1)).map(<[Val]>::to_vec).collect(), scalars))
    }

    /// Sets a vector result from its elements.
    pub(super) fn define_vector(&mut self, id: InstId, elements: &[Vec<Val>]) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let flat: Vec<Val> = elements.iter().flatten().copied().collect();
        let values = self.together(&leaves, &flat)?;
        self.define(id, values.into())
    }

    /// `extractelement`.
    pub(super) fn extract_element(&mut self, id: InstId, vector: Value, index: Value) -> Result<()> {
        let (elements, scalars) = self.elements(vector)?;
        let index = self.scalar(index)?;
        let chosen = self.pick(&elements, &scalars, index)?;
        self.define(id, chosen.into())
    }

    /// One of the elements of a vector. An index that is not constant is compared with every position.
    pub(super) fn pick(
        &mut self,
        elements: &[Vec<Val>],
        scalars: &[Scalar],
        (index, kind): (Val, Scalar),
    ) -> Result<Vec<Val>> {
        if let Val::Bits(at) = index {
            let element = usize::try_from(at).ok().and_then(|at| elements.get(at));
            // Past the end the result is poison.
            return Ok(element.cloned().unwrap_or_else(|| vec![Val::Bits(0); scalars.len()]));
        }
        let Some(first) = elements.first() else {
            return Err(RaiseError::defect("an element of a vector that has none"));
        };
        let mut chosen = first.clone();
        for (at, element) in elements.iter().enumerate().skip(1) {
            let here = self.compare_ints(IntPredicate::Eq, index, Val::Bits(at as u64), kind)?;
            for ((value, &candidate), &scalar) in chosen.iter_mut().zip(element).zip(scalars) {
                *value = self.choose(here, candidate, *value, scalar)?;
            }
        }
        Ok(chosen)
    }

    /// `insertelement`.
    pub(super) fn insert_element(
        &mut self,
        id: InstId,
        vector: Value,
        element: Value,
        index: Value,
    ) -> Result<()> {
        let (mut elements, scalars) = self.elements(vector)?;
        let inserted = self.value(element)?.to_vec();
        let index = self.scalar(index)?;
        self.replace(&mut elements, &scalars, &inserted, index)?;
        self.define_vector(id, &elements)
    }

    /// Puts another element into a vector.
    pub(super) fn replace(
        &mut self,
        elements: &mut [Vec<Val>],
        scalars: &[Scalar],
        inserted: &[Val],
        (index, kind): (Val, Scalar),
    ) -> Result<()> {
        match index {
            Val::Bits(at) => {
                if let Some(place) = usize::try_from(at).ok().and_then(|at| elements.get_mut(at)) {
                    *place = inserted.to_vec();
                }
            }
            _ => {
                for (at, place) in elements.iter_mut().enumerate() {
                    let here = self.compare_ints(IntPredicate::Eq, index, Val::Bits(at as u64), kind)?;
                    for ((value, &candidate), &scalar) in place.iter_mut().zip(inserted).zip(scalars) {
                        *value = self.choose(here, candidate, *value, scalar)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `shufflevector`.
    pub(super) fn shuffle_vector(&mut self, id: InstId, a: Value, b: Value, mask: &[i32]) -> Result<()> {
        let (mut elements, scalars) = self.elements(a)?;
        let first = elements.len();
        let second = self.elements(b)?.0;
        elements.extend(second);
        // Most shuffles of a packed pair result in the same pair, or in one half twice.
        let identity =
            mask.len() == first && mask.iter().enumerate().all(|(at, &from)| from < 0 || from as usize == at);
        if identity {
            let values = self.value(a)?;
            return self.define(id, values);
        }
        let zero = vec![Val::Bits(0); scalars.len()];
        let picked: Vec<Vec<Val>> = mask
            .iter()
            .map(|&from| {
                usize::try_from(from).ok().and_then(|from| elements.get(from)).unwrap_or(&zero).clone()
            })
            .collect();
        self.define_vector(id, &picked)
    }
}
