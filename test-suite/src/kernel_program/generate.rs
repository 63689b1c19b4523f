//! Generates programs.

use fastrand::Rng;

use super::Program;
use super::arithmetic::{Instructions, Own};
use super::blocks::Blocks;
use super::syntax::Statement;

/// What holds in a region.
#[derive(Clone)]
pub(super) struct Region {
    /// The lanes of the warp that run it, where these are together.
    lanes: Option<String>,
    /// Whether all threads of the block run it, each as often as the others.
    is_whole: bool,
    /// Whether all blocks run it, each as often as the others.
    pub(super) is_equal: bool,
    /// Regions around it, up to the next loop or the body.
    depth: usize,
    /// Whether it is in a function.
    is_function: bool,
    /// Regions around it that have no operation of lanes that would wait for those who leave, itself included.
    levels: usize,
}

impl Region {
    /// One inside of it that as many threads run, all of them together.
    fn together(&self) -> Self {
        Self { depth: self.depth + 1, levels: 0, ..self.clone() }
    }

    /// One inside of it that threads run which part from others: these lanes of a warp, where it is known which. With `levels` further regions
    /// around it may be left by a jump out of it.
    pub(super) fn apart(&self, lanes: Option<String>, levels: usize) -> Self {
        Self {
            lanes,
            is_whole: false,
            is_equal: false,
            depth: self.depth + 1,
            is_function: self.is_function,
            levels,
        }
    }
}

pub(super) struct Generator {
    pub(super) instructions: Instructions,
    pub(super) threads: u32,
    pub(super) blocks: Blocks,
    /// Whether the threads of a warp come to barriers one by one (`barriers.rs`).
    singly: bool,
    /// Whether threads wait for each other in loops (`locks.rs`).
    locks: bool,
    /// Statements that may still be generated.
    left: u32,
}

/// Shapes of blocks.
const BLOCKS: [[u32; 3]; 14] = [
    [32, 1, 1],
    [64, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [33, 1, 1],
    [96, 1, 1],
    [1, 1, 1],
    [7, 1, 1],
    [100, 1, 1],
    [16, 16, 1],
    [8, 8, 1],
    [5, 9, 1],
    [4, 4, 8],
];

/// What threads of a block, or of several, have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Common {
    Launch,
    Block,
    Warp,
}

/// Instructions of warps that a long launch executes at least.
const LONG: u32 = 1_200_000;

/// Generates the program of a seed.
pub(super) fn program(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x006b_6572_6e65_6c73);
    let block = BLOCKS[rng.usize(..BLOCKS.len())];
    let blocks = Blocks::apart(rng.u32(1..4));
    of_blocks(seed, rng, block, blocks, Kind::Any)
}

/// Generates one whose threads wait for each other in loops.
pub(super) fn locks(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x006c_6f63_6b73);
    let block = BLOCKS[rng.usize(..BLOCKS.len())];
    let blocks = match rng.u32(..4) {
        0 => Blocks { is_long: false, ..Blocks::together(&mut rng, block.iter().product()) },
        _ => Blocks::apart(rng.u32(1..4)),
    };
    of_blocks(seed, rng, block, blocks, Kind::Locks)
}

/// Generates one the threads of whose warps come to barriers one by one.
pub(super) fn barriers(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6261_7272_6965_7273);
    let block = BLOCKS[rng.usize(..BLOCKS.len())];
    let blocks = match rng.u32(..3) {
        0 => {
            let blocks = Blocks::together(&mut rng, block.iter().product());
            // Clusters of which all are there at once wait for the grid, too.
            Blocks { is_long: false, cooperative: blocks.cooperative || rng.bool(), ..blocks }
        }
        _ => Blocks::apart(rng.u32(1..4)),
    };
    of_blocks(seed, rng, block, blocks, Kind::Barriers)
}

/// Generates one whose blocks do something together.
pub(super) fn grid(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0067_7269_6473);
    let block = BLOCKS[rng.usize(..BLOCKS.len())];
    let blocks = Blocks::together(&mut rng, block.iter().product());
    of_blocks(seed, rng, block, blocks, Kind::Any)
}

/// What a program has beside what all have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    /// Barriers to which the threads of a warp come one by one.
    Barriers,
    /// Sections that one thread at a time executes.
    Locks,
}

fn of_blocks(seed: u64, mut rng: Rng, block: [u32; 3], blocks: Blocks, kind: Kind) -> Program {
    let size = [8, 14, 25][rng.usize(..3)];
    let instructions = Instructions { rng, own: Own::default() };
    let threads: u32 = block.iter().product();
    let mut generator = Generator {
        instructions,
        threads,
        blocks,
        singly: kind == Kind::Barriers,
        locks: kind == Kind::Locks,
        left: size,
    };
    let functions: Vec<Vec<Statement>> = (0..2).map(|_| generator.function()).collect();
    generator.left = size;
    let top = Region {
        lanes: Some("%v10".to_owned()),
        is_whole: true,
        is_equal: true,
        depth: 0,
        is_function: false,
        levels: 0,
    };
    let mut body = if blocks.is_long { vec![generator.long(&top)] } else { Vec::new() };
    body.extend(generator.body(top));
    let Blocks { grid, cluster, cooperative, is_long } = blocks;
    Program { seed, grid, block, cluster, cooperative, is_long, reuses_registers: false, body, functions }
}

