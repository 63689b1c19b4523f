//! Copy coalescing: registers that copies connect become one where their live ranges do not interfere.
//!
//! Input: a body in which a phi has two registers, one written on each edge and one in its block, which is right for edges of any kind.
//! Output: the body without the copies between registers that became one, and the representative of each register ([`Coalesced`]).
//!
//! ```text
//!     mov.b32 %r2, 0;             mov.b32 %r1, 0;
//! $L_loop:                    $L_loop:
//!     mov.b32 %r1, %r2;
//!     add.s32 %r3, %r1, 1;        add.s32 %r1, %r1, 1;
//!     mov.b32 %r2, %r3;
//!     @%p1 bra $L_loop;           @%p1 bra $L_loop;
//! ```
//!
//! As in Chaitin's allocator, a register interferes with those that are live after a write of it, except with the source if the write is a
//! copy. Equivalence classes of registers are merged greedily, in the order of the copies.

use ptx_ir::cfg::Cfg;
use ptx_ir::liveness::End;
use ptx_ir::{Body, Inst, RegDeclId, RegId, Stmt};
use rustc_hash::FxHashSet as HashSet;

use crate::liveness::{RegisterAccess, RegisterIndex, live_at, statements};
use crate::sparse_bit_set::SparseBitSet;

/// Bodies with more candidates than this are not changed.
const MAX_CANDIDATES: usize = 200_000;
/// Bodies whose interference graph needs more words than this are not changed.
const MAX_INTERFERENCE_WORDS: usize = 1 << 22;

/// The representative of each register's class.
#[derive(Debug, Default)]
pub struct Coalesced {
    indices: Vec<Option<u32>>,
    representatives: Vec<RegId>,
}

impl Coalesced {
    /// The register that replaces `register`, itself if none does.
    pub fn representative(&self, register: RegId) -> RegId {
        let index = self.indices.get(register.index()).copied().flatten();
        index.and_then(|index| self.representatives.get(index as usize)).copied().unwrap_or(register)
    }
}

/// Coalesces the registers of copies, and those of the pairs `wanted`, which no copy needs to connect. Registers of the declarations
/// `foreign`, which have scopes of their own, are not coalesced. Copies to the registers `kept` are the program's own: they are no reason to
/// coalesce, and they stay.
pub fn coalesce(
    body: &mut Body,
    foreign: &HashSet<RegDeclId>,
    kept: &HashSet<RegId>,
    wanted: Vec<(RegId, RegId)>,
) -> Coalesced {
    let pairs: Vec<(RegId, RegId)> = body
        .instructions()
        .filter_map(|(_, inst)| body.copied(inst))
        .filter(|(to, _)| !kept.contains(to))
        .chain(wanted)
        .filter(|&(to, from)| is_candidate_pair(body, foreign, to, from))
        .collect();
    let mut candidates = RegisterIndex::new(body.registers.len());
    for &(to, from) in &pairs {
        candidates.add(to);
        candidates.add(from);
    }
    if candidates.registers.is_empty() || candidates.registers.len() > MAX_CANDIDATES {
        return Coalesced::default();
    }
    let cfg = Cfg::new(body);
    let Some(interferes) = interference(body, &cfg, &candidates) else { return Coalesced::default() };
    let mut classes = Classes::new(interferes);
    for &(to, from) in &pairs {
        if let (Some(to), Some(from)) = (candidates.index(to), candidates.index(from)) {
            classes.merge(to, from);
        }
    }
    let representatives: Vec<RegId> =
        (0..candidates.registers.len()).map(|at| candidates.registers[classes.representative(at)]).collect();
    let coalesced = Coalesced { indices: candidates.indices, representatives };
    rewrite(body, &coalesced, kept);
    coalesced
}

/// Whether two registers have the same type and are none of `foreign` declarations.
fn is_candidate_pair(body: &Body, foreign: &HashSet<RegDeclId>, to: RegId, from: RegId) -> bool {
    let is_own = |register: RegId| {
        body.registers.get(register.index()).is_some_and(|register| !foreign.contains(&register.decl))
    };
    is_own(to) && is_own(from) && body.reg_type(to) == body.reg_type(from)
}

/// The instructions of a block, last first.
fn backward<'b>(body: &'b Body, cfg: &Cfg, block: usize) -> impl Iterator<Item = &'b Inst> + use<'b> {
    statements(body, &cfg.blocks[block]).iter().rev().filter_map(|statement| match statement {
        Stmt::Inst(inst) => Some(inst),
        _ => None,
    })
}

