//! Kernels whose results tell which threads of a warp run together: they branch apart, come together with a number that is known on some of the
//! ways, and where a branch on it leads they ask for the active threads.
//!
//! LLVM would let the ways on which the number is known pass by the place where all come together. Registers that statements share always have
//! a value, so that any statement can be left out.

use fastrand::Rng;

use super::Program;
use super::arithmetic::{Instructions, Own};
use super::syntax::Statement;

/// Statements within statements within statements, up to this depth.
const DEPTH: usize = 3;
/// Words of the thread's output that are stored to on the way.
const WORDS: u32 = 32;

/// Generates the kernel of a seed.
pub(super) fn program(seed: u64) -> Program {
    const BLOCKS: [[u32; 3]; 5] = [[32, 1, 1], [32, 1, 1], [64, 1, 1], [48, 1, 1], [8, 8, 1]];
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x006a_6f69_6e73);
    let block = BLOCKS[rng.usize(..BLOCKS.len())];
    let left = rng.u32(4..16);
    let mut joins = Joins { instructions: Instructions { rng, own: Own::default() }, left };
    let mut body = Vec::new();
    while joins.left > 0 {
        body.extend(joins.statements(0, 0));
    }
    body.push(joins.active());
    let (grid, cluster, functions) = (1, 1, Vec::new());
    Program {
        seed,
        grid,
        block,
        cluster,
        cooperative: false,
        is_long: false,
        reuses_registers: false,
        body,
        functions,
    }
}

struct Joins {
    instructions: Instructions,
    /// Statements that may still be generated.
    left: u32,
}

impl Joins {
    fn one_in(&mut self, n: u32) -> bool {
        self.instructions.rng.u32(..n) == 0
    }

    /// Some statements; `levels` regions around them may be left.
    fn region(&mut self, depth: usize, levels: usize) -> Vec<Statement> {
        let count = self.instructions.rng.usize(1..3);
        (0..count).flat_map(|_| self.statements(depth, levels)).collect()
    }

    fn statements(&mut self, depth: usize, levels: usize) -> Vec<Statement> {
        self.left = self.left.saturating_sub(1);
        if depth >= DEPTH {
            return vec![if self.one_in(3) { self.active() } else { self.work() }];
        }
        match self.instructions.rng.u32(..12) {
            0..=4 => self.known_on_some_ways(depth, levels),
            5 => vec![self.branch(depth, levels)],
            6 => vec![self.repeat(depth)],
            7 => self.known_at_first(depth),
            8 if levels > 0 => {
                let (head, predicate) = self.condition(levels);
                let levels = self.instructions.rng.usize(..levels);
                vec![Statement::Leave { head, predicate, levels }]
            }
            9 => vec![self.active()],
            _ => vec![self.work()],
        }
    }

    /// Instructions that LLVM does not execute where PTX does not, most of them.
    fn work(&mut self) -> Statement {
        let [register, value, word] =
            [self.instructions.register(), self.instructions.value(), self.instructions.word()];
        let at = 4 * self.instructions.rng.u32(..WORDS);
        Statement::Plain(match self.instructions.rng.u32(..10) {
            0 => format!("mad.lo.u32 {register}, {register}, 5, {value};"),
            1 => format!("xor.b32 {register}, {register}, {value};"),
            2 | 3 => {
                format!("ld.volatile.global.u32 {word}, [%x0+{at}];\nadd.u32 {register}, {register}, {word};")
            }
            4 | 5 => format!("red.global.add.u32 [%x2+{at}], {value};"),
            _ => format!("add.u32 {word}, {value}, {at};\nst.global.u32 [%x1+{at}], {word};"),
        })
    }

    /// Threads that run together, as they see it, or what they tell each other.
    fn active(&mut self) -> Statement {
        let [register, value] = [self.instructions.register(), self.instructions.value()];
        let [mask, word] = [self.instructions.word(), self.instructions.word()];
        let (head, predicate) = self.instructions.comparison();
        let told = match self.instructions.rng.u32(..5) {
            0 => format!("{head}vote.sync.ballot.b32 {word}, {predicate}, {mask};\n"),
            1 => format!("and.b32 {word}, {value}, 3;\nmatch.any.sync.b32 {word}, {word}, {mask};\n"),
            2 => format!("redux.sync.add.s32 {word}, {value}, {mask};\n"),
            _ => format!("mov.b32 {word}, {mask};\n"),
        };
        Statement::Plain(format!(
            "activemask.b32 {mask};\n{told}mad.lo.u32 {register}, {register}, 31, {word};"
        ))
    }

    /// A condition in which threads of a warp mostly differ. LLVM must not decide one where a region may be left: without the jump that it then
    /// takes for dead, threads come together earlier.
    fn condition(&mut self, levels: usize) -> (String, String) {
        let [predicate, word] = [self.instructions.predicate(), self.instructions.word()];
        let bit = 1 << self.instructions.rng.u32(..5);
        let head = match self.instructions.rng.u32(..4) {
            0 if levels == 0 => return self.instructions.comparison(),
            1 if levels == 0 => format!("setp.lt.u32 {predicate}, %v7, {bit};\n"),
            _ => format!(
                "ld.volatile.global.u32 {word}, [%x5];\nxor.b32 {word}, {word}, %v6;\nand.b32 {word}, {word}, {bit};\n\
                 setp.eq.u32 {predicate}, {word}, 0;\n"
            ),
        };
        (head, predicate)
    }

