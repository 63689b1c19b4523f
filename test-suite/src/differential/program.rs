//! Small programs of scalar instructions: values flow from one to the next, around loops and through branches.
//!
//! Two kinds, because LLVM may give a NaN other bits: programs over integers, whose results must be the same to the bit, and
//! programs over floating-point numbers that never look at the bits of one.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptx_gen::{Choices, Home, Instruction, Seeded};
use ptx_isa::{ArithSem, CompareSem, Field, Mnemonic, Opcode, ScalarType, Sem, TypeKind};

use super::case::{self, Case, Nans, Register};

/// What a program computes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// Integers and bits.
    Integers,
    /// Floating-point numbers, and the integers that they are converted from and to.
    Floats,
}

/// How many registers of each type a program has.
const REGISTERS: u32 = 3;
/// How deep branches and loops nest.
const DEEPEST: usize = 2;

impl Numbers {
    /// Whether programs of this kind have such instructions.
    pub fn has(self, mnemonic: &Mnemonic) -> bool {
        let types: Vec<ScalarType> =
            (0..mnemonic.form().operands.len()).filter_map(|at| mnemonic.operand_type(at)).collect();
        let floating = types.iter().any(|ty| case::is_floating(*ty));
        // What a division by zero gives is open; so is what a copied sign of a NaN is.
        let open = case::divides(mnemonic) || mnemonic.opcode() == Opcode::Copysign;
        match self {
            Numbers::Integers => !floating && !open && !mnemonic.modifiers().any(is_float_format),
            Numbers::Floats => {
                // Without a rounding modifier they may be fused (manual 9.7.3.3).
                let fusible =
                    matches!(mnemonic.sem(), Sem::Arith(ArithSem::Add | ArithSem::Sub | ArithSem::Mul))
                        && mnemonic.get(Field::Rnd).is_none();
                let signs = mnemonic.get(Field::Xorsign).is_some();
                let untyped = types.iter().any(|ty| match ty.kind() {
                    TypeKind::Bits => true,
                    TypeKind::Float | TypeKind::Packed => !is_declared(*ty),
                    TypeKind::Unsigned | TypeKind::Signed | TypeKind::Predicate => false,
                });
                (floating || mnemonic.sem() == Sem::Compare(CompareSem::Setp))
                    && !fusible
                    && !signs
                    && !open
                    && !untyped
            }
        }
    }

    /// Whether registers of the type hold nothing else than such numbers.
    fn holds(self, ty: ScalarType) -> bool {
        match self {
            Numbers::Integers => true,
            Numbers::Floats => ty.kind() != TypeKind::Bits,
        }
    }
}

/// Formats that have no type of their own here: their values are bits.
fn is_float_format(modifier: ptx_isa::Mod) -> bool {
    ScalarType::from_mod(modifier).map_or_else(|| ScalarType::holder(modifier).is_some(), case::is_floating)
}

/// Whether registers are declared with the type.
const fn is_declared(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::F16 | ScalarType::F16x2 | ScalarType::F32 | ScalarType::F64)
}

/// A program of about `size` instructions generated from a list; `None` when none of them was accepted.
pub fn program(
    choices: &mut Seeded,
    home: Home,
    numbers: Numbers,
    pool: &[Mnemonic],
    size: usize,
) -> Option<Case> {
    let mut draft = Draft { choices, home, numbers, pool, labels: 0, counters: 0, text: String::new() };
    draft.block(size, 0);
    let mut text = String::new();
    if draft.counters > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, ".reg .u32 %count<{}>; .reg .pred %again;", draft.counters);
    }
    // The carry flag has no value before something writes it.
    text += "\n.reg .u32 %carry; mov.u32 %carry, 0; add.cc.u32 %carry, %carry, %carry;";
    text += &draft.text;
    let types = ScalarType::ALL.iter().copied().filter(|&ty| text.contains(&format!("%{}_", ty.as_str())));
    let registers = types.flat_map(|ty| {
        (0..REGISTERS).map(move |number| Register {
            name: ptx_gen::register(ty, number),
            declared: ty,
            read: Some(ty),
            divides: false,
            computed: is_declared(ty).then_some(ty).filter(|_| numbers == Numbers::Floats),
        })
    });
    let registers: Vec<Register> = registers.collect();
    let mnemonic = *pool.first()?;
    (!registers.is_empty()).then_some(Case { mnemonic, text, registers, home, nans: Nans::Any })
}

