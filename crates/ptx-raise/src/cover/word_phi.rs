//! Phis of byte vectors whose inputs are words: their bytes stay packed, four in a register.

use ptx_llvm_core::view::{BinaryOp, CastOp, InstId, Op, Type, TypeId, Value};
use rustc_hash::FxHashSet as HashSet;

use super::decision::Action;
use super::state::Covering;
use crate::types::WORD;

/// Finds the phis whose inputs all are in words.
pub(super) fn find(cover: &mut Covering<'_, '_, '_>) {
    // Code that was PTX has each byte in a separate register, and keeps it there.
    if cover.source.was_ptx || cover.module.target.is_debugging() {
        return;
    }
    let mut found: HashSet<InstId> = HashSet::default();
    for block in &cover.flow.layout {
        let is_phi = |id: &InstId| matches!(cover.source.op(*id), Op::Phi { .. });
        let phis = cover.source.insts(*block).take_while(is_phi);
        found.extend(phis.filter(|id| cover.is_byte_vector(cover.source.inst(*id).ty)));
    }
    loop {
        let stays = |id: &InstId| match cover.source.op(*id) {
            Op::Phi { incoming } => incoming.iter().all(|(value, _)| cover.is_word_like(*value, &found)),
            _ => false,
        };
        let kept: HashSet<InstId> = found.iter().copied().filter(stays).collect();
        if kept.len() == found.len() {
            break;
        }
        found = kept;
    }
    for id in found {
        cover.emit(id, Action::WordPhi);
    }
}

impl Covering<'_, '_, '_> {
    fn is_byte_vector(&self, ty: TypeId) -> bool {
        let Type::Vector { element, len } = self.source.view.ty(ty) else { return false };
        len % WORD as u32 == 0 && matches!(self.source.view.ty(*element), Type::Int { bits: 8 })
    }

    /// Whether a value is likely to be in words, or in parts of few.
    fn is_word_like(&self, value: Value, phis: &HashSet<InstId>) -> bool {
        let Value::Inst(id) = value else { return matches!(value, Value::Arg(_) | Value::Const(_)) };
        match &self.source.inst(id).op {
            Op::Phi { .. } => phis.contains(&id),
            Op::Load { align, .. } => *align >= WORD as u32,
            Op::Cast { op: CastOp::BitCast, .. } | Op::Call(_) | Op::ShuffleVector { .. } => true,
            Op::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, .. } | Op::Select { .. } => true,
            _ => false,
        }
    }
}
