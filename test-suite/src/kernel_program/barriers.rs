//! Barriers to which the threads of a warp come one by one: threads that part at a branch come to the same barriers by different instructions, with other
//! statements in between, and wait there or only arrive.

use fastrand::Rng;

use super::arithmetic::Instructions;
use super::generate::{Generator, Region};
use super::syntax::Statement;

/// A barrier to which all threads come.
#[derive(Clone, Copy)]
enum Meeting {
    /// One of the block, with this number; threads may come without waiting.
    Block { number: u32, arrives: bool, counts: bool },
    /// One with the sum of predicates, or whether all or any hold.
    Reduction { number: u32, operation: usize },
    /// That of the cluster.
    Cluster,
}

/// The deepest branches within branches that come to one barrier.
const DEPTH: usize = 2;

impl Meeting {
    fn new(rng: &mut Rng, with_cluster: bool) -> Self {
        let number = rng.u32(2..16);
        match rng.u32(..6) {
            0 => Self::Reduction { number, operation: rng.usize(..3) },
            1 if with_cluster => Self::Cluster,
            2 => Self::Block { number, arrives: true, counts: true },
            choice => Self::Block { number, arrives: false, counts: choice == 3 },
        }
    }
}

impl Generator {
    /// A branch on both sides of which threads come to the same barriers. Before it all threads store a word, which others load after a barrier.
    pub(super) fn parted(&mut self, region: &Region) -> Statement {
        let with_cluster = self.blocks.cluster > 1 && region.is_equal;
        let rng = &mut self.instructions.rng;
        let plan: Vec<Meeting> = (0..rng.usize(1..4)).map(|_| Meeting::new(rng, with_cluster)).collect();
        let first = ["barrier.sync 0;", "bar.sync 1;", "barrier.sync.aligned 0;"][rng.usize(..3)];
        let value = self.instructions.value();
        let store = format!("{first}\nst.shared.u32 [%v15], {value};\n");
        let mut parted = self.split(region, |own, inner| own.side(inner, &plan));
        if let Statement::If { head, .. } = &mut parted {
            head.insert_str(0, &store);
        }
        parted
    }

    /// What is on one side: the barriers, with statements around them.
    fn side(&mut self, region: &Region, plan: &[Meeting]) -> Vec<Statement> {
        let mut all = Vec::new();
        for &meeting in plan {
            let size = self.instructions.rng.usize(..2);
            all.extend(self.region(region, size));
            let waits = self.meet(region, meeting, DEPTH, &mut all);
            if waits && self.instructions.rng.bool() {
                let load = self.instructions.load_of_other(self.threads);
                all.push(Statement::Plain(load));
            }
        }
        all
    }

    /// Lets the threads of a region come to a barrier, perhaps by several instructions; returns whether all of them wait.
    fn meet(&mut self, region: &Region, meeting: Meeting, depth: usize, all: &mut Vec<Statement>) -> bool {
        if depth > 0 && self.instructions.rng.u32(..3) == 0 {
            let mut waits = true;
            let parted = self.split(region, |own, inner| {
                let mut side = Vec::new();
                waits &= own.meet(inner, meeting, depth - 1, &mut side);
                side
            });
            all.push(parted);
            return waits;
        }
        let (text, waits) = self.instructions.barrier(meeting, self.threads);
        all.push(Statement::Plain(text));
        waits
    }

    /// A branch with two sides.
    fn split(
        &mut self,
        region: &Region,
        mut side: impl FnMut(&mut Self, &Region) -> Vec<Statement>,
    ) -> Statement {
        let (mut head, predicate) = self.instructions.comparison();
        let lanes = self.sides_of(region, &predicate, &mut head);
        // Jumps out of a side would pass by its barriers.
        let sides = lanes.map(|lanes| side(self, &region.apart(lanes, 0)));
        Statement::If { head, predicate, sides }
    }
}

impl Instructions {
    /// An instruction by which threads come to a barrier, and whether they wait.
    fn barrier(&mut self, meeting: Meeting, threads: u32) -> (String, bool) {
        let all = threads.next_multiple_of(32);
        match meeting {
            Meeting::Cluster => ("barrier.cluster.arrive;\nbarrier.cluster.wait;\n".to_owned(), true),
            Meeting::Block { number, arrives: true, .. } if self.rng.bool() => {
                (format!("barrier.arrive {number}, {all};\n"), false)
            }
            Meeting::Block { number, counts: true, .. } => (format!("barrier.sync {number}, {all};\n"), true),
            Meeting::Block { number, .. } if self.rng.u32(..4) == 0 => {
                // By one of two instructions with a guard.
                let (condition, predicate) = self.comparison();
                let text = format!(
                    "{condition}@{predicate} barrier.sync {number};\n@!{predicate} barrier.sync {number};\n"
                );
                (text, true)
            }
            Meeting::Block { number, .. } => (format!("barrier.sync {number};\n"), true),
            Meeting::Reduction { number, operation } => {
                let (condition, predicate) = self.comparison();
                let (register, other) = (self.register(), self.predicate());
                let text = match operation {
                    0 => format!("barrier.red.popc.u32 {register}, {number}, {predicate};\n"),
                    operation => format!(
                        "barrier.red.{}.pred {other}, {number}, {predicate};\n@{other} add.u32 {register}, {register}, 1;\n",
                        ["or", "and"][operation % 2]
                    ),
                };
                (format!("{condition}{text}"), true)
            }
        }
    }

    /// Loads a word that a thread of the block has stored before a barrier.
    fn load_of_other(&mut self, threads: u32) -> String {
        let (other, register) = (self.word(), self.register());
        let [odd, more] = [self.rng.u32(..8) * 2 + 1, self.rng.u32(..64)];
        format!(
            "mad.lo.u32 {other}, %v3, {odd}, {more};\nrem.u32 {other}, {other}, {threads};\nshl.b32 {other}, {other}, 2;\n\
             add.u32 {other}, {other}, %v14;\nld.shared.u32 {register}, [{other}];\n"
        )
    }
}
