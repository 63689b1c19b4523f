//! Emitting one function: values, operands and the order of blocks.

use std::fmt::Write;

use ptx_diag::Diagnostics;
use ptx_ir::{Body, Function, Immediate, Inst, LabelId, Module, Operand, RegDeclId, Stmt, VarId};
use ptx_isa::{ControlSem, Field, Mnemonic, MoveSem, ScalarType, Sem};
use ptx_llvm_core::address_space::{GENERIC, GLOBAL};
use ptx_llvm_core::build::{BinaryOp, Block, Builder, CastOp, DebugInfo, Metadata, Type, Types, Value};
use ptx_llvm_core::intrinsics;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Analysis;
use crate::errors::{LowerError, Result, UNSUPPORTED_INSTRUCTION, defect, unsupported};
use crate::flow::{End, NodeId, instruction};
use crate::launch::LaunchFacts;
use crate::represent::{Repr, is_narrow};
use crate::shared::Shared;
use crate::signature::{Argument, Signature, prototypes};
use crate::slots::lane_of;
use crate::ssa::{Def, Slot, ValueId};
use crate::types::{bits_of, constant_bits, llvm_type};

/// One function while it is lowered.
pub(crate) struct Emitter<'s, 'm, 'c> {
    pub(crate) shared: &'s Shared<'m, 'c>,
    pub(crate) function: &'m Function,
    pub(crate) body: &'m Body,
    pub(crate) analysis: &'s Analysis,
    pub(crate) signature: &'s Signature<'c>,
    pub(crate) b: Builder<'c>,
    pub(crate) types: Types<'c>,
    values: Vec<Option<Value<'c>>>,
    pub(crate) blocks: Vec<Option<Block<'c>>>,
    /// The block from which control leaves a node.
    ends: Vec<Option<Block<'c>>>,
    pub(crate) entry: Block<'c>,
    /// Variables of the body in memory: pointers in their address spaces.
    pub(crate) locals: FxHashMap<VarId, Value<'c>>,
    pub(crate) arguments: FxHashMap<VarId, Argument<'c>>,
    /// The initial values of parameters in registers.
    pub(crate) initial: FxHashMap<Slot, Value<'c>>,
    pub(crate) locations: FxHashMap<usize, Metadata<'c>>,
    /// Pragmas before a statement, and those that wait for an instruction to carry them.
    pub(crate) pragmas: FxHashMap<usize, Vec<&'m str>>,
    pub(crate) waiting: Vec<&'m str>,
    pub(crate) chain: crate::mark::Chain<'c>,
    pub(crate) trail: crate::debug::DebugTrail<'m>,
    /// The statements that declare the callees of indirect calls, by their labels.
    pub(crate) prototypes: FxHashMap<LabelId, &'m Stmt>,
    /// The properties of every launch that the directives specify.
    pub(crate) launch: LaunchFacts,
    pub(crate) findings: Diagnostics,
    /// In debug code, declarations of registers with names that an earlier declaration has, too.
    shadowed: FxHashSet<RegDeclId>,
    /// The number of assignments to each slot so far, for names.
    assigned: FxHashMap<Slot, u32>,
    /// A buffer for names.
    name: String,
}

/// An instruction with its operands.
#[derive(Clone, Copy)]
pub(crate) struct Site<'m> {
    pub(crate) statement: usize,
    pub(crate) inst: &'m Inst,
    pub(crate) operands: &'m [Operand],
}

impl Site<'_> {
    /// The operand with this index in the form; `Omitted` when there is none.
    pub(crate) fn operand(&self, at: usize) -> Operand {
        self.operands.get(at).copied().unwrap_or(Operand::Omitted)
    }

    /// The type of the operand with this index.
    pub(crate) fn ty(&self, at: usize) -> Result<ScalarType> {
        match self.inst.mnemonic.operand_type(at) {
            Some(ty) => Ok(ty),
            None => unsupported(format!("operand {} has no type", at + 1)),
        }
    }

    /// The types of the destination and of the source.
    pub(crate) fn types(&self) -> Result<(ScalarType, ScalarType)> {
        let mnemonic = self.inst.mnemonic;
        match (mnemonic.type_of(Field::DType), mnemonic.type_of(Field::AType)) {
            (Some(to), Some(from)) => Ok((to, from)),
            (None, _) | (_, None) => unsupported("it does not have two types"),
        }
    }

    /// The instruction type.
    pub(crate) fn scalar_type(&self) -> Result<ScalarType> {
        match self.inst.mnemonic.scalar_type() {
            Some(ty) => Ok(ty),
            None => unsupported("it has no type"),
        }
    }
}

