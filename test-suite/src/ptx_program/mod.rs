//! Random programs in PTX whose results are known: generator, evaluator, judge.
//!
//! A program is a tree (`syntax`) that one file for each feature adds an episode to. The evaluator computes what the program leaves,
//! by the manual and without any code of the engines, under several layouts of memory and several contents of memory that was never stored to; only
//! a program that leaves the same under all of them is used. The judge takes the text along every way and compares, and
//! where a program computes of constants alone it compares with what ptxas's machine code stores as constants.

mod addresses;
mod arithmetic;
mod bytes;
mod calls;
mod carry;
mod clusters;
mod endings;
mod evaluate;
mod floats;
mod fold;
mod generate;
mod judge;
mod memory;
mod minimize;
mod number;
mod ordering;
mod print;
mod syntax;
mod undefined;
mod vectors;
mod volatile;
mod wide;

use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use fastrand::Rng;

use evaluate::{Ending, INPUT, OUTPUT};
pub(crate) use judge::launch;
pub use judge::{Difference, Verdict, Way, judge, rewrite, ways_of};
use syntax::{Module, Shape};

/// What a program is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Integer arithmetic and moves.
    Arithmetic,
    /// Branches, loops, switches.
    Control,
    /// Chains of carries.
    Carry,
    /// Addresses of several variables.
    Addresses,
    /// Dynamic shared memory under several names.
    Dynamic,
    /// Functions.
    Calls,
    /// `exit` and `trap`.
    Endings,
    /// Memory and registers that nothing was stored to.
    Undefined,
    /// Arrays of odd sizes.
    Bytes,
    /// Vector registers, mixed widths.
    Vectors,
    /// Volatile, relaxed, atomic and asynchronous accesses.
    Ordering,
    /// Names declared again in inner scopes.
    Scopes,
    /// Floating-point numbers, computed and passed on.
    Floats,
    /// Copies by other engines than the thread's own.
    Bulk,
    /// Shared memory by its place in the cluster.
    Clusters,
    /// Functions that call themselves.
    Recursion,
    /// 64-bit numbers made of addresses.
    WideAddresses,
    /// Volatile accesses, of which each is kept.
    Volatile,
}

impl Feature {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Arithmetic,
        Self::Control,
        Self::Carry,
        Self::Addresses,
        Self::Dynamic,
        Self::Calls,
        Self::Endings,
        Self::Undefined,
        Self::Bytes,
        Self::Vectors,
        Self::Ordering,
        Self::Scopes,
        Self::Floats,
        Self::Bulk,
        Self::Clusters,
        Self::Recursion,
        Self::WideAddresses,
        Self::Volatile,
    ];

    /// Those of which ptxas computes much itself where they compute of constants.
    const FOLDED: &[Self] = &[Self::Arithmetic, Self::Carry, Self::Undefined, Self::Vectors, Self::Floats];

    /// Its name on the command line.
    pub fn name(self) -> String {
        let words = format!("{self:?}");
        let mut name = String::new();
        for letter in words.chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    /// The feature of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|feature| feature.name() == name)
    }
}

/// A program with what it has to leave.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed it was generated from, from which its input follows too.
    pub seed: u64,
    /// The PTX text.
    pub text: String,
    shape: Shape,
    sm: u16,
    ending: Ending,
    /// The tree, of a program that was generated.
    module: Option<Module>,
}

/// One program of so many is straight, where its features can be.
const STRAIGHT: usize = 6;
/// The architectures that programs are for.
const ARCHITECTURES: [u16; 4] = [75, 90, 100, 90];

/// Generates a program.
///
/// # Errors
/// When what was generated is not well defined, which is a defect of the generator.
pub fn program(seed: u64, features: &[Feature]) -> Result<Program> {
    let mut rng = Rng::with_seed(seed ^ 0x0070_7478);
    let shapes = [(1, 1), (1, 1), (2, 4), (1, 4)];
    let (blocks, threads) = shapes[rng.usize(..shapes.len())];
    let shape = Shape { blocks, threads };
    let sm = ARCHITECTURES[rng.usize(..ARCHITECTURES.len())];
    if rng.usize(..STRAIGHT) == 0 && features.iter().any(|one| Feature::FOLDED.contains(one)) {
        return straight(seed, features);
    }
    let module = generate::module(seed, features, shape, sm, false);
    of_module(seed, module, shape, sm)
}

/// Generates a program that computes of constants alone, so that ptxas can execute it, with what `features` has of those that can.
///
/// # Errors
/// As for [`program`], and when none of the features can.
pub fn straight(seed: u64, features: &[Feature]) -> Result<Program> {
    let features: Vec<Feature> =
        features.iter().copied().filter(|one| Feature::FOLDED.contains(one)).collect();
    ensure!(!features.is_empty(), "ptxas computes none of these features itself");
    let shape = Shape { blocks: 1, threads: 1 };
    let sm = ARCHITECTURES[Rng::with_seed(seed).usize(..ARCHITECTURES.len())];
    let module = generate::module(seed, &features, shape, sm, true);
    of_module(seed, module, shape, sm)
}

