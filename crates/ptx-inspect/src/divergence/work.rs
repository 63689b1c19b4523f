//! What has to be looked at again when the level of a value has risen.

use std::collections::VecDeque;

use crate::code::Code;
use crate::ssa::{Origin, Ssa, ValueId};

/// A statement, or a value that is met in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Statement(usize),
    Meet(ValueId),
}

/// What is still to be looked at, each once.
pub(super) struct Work<'s> {
    ssa: &'s Ssa,
    /// By value, what reads it.
    users: Vec<Vec<Item>>,
    /// All there is, in the order of execution.
    all: Vec<Item>,
    pending: VecDeque<Item>,
    is_pending: Vec<bool>,
}

impl<'s> Work<'s> {
    /// All of a function.
    pub(super) fn new(code: &Code<'_>, ssa: &'s Ssa) -> Self {
        let (mut users, mut all) = (vec![Vec::new(); ssa.values.len()], Vec::new());
        for &block in &code.order {
            for &value in &ssa.meets[block] {
                all.push(Item::Meet(value));
                if let Origin::Meet { from, .. } = &ssa.value(value).origin {
                    from.iter().for_each(|(_, from)| users[from.index()].push(Item::Meet(value)));
                }
            }
            for (at, _) in code.instructions(block) {
                all.push(Item::Statement(at));
                ssa.all_read(at).for_each(|read| users[read.index()].push(Item::Statement(at)));
                for &value in &ssa.writes[at] {
                    if let Origin::Statement { old: Some(old), .. } = ssa.value(value).origin {
                        users[old.index()].push(Item::Statement(at));
                    }
                }
            }
        }
        let is_pending = vec![false; ssa.values.len() + code.body.statements.len()];
        let mut work = Self { ssa, users, all, pending: VecDeque::new(), is_pending };
        work.add_all();
        work
    }

    pub(super) fn next(&mut self) -> Option<Item> {
        let item = self.pending.pop_front()?;
        let number = self.number(item);
        self.is_pending[number] = false;
        Some(item)
    }

    pub(super) fn add_users(&mut self, value: ValueId) {
        for at in 0..self.users[value.index()].len() {
            self.add(self.users[value.index()][at]);
        }
    }

    pub(super) fn add_all(&mut self) {
        for at in 0..self.all.len() {
            self.add(self.all[at]);
        }
    }

    fn add(&mut self, item: Item) {
        let number = self.number(item);
        if !std::mem::replace(&mut self.is_pending[number], true) {
            self.pending.push_back(item);
        }
    }

    fn number(&self, item: Item) -> usize {
        match item {
            Item::Meet(value) => value.index(),
            Item::Statement(at) => self.ssa.values.len() + at,
        }
    }
}
