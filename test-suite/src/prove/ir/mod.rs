//! What a kernel in LLVM IR computes.
//!
//! A value has bits and a bit that tells whether it is poison; `undef` counts as poison, and `freeze` gives an input of its
//! own where a value is poison, so that a proof holds for any value that LLVM picks. Undefined behaviour is a condition of its own.
//! Blocks are visited in their order along the edges, which must not go back.

mod arithmetic;
mod call;
mod intrinsic;

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail};
use ptx_gen::Home;
use ptx_llvm_core::view::{
    BinaryOp, BlockId, CastOp, ConstExpr, ConstId, Constant, FastMath, Function, Inst, InstId, Op, Type,
    TypeId, Value as Name, View,
};

use super::define::arithmetic::converted;
use super::memory::{Memory, Value};
use super::term::float::Rounding;
use super::term::{Bits, Terms};

/// A scalar, or the elements of a vector or a structure.
#[derive(Clone, Debug)]
pub(super) enum Datum<'t> {
    One(Value<'t>),
    Many(Vec<Datum<'t>>),
}

impl<'t> Datum<'t> {
    pub(super) fn one(&self) -> Result<Value<'t>> {
        match self {
            Datum::One(value) => Ok(*value),
            Datum::Many(_) => bail!("a scalar in place of a vector"),
        }
    }

    pub(super) fn many(&self) -> Result<&[Datum<'t>]> {
        match self {
            Datum::Many(parts) => Ok(parts),
            Datum::One(_) => bail!("a vector in place of a scalar"),
        }
    }

    /// All of its bits, the first element lowest.
    fn flat(&self) -> Result<Value<'t>> {
        match self {
            Datum::One(value) => Ok(*value),
            Datum::Many(parts) => {
                let mut parts = parts.iter();
                let mut all = parts.next().context("an empty vector")?.flat()?;
                for part in parts {
                    all = part.flat()?.concat(all);
                }
                Ok(all)
            }
        }
    }

    /// One of both, selected by a bit; poison where the bit is poison.
    fn pick(condition: Value<'t>, a: &Self, b: &Self) -> Result<Self> {
        Ok(match (a, b) {
            (Datum::One(a), Datum::One(b)) => {
                let value = Value::pick(condition.bits, *a, *b);
                Datum::One(Value { open: value.open | condition.open, ..value })
            }
            (Datum::Many(a), Datum::Many(b)) => {
                let parts = a.iter().zip(b).map(|(a, b)| Self::pick(condition, a, b));
                Datum::Many(parts.collect::<Result<_>>()?)
            }
            _ => bail!("a choice between a scalar and a vector"),
        })
    }
}

/// What a kernel computes: what it writes, and where it has undefined behaviour.
pub(super) struct Computed<'t> {
    pub memory: Memory<'t>,
    pub undefined: Bits<'t>,
}

/// The state in which a function is evaluated.
pub(super) struct Frame<'v, 't> {
    view: &'v View,
    function: &'v Function,
    terms: &'t Terms,
    home: Home,
    values: HashMap<InstId, Datum<'t>>,
    memory: Memory<'t>,
    undefined: Bits<'t>,
    /// Whether the current block is executed.
    active: Bits<'t>,
    edges: HashMap<(BlockId, BlockId), Bits<'t>>,
}

/// What a kernel of a module computes.
pub(super) fn kernel<'t>(terms: &'t Terms, view: &View, name: &str, home: Home) -> Result<Computed<'t>> {
    let function = view.functions.iter().find(|function| function.name == name && !function.is_declaration());
    let function = function.with_context(|| format!("no kernel `{name}`"))?;
    let mut frame = Frame {
        view,
        function,
        terms,
        home,
        values: HashMap::new(),
        memory: Memory::new(terms),
        undefined: terms.truth(false),
        active: terms.truth(true),
        edges: HashMap::new(),
    };
    frame.run()?;
    Ok(Computed { memory: frame.memory, undefined: frame.undefined })
}

impl<'v, 't> Frame<'v, 't> {
    fn run(&mut self) -> Result<()> {
        for (at, block) in self.order()?.into_iter().enumerate() {
            let arriving: Vec<Bits<'t>> =
                self.edges.iter().filter(|((_, to), _)| *to == block).map(|(_, &edge)| edge).collect();
            let reached = arriving.into_iter().fold(self.terms.truth(at == 0), |all, edge| all | edge);
            self.active = reached;
            for id in self.function.block(block).inst_ids() {
                let inst = self.function.inst(id);
                self.instruction(block, id, inst).with_context(|| describe(&inst.op))?;
            }
        }
        Ok(())
    }

