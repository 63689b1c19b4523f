//! Sets of blocks as bits, for the fixed point of the schedule.

use super::BlockId;

const BITS: usize = u64::BITS as usize;

/// A set of blocks. It takes a bit for each block from its lowest to its highest one: those of a set are close to each other, wherever they are in a kernel.
#[derive(Clone, Default, Debug)]
pub(super) struct BlockSet {
    /// The number of the first word, if there are words.
    first: usize,
    words: Vec<u64>,
}

impl BlockSet {
    pub(super) fn insert(&mut self, id: BlockId) {
        self.cover(id / BITS, id / BITS + 1);
        self.words[id / BITS - self.first] |= 1 << (id % BITS);
    }

    pub(super) fn remove(&mut self, id: BlockId) {
        if let Some(word) = (id / BITS).checked_sub(self.first).and_then(|at| self.words.get_mut(at)) {
            *word &= !(1 << (id % BITS));
        }
    }

    pub(super) fn contains(&self, id: BlockId) -> bool {
        let word = (id / BITS).checked_sub(self.first).and_then(|at| self.words.get(at));
        word.is_some_and(|word| word >> (id % BITS) & 1 == 1)
    }

    /// Makes room for the words from one to another.
    fn cover(&mut self, from: usize, to: usize) {
        if self.words.is_empty() {
            self.first = from;
        }
        if from < self.first {
            let more = self.first - from;
            self.words.splice(0..0, std::iter::repeat_n(0, more));
            self.first = from;
        }
        if self.first + self.words.len() < to {
            self.words.resize(to - self.first, 0);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds the blocks of another set; returns how many are new.
    pub(super) fn extend(&mut self, other: &Self) -> usize {
        // Words without blocks at the ends are not needed.
        let Some(begin) = other.words.iter().position(|&word| word != 0) else { return 0 };
        let mut grown = 0;
        self.cover(other.first + begin, other.first + other.words.len());
        let at = other.first + begin - self.first;
        for (word, &more) in self.words[at..].iter_mut().zip(&other.words[begin..]) {
            grown += (more & !*word).count_ones() as usize;
            *word |= more;
        }
        grown
    }

    /// The lowest block, which is removed.
    pub(super) fn pop_first(&mut self) -> Option<BlockId> {
        let at = self.words.iter().position(|&word| word != 0)?;
        let id = (self.first + at) * BITS + self.words[at].trailing_zeros() as usize;
        self.remove(id);
        Some(id)
    }

    /// The blocks in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = BlockId> {
        let of_word = move |(at, &word): (usize, &u64)| {
            (0..BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (self.first + at) * BITS + bit)
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
