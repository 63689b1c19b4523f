//! Accesses of every width and register: 32 bytes of memory, written and read in pieces that overlap.

use std::fmt::Write as _;

use ptx_gen::{Choices, Home, Seeded, check};
use ptx_isa::{Mnemonic, ScalarType};

use super::case::{Case, Nans, Register};
use super::kernel;

/// The bytes that are accessed.
const BYTES: usize = 32;
/// How often an access is generated until the verifier accepts it.
const ATTEMPTS: usize = 24;
/// How many registers of each type there are.
const REGISTERS: u32 = 4;

/// Where the memory lies: what makes it, and the address of its first byte.
struct AccessedMemory {
    space: &'static str,
    before: &'static str,
    base: &'static str,
}

/// Every thread has its own 32 bytes; the first two records of its operands are those in global memory.
const ACCESSED: [AccessedMemory; 6] = [
    AccessedMemory { space: ".local", before: ".local .align 16 .b8 memory[32];", base: "memory" },
    AccessedMemory {
        space: ".local",
        before: ".local .align 16 .b8 memory[32]; .reg .b64 %base; mov.u64 %base, memory;",
        base: "%base",
    },
    AccessedMemory {
        space: "",
        before: ".local .align 16 .b8 memory[32]; .reg .b64 %base; mov.u64 %base, memory; cvta.local.u64 %base, %base;",
        base: "%base",
    },
    AccessedMemory { space: ".global", before: "", base: "%in" },
    AccessedMemory { space: "", before: ".reg .b64 %base; cvta.global.u64 %base, %in;", base: "%base" },
    AccessedMemory {
        space: ".shared",
        before: ".shared .align 16 .b8 memory[8192]; .reg .b32 %base, %own; mov.u32 %base, memory; mov.u32 %own, %tid.x; mad.lo.u32 %base, %own, 32, %base;",
        base: "%base",
    },
];

/// About `size` accesses of random widths, then the whole memory; `None` when none was accepted.
pub(super) fn accesses(choices: &mut Seeded, home: Home, size: usize) -> Option<Case> {
    let memory = &ACCESSED[choices.below(ACCESSED.len())];
    let mut mnemonic = None;
    let mut middle = String::new();
    for _ in 0..size {
        let accepted = (0..ATTEMPTS).find_map(|_| {
            let (found, text) = access(choices, memory)?;
            let alone = case(memory, home, found, &text)?;
            check(&module(home, &alone)).ok().map(|_| (found, text))
        });
        if let Some((found, text)) = accepted {
            mnemonic = Some(found);
            let _ = write!(middle, "\n{text}");
        }
    }
    case(memory, home, mnemonic?, &middle)
}

fn module(home: Home, case: &Case) -> String {
    kernel::head(home) + &kernel::kernel(kernel::Feed::Memory, 0, case, &[])
}

/// Accesses between what fills the memory and what reads it back.
fn case(memory: &AccessedMemory, home: Home, mnemonic: Mnemonic, middle: &str) -> Option<Case> {
    let (space, base) = (memory.space, memory.base);
    let mut text = memory.before.to_owned();
    for part in 0..BYTES / 8 {
        // Writing to a string cannot fail.
        let _ = write!(text, "\nst{space}.b64 [{base}+{}], %b64_{part};", part * 8);
    }
    text += middle;
    for part in 0..BYTES / 8 {
        let _ = write!(text, "\nld{space}.b64 %b64_{part}, [{base}+{}];", part * 8);
    }
    let types = ScalarType::ALL.iter().copied();
    let types = types.filter(|&ty| ty == ScalarType::B64 || middle.contains(&format!("%{}_", ty.as_str())));
    let registers = types.flat_map(|ty| {
        (0..REGISTERS).map(move |number| Register {
            name: ptx_gen::register(ty, number),
            declared: ty,
            read: Some(ty),
            divides: false,
            computed: None,
        })
    });
    Some(Case { mnemonic, text, registers: registers.collect(), home, nans: Nans::Any })
}

/// A load or store of a random type, alone or of a vector, with random registers at least as wide.
fn access(choices: &mut Seeded, memory: &AccessedMemory) -> Option<(Mnemonic, String)> {
    let ty = ScalarType::ALL[choices.below(ScalarType::ALL.len())];
    let held = ScalarType::ALL[choices.below(ScalarType::ALL.len())];
    let (vector, count) = [("", 1), ("", 1), (".v2", 2), (".v4", 4)][choices.below(4)];
    let bytes = ty.bytes() as usize * count;
    if bytes > 16 || held.bits() < ty.bits() || held == ScalarType::Pred {
        return None;
    }
    let stores = choices.below(2) == 0;
    let opcode = if stores { "st" } else { "ld" };
    let words = format!("{opcode}{}{vector}.{}", memory.space, ty.as_str());
    let mnemonic = Mnemonic::from_text(&words).ok()?;
    let first = choices.below(REGISTERS as usize);
    let names = (0..count).map(|at| ptx_gen::register(held, ((first + at) % REGISTERS as usize) as u32));
    let names = names.collect::<Vec<_>>().join(", ");
    let value = if count == 1 { names } else { format!("{{{names}}}") };
    let address = format!("[{}+{}]", memory.base, choices.below(BYTES / bytes) * bytes);
    let operands = if stores { format!("{address}, {value}") } else { format!("{value}, {address}") };
    Some((mnemonic, format!("{words} {operands};")))
}