struct Draft<'c> {
    choices: &'c mut Seeded,
    home: Home,
    numbers: Numbers,
    pool: &'c [Mnemonic],
    labels: usize,
    counters: usize,
    text: String,
}

impl Draft<'_> {
    fn block(&mut self, size: usize, depth: usize) {
        let mut left = size;
        while left > 0 {
            left -= 1;
            match self.choices.below(12) {
                0 if depth < DEEPEST => left -= self.branch(left, depth),
                1 if depth < DEEPEST => left -= self.repetition(left, depth),
                _ => self.instruction(),
            }
        }
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    /// Some statements that a predicate may skip, or two groups of which it picks one; gives their size.
    fn branch(&mut self, left: usize, depth: usize) -> usize {
        let (skip, end, inner) = (self.label(), self.label(), self.choices.below(left + 1));
        let (predicate, not) =
            (self.choices.below(REGISTERS as usize), if self.choices.below(2) == 0 { "!" } else { "" });
        let _ = write!(self.text, "\n@{not}%pred_{predicate} bra SKIP{skip};");
        if self.choices.below(2) == 0 {
            self.block(inner, depth + 1);
            let _ = write!(self.text, "\nSKIP{skip}:");
        } else {
            self.block(inner / 2, depth + 1);
            let _ = write!(self.text, "\nbra END{end};\nSKIP{skip}:");
            self.block(inner - inner / 2, depth + 1);
            let _ = write!(self.text, "\nEND{end}:");
        }
        inner
    }

    /// Some statements that are repeated a few times, or until a predicate says so; gives their size.
    fn repetition(&mut self, left: usize, depth: usize) -> usize {
        let (label, inner, counter) = (self.label(), self.choices.below(left.min(8) + 1), self.counters);
        self.counters += 1;
        let _ = write!(self.text, "\nmov.u32 %count{counter}, {};\nLOOP{label}:", 1 + self.choices.below(4));
        self.block(inner, depth + 1);
        let _ = write!(self.text, "\nsub.u32 %count{counter}, %count{counter}, 1;");
        let _ = write!(self.text, "\nsetp.ne.u32 %again, %count{counter}, 0;");
        if self.choices.below(2) == 0 {
            let _ = write!(self.text, "\nand.pred %again, %again, %pred_0;");
        }
        let _ = write!(self.text, "\n@%again bra LOOP{label};");
        inner
    }

    fn instruction(&mut self) {
        const ATTEMPTS: usize = 8;
        for _ in 0..ATTEMPTS {
            let Some(mnemonic) = self.pool.get(self.choices.below(self.pool.len())) else { return };
            let Some(generated) = Case::instruction(self.choices, *mnemonic, self.home) else { continue };
            if let Some(text) = self.renamed(&generated) {
                let _ = write!(self.text, "\n{text}");
                return;
            }
        }
    }

    /// The instruction on registers of the program, different ones staying different; `None` when it needs too many or such as
    /// hold something else.
    fn renamed(&mut self, generated: &Instruction) -> Option<String> {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for &ty in ScalarType::ALL {
            let count = generated.registers.count(ty);
            if count > REGISTERS || (count > 0 && !self.numbers.holds(ty)) {
                return None;
            }
            let mut numbers: Vec<u32> = (0..REGISTERS).collect();
            case::shuffle(self.choices, &mut numbers);
            for (old, new) in (0..count).zip(numbers) {
                names.insert(ptx_gen::register(ty, old), ptx_gen::register(ty, new));
            }
        }
        let mut text = String::new();
        let mut rest = generated.text.as_str();
        while let Some(at) = rest.find('%') {
            let (before, name) = rest.split_at(at);
            let end = name.char_indices().skip(1).find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '_');
            let (name, after) = name.split_at(end.map_or(name.len(), |(end, _)| end));
            text = text + before + names.get(name).map_or(name, String::as_str);
            rest = after;
        }
        Some(text + rest)
    }
}
