//! Where control that parted comes together.

use std::collections::BTreeMap;

use crate::code::Code;

/// What follows of threads that part at the end of a block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Parted {
    /// The blocks where they come together by different ways.
    pub(super) joins: Vec<usize>,
    /// The loops that some of them leave while others go on.
    pub(super) left: Vec<usize>,
}

/// The walk along all ways inside a loop. On each way a block has a label: the last join, or the block that the way began with.
struct Walk<'c, 'm> {
    code: &'c Code<'m>,
    /// The loop that is not left; `None` for the whole function.
    scope: Option<usize>,
    /// By position: the block, and its label.
    pending: BTreeMap<usize, (usize, usize)>,
    /// The label that comes to the beginning of the loop again.
    again: Option<usize>,
    /// The blocks outside, with their labels.
    outside: BTreeMap<usize, usize>,
    joins: Vec<usize>,
}

/// Follows the ways from the end of a block.
pub(super) fn parted(code: &Code<'_>, start: usize) -> Parted {
    let mut found = Parted::default();
    let mut scope = code.loops.around(start).next();
    let mut ways: BTreeMap<usize, usize> = code.successors(start).map(|to| (to, to)).collect();
    while !ways.is_empty() {
        let mut walk = Walk {
            code,
            scope,
            pending: BTreeMap::new(),
            again: None,
            outside: BTreeMap::new(),
            joins: Vec::new(),
        };
        ways.iter().for_each(|(block, label)| walk.reach(*block, *label));
        let are_one = walk.run();
        found.joins.append(&mut walk.joins);
        let Some(number) = scope.filter(|_| !are_one) else { break };
        ways = walk.outside;
        if walk.again.is_some() && !ways.is_empty() {
            found.left.push(number);
            ways = leaving(code, number, &mut found.joins);
        }
        if ways.len() < 2 {
            break;
        }
        scope = code.loops.all[number].parent;
    }
    found.joins.sort_unstable();
    found.joins.dedup();
    found
}

/// The blocks after a loop that threads leave at different times, each a way of its own; a join if several blocks go to it.
fn leaving(code: &Code<'_>, number: usize, joins: &mut Vec<usize>) -> BTreeMap<usize, usize> {
    let mut ways = BTreeMap::new();
    for (_, to) in &code.loops.all[number].exits {
        if ways.insert(*to, *to).is_some() {
            joins.push(*to);
        }
    }
    ways
}

impl Walk<'_, '_> {
    /// A way comes to a block with a label.
    fn reach(&mut self, block: usize, label: usize) {
        let loops = &self.code.loops;
        if let Some(number) = self.scope {
            if loops.all[number].header == block {
                if self.again.is_some_and(|other| other != label) {
                    self.joins.push(block);
                }
                self.again = Some(label);
                return;
            }
            if !loops.contains(number, block) {
                if self.outside.insert(block, label).is_some_and(|other| other != label) {
                    self.joins.push(block);
                    self.outside.insert(block, block);
                }
                return;
            }
        }
        let place = self.code.position[block];
        match self.pending.get(&place) {
            None => {
                self.pending.insert(place, (block, label));
            }
            Some((_, other)) if *other != label => {
                self.joins.push(block);
                self.pending.insert(place, (block, block));
            }
            Some(_) => {}
        }
    }

    /// Follows all ways in order. Returns whether they are one in the end.
    fn run(&mut self) -> bool {
        while let Some((place, (block, label))) = self.pending.pop_first() {
            let is_alone = self.pending.is_empty() && self.again.is_none() && self.outside.is_empty();
            if is_alone && self.joins.contains(&block) {
                return true;
            }
            for successor in self.code.successors(block).collect::<Vec<_>>() {
                let is_header =
                    self.scope.is_some_and(|number| self.code.loops.all[number].header == successor);
                // A way back in a loop inside was gone already.
                if self.code.position[successor] > place || is_header {
                    self.reach(successor, label);
                }
            }
        }
        false
    }
}
