//! Moves the address of a variable to a register once where it was moved in several blocks.
//!
//! Selection moves a variable's address where a block needs it. For ptxas each move of the address of shared memory is a computation from
//! the cluster's window (sm_90), which it repeats, and blocks that hold one are not predicated any more. Compilers move it once
//! for all blocks that the first one dominates.

use ptx_ir::cfg::{BlockId, Cfg};
use ptx_ir::dominators::immediate_dominators;
use ptx_ir::{Body, Inst, Operand, RegDeclId, RegId, Stmt, Symbol};
use ptx_isa::{MoveSem, ScalarType, Sem};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// What a register is filled with: the address of a variable and bytes after it, in a register of a type.
type Address = (Symbol, i64, ScalarType);

/// One move of an address.
struct Move {
    statement: usize,
    register: RegId,
}

/// Leaves out the moves of an address that an earlier one dominates. Registers of the declarations `foreign` have scopes of their own and
/// stay.
pub fn share_addresses(body: &mut Body, foreign: &HashSet<RegDeclId>) {
    let moves = moves(body, foreign);
    if moves.is_empty() {
        return;
    }
    let cfg = Cfg::new(body);
    let order = Dominators::new(&cfg);
    let mut instead: HashMap<RegId, RegId> = HashMap::default();
    let mut dropped: HashSet<usize> = HashSet::default();
    for mut same in moves {
        same.sort_by_key(|found| order.place(&cfg, found.statement));
        let mut leaders: Vec<Move> = Vec::new();
        for found in same {
            let leader =
                leaders.iter().find(|leader| order.comes_before(&cfg, leader.statement, found.statement));
            match leader {
                Some(leader) => {
                    instead.insert(found.register, leader.register);
                    dropped.insert(found.statement);
                }
                None => leaders.push(found),
            }
        }
    }
    if !dropped.is_empty() {
        rewrite(body, &instead, &dropped);
    }
}

/// The moves of each address that several of them move, to registers that nothing else writes.
fn moves(body: &Body, foreign: &HashSet<RegDeclId>) -> Vec<Vec<Move>> {
    let mut found: HashMap<Address, usize> = HashMap::default();
    let mut groups: Vec<Vec<Move>> = Vec::new();
    for (statement, inst) in instructions(body) {
        let Some((register, symbol, offset)) = moved(body, inst) else { continue };
        let is_foreign =
            body.registers.get(register.index()).is_none_or(|register| foreign.contains(&register.decl));
        if !is_foreign {
            let group = *found.entry((symbol, offset, body.reg_type(register))).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.get_mut(group) {
                group.push(Move { statement, register });
            }
        }
    }
    groups.retain(|group| group.len() > 1);
    let mut writes: HashMap<RegId, usize> =
        groups.iter().flatten().map(|found| (found.register, 0)).collect();
    for (_, inst) in instructions(body) {
        body.for_each_register(inst, |register, role| {
            if role.is_written()
                && let Some(count) = writes.get_mut(&register)
            {
                *count += 1;
            }
        });
    }
    for group in &mut groups {
        group.retain(|found| writes.get(&found.register) == Some(&1));
    }
    groups.retain(|group| group.len() > 1);
    groups
}

fn instructions(body: &Body) -> impl Iterator<Item = (usize, &Inst)> {
    body.statements.iter().enumerate().filter_map(|(at, statement)| match statement {
        Stmt::Inst(inst) => Some((at, inst)),
        _ => None,
    })
}

/// The register that an instruction fills with an address, if it does nothing else.
fn moved(body: &Body, inst: &Inst) -> Option<(RegId, Symbol, i64)> {
    match (inst.mnemonic.sem(), inst.guard, body.operands(inst)) {
        (Sem::Move(MoveSem::Mov), None, &[Operand::Register(to), Operand::Symbol(symbol, offset)]) => {
            Some((to, symbol, offset))
        }
        _ => None,
    }
}

/// Puts the chosen registers in and takes the moves out.
fn rewrite(body: &mut Body, instead: &HashMap<RegId, RegId>, dropped: &HashSet<usize>) {
    let mut statements = std::mem::take(&mut body.statements);
    for statement in &mut statements {
        if let Stmt::Inst(inst) = statement {
            inst.operands =
                body.renamed(inst, |register| instead.get(&register).copied().unwrap_or(register));
        }
    }
    let mut at = 0;
    statements.retain(|_| {
        at += 1;
        !dropped.contains(&(at - 1))
    });
    body.statements = statements;
}

/// Which blocks control passes on every way to a block.
struct Dominators {
    /// The place of each block in reverse post-order; `None` where control never comes.
    places: Vec<Option<usize>>,
    /// By place, the place of the next dominator above.
    above: Vec<usize>,
}

impl Dominators {
    fn new(cfg: &Cfg) -> Self {
        let order = cfg.reverse_post_order();
        let mut places = vec![None; cfg.blocks.len()];
        for (place, block) in order.iter().enumerate() {
            if let Some(slot) = places.get_mut(block.index()) {
                *slot = Some(place);
            }
        }
        let immediate = immediate_dominators(cfg);
        let above = |block: &BlockId| places.get((*immediate.get(block.index())?)?).copied().flatten();
        let above = order.iter().map(|block| above(block).unwrap_or_default()).collect();
        Self { places, above }
    }

    /// Where a statement is: the place of its block, and its own.
    fn place(&self, cfg: &Cfg, statement: usize) -> (usize, usize) {
        let block = cfg.blocks.partition_point(|block| block.statements.end <= statement);
        (self.places.get(block).copied().flatten().unwrap_or(usize::MAX), statement)
    }

    /// Whether control passes one statement on every way to another.
    fn comes_before(&self, cfg: &Cfg, first: usize, then: usize) -> bool {
        let ((first_place, first), (mut place, then)) = (self.place(cfg, first), self.place(cfg, then));
        if first_place == place {
            return place != usize::MAX && first < then;
        }
        while place > first_place {
            match self.above.get(place) {
                Some(&above) if above < place => place = above,
                _ => return false,
            }
        }
        place == first_place
    }
}
