//! Loads and stores.
//!
//! | address | load |
//! |---|---|
//! | one for all lanes | a scalar load |
//! | consecutive elements | a vector load of each chunk, masked where not all lanes run |
//! | any | a gather |

use ptx_exec::Space;
use ptx_exec::program::{Address, AddressWidth, Base, Load, Order, Src, Store};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, CastOp, Value};

use super::Code;
use super::registers::defect;
use crate::analysis::{BlockId, Shape};
use crate::kernel::CompileError;

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn load(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        load: &Load,
        pc: u32,
    ) -> Result<(), CompileError> {
        let base = plain(&load.address, load.size, pc)?;
        weak(load.order, pc)?;
        if load.used != u32::MAX {
            return Err(CompileError::refused(
                pc,
                "loads of which only some bytes are used are not compiled yet",
            ));
        }
        if load.polls {
            return Err(CompileError::refused(pc, "loads that wait for other threads are not compiled yet"));
        }
        let mut loaded = Vec::new();
        for (element, &dst) in load.dsts.iter().enumerate() {
            let offset = load.address.offset.wrapping_add((element as u64 * u64::from(load.size)) as i64);
            loaded.push((dst, self.element(guard, load, base, offset)?));
        }
        for (dst, values) in loaded {
            // A row that other instructions write too may have values for each chunk where this has one.
            let mut filled = Vec::new();
            for chunk in 0..self.copies(dst) {
                let value = values.get(chunk).or(values.first()).copied();
                let mut value = value.ok_or_else(|| defect("a load without a value"))?;
                if self.is_vector(dst) && value.ty().vector_parts().is_none() {
                    value = self.builder().splat(value, self.lanes)?;
                }
                filled.push(self.fill(load, value)?);
            }
            self.write(id, guard, dst, &filled)?;
        }
        Ok(())
    }

    /// What is read at an offset: one value for all lanes, or vectors.
    fn element(
        &self,
        guard: Option<(u32, bool)>,
        load: &Load,
        base: Src,
        offset: i64,
    ) -> Result<Vec<Value<'c>>, LlvmError> {
        let (space, bits) = (load.address.space, 8 * load.size);
        let ty = self.types.int(bits);
        let vector = self.types.vector(ty, self.lanes);
        let shape = self.analysis.shapes.src(base);
        let runs = guard.is_none_or(|(row, _)| matches!(self.analysis.shapes.row(row), Shape::Constant(_)));
        if shape.is_uniform() && runs {
            let place = self.place(space, self.first(base, 0)?, offset)?;
            return Ok(vec![self.builder().load(ty, place, load.size, Ordinary)?]);
        }
        let is_consecutive = shape.stride().is_some_and(|stride| stride.within == i64::from(load.size));
        (0..self.chunks)
            .map(|chunk| {
                let mask = self.active(guard, chunk)?;
                if is_consecutive {
                    let place = self.place(space, self.first(base, chunk)?, offset)?;
                    return self.builder().masked_load(vector, place, load.size, mask, vector.zero());
                }
                let places = self.places(space, self.vector(base, chunk)?, offset)?;
                self.builder().masked_gather(vector, places, load.size, mask, vector.zero())
            })
            .collect()
    }

    /// Extends a loaded element to its register.
    fn fill(&self, load: &Load, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let bits = u64::BITS - load.fill.register.leading_zeros();
        if load.fill.sign_shift == 0 {
            return self.emit.resize(value, bits);
        }
        self.emit.resize_signed(value, bits)
    }

    pub(super) fn store(
        &self,
        guard: Option<(u32, bool)>,
        store: &Store,
        pc: u32,
    ) -> Result<(), CompileError> {
        let base = plain(&store.address, store.size, pc)?;
        weak(store.order, pc)?;
        let space = store.address.space;
        let is_consecutive = self
            .analysis
            .shapes
            .src(base)
            .stride()
            .is_some_and(|stride| stride.within == i64::from(store.size));
        for (element, &src) in store.srcs.iter().enumerate() {
            let offset = store.address.offset.wrapping_add((element as u64 * u64::from(store.size)) as i64);
            for chunk in 0..self.chunks {
                let mask = self.active(guard, chunk)?;
                let value = self.emit.resize(self.vector(src, chunk)?, 8 * store.size)?;
                if is_consecutive {
                    let place = self.place(space, self.first(base, chunk)?, offset)?;
                    self.builder().masked_store(value, place, store.size, mask)?;
                } else {
                    // Of lanes that store to one place the last one stays, as in the interpreter.
                    let places = self.places(space, self.vector(base, chunk)?, offset)?;
                    self.builder().masked_scatter(value, places, store.size, mask)?;
                }
            }
        }
        Ok(())
    }

    /// The host's address of one place.
    fn place(&self, space: Space, address: Value<'c>, offset: i64) -> Result<Value<'c>, LlvmError> {
        let address = self.extended(space, address, offset)?;
        match self.window(space) {
            Some(window) => self.builder().offset(window, address),
            None => self.builder().cast(CastOp::IntToPtr, address, self.types.pointer(0)),
        }
    }

    /// The host's addresses of the places of a chunk.
    fn places(&self, space: Space, addresses: Value<'c>, offset: i64) -> Result<Value<'c>, LlvmError> {
        let addresses = self.extended(space, addresses, offset)?;
        match self.window(space) {
            Some(window) => self.builder().vector_offset(window, addresses),
            None => {
                let pointers = self.types.vector(self.types.pointer(0), self.lanes);
                self.builder().cast(CastOp::IntToPtr, addresses, pointers)
            }
        }
    }

    /// Addresses with 64 bits. Those in windows have 32, and are numbers with a sign here: the first lane of a chunk may lie before the
    /// window where it does not run.
    fn extended(&self, space: Space, address: Value<'c>, offset: i64) -> Result<Value<'c>, LlvmError> {
        let address = match self.window(space) {
            Some(_) => {
                let narrow = self.emit.resize(address, 32)?;
                let offset = self.emit.constant(narrow, 32, offset as u64 & u64::from(u32::MAX));
                let sum = self.builder().binary(BinaryOp::Add, narrow, offset)?;
                return self.cast(CastOp::SExt, sum, 64);
            }
            None => self.emit.resize(address, 64)?,
        };
        let offset = self.emit.constant(address, 64, offset as u64);
        self.builder().binary(BinaryOp::Add, address, offset)
    }

    fn window(&self, space: Space) -> Option<Value<'c>> {
        match space {
            Space::Param => Some(self.inputs.params),
            Space::Const => Some(self.inputs.constant),
            Space::Shared => Some(self.inputs.shared),
            Space::Generic | Space::Global | Space::SharedCluster | Space::Local => None,
        }
    }
}

/// Only accesses that order no others are compiled.
fn weak(order: Order, pc: u32) -> Result<(), CompileError> {
    match order {
        Order::Relaxed => Ok(()),
        Order::Strong => Err(CompileError::refused(pc, "accesses that synchronize are not compiled yet")),
    }
}

/// The row of an address that code is made for.
fn plain(address: &Address, size: u32, pc: u32) -> Result<Src, CompileError> {
    let refused = |why| Err(CompileError::refused(pc, why));
    if size > 8 {
        return refused("elements of 128 bits are not compiled yet");
    }
    match (address.space, address.base) {
        (Space::Global, Base::Row(src, AddressWidth::Bits64)) => Ok(src),
        (Space::Param | Space::Const | Space::Shared, Base::Row(src, _)) => Ok(src),
        (Space::Global, Base::Row(_, AddressWidth::Bits32)) => {
            refused("global addresses of 32 bits are not compiled yet")
        }
        (_, Base::Frame) | (Space::Local, _) => refused("local memory is not compiled yet"),
        (Space::Generic | Space::SharedCluster, _) => refused("generic addresses are not compiled yet"),
    }
}
