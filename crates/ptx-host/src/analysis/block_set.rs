//! Sets of blocks as bits, for the fixed point of the schedule.

use super::BlockId;

const BITS: usize = u64::BITS as usize;

/// A set of blocks. An empty one takes no memory.
#[derive(Clone, Default, Debug)]
pub(super) struct BlockSet {
    words: Vec<u64>,
}

impl BlockSet {
    pub(super) fn insert(&mut self, id: BlockId) {
        let at = id / BITS;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (id % BITS);
    }

    pub(super) fn remove(&mut self, id: BlockId) {
        if let Some(word) = self.words.get_mut(id / BITS) {
            *word &= !(1 << (id % BITS));
        }
    }

    pub(super) fn contains(&self, id: BlockId) -> bool {
        self.words.get(id / BITS).is_some_and(|word| word >> (id % BITS) & 1 == 1)
    }

    pub(super) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds the blocks of another set; returns how many are new.
    pub(super) fn extend(&mut self, other: &Self) -> usize {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grown = 0;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            grown += (more & !*word).count_ones() as usize;
            *word |= more;
        }
        grown
    }

    /// The lowest block, which is removed.
    pub(super) fn pop_first(&mut self) -> Option<BlockId> {
        let at = self.words.iter().position(|&word| word != 0)?;
        let id = at * BITS + self.words[at].trailing_zeros() as usize;
        self.remove(id);
        Some(id)
    }

    /// The blocks in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = BlockId> {
        let of_word = |(at, &word): (usize, &u64)| {
            (0..BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * BITS + bit)
        };
        self.words.iter().enumerate().flat_map(of_word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_inserted() {
        let mut set = BlockSet::default();
        [300, 5, 64, 5].into_iter().for_each(|id| set.insert(id));
        assert_eq!((set.len(), set.iter().collect::<Vec<_>>()), (3, vec![5, 64, 300]));
        let mut more = BlockSet::default();
        [5, 63].into_iter().for_each(|id| more.insert(id));
        assert_eq!((more.extend(&set), more.extend(&set), more.len()), (2, 0, 4));
        set.remove(64);
        assert!(!set.contains(64) && set.contains(300) && !set.contains(1000));
        assert_eq!([set.pop_first(), set.pop_first(), set.pop_first()], [Some(5), Some(300), None]);
    }
}
