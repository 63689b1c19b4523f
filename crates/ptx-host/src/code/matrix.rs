//! Matrix instructions (manual 9.7.14): `mma`, `wmma.mma`, `movmatrix`.
//!
//! A product is two functions, which are called with the registers in memory: they are long, and a kernel contains the same ones many times.
//! The first stores A in the layout in which the second reads its elements.

use ptx_exec::program::{CollectiveKind, Effect, Element, Op, Product, Src, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{Builder, Function, IntPredicate, Linkage, Value};

use super::registers::defect;
use super::state::{Code, Multiplier, Present};
use crate::analysis::{Block, BlockId, Terminator};
use crate::emit::Emit;
use crate::emit::alu::{Nan, Style};
use crate::emit::matrix::{self, Registers};
use crate::run::Status;

impl<'c> Code<'_, '_, 'c> {
    /// Stops the warp unless all 32 lanes take part.
    pub(super) fn expect_whole(&self, pc: u32) -> Result<(), LlvmError> {
        match &self.masks.present {
            Present::Whole => Ok(()),
            Present::Same(lanes) => {
                let all = self.int(32, u64::from(u32::MAX));
                let is_whole = self.builder().int_compare(IntPredicate::Eq, *lanes, all)?;
                self.unless(is_whole, |code| code.stop(pc, *lanes, Status::NotWhole))
            }
            Present::Each(_) => Err(defect("a matrix instruction of some lanes")),
        }
    }

    pub(super) fn multiply(
        &mut self,
        id: BlockId,
        product: &Product,
        (srcs, dsts): (&[Src], &[u32]),
        pc: u32,
    ) -> Result<(), LlvmError> {
        if !matrix::has_form(product, self.style) {
            return self.multiply_by_interpreter(id, (srcs, dsts), pc);
        }
        self.expect_whole(pc)?;
        let Multiplier { functions: [store, multiply], arguments, results, a, .. } =
            self.multiplier(product, self.nan_of(product, dsts))?;
        let bits = register_bits(product);
        let [a_count, b_count, ..] = product.registers().map(|count| count as usize);
        let has_stored = self.has_stored(id, product, srcs);
        for (register, &src) in srcs.iter().enumerate().skip(if has_stored { a_count } else { 0 }) {
            // Sums with a NaN are NaNs, independently of its payload.
            let takes_any = register >= a_count + b_count && product.c == Element::F32;
            for chunk in 0..self.chunks {
                let value = if takes_any { self.raw_vector(src, chunk)? } else { self.vector(src, chunk)? };
                let value = self.emit.resize(value, bits)?;
                let place = self.register_place(&self.emit, arguments, bits, (register, chunk))?;
                self.builder().store(value, place, 8, Ordinary)?;
            }
        }
        if !has_stored {
            self.builder().call(store, &[arguments, a])?;
        }
        self.builder().call(multiply, &[arguments, a, results])?;
        for (register, &d) in dsts.iter().enumerate() {
            let values = self.registers_at(&self.emit, results, bits, register..register + 1)?;
            for values in values {
                self.write_lanes(id, None, d, &values)?;
            }
        }
        Ok(())
    }

    /// Whether the block that ran just before begins with the same product with the same A, so that A is in memory already.
    fn has_stored(&self, id: BlockId, product: &Product, srcs: &[Src]) -> bool {
        let (graph, count) = (&self.analysis.graph, product.registers()[0] as usize);
        let leads_here = |block: &Block| block.terminator.targets().contains(&id);
        let mut before = graph.blocks().iter().enumerate().filter(|(_, block)| leads_here(block));
        let (Some((other, block)), None) = (before.next(), before.next()) else { return false };
        // Memory of another segment's function, or of an earlier call of this one, has other contents.
        if self.segment.is_some()
            && (self.is_outside(other) || !matches!(block.terminator, Terminator::Jump(_)))
        {
            return false;
        }
        // If lanes wait elsewhere, those may run in between.
        if id == 0 || other == id || !block.gathers || !self.analysis.schedule.is_together(other) {
            return false;
        }
        let insts = &self.program.code[block.first as usize..block.end as usize];
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
    fn nan_of(&self, product: &Product, dsts: &[u32]) -> Nan {
        let are_any = product.d == Element::F32 && dsts.iter().all(|&d| self.analysis.nans.has_any(d));
        if are_any { Nan::Any } else { Nan::Canonical }
    }

    fn multiplier(&mut self, product: &Product, nan: Nan) -> Result<Multiplier<'c>, LlvmError> {
        let is_same = |found: &&Multiplier<'c>| found.product == *product && found.nan == nan;
        if let Some(found) = self.multipliers.iter().find(is_same) {
            return Ok(*found);
        }
        let multiply = self.make_multiplying(product, nan)?;
        // Consecutive products share the code that stores A, also if their NaNs differ.
        if let Some(&found) = self.multipliers.iter().find(|found| found.product == *product) {
            let made = Multiplier { nan, functions: [found.functions[0], multiply], ..found };
            self.multipliers.push(made);
            return Ok(made);
        }
        let functions = [self.make_storing(product)?, multiply];
        let [a, b, c, d] = product.registers();
        let bytes = |registers: u32| registers * register_bits(product) / 8 * WARP as u32;
        let memory = |bytes: u32| {
            self.builder().alloca_in_entry(self.types.array(self.types.int(8), bytes.into()), 64)
        };
        let (arguments, results) = (memory(bytes(a + b + c))?, memory(bytes(d))?);
        let a = memory(matrix::bytes_of_a(product))?;
        let made = Multiplier { product: *product, nan, functions, arguments, results, a };
        self.multipliers.push(made);
        Ok(made)
    }

    /// An internal function of this module with `parameters` pointer parameters.
    fn helper(&self, name: &str, parameters: usize) -> Result<(Function<'c>, Emit<'_, 'c>), LlvmError> {
        // The functions of segments are told apart by the first block.
        let segment = match &self.segment {
            Some(segment) => format!(".{}", segment.range.start),
            None => String::new(),
        };
        let name = format!("{name}{}{segment}", self.multipliers.len());
        let ty = self.types.function(self.types.void(), &vec![self.types.pointer(0); parameters]);
        let function = self.emit.module.function(&name, ty)?;
        function.set_linkage(Linkage::Internal);
        function.compile_like(self.function);
        function.add_flag(self.types, "noinline");
        function.add_flag(self.types, "nounwind");
        for parameter in 0..parameters as u32 {
            function.add_parameter_flag(self.types, parameter, "noalias");
        }
        let emit = Emit { module: self.emit.module, types: self.types, builder: Builder::new(self.types) };
        emit.builder.position_at_end(function.append_block(self.types, "entry"));
        Ok((function, emit))
    }

    fn make_storing(&self, product: &Product) -> Result<Function<'c>, LlvmError> {
        let (function, emit) = self.helper("store", 2)?;
        let [arguments, memory] = function.parameters()[..] else {
            return Err(defect("a function with other parameters"));
        };
        let count = product.registers()[0] as usize;
        let a = self.registers_at(&emit, arguments, register_bits(product), 0..count)?;
        let stored = matrix::store_a(&emit, self.style, product, &a, memory)?;
        stored.ok_or_else(|| defect("a product without a form"))?;
        emit.builder.ret(None)?;
        Ok(function)
    }

    fn make_multiplying(&self, product: &Product, nan: Nan) -> Result<Function<'c>, LlvmError> {
        let (function, emit) = self.helper("multiply", 3)?;
        let [arguments, memory, results] = function.parameters()[..] else {
            return Err(defect("a function with other parameters"));
        };
        let bits = register_bits(product);
        let [a, b, c, _] = product.registers().map(|count| count as usize);
        let [b, c] =
            [a..a + b, a + b..a + b + c].map(|range| self.registers_at(&emit, arguments, bits, range));
        let style = Style { nan, ..self.style };
        let made = matrix::multiply(&emit, style, product, self.lanes, (memory, [&b?, &c?]))?;
        let made = made.ok_or_else(|| defect("a product without a form"))?;
        for (register, vectors) in made.iter().enumerate() {
            for (chunk, &vector) in vectors.iter().enumerate() {
                let place = self.register_place(&emit, results, bits, (register, chunk))?;
                emit.builder.store(vector, place, 8, Ordinary)?;
            }
        }
        emit.builder.ret(None)?;
        Ok(function)
    }

    fn registers_at(
        &self,
        emit: &Emit<'_, 'c>,
        memory: Value<'c>,
        bits: u32,
        registers: std::ops::Range<usize>,
    ) -> Result<Registers<'c>, LlvmError> {
        let ty = self.types.vector(self.types.int(bits), self.lanes);
        let one = |register, chunk| {
            let place = self.register_place(emit, memory, bits, (register, chunk))?;
            emit.builder.load(ty, place, 8, Ordinary)
        };
        registers.map(|register| (0..self.chunks).map(|chunk| one(register, chunk)).collect()).collect()
    }

    fn register_place(
        &self,
        emit: &Emit<'_, 'c>,
        memory: Value<'c>,
        bits: u32,
        (register, chunk): (usize, usize),
    ) -> Result<Value<'c>, LlvmError> {
        let number = (register * self.chunks + chunk) as u64;
        let bytes = number * u64::from(self.lanes * bits / 8);
        emit.builder.offset(memory, self.types.int_value(64, bytes))
    }

    /// `movmatrix.trans`.
    pub(super) fn transpose(&self, id: BlockId, src: Src, d: u32, pc: u32) -> Result<(), LlvmError> {
        self.expect_whole(pc)?;
        let transposed = matrix::transpose(&self.emit, self.lanes, &self.words(src)?)?;
        self.write_lanes(id, None, d, &transposed)
    }
}

/// The width of all registers of a product.
fn register_bits(product: &Product) -> u32 {
    if product.d == Element::F64 { 64 } else { 32 }
}