    fn branch(&mut self, depth: usize, levels: usize) -> Statement {
        let (head, predicate) = self.condition(levels + 1);
        let other = if self.one_in(3) { Vec::new() } else { self.region(depth + 1, levels + 1) };
        Statement::If { head, predicate, sides: [self.region(depth + 1, levels + 1), other] }
    }

    /// Puts one of a few numbers into a register, mostly `often`: one that is known, or that depends on a condition.
    fn number(&mut self, register: &str, is_known: bool, often: u32) -> Statement {
        let one = if self.one_in(4) { self.instructions.rng.u32(..3) } else { often };
        if is_known {
            return Statement::Plain(format!("mov.u32 {register}, {one};"));
        }
        let (head, predicate) = self.condition(0);
        let other = (one + self.instructions.rng.u32(1..3)) % 3;
        Statement::Plain(format!("{head}selp.u32 {register}, {one}, {other}, {predicate};"))
    }

    /// A branch or a switch whose ways put a number into a register, known on one of them at least, and then one on the number.
    fn known_on_some_ways(&mut self, depth: usize, levels: usize) -> Vec<Statement> {
        let register = self.instructions.register();
        let count = if self.one_in(4) { 3 } else { 2 };
        let known = self.instructions.rng.usize(..count);
        let often = self.instructions.rng.u32(..3);
        // A switch becomes branches, of which some join earlier if a way leads around the place where all do.
        let levels_inside = if count > 2 { 1 } else { levels + 1 };
        let mut ways: Vec<Vec<Statement>> = (0..count)
            .map(|at| {
                let mut way = self.region(depth + 1, levels_inside);
                let is_known = at == known || self.one_in(4);
                way.push(self.number(&register, is_known, often));
                way
            })
            .collect();
        let mut all = Vec::new();
        match (ways.pop(), ways.pop()) {
            (Some(last), Some(first)) if ways.is_empty() => {
                let (head, predicate) = self.condition(levels + 1);
                all.push(Statement::If { head, predicate, sides: [first, last] });
            }
            (last, first) => {
                ways.extend(first.into_iter().chain(last));
                let (index, value) = (self.instructions.word(), self.instructions.value());
                let head = format!("rem.u32 {index}, {value}, {count};\n");
                all.push(Statement::Switch { head, index, cases: ways });
            }
        }
        if self.one_in(4) {
            all.push(self.work());
        }
        all.push(self.chosen(&register, often, depth));
        all
    }

    /// What is executed by those for which a register has a number.
    fn chosen(&mut self, register: &str, often: u32, depth: usize) -> Statement {
        let predicate = self.instructions.predicate();
        let comparison = ["eq", "eq", "eq", "ne", "lt"][self.instructions.rng.usize(..5)];
        let number = if self.one_in(4) { self.instructions.rng.u32(..3) } else { often };
        // What others use, LLVM does not combine with the comparison, and so does not know of the ways.
        let next = self.instructions.value();
        let head = format!(
            "setp.{comparison}.u32 {predicate}, {register}, {number};\nadd.u32 {register}, {next}, {number};\n"
        );
        let mut sides = [vec![self.active(), self.work()], Vec::new()];
        if self.one_in(2) {
            sides[1] = self.region(depth + 1, 1);
        }
        if self.one_in(3) {
            sides.swap(0, 1);
        }
        Statement::If { head, predicate, sides }
    }

    /// A loop of which each thread has its own number of rounds.
    fn repeat(&mut self, depth: usize) -> Statement {
        self.repeated(|joins| {
            let mut body = joins.region(depth + 1, 1);
            body.push(joins.active());
            body
        })
    }

    /// A loop with a number that is known in the first round.
    fn known_at_first(&mut self, depth: usize) -> Vec<Statement> {
        let register = self.instructions.register();
        let often = self.instructions.rng.u32(..3);
        let first = self.number(&register, true, often);
        let rounds = self.repeated(|joins| {
            let mut body = vec![joins.chosen(&register, often, depth + 1)];
            body.extend(joins.region(depth + 1, 1));
            body.push(joins.number(&register, false, often));
            body
        });
        vec![first, rounds]
    }

    fn repeated(&mut self, body: impl FnOnce(&mut Self) -> Vec<Statement>) -> Statement {
        let (counter, again, value) =
            (self.instructions.word(), self.instructions.predicate(), self.instructions.value());
        let head = format!("and.b32 {counter}, {value}, 3;\nadd.u32 {counter}, {counter}, 1;\n");
        let tail = format!("sub.u32 {counter}, {counter}, 1;\nsetp.ne.u32 {again}, {counter}, 0;\n");
        Statement::Loop { head, body: body(self), tail, again }
    }
}
