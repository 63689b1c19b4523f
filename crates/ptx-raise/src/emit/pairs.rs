//! Pairs of 16-bit integers in one register of 32 bits, which the cover found.

use ptx_ir::RegId;
use ptx_isa::ScalarType;
use ptx_llvm::view::{InstId, Value};

use super::access::Access;
use super::append::Arg;
use super::state::Emitter;
use crate::cover::{Pair, shorts, viewed, word_of_load};
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Scalar};
use crate::value::{Val, mask};

impl Emitter<'_, '_, '_> {
    /// Loads a vector of `i16` as numbers of 32 bits.
    pub(super) fn load_pairs(&mut self, id: InstId, apart: bool, access: &Access<'_>) -> Result<()> {
        let Some(len) = shorts(self.source, self.function.inst(id).ty) else {
            return Err(RaiseError::defect("a load of pairs that is no vector of i16"));
        };
        let len = len as usize;
        let words = self.load_vector(access, ScalarType::B32, Class::B32, len / 2)?;
        if let &[register] = words.as_slice() {
            self.computed.whole_pairs.insert(id, register);
        }
        for user in self.cover.uses.users(id).to_vec() {
            if let Some(&register) = word_of_load(self.source, user, id).and_then(|word| words.get(word)) {
                self.computed.whole_pairs.insert(user, register);
            }
        }
        if apart {
            let mut values = Vec::with_capacity(len);
            for register in words {
                values.extend(self.shorts_of(register)?);
            }
            self.define(id, values.into())?;
        }
        Ok(())
    }

    /// Computes a whole pair.
    pub(super) fn compute_pair(&mut self, id: InstId, pair: &Pair) -> Result<()> {
        let args = [self.pair_operand(pair.args[0])?, self.pair_operand(pair.args[1])?];
        let register = self.compute(pair.mnemonic, &args)?;
        self.computed.whole_pairs.insert(id, register);
        if pair.apart {
            let halves = self.shorts_of(register)?;
            self.define(id, halves.into_iter().collect())?;
        }
        Ok(())
    }

    /// The register of a value that is a whole pair.
    pub(super) fn whole_pair(&self, value: Value) -> Option<RegId> {
        match value {
            Value::Inst(id) => self.computed.whole_pairs.get(&id).copied(),
            _ => None,
        }
    }

    /// A pair as an operand of 32 bits.
    fn pair_operand(&mut self, value: Value) -> Result<Arg> {
        if let Some(register) = self.whole_pair(value) {
            return Ok(register.into());
        }
        if let Some(number) = viewed(self.source, &self.cover, value) {
            let (number, scalar) = self.scalar(number)?;
            return self.arg(number, scalar);
        }
        match *self.value(value)? {
            [Val::Bits(low), Val::Bits(high)] => {
                let whole = Val::Bits(low & mask(16) | (high & mask(16)) << 16);
                Ok(self.in_register(whole, Scalar::Int(32))?.into())
            }
            _ => Err(RaiseError::new(INSTRUCTION, "a pair of integers that is in two registers")),
        }
    }
}