impl Generator {
    fn function(&mut self) -> Vec<Statement> {
        self.left = 5;
        let region =
            Region { lanes: None, is_whole: false, is_equal: false, depth: 1, is_function: true, levels: 1 };
        self.region(&region, 4)
    }

    /// A loop that makes the launch a long one.
    fn long(&mut self, top: &Region) -> Statement {
        let (counter, again) = (self.instructions.word(), self.instructions.predicate());
        let warps = self.threads.div_ceil(32) * self.blocks.grid;
        let mut body =
            vec![Statement::Plain(self.arithmetic()), Statement::Plain(self.instructions.access())];
        if let Some(lanes) = &top.lanes {
            body.push(Statement::Plain(self.instructions.collective(lanes)));
        }
        // Each round has at least three instructions, of the loop itself.
        let head = format!("mov.u32 {counter}, {};\n", LONG.div_ceil(3 * warps));
        let tail = format!("sub.u32 {counter}, {counter}, 1;\nsetp.ne.u32 {again}, {counter}, 0;\n");
        Statement::Loop { head, body, tail, again }
    }

    /// The body of the kernel. Threads may leave it for good, after which the others do without barriers.
    fn body(&mut self, mut top: Region) -> Vec<Statement> {
        let mut all = Vec::new();
        let exits = self.instructions.rng.u32(..4) == 0;
        while self.left > 0 {
            let some = self.instructions.rng.usize(1..6);
            all.extend(self.region(&top, some));
            if exits && self.instructions.rng.u32(..3) == 0 {
                let (head, predicate) = self.instructions.comparison();
                let Some(lanes) = top.lanes.clone() else { continue };
                let rest = self.instructions.word();
                let head = format!("{head}vote.sync.ballot.b32 {rest}, !{predicate}, {lanes};\n");
                all.push(Statement::Exit { head, predicate });
                // Threads that have exited are not waited for.
                (top.lanes, top.is_whole) = (Some(rest), self.singly && self.instructions.rng.bool());
                top.is_equal &= top.is_whole && !self.blocks.meet();
            }
        }
        all
    }

    pub(super) fn region(&mut self, region: &Region, size: usize) -> Vec<Statement> {
        let mut region = region.clone();
        let mut all = Vec::new();
        for _ in 0..size {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            all.push(self.statement(&mut region));
        }
        all
    }

    fn statement(&mut self, region: &mut Region) -> Statement {
        let choice = self.instructions.rng.u32(..20);
        match choice {
            0..=4 => Statement::Plain(self.arithmetic()),
            8 | 9 if self.locks && !region.is_function && self.instructions.rng.bool() => {
                Statement::Plain(self.instructions.section())
            }
            5..=7 if !region.is_function => Statement::Plain(self.instructions.access()),
            8 | 9 if self.singly && region.is_whole && self.instructions.rng.u32(..3) > 0 => {
                self.parted(region)
            }
            8 | 9 if self.meets_blocks(region) => {
                Statement::Plain(self.instructions.among_blocks(self.blocks, self.threads))
            }
            8 | 9 if region.is_whole => Statement::Plain(self.instructions.exchange(self.threads)),
            10..=12 => match region.lanes.clone() {
                Some(lanes) => Statement::Plain(self.instructions.collective(&lanes)),
                None => Statement::Plain(self.arithmetic()),
            },
            13 | 14 if region.depth < 3 => self.branch(region),
            15 | 16 if region.depth < 3 => self.repeat(region),
            17 if region.depth < 3 => self.switch(region),
            18 if region.levels > 0 => {
                let (head, predicate) = self.instructions.comparison();
                // Lanes are apart from here to the end of the region that is left.
                let levels = self.instructions.rng.usize(..region.levels);
                Statement::Leave { head, predicate, levels }
            }
            19 if !region.is_function => {
                let [result, first, second] =
                    [self.instructions.register(), self.instructions.value(), self.instructions.value()];
                let name = self.instructions.rng.u32(..2);
                Statement::Plain(format!(
                    "{{\n.param .b32 result;\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], {first};\nst.param.b32 [b], {second};\n\
                     call (result), f{name}, (a, b);\nld.param.b32 {result}, [result];\n}}\n"
                ))
            }
            _ => Statement::Plain(self.arithmetic()),
        }
    }

    /// Whether blocks do something together here. Programs whose blocks do not are those that their seeds have always given.
    fn meets_blocks(&mut self, region: &Region) -> bool {
        self.blocks.meet() && region.is_whole && region.is_equal && self.instructions.rng.bool()
    }

    fn arithmetic(&mut self) -> String {
        (0..self.instructions.rng.u32(1..5)).map(|_| self.instructions.arithmetic()).collect()
    }

