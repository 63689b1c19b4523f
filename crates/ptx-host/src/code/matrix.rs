//! Matrix instructions (manual 9.7.14): `mma`, `wmma.mma`, `movmatrix`.
//!
//! A product is two functions, which are called with the registers in memory: they are long, and a kernel contains the same ones many times.
//! The first stores A in the layout in which the second reads its elements.

use std::mem::offset_of;

use ptx_host_rt::Runtime;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{Builder, Function, Linkage, Value};
use ptx_program::{CollectiveKind, Effect, Element, Op, Product, Src, WARP};

use super::effects::ROW;
use super::state::{Code, Multiplier};
use super::{effects, lane_values, outside, registers, runtime};
use crate::analysis::{Block, BlockId, Terminator};
use crate::emit::Emit;
use crate::emit::alu::{Nan, Style};
use crate::emit::matrix::{self, Registers};
use crate::error::defect;

pub(super) fn multiply(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    product: &Product,
    (srcs, dsts): (&[Src], &[u32]),
    pc: u32,
) -> Result<(), LlvmError> {
    if !matrix::has_form(product, code.style) {
        return multiply_by_interpreter(code, id, (srcs, dsts), pc);
    }
    lane_values::expect_whole(code, pc)?;
    let Multiplier { functions: [store, multiply], arguments, results, a, .. } =
        multiplier(code, product, nan_of(code, product, dsts))?;
    let bits = register_bits(product);
    let [a_count, b_count, ..] = product.registers().map(|count| count as usize);
    let has_stored = has_stored(code, id, product, srcs);
    for (register, &src) in srcs.iter().enumerate().skip(if has_stored { a_count } else { 0 }) {
        // Sums with a NaN are NaNs, independently of its payload.
        let takes_any = register >= a_count + b_count && product.c == Element::F32;
        for chunk in 0..code.chunks {
            let value = if takes_any {
                registers::raw_vector(code, src, chunk)?
            } else {
                registers::vector(code, src, chunk)?
            };
            let value = code.emit.resize(value, bits)?;
            let place = register_place(code, &code.emit, arguments, bits, (register, chunk))?;
            code.builder().store(value, place, 8, Ordinary)?;
        }
    }
    if !has_stored {
        code.builder().call(store, &[arguments, a])?;
    }
    code.builder().call(multiply, &[arguments, a, results])?;
    for (register, &d) in dsts.iter().enumerate() {
        let values = registers_at(code, &code.emit, results, bits, register..register + 1)?;
        for values in values {
            lane_values::write_lanes(code, id, None, d, &values)?;
        }
    }
    Ok(())
}

/// Whether the block that ran just before begins with the same product with the same A, so that A is in memory already.
fn has_stored(code: &Code<'_, '_, '_>, id: BlockId, product: &Product, srcs: &[Src]) -> bool {
    let (graph, count) = (&code.analysis.graph, product.registers()[0] as usize);
    let leads_here = |block: &Block| block.terminator.targets().contains(&id);
    let mut before = graph.blocks().iter().enumerate().filter(|(_, block)| leads_here(block));
    let (Some((other, block)), None) = (before.next(), before.next()) else { return false };
    // Memory of another segment's function, or of an earlier call of this one, has other contents.
    if code.segment.is_some()
        && (outside::is_outside(code, other) || !matches!(block.terminator, Terminator::Jump(_)))
    {
        return false;
    }
    // If lanes wait elsewhere, those may run in between.
    if id == 0 || other == id || !block.gathers || !code.analysis.schedule.is_together(other) {
        return false;
    }
    let insts = &code.program.code[block.first as usize..block.end as usize];
    let Some(Op::Effect(Effect::Collective(collective))) = insts.first().map(|inst| &inst.op) else {
        return false;
    };
    let is_changed = |src: &Src| {
        let is_row = |row: &u32| src.as_register() == Some(*row);
        (block.first..block.end).any(|pc| graph.access(pc).writes.iter().any(is_row))
    };
    collective.kind == CollectiveKind::Multiply(*product)
        && collective.srcs.get(..count) == srcs.get(..count)
        && !srcs.iter().take(count).any(is_changed)
}

/// How NaNs of the results may be represented: with any payload, if their bits are not observed.
fn nan_of(code: &Code<'_, '_, '_>, product: &Product, dsts: &[u32]) -> Nan {
    let are_any = product.d == Element::F32 && dsts.iter().all(|&d| code.analysis.nans.has_any(d));
    if are_any { Nan::Any } else { Nan::Canonical }
}

fn multiplier<'c>(
    code: &mut Code<'_, '_, 'c>,
    product: &Product,
    nan: Nan,
) -> Result<Multiplier<'c>, LlvmError> {
    let is_same = |found: &&Multiplier<'c>| found.product == *product && found.nan == nan;
    if let Some(found) = code.multipliers.iter().find(is_same) {
        return Ok(*found);
    }
    let multiply = make_multiplying(code, product, nan)?;
    // Consecutive products share the code that stores A, also if their NaNs differ.
    if let Some(&found) = code.multipliers.iter().find(|found| found.product == *product) {
        let made = Multiplier { nan, functions: [found.functions[0], multiply], ..found };
        code.multipliers.push(made);
        return Ok(made);
    }
    let functions = [make_storing(code, product)?, multiply];
    let [a, b, c, d] = product.registers();
    let bytes = |registers: u32| registers * register_bits(product) / 8 * WARP as u32;
    let memory =
        |bytes: u32| code.builder().alloca_in_entry(code.types.array(code.types.int(8), bytes.into()), 64);
    let (arguments, results) = (memory(bytes(a + b + c))?, memory(bytes(d))?);
    let a = memory(matrix::bytes_of_a(product))?;
    let made = Multiplier { product: *product, nan, functions, arguments, results, a };
    code.multipliers.push(made);
    Ok(made)
}

