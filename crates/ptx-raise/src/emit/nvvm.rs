//! Intrinsics that NVIDIA's compiler library has under names of its own (NVVM IR specification, "Data Movement" and "Vote"): the
//! kind of shuffle or vote is a constant argument, and the result always has a word and a predicate. And `ldu`.

use ptx_isa::{Mnemonic, ScalarType, ptx};
use ptx_llvm::view::{Call, InstId};
use ptx_llvm::{address_space, intrinsics};

use super::access::Access;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::types::{MAX_VECTOR, Scalar};
use crate::value::Val;

/// The kinds of `llvm.nvvm.shfl.sync.i32` by their numbers, as the intrinsics that have a row.
const SHUFFLES: [&str; 4] = [
    "llvm.nvvm.shfl.sync.idx.i32p",
    "llvm.nvvm.shfl.sync.up.i32p",
    "llvm.nvvm.shfl.sync.down.i32p",
    "llvm.nvvm.shfl.sync.bfly.i32p",
];
/// The kinds of `llvm.nvvm.vote.sync`, by their numbers.
const VOTES: [Mnemonic; 4] = [
    ptx!("vote.sync.all.pred"),
    ptx!("vote.sync.any.pred"),
    ptx!("vote.sync.uni.pred"),
    ptx!("vote.sync.ballot.b32"),
];

impl Emitter<'_, '_, '_> {
    /// `llvm.nvvm.ldu.global`: a load that the whole warp makes from one address; the second argument is the alignment.
    pub(super) fn load_uniform(&mut self, id: InstId, call: &Call) -> Result<()> {
        let (pointer, scalar) = self.scalar(argument(call, 0)?)?;
        let (address, space) = self.address_operand(pointer, scalar)?;
        // An alignment that is not known is the natural one, which the instruction demands (manual 9.7.9.17).
        let align = match self.scalar(argument(call, 1)?)?.0 {
            Val::Bits(align) => align,
            Val::Register(..) | Val::Address { .. } => MAX_VECTOR,
        };
        let mnemonic = match space {
            address_space::GENERIC => ptx!("ldu.b32"),
            address_space::GLOBAL => ptx!("ldu.global.b32"),
            _ => return Err(RaiseError::new(INTRINSIC, "ldu of memory that is not global")),
        };
        let access = Access { mnemonic, hints: &[], address, align: align.max(1) };
        let values = self.load_leaves(self.type_of(id), &access)?;
        self.define(id, values.into());
        Ok(())
    }

    /// `llvm.nvvm.shfl.sync.i32`.
    pub(super) fn shuffle(&mut self, id: InstId, call: &Call) -> Result<()> {
        let name = self.kind(call, SHUFFLES)?;
        let mut own = call.clone();
        // `kind` has seen it.
        own.args.remove(1);
        self.row_of_name(id, &own, name)
    }

    /// `llvm.nvvm.match.all.sync.i32` and `.i64`.
    pub(super) fn match_all(&mut self, id: InstId, call: &Call) -> Result<()> {
        let name = match self.scalar(argument(call, 1)?)?.1 {
            Scalar::Int(64) => "llvm.nvvm.match.all.sync.i64p",
            _ => "llvm.nvvm.match.all.sync.i32p",
        };
        self.row_of_name(id, call, name)
    }

    /// What the second argument chooses.
    fn kind<T: Copy>(&mut self, call: &Call, kinds: [T; 4]) -> Result<T> {
        let kind = match self.scalar(argument(call, 1)?)?.0 {
            Val::Bits(number) => usize::try_from(number).ok().and_then(|number| kinds.get(number).copied()),
            Val::Register(..) | Val::Address { .. } => None,
        };
        kind.ok_or_else(|| RaiseError::new(INTRINSIC, "the second argument must be a constant from 0 to 3"))
    }

    /// The call as that of an intrinsic that has a row.
    fn row_of_name(&mut self, id: InstId, call: &Call, name: &str) -> Result<()> {
        match intrinsics::by_name(name).next() {
            Some(row) => self.row_intrinsic(id, call, row),
            None => Err(RaiseError::new(INTRINSIC, format!("the intrinsic {name} is not supported"))),
        }
    }

    /// `llvm.nvvm.vote.sync`.
    pub(super) fn vote(&mut self, id: InstId, call: &Call) -> Result<()> {
        let kind = self.kind(call, VOTES)?;
        let (mask, mask_scalar) = self.scalar(argument(call, 0)?)?;
        let (vote, vote_scalar) = self.scalar(argument(call, 2)?)?;
        if (mask_scalar, vote_scalar) != (Scalar::Int(32), Scalar::Int(1)) {
            return Err(RaiseError::new(
                INTRINSIC,
                "llvm.nvvm.vote.sync takes a mask, a kind and a predicate",
            ));
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
