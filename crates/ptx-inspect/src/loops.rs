//! Natural loops and how they are nested.

use crate::code::Code;

/// A loop: the blocks that reach its header again without leaving what the header dominates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub(crate) header: usize,
    /// The blocks that go back to the header.
    pub(crate) latches: Vec<usize>,
    /// The edges that leave it.
    pub(crate) exits: Vec<(usize, usize)>,
    /// All of its blocks, ascending.
    pub(crate) blocks: Vec<usize>,
    /// The loop around it.
    pub(crate) parent: Option<usize>,
    /// 1 for an outermost loop.
    pub(crate) depth: usize,
}

/// The loops of a function in which some are nested deeper are not looked into: what they have together would grow with the square.
const MOST_DEPTH: usize = 200;

/// The loops of a function, outer ones before inner ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Loops {
    pub(crate) all: Vec<Loop>,
    /// The innermost loop of each block.
    innermost: Vec<Option<usize>>,
    /// Whether there are cycles that are none of the loops: with more than one entry, or nested too deep.
    pub(crate) has_others: bool,
}

impl Loops {
    pub(crate) fn new(code: &Code<'_>) -> Self {
        let count = code.cfg.blocks.len();
        let position = &code.position;
        let mut loops = Self { all: Vec::new(), innermost: vec![None; count], has_others: false };
        for &header in &code.order {
            let mut latches = Vec::new();
            for from in code.predecessors(header).filter(|from| position[*from] >= position[header]) {
                if code.dominates(header, from) { latches.push(from) } else { loops.has_others = true }
            }
            if !latches.is_empty() {
                let own =
                    Loop { header, latches, exits: Vec::new(), blocks: Vec::new(), parent: None, depth: 0 };
                loops.all.push(own);
            }
        }
        // Headers of inner loops come later in the order.
        for number in (0..loops.all.len()).rev() {
            loops.collect(code, number);
        }
        if loops.is_too_deep() {
            return Self { has_others: true, all: Vec::new(), innermost: vec![None; count] };
        }
        loops.nest(code);
        loops
    }

    /// Gives each loop its depth. Whether one is deeper than loops are looked into.
    fn is_too_deep(&mut self) -> bool {
        for number in 0..self.all.len() {
            self.all[number].depth = match self.all[number].parent {
                Some(parent) => self.all[parent].depth + 1,
                None => 1,
            };
        }
        self.all.iter().any(|own| own.depth > MOST_DEPTH)
    }

    /// Gives a loop its blocks and the loops in it, of which each knows its own.
    fn collect(&mut self, code: &Code<'_>, number: usize) {
        let header = self.all[number].header;
        let mut pending = self.all[number].latches.clone();
        while let Some(block) = pending.pop() {
            let mut outermost = self.innermost[block];
            while let Some(parent) = outermost.and_then(|at| self.all[at].parent) {
                outermost = Some(parent);
            }
            match outermost {
                Some(inner) if inner == number => {}
                Some(inner) => {
                    self.all[inner].parent = Some(number);
                    let entry = self.all[inner].header;
                    let before = code.predecessors(entry).filter(|from| !code.dominates(entry, *from));
                    pending.extend(before);
                }
                None => {
                    self.innermost[block] = Some(number);
                    if block != header {
                        pending.extend(code.predecessors(block));
                    }
                }
            }
        }
        if self.innermost[header].is_none() {
            self.innermost[header] = Some(number);
        }
    }

    fn nest(&mut self, code: &Code<'_>) {
        for block in 0..self.innermost.len() {
            let around: Vec<usize> = self.around(block).collect();
            for number in around {
                self.all[number].blocks.push(block);
                for to in code.successors(block) {
                    if !self.contains(number, to) {
                        self.all[number].exits.push((block, to));
                    }
                }
            }
        }
    }

    /// The loops that a block is in, inner ones first.
    pub(crate) fn around(&self, block: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.innermost[block], |number| self.all[*number].parent)
    }

    pub(crate) fn contains(&self, number: usize, block: usize) -> bool {
        self.around(block).any(|around| around == number)
    }

    /// The loop that a block begins.
    pub(crate) fn headed_by(&self, block: usize) -> Option<usize> {
        self.around(block).find(|number| self.all[*number].header == block)
    }
}
