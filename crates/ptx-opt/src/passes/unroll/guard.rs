//! Whether four rounds are certain to follow.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, IntPredicate};
use ptx_llvm_core::edit::{Builder, Opcode, Value};

use super::counted::{COPIES, Counted, Step};

/// Greatest values of registers (manual 10).
const MOST: [(&str, u64); 4] = [
    ("llvm.nvvm.read.ptx.sreg.ntid.", 1024),
    ("llvm.nvvm.read.ptx.sreg.tid.", 1023),
    ("llvm.nvvm.read.ptx.sreg.warpsize", 32),
    ("llvm.nvvm.read.ptx.sreg.laneid", 31),
];

/// How many operations a greatest value is found through.
const DEEPEST: u32 = 5;

/// What the unrolled loop needs, computed before it.
pub(super) struct Guard<'e> {
    /// Whether it is entered.
    pub(super) enters: Value<'e>,
    /// What the counter is compared with.
    pub(super) last: Value<'e>,
    /// Four steps.
    pub(super) stride: Value<'e>,
}

/// Computes it before a loop.
pub(super) fn guard<'e>(builder: &Builder<'_, 'e>, counted: &Counted<'e>) -> Result<Guard<'e>, LlvmError> {
    let ty = counted.counter.ty();
    let (step, stride) = match counted.step {
        Step::Constant(by) => (ty.number(by)?, ty.number(by * COPIES as i64)?),
        Step::Value(step) => (step, builder.binary(BinaryOp::Shl, step, ty.number(COPIES.ilog2().into())?)?),
    };
    let (enters, last) = match counted.is_signed() {
        Some(is_signed) => by_order(builder, counted, step, is_signed)?,
        None => by_equality(builder, counted)?,
    };
    Ok(Guard { enters, last, stride })
}

/// Of a loop that goes on while the next counter is less:
///
/// ```text
/// %three = mul i32 %step, 3
/// %last = sub i32 %limit, %three
/// %short = icmp ult i32 %step, 268435456
/// %near = icmp ult i32 %limit, 1879048192
/// %first = icmp slt i32 %start, %last
/// ```
///
/// A step below 2^28 does not wrap when it is multiplied, also not where it is taken from a limit that is not negative. The counter is below the limit less three steps, so that it
/// does not wrap either in these rounds, and as the limit is below 7 * 2^28, not after them.
fn by_order<'e>(
    builder: &Builder<'_, 'e>,
    counted: &Counted<'e>,
    step: Value<'e>,
    is_signed: bool,
) -> Result<(Value<'e>, Value<'e>), LlvmError> {
    let Counted { limit, start, .. } = *counted;
    let ty = step.ty();
    let three = builder.binary(BinaryOp::Mul, step, ty.number(COPIES as i64 - 1)?)?;
    let last = builder.binary(BinaryOp::Sub, limit, three)?;
    let mut enters = builder.int_compare(counted.goes_on, start, last)?;
    let short = 1_u64 << (counted.bits - 4);
    if most(step, DEEPEST).is_none_or(|most| most >= short) {
        let is_short = builder.int_compare(IntPredicate::Ult, step, ty.number(short as i64)?)?;
        enters = builder.binary(BinaryOp::And, enters, is_short)?;
    }
    // As a number without a sign: a negative limit is greater.
    let room = if is_signed { 7 * short } else { 15 * short };
    let is_near = builder.int_compare(IntPredicate::Ult, limit, ty.number(room as i64)?)?;
    enters = builder.binary(BinaryOp::And, enters, is_near)?;
    if !is_signed {
        let is_far = builder.int_compare(IntPredicate::Uge, limit, three)?;
        enters = builder.binary(BinaryOp::And, enters, is_far)?;
    }
    Ok((enters, last))
}

/// Of a loop by a power of two, or by -1, that goes on until the next counter is the limit:
///
/// ```text
/// %distance = sub i32 %limit, %start
/// %rest = and i32 %distance, 7            ; four steps of two, less one
/// %last = sub i32 %limit, %rest
/// %enters = icmp ugt i32 %distance, 7
/// ```
///
/// If the limit is the start, the counter has all values there are, and the unrolled loop is not entered. If the distance is not a multiple of the step, the counter
/// does not come to the limit in either form.
fn by_equality<'e>(
    builder: &Builder<'_, 'e>,
    counted: &Counted<'e>,
) -> Result<(Value<'e>, Value<'e>), LlvmError> {
    let Counted { limit, start, step, .. } = *counted;
    let (by, grows) = match step {
        Step::Constant(by) => (by.abs(), by > 0),
        Step::Value(_) => (1, true),
    };
    let mask = limit.ty().number(by * COPIES as i64 - 1)?;
    let (high, low) = if grows { (limit, start) } else { (start, limit) };
    let distance = builder.binary(BinaryOp::Sub, high, low)?;
    let rest = builder.binary(BinaryOp::And, distance, mask)?;
    let last = builder.binary(if grows { BinaryOp::Sub } else { BinaryOp::Add }, limit, rest)?;
    Ok((builder.int_compare(IntPredicate::Ugt, distance, mask)?, last))
}

/// The greatest value of a number without a sign, as far as it is known.
fn most(value: Value<'_>, depth: u32) -> Option<u64> {
    if let Some(number) = value.as_unsigned() {
        return Some(number);
    }
    let inst = value.as_inst().filter(|_| depth > 0)?;
    let part = |at| inst.operand(at).and_then(|operand| most(operand, depth - 1));
    let number = || inst.operand(1).and_then(Value::as_unsigned);
    match inst.opcode() {
        Opcode::Call => MOST.iter().find(|(prefix, _)| inst.calls(prefix)).map(|(_, most)| *most),
        Opcode::Add => part(0)?.checked_add(part(1)?).filter(|sum| *sum < 1 << 31),
        Opcode::Mul => part(0)?.checked_mul(part(1)?).filter(|product| *product < 1 << 31),
        Opcode::Shl => part(0)?.checked_mul(1 << number()?.min(31)).filter(|product| *product < 1 << 31),
        Opcode::LShr => Some(part(0)? >> number()?.min(63)),
        Opcode::And => [part(0), part(1)].into_iter().flatten().min(),
        Opcode::ZExt => part(0),
        _ => None,
    }
}
