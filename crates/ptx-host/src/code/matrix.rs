//! Matrix instructions (manual 9.7.14): `mma`, `wmma.mma`, `movmatrix`.
//!
//! A product is a function of its own, which is called with the registers in memory: it is long, and a kernel has the same one many
//! times.

use ptx_exec::program::{Element, Product, Src};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{Builder, Function, IntPredicate, Linkage, Value};

use super::Code;
use super::gather::Present;
use super::registers::defect;
use crate::analysis::BlockId;
use crate::emit::Emit;
use crate::emit::matrix::{self, Registers};
use crate::kernel::CompileError;
use crate::run::Status;

/// The function of a product.
#[derive(Clone, Copy)]
pub(super) struct Multiplier<'c> {
    product: Product,
    function: Function<'c>,
    /// Where its arguments and results are: register after register, lane after lane.
    arguments: Value<'c>,
    results: Value<'c>,
}

impl<'c> Code<'_, '_, 'c> {
    /// Stops the warp unless all 32 lanes are here.
    pub(super) fn expect_whole(&self, pc: u32) -> Result<(), LlvmError> {
        match &self.present {
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
    ) -> Result<(), CompileError> {
        if !matrix::has_form(product, self.style) {
            return Err(CompileError::refused(pc, "products of such matrices are not compiled yet"));
        }
        self.expect_whole(pc)?;
        let Multiplier { function, arguments, results, .. } = self.multiplier(product)?;
        let bits = register_bits(product);
        for (register, &src) in srcs.iter().enumerate() {
            for chunk in 0..self.chunks {
                let value = self.emit.resize(self.vector(src, chunk)?, bits)?;
                let place = self.register_place(&self.emit, arguments, bits, (register, chunk))?;
                self.builder().store(value, place, 8, Ordinary)?;
            }
        }
        self.builder().call(function, &[arguments, results])?;
        for (register, &d) in dsts.iter().enumerate() {
            let values = self.registers_at(&self.emit, results, bits, register..register + 1)?;
            for values in values {
                self.write_lanes(id, None, d, &values)?;
            }
        }
        Ok(())
    }

    fn multiplier(&mut self, product: &Product) -> Result<Multiplier<'c>, LlvmError> {
        if let Some(found) = self.multipliers.iter().find(|found| found.product == *product) {
            return Ok(*found);
        }
        let function = self.make_multiplier(product)?;
        let [a, b, c, d] = product.registers();
        let bytes = |registers: u32| u64::from(registers * register_bits(product) / 8 * 32);
        let memory = |registers| {
            self.builder().alloca_in_entry(self.types.array(self.types.int(8), bytes(registers)), 64)
        };
        let (arguments, results) = (memory(a + b + c)?, memory(d)?);
        let made = Multiplier { product: *product, function, arguments, results };
        self.multipliers.push(made);
        Ok(made)
    }

    fn make_multiplier(&self, product: &Product) -> Result<Function<'c>, LlvmError> {
        let pointer = self.types.pointer(0);
        let ty = self.types.function(self.types.void(), &[pointer, pointer]);
        let function = self.emit.module.function(&format!("multiply{}", self.multipliers.len()), ty)?;
        function.set_linkage(Linkage::Internal);
        function.compile_like(self.function);
        function.add_flag(self.types, "noinline");
        function.add_flag(self.types, "nounwind");
        let emit = Emit { module: self.emit.module, types: self.types, builder: Builder::new(self.types) };
        emit.builder.position_at_end(function.append_block(self.types, "entry"));
        let [arguments, results] = function.parameters()[..] else {
            return Err(defect("a function with other parameters"));
        };
        let bits = register_bits(product);
        let [a, b, c, _] = product.registers().map(|count| count as usize);
        let [a, b, c] =
            [0..a, a..a + b, a + b..a + b + c].map(|range| self.registers_at(&emit, arguments, bits, range));
        let made = matrix::multiply(&emit, self.style, product, self.lanes, [&a?, &b?, &c?])?;
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

/// The bits of all registers of a product.
fn register_bits(product: &Product) -> u32 {
    if product.d == Element::F64 { 64 } else { 32 }
}