    /// The blocks, each after all of its predecessors.
    fn order(&self) -> Result<Vec<BlockId>> {
        let successors = |block: BlockId| -> Vec<BlockId> {
            let last = self.function.block(block).inst_ids().next_back();
            match last.map(|id| &self.function.inst(id).op) {
                Some(Op::Br { target }) => vec![*target],
                Some(Op::CondBr { then, other, .. }) => vec![*then, *other],
                Some(Op::Switch { default, cases, .. }) => {
                    let cases = cases.iter().map(|(_, block)| *block);
                    std::iter::once(*default).chain(cases).collect()
                }
                _ => Vec::new(),
            }
        };
        let mut entering = vec![0; self.function.blocks.len()];
        for block in self.function.block_ids() {
            for next in successors(block) {
                entering[next.index()] += 1;
            }
        }
        let mut ready: Vec<BlockId> =
            self.function.block_ids().filter(|block| entering[block.index()] == 0).collect();
        let mut order = Vec::new();
        while let Some(block) = ready.pop() {
            order.push(block);
            for next in successors(block) {
                entering[next.index()] -= 1;
                if entering[next.index()] == 0 {
                    ready.push(next);
                }
            }
        }
        if order.len() != entering.len() {
            bail!("a loop");
        }
        Ok(order)
    }

    fn instruction(&mut self, block: BlockId, id: InstId, inst: &'v Inst) -> Result<()> {
        match &inst.op {
            Op::Ret { value: None } => {}
            Op::Br { target } => self.edge(block, *target, self.terms.truth(true)),
            Op::CondBr { cond, then, other } => {
                let cond = self.operand(*cond)?.one()?;
                self.misbehave(cond.open);
                self.edge(block, *then, cond.bits);
                self.edge(block, *other, !cond.bits);
            }
            Op::Switch { value, default, cases } => self.switch(block, *value, *default, cases)?,
            Op::Unreachable => self.misbehave(self.terms.truth(true)),
            Op::Store { value, ptr, .. } => {
                let (value, ptr) = (self.operand(*value)?.flat()?, self.operand(*ptr)?.one()?);
                self.misbehave(ptr.open);
                self.memory.store(ptr.bits, value, self.active).context("a store outside")?;
            }
            _ => {
                let datum = self.result(block, inst)?;
                self.values.insert(id, datum);
            }
        }
        Ok(())
    }

    fn edge(&mut self, from: BlockId, to: BlockId, condition: Bits<'t>) {
        let condition = self.active & condition;
        let before = self.edges.get(&(from, to)).copied().unwrap_or(self.terms.truth(false));
        self.edges.insert((from, to), before | condition);
    }

    /// Undefined behaviour where a bit is set.
    pub(super) fn misbehave(&mut self, condition: Bits<'t>) {
        self.undefined = self.undefined | (self.active & condition);
    }

    fn switch(
        &mut self,
        block: BlockId,
        value: Name,
        default: BlockId,
        cases: &[(ConstId, BlockId)],
    ) -> Result<()> {
        let value = self.operand(value)?.one()?;
        self.misbehave(value.open);
        let mut rest = self.terms.truth(true);
        for (constant, target) in cases {
            let wanted = self.constant(*constant)?.one()?;
            let here = value.bits.same(wanted.bits);
            self.edge(block, *target, here & rest);
            rest = rest & !here;
        }
        self.edge(block, default, rest);
        Ok(())
    }