/// An internal function of this module with `parameters` pointer parameters.
fn helper<'m, 'c>(
    code: &Code<'_, 'm, 'c>,
    name: &str,
    parameters: usize,
) -> Result<(Function<'c>, Emit<'m, 'c>), LlvmError> {
    // The functions of segments are told apart by the first block.
    let segment = match &code.segment {
        Some(segment) => format!(".{}", segment.range.start),
        None => String::new(),
    };
    let name = format!("{name}{}{segment}", code.multipliers.len());
    let ty = code.types.function(code.types.void(), &vec![code.types.pointer(0); parameters]);
    let function = code.emit.module.function(&name, ty)?;
    function.set_linkage(Linkage::Internal);
    function.compile_like(code.function);
    function.add_flag(code.types, "noinline");
    function.add_flag(code.types, "nounwind");
    for parameter in 0..parameters as u32 {
        function.add_parameter_flag(code.types, parameter, "noalias");
    }
    let emit = Emit { module: code.emit.module, types: code.types, builder: Builder::new(code.types) };
    emit.builder.position_at_end(function.append_block(code.types, "entry"));
    Ok((function, emit))
}

fn make_storing<'c>(code: &Code<'_, '_, 'c>, product: &Product) -> Result<Function<'c>, LlvmError> {
    let (function, emit) = helper(code, "store", 2)?;
    let [arguments, memory] = function.parameters()[..] else {
        return Err(defect("a function with other parameters"));
    };
    let count = product.registers()[0] as usize;
    let a = registers_at(code, &emit, arguments, register_bits(product), 0..count)?;
    let stored = matrix::store_a(&emit, code.style, product, &a, memory)?;
    stored.ok_or_else(|| defect("a product without a form"))?;
    emit.builder.ret(None)?;
    Ok(function)
}

fn make_multiplying<'c>(
    code: &Code<'_, '_, 'c>,
    product: &Product,
    nan: Nan,
) -> Result<Function<'c>, LlvmError> {
    let (function, emit) = helper(code, "multiply", 3)?;
    let [arguments, memory, results] = function.parameters()[..] else {
        return Err(defect("a function with other parameters"));
    };
    let bits = register_bits(product);
    let [a, b, c, _] = product.registers().map(|count| count as usize);
    let [b, c] = [a..a + b, a + b..a + b + c].map(|range| registers_at(code, &emit, arguments, bits, range));
    let style = Style { nan, ..code.style };
    let made = matrix::multiply(&emit, style, product, code.lanes, (memory, [&b?, &c?]))?;
    let made = made.ok_or_else(|| defect("a product without a form"))?;
    for (register, vectors) in made.iter().enumerate() {
        for (chunk, &vector) in vectors.iter().enumerate() {
            let place = register_place(code, &emit, results, bits, (register, chunk))?;
            emit.builder.store(vector, place, 8, Ordinary)?;
        }
    }
    emit.builder.ret(None)?;
    Ok(function)
}

fn registers_at<'c>(
    code: &Code<'_, '_, 'c>,
    emit: &Emit<'_, 'c>,
    memory: Value<'c>,
    bits: u32,
    registers: std::ops::Range<usize>,
) -> Result<Registers<'c>, LlvmError> {
    let ty = code.vector_of(bits);
    let one = |register, chunk| {
        let place = register_place(code, emit, memory, bits, (register, chunk))?;
        emit.builder.load(ty, place, 8, Ordinary)
    };
    registers.map(|register| (0..code.chunks).map(|chunk| one(register, chunk)).collect()).collect()
}

fn register_place<'c>(
    code: &Code<'_, '_, 'c>,
    emit: &Emit<'_, 'c>,
    memory: Value<'c>,
    bits: u32,
    (register, chunk): (usize, usize),
) -> Result<Value<'c>, LlvmError> {
    let number = (register * code.chunks + chunk) as u64;
    let bytes = number * u64::from(code.lanes * bits / 8);
    emit.builder.offset(memory, code.types.int_value(64, bytes))
}

/// `movmatrix.trans`.
pub(super) fn transpose(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    src: Src,
    d: u32,
    pc: u32,
) -> Result<(), LlvmError> {
    lane_values::expect_whole(code, pc)?;
    let transposed = matrix::transpose(&code.emit, code.lanes, &lane_values::words(code, src)?)?;
    lane_values::write_lanes(code, id, None, d, &transposed)
}

/// The width of all registers of a product.
fn register_bits(product: &Product) -> u32 {
    if product.d == Element::F64 { 64 } else { 32 }
}

/// Multiplies matrices with the interpreter's function.
fn multiply_by_interpreter(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    (srcs, dsts): (&[Src], &[u32]),
    pc: u32,
) -> Result<(), LlvmError> {
    lane_values::expect_whole(code, pc)?;
    let rows = effects::rows_in_memory(code, srcs.len() + dsts.len())?;
    for (n, &src) in srcs.iter().enumerate() {
        effects::put_row(code, rows, n, src)?;
    }
    let results = code.builder().offset(rows, code.int(64, srcs.len() as u64 * ROW))?;
    runtime::call_checked(code, offset_of!(Runtime, multiply), &[code.int(32, pc.into()), rows, results])?;
    for (n, &dst) in dsts.iter().enumerate() {
        let values = effects::row_at(code, results, n)?;
        lane_values::write_lanes(code, id, None, dst, &values)?;
    }
    Ok(())
}
