//! AVX-512 instructions with embedded rounding.

use ptx_program::FloatBinary;
use ptx_program::scalar::format::Rounding;

use super::lanes::Lanes;

/// The operation of such an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Fma,
}

impl Operation {
    pub(super) fn of(op: FloatBinary) -> Self {
        match op {
            FloatBinary::Add => Self::Add,
            FloatBinary::Sub => Self::Sub,
            FloatBinary::Mul => Self::Mul,
            FloatBinary::Div | FloatBinary::DivApprox => Self::Div,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Sqrt => "sqrt",
            Self::Fma => "vfmadd",
        }
    }
}

/// The operation in a rounding other than to nearest. `None` if the processor has no such instruction, or not for this number of lanes: whole
/// 512-bit vectors, or two of them.
pub(super) fn apply<'a, 'm, 'c>(
    operation: Operation,
    rounding: Rounding,
    arguments: &[Lanes<'a, 'm, 'c>],
) -> Option<Lanes<'a, 'm, 'c>> {
    let first = *arguments.first()?;
    // Suppress exceptions (8), and the direction.
    let rounding = match rounding {
        Rounding::Down => 8 | 1,
        Rounding::Up => 8 | 2,
        Rounding::TowardZero => 8 | 3,
        Rounding::NearestEven | Rounding::NearestAway => return None,
    };
    if !first.code.style.has_roundings {
        return None;
    }
    let kind = if first.width() == 64 { "pd" } else { "ps" };
    let name = format!("llvm.x86.avx512.{}.{kind}.512", operation.name());
    let (lanes, whole) = (first.count(), 512 / first.width());
    let call = |arguments: &[Lanes<'a, 'm, 'c>]| {
        let (first, others) = arguments.split_first()?;
        Some(first.call_with(&name, others, rounding))
    };
    if lanes == whole {
        return call(arguments);
    }
    if lanes != 2 * whole {
        return None;
    }
    let part = |from: u32, count: u32| (from..from + count).map(Some).collect::<Vec<_>>();
    let half = |from: u32| {
        let parts: Vec<_> = arguments.iter().map(|value| value.shuffle(*value, &part(from, whole))).collect();
        call(&parts)
    };
    Some(half(0)?.shuffle(half(whole)?, &part(0, lanes)))
}