fn of_module(seed: u64, module: Module, shape: Shape, sm: u16) -> Result<Program> {
    let text = print::print(&module, sm);
    let ending = evaluate::expected(&module, shape, &input(seed, shape))
        .with_context(|| format!("seed {seed} is not a defined program:\n{text}"))?;
    Ok(Program { seed, text, shape, sm, ending, module: Some(module) })
}

fn input(seed: u64, shape: Shape) -> Vec<u8> {
    let mut rng = Rng::with_seed(seed ^ 0x5eed);
    (0..INPUT * shape.all()).map(|_| rng.u8(..)).collect()
}

impl Program {
    /// The architecture that it is for.
    pub(crate) const fn architecture(&self) -> u16 {
        self.sm
    }

    /// What it has to leave in its output, unless a thread of it traps.
    pub(crate) fn leaves(&self) -> Option<&[u8]> {
        (!self.ending.trapped).then_some(&self.ending.output[..])
    }

    /// Whether it reads no input and is one thread, so that ptxas can compute what it leaves.
    fn is_straight(&self) -> bool {
        self.shape.all() == 1 && !self.text.contains("[in]")
    }

    /// The program with 32-bit addresses: the host passes four bytes for each, which the kernel widens. What it computes of addresses in
    /// registers of 64 bits it still does, and accesses take their lower halves.
    #[must_use]
    pub fn with_32_bit_addresses(&self) -> Self {
        let mut text = String::new();
        for line in self.text.lines() {
            let load = line.strip_prefix("ld.param.u64 ").and_then(|rest| rest.strip_suffix(';'));
            match load.and_then(|rest| rest.split_once(", ")) {
                Some((to, from @ ("[out]" | "[in]"))) => {
                    let _ = writeln!(
                        text,
                        "{{ .reg .b32 %narrow; ld.param.u32 %narrow, {from}; cvt.u64.u32 {to}, %narrow; }}"
                    );
                }
                _ if line.starts_with(".visible .entry kernel(") => {
                    text += &line.replace(".u64", ".u32");
                    text.push('\n');
                }
                _ => {
                    text += line;
                    text.push('\n');
                }
            }
        }
        text = text.replace(".address_size 64", ".address_size 32");
        Self { text, module: None, ..self.clone() }
    }

    /// The program with what it has to leave: what [`Program::kept`] reads.
    pub fn keep(&self) -> String {
        let Shape { blocks, threads } = self.shape;
        let mut text =
            format!("// program {} {blocks} {threads} {} {}\n", self.seed, self.sm, self.ending.trapped);
        for (at, bytes) in self.ending.output.chunks(16).enumerate() {
            if bytes.iter().any(|byte| *byte != 0) {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let _ = writeln!(text, "// leaves {} {digits}", 16 * at);
            }
        }
        text + &self.text
    }

    /// A program that was kept.
    ///
    /// # Errors
    /// When the comments with its results are missing or broken.
    pub fn kept(text: &str) -> Result<Self> {
        let head =
            text.lines().find_map(|line| line.strip_prefix("// program ")).context("no line `// program`")?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let [seed, blocks, threads, sm, trapped] = words[..] else {
            anyhow::bail!("`// program` has other words")
        };
        let shape = Shape { blocks: blocks.parse()?, threads: threads.parse()? };
        let mut output = vec![0; (OUTPUT * shape.all()) as usize];
        for line in text.lines().filter_map(|line| line.strip_prefix("// leaves ")) {
            let (at, digits) = line.split_once(' ').context("`// leaves` without bytes")?;
            let at: usize = at.parse()?;
            for (k, pair) in digits.as_bytes().chunks(2).enumerate() {
                let byte = u8::from_str_radix(std::str::from_utf8(pair)?, 16)?;
                *output.get_mut(at + k).context("beyond the output")? = byte;
            }
        }
        let ending = Ending { output, trapped: trapped.parse()? };
        let text =
            text.lines().filter(|line| !line.starts_with("// ")).flat_map(|line| [line, "\n"]).collect();
        Ok(Self { seed: seed.parse()?, text, shape, sm: sm.parse()?, ending, module: None })
    }

    /// A smaller program for which `differs` still holds.
    pub fn minimize(&self, differs: &mut dyn FnMut(&Program) -> bool) -> Self {
        let Some(module) = &self.module else { return self.clone() };
        let smaller = minimize::minimize(module.clone(), &mut |candidate| {
            of_module(self.seed, candidate.clone(), self.shape, self.sm)
                .is_ok_and(|program| differs(&program))
        });
        of_module(self.seed, smaller, self.shape, self.sm).unwrap_or_else(|_| self.clone())
    }
}
