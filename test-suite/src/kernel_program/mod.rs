//! Random kernels whose threads work together, executed by the interpreter and as code for the host.
//!
//! A program has flow of control of any kind (branches on what is one value in the launch, in the block, in the warp or in no
//! group; loops, switches, jumps out of several regions, early exits), operations among the lanes of a warp, block barriers,
//! atomic operations, calls, and accesses to all kinds of memory with addresses of all shapes. What it leaves is determined:
//! threads write only what is theirs, or what no other thread reads before a barrier, or by operations whose order does not matter.
//!
//! In other programs (`grid`) blocks do something together, too: they wait for the whole grid, and access shared memory of the other blocks of their
//! cluster.
//!
//! In others (`barriers`) the threads of a warp come to barriers one by one. Others (`locks`) have sections that one thread at a time executes,
//! after threads have waited for each other in loops. Others (`reuse`) have fewer registers than values.
//!
//! Other programs (`joins`) show which threads run together, and are compared with what a translation to LLVM IR and back makes of them.
//!
//! `syntax` holds the statements, `generate` makes them, `arithmetic`, `memory` and `blocks` the instructions in them, and `judge`
//! executes them.

mod arithmetic;
mod barriers;
mod blocks;
mod generate;
mod joins;
mod judge;
mod locks;
mod memory;
mod reuse;
mod syntax;

use anyhow::Result;
pub use judge::{Difference, Verdict, judge, judge_translations};
pub(crate) use judge::{Draw, as_code, describe, interpreted, launch};

/// The architecture that kernels are for.
pub(crate) const ARCHITECTURE: u16 = 90;
/// Words of the input buffer, which kernels only read.
const INPUT: u32 = 1024;
/// Words of output of each thread: what it stores and loads on the way, and then its registers.
const SLOTS: u32 = 64;
/// Words of the output that all threads change, by atomic operations or one thread at a time, before those of the threads.
const COUNTERS: u32 = 72;

/// A kernel and how it is launched.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was generated from.
    pub seed: u64,
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: u32,
    /// Whether all blocks are there at once.
    pub cooperative: bool,
    /// Whether it executes more instructions than are interpreted before a kernel is compiled (`--engine=auto` of `ptxrun`).
    pub is_long: bool,
    /// Whether its registers hold one value after another.
    pub reuses_registers: bool,
    body: Vec<syntax::Statement>,
    functions: Vec<Vec<syntax::Statement>>,
}

impl Program {
    /// Generates a program.
    pub fn new(seed: u64) -> Self {
        generate::program(seed)
    }

    /// Generates a program whose blocks do something together, in a cooperative launch or in clusters; some of these launches are long.
    pub fn grid(seed: u64) -> Self {
        generate::grid(seed)
    }

    /// Generates a program the threads of whose warps come to barriers one by one.
    pub fn barriers(seed: u64) -> Self {
        generate::barriers(seed)
    }

    /// Generates a program with sections that one thread at a time executes; in some of them blocks do something together.
    pub fn locks(seed: u64) -> Self {
        generate::locks(seed)
    }

    /// Generates a program whose registers hold one value after another; in some of them blocks do something together.
    pub fn reusing(seed: u64) -> Self {
        let program = if seed % 4 == 3 { Self::grid(seed) } else { Self::new(seed) };
        Self { reuses_registers: true, ..program }
    }

    /// Generates a program that shows which threads of a warp run together, for [`judge_translations`].
    pub fn joins(seed: u64) -> Self {
        joins::program(seed)
    }

    /// Its module.
    pub fn ptx(&self) -> String {
        let text = syntax::print(self);
        if !self.reuses_registers {
            return text;
        }
        // Default: what cannot be read is judged as it is, which reports why.
        reuse::with_fewer_registers(&text, self.seed).unwrap_or(text)
    }

    /// Threads of a block.
    fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// The smallest program that is found by leaving statements out as long as `holds`.
    ///
    /// # Errors
    /// What `holds` gives.
    pub fn minimize(&self, holds: &mut dyn FnMut(&Self) -> Result<bool>) -> Result<Self> {
        let mut least = self.clone();
        let mut size = syntax::count(&least).next_power_of_two();
        while size > 0 {
            let (mut at, mut is_smaller) = (0, false);
            while at < syntax::count(&least) {
                let candidate = syntax::without(&least, at..at + size);
                if holds(&candidate)? {
                    (least, is_smaller) = (candidate, true);
                } else {
                    at += size;
                }
            }
            // What could not go before may go now.
            if size > 1 || !is_smaller {
                size /= 2;
            }
        }
        Ok(least)
    }
}
