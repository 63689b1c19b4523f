//! Comparison and selection (manual 9.7.6, 9.7.7), and of floating-point numbers what is a matter of their bits.

use ptx_isa::{CompareSem, Field, Mnemonic, Mod, ScalarType, Sem};

use super::{Outcome, SourceOperand, element, holds};
use crate::prove::term::Bits;

/// Comparisons of integers, and selections of any type.
pub(super) fn define<'t>(mnemonic: &Mnemonic, sources: &[SourceOperand<'t>]) -> Option<Outcome<'t>> {
    let args: Vec<Bits<'t>> = sources.iter().map(|source| source.bits).collect();
    match (mnemonic.sem(), args.as_slice()) {
        (Sem::Compare(CompareSem::Selp), [a, b, c]) => Outcome::one(c.pick(*a, *b)),
        (Sem::Compare(CompareSem::Slct), [a, b, c]) => Outcome::one(c.sign().pick(*b, *a)),
        (Sem::Compare(CompareSem::Set | CompareSem::Setp), [a, b, rest @ ..]) => {
            let field =
                if mnemonic.sem() == Sem::Compare(CompareSem::Set) { Field::AType } else { Field::Type };
            let (is_signed, _) = element(mnemonic.type_of(field)?);
            let outcome = holds(is_signed, mnemonic.get(Field::Cmp)?, *a, *b)?;
            compared(mnemonic, &[outcome], rest.first().copied())
        }
        _ => None,
    }
}

/// What `set` and `setp` make of one comparison, or of one for each element.
pub(super) fn compared<'t>(
    mnemonic: &Mnemonic,
    outcomes: &[Bits<'t>],
    c: Option<Bits<'t>>,
) -> Option<Outcome<'t>> {
    let joined = |outcome: Bits<'t>| match (mnemonic.get(Field::Bool), c) {
        (Some(Mod::And), Some(c)) => Some(outcome & c),
        (Some(Mod::Or), Some(c)) => Some(outcome | c),
        (Some(Mod::Xor), Some(c)) => Some(outcome ^ c),
        (None, _) => Some(outcome),
        _ => None,
    };
    if mnemonic.sem() == Sem::Compare(CompareSem::Setp) {
        // `q` has the opposite of the comparison, or the comparison of the upper elements.
        let first = *outcomes.first()?;
        let second = outcomes.get(1).copied().unwrap_or(!first);
        return Outcome::of(vec![joined(first)?, joined(second)?]);
    }
    let dtype = mnemonic.type_of(Field::DType)?;
    let width = dtype.bits() / outcomes.len() as u32;
    let truth = |outcome: Bits<'t>| {
        let one = match dtype {
            ScalarType::F32 => 0x3f80_0000,
            ScalarType::F16 | ScalarType::F16x2 => 0x3c00,
            ScalarType::Bf16 | ScalarType::Bf16x2 => 0x3f80,
            _ => u128::MAX,
        };
        let t = outcome.terms();
        Some(joined(outcome)?.pick(t.number(width, one), t.number(width, 0)))
    };
    let parts: Option<Vec<Bits<'t>>> = outcomes.iter().map(|outcome| truth(*outcome)).collect();
    Outcome::one(parts?.into_iter().reduce(|low, high| high.concat(low))?)
}
