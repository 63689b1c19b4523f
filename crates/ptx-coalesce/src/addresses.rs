//! Removes moves of an address that another move of the same address dominates.
//!
//! Input: a body with a move in every block that needs the address, as selection emits it. Output: the body without the dominated moves; their
//! uses read the register of the dominating one.
//!
//! ```text
//! mov.u64 %rd1, table;          mov.u64 %rd1, table;
//! @%p1 bra $L_2;                @%p1 bra $L_2;
//! mov.u64 %rd2, table;
//! ld.shared.u32 %r1, [%rd2];    ld.shared.u32 %r1, [%rd1];
//! ```
//!
//! ptxas (sm_90) computes an address in shared memory from the cluster's window anew at each move, and does not predicate blocks with such
//! a move.

use ptx_ir::cfg::{BlockId, Cfg};
use ptx_ir::dominators::immediate_dominators;
use ptx_ir::{Body, Inst, Operand, RegDeclId, RegId, Stmt, Symbol};
use ptx_isa::{MoveSem, ScalarType, Sem};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// A variable, an offset from it in bytes, and the type of the register that the address is moved to.
type Address = (Symbol, i64, ScalarType);

/// A move of an address.
struct AddressMove {
    statement: usize,
    register: RegId,
}

/// Removes the moves of an address that another one dominates. Registers of the declarations `foreign`, which have scopes of their own, are
/// not replaced.
pub fn share_addresses(body: &mut Body, foreign: &HashSet<RegDeclId>) {
    let groups = address_moves(body, foreign);
    if groups.is_empty() {
        return;
    }
    let cfg = Cfg::new(body);
    let tree = DominatorTree::new(&cfg);
    let mut replaced: HashMap<RegId, RegId> = HashMap::default();
    let mut removed: HashSet<usize> = HashSet::default();
    for mut group in groups {
        // A dominator precedes what it dominates in reverse post-order.
        group.sort_by_key(|found| tree.position(found.statement));
        let mut leaders: Vec<AddressMove> = Vec::new();
        for found in group {
            match leaders.iter().find(|leader| tree.dominates(leader.statement, found.statement)) {
                Some(leader) => {
                    replaced.insert(found.register, leader.register);
                    removed.insert(found.statement);
                }
                None => leaders.push(found),
            }
        }
    }
    if !removed.is_empty() {
        rewrite(body, &replaced, &removed);
    }
}

/// The moves of each address that is moved more than once, to registers with no other write.
fn address_moves(body: &Body, foreign: &HashSet<RegDeclId>) -> Vec<Vec<AddressMove>> {
    let mut found: HashMap<Address, usize> = HashMap::default();
    let mut groups: Vec<Vec<AddressMove>> = Vec::new();
    for (statement, inst) in body.instructions() {
        let Some((register, symbol, offset)) = moved_address(body, inst) else { continue };
        let is_foreign =
            body.registers.get(register.index()).is_none_or(|register| foreign.contains(&register.decl));
        if !is_foreign {
            let group = *found.entry((symbol, offset, body.reg_type(register))).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.get_mut(group) {
                group.push(AddressMove { statement, register });
            }
        }
    }
    groups.retain(|group| group.len() > 1);
    let mut writes: HashMap<RegId, usize> =
        groups.iter().flatten().map(|found| (found.register, 0)).collect();
    for (_, inst) in body.instructions() {
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

/// The register, variable and offset of an unguarded move of an address.
fn moved_address(body: &Body, inst: &Inst) -> Option<(RegId, Symbol, i64)> {
    match (inst.mnemonic.sem(), inst.guard, body.operands(inst)) {
        (Sem::Move(MoveSem::Mov), None, &[Operand::Register(to), Operand::Symbol(symbol, offset)]) => {
            Some((to, symbol, offset))
        }
        _ => None,
    }
}

/// Replaces registers in all operands and removes statements.
fn rewrite(body: &mut Body, replaced: &HashMap<RegId, RegId>, removed: &HashSet<usize>) {
    let mut statements = std::mem::take(&mut body.statements);
    for statement in &mut statements {
        if let Stmt::Inst(inst) = statement {
            inst.operands =
                body.renamed(inst, |register| replaced.get(&register).copied().unwrap_or(register));
        }
    }
    let mut at = 0;
    statements.retain(|_| {
        at += 1;
        !removed.contains(&(at - 1))
    });
    body.statements = statements;
}

/// The dominator tree. Its nodes are the blocks' reverse post-order numbers.
struct DominatorTree<'c> {
    cfg: &'c Cfg,
    /// By block, its reverse post-order number; `None` if it is unreachable.
    numbers: Vec<Option<usize>>,
    /// By node, its immediate dominator; the root has itself.
    immediate: Vec<usize>,
}

impl<'c> DominatorTree<'c> {
    fn new(cfg: &'c Cfg) -> Self {
        let order = cfg.reverse_post_order();
        let mut numbers = vec![None; cfg.blocks.len()];
        for (number, block) in order.iter().enumerate() {
            if let Some(slot) = numbers.get_mut(block.index()) {
                *slot = Some(number);
            }
        }
        let dominators = immediate_dominators(cfg);
        let immediate = |block: &BlockId| numbers.get((*dominators.get(block.index())?)?).copied().flatten();
        // Default: the entry, which has no dominator, has the number 0.
        let immediate = order.iter().map(|block| immediate(block).unwrap_or(0)).collect();
        Self { cfg, numbers, immediate }
    }

    /// The reverse post-order number of a statement's block (`usize::MAX` if it is unreachable), and the statement.
    fn position(&self, statement: usize) -> (usize, usize) {
        let block = self.cfg.blocks.partition_point(|block| block.statements.end <= statement);
        match self.numbers.get(block) {
            Some(&Some(number)) => (number, statement),
            Some(None) | None => (usize::MAX, statement),
        }
    }

    /// Whether every path from the entry to statement `b` passes statement `a`; false if `b` is unreachable.
    fn dominates(&self, a: usize, b: usize) -> bool {
        let ((dominator, a), (mut node, b)) = (self.position(a), self.position(b));
        if dominator == node {
            return node != usize::MAX && a < b;
        }
        while node > dominator {
            match self.immediate.get(node) {
                Some(&immediate) if immediate < node => node = immediate,
                _ => return false,
            }
        }
        node == dominator
    }
}