impl<'s, 'm, 'c> Emitter<'s, 'm, 'c> {
    pub(crate) fn new(
        shared: &'s Shared<'m, 'c>,
        function: &'m Function,
        body: &'m Body,
        analysis: &'s Analysis,
        signature: &'s Signature<'c>,
    ) -> Self {
        let entry = signature.function.append_block(shared.types, "");
        let nodes = analysis.flow.nodes.len();
        Self {
            shared,
            function,
            body,
            analysis,
            signature,
            b: Builder::new(shared.types),
            types: shared.types,
            values: vec![None; analysis.ssa.values.len()],
            blocks: vec![None; nodes],
            ends: vec![None; nodes],
            shadowed: if shared.is_debugging { shadowed(shared.module, body) } else { FxHashSet::default() },
            assigned: FxHashMap::default(),
            name: String::new(),
            entry,
            locals: FxHashMap::default(),
            arguments: FxHashMap::default(),
            initial: FxHashMap::default(),
            locations: FxHashMap::default(),
            pragmas: crate::pragma::before_instructions(shared.module, body),
            waiting: Vec::new(),
            chain: crate::mark::Chain::default(),
            trail: crate::debug::DebugTrail::of(shared.module, body, &shared.sections, shared.is_debugging),
            prototypes: prototypes(body),
            launch: LaunchFacts::of(function),
            findings: Diagnostics::new(),
        }
    }

    /// Lowers the body; findings are collected.
    pub(crate) fn run(mut self, debug: &mut Option<DebugInfo<'c>>) -> Diagnostics {
        self.locate(debug);
        self.b.position_at_end(self.entry);
        if let Err(fail) = self.enter() {
            let name = self.shared.module.name(self.function.name).to_owned();
            self.findings.push(fail.at(UNSUPPORTED_INSTRUCTION, self.function.at.0, &name));
            return self.findings;
        }
        // In reverse post-order a node comes after all that dominate it, so that the values that it reads have been lowered. Phis are the exception:
        // they get their operands when all nodes are lowered (`connect_phis`).
        self.make_blocks();
        for node in self.analysis.flow.order.clone() {
            if let Err(fail) = self.node(node) {
                let name = self.shared.module.name(self.function.name).to_owned();
                self.findings.push(fail.at(UNSUPPORTED_INSTRUCTION, self.function.at.0, &name));
            }
        }
        self.keep_last_debug();
        if !self.findings.has_errors()
            && let Err(fail) = self.connect_phis()
        {
            let name = self.shared.module.name(self.function.name).to_owned();
            self.findings.push(fail.at(UNSUPPORTED_INSTRUCTION, self.function.at.0, &name));
        }
        self.findings
    }

    /// A block for each reachable node, in the order of the text. The first node shares the entry block unless
    /// something branches back to it.
    fn make_blocks(&mut self) {
        let targets = jump_targets(self.body);
        for (at, node) in self.analysis.flow.nodes.iter().enumerate() {
            if !node.reachable {
                continue;
            }
            // LLVM's entry block may not be branched to, while PTX branches back to the first instruction of a loop.
            let shared = at == 0 && node.predecessors.is_empty();
            // Labels that sections name are preserved separately.
            let named = |label: &&LabelId| {
                let name = self.shared.module.name(self.body.label(**label).name);
                self.shared.sections.label(name).is_none()
            };
            let jumped_to = node.labels.iter().filter(named).find(|label| targets.contains(label));
            let label = jumped_to.or_else(|| node.labels.iter().find(named));
            // Default: LLVM numbers a block without a name.
            let label = label.map_or("", |label| self.shared.module.name(self.body.label(*label).name));
            let block =
                if shared { self.entry } else { self.signature.function.append_block(self.types, label) };
            self.blocks[at] = Some(block);
        }
        if let Some(Some(first)) = self.blocks.first()
            && *first != self.entry
        {
            // Only the function's prologue precedes it.
            self.b.set_location(None);
            let _ = self.b.branch(*first);
        }
    }

