//! Results for each row of a kernel.

/// A value for each row of a kernel, and the value of which nothing follows.
#[derive(Clone, Debug)]
pub(super) struct ByRow<T> {
    rows: Vec<T>,
    unknown: T,
}

impl<T> ByRow<T> {
    /// The values of `count` rows. Of `unknown` nothing follows that holds for some values of a row only.
    pub(super) fn new(count: u32, unknown: T, of: impl FnMut(u32) -> T) -> Self {
        Self { rows: (0..count).map(of).collect(), unknown }
    }

    /// The number of rows.
    pub(super) fn count(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The value of a row.
    pub(super) fn get(&self, row: u32) -> &T {
        let found = self.rows.get(row as usize);
        debug_assert!(found.is_some(), "row {row} of a kernel of {} rows", self.rows.len());
        found.unwrap_or(&self.unknown)
    }

    /// The value of a row, to change it.
    pub(super) fn get_mut(&mut self, row: u32) -> Option<&mut T> {
        let count = self.rows.len();
        let found = self.rows.get_mut(row as usize);
        debug_assert!(found.is_some(), "row {row} of a kernel of {count} rows");
        found
    }
}
