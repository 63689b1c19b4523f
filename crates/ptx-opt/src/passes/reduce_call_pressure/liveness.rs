//! The readers of each word, and the blocks that it is live out of.
//!
//! In go the blocks and uses of a function, out comes for one word at a time ([`Liveness::reads`]) what classical liveness gives for all: the
//! words that are asked about are few, and following the uses of one costs no more than the blocks between its maker and its readers.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ptx_llvm_core::edit::{Block, Inst, Opcode, Value};

use super::words::{Word, Words};

/// A word that more values pass on or more instructions read counts as one that stays live.
const MOST_USES: usize = 256;

/// Where a word is read.
#[derive(Default)]
pub(super) struct Reads<'e> {
    /// The instructions that read it, but phis.
    pub(super) readers: HashSet<Inst<'e>>,
    /// The blocks that it is live out of.
    pub(super) live_out: HashSet<Block<'e>>,
}

/// The words of a function, and where they are read. Moving an instruction within its block changes none of it.
pub(super) struct Liveness<'e> {
    pub(super) words: Words<'e>,
    before: HashMap<Block<'e>, Vec<Block<'e>>>,
    reads: HashMap<Word<'e>, Option<Rc<Reads<'e>>>>,
}

impl<'e> Liveness<'e> {
    /// That of a function with these blocks, which do not change while this exists.
    pub(super) fn new(blocks: &[Block<'e>]) -> Self {
        let mut before: HashMap<_, Vec<_>> = HashMap::new();
        for block in blocks {
            for successor in block.successors() {
                before.entry(successor).or_default().push(*block);
            }
        }
        Liveness { words: Words::default(), before, reads: HashMap::new() }
    }

    /// Where a word is read; `None` when those are too many.
    pub(super) fn reads(&mut self, word: Word<'e>) -> Option<Rc<Reads<'e>>> {
        if let Some(reads) = self.reads.get(&word) {
            return reads.clone();
        }
        let reads = self.find_reads(word).map(Rc::new);
        self.reads.insert(word, reads.clone());
        reads
    }

    fn find_reads(&mut self, word: Word<'e>) -> Option<Reads<'e>> {
        let mut reads = Reads::default();
        let mut ends = Vec::new();
        // The values that have the word: its maker, and those that pass it on (`bitcast`, `trunc`, `extractelement` and so on), whose
        // readers are the word's as well.
        let mut values = vec![word.maker];
        let mut seen = HashSet::new();
        let mut joined = HashSet::new();
        while let Some(value) = values.pop() {
            for user in value.users().filter_map(Value::as_inst) {
                if user.opcode() == Opcode::Phi {
                    // A phi reads at the ends of the blocks that the value comes from, and makes words of its own. It is a user of the
                    // value once for each edge: looking at all its edges each time would take n * n steps. It may take
                    // other values that have the word too, so the pair is remembered.
                    if joined.insert((user, value)) {
                        let from_value = user.incomings().filter(|(incoming, _)| *incoming == value);
                        ends.extend(from_value.map(|(_, block)| block));
                    }
                    continue;
                }
                if !seen.insert(user) {
                    continue;
                }
                if seen.len() > MOST_USES {
                    return None;
                }
                // A user that has the word among its own passes it on. It also reads it when it makes some word itself (a `sext` makes the
                // upper half), or is no data (a store, a branch). An `extractelement` of another element does neither.
                let list = self.words.of(user.value());
                if list.as_ref().is_some_and(|list| list.contains(&Some(word))) {
                    values.push(user.value());
                }
                let computes = list.is_none_or(|list| {
                    list.is_empty() || list.iter().flatten().any(|made| made.maker == user.value())
                });
                if computes {
                    reads.readers.insert(user);
                }
            }
        }
        self.follow_back(word.maker, ends, &mut reads);
        Some(reads)
    }

    /// Finds the blocks that a word is live out of, back from where it is read to where it is made.
    fn follow_back(&self, maker: Value<'e>, ends: Vec<Block<'e>>, reads: &mut Reads<'e>) {
        let home = maker.as_inst().and_then(Inst::block);
        // Backward liveness of one word, which SSA makes simple: only its maker writes it. A reader in the maker's own block needs
        // no block's end, since it follows the maker there: phis, which would not, are not among the readers.
        let mut pending = ends;
        for reader in &reads.readers {
            let block = reader.block();
            if block != home {
                pending.extend(block.and_then(|block| self.before.get(&block)).into_iter().flatten());
            }
        }
        // Each block is entered once. The walk ends at the maker's block, or at the function's entry for an argument.
        while let Some(block) = pending.pop() {
            if reads.live_out.insert(block) && Some(block) != home {
                pending.extend(self.before.get(&block).into_iter().flatten());
            }
        }
    }
}