    pub(crate) fn block(&self, node: NodeId) -> Result<Block<'c>> {
        match self.blocks.get(node.index()) {
            Some(Some(block)) => Ok(*block),
            _ => unsupported("a branch has no target"),
        }
    }

    fn node(&mut self, id: NodeId) -> Result<()> {
        let block = self.block(id)?;
        self.b.position_at_end(block);
        self.b.set_location(None);
        for phi in self.analysis.ssa.phis[id.index()].clone() {
            let value = self.b.phi(self.repr_type(phi))?;
            self.values[phi.index()] = Some(value);
            self.name_value(phi, value);
        }
        let node = &self.analysis.flow.nodes[id.index()];
        for statement in &node.instructions {
            self.statement(*statement);
        }
        self.end_chain();
        match &node.end {
            End::Leave(statement)
            | End::Goto(_, Some(statement))
            | End::Switch(statement, _)
            | End::Nowhere(statement) => {
                self.statement_in(*statement, id);
            }
            End::If { statement, .. } => self.guard(*statement, id),
            End::Goto(to, None) => {
                let to = self.block(*to)?;
                self.b.branch(to)?;
            }
            End::FallOff => self.fall_off(id)?,
        }
        self.attach_waiting_debug();
        if !self.b.is_terminated() {
            // Only after a finding; keeps the rest of the function well formed.
            self.b.unreachable()?;
        }
        // The current block, which may differ from that at the beginning: lowering an instruction may add blocks, and phis refer to the
        // last one.
        self.ends[id.index()] = Some(self.b.block()?);
        Ok(())
    }

    /// The instruction at a statement, with its operands.
    pub(crate) fn site(&self, statement: usize) -> Option<Site<'m>> {
        let inst = instruction(self.body, statement)?;
        Some(Site { statement, inst, operands: self.body.operands(inst) })
    }

    fn statement(&mut self, statement: usize) {
        let Some(site) = self.site(statement) else { return };
        self.b.set_location(self.locations.get(&statement).copied());
        self.await_pragmas(statement);
        let before = self.b.last_instruction();
        match self.instruction(site) {
            Ok(()) => {
                self.attach_pragmas_since(before);
                self.attach_debug_since(statement, before);
                self.mark(site, before);
            }
            Err(fail) => self.report(site, fail),
        }
    }

    fn statement_in(&mut self, statement: usize, node: NodeId) {
        let Some(site) = self.site(statement) else { return };
        self.b.set_location(self.locations.get(&statement).copied());
        self.await_pragmas(statement);
        let before = self.b.last_instruction();
        match self.terminator(site, node) {
            Ok(()) => {
                self.attach_pragmas_since(before);
                self.attach_debug_since(statement, before);
            }
            Err(fail) => self.report(site, fail),
        }
    }

    /// Reports a failed instruction and assigns some value to its destinations, so that the rest can still be checked.
    fn report(&mut self, site: Site<'m>, fail: LowerError) {
        let mnemonic = site.inst.mnemonic.to_string();
        self.findings.push(fail.at(UNSUPPORTED_INSTRUCTION, site.inst.at.0, &mnemonic));
        let Some(access) = self.analysis.accesses.get(&site.statement) else { return };
        for slot in &access.writes {
            if let Some(value) = self.analysis.ssa.written(site.statement, *slot) {
                self.values[value.index()] = Some(self.repr_type(value).poison());
            }
        }
    }

    fn guard(&mut self, statement: usize, id: NodeId) {
        let Some(site) = self.site(statement) else { return };
        self.b.set_location(self.locations.get(&statement).copied());
        // Other guarded instructions have theirs attached, in their own block.
        if site.inst.mnemonic.sem() == Sem::Control(ControlSem::Bra) {
            self.await_pragmas(statement);
        }
        let before = self.b.last_instruction();
        match self.guarded_branch(site, id) {
            Ok(()) => {
                self.attach_pragmas_since(before);
                self.attach_debug_since(statement, before);
            }
            Err(fail) => self.report(site, fail),
        }
    }

    fn connect_phis(&mut self) -> Result<()> {
        let cases = self.cases();
        for phi in self.analysis.ssa.phis.iter().flatten() {
            let Def::Phi(node, operands) = &self.analysis.ssa.values[phi.index()].def else { continue };
            let Some(value) = self.values[phi.index()] else { continue };
            for (from, operand) in operands {
                let edges = match self.analysis.flow.nodes.get(from.index()).map(|node| &node.end) {
                    Some(End::If { yes, no, .. }) => usize::from(yes == node) + usize::from(no == node),
                    Some(End::Switch(..)) => match cases.get(&(*from, *node)) {
                        Some(edges) => *edges,
                        None => return defect("a phi has an operand for a block that does not branch to it"),
                    },
                    Some(End::Goto(..) | End::Leave(_) | End::FallOff | End::Nowhere(_)) | None => 1,
                };
                let from_block = match self.ends.get(from.index()) {
                    Some(Some(block)) => *block,
                    _ => self.entry,
                };
                // A conversion for the phi belongs at the end of the predecessor, before its branch.
                let incoming = self.raw_value(*operand);
                let incoming = if incoming.ty() == value.ty() {
                    incoming
                } else {
                    self.b.position_before_end(from_block)?;
                    self.b.set_location(None);
                    self.bits_as(incoming, value.ty())?
                };
                for _ in 0..edges {
                    self.b.add_incoming(value, incoming, from_block)?;
                }
            }
        }
        Ok(())
    }

    /// How many cases of a switch lead from one node to another.
    fn cases(&self) -> FxHashMap<(NodeId, NodeId), usize> {
        let mut cases = FxHashMap::default();
        for (from, node) in self.analysis.flow.nodes.iter().enumerate() {
            if let End::Switch(_, targets) = &node.end {
                for to in targets {
                    *cases.entry((NodeId(from as u32), *to)).or_insert(0) += 1;
                }
            }
        }
        cases
    }

    /// The representation of a value.
    pub(crate) fn repr(&self, value: ValueId) -> Repr {
        self.analysis.reprs.get(value.index()).copied().unwrap_or(Repr::Int)
    }

    /// The LLVM type a value is kept in.
    pub(crate) fn repr_type(&self, value: ValueId) -> Type<'c> {
        let slot = self.analysis.ssa.slot(value);
        match self.repr(value) {
            Repr::Int => self.types.int(self.analysis.slots.ty(slot).bits()),
            Repr::Float(ty) => self.llvm_type(ty),
            Repr::Pointer(space) => self.types.pointer(space),
        }
    }

    /// A value in the type it is kept in. A slot that was never written is a parameter in a register, or is uninitialized.
    pub(crate) fn raw_value(&self, value: ValueId) -> Value<'c> {
        if let Some(Some(known)) = self.values.get(value.index()) {
            return *known;
        }
        let slot = self.analysis.ssa.values.get(value.index()).map(|info| info.slot);
        let initial = slot.and_then(|slot| self.initial.get(&slot).copied());
        initial.unwrap_or_else(|| self.repr_type(value).zero())
    }

    /// The value of a slot at a statement, in the type it is kept in.
    pub(crate) fn seen(&self, statement: usize, slot: Slot) -> Result<(ValueId, Value<'c>)> {
        match self.analysis.ssa.read(statement, slot) {
            Some(value) => Ok((value, self.raw_value(value))),
            None => unsupported("a register is read where no value reaches"),
        }
    }

    /// The LLVM type of a PTX type.
    pub(crate) fn llvm_type(&self, ty: ScalarType) -> Type<'c> {
        llvm_type(self.types, ty)
    }

    /// The bits of generic addresses.
    pub(crate) fn address_bits(&self) -> u32 {
        self.shared.address_bits
    }

    /// A value's bits in another type of the same width; of a register of 64 bits an address of 32 is the lower half.
    pub(crate) fn bits_as(&self, value: Value<'c>, to: Type<'c>) -> Result<Value<'c>> {
        let from = value.ty();
        if from == to {
            return Ok(value);
        }
        match (from.pointer_space(), to.pointer_space()) {
            // The same number in both; `cvta` between them changes nothing (mapping, "Address spaces").
            (Some(GENERIC | GLOBAL), Some(GENERIC | GLOBAL)) => {
                Ok(self.b.cast(CastOp::AddrSpaceCast, value, to)?)
            }
            (Some(_), Some(_)) => {
                let bits = self.b.cast(CastOp::PtrToInt, value, self.types.int(self.address_bits()))?;
                Ok(self.b.cast(CastOp::IntToPtr, bits, to)?)
            }
            (Some(_), None) => {
                let int = self.b.cast(CastOp::PtrToInt, value, self.types.int(bits_of(to)?))?;
                Ok(self.b.cast(CastOp::BitCast, int, to)?)
            }
            (None, Some(_)) => {
                let int = self.b.cast(CastOp::BitCast, value, self.types.int(bits_of(from)?))?;
                Ok(self.b.cast(CastOp::IntToPtr, int, to)?)
            }
            (None, None) => match self.constant_lanes(value, to)? {
                Some(lanes) => Ok(lanes),
                None => Ok(self.b.cast(CastOp::BitCast, value, to)?),
            },
        }
    }

    /// A constant integer reinterpreted as a vector; LLVM's builder, which does not know the byte order, would create a
    /// constant expression.
    fn constant_lanes(&self, value: Value<'c>, to: Type<'c>) -> Result<Option<Value<'c>>> {
        let (Some(bits), Some((element, count))) = (known(value), to.vector_parts()) else { return Ok(None) };
        let width = bits_of(element)?;
        let lane = |at: u32| self.types.int_value(width, bits >> (at * width)).constant_bits_as(element);
        let lanes: Vec<Value<'c>> = (0..count).map(lane).collect::<Result<_, _>>()?;
        Ok(Some(self.types.vector_value(&lanes)?))
    }

    /// The value of a slot at a statement, as a type at most as wide as the register (manual 9.4.1).
    pub(crate) fn read(&self, statement: usize, slot: Slot, to: Type<'c>) -> Result<Value<'c>> {
        let (_, value) = self.seen(statement, slot)?;
        let width = self.analysis.slots.ty(slot).bits();
        let wanted = if to.pointer_space().is_some() { width } else { to.bits().unwrap_or(width) };
        if wanted >= width {
            if wanted > width {
                return unsupported("a register is narrower than the instruction's type");
            }
            return self.bits_as(value, to);
        }
        let int = self.bits_as(value, self.types.int(width))?;
        let low = self.b.cast(CastOp::Trunc, int, self.types.int(wanted))?;
        self.bits_as(low, to)
    }

    /// The operand with this index, in the LLVM type of its type.
    pub(crate) fn operand(&self, site: Site<'_>, at: usize) -> Result<Value<'c>> {
        let ty = site.ty(at)?;
        self.operand_of(site, site.operand(at), ty)
    }

    /// An operand as a value of a PTX type.
    pub(crate) fn operand_of(&self, site: Site<'_>, operand: Operand, ty: ScalarType) -> Result<Value<'c>> {
        let to = self.llvm_type(ty);
        match operand {
            Operand::Register(register) => {
                self.read(site.statement, self.analysis.slots.lane(register, 0), to)
            }
            Operand::Element(register, component) => {
                self.read(site.statement, self.analysis.slots.lane(register, lane_of(component)), to)
            }
            Operand::Not(register) => {
                let value = self.read(site.statement, self.analysis.slots.lane(register, 0), to)?;
                Ok(self.b.binary(BinaryOp::Xor, value, self.types.bool_value(true))?)
            }
            Operand::Immediate(immediate) => self.constant(immediate, ty),
            Operand::Symbol(symbol, offset) => {
                let address = self.symbol_address(symbol, offset)?;
                self.bits_as(address, to)
            }
            Operand::Special(register, component) => {
                let value = self.special(register, component)?;
                self.resize(value, to)
            }
            Operand::Omitted | Operand::Sink => unsupported("an operand is missing"),
            Operand::Selected(..)
            | Operand::Negated(..)
            // Has been made a separate instruction (`Verified::written_out`).
            | Operand::Sum(..)
            | Operand::SpecialSum(..)
            | Operand::Address(..)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::List(_)
            | Operand::Label(_) => unsupported("it does not support an operand of this kind"),
        }
    }

    /// A constant operand (manual 4.5): integers are truncated; floating-point numbers are rounded to the type, or
    /// reinterpreted as an integer type.
    pub(crate) fn constant(&self, immediate: Immediate, ty: ScalarType) -> Result<Value<'c>> {
        let bits = constant_bits(immediate, ty)?;
        let int = self.types.wide_value(ty.bits(), bits);
        Ok(int.constant_bits_as(self.llvm_type(ty))?)
    }

    /// An integer's low bits or zero-extension; other types by their bits.
    pub(crate) fn resize(&self, value: Value<'c>, to: Type<'c>) -> Result<Value<'c>> {
        match (value.ty().int_bits(), to.int_bits()) {
            (Some(from), Some(to_bits)) if from > to_bits => Ok(self.b.cast(CastOp::Trunc, value, to)?),
            (Some(from), Some(to_bits)) if from < to_bits => Ok(self.b.cast(CastOp::ZExt, value, to)?),
            _ => self.bits_as(value, to),
        }
    }

    /// Assigns a value to the destination with this index.
    pub(crate) fn define(&mut self, site: Site<'_>, at: usize, value: Value<'c>) -> Result<()> {
        let ty = site.ty(at)?;
        self.define_operand(site, site.operand(at), ty, value)
    }

    /// Assigns a value to a destination. For a wider register it is sign- or zero-extended (manual 9.4.2).
    pub(crate) fn define_operand(
        &mut self,
        site: Site<'_>,
        operand: Operand,
        ty: ScalarType,
        value: Value<'c>,
    ) -> Result<()> {
        let slot = match operand {
            Operand::Register(register) => self.analysis.slots.lane(register, 0),
            Operand::Element(register, component) => self.analysis.slots.lane(register, lane_of(component)),
            Operand::Sink | Operand::Omitted => return Ok(()),
            _ => return unsupported("it does not support a destination of this kind"),
        };
        let width = self.analysis.slots.ty(slot).bits();
        let value =
            if value.ty().pointer_space().is_none() && value.ty().bits().is_some_and(|bits| bits < width) {
                let int = self.bits_as(value, self.types.int(value.ty().bits().unwrap_or(width)))?;
                let op = if ty.is_signed() { CastOp::SExt } else { CastOp::ZExt };
                self.b.cast(op, int, self.types.int(width))?
            } else {
                value
            };
        self.set(site.statement, slot, value)
    }

    /// Assigns a value to a slot, converted to the type it is kept in.
    pub(crate) fn set(&mut self, statement: usize, slot: Slot, value: Value<'c>) -> Result<()> {
        let Some(id) = self.analysis.ssa.written(statement, slot) else { return Ok(()) };
        let value = self.bits_as(value, self.repr_type(id))?;
        let value = self.own_copy(statement, slot, value)?;
        self.values[id.index()] = Some(value);
        self.name_value(id, value);
        Ok(())
    }

    /// In debug code, where every register is a separate location, a copy of the value of another register, or of a constant or
    /// parameter (docs/mapping.md, "Debug code").
    fn own_copy(&self, statement: usize, slot: Slot, value: Value<'c>) -> Result<Value<'c>> {
        let is_register = self.analysis.slots.register(slot).is_some();
        let mut origin = value;
        while origin.is_unnamed_instruction()
            && let Some(inner) = origin.converted()
        {
            origin = inner;
        }
        if !self.shared.is_debugging || !is_register || origin.is_unnamed_instruction() {
            return Ok(value);
        }
        // Resizing an address of a narrow space does not change it.
        let resizes = instruction(self.body, statement)
            .is_some_and(|inst| inst.mnemonic.sem() == Sem::Move(MoveSem::Cvt));
        if resizes && value.ty().pointer_space().is_some_and(is_narrow) {
            return Ok(value);
        }
        let copy = self.b.freeze(value)?;
        self.keep_apart(copy);
        Ok(copy)
    }

    /// Names a value after the register it is assigned to, with a dot and a number for all but the first assignment; values that
    /// already belong to another register keep their names.
    fn name_value(&mut self, id: ValueId, value: Value<'c>) {
        let Some(slot) = self.analysis.ssa.values.get(id.index()).map(|info| info.slot) else { return };
        let Some(register) = self.analysis.slots.register(slot) else { return };
        let decl = self.body.decl(register);
        let stem = self.shared.module.name(decl.name);
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        // Registers do not have names that begin with a dot: this one has the name of another one in an outer scope.
        if let Some(register) = self.body.registers.get(register.index())
            && self.shadowed.contains(&register.decl)
        {
            let _ = write!(name, ".{}_", register.decl.0);
        }
        name.push_str(stem.strip_prefix('%').unwrap_or(stem));
        if let (Some(_), Some(register)) = (decl.count, self.body.registers.get(register.index())) {
            let _ = write!(name, "{}", register.number);
        }
        let count = self.assigned.entry(slot).or_default();
        if *count > 0 {
            let _ = write!(name, ".{count}");
        }
        if value.name_instruction(&name) {
            *count += 1;
        }
        self.name = name;
    }

    /// The representation of the value assigned to a destination register.
    pub(crate) fn destination_repr(&self, site: Site<'_>, at: usize) -> Repr {
        let slot = match site.operand(at) {
            Operand::Register(register) => self.analysis.slots.lane(register, 0),
            Operand::Element(register, component) => self.analysis.slots.lane(register, lane_of(component)),
            _ => return Repr::Int,
        };
        self.analysis.ssa.written(site.statement, slot).map_or(Repr::Int, |id| self.repr(id))
    }

    /// The pointer a register operand is kept as, when it is one.
    pub(crate) fn as_pointer(&self, site: Site<'_>, operand: Operand) -> Result<Option<Value<'c>>> {
        let slot = match operand {
            Operand::Register(register) => self.analysis.slots.lane(register, 0),
            Operand::Element(register, component) => self.analysis.slots.lane(register, lane_of(component)),
            _ => return Ok(None),
        };
        let (_, value) = self.seen(site.statement, slot)?;
        Ok(value.ty().pointer_space().map(|_| value))
    }

    /// Calls an intrinsic of LLVM by its name without types, for the types that it is overloaded for.
    pub(crate) fn intrinsic(
        &self,
        name: &str,
        overloads: &[Type<'c>],
        arguments: &[Value<'c>],
    ) -> Result<Value<'c>> {
        Ok(self.b.intrinsic(name, overloads, arguments)?)
    }

    /// Calls an intrinsic by its full name, as rows of [`ptx_llvm_core::intrinsics`] have it.
    pub(crate) fn intrinsic_by_name(
        &self,
        name: &str,
        result: Type<'c>,
        arguments: &[Value<'c>],
    ) -> Result<Value<'c>> {
        let function = self.intrinsic_function(name, result, arguments)?;
        Ok(self.b.call(function, arguments)?)
    }

    /// Calls the intrinsic of a mnemonic.
    pub(crate) fn intrinsic_of(
        &self,
        mnemonic: Mnemonic,
        result: Type<'c>,
        arguments: &[Value<'c>],
    ) -> Result<Value<'c>> {
        match intrinsics::by_mnemonic(mnemonic).next() {
            Some(row) => self.intrinsic_by_name(&row.name, result, arguments),
            None => unsupported("it has no intrinsic"),
        }
    }

    /// Calls an intrinsic that LLVM declares to read or write less memory than the instruction orders (mapping, "What LLVM is told").
    pub(crate) fn ordered_intrinsic(&self, name: &str) -> Result<Value<'c>> {
        let function = self.shared.out.intrinsic(name, &[])?;
        Ok(self.b.call_ordered(function, &[])?)
    }

    /// Declares an intrinsic by its full name, for arguments of these types.
    pub(crate) fn intrinsic_function(
        &self,
        name: &str,
        result: Type<'c>,
        arguments: &[Value<'c>],
    ) -> Result<ptx_llvm_core::build::Function<'c>> {
        let parameters: Vec<Type<'c>> = arguments.iter().map(|argument| argument.ty()).collect();
        Ok(self.shared.out.function(name, self.types.function(result, &parameters))?)
    }
}

/// The labels that instructions jump to.
fn jump_targets(body: &Body) -> FxHashSet<LabelId> {
    let mut targets = FxHashSet::default();
    for statement in &body.statements {
        match statement {
            Stmt::Inst(inst) => {
                for operand in body.operands(inst) {
                    if let Operand::Label(label) = operand {
                        targets.insert(*label);
                    }
                }
            }
            Stmt::BranchTargets(_, list) => targets.extend(list.iter().map(|target| target.label)),
            _ => {}
        }
    }
    targets
}

/// The declarations of registers whose name another one of the body has already, in an outer or a sibling scope.
fn shadowed(module: &Module, body: &Body) -> FxHashSet<RegDeclId> {
    let mut shadowed = FxHashSet::default();
    let mut known: FxHashSet<&str> = FxHashSet::default();
    let mut ranges: FxHashMap<&str, u32> = FxHashMap::default();
    for (at, decl) in body.reg_decls.iter().enumerate() {
        let name = module.name(decl.name);
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = name.get(stem.len()..).and_then(|digits| digits.parse::<u32>().ok());
        let is_new = match decl.count {
            Some(count) => ranges.insert(name, count).is_none(),
            None => {
                let in_range = number.zip(ranges.get(stem)).is_some_and(|(number, count)| number < *count);
                known.insert(name) && !in_range
            }
        };
        if !is_new {
            shadowed.insert(RegDeclId(at as u32));
        }
    }
    shadowed
}

/// Whether a value is a constant integer, and which.
pub(crate) fn known(value: Value<'_>) -> Option<u64> {
    value.as_constant_int()
}