    fn result(&mut self, block: BlockId, inst: &'v Inst) -> Result<Datum<'t>> {
        match &inst.op {
            Op::Binary { op, lhs, rhs, fast, .. } if is_float(*op) => {
                promises(*fast)?;
                let format = self.format(inst.ty)?;
                let (a, b) = (self.operand(*lhs)?, self.operand(*rhs)?);
                self.lanes(&[&a, &b], &mut |frame, args| frame.float_binary(*op, format, args[0], args[1]))
            }
            Op::Binary { op, lhs, rhs, wrap, .. } => {
                let (a, b) = (self.operand(*lhs)?, self.operand(*rhs)?);
                self.lanes(&[&a, &b], &mut |frame, args| frame.binary(*op, *wrap, args[0], args[1]))
            }
            Op::Cast { op: op @ (CastOp::BitCast | CastOp::IntToPtr | CastOp::PtrToInt), value, .. } => {
                let flat = self.operand(*value)?.flat()?;
                let width = self.width(inst.ty)?;
                let resized = match op {
                    CastOp::BitCast => flat,
                    _ => flat.map(|bits| bits.resize(false, width)),
                };
                self.shaped(resized, inst.ty)
            }
            Op::Cast { op: CastOp::FPExt | CastOp::FPTrunc, value, fast, .. } => {
                promises(*fast)?;
                let from = self.view.value_type(self.function, *value).context("a type")?;
                let (from, to) = (self.format(from)?, self.format(inst.ty)?);
                let a = self.operand(*value)?;
                self.lanes(&[&a], &mut |frame, args| {
                    let result = converted(args[0].bits, from, to, Rounding::Even, false);
                    Ok(Value { bits: frame.any_nan(to, result), ..args[0] })
                })
            }
            Op::Cast { op, value, nneg, wrap, .. } => {
                let (to, format) = (self.element_width(inst.ty)?, self.format(inst.ty).ok());
                let a = self.operand(*value)?;
                self.lanes(&[&a], &mut |frame, args| frame.cast(*op, args[0], to, format, *nneg, *wrap))
            }
            Op::ICmp { predicate, lhs, rhs } => {
                let (a, b) = (self.operand(*lhs)?, self.operand(*rhs)?);
                self.lanes(&[&a, &b], &mut |_, args| {
                    Ok(Value {
                        bits: arithmetic::compare(*predicate, args[0].bits, args[1].bits),
                        open: args[0].open | args[1].open,
                    })
                })
            }
            Op::FCmp { predicate, lhs, rhs, fast } => {
                if fast.nnan || fast.ninf {
                    bail!("a comparison with promises");
                }
                let ty = self.view.value_type(self.function, *lhs).context("a type")?;
                let format = self.format(ty)?;
                let (a, b) = (self.operand(*lhs)?, self.operand(*rhs)?);
                self.lanes(&[&a, &b], &mut |_, args| {
                    Ok(Value {
                        bits: arithmetic::compare_floats(format, *predicate, args[0].bits, args[1].bits),
                        open: args[0].open | args[1].open,
                    })
                })
            }
            Op::FNeg { value, .. } => {
                let a = self.operand(*value)?;
                // It turns the sign around and does nothing else.
                self.lanes(&[&a], &mut |_, args| {
                    Ok(args[0].map(|bits| (!bits.sign()).concat(bits.trunc(bits.width() - 1))))
                })
            }
            Op::Select { cond, then, other, .. } => {
                let (cond, a, b) = (self.operand(*cond)?, self.operand(*then)?, self.operand(*other)?);
                match &cond {
                    Datum::One(cond) => Datum::pick(*cond, &a, &b),
                    Datum::Many(conds) => {
                        let parts = conds.iter().zip(a.many()?.iter().zip(b.many()?));
                        let parts = parts.map(|(cond, (a, b))| Datum::pick(cond.one()?, a, b));
                        Ok(Datum::Many(parts.collect::<Result<_>>()?))
                    }
                }
            }
            Op::Phi { incoming } => self.phi(block, incoming),
            Op::Load { ptr, .. } => {
                let ptr = self.operand(*ptr)?.one()?;
                self.misbehave(ptr.open);
                let width = self.width(inst.ty)?;
                let value = self.memory.load(ptr.bits, width).context("a load from outside")?;
                self.shaped(value, inst.ty)
            }
            Op::Gep { source, base, indices, .. } => self.address(*source, *base, indices),
            Op::ExtractElement { vector, index } => {
                let (vector, at) = (self.operand(*vector)?, self.index(*index)?);
                vector.many()?.get(at).cloned().context("an element beyond the vector")
            }
            Op::InsertElement { vector, element, index } => {
                let (vector, at) = (self.operand(*vector)?, self.index(*index)?);
                let mut parts = vector.many()?.to_vec();
                *parts.get_mut(at).context("an element beyond the vector")? = self.operand(*element)?;
                Ok(Datum::Many(parts))
            }
            Op::ShuffleVector { a, b, mask } => {
                let (a, b) = (self.operand(*a)?, self.operand(*b)?);
                let all: Vec<&Datum<'t>> = a.many()?.iter().chain(b.many()?).collect();
                let element = self.element(inst.ty)?;
                let part = |&at: &i32| match usize::try_from(at) {
                    Ok(at) => {
                        all.get(at).map(|part| (*part).clone()).context("an element beyond the vectors")
                    }
                    Err(_) => self.poison(element),
                };
                Ok(Datum::Many(mask.iter().map(part).collect::<Result<_>>()?))
            }
            Op::ExtractValue { aggregate, indices } => {
                let mut datum = self.operand(*aggregate)?;
                for &at in indices {
                    datum =
                        datum.many()?.get(at as usize).cloned().context("a field beyond the structure")?;
                }
                Ok(datum)
            }
            Op::InsertValue { aggregate, element, indices } => {
                let (mut whole, element) = (self.operand(*aggregate)?, self.operand(*element)?);
                let [at] = indices.as_slice() else { bail!("a nested structure") };
                let Datum::Many(parts) = &mut whole else { bail!("a structure") };
                *parts.get_mut(*at as usize).context("a field beyond the structure")? = element;
                Ok(whole)
            }
            Op::Freeze { value } => {
                let datum = self.operand(*value)?;
                self.lanes(&[&datum], &mut |frame, args| {
                    let value = args[0];
                    if value.open.as_number() == Some(0) {
                        return Ok(value);
                    }
                    let any = frame.terms.fresh(value.bits.width());
                    Ok(Value::of(value.open.pick(any, value.bits)))
                })
            }
            Op::Call(call) => self.call(call, inst.ty),
            Op::Other(name) => bail!("`{name}`"),
            _ => bail!("an instruction of this kind"),
        }
    }

    fn phi(&mut self, block: BlockId, incoming: &[(Name, BlockId)]) -> Result<Datum<'t>> {
        let mut all: Option<Datum<'t>> = None;
        for (value, from) in incoming {
            let edge = self.edges.get(&(*from, block)).copied().unwrap_or(self.terms.truth(false));
            let datum = self.operand(*value)?;
            all = Some(match all {
                None => datum,
                Some(rest) => Datum::pick(Value::of(edge), &datum, &rest)?,
            });
        }
        all.context("a phi without values")
    }

