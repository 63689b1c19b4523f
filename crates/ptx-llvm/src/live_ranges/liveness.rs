//! The readers of each word, and the blocks that it is live out of.
//!
//! In go the blocks and uses of a function, out comes for one word at a time ([`Liveness::reads`]) what classical liveness gives for all: the
//! words that are asked about are few, and following the uses of one costs no more than the blocks between its maker and its readers.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

use super::words::{Word, Words};

/// A word that more values pass on or more instructions read counts as one that stays live.
const MOST_USES: usize = 256;

/// Where a word is read.
#[derive(Default)]
pub(super) struct Reads {
    /// The instructions that read it, but phis.
    pub(super) readers: HashSet<LLVMValueRef>,
    /// The blocks that it is live out of.
    pub(super) live_out: HashSet<LLVMBasicBlockRef>,
}

/// The words of a function, and where they are read. Moving an instruction within its block changes none of it.
pub(super) struct Liveness {
    pub(super) words: Words,
    before: HashMap<LLVMBasicBlockRef, Vec<LLVMBasicBlockRef>>,
    reads: HashMap<Word, Option<Rc<Reads>>>,
}

impl Liveness {
    /// # Safety
    ///
    /// The function is valid, and its blocks do not change while this exists.
    pub(super) unsafe fn new(function: LLVMValueRef) -> Self {
        let mut before: HashMap<_, Vec<_>> = HashMap::new();
        // SAFETY: blocks of the function; successors are asked for by numbers below their count.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                let end = LLVMGetBasicBlockTerminator(block);
                if !end.is_null() {
                    for at in 0..LLVMGetNumSuccessors(end) {
                        before.entry(LLVMGetSuccessor(end, at)).or_default().push(block);
                    }
                }
                block = LLVMGetNextBasicBlock(block);
            }
        }
        Liveness { words: Words::default(), before, reads: HashMap::new() }
    }

    /// Where a word is read; `None` when those are too many.
    ///
    /// # Safety
    ///
    /// The word is of the function.
    pub(super) unsafe fn reads(&mut self, word: Word) -> Option<Rc<Reads>> {
        if let Some(reads) = self.reads.get(&word) {
            return reads.clone();
        }
        // SAFETY: the caller's.
        let reads = unsafe { self.find_reads(word) }.map(Rc::new);
        self.reads.insert(word, reads.clone());
        reads
    }

    unsafe fn find_reads(&mut self, word: Word) -> Option<Reads> {
        let mut reads = Reads::default();
        let mut ends = Vec::new();
        // The values that have the word: its maker, and those that pass it on (`bitcast`, `trunc`, `extractelement` and so on), whose
        // readers are the word's as well.
        let mut values = vec![word.maker];
        let mut seen = HashSet::new();
        let mut joined = HashSet::new();
        // SAFETY: values of the function; uses are followed to their end, and phis asked for as many operands as they have.
        unsafe {
            while let Some(value) = values.pop() {
                let mut position = LLVMGetFirstUse(value);
                while !position.is_null() {
                    let user = LLVMGetUser(position);
                    position = LLVMGetNextUse(position);
                    if !LLVMIsAPHINode(user).is_null() {
                        // A phi reads at the ends of the blocks that the value comes from, and makes words of its own. It is a user of the
                        // value once for each edge: looking at all its edges each time would take n * n steps. It may take
                        // other values that have the word too, so the pair is remembered.
                        if joined.insert((user, value)) {
                            let incoming = 0..LLVMCountIncoming(user);
                            let from_value = incoming.filter(|at| LLVMGetIncomingValue(user, *at) == value);
                            ends.extend(from_value.map(|at| LLVMGetIncomingBlock(user, at)));
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
                    let list = self.words.of(user);
                    if list.as_ref().is_some_and(|list| list.contains(&Some(word))) {
                        values.push(user);
                    }
                    let computes = list.is_none_or(|list| {
                        list.is_empty() || list.iter().flatten().any(|made| made.maker == user)
                    });
                    if computes {
                        reads.readers.insert(user);
                    }
                }
            }
            self.follow_back(word.maker, ends, &mut reads);
        }
        Some(reads)
    }

    /// Finds the blocks that a word is live out of, back from where it is read to where it is made.
    unsafe fn follow_back(&self, maker: LLVMValueRef, ends: Vec<LLVMBasicBlockRef>, reads: &mut Reads) {
        // SAFETY: the maker is an instruction or an argument, the readers are instructions.
        unsafe {
            let home = match LLVMIsAInstruction(maker).is_null() {
                true => std::ptr::null_mut(),
                false => LLVMGetInstructionParent(maker),
            };
            // Backward liveness of one word, which SSA makes simple: only its maker writes it. A reader in the maker's own block needs
            // no block's end, since it follows the maker there: phis, which would not, are not among the readers.
            let mut pending = ends;
            for reader in &reads.readers {
                let block = LLVMGetInstructionParent(*reader);
                if block != home {
                    pending.extend(self.before.get(&block).into_iter().flatten());
                }
            }
            // Each block is entered once. The walk ends at the maker's block, or at the function's entry for an argument.
            while let Some(block) = pending.pop() {
                if reads.live_out.insert(block) && block != home {
                    pending.extend(self.before.get(&block).into_iter().flatten());
                }
            }
        }
    }
}
