//! Mnemonics as text: the rows that one can mean, or what is wrong with it.

use crate::families::Opcode;
use crate::form::{Form, FormId};
use crate::names::{Mod, Reading};
use crate::{form, forms_of};

use super::assign::{ids_of, placed};
use super::chosen::Mnemonic;
use super::misfit::{self, Misfit};

/// Why a mnemonic text names no row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MnemonicError {
    /// The first word is not an opcode; with the nearest known one, when one is near.
    UnknownOpcode {
        /// The nearest opcode by spelling.
        nearest: Option<&'static str>,
    },
    /// No row of the opcode has these modifiers together, or a needed one is missing.
    Modifiers(Box<Misfit>),
}

impl Mnemonic {
    /// Parses a canonical text such as `add.rn.f32`; of rows that differ only in operands this is the first.
    pub fn from_text(text: &str) -> Result<Self, MnemonicError> {
        let all = candidates(text)?;
        match all.first() {
            Some(first) => Ok(*first),
            None => Err(misfit_of(text)),
        }
    }
}

/// The rows a mnemonic text can mean, each with its modifiers chosen; operands decide between several.
///
/// # Errors
/// When no row of the opcode accepts all the modifiers, with the mistake and a suggestion.
pub fn candidates(text: &str) -> Result<Vec<Mnemonic>, MnemonicError> {
    let found = words(text)?.map(|(opcode, mut modifiers)| {
        let choose = |modifiers: &[Mod]| -> Vec<Mnemonic> {
            ids_of(opcode).filter_map(|id| Mnemonic::choose(id, modifiers)).collect()
        };
        let mut found = choose(&modifiers);
        if found.is_empty() && drop_repeated(&mut modifiers) {
            found = choose(&modifiers);
        }
        found
    });
    found.filter(|found| !found.is_empty()).ok_or_else(|| misfit_of(text))
}

/// The rows that have all the modifiers of a text, and possibly more: `ld.global` has those of global memory.
///
/// # Errors
/// When no row of the opcode accepts all the modifiers, with the mistake and a suggestion.
pub fn rows_with(text: &str) -> Result<Vec<&'static Form>, MnemonicError> {
    let rows = words(text)?.map(|(opcode, modifiers)| {
        let takes_all = |id: &FormId| placed(*id, &modifiers).is_some();
        ids_of(opcode).filter(takes_all).map(form).collect::<Vec<&Form>>()
    });
    rows.filter(|rows| !rows.is_empty()).ok_or_else(|| misfit_of(text))
}

/// The mistake in a text that matches no row.
fn misfit_of(text: &str) -> MnemonicError {
    let opcode = text.split('.').next().unwrap_or(text);
    match Opcode::from_ptx(opcode) {
        Some(opcode) => MnemonicError::Modifiers(Box::new(misfit::misfit(opcode, text))),
        None => MnemonicError::UnknownOpcode { nearest: nearest_opcode(opcode) },
    }
}

/// The mistake in a mnemonic that only old versions have without the modifier that it implies ([`Form::implied`]).
pub fn misfit_today(mnemonic: &Mnemonic) -> Misfit {
    misfit::misfit(mnemonic.opcode(), &mnemonic.to_string())
}

/// The words of a mnemonic text; nothing when a modifier is unknown to every row of the opcode.
fn words(text: &str) -> Result<Option<(Opcode, Vec<Mod>)>, MnemonicError> {
    let mut words = text.split('.');
    let opcode = words.next().unwrap_or(text);
    let Some(opcode) = Opcode::from_ptx(opcode) else {
        return Err(MnemonicError::UnknownOpcode { nearest: nearest_opcode(opcode) });
    };
    let forms = forms_of(opcode).1;
    let mut modifiers: Vec<Mod> = Vec::with_capacity(8);
    let written = |wanted: Mod| text.split('.').skip(1).any(|word| word == wanted.as_str());
    // `.xorsign.abs` is one modifier of two words, which are in any order and apart too.
    let mut awaits_abs = written(Mod::XorsignAbs);
    for word in words {
        let known = |modifier| forms.iter().any(|f| f.slots.iter().any(|s| s.takes(modifier)));
        match Mod::from_ptx(word) {
            Some(Mod::AbsMod) if awaits_abs => awaits_abs = false,
            Some(modifier) if known(modifier) && (modifier != Mod::XorsignAbs || written(Mod::AbsMod)) => {
                modifiers.push(modifier);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some((opcode, modifiers)))
}

/// Removes repetitions that `ptxas` accepts and ignores: `bar.sync.sync`. Returns whether there was any.
fn drop_repeated(modifiers: &mut Vec<Mod>) -> bool {
    let before = modifiers.len();
    let mut seen: Vec<Mod> = Vec::new();
    modifiers.retain(|modifier| {
        let repeated = modifier.reading() == Reading::Repeats && seen.contains(modifier);
        seen.push(*modifier);
        !repeated
    });
    modifiers.len() < before
}

/// The opcode at the smallest edit distance, when that is at most 2 and a third of its letters.
fn nearest_opcode(text: &str) -> Option<&'static str> {
    if text.len() > 24 {
        return None;
    }
    // Opcodes are in lower case.
    let lower = text.to_ascii_lowercase();
    let text = lower.as_str();
    // Of three letters with another one in place of one of them too little is left to tell what was meant: `mla` is not `mma`.
    let is_replaced =
        |name: &str| name.len() <= 3 && name.len() == text.len() && strsim::levenshtein(text, name) == 1;
    let named = Opcode::ALL.iter().map(|op| op.as_str()).filter(|name| !is_replaced(name));
    let measured = named.map(|name| (strsim::osa_distance(text, name), name));
    measured.min().filter(|&(distance, name)| 3 * distance <= name.len().min(6)).map(|(_, name)| name)
}
