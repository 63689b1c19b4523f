//! Drops moves of a constant to a register that holds it already.
//!
//! Input: any body. Output: the body without these moves. Phis get their constants on every edge, and on nested branches to one block the same
//! ones again:
//!
//! ```text
//! mov.f32 %f1, 0f00000000;              mov.f32 %f1, 0f00000000;
//! @%p1 bra $L_out;                      @%p1 bra $L_out;
//! ld.global.u32 %r1, [%rd1];      ->    ld.global.u32 %r1, [%rd1];
//! setp.eq.s32 %p2, %r1, 0;              setp.eq.s32 %p2, %r1, 0;
//! mov.f32 %f1, 0f00000000;              @%p2 bra $L_out;
//! @%p2 bra $L_out;
//! ```
//!
//! A forward analysis over blocks in reverse post-order, each once: what registers hold at the start of a block is what they hold at the ends of all its predecessors, and
//! nothing at the head of a loop. The register would otherwise be free between the two moves, so that they must not be far apart.

use ptx_ir::cfg::{BlockId, Cfg};
use ptx_ir::{Body, Immediate, Inst, Operand, RegId, Stmt};
use ptx_isa::{MoveSem, Sem};
use rustc_hash::FxHashMap as HashMap;

/// How many instructions there may be between the last access of a register and a move that is dropped.
const MOST_BETWEEN: usize = 64;
/// How many registers are followed at once: about as many as a thread has. It bounds the work for a block.
const MOST_KNOWN: usize = 256;

/// Drops moves of a constant to a register that holds it already.
pub fn drop_known_constants(body: &mut Body) {
    if !moves_a_constant_twice(body) {
        return;
    }
    let cfg = Cfg::new(body);
    let mut ends: Vec<Option<Known>> = vec![None; cfg.blocks.len()];
    let mut dropped = vec![false; body.statements.len()];
    for id in cfg.reverse_post_order() {
        let Some(block) = cfg.blocks.get(id.index()) else { continue };
        let mut known = Known::at_start(&block.predecessors, id, &ends);
        for at in block.statements.clone() {
            let Some(Stmt::Inst(inst)) = body.statements.get(at) else { continue };
            let is_known = known.pass(body, inst);
            if let (true, Some(dropped)) = (is_known, dropped.get_mut(at)) {
                *dropped = true;
            }
        }
        if let Some(end) = ends.get_mut(id.index()) {
            *end = Some(known);
        }
    }
    let mut dropped = dropped.into_iter();
    body.statements.retain(|_| dropped.next() != Some(true));
}

/// What registers hold at a place.
#[derive(Clone, Default)]
struct Known {
    held: HashMap<RegId, Held>,
    /// The number of instructions on the longest path to the place, among those that were followed.
    place: usize,
}

#[derive(Clone, Copy)]
struct Held {
    bits: u64,
    /// The place of the last access.
    accessed: usize,
}

impl Known {
    /// What all predecessors end with; nothing if one of them comes later, which makes the block the head of a loop.
    fn at_start(predecessors: &[BlockId], block: BlockId, ends: &[Option<Known>]) -> Self {
        // The function's start is a predecessor of its first block.
        if block == BlockId(0) {
            return Self::default();
        }
        let mut all = predecessors.iter().map(|predecessor| ends.get(predecessor.index())?.as_ref());
        // What has no predecessors is not reached.
        let Some(Some(first)) = all.next() else { return Self::default() };
        let mut found = first.clone();
        for end in all {
            let Some(end) = end else { return Self::default() };
            found = found.and(end);
        }
        found
    }

    fn and(mut self, other: &Self) -> Self {
        self.place = self.place.max(other.place);
        self.held.retain(|register, own| match other.held.get(register) {
            Some(held) if held.bits == own.bits => {
                own.accessed = own.accessed.min(held.accessed);
                true
            }
            _ => false,
        });
        self
    }

    /// Goes on after an instruction. Whether it is a move that changes nothing and can be dropped.
    fn pass(&mut self, body: &Body, inst: &Inst) -> bool {
        self.place += 1;
        let moved = self.moved(body, inst);
        let before = moved.and_then(|(to, _)| self.held.get(&to).copied());
        let place = self.place;
        body.for_each_register(inst, |register, role| {
            if role.is_written() {
                self.held.remove(&register);
            } else if let Some(held) = self.held.get_mut(&register) {
                held.accessed = place;
            }
        });
        let Some((to, bits)) = moved else { return false };
        if self.held.len() < MOST_KNOWN {
            self.held.insert(to, Held { bits, accessed: place });
        }
        before.is_some_and(|held| held.bits == bits && place - held.accessed <= MOST_BETWEEN)
    }

    /// The register that a move writes, and the constant, where it is one.
    fn moved(&self, body: &Body, inst: &Inst) -> Option<(RegId, u64)> {
        if inst.guard.is_some() || inst.mnemonic.sem() != Sem::Move(MoveSem::Mov) {
            return None;
        }
        let &[Operand::Register(to), from] = body.operands(inst) else { return None };
        let ty = body.reg_type(to);
        let bits = match from {
            Operand::Immediate(constant) => bits_of(constant, ty.bits())?,
            Operand::Register(from) if body.reg_type(from).bits() == ty.bits() => self.held.get(&from)?.bits,
            _ => return None,
        };
        Some((to, bits))
    }
}

/// The bits of a constant in a register; `None` if it has to be converted to fit.
fn bits_of(constant: Immediate, width: u32) -> Option<u64> {
    let mask = if width < 64 { (1 << width) - 1 } else { u64::MAX };
    match constant {
        Immediate::S64(value, _) => Some(value as u64 & mask),
        Immediate::U64(value, _) => Some(value & mask),
        Immediate::F32(bits, _) => (width == 32).then_some(u64::from(bits)),
        Immediate::F64(bits, _) => (width == 64).then_some(bits),
    }
}

/// Whether a register is written by two moves, of which one is of a constant.
fn moves_a_constant_twice(body: &Body) -> bool {
    let mut written: HashMap<RegId, bool> = HashMap::default();
    body.statements.iter().any(|statement| {
        let Stmt::Inst(inst) = statement else { return false };
        if inst.guard.is_some() || inst.mnemonic.sem() != Sem::Move(MoveSem::Mov) {
            return false;
        }
        match body.operands(inst) {
            &[Operand::Register(to), from @ (Operand::Immediate(_) | Operand::Register(_))] => {
                let is_constant = matches!(from, Operand::Immediate(_));
                let before = written.insert(to, is_constant);
                before.is_some_and(|earlier| earlier || is_constant)
            }
            _ => false,
        }
    })
}
