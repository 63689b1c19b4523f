//! Joins registers that a copy connects and that are never alive at the same time with different values.
//!
//! Phis are raised with two registers and two copies each, which is right for edges of any kind.
//! Most of them can share one register with the values they take, as compilers write loops; this finds out which, by liveness and
//! interference over the finished body, and drops the copies.

use ptx_ir::cfg::Cfg;
use ptx_ir::liveness::End;
use ptx_ir::{Body, Inst, RegDeclId, RegId, Stmt};
use rustc_hash::FxHashSet as HashSet;

use crate::liveness::{RegisterAccess, RegisterIndex, live_at};

/// More candidates than this are left alone.
const MAX_CANDIDATES: usize = 200_000;

/// Lives over more blocks than this, all together, are too long to keep.
const MAX_LIVES: usize = 1 << 24;
/// More words of candidates that must stay apart than this are too many.
const MAX_WORDS: usize = 1 << 22;

/// Which register stands for each after joining.
#[derive(Debug, Default)]
pub struct Joined {
    indices: Vec<Option<u32>>,
    chosen: Vec<RegId>,
}

impl Joined {
    /// The register that has what `register` had.
    pub fn of(&self, register: RegId) -> RegId {
        let index = self.indices.get(register.index()).copied().flatten();
        index.and_then(|index| self.chosen.get(index as usize)).copied().unwrap_or(register)
    }
}

/// Joins what can be joined. Registers of the declarations `foreign` have scopes of their own and stay; what is copied to the registers
/// `kept` is the program's own copy, and stays one. The pairs `wanted` are joined where nothing speaks against it, though no copy connects them.
pub fn coalesce(
    body: &mut Body,
    foreign: &HashSet<RegDeclId>,
    kept: &HashSet<RegId>,
    wanted: Vec<(RegId, RegId)>,
) -> Joined {
    let copies: Vec<(RegId, RegId)> = body
        .statements
        .iter()
        .filter_map(|statement| copy_of(body, statement, foreign))
        .filter(|(to, _)| !kept.contains(to))
        .chain(wanted.into_iter().filter(|&(a, b)| body.reg_type(a) == body.reg_type(b)))
        .collect();
    let mut candidates = RegisterIndex::new(body.registers.len());
    for &(to, from) in &copies {
        candidates.add(to);
        candidates.add(from);
    }
    if candidates.registers.is_empty() || candidates.registers.len() > MAX_CANDIDATES {
        return Joined::default();
    }
    let cfg = Cfg::new(body);
    let Some(apart) = interference(body, &cfg, &candidates) else { return Joined::default() };
    let mut classes = Classes::new(apart);
    for &(to, from) in &copies {
        if let (Some(to), Some(from)) = (candidates.index(to), candidates.index(from)) {
            classes.join(to, from);
        }
    }
    let renamed: Vec<RegId> =
        (0..candidates.registers.len()).map(|at| candidates.registers[classes.first(at)]).collect();
    rewrite(body, &candidates, &renamed);
    Joined { indices: candidates.indices, chosen: renamed }
}

/// The registers of a statement that copies one to another of the same type.
fn copy_of(body: &Body, statement: &Stmt, foreign: &HashSet<RegDeclId>) -> Option<(RegId, RegId)> {
    let Stmt::Inst(inst) = statement else { return None };
    let (to, from) = body.copied(inst)?;
    let own = |register: RegId| {
        body.registers.get(register.index()).is_some_and(|register| !foreign.contains(&register.decl))
    };
    (own(to) && own(from) && body.reg_type(to) == body.reg_type(from)).then_some((to, from))
}

/// A set of candidates: the words of its bits that are not zero, by their places.
#[derive(Clone, Debug, Default)]
struct Set(Vec<(u32, u64)>);

impl Set {
    fn place(&self, index: usize) -> (Result<usize, usize>, u32, u64) {
        let (word, bit) = ((index / 64) as u32, 1 << (index % 64));
        // Most of what is added comes at the end.
        let place = match self.0.last() {
            Some((last, _)) if *last < word => Err(self.0.len()),
            _ => self.0.binary_search_by_key(&word, |(word, _)| *word),
        };
        (place, word, bit)
    }

    fn contains(&self, index: usize) -> bool {
        let (place, _, bit) = self.place(index);
        place.is_ok_and(|at| self.0[at].1 & bit != 0)
    }

    fn insert(&mut self, index: usize) {
        let (place, word, bit) = self.place(index);
        match place {
            Ok(at) => self.0[at].1 |= bit,
            Err(at) => self.0.insert(at, (word, bit)),
        }
    }

    fn remove(&mut self, index: usize) {
        let (place, _, bit) = self.place(index);
        let Ok(at) = place else { return };
        self.0[at].1 &= !bit;
        if self.0[at].1 == 0 {
            self.0.remove(at);
        }
    }