    /// A condition that all threads of a warp, or of more, have in common; nothing if lanes may differ in it.
    fn common(&mut self, region: &Region) -> Option<(String, String, Common)> {
        let predicate = self.instructions.predicate();
        let word = self.instructions.word();
        let number = self.instructions.rng.u32(..64);
        match self.instructions.rng.u32(..6) {
            0 => Some((
                format!("and.b32 {word}, %v4, 1;\nsetp.eq.u32 {predicate}, {word}, 0;\n"),
                predicate,
                Common::Block,
            )),
            1 => Some((format!("setp.lt.u32 {predicate}, %v7, {number};\n"), predicate, Common::Launch)),
            2 => Some((
                format!("shr.u32 {word}, %v3, 5;\nsetp.ge.u32 {predicate}, {word}, 1;\n"),
                predicate,
                Common::Warp,
            )),
            3 => {
                let lanes = region.lanes.clone()?;
                let (head, own) = self.instructions.comparison();
                Some((
                    format!("{head}vote.sync.any.pred {predicate}, {own}, {lanes};\n"),
                    predicate,
                    Common::Warp,
                ))
            }
            _ => None,
        }
    }

    /// The lanes on the sides of a branch, where those of the region are known: `head` computes them.
    pub(super) fn sides_of(
        &mut self,
        region: &Region,
        predicate: &str,
        head: &mut String,
    ) -> [Option<String>; 2] {
        let Some(outer) = region.lanes.as_ref().filter(|_| self.instructions.rng.u32(..4) > 0) else {
            return [None, None];
        };
        let [own, other, opposite] =
            [self.instructions.word(), self.instructions.word(), self.instructions.word()];
        *head += &format!(
            "vote.sync.ballot.b32 {own}, {predicate}, {outer};\nnot.b32 {opposite}, {own};\nand.b32 {other}, {opposite}, {outer};\n"
        );
        [Some(own), Some(other)]
    }

    fn branch(&mut self, region: &Region) -> Statement {
        let sizes = [self.instructions.rng.usize(1..4), self.instructions.rng.usize(..3)];
        if let Some((head, predicate, common)) = self.common(region) {
            let inner = Region {
                is_whole: region.is_whole && common != Common::Warp,
                is_equal: region.is_equal && common == Common::Launch,
                ..region.together()
            };
            let sides = sizes.map(|size| self.region(&inner, size));
            return Statement::If { head, predicate, sides };
        }
        let (mut head, predicate) = self.instructions.comparison();
        let lanes = self.sides_of(region, &predicate, &mut head);
        let mut sides = [Vec::new(), Vec::new()];
        for ((side, lanes), size) in sides.iter_mut().zip(lanes).zip(sizes) {
            let levels = if lanes.is_none() { region.levels + 1 } else { 0 };
            *side = self.region(&region.apart(lanes, levels), size);
        }
        Statement::If { head, predicate, sides }
    }

    /// A loop with as many rounds for all threads, or for each lane its own.
    fn repeat(&mut self, region: &Region) -> Statement {
        let counter = self.instructions.word();
        let again = self.instructions.predicate();
        let size = self.instructions.rng.usize(1..4);
        let step = format!("sub.u32 {counter}, {counter}, 1;\nsetp.ne.u32 {again}, {counter}, 0;\n");
        if self.instructions.rng.bool() {
            let rounds = ["1", "2", "3", "5"][self.instructions.rng.usize(..4)];
            let mut inner = region.together();
            let head = match self.instructions.rng.u32(..3) {
                0 => format!("and.b32 {counter}, %v8, 3;\nadd.u32 {counter}, {counter}, 1;\n"),
                1 => {
                    inner.is_equal = false;
                    format!("add.u32 {counter}, %v4, 1;\n")
                }
                _ => format!("mov.u32 {counter}, {rounds};\n"),
            };
            return Statement::Loop { head, body: self.region(&inner, size), tail: step, again };
        }
        let value = self.instructions.value();
        let mask = self.instructions.rng.u32(1..6);
        let mut head = format!("and.b32 {counter}, {value}, {mask};\nadd.u32 {counter}, {counter}, 1;\n");
        let mut tail = step;
        let mut lanes = None;
        if let Some(outer) = &region.lanes
            && self.instructions.rng.u32(..4) > 0
        {
            let [own, next] = [self.instructions.word(), self.instructions.word()];
            head += &format!("mov.u32 {own}, {outer};\n");
            tail += &format!("vote.sync.ballot.b32 {next}, {again}, {own};\nmov.u32 {own}, {next};\n");
            lanes = Some(own);
        }
        let levels = usize::from(lanes.is_none());
        Statement::Loop { head, body: self.region(&region.apart(lanes, levels), size), tail, again }
    }

    fn switch(&mut self, region: &Region) -> Statement {
        let index = self.instructions.word();
        let value = self.instructions.value();
        let count = self.instructions.rng.usize(2..5);
        let head = format!("rem.u32 {index}, {value}, {count};\n");
        let inner = region.apart(None, if region.lanes.is_none() { region.levels + 1 } else { 1 });
        let cases = (0..count).map(|_| {
            let size = self.instructions.rng.usize(..3);
            self.region(&inner, size)
        });
        let cases = cases.collect();
        Statement::Switch { head, index, cases }
    }
}
