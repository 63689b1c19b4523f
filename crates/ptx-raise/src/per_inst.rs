//! Data about a function's instructions, by their numbers: nearly every one has an entry, so that a table is smaller and
//! faster than hashing.

use ptx_llvm_core::view::InstId;

/// A value for some of the instructions.
#[derive(Debug)]
pub(crate) struct PerInst<T>(Vec<Option<T>>);

impl<T> PerInst<T> {
    /// An empty table for a function of `count` instructions.
    pub(crate) fn new(count: usize) -> Self {
        Self(std::iter::repeat_with(|| None).take(count).collect())
    }

    pub(crate) fn get(&self, id: InstId) -> Option<&T> {
        self.0.get(id.index())?.as_ref()
    }

    pub(crate) fn contains(&self, id: InstId) -> bool {
        self.get(id).is_some()
    }

    /// Sets the value of an instruction; ignored for instructions that the function does not have.
    pub(crate) fn insert(&mut self, id: InstId, known: T) {
        if let Some(slot) = self.0.get_mut(id.index()) {
            *slot = Some(known);
        }
    }
}

/// The users of each value.
#[derive(Debug, Default)]
pub(crate) struct Users {
    /// For each value where its users begin; those of the next one follow.
    starts: Vec<u32>,
    users: Vec<InstId>,
}

impl Users {
    /// The users of `count` values, from pairs of a value's number and a user; those of a value stay in their order.
    pub(crate) fn new(count: usize, uses: impl ExactSizeIterator<Item = (usize, InstId)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        uses.clone().for_each(|(value, _)| starts[value.min(count)] += 1);
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        let mut next = starts.clone();
        let mut users = vec![InstId::new(0); uses.len()];
        for (value, user) in uses {
            let place = &mut next[value.min(count)];
            users[*place as usize] = user;
            *place += 1;
        }
        Self { starts, users }
    }

    /// The users of a value, each as often as it uses it.
    pub(crate) fn of(&self, value: usize) -> &[InstId] {
        let users = self.get(value);
        debug_assert!(users.is_some(), "a value of another function");
        // Default: as asserted.
        users.unwrap_or(&[])
    }

    fn get(&self, value: usize) -> Option<&[InstId]> {
        let (start, end) = (*self.starts.get(value)?, *self.starts.get(value + 1)?);
        self.users.get(start as usize..end as usize)
    }
}
