//! Loads and stores.
//!
//! | address | load | store |
//! |---|---|---|
//! | uniform, or uniform per chunk | a scalar load | a scalar store of the last active lane's value |
//! | consecutive accesses | a vector load for each chunk, masked if not all lanes are active | a masked vector store |
//! | perhaps consecutive within each four lanes | a test, and loads of four elements (`quads.rs`) or a gather | a scatter |
//! | varying | a gather | a scatter |
//!
//! Consecutive vector accesses are deinterleaved: `ld.v2` of 16 lanes is a load of 32 elements and two shuffles.

use ptx_exec::Space;
use ptx_exec::program::{Address, AddressWidth, Base, Effect, Load, Op, Src, Store};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, CastOp, IntPredicate, Value};

use super::atomic::SHARED_OFFSET;
use super::registers::defect;
use super::state::Code;
use crate::analysis::{BlockId, Indexed, Shape, Stride};
use crate::error::CompileError;
use crate::notes::RemarkKind;

/// The pattern of the addresses of an access's lanes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Form {
    /// One address for all lanes.
    Uniform,
    /// One address for the lanes of each chunk.
    Chunkwise,
    /// The access of each lane begins where that of the lane before ends; with an index, only if that does not wrap around.
    Consecutive(Option<(u32, Indexed)>),
    /// Arbitrary addresses.
    Any,
}

/// An access of lanes: the address, guard and elements.
#[derive(Clone, Copy)]
pub(super) struct Accessed<'a> {
    pub(super) address: &'a Address,
    pub(super) base: Src,
    pub(super) guard: Option<(u32, bool)>,
    /// Bytes of an element, and the number of elements.
    pub(super) size: u32,
    pub(super) count: usize,
}