    /// Adds what another set has; how many words that takes more.
    fn extend(&mut self, other: &Set) -> usize {
        let mut more = Vec::new();
        let mut at = 0;
        for &(word, bits) in &other.0 {
            while self.0.get(at).is_some_and(|(own, _)| *own < word) {
                at += 1;
            }
            match self.0.get_mut(at) {
                Some((own, all)) if *own == word => *all |= bits,
                _ => more.push((word, bits)),
            }
        }
        if !more.is_empty() {
            self.0.extend_from_slice(&more);
            // Two runs that are in order each: sorting joins them.
            self.0.sort_by_key(|(word, _)| *word);
        }
        more.len()
    }

    /// Whether two sets have an element in common.
    fn meets(&self, other: &Set) -> bool {
        let (few, many) = if self.0.len() < other.0.len() { (self, other) } else { (other, self) };
        few.0.iter().any(|(word, bits)| {
            let found = many.0.binary_search_by_key(word, |(word, _)| *word);
            found.is_ok_and(|at| many.0[at].1 & bits != 0)
        })
    }
}

/// The instructions of a block, last first.
fn backward<'b>(body: &'b Body, cfg: &Cfg, block: usize) -> impl Iterator<Item = &'b Inst> + use<'b> {
    let range = cfg.blocks[block].statements.clone();
    body.statements.get(range).unwrap_or(&[]).iter().rev().filter_map(|statement| match statement {
        Stmt::Inst(inst) => Some(inst),
        _ => None,
    })
}

/// Steps a set of live candidates backward over an instruction.
fn step(body: &Body, inst: &Inst, candidates: &RegisterIndex, live: &mut Set) {
    // A guarded write may not happen, so it ends no life.
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

/// By candidate, those it must stay apart from because they are alive where it is written, unless it is a copy of them there.
/// `None` when there are too many.
fn interference(body: &Body, cfg: &Cfg, candidates: &RegisterIndex) -> Option<Vec<Set>> {
    let alive = live_at(body, cfg, candidates, End::Finish, MAX_LIVES)?;
    let mut words = 0;
    let mut apart = vec![Set::default(); candidates.registers.len()];
    for (block, alive) in alive.iter().enumerate() {
        let mut live = Set::default();
        alive.iter().for_each(|index| live.insert(*index as usize));
        for inst in backward(body, cfg, block) {
            let source = body.copied(inst).and_then(|(_, from)| candidates.index(from));
            let mut written = Vec::new();
            candidates.accesses(body, inst, &mut |index, access| {
                if access == RegisterAccess::Write {
                    written.push(index);
                }
            });
            for &index in &written {
                let own = &mut apart[index];
                let was_apart = source.is_some_and(|source| own.contains(source));
                words += own.extend(&live);
                written.iter().for_each(|other| own.insert(*other));
                own.remove(index);
                if let Some(source) = source.filter(|_| !was_apart) {
                    own.remove(source);
                }
            }
            if words > MAX_WORDS {
                return None;
            }
            step(body, inst, candidates, &mut live);
        }
    }
    Some(apart)
}

/// Candidates joined so far.
struct Classes {
    parent: Vec<usize>,
    /// For roots: the candidates of the class, and those that one of them must stay apart from. Whether two classes must is
    /// known to one of them.
    members: Vec<Set>,
    apart: Vec<Set>,
    /// For roots: the first candidate of the class.
    first: Vec<usize>,
}

impl Classes {
    fn new(apart: Vec<Set>) -> Self {
        let members = (0..apart.len()).map(|at| {
            let mut own = Set::default();
            own.insert(at);
            own
        });
        Self {
            parent: (0..apart.len()).collect(),
            members: members.collect(),
            first: (0..apart.len()).collect(),
            apart,
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

    /// The first candidate of the class that one is in.
    fn first(&mut self, index: usize) -> usize {
        let root = self.root(index);
        self.first[root]
    }

    /// Joins two classes unless they must stay apart.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b || self.apart[a].meets(&self.members[b]) || self.apart[b].meets(&self.members[a]) {
            return;
        }
        let size = |at: usize| self.members[at].0.len() + self.apart[at].0.len();
        let (into, from) = if size(a) < size(b) { (b, a) } else { (a, b) };
        let (members, apart) =
            (std::mem::take(&mut self.members[from]), std::mem::take(&mut self.apart[from]));
        self.members[into].extend(&members);
        self.apart[into].extend(&apart);
        self.first[into] = self.first[into].min(self.first[from]);
        self.parent[from] = into;
    }
}

/// Puts the chosen registers in and drops copies of a register to itself.
fn rewrite(body: &mut Body, candidates: &RegisterIndex, chosen: &[RegId]) {
    let rename = |register: RegId| candidates.index(register).map_or(register, |index| chosen[index]);
    let mut statements = std::mem::take(&mut body.statements);
    for statement in &mut statements {
        let Stmt::Inst(inst) = statement else { continue };
        if let Some(guard) = &mut inst.guard {
            guard.register = rename(guard.register);
        }
        inst.operands = body.renamed(inst, rename);
    }
    statements.retain(|statement| match statement {
        Stmt::Inst(inst) => body.copied(inst).is_none_or(|(to, from)| to != from),
        _ => true,
    });
    body.statements = statements;
}
