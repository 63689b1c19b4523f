//! Sets of small numbers that store only the words of their bits that are not zero.
//!
//! They are written here because an interference graph has up to 200,000 rows with few members each, for which the rows of common bit sets,
//! which are dense, take too much memory.

/// The non-zero words of a set's bits, each after its index, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SparseBitSet(Vec<(u32, u64)>);

impl SparseBitSet {
    /// Where the word of a number is or would be inserted, the word's index, and the bit in it.
    fn position(&self, number: usize) -> (Result<usize, usize>, u32, u64) {
        let (word, bit) = ((number / 64) as u32, 1 << (number % 64));
        // Most insertions are at the end.
        let position = match self.0.last() {
            Some((last, _)) if *last < word => Err(self.0.len()),
            _ => self.0.binary_search_by_key(&word, |(word, _)| *word),
        };
        (position, word, bit)
    }

    /// The number of words stored.
    pub(crate) fn words(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        let (position, _, bit) = self.position(number);
        position.is_ok_and(|at| self.0[at].1 & bit != 0)
    }

    pub(crate) fn insert(&mut self, number: usize) {
        let (position, word, bit) = self.position(number);
        match position {
            Ok(at) => self.0[at].1 |= bit,
            Err(at) => self.0.insert(at, (word, bit)),
        }
    }

    pub(crate) fn remove(&mut self, number: usize) {
        let (position, _, bit) = self.position(number);
        let Ok(at) = position else { return };
        self.0[at].1 &= !bit;
        if self.0[at].1 == 0 {
            self.0.remove(at);
        }
    }

    /// Adds the members of another set; returns the number of words added.
    pub(crate) fn union_with(&mut self, other: &SparseBitSet) -> usize {
        let mut added = Vec::new();
        let mut at = 0;
        for &(word, bits) in &other.0 {
            while self.0.get(at).is_some_and(|(own, _)| *own < word) {
                at += 1;
            }
            match self.0.get_mut(at) {
                Some((own, all)) if *own == word => *all |= bits,
                _ => added.push((word, bits)),
            }
        }
        if !added.is_empty() {
            self.0.extend_from_slice(&added);
            // The sort merges two ascending runs.
            self.0.sort_by_key(|(word, _)| *word);
        }
        added.len()
    }

    /// Whether two sets have a common member.
    pub(crate) fn intersects(&self, other: &SparseBitSet) -> bool {
        let (few, many) = if self.0.len() < other.0.len() { (self, other) } else { (other, self) };
        few.0.iter().any(|(word, bits)| {
            let found = many.0.binary_search_by_key(word, |(word, _)| *word);
            found.is_ok_and(|at| many.0[at].1 & bits != 0)
        })
    }
}

#[cfg(test)]
mod tests;