/// Turns the candidates that are live after an instruction into those that are live before it.
fn step_backward(body: &Body, inst: &Inst, candidates: &RegisterIndex, live: &mut SparseBitSet) {
    // A guarded write may not happen, so it ends no live range.
    if inst.guard.is_none() {
        candidates.accesses(body, inst, &mut |index, access| {
            if access == RegisterAccess::Write {
                live.remove(index);
            }
        });
    }
    candidates.accesses(body, inst, &mut |index, access| {
        if access == RegisterAccess::Read {
            live.insert(index);
        }
    });
}

/// The interference graph: by candidate, those that are live after a write of it, or written with it, except the source of a copy.
/// `None` if it is too large.
fn interference(body: &Body, cfg: &Cfg, candidates: &RegisterIndex) -> Option<Vec<SparseBitSet>> {
    let live_out = live_at(body, cfg, candidates, End::Finish)?;
    let mut words = 0;
    let mut interferes = vec![SparseBitSet::default(); candidates.registers.len()];
    for (block, live_out) in live_out.iter().enumerate() {
        let mut live = SparseBitSet::default();
        live_out.iter().for_each(|index| live.insert(*index as usize));
        for inst in backward(body, cfg, block) {
            let source = body.copied(inst).and_then(|(_, from)| candidates.index(from));
            let mut written = Vec::new();
            candidates.accesses(body, inst, &mut |index, access| {
                if access == RegisterAccess::Write {
                    written.push(index);
                }
            });
            for &index in &written {
                let row = &mut interferes[index];
                // Another write may make the two interfere; the copy does not change that.
                let source = source.filter(|source| !row.contains(*source));
                words += row.union_with(&live);
                written.iter().for_each(|other| row.insert(*other));
                row.remove(index);
                if let Some(source) = source {
                    row.remove(source);
                }
            }
            if words > MAX_INTERFERENCE_WORDS {
                return None;
            }
            step_backward(body, inst, candidates, &mut live);
        }
    }
    Some(interferes)
}

/// Equivalence classes of candidates, as a union-find forest.
struct Classes {
    parent: Vec<usize>,
    /// By root, the candidates of its class.
    members: Vec<SparseBitSet>,
    /// By root, the candidates that members interfere with. If two classes interfere, one of the two rows may not have it.
    interferes: Vec<SparseBitSet>,
    /// By root, the first candidate of its class.
    first: Vec<usize>,
}

impl Classes {
    /// One class for each row of the interference graph.
    fn new(interferes: Vec<SparseBitSet>) -> Self {
        let members = (0..interferes.len()).map(|at| {
            let mut own = SparseBitSet::default();
            own.insert(at);
            own
        });
        Self {
            parent: (0..interferes.len()).collect(),
            members: members.collect(),
            first: (0..interferes.len()).collect(),
            interferes,
        }
    }

    fn root(&mut self, index: usize) -> usize {
        let mut root = index;
        while self.parent[root] != root {
            self.parent[root] = self.parent[self.parent[root]];
            root = self.parent[root];
        }
        root
    }

    /// The first candidate of a candidate's class.
    fn representative(&mut self, index: usize) -> usize {
        let root = self.root(index);
        self.first[root]
    }

    /// Merges the classes of two candidates unless they interfere.
    fn merge(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let interfere = |a: usize, b: usize| self.interferes[a].intersects(&self.members[b]);
        if a == b || interfere(a, b) || interfere(b, a) {
            return;
        }
        let size = |at: usize| self.members[at].words() + self.interferes[at].words();
        let (into, from) = if size(a) < size(b) { (b, a) } else { (a, b) };
        let (members, interferes) =
            (std::mem::take(&mut self.members[from]), std::mem::take(&mut self.interferes[from]));
        self.members[into].union_with(&members);
        self.interferes[into].union_with(&interferes);
        self.first[into] = self.first[into].min(self.first[from]);
        self.parent[from] = into;
    }
}

/// Replaces registers by their representatives, and removes the copies of a register to itself, except those to `kept` registers.
fn rewrite(body: &mut Body, coalesced: &Coalesced, kept: &HashSet<RegId>) {
    let representative = |register| coalesced.representative(register);
    let mut statements = std::mem::take(&mut body.statements);
    statements.retain_mut(|statement| {
        let Stmt::Inst(inst) = statement else { return true };
        let is_kept = body.copied(inst).is_some_and(|(to, _)| kept.contains(&to));
        if let Some(guard) = &mut inst.guard {
            guard.register = representative(guard.register);
        }
        inst.operands = body.renamed(inst, representative);
        is_kept || body.copied(inst).is_none_or(|(to, from)| to != from)
    });
    body.statements = statements;
}

#[cfg(test)]
mod tests;
