//! What scalar instructions compute, written down once over bit-vectors from the manual's semantics alone.
//!
//! A definition takes the sources of an instruction, as wide as the row specifies, and gives its results. The same text is a
//! symbolic term for the prover and, on numbers, an execution: `tests/prove.rs` holds it against what the interpreter
//! computes, as the model in Python is held against it.

pub(super) mod arithmetic;
mod bits;
mod compare;
pub(super) mod convert;
pub(super) mod float;
mod integer;
mod video;

use ptx_isa::{ArithSem, CompareSem, Field, Mnemonic, Mod, ScalarType, Selector, Sem, VideoSem};

use super::term::Bits;

/// A source of an instruction.
#[derive(Clone, Debug)]
pub struct SourceOperand<'t> {
    /// Its bits, as wide as the row specifies; for a vector its first element.
    pub bits: Bits<'t>,
    /// The elements, lowest first, of a vector.
    pub elements: Vec<Bits<'t>>,
    /// `.b0`, `.h10`: the part that is picked.
    pub selector: Option<Selector>,
    /// Whether its sign is turned around: `-a`.
    pub negated: bool,
}

/// What an instruction computes.
#[derive(Clone, Debug)]
pub struct Outcome<'t> {
    /// One value for each destination, the second one of a pair last.
    pub results: Vec<Bits<'t>>,
    /// Where this one bit is set the manual leaves the results open.
    pub open: Bits<'t>,
    /// The carry flag, when the instruction writes it.
    pub carry: Option<Bits<'t>>,
}

impl<'t> Outcome<'t> {
    fn of(results: Vec<Bits<'t>>) -> Option<Self> {
        let open = results.first()?.terms().truth(false);
        Some(Self { results, open, carry: None })
    }

    fn one(result: Bits<'t>) -> Option<Self> {
        Self::of(vec![result])
    }
}

/// What an instruction reads beside its sources.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'t> {
    /// The carry flag, one bit.
    pub carry: Bits<'t>,
    /// The part of the destination that is written, of a video instruction.
    pub destination: Option<Selector>,
}

/// What an instruction of these modifiers computes; `None` when no definition is written down.
pub fn define<'t>(
    mnemonic: &Mnemonic,
    sources: &[SourceOperand<'t>],
    around: Surroundings<'t>,
) -> Option<Outcome<'t>> {
    if arithmetic::is_by_name(mnemonic) {
        return arithmetic::by_name(mnemonic, sources);
    }
    if mnemonic.modifiers().filter_map(ScalarType::from_mod).any(is_floating) {
        return float::define(mnemonic, sources);
    }
    match mnemonic.sem() {
        Sem::Video(VideoSem::Video | VideoSem::VideoSimd) => video::define(mnemonic, sources, around),
        Sem::Compare(CompareSem::Set | CompareSem::Setp | CompareSem::Selp | CompareSem::Slct) => {
            compare::define(mnemonic, sources)
        }
        Sem::Arith(ArithSem::AddCarry | ArithSem::SubCarry | ArithSem::MadCarry) => {
            integer::with_carry(mnemonic, sources, around.carry)
        }
        sem => {
            let args: Vec<Bits<'t>> = sources.iter().map(|source| source.bits).collect();
            integer::define(mnemonic, &args).or_else(|| bits::define(mnemonic, sem, sources, &args))
        }
    }
}

/// Whether values of the type are floating-point numbers.
pub(super) fn is_floating(ty: ScalarType) -> bool {
    use ScalarType::{Bf16, Bf16x2, F16, F16x2, F32, F32x2, F64, Tf32};
    matches!(ty, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F32x2 | F64 | Tf32)
}

/// Whether a number of the type may be negative, and how many bits it has.
fn number_type(mnemonic: &Mnemonic, field: Field) -> Option<(bool, u32)> {
    let ty = mnemonic.type_of(field)?;
    Some((ty.is_signed(), ty.bits()))
}

/// The element type of a packed integer type: signed or not, and its width.
fn element(ty: ScalarType) -> (bool, u32) {
    match ty {
        ScalarType::U16x2 => (false, 16),
        ScalarType::S16x2 => (true, 16),
        ScalarType::U8x4 => (false, 8),
        ScalarType::S8x4 => (true, 8),
        other => (other.is_signed(), other.bits()),
    }
}

/// A wide number at the nearest value that a type of `bits` bits has.
pub(super) fn clamp<'t>(is_signed: bool, bits: u32, value: Bits<'t>) -> Bits<'t> {
    let (low, high) = if is_signed {
        (value.number((-(1_i128 << (bits - 1))) as u128), value.number((1 << (bits - 1)) - 1))
    } else {
        (value.number(0), value.number((1 << bits) - 1))
    };
    value.max(true, low).min(true, high).trunc(bits)
}

/// Whether `a` and `b` are in the relation of a comparison.
fn holds<'t>(is_signed: bool, comparison: Mod, a: Bits<'t>, b: Bits<'t>) -> Option<Bits<'t>> {
    Some(match comparison {
        Mod::Eq => a.same(b),
        Mod::Ne => a.differs(b),
        Mod::Lt => a.less(is_signed, b),
        Mod::Le => a.at_most(is_signed, b),
        Mod::Gt => b.less(is_signed, a),
        Mod::Ge => b.at_most(is_signed, a),
        Mod::Lo => a.less(false, b),
        Mod::Ls => a.at_most(false, b),
        Mod::Hi => b.less(false, a),
        Mod::Hs => b.at_most(false, a),
        _ => return None,
    })
}
