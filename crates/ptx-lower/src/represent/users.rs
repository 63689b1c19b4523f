//! Which values each value determines.

use super::Source;

/// For each value its users.
pub(super) struct Users {
    first: Vec<usize>,
    all: Vec<usize>,
}

impl Users {
    /// The users of a value.
    pub(super) fn of(&self, value: usize) -> &[usize] {
        let range = self.first.get(value).zip(self.first.get(value + 1));
        match range.and_then(|(&first, &end)| self.all.get(first..end)) {
            Some(users) => users,
            None => {
                debug_assert!(false, "value {value} is one of another body");
                &[]
            }
        }
    }

    /// The users of all values, which are made of these.
    pub(super) fn new(sources: &[Source]) -> Self {
        let made_of = |source: &'_ Source| match source {
            Source::Fixed(_) | Source::Free(_) => Vec::new(),
            Source::Copy(values) => values.clone(),
            Source::Sum { terms, less } => terms.iter().chain(less).copied().collect(),
            Source::Resize(value) => vec![*value],
        };
        // One array of users with the start of each value's part, and not a list for each value: bodies have hundreds of thousands of
        // values, most with one user. First the counts, shifted by two, then their prefix sums; filling the parts moves each start to
        // the next value's, which is why they are shifted by one before.
        let mut first = vec![0; sources.len() + 2];
        for value in sources.iter().flat_map(made_of) {
            debug_assert!(value.index() < sources.len(), "{value:?} is one of another body");
            if let Some(count) = first.get_mut(value.index() + 2) {
                *count += 1;
            }
        }
        let mut total = 0;
        for start in &mut first {
            total += *start;
            *start = total;
        }
        let mut all = vec![0; total];
        for (user, source) in sources.iter().enumerate() {
            for value in made_of(source) {
                if let Some(place) = first.get_mut(value.index() + 1) {
                    all[*place] = user;
                    *place += 1;
                }
            }
        }
        Self { first, all }
    }
}
