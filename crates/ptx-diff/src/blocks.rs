//! Basic blocks of two functions, and which are the same.

use ptx_diag::Span;
use ptx_ir::cfg::Cfg;
use ptx_ir::{Body, Module, Stmt};
use rustc_hash::FxHashMap;

use crate::edit::Edit;

/// A basic block of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its label; one without is named by the label before it and a number, `$L+1`, and the first one `entry`.
    pub name: String,
    /// Its first instruction in the module's text, or its function if it has none.
    pub span: Span,
    /// Its instructions.
    pub instructions: usize,
}

/// A block of the first function and the one of the second that has most of its statements, or a block that only one of them has, with what became of
/// the statements. A statement that the other function has in another block is counted in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlockChange {
    /// The number of the first function's block.
    pub before: Option<usize>,
    /// The number of the second function's block.
    pub after: Option<usize>,
    /// Statements that are the same.
    pub same: usize,
    /// Statements that are changed.
    pub changed: usize,
    /// Statements that only the first function has.
    pub removed: usize,
    /// Statements that only the second function has.
    pub added: usize,
}

impl BlockChange {
    /// Whether both functions have the block with the same statements.
    pub fn is_same(&self) -> bool {
        self.before.is_some() && self.after.is_some() && self.changed + self.removed + self.added == 0
    }
}

/// The blocks of a body in the order of the text, and the block of each statement. `function` is the place of the function.
pub(crate) fn blocks(module: &Module, body: &Body, function: Span) -> (Vec<Block>, Vec<usize>) {
    let cfg = Cfg::new(body);
    let mut of_statements = vec![0; body.statements.len()];
    let mut found = Vec::with_capacity(cfg.blocks.len());
    // Blocks without a label are counted from the last one that has one.
    let (mut label, mut since) = ("entry", 0);
    for (number, block) in cfg.blocks.iter().enumerate() {
        of_statements[block.statements.clone()].fill(number);
        let statements = &body.statements[block.statements.clone()];
        let own = statements.iter().find_map(|statement| match statement {
            Stmt::Label(id) => Some(module.name(body.label(*id).name)),
            _ => None,
        });
        match own {
            Some(own) => (label, since) = (own, 0),
            None if number > 0 => since += 1,
            None => {}
        }
        let instructions = || {
            statements.iter().filter_map(|statement| match statement {
                Stmt::Inst(inst) => Some(inst),
                _ => None,
            })
        };
        // Default: a block without an instruction is the end of its function.
        let span = instructions().next().map_or(function, |inst| inst.at.0);
        let name = if since == 0 { label.to_owned() } else { format!("{label}+{since}") };
        found.push(Block { name, span, instructions: instructions().count() });
    }
    (found, of_statements)
}

/// Matches the blocks of two functions by what became of their statements: two blocks that have more in common with each other than with any other block.
pub(crate) fn match_blocks(edits: &[Edit]) -> Vec<BlockChange> {
    let mut common: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for edit in edits {
        if let (Some(before), Some(after)) = edit.sides() {
            *common.entry((before.block, after.block)).or_default() += 1;
        }
    }
    let (best_after, best_before) =
        (best(&common, |pair| pair), best(&common, |(before, after)| (after, before)));
    let partner_of_before =
        |block: usize| best_after.get(&block).copied().filter(|after| best_before.get(after) == Some(&block));
    let partner_of_after = |block: usize| {
        best_before.get(&block).copied().filter(|before| best_after.get(before) == Some(&block))
    };
    let mut rows = Rows::default();
    for edit in edits {
        let (before, after) = edit.sides();
        let of_before = before.map(|line| (Some(line.block), partner_of_before(line.block)));
        let of_after = after.map(|line| (partner_of_after(line.block), Some(line.block)));
        let both = [of_before, of_after.filter(|of_after| Some(*of_after) != of_before)];
        for row in both.into_iter().flatten() {
            rows.count(row, edit);
        }
    }
    let mut all = rows.rows;
    // In the order of the first function, then what only the second one has.
    all.sort_by_key(|row| (row.before.is_none(), row.before, row.after));
    all
}

#[derive(Default)]
struct Rows {
    rows: Vec<BlockChange>,
    numbers: FxHashMap<(Option<usize>, Option<usize>), usize>,
}

impl Rows {
    fn count(&mut self, (before, after): (Option<usize>, Option<usize>), edit: &Edit) {
        let number = *self.numbers.entry((before, after)).or_insert_with(|| {
            self.rows.push(BlockChange { before, after, ..BlockChange::default() });
            self.rows.len() - 1
        });
        let row = &mut self.rows[number];
        *match edit {
            Edit::Same(..) => &mut row.same,
            Edit::Changed(..) => &mut row.changed,
            Edit::Removed(_) => &mut row.removed,
            Edit::Added(_) => &mut row.added,
        } += 1;
    }
}

/// For each block of one side the block of the other with which it has most in common; of several the first.
fn best(
    common: &FxHashMap<(usize, usize), usize>,
    order: impl Fn((usize, usize)) -> (usize, usize),
) -> FxHashMap<usize, usize> {
    let mut best: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    for (pair, count) in common {
        let (own, other) = order(*pair);
        let known = best.entry(own).or_insert((other, *count));
        // Whichever order the pairs come in.
        if (*count, known.0) > (known.1, other) {
            *known = (other, *count);
        }
    }
    best.into_iter().map(|(own, (other, _))| (own, other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Line;

    fn line(block: usize) -> Line {
        Line { text: String::new(), span: Span::default(), block, is_instruction: true }
    }

    fn same(before: usize, after: usize, count: usize) -> Vec<Edit> {
        (0..count).map(|_| Edit::Same(line(before), line(after))).collect()
    }

    fn row(before: Option<usize>, after: Option<usize>, same: usize, added: usize) -> BlockChange {
        BlockChange { before, after, same, added, ..BlockChange::default() }
    }

    /// Of a block that was split the larger part is the same block, and the statements of the smaller one are counted in both rows.
    #[test]
    fn a_block_that_was_split_is_its_larger_part() {
        let edits = [same(0, 0, 2), same(0, 1, 5), vec![Edit::Added(line(1))], same(1, 2, 1)].concat();
        let expected = [row(Some(0), Some(1), 7, 1), row(Some(1), Some(2), 1, 0), row(None, Some(0), 2, 0)];
        assert_eq!(match_blocks(&edits), expected);
        assert!(!expected[0].is_same() && expected[1].is_same() && !expected[2].is_same());
    }

    #[test]
    fn blocks_without_anything_in_common_are_alone() {
        let edits = [Edit::Removed(line(0)), Edit::Added(line(0))];
        let removed = BlockChange { before: Some(0), removed: 1, ..BlockChange::default() };
        assert_eq!(match_blocks(&edits), [removed, row(None, Some(0), 0, 1)]);
    }
}
