//! Intrinsics that NVIDIA's compiler library has under names of its own (NVVM IR specification, "Data Movement" and "Vote"): the
//! kind of shuffle or vote is a constant argument, and the result always has a word and a predicate.

use ptx_isa::{Mnemonic, ScalarType, ptx};
use ptx_llvm::intrinsics;
use ptx_llvm::view::{Call, InstId};

use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, Raised, Refusal};
use crate::types::Scalar;
use crate::value::Val;

/// The kinds of `llvm.nvvm.shfl.sync.i32`, by their numbers.
const SHUFFLES: [&str; 4] = ["idx", "up", "down", "bfly"];
/// The kinds of `llvm.nvvm.vote.sync`, by their numbers.
const VOTES: [Mnemonic; 4] = [
    ptx!("vote.sync.all.pred"),
    ptx!("vote.sync.any.pred"),
    ptx!("vote.sync.uni.pred"),
    ptx!("vote.sync.ballot.b32"),
];

impl Emitter<'_, '_, '_> {
    /// Raises a call under one of these names; whether it is one.
    pub(super) fn nvvm_intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Raised<bool> {
        match name {
            "llvm.nvvm.shfl.sync.i32" => {
                let kind = self.kind(call, SHUFFLES)?;
                self.renamed(id, call, &format!("llvm.nvvm.shfl.sync.{kind}.i32p"), Some(1))?;
            }
            "llvm.nvvm.match.all.sync.i32" | "llvm.nvvm.match.all.sync.i64" => {
                self.renamed(id, call, &format!("{name}p"), None)?;
            }
            "llvm.nvvm.vote.sync" => self.vote(id, call)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What the second argument chooses.
    fn kind<T: Copy>(&mut self, call: &Call, kinds: [T; 4]) -> Raised<T> {
        let kind = match self.scalar(argument(call, 1)?)?.0 {
            Val::Bits(number) => usize::try_from(number).ok().and_then(|number| kinds.get(number).copied()),
            Val::Register(..) | Val::Address { .. } => None,
        };
        kind.ok_or_else(|| Refusal::new(INTRINSIC, "the second argument must be a constant from 0 to 3"))
    }

    /// The same call under LLVM's name, without one of its arguments.
    fn renamed(&mut self, id: InstId, call: &Call, name: &str, without: Option<usize>) -> Raised<()> {
        let mut call = call.clone();
        if let Some(at) = without.filter(|at| *at < call.args.len()) {
            call.args.remove(at);
        }
        match intrinsics::by_name(name).next() {
            Some(row) => self.row_intrinsic(id, &call, row),
            None => Err(Refusal::new(INTRINSIC, format!("the intrinsic {name} is not supported"))),
        }
    }

    fn vote(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let kind = self.kind(call, VOTES)?;
        let (mask, mask_scalar) = self.scalar(argument(call, 0)?)?;
        let (vote, vote_scalar) = self.scalar(argument(call, 2)?)?;
        if (mask_scalar, vote_scalar) != (Scalar::Int(32), Scalar::Int(1)) {
            return Err(Refusal::new(INTRINSIC, "llvm.nvvm.vote.sync takes a mask, a kind and a predicate"));
        }
        let (mask, vote) = (self.arg(mask, mask_scalar)?, self.arg(vote, vote_scalar)?);
        let result = Val::reg(self.compute(kind, &[vote, mask])?);
        // The part of the result that the kind does not have is undefined.
        let values = if kind.scalar_type() == Some(ScalarType::Pred) {
            [Val::Bits(0), result]
        } else {
            [result, Val::Bits(0)]
        };
        self.define(id, values.to_vec().into());
        Ok(())
    }
}