    /// `getelementptr`: its wrap flags are no matter here, for the addresses are those of two buffers.
    fn address(&mut self, source: TypeId, base: Name, indices: &[Name]) -> Result<Datum<'t>> {
        let mut address = self.operand(base)?.one()?;
        let [index] = indices else { bail!("an address with several indices") };
        let size = self.view.layout(source).context("a size")?.size;
        let index = self.operand(*index)?.one()?;
        let width = address.bits.width();
        address.bits =
            address.bits + index.bits.resize(true, width) * self.terms.number(width, u128::from(size));
        address.open = address.open | index.open;
        Ok(Datum::One(address))
    }

    fn index(&mut self, value: Name) -> Result<usize> {
        let number = self.operand(value)?.one()?.bits.as_number().context("a computed index")?;
        Ok(usize::try_from(number)?)
    }

    /// Does something to each element.
    fn lanes(
        &mut self,
        args: &[&Datum<'t>],
        apply: &mut dyn FnMut(&mut Self, &[Value<'t>]) -> Result<Value<'t>>,
    ) -> Result<Datum<'t>> {
        let Some(Datum::Many(first)) = args.iter().find(|arg| matches!(arg, Datum::Many(_))) else {
            let values: Vec<Value<'t>> = args.iter().map(|arg| arg.one()).collect::<Result<_>>()?;
            return Ok(Datum::One(apply(self, &values)?));
        };
        let mut parts = Vec::new();
        for at in 0..first.len() {
            let of_lane: Result<Vec<Value<'t>>> = args
                .iter()
                .map(|arg| match arg {
                    Datum::Many(parts) => parts.get(at).context("a shorter vector")?.one(),
                    Datum::One(value) => Ok(*value),
                })
                .collect();
            parts.push(Datum::One(apply(self, &of_lane?)?));
        }
        Ok(Datum::Many(parts))
    }

    pub(super) fn operand(&mut self, name: Name) -> Result<Datum<'t>> {
        match name {
            Name::Arg(0) => Ok(Datum::One(Value::of(self.memory.source()))),
            Name::Arg(1) => Ok(Datum::One(Value::of(self.memory.target()))),
            Name::Inst(id) => self.values.get(&id).cloned().context("a value of an unreached block"),
            Name::Const(id) => self.constant(id),
            Name::Arg(_) | Name::Block(_) | Name::Asm(_) | Name::Metadata(_) => {
                bail!("an operand of this kind")
            }
        }
    }

    fn constant(&self, id: ConstId) -> Result<Datum<'t>> {
        let ty = self.view.constant_type(id);
        match self.view.constant(id) {
            Constant::Int(words) => {
                let low = u128::from(words.first().copied().unwrap_or(0));
                let high = u128::from(words.get(1).copied().unwrap_or(0));
                Ok(Datum::One(Value::of(self.terms.number(self.width(ty)?, low | high << 64))))
            }
            Constant::Float(bits) => {
                Ok(Datum::One(Value::of(self.terms.number(self.width(ty)?, u128::from(*bits)))))
            }
            Constant::Null | Constant::Zero => {
                let zero = Value::of(self.terms.number(self.width(ty)?, 0));
                self.shaped(zero, ty)
            }
            Constant::Undef | Constant::Poison => self.poison(ty),
            Constant::Data(bytes) => {
                let bits = bytes.iter().rev().fold(0_u128, |all, &byte| all << 8 | u128::from(byte));
                self.shaped(Value::of(self.terms.number(self.width(ty)?, bits)), ty)
            }
            Constant::Aggregate(parts) => {
                Ok(Datum::Many(parts.iter().map(|&part| self.constant(part)).collect::<Result<_>>()?))
            }
            Constant::Expr(ConstExpr::Cast { op: CastOp::IntToPtr | CastOp::BitCast, value }) => {
                let flat = self.constant(*value)?.flat()?;
                self.shaped(flat.map(|bits| bits), ty)
            }
            _ => bail!("a constant of this kind"),
        }
    }

    fn poison(&self, ty: TypeId) -> Result<Datum<'t>> {
        let any = Value { bits: self.terms.number(self.width(ty)?, 0), open: self.terms.truth(true) };
        self.shaped(any, ty)
    }

    /// The bits of a type, cut into its elements.
    fn shaped(&self, value: Value<'t>, ty: TypeId) -> Result<Datum<'t>> {
        let elements: Vec<TypeId> = match self.view.ty(ty) {
            Type::Vector { element, len } => vec![*element; *len as usize],
            Type::Array { element, len } => vec![*element; usize::try_from(*len)?],
            Type::Struct { fields } => fields.to_vec(),
            _ => return Ok(Datum::One(value)),
        };
        let mut from = 0;
        let mut parts = Vec::new();
        for element in elements {
            let width = self.width(element)?;
            parts.push(self.shaped(value.map(|bits| bits.extract(from, width)), element)?);
            from += width;
        }
        Ok(Datum::Many(parts))
    }

    /// How many bits values of a type have.
    pub(super) fn width(&self, ty: TypeId) -> Result<u32> {
        let width = match self.view.ty(ty) {
            Type::Int { bits } => *bits,
            Type::Float(kind) => kind.bits(),
            Type::Pointer { .. } => u32::try_from(self.view.layout(ty).context("a size")?.bits)?,
            Type::Vector { element, len } => self.width(*element)? * len,
            Type::Array { element, len } => self.width(*element)? * u32::try_from(*len)?,
            Type::Struct { fields } => {
                let mut sum = 0;
                for &field in fields {
                    sum += self.width(field)?;
                }
                sum
            }
            _ => bail!("a type without bits"),
        };
        if width > super::term::MAX_WIDTH {
            bail!("a value of {width} bits");
        }
        Ok(width)
    }

    fn element(&self, ty: TypeId) -> Result<TypeId> {
        match self.view.ty(ty) {
            Type::Vector { element, .. } => Ok(*element),
            _ => Ok(ty),
        }
    }

    fn element_width(&self, ty: TypeId) -> Result<u32> {
        self.width(self.element(ty)?)
    }
}

const fn is_float(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem)
}

/// Refuses what lets LLVM compute something else; `contract` does not, for a sum or a product alone.
fn promises(fast: FastMath) -> Result<()> {
    if fast == (FastMath { contract: fast.contract, ..FastMath::default() }) {
        return Ok(());
    }
    bail!("arithmetic with promises")
}

/// What an instruction is, for reports.
fn describe(op: &Op) -> String {
    let text = format!("{op:?}");
    format!("`{}`", text.chars().take(160).collect::<String>())
}
