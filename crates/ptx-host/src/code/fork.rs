//! Code on two paths that meet again.
//!
//! ```text
//!   br i1 %condition, label %one, label %other
//! one:
//!   ..
//!   br label %after
//! other:
//!   ..
//!   br label %after
//! after:
//!   %value = phi i32 [ %of.one, %one ], [ %of.other, %other ]
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{Block, Value};

use super::state::Code;

/// The builder is on the first path: where the condition holds.
#[must_use]
pub(super) struct Fork<'c> {
    other: Block<'c>,
    after: Block<'c>,
}

/// The builder is on the second path.
#[must_use]
pub(super) struct OtherPath<'c> {
    first: Block<'c>,
    after: Block<'c>,
}

/// The builder is where the paths have met; these are the blocks at their ends.
pub(super) struct Met<'c> {
    ends: [Block<'c>; 2],
}

impl<'c> Fork<'c> {
    /// Branches; `is_likely` tells whether the condition usually holds, where that is known. The names are those of the paths and of where they meet.
    pub(super) fn new(
        code: &Code<'_, '_, 'c>,
        condition: Value<'c>,
        is_likely: Option<bool>,
        names: [&str; 3],
    ) -> Result<Self, LlvmError> {
        let [first, other, after] = code.blocks(names);
        match is_likely {
            Some(is_likely) => code.builder().branch_if_likely(condition, first, other, is_likely)?,
            None => code.builder().branch_if(condition, first, other)?,
        };
        code.builder().position_at_end(first);
        Ok(Self { other, after })
    }

    /// Ends the first path and begins the second one.
    pub(super) fn other(self, code: &Code<'_, '_, 'c>) -> Result<OtherPath<'c>, LlvmError> {
        let first = code.builder().block()?;
        code.builder().branch(self.after)?;
        code.builder().position_at_end(self.other);
        Ok(OtherPath { first, after: self.after })
    }
}

impl<'c> OtherPath<'c> {
    /// Ends the second path.
    pub(super) fn meet(self, code: &Code<'_, '_, 'c>) -> Result<Met<'c>, LlvmError> {
        let second = code.builder().block()?;
        code.builder().branch(self.after)?;
        code.builder().position_at_end(self.after);
        Ok(Met { ends: [self.first, second] })
    }
}

impl<'c> Met<'c> {
    /// The value of the path that was taken.
    pub(super) fn either(
        &self,
        code: &Code<'_, '_, 'c>,
        values: [Value<'c>; 2],
    ) -> Result<Value<'c>, LlvmError> {
        let either = code.builder().phi(values[0].ty())?;
        for (value, end) in values.into_iter().zip(self.ends) {
            code.builder().add_incoming(either, value, end)?;
        }
        Ok(either)
    }
}
