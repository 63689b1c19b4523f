//! The operations of atomic instructions and reductions.

use ptx_isa::{Field, Mod, ScalarType};

use super::context::Context;
use super::numbers::numbers;
use super::output::Decoded;
use crate::program::{Combine, FloatCombine, FloatExtreme, Numbers};
use crate::scalar::float::{Extreme, NanRule, SignRule, Subnormals};
use crate::scalar::format::Format;

/// The operation of an atomic instruction (manual 9.7.13.5).
pub(super) fn combination(cx: &Context<'_>, ty: ScalarType) -> Decoded<Combine> {
    let Some(numbers) = numbers(ty) else { return cx.unsupported("its type has no atomic operations") };
    // Rows with a single operation have it in their mnemonic.
    let op = cx.m.get(Field::Op).or_else(|| cx.m.has(Mod::Add).then_some(Mod::Add));
    if !matches!(numbers, Numbers::Float(Format::F32)) {
        cx.m.ignore_words(&[Mod::Noftz], "the others keep subnormals anyway");
    }
    Ok(match (op, numbers) {
        (Some(Mod::Exch), _) => Combine::Exchange,
        (Some(Mod::Cas), _) => Combine::CompareAndSwap,
        (Some(Mod::And), _) => Combine::And,
        (Some(Mod::Or), _) => Combine::Or,
        (Some(Mod::Xor), _) => Combine::Xor,
        (Some(Mod::Inc), _) => Combine::Inc,
        (Some(Mod::Dec), _) => Combine::Dec,
        (Some(Mod::Add), Numbers::Int(t)) => Combine::IntAdd(t),
        (Some(Mod::Min), Numbers::Int(t)) => Combine::IntMin(t),
        (Some(Mod::Max), Numbers::Int(t)) => Combine::IntMax(t),
        (Some(Mod::Add), Numbers::Float(Format::F32)) => {
            let in_global = if cx.m.has(Mod::Noftz) { Subnormals::Keep } else { Subnormals::Flush };
            Combine::Float(FloatCombine::AddF32 { in_global })
        }
        (Some(Mod::Add), Numbers::Float(format) | Numbers::Floats(format, _)) => {
            Combine::Float(FloatCombine::Add(format, numbers.packing()))
        }
        (Some(op @ (Mod::Min | Mod::Max)), Numbers::Float(format) | Numbers::Floats(format, _)) => {
            let which = if op == Mod::Min { Extreme::Min } else { Extreme::Max };
            let (nan, sign) = (NanRule::Ignore, SignRule::Plain);
            let extreme = FloatExtreme { format, subnormals: Subnormals::Keep, which, nan, sign };
            Combine::Float(FloatCombine::Extreme(extreme, numbers.packing()))
        }
        _ => return cx.unsupported("its operation has no such type"),
    })
}