impl Accessed<'_> {
    pub(super) fn offset(&self, element: usize) -> i64 {
        self.address.offset.wrapping_add((element as u64 * u64::from(self.size)) as i64)
    }

    pub(super) fn bits(&self) -> u32 {
        8 * self.size
    }
}

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn load(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        load: &Load,
        pc: u32,
    ) -> Result<(), CompileError> {
        if self.special_load(id, guard, load, pc)?.is_some() {
            return Ok(());
        }
        let loaded = self.found(guard, load, plain(&load.address, pc)?)?;
        self.announce(id, load)?;
        self.set_loaded(id, guard, load, loaded)
    }

    /// The results of a plain load, for each element: one value for all lanes, one for each chunk, or vectors.
    pub(super) fn found(
        &self,
        guard: Option<(u32, bool)>,
        load: &Load,
        base: Src,
    ) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
        // Bytes that the program does not use are read too: an aligned access does not cross into another page.
        self.elements(Accessed {
            address: &load.address,
            base,
            guard,
            size: load.size,
            count: load.dsts.len(),
        })
    }

    /// Writes the results of a load to its rows.
    pub(super) fn set_loaded(
        &self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        load: &Load,
        loaded: Vec<Vec<Value<'c>>>,
    ) -> Result<(), CompileError> {
        for (&dst, values) in load.dsts.iter().zip(loaded) {
            // A row that other instructions write too may have values for each chunk where this load has one.
            let mut filled = Vec::new();
            for chunk in self.chunks_of(dst) {
                let value = values.get(chunk).or(values.first()).copied();
                let mut value = value.ok_or_else(|| defect("a load without a value"))?;
                match (self.is_vector(dst), value.ty().vector_parts().is_some()) {
                    (true, false) => value = self.builder().splat(value, self.lanes)?,
                    (false, true) => value = self.of_first(guard, chunk, value)?,
                    (true, true) | (false, false) => {}
                }
                filled.push(self.fill(load, value)?);
            }
            self.write(id, guard, dst, &filled)?;
        }
        Ok(())
    }

    /// The value of the first active lane of a chunk, if there is one.
    fn of_first(
        &self,
        guard: Option<(u32, bool)>,
        chunk: usize,
        values: Value<'c>,
    ) -> Result<Value<'c>, LlvmError> {
        // Without an active lane `cttz` gives the number of lanes, which is no lane; masked, it is lane 0, whose value is never used.
        let bits = self.types.int(self.lanes);
        let lanes = self.builder().cast(CastOp::BitCast, self.active(guard, chunk)?, bits)?;
        let zeros = self.builder().intrinsic("llvm.cttz", &[bits], &[lanes, self.int(1, 0)])?;
        let most = self.int(self.lanes, u64::from(self.lanes) - 1);
        let lane = self.builder().binary(BinaryOp::And, zeros, most)?;
        self.builder().extract_lane(values, lane)
    }

    /// The loaded values of each element: one value for all lanes, one for each chunk, or vectors.
    fn elements(&self, accessed: Accessed<'_>) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
        let form = self.form(accessed);
        self.note_form(accessed, form, RemarkKind::Gather);
        match form {
            Form::Uniform => self.scalars(accessed, 1),
            Form::Chunkwise => self.scalars(accessed, self.chunks),
            Form::Consecutive(None) => self.consecutive(accessed),
            Form::Consecutive(Some((row, indexed))) => self.consecutive_unless(accessed, row, indexed),
            Form::Any => self.gathers_or_quads(accessed),
        }
    }

    /// Notes the code of an access; `apart` is the kind of remark if each lane has an address of its own.
    fn note_form(&self, accessed: Accessed<'_>, form: Form, apart: RemarkKind) {
        let bytes = i64::from(accessed.size) * accessed.count as i64;
        if form == Form::Any && self.window_of(accessed).is_some() {
            self.note_mask(accessed.guard);
            return;
        }
        match form {
            Form::Any => self.note_access(apart, Some(accessed.base), bytes),
            // A load for each chunk is a scalar.
            Form::Chunkwise if apart == RemarkKind::Scatter => {
                self.note_access(apart, Some(accessed.base), bytes);
            }
            Form::Consecutive(index) => {
                if index.is_some() {
                    self.note(RemarkKind::Tested, Some(accessed.base));
                }
                self.note_mask(accessed.guard);
            }
            Form::Uniform | Form::Chunkwise => {}
        }
    }

    fn form(&self, accessed: Accessed<'_>) -> Form {
        let shapes = &self.analysis.shapes;
        let shape = shapes.src(accessed.base);
        let bytes = i64::from(accessed.size) * accessed.count as i64;
        // Addresses that are consecutive modulo fewer bits need not be consecutive in memory.
        let is_whole = self.window(accessed.address.space).is_some()
            || self.analysis.widths.src(accessed.base) == u64::BITS;
        match (shape, accessed.base.as_register()) {
            (shape, _) if shape.is_uniform() => Form::Uniform,
            (Shape::Strided(Stride { within: 0, .. }), _) => Form::Chunkwise,
            (Shape::Strided(Stride { within, .. }), _) if within == bytes && is_whole => {
                Form::Consecutive(None)
            }
            (Shape::Indexed(indexed), Some(row)) if indexed.stride().within == bytes && is_whole => {
                Form::Consecutive(Some((row, indexed)))
            }
            _ => Form::Any,
        }
    }

    /// Whether lanes gather from shared memory, or scatter to it.
    pub(super) fn has_gathers(&self) -> bool {
        let is_gather = |address: &Address, size: u32, count: usize| match address.base {
            Base::Row(base, _) if address.space == Space::Shared => {
                let accessed = Accessed { address, base, guard: None, size, count };
                self.form(accessed) == Form::Any && self.window_of(accessed).is_none()
            }
            _ => false,
        };
        self.program.code.iter().any(|inst| match &inst.op {
            Op::Effect(Effect::Load(load)) => is_gather(&load.address, load.size, load.dsts.len()),
            Op::Effect(Effect::Store(store)) => is_gather(&store.address, store.size, store.srcs.len()),
            _ => false,
        })
    }

    /// Scalar loads, one for each of the first chunks. If no lane of a chunk is active, it reads a dummy address.
    fn scalars(&self, accessed: Accessed<'_>, chunks: usize) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
        let ty = self.types.int(accessed.bits());
        let mut values = vec![Vec::new(); accessed.count];
        for chunk in 0..chunks {
            if repeat(&mut values, self.same_as(accessed.base, chunk)) {
                continue;
            }
            let first = self.first(accessed.base, chunk)?;
            let runs = if chunks == 1 {
                self.some_run(accessed.guard)?
            } else {
                Some(self.has_lane(self.active_alike(accessed, chunk)?)?)
            };
            for (element, values) in values.iter_mut().enumerate() {
                let mut place = self.element_place(accessed, first, element)?;
                if let Some(runs) = runs {
                    place = self.builder().select(runs, place, self.frame)?;
                }
                values.push(self.builder().load(ty, place, accessed.size, Ordinary)?);
            }
        }
        Ok(values)
    }

    /// Whether a chunk has active lanes for which the guard holds.
    fn runs(&self, guard: Option<(u32, bool)>, chunk: usize) -> Result<Value<'c>, LlvmError> {
        self.has_lane(self.active(guard, chunk)?)
    }

    fn has_lane(&self, mask: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let lanes = self.builder().cast(CastOp::BitCast, mask, self.types.int(self.lanes))?;
        self.builder().int_compare(IntPredicate::Ne, lanes, self.int(self.lanes, 0))
    }

    /// The first chunk that has the same values of a source.
    fn same_as(&self, src: Src, chunk: usize) -> usize {
        chunk & self.analysis.shapes.chunkwise_of(src) as usize
    }

    /// The active lanes of a chunk and of later ones with the same addresses.
    fn active_alike(&self, accessed: Accessed<'_>, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let mut mask = self.active(accessed.guard, chunk)?;
        for other in chunk + 1..self.chunks {
            if self.same_as(accessed.base, other) == chunk {
                mask = self.builder().binary(BinaryOp::Or, mask, self.active(accessed.guard, other)?)?;
            }
        }
        Ok(mask)
    }

    /// The host address of an element that one lane accesses.
    pub(super) fn element_place(
        &self,
        accessed: Accessed<'_>,
        address: Value<'c>,
        element: usize,
    ) -> Result<Value<'c>, LlvmError> {
        let offset = accessed.offset(element);
        let facts = self.analysis.shapes.facts(accessed.base);
        let least = i64::try_from(facts.least).ok().and_then(|least| least.checked_add(offset));
        let most = i64::try_from(facts.most).ok().and_then(|most| most.checked_add(offset));
        // Shared addresses in a cluster contain the rank of the block.
        let is_offset = accessed.address.space != Space::Shared || !self.launched.clusters;
        let has_no_carry = is_offset
            && facts.are_small(32)
            && least.is_some_and(|least| least >= 0)
            && most.is_some_and(|most| most <= i64::from(i32::MAX));
        match self.window(accessed.address.space) {
            // This folds the constant into the addressing mode of the access.
            Some(window) if has_no_carry => {
                let address = self.cast(CastOp::ZExt, self.emit.resize(address, 32)?, 64)?;
                self.builder().offset(self.builder().offset(window, address)?, self.int(64, offset as u64))
            }
            _ => self.place(accessed.address.space, address, offset),
        }
    }

    /// Whether the guard holds for an active lane; `None` if it always does.
    fn some_run(&self, guard: Option<(u32, bool)>) -> Result<Option<Value<'c>>, LlvmError> {
        if guard.is_none() {
            return Ok(None);
        }
        let mut some = self.runs(guard, 0)?;
        for chunk in 1..self.chunks {
            some = self.builder().binary(BinaryOp::Or, some, self.runs(guard, chunk)?)?;
        }
        Ok(Some(some))
    }

    fn consecutive(&self, accessed: Accessed<'_>) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
        let count = accessed.count as u32;
        let ty = self.types.vector(self.types.int(accessed.bits()), count * self.lanes);
        let mut values = vec![Vec::new(); accessed.count];
        for chunk in 0..self.chunks {
            if repeat(&mut values, self.same_as(accessed.base, chunk)) {
                continue;
            }
            let first = self.first_unwrapped(accessed.base, chunk)?;
            let place = self.element_place(accessed, first, 0)?;
            let mask = self.repeated(self.active_alike(accessed, chunk)?, count)?;
            let all = self.builder().masked_load(ty, place, accessed.size, mask, ty.zero())?;
            for (element, values) in values.iter_mut().enumerate() {
                let lanes: Vec<_> = (0..self.lanes).map(|lane| Some(lane * count + element as u32)).collect();
                values.push(if count == 1 { all } else { self.builder().shuffle(all, all, &lanes)? });
            }
        }
        Ok(values)
    }

    /// Repeats each lane of a mask `count` times.
    fn repeated(&self, mask: Value<'c>, count: u32) -> Result<Value<'c>, LlvmError> {
        let lanes: Vec<_> = (0..count * self.lanes).map(|at| Some(at / count)).collect();
        if count == 1 { Ok(mask) } else { self.builder().shuffle(mask, mask, &lanes) }
    }

    /// Gathers, or loads of four lanes at a time if their addresses may be consecutive.
    fn gathers_or_quads(&self, accessed: Accessed<'_>) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
        let has_window = self.window_of(accessed).is_some();
        if accessed.count != 1 || has_window || !self.may_have_quads(accessed.base, accessed.size) {
            return self.gathers(accessed);
        }
        let own: Vec<usize> =
            (0..self.chunks).filter(|&chunk| self.same_as(accessed.base, chunk) == chunk).collect();
        let space = accessed.address.space;
        // In a window, address plus offset may wrap around, so the offset is added first.
        let (before, after) = match self.window(space) {
            Some(_) => (accessed.offset(0), 0),
            None => (0, accessed.offset(0)),
        };
        let mut chunks = Vec::new();
        for &chunk in &own {
            let addresses = self.vector(accessed.base, chunk)?;
            let addresses = self.extended(space, addresses, before)?;
            chunks.push((addresses, self.active_alike(accessed, chunk)?));
        }
        let loaded = self.quads((space, after), (accessed.bits(), accessed.size), &chunks, |code| {
            let gathered = code.gathers(accessed)?.into_iter().flatten().collect::<Vec<_>>();
            Ok(own.iter().filter_map(|&chunk| gathered.get(chunk).copied()).collect())
        })?;
        let of = |chunk: usize| {
            let at = own.iter().position(|&own| own == self.same_as(accessed.base, chunk));
            at.and_then(|at| loaded.get(at).copied()).ok_or_else(|| defect("a load without a value"))
        };
        Ok(vec![(0..self.chunks).map(of).collect::<Result<_, _>>()?])
    }

    fn gathers(&self, accessed: Accessed<'_>) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
        let ty = self.types.vector(self.types.int(accessed.bits()), self.lanes);
        let mut values = vec![Vec::new(); accessed.count];
        if let Some(window) = self.window_of(accessed) {
            let loaded = (0..self.chunks).map(|chunk| self.load_window(accessed, &window, chunk));
            return Ok(vec![loaded.collect::<Result<_, _>>()?]);
        }
        for chunk in 0..self.chunks {
            if repeat(&mut values, self.same_as(accessed.base, chunk)) {
                continue;
            }
            let addresses = self.vector(accessed.base, chunk)?;
            let mask = self.active_alike(accessed, chunk)?;
            for (element, values) in values.iter_mut().enumerate() {
                let places = self.places(accessed.address.space, addresses, accessed.offset(element))?;
                values.push(self.builder().masked_gather(ty, places, accessed.size, mask, ty.zero())?);
            }
        }
        Ok(values)
    }

    /// Vector loads, or gathers if the index of the addresses wraps around.
    fn consecutive_unless(
        &self,
        accessed: Accessed<'_>,
        row: u32,
        indexed: Indexed,
    ) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
        let builder = self.builder();
        let [gather, load, after] =
            ["gather", "load", "loaded"].map(|name| self.function.append_block(self.types, name));
        builder.branch_if_likely(self.wraps(row, indexed)?, gather, load, false)?;
        builder.position_at_end(gather);
        let gathered = self.gathers(accessed)?;
        builder.branch(after)?;
        builder.position_at_end(load);
        let loaded = self.consecutive(accessed)?;
        builder.branch(after)?;
        builder.position_at_end(after);
        let mut values = Vec::new();
        for (gathered, loaded) in gathered.into_iter().zip(loaded) {
            let mut chunks = Vec::new();
            for (slow, fast) in gathered.into_iter().zip(loaded) {
                let phi = builder.phi(fast.ty())?;
                builder.add_incoming(phi, slow, gather)?;
                builder.add_incoming(phi, fast, load)?;
                chunks.push(phi);
            }
            values.push(chunks);
        }
        Ok(values)
    }

    /// Extends a loaded element to the width of its register.
    pub(super) fn fill(&self, load: &Load, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let bits = u64::BITS - load.fill.register.leading_zeros();
        if load.fill.sign_shift == 0 {
            return self.emit.resize(value, bits);
        }
        self.emit.resize_signed(value, bits)
    }

    pub(super) fn store(
        &mut self,
        guard: Option<(u32, bool)>,
        store: &Store,
        pc: u32,
    ) -> Result<(), CompileError> {
        if self.special_store(guard, store, pc)?.is_some() {
            return Ok(());
        }
        let base = plain(&store.address, pc)?;
        let srcs = &store.srcs;
        let accessed = Accessed { address: &store.address, base, guard, size: store.size, count: srcs.len() };
        let form = self.form(accessed);
        self.note_form(accessed, form, RemarkKind::Scatter);
        let is_consecutive = form == Form::Consecutive(None);
        if (is_consecutive || form == Form::Any)
            && self.store_blended(accessed, is_consecutive, (store, pc))?
        {
            return Ok(());
        }
        match form {
            Form::Uniform => self.store_last(accessed, srcs)?,
            Form::Consecutive(None) => self.store_consecutive(accessed, srcs)?,
            Form::Consecutive(Some((row, indexed))) => {
                let [scatter, store, after] =
                    ["scatter", "store", "stored"].map(|name| self.function.append_block(self.types, name));
                self.builder().branch_if_likely(self.wraps(row, indexed)?, scatter, store, false)?;
                self.builder().position_at_end(scatter);
                self.scatters(accessed, srcs)?;
                self.builder().branch(after)?;
                self.builder().position_at_end(store);
                self.store_consecutive(accessed, srcs)?;
                self.builder().branch(after)?;
                self.builder().position_at_end(after);
            }
            Form::Chunkwise | Form::Any => self.scatters(accessed, srcs)?,
        }
        Ok(())
    }

    /// Stores to one address: the value of the last active lane remains, as in the interpreter.
    fn store_last(&self, accessed: Accessed<'_>, srcs: &[Src]) -> Result<(), LlvmError> {
        let first = self.first(accessed.base, 0)?;
        let runs = self.some_run(accessed.guard)?;
        for (element, &src) in srcs.iter().enumerate() {
            let value = self.emit.resize(self.of_last(accessed.guard, src)?, accessed.bits())?;
            let mut place = self.element_place(accessed, first, element)?;
            if let Some(runs) = runs {
                let spare = self.builder().alloca_in_entry(self.types.int(64), 8)?;
                place = self.builder().select(runs, place, spare)?;
            }
            self.builder().store(value, place, accessed.size, Ordinary)?;
        }
        Ok(())
    }

    /// The value of the last active lane.
    fn of_last(&self, guard: Option<(u32, bool)>, src: Src) -> Result<Value<'c>, LlvmError> {
        if self.analysis.shapes.src(src).is_uniform() {
            return self.first(src, 0);
        }
        let mut last: Option<Value<'c>> = None;
        for chunk in 0..self.chunks {
            let bits = self.types.int(self.lanes);
            let lanes = self.builder().cast(CastOp::BitCast, self.active(guard, chunk)?, bits)?;
            let zeros = self.builder().intrinsic("llvm.ctlz", &[bits], &[lanes, self.int(1, 0)])?;
            let most = self.int(self.lanes, u64::from(self.lanes) - 1);
            let lane = self.builder().binary(BinaryOp::Sub, most, zeros)?;
            let lane = self.builder().binary(BinaryOp::And, lane, most)?;
            let value = self.builder().extract_lane(self.vector(src, chunk)?, lane)?;
            last = Some(match last {
                None => value,
                Some(before) => self.builder().select(self.runs(guard, chunk)?, value, before)?,
            });
        }
        last.ok_or_else(|| defect("a warp without lanes"))
    }

    fn store_consecutive(&self, accessed: Accessed<'_>, srcs: &[Src]) -> Result<(), LlvmError> {
        let count = accessed.count as u32;
        for chunk in 0..self.chunks {
            let first = self.first_unwrapped(accessed.base, chunk)?;
            let place = self.element_place(accessed, first, 0)?;
            let mask = self.repeated(self.active(accessed.guard, chunk)?, count)?;
            let values = srcs.iter().map(|&src| self.emit.resize(self.vector(src, chunk)?, accessed.bits()));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            self.builder().masked_store(self.interleaved(values)?, place, accessed.size, mask)?;
        }
        Ok(())
    }

    /// Interleaves vectors, the elements of lane 0 first: `[a0 a1], [b0 b1]` becomes `[a0 b0 a1 b1]`.
    fn interleaved(&self, mut vectors: Vec<Value<'c>>) -> Result<Value<'c>, LlvmError> {
        // Elements 0 and 4, 1 and 5 .. first, so that neighbors are together in the end.
        while vectors.len() > 1 {
            let half = vectors.len() / 2;
            let mut next = Vec::new();
            for (low, high) in vectors.iter().zip(&vectors[half..]) {
                let parts = low.ty().vector_parts();
                let (_, length) = parts.ok_or_else(|| defect("elements that are not vectors"))?;
                let lanes: Vec<_> = (0..2 * length).map(|at| Some(at / 2 + at % 2 * length)).collect();
                next.push(self.builder().shuffle(*low, *high, &lanes)?);
            }
            vectors = next;
        }
        vectors.pop().ok_or_else(|| defect("a store without a value"))
    }

    fn scatters(&self, accessed: Accessed<'_>, srcs: &[Src]) -> Result<(), LlvmError> {
        if let (Some(window), [src]) = (self.window_of(accessed), srcs) {
            return (0..self.chunks).try_for_each(|chunk| self.store_window(accessed, &window, chunk, *src));
        }
        for (element, &src) in srcs.iter().enumerate() {
            for chunk in 0..self.chunks {
                let mask = self.active(accessed.guard, chunk)?;
                let value = self.emit.resize(self.vector(src, chunk)?, accessed.bits())?;
                let addresses = self.vector(accessed.base, chunk)?;
                let places = self.places(accessed.address.space, addresses, accessed.offset(element))?;
                self.builder().masked_scatter(value, places, accessed.size, mask)?;
            }
        }
        Ok(())
    }

    /// The host address of one PTX address.
    pub(super) fn place(
        &self,
        space: Space,
        address: Value<'c>,
        offset: i64,
    ) -> Result<Value<'c>, LlvmError> {
        let address = self.extended(space, address, offset)?;
        match self.window(space) {
            Some(window) => self.builder().offset(window, address),
            None => self.builder().cast(CastOp::IntToPtr, address, self.types.pointer(0)),
        }
    }

    /// The host addresses of the lanes of a chunk.
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

    /// Addresses extended to 64 bits. Those in windows have 32 bits and are sign-extended: the first lane of a chunk may be below the
    /// window if it is not active.
    fn extended(&self, space: Space, address: Value<'c>, offset: i64) -> Result<Value<'c>, LlvmError> {
        let address = match self.window(space) {
            Some(_) => {
                let narrow = self.emit.resize(address, 32)?;
                let offset = self.emit.constant(narrow, 32, offset as u64 & u64::from(u32::MAX));
                let mut sum = self.builder().binary(BinaryOp::Add, narrow, offset)?;
                if space == Space::Shared && self.launched.clusters {
                    // The rank of the block is above the offset.
                    let above = self.emit.constant(sum, 32, u64::from(SHARED_OFFSET.leading_zeros()) - 32);
                    sum = self.builder().binary(BinaryOp::Shl, sum, above)?;
                    sum = self.builder().binary(BinaryOp::AShr, sum, above)?;
                }
                return self.cast(CastOp::SExt, sum, 64);
            }
            None => self.emit.resize(address, 64)?,
        };
        let offset = self.emit.constant(address, 64, offset as u64);
        self.builder().binary(BinaryOp::Add, address, offset)
    }

    pub(super) fn window(&self, space: Space) -> Option<Value<'c>> {
        match space {
            Space::Param => Some(self.inputs.params),
            Space::Const => Some(self.inputs.constant),
            Space::Shared => Some(self.inputs.shared),
            Space::Generic | Space::Global | Space::SharedCluster | Space::Local => None,
        }
    }
}

/// Gives this chunk the values of an earlier one that has the same, if there is one.
fn repeat(values: &mut [Vec<Value<'_>>], earlier: usize) -> bool {
    let mut is_there = false;
    for values in values {
        if let Some(&value) = values.get(earlier) {
            values.push(value);
            is_there = true;
        }
    }
    is_there
}

/// The row of an address for which plain code is generated.
fn plain(address: &Address, pc: u32) -> Result<Src, CompileError> {
    let refused = |why| Err(CompileError::refused(pc, why));
    match (address.space, address.base) {
        (Space::Global, Base::Row(src, AddressWidth::Bits64)) => Ok(src),
        (Space::Param | Space::Const | Space::Shared, Base::Row(src, _)) => Ok(src),
        (Space::Global | Space::Generic | Space::Local | Space::SharedCluster, _) | (_, Base::Frame) => {
            refused("the access is not a plain one")
        }
    }
}
