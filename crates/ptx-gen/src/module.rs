//! Modules around instructions.

use ptx_isa::{Mnemonic, PtxVersion, Since, Sm};

use crate::choices::Choices;
use crate::instruction::Instruction;
use crate::surroundings::{Level, Symbol, Symbols};

/// The architectures that current tools assemble for, the ones with most first; after them older ones, which still have
/// what was removed later (`shfl` without `.sync`).
pub const TARGETS: &[Sm] = &[
    Sm::arch(100),
    Sm::arch(90),
    Sm::arch(107),
    Sm::arch(120),
    Sm::arch(110),
    Sm::arch(103),
    Sm::arch(121),
    Sm::family(100),
    Sm::family(103),
    Sm::family(107),
    Sm::family(110),
    Sm::family(120),
    Sm::family(121),
    Sm::new(75),
    Sm::new(80),
    Sm::new(86),
    Sm::new(87),
    Sm::new(88),
    Sm::new(89),
    Sm::new(90),
    Sm::new(100),
    Sm::new(103),
    Sm::new(107),
    Sm::new(110),
    Sm::new(120),
    Sm::new(121),
    Sm::new(62),
    Sm::new(53),
    Sm::new(35),
];

/// The `.version` and `.target` of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Home {
    /// The version.
    pub version: PtxVersion,
    /// The architecture.
    pub sm: Sm,
}

impl Home {
    /// The newest version on the first of [`TARGETS`] that has something; `None` when none has.
    pub fn of(since: Since) -> Option<Self> {
        let sm = TARGETS.iter().copied().find(|&sm| since.admits(sm))?;
        Some(Self { version: PtxVersion::NEWEST, sm })
    }

    /// Any of [`TARGETS`] that has a mnemonic, with the newest version that has it there; `None` when none has.
    pub fn any_of(choices: &mut dyn Choices, mnemonic: &Mnemonic) -> Option<Self> {
        let since = mnemonic.since();
        let fitting: Vec<Sm> = TARGETS.iter().copied().filter(|&sm| since.admits(sm)).collect();
        let sm = choices.pick(&fitting)?;
        let newest = Self { version: PtxVersion::NEWEST, sm };
        // Rows that are gone on every architecture, or on all of these, are asked of the first version that has them.
        let removed = mnemonic.form().removed;
        let gone = removed.filter(|removed| fitting.iter().all(|sm| removed.from.sm <= sm.number));
        Some(gone.map_or(newest, |_| Self { version: since.ptx, sm: Sm::new(since.sm) }))
    }
}

/// Whether a module has samplers apart from its textures (`texmode_independent`), which they need (manual 11.1.2).
fn is_independent(symbols: &Symbols) -> bool {
    symbols.contains(&Symbol::Sampler)
}

/// The lines before the body of a kernel, the opening brace included.
pub(crate) fn head(home: Home, symbols: &Symbols, kernel: &str) -> Vec<String> {
    let mode = if is_independent(symbols) { ", texmode_independent" } else { "" };
    let mut lines = vec![format!(".version {}", home.version), format!(".target {}{mode}", home.sm)];
    if home.version >= PtxVersion::new(2, 3) {
        lines.push(".address_size 64".to_owned());
    }
    let outer = symbols.iter().filter(|symbol| symbol.level() == Level::Module);
    lines.extend(outer.map(|symbol| symbol.declaration().to_owned()));
    let parameters: Vec<&str> = symbols
        .iter()
        .filter(|symbol| symbol.level() == Level::Parameters)
        .map(|symbol| symbol.declaration())
        .collect();
    // Kernels have parameters in parentheses since PTX 1.4.
    let has_list = home.version >= PtxVersion::new(1, 4) || !parameters.is_empty();
    let list = if has_list { format!(" ({})", parameters.join(", ")) } else { String::new() };
    lines.push(format!(".visible .entry {kernel}{list}"));
    lines.push("{".to_owned());
    lines
}

/// A module with one kernel that holds these instructions, each in a block on a line of its own.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The text.
    pub text: String,
    /// The line of the first instruction, counted from 1; the others follow it.
    pub first: u32,
}

/// Puts instructions into a kernel.
///
/// Instructions that name samplers put the whole module into the independent texture mode, in which those without one
/// mean something else: keep them apart by [`needs_independent_textures`].
pub fn module<'i>(home: Home, instructions: impl IntoIterator<Item = &'i Instruction> + Clone) -> Lines {
    let symbols: Symbols =
        instructions.clone().into_iter().flat_map(|one| one.symbols.iter().copied()).collect();
    let mut lines = head(home, &symbols, "k");
    let first = lines.len() as u32 + 1;
    lines.extend(instructions.into_iter().map(Instruction::block));
    lines.extend(["ret;".to_owned(), "}".to_owned(), String::new()]);
    Lines { text: lines.join("\n"), first }
}

/// Whether an instruction puts its module into the independent texture mode.
pub fn needs_independent_textures(instruction: &Instruction) -> bool {
    is_independent(&instruction.symbols)
}
