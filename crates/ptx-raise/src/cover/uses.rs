//! The uses of each value: their number, and the instructions.

use ptx_llvm_core::view::{InstId, Value};

use crate::flow::Flow;
use crate::per_inst::Users;
use crate::source_function::SourceFunction;

/// Each use of a result or a parameter with the instruction that uses it.
#[derive(Debug, Default)]
pub(super) struct UseList {
    pub(super) of_results: Vec<(InstId, InstId)>,
    of_parameters: Vec<(u32, InstId)>,
}

impl UseList {
    /// The uses by instructions that control can reach.
    pub(super) fn of(source: SourceFunction<'_>, flow: &Flow) -> Self {
        let mut list = Self::default();
        for id in flow.insts(source) {
            source.op(id).for_each_operand(&mut |value| match value {
                Value::Inst(used) => list.of_results.push((used, id)),
                Value::Arg(at) => list.of_parameters.push((at, id)),
                Value::Const(_) | Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => {}
            });
        }
        list
    }

    /// Removes the uses by some instructions.
    pub(super) fn forget(&mut self, user: impl Fn(&InstId) -> bool) {
        self.of_results.retain(|(_, id)| !user(id));
        self.of_parameters.retain(|(_, id)| !user(id));
    }
}

/// The uses of a function's values. The users of a value are those in LLVM IR; the number of remaining reads changes with every decision.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// By instruction: the number of reads of its result in emitted code.
    counts: Vec<u32>,
    users: Users,
    parameter_users: Users,
}

impl Uses {
    pub(super) fn new(source: SourceFunction<'_>, list: &UseList) -> Self {
        let function = source.function;
        let mut counts = vec![0; function.insts.len()];
        for (used, _) in &list.of_results {
            if let Some(count) = counts.get_mut(used.index()) {
                *count += 1;
            }
        }
        let of_results = list.of_results.iter().map(|(used, user)| (used.index(), *user));
        let of_parameters = list.of_parameters.iter().map(|(at, user)| (*at as usize, *user));
        Self {
            counts,
            users: Users::new(function.insts.len(), of_results),
            parameter_users: Users::new(function.params.len(), of_parameters),
        }
    }

    /// The number of reads of a result.
    pub(crate) fn count(&self, id: InstId) -> u32 {
        let count = self.counts.get(id.index());
        debug_assert!(count.is_some(), "an instruction of another function");
        // Default: as asserted.
        count.copied().unwrap_or(0)
    }

    /// The instructions that use a result, each as often as it does.
    pub(crate) fn users(&self, id: InstId) -> &[InstId] {
        self.users.of(id.index())
    }

    /// The same for a parameter or a result.
    pub(crate) fn users_of(&self, value: Value) -> &[InstId] {
        match value {
            Value::Arg(at) => self.parameter_users.of(at as usize),
            Value::Inst(id) => self.users(id),
            Value::Const(_) | Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => &[],
        }
    }

    /// One more instruction reads a value.
    pub(super) fn take(&mut self, value: Value) {
        if let Value::Inst(id) = value
            && let Some(count) = self.counts.get_mut(id.index())
        {
            *count += 1;
        }
    }

    /// One instruction less reads a result; how many are left.
    pub(super) fn release(&mut self, id: InstId) -> u32 {
        let Some(count) = self.counts.get_mut(id.index()) else { return 0 };
        *count = count.saturating_sub(1);
        *count
    }
}
