//! Collective operations of the lanes of a warp (manual 9.7.9.6, 9.7.13.2 to 9.7.13.14).
//!
//! | operation | code if all active lanes are one group | code if each lane has a group of its own |
//! |---|---|---|
//! | `vote`, `activemask` | the predicates as a lane mask | that mask and the group of each lane |
//! | `match` | each lane's value compared with all vectors | |
//! | `redux` | vectors are combined, then their lanes; inactive lanes have the identity | one lane after the other |
//! | `elect` | the lowest bit | |
//! | `shfl` | see `shuffle.rs` | |
//! | matrix instructions | see `matrix.rs`, `tiles.rs` | |
//!
//! The participants are determined at the beginning of the block (`gather.rs`); instructions without `.sync` are executed by the active lanes.

use ptx_exec::program::{
    Alu, Binary, Collective, CollectiveKind, FloatExtreme, Packing, Participants, ReduceOp, Src, VoteMode,
    WARP,
};
use ptx_exec::scalar::float::{Extreme, NanRule, SignRule, Subnormals};
use ptx_exec::scalar::format::Format;
use ptx_exec::scalar::int::{Int, Signedness};
use ptx_llvm::LlvmError;
use ptx_llvm::build::{BinaryOp, IntPredicate, Value};

use super::registers::defect;
use super::state::{Code, Present};
use crate::analysis::BlockId;
use crate::emit::alu::alu_with;
use crate::error::CompileError;

