//! Vectors of single-precision numbers, two at a time (`.f32x2`, manual 9.7.3.3 to 9.7.3.6): from sm_100 on.
//!
//! A vector has a register for each element, and an operation joins two of each operand and takes its result apart again:
//!
//! ```text
//! %r = fadd <2 x float> %a, %b    -->    mov.b64 %rd1, {%f1, %f2};
//!                                        mov.b64 %rd2, {%f3, %f4};
//!                                        add.rn.f32x2 %rd3, %rd1, %rd2;
//!                                        mov.b64 {%f5, %f6}, %rd3;
//! ```
//!
//! A pair that has been in one register is not joined again, and what is taken apart for nobody is dropped (`ptx_coalesce::drop_unread`). The other moves
//! cost nothing: to ptxas they are two names of a pair of registers.

use ptx_ir::RegId;
use ptx_isa::{Mnemonic, ScalarType, ptx};

use super::append::Arg;
use super::state::Emitter;
use crate::error::Result;
use crate::types::{Class, Leaf, Scalar};
use crate::value::Val;

impl Emitter<'_, '_, '_> {
    /// Whether the target computes with two numbers in single precision at once.
    pub(super) fn has_single_pairs(&self) -> bool {
        self.module.target.supports(ptx!("add.rn.f32x2")) && !self.module.target.is_debugging()
    }

    /// An operation on vectors, in single precision as the mnemonic is; `None` if they do not have two numbers in single precision.
    pub(super) fn by_single_pairs(
        &mut self,
        single: Mnemonic,
        leaves: &[Leaf],
        args: &[&[Val]],
    ) -> Result<Option<Vec<Val>>> {
        let is_vector = leaves.len() > 1 && leaves.iter().all(|leaf| leaf.scalar == Scalar::Float);
        let fits = args.iter().all(|values| values.len() == leaves.len());
        if !is_vector || !fits || !self.has_single_pairs() {
            return Ok(None);
        }
        let single = self.float_form(single, Scalar::Float)?;
        let paired = single.with_type(ScalarType::F32x2)?;
        let mut result = Vec::with_capacity(leaves.len());
        for at in (0..leaves.len()).step_by(2) {
            let parts: Vec<&[Val]> = args.iter().filter_map(|values| values.get(at..)).collect();
            if at + 1 == leaves.len() {
                let last: Vec<Val> = parts.iter().filter_map(|values| values.first().copied()).collect();
                result.push(self.apply(single, &last, Scalar::Float)?);
                continue;
            }
            let mut pairs = Vec::with_capacity(parts.len());
            for values in parts {
                if let &[low, high, ..] = values {
                    pairs.push(self.single_pair(low, high)?);
                }
            }
            let register = self.compute(paired, &pairs)?;
            result.extend(self.single_halves(register)?);
        }
        Ok(Some(result))
    }

    /// The same bits as another type: integers of 64 bits as pairs, and pairs that have been in one register as such integers.
    pub(super) fn cast_single_pairs(
        &mut self,
        from: &[Leaf],
        values: &[Val],
        to: &[Leaf],
    ) -> Result<Option<Vec<Val>>> {
        let all = |leaves: &[Leaf], scalar| leaves.iter().all(|leaf| leaf.scalar == scalar);
        if !self.has_single_pairs() {
            return Ok(None);
        }
        let words = values.iter().map(|value| match *value {
            Val::Register(register, _) => Some(register),
            _ => None,
        });
        let Some(words) = words.collect::<Option<Vec<RegId>>>() else { return Ok(None) };
        if all(from, Scalar::Int(64)) && all(to, Scalar::Float) && to.len() == 2 * words.len() {
            let mut cast = Vec::with_capacity(to.len());
            for word in words {
                cast.extend(self.single_halves(word)?);
            }
            return Ok(Some(cast));
        }
        if all(from, Scalar::Float) && all(to, Scalar::Int(64)) && words.len() == 2 * to.len() {
            let pairs = words.chunks_exact(2).map(|pair| match pair {
                &[low, high] => self.joined([low, high]).map(Val::reg),
                _ => None,
            });
            return Ok(pairs.collect());
        }
        Ok(None)
    }

    /// Two numbers in one register.
    fn single_pair(&mut self, low: Val, high: Val) -> Result<Arg> {
        if let (Val::Bits(low), Val::Bits(high)) = (low, high) {
            let whole = Val::Bits(low & 0xffff_ffff | high << 32);
            return Ok(self.in_register(whole, Scalar::Int(64))?.into());
        }
        let halves = [self.in_register(low, Scalar::Float)?, self.in_register(high, Scalar::Float)?];
        if let Some(known) = self.joined(halves) {
            return Ok(known.into());
        }
        let register = self.join_halves(halves, Class::B32)?;
        self.computed.joined_here.insert(halves, register);
        Ok(register.into())
    }

    /// The numbers in a register of two.
    pub(super) fn single_halves(&mut self, register: RegId) -> Result<[Val; 2]> {
        let halves = self.halves_of(register, Class::F32)?;
        self.computed.halves.insert(halves, register);
        Ok(halves.map(Val::reg))
    }
}