type Guard = Option<(u32, bool)>;

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn collective(
        &mut self,
        id: BlockId,
        guard: Guard,
        collective: &Collective,
        pc: u32,
    ) -> Result<(), CompileError> {
        if matches!(collective.participants, Participants::Converged) {
            self.masks.present = Present::Same(self.running(guard)?);
        }
        let (srcs, dsts) = (&*collective.srcs, &*collective.dsts);
        match (collective.kind, srcs, dsts) {
            (CollectiveKind::Barrier, ..) => {}
            (CollectiveKind::Shuffle(mode), ..) => self.shuffle(id, mode, collective, guard)?,
            (CollectiveKind::Vote(mode), [predicate], [d]) => self.vote(id, guard, mode, *predicate, *d)?,
            (CollectiveKind::MatchAny, [value], [d]) => {
                let same = self.lanes_with_same(*value)?;
                self.write_lanes(id, guard, *d, &same)?;
            }
            (CollectiveKind::MatchAll, [value], [d, all]) => self.match_all(id, guard, *value, [*d, *all])?,
            (CollectiveKind::Redux(op, t), [value], [d]) => {
                self.reduce(id, guard, &Reduction::Int(op, t), *value, *d)?;
            }
            (CollectiveKind::ReduxFloat(which, nan, sign), [value], [d]) => {
                self.reduce(id, guard, &Reduction::Float(which, nan, sign), *value, *d)?;
            }
            (CollectiveKind::Elect, [], [d, elected]) => self.elect(id, guard, [*d, *elected])?,
            (CollectiveKind::Multiply(product), ..) => self.multiply(id, &product, (srcs, dsts), pc)?,
            (CollectiveKind::LoadMatrix(tiles), [addresses], _) => {
                self.load_tiles(id, &tiles, collective, *addresses, pc)?;
            }
            (CollectiveKind::StoreMatrix(tiles), [addresses, ..], _) => {
                self.store_tiles(&tiles, collective, *addresses, pc)?;
            }
            (CollectiveKind::LoadFragment(fragment), [address, stride], _) => {
                self.load_fragment(id, &fragment, collective, [*address, *stride], pc)?;
            }
            (CollectiveKind::StoreFragment(fragment), [address, stride, ..], _) => {
                self.store_fragment(&fragment, collective, [*address, *stride], pc)?;
            }
            (CollectiveKind::TransposeMatrix, [matrix], [d]) => self.transpose(id, *matrix, *d, pc)?,
            _ => return Err(CompileError::refused(pc, "the instruction is not compiled yet")),
        }
        Ok(())
    }

    /// The active lanes for which a guard holds, as a lane mask.
    pub(super) fn running(&self, guard: Guard) -> Result<Value<'c>, LlvmError> {
        let masks: Vec<Value<'c>> =
            (0..self.chunks).map(|chunk| self.active(guard, chunk)).collect::<Result<_, _>>()?;
        self.lanes_of(&masks)
    }

    /// Writes one value to all active lanes.
    pub(super) fn write_same(
        &self,
        id: BlockId,
        guard: Guard,
        d: u32,
        value: Value<'c>,
    ) -> Result<(), LlvmError> {
        let values: Vec<Value<'c>> =
            (0..self.copies(d)).map(|_| self.spread(value, d)).collect::<Result<_, _>>()?;
        self.write(id, guard, d, &values)
    }

    /// Writes vectors. A row that is not a vector is known to be uniform.
    pub(super) fn write_lanes(
        &self,
        id: BlockId,
        guard: Guard,
        d: u32,
        values: &[Value<'c>],
    ) -> Result<(), LlvmError> {
        if self.is_vector(d) {
            return self.write(id, guard, d, values);
        }
        let first = values.first().ok_or_else(|| defect("no values"))?;
        self.write_same(id, guard, d, self.builder().extract_element(*first, 0)?)
    }

    /// The groups of a chunk's lanes, as a lane mask or a vector of them.
    fn group(&self, chunk: usize) -> Value<'c> {
        match &self.masks.present {
            Present::Whole => self.int(32, u64::from(u32::MAX)),
            Present::Same(lanes) => *lanes,
            Present::Each(groups) => groups.get(chunk).copied().unwrap_or(self.int(32, 0)),
        }
    }

    /// A scalar in the form that groups have.
    fn like_groups(&self, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
        match self.masks.present {
            Present::Whole | Present::Same(_) => Ok(value),
            Present::Each(_) => self.builder().splat(value, self.lanes),
        }
    }

    /// Writes a function of each group.
    fn write_of_groups(
        &self,
        id: BlockId,
        guard: Guard,
        d: u32,
        of_group: impl Fn(Value<'c>) -> Result<Value<'c>, LlvmError>,
    ) -> Result<(), LlvmError> {
        match self.masks.present {
            Present::Whole | Present::Same(_) => self.write_same(id, guard, d, of_group(self.group(0))?),
            Present::Each(_) => {
                let values: Vec<Value<'c>> =
                    (0..self.chunks).map(|chunk| of_group(self.group(chunk))).collect::<Result<_, _>>()?;
                self.write_lanes(id, guard, d, &values)
            }
        }
    }

    /// The lanes of the warp for which a predicate is true, as a lane mask that includes inactive lanes.
    fn trues(&self, predicate: Src) -> Result<Value<'c>, LlvmError> {
        if self.analysis.shapes.src(predicate).is_uniform() {
            let holds = self.emit.resize(self.first(predicate, 0)?, 1)?;
            return self.emit.resize_signed(holds, 32);
        }
        let holds: Vec<Value<'c>> = (0..self.chunks)
            .map(|chunk| self.emit.resize(self.vector(predicate, chunk)?, 1))
            .collect::<Result<_, _>>()?;
        self.lanes_of(&holds)
    }

    fn vote(
        &self,
        id: BlockId,
        guard: Guard,
        mode: VoteMode,
        predicate: Src,
        d: u32,
    ) -> Result<(), LlvmError> {
        // `trues` has bits of inactive lanes as well; those of the group are the participants.
        let trues = self.like_groups(self.trues(predicate)?)?;
        self.write_of_groups(id, guard, d, |group| {
            let builder = self.builder();
            let trues = builder.binary(BinaryOp::And, trues, group)?;
            let all = || builder.int_compare(IntPredicate::Eq, trues, group);
            match mode {
                VoteMode::Ballot => Ok(trues),
                VoteMode::All => all(),
                VoteMode::Any => self.any_bit(trues),
                VoteMode::Uniform => builder.binary(BinaryOp::Or, all()?, self.not(self.any_bit(trues)?)?),
            }
        })
    }

    /// The values of a source in vectors, of at least 32 bits.
    pub(super) fn words(&self, src: Src) -> Result<Vec<Value<'c>>, LlvmError> {
        let bits = self.analysis.widths.src(src).max(32);
        (0..self.chunks).map(|chunk| self.emit.resize(self.vector(src, chunk)?, bits)).collect()
    }

    /// For each lane, the lanes of its group that have its value.
    fn lanes_with_same(&self, value: Src) -> Result<Vec<Value<'c>>, LlvmError> {
        let builder = self.builder();
        let values = self.words(value)?;
        let zero = self.constants(32, 0, |_| 0)?;
        let mut same = vec![zero; self.chunks];
        for lane in 0..WARP {
            let of_lane = builder.splat(self.value_of_lane(&values, lane)?, self.lanes)?;
            let bit = self.constants(32, 0, |_| 1 << lane)?;
            for (same, &values) in same.iter_mut().zip(&values) {
                let equal = builder.int_compare(IntPredicate::Eq, values, of_lane)?;
                *same = builder.binary(BinaryOp::Or, *same, builder.select(equal, bit, zero)?)?;
            }
        }
        let mut within = Vec::new();
        for (chunk, &same) in same.iter().enumerate() {
            let group = match self.masks.present {
                Present::Each(_) => self.group(chunk),
                Present::Whole | Present::Same(_) => builder.splat(self.group(chunk), self.lanes)?,
            };
            within.push(builder.binary(BinaryOp::And, same, group)?);
        }
        Ok(within)
    }

    fn match_all(&self, id: BlockId, guard: Guard, value: Src, dsts: [u32; 2]) -> Result<(), LlvmError> {
        let builder = self.builder();
        let [d, all] = dsts;
        if let Present::Each(groups) = &self.masks.present {
            let same = self.lanes_with_same(value)?;
            let (mut lanes, mut are_all) = (Vec::new(), Vec::new());
            for (&same, &group) in same.iter().zip(groups) {
                let is_all = builder.int_compare(IntPredicate::Eq, same, group)?;
                lanes.push(builder.select(is_all, group, group.ty().zero())?);
                are_all.push(is_all);
            }
            self.write_lanes(id, guard, d, &lanes)?;
            return self.write_lanes(id, guard, all, &are_all);
        }
        let group = self.group(0);
        let values = self.words(value)?;
        let ty = values.first().map(|values| values.ty().element()).ok_or_else(|| defect("no values"))?;
        let leader = self.lane_in_memory(self.in_memory(&values)?, ty, self.lowest(group)?)?;
        let leader = builder.splat(leader, self.lanes)?;
        let equal: Vec<Value<'c>> = values
            .iter()
            .map(|&values| builder.int_compare(IntPredicate::Eq, values, leader))
            .collect::<Result<_, _>>()?;
        let same = builder.binary(BinaryOp::And, self.lanes_of(&equal)?, group)?;
        let is_all = builder.int_compare(IntPredicate::Eq, same, group)?;
        self.write_same(id, guard, d, builder.select(is_all, group, self.int(32, 0))?)?;
        self.write_same(id, guard, all, is_all)
    }

    fn elect(&self, id: BlockId, guard: Guard, [d, elected]: [u32; 2]) -> Result<(), LlvmError> {
        let mut are_elected = Vec::new();
        for chunk in 0..self.chunks {
            let leader = self.lowest(self.group(chunk))?;
            let leader = match self.masks.present {
                Present::Each(_) => leader,
                Present::Whole | Present::Same(_) => self.builder().splat(leader, self.lanes)?,
            };
            let own = self.constants(32, chunk, |lane| lane as u64)?;
            are_elected.push(self.builder().int_compare(IntPredicate::Eq, leader, own)?);
        }
        self.write_of_groups(id, guard, d, |group| self.lowest(group))?;
        self.write_lanes(id, guard, elected, &are_elected)
    }

    /// `redux`.
    fn reduce(
        &self,
        id: BlockId,
        guard: Guard,
        reduction: &Reduction,
        value: Src,
        d: u32,
    ) -> Result<(), LlvmError> {
        let values: Vec<Value<'c>> = (0..self.chunks)
            .map(|chunk| self.emit.resize(self.vector(value, chunk)?, 32))
            .collect::<Result<_, _>>()?;
        // A single value is combined with itself, so that a NaN becomes canonical.
        let values: Vec<Value<'c>> = match reduction {
            Reduction::Int(..) => values,
            Reduction::Float(..) => values
                .iter()
                .map(|&value| self.joined_values(reduction, value, value))
                .collect::<Result<_, _>>()?,
        };
        match &self.masks.present {
            Present::Each(groups) => {
                let reduced = self.reduced_in_groups(reduction, &values, groups)?;
                self.write_lanes(id, guard, d, &reduced)
            }
            Present::Whole => self.write_same(id, guard, d, self.reduced(reduction, &values)?),
            Present::Same(lanes) => {
                let neutral = match reduction {
                    Reduction::Int(op, t) => self.int(32, neutral(*op, *t)),
                    // The value of a participant changes nothing.
                    Reduction::Float(..) => {
                        let memory = self.in_memory(&values)?;
                        self.lane_in_memory(memory, self.types.int(32), self.lowest(*lanes)?)?
                    }
                };
                let neutral = self.builder().splat(neutral, self.lanes)?;
                let values: Vec<Value<'c>> = values
                    .iter()
                    .zip(&self.masks.active)
                    .map(|(&value, &mask)| self.builder().select(mask, value, neutral))
                    .collect::<Result<_, _>>()?;
                self.write_same(id, guard, d, self.reduced(reduction, &values)?)
            }
        }
    }

    /// Reduces the values of all lanes to one: first across vectors, then by halving.
    fn reduced(&self, reduction: &Reduction, values: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        let Some((&first, others)) = values.split_first() else { return Err(defect("no values")) };
        let mut all = first;
        for &other in others {
            all = self.joined_values(reduction, all, other)?;
        }
        let mut half = self.lanes / 2;
        while half > 0 {
            let upper: Vec<Option<u32>> =
                (0..self.lanes).map(|lane| Some((lane + half) % self.lanes)).collect();
            let other = self.builder().shuffle(all, all, &upper)?;
            all = self.joined_values(reduction, all, other)?;
            half /= 2;
        }
        self.builder().extract_element(all, 0)
    }

    fn reduced_in_groups(
        &self,
        reduction: &Reduction,
        values: &[Value<'c>],
        groups: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, LlvmError> {
        let builder = self.builder();
        // In floating point (minimum and maximum) each lane starts with its own value, since combining it again changes nothing.
        let mut reduced = match reduction {
            Reduction::Int(op, t) => vec![self.constants(32, 0, |_| neutral(*op, *t))?; self.chunks],
            Reduction::Float(..) => values.to_vec(),
        };
        for lane in 0..WARP {
            let of_lane = builder.splat(self.value_of_lane(values, lane)?, self.lanes)?;
            let bit = self.constants(32, 0, |_| 1 << lane)?;
            for (reduced, &group) in reduced.iter_mut().zip(groups) {
                let takes_part = self.any_bit(builder.binary(BinaryOp::And, group, bit)?)?;
                let joined = self.joined_values(reduction, *reduced, of_lane)?;
                *reduced = builder.select(takes_part, joined, *reduced)?;
            }
        }
        Ok(reduced)
    }

    fn joined_values(
        &self,
        reduction: &Reduction,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Result<Value<'c>, LlvmError> {
        let builder = self.builder();
        match *reduction {
            Reduction::Int(op, t) => {
                let is_signed = t.sign() == Signedness::Signed;
                let smaller = |less: bool| {
                    let predicate = match (is_signed, less) {
                        (true, true) => IntPredicate::Slt,
                        (true, false) => IntPredicate::Sgt,
                        (false, true) => IntPredicate::Ult,
                        (false, false) => IntPredicate::Ugt,
                    };
                    builder.select(builder.int_compare(predicate, a, b)?, a, b)
                };
                match op {
                    ReduceOp::Add => builder.binary(BinaryOp::Add, a, b),
                    ReduceOp::And => builder.binary(BinaryOp::And, a, b),
                    ReduceOp::Or => builder.binary(BinaryOp::Or, a, b),
                    ReduceOp::Xor => builder.binary(BinaryOp::Xor, a, b),
                    ReduceOp::Min => smaller(true),
                    ReduceOp::Max => smaller(false),
                }
            }
            Reduction::Float(which, nan, sign) => {
                let extreme =
                    FloatExtreme { format: Format::F32, subnormals: Subnormals::Keep, which, nan, sign };
                let row = Src::register(0);
                let op = Binary::Extreme(extreme);
                let alu = Alu::Binary { op, packing: Packing::Whole, d: 0, a: row, b: row };
                let made = alu_with(&self.emit, &alu, &[a, b], self.style)?;
                made.and_then(|made| made.first().copied()).ok_or_else(|| defect("no form of a minimum"))
            }
        }
    }
}

/// The operation of `redux`.
enum Reduction {
    Int(ReduceOp, Int),
    Float(Extreme, NanRule, SignRule),
}

/// The identity of an operation, as 32 bits.
fn neutral(op: ReduceOp, t: Int) -> u64 {
    let ones = u64::from(u32::MAX);
    match (op, t.sign()) {
        (ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor, _) | (ReduceOp::Max, Signedness::Unsigned) => 0,
        (ReduceOp::And, _) | (ReduceOp::Min, Signedness::Unsigned) => ones,
        (ReduceOp::Min, Signedness::Signed) => ones >> 1,
        (ReduceOp::Max, Signedness::Signed) => 1 << 31,
    }
}
