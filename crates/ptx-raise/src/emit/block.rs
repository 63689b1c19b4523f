//! Blocks: their order, their labels, their phis and their statements.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::rc::Rc;

use ptx_ir::{At, BodyBuilder, DebugLocation, InlinedAt, LabelKind, RegId, Stmt, StrId};
use ptx_llvm_core::debug_marks::{self, DebugLine};
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{BlockId, FileId, InstId, LocationId, Metadata, MetadataId, Op, Type};

use super::state::Emitter;
use crate::error::{RaiseError, Result};
use crate::names;
use crate::registers::{Named, Rank};
use crate::style::{Annotations, Names};
use crate::types::{Scalar, layout_of};
use crate::value::Val;

/// Longer names of blocks are cut.
const LONGEST_LABEL: usize = 40;

/// The `.loc` of a text so far.
#[derive(Default)]
struct Trail {
    here: Option<DebugLocation>,
    /// One that only follows from an instruction's location, while no code follows it.
    pending: Option<(DebugLocation, Option<StrId>)>,
    /// The locations emitted so far.
    named: HashSet<(u32, u32, u32)>,
}

impl Trail {
    /// Emits the pending location, unless it is the current one.
    fn flush(&mut self, builder: &mut BodyBuilder) {
        let Some((location, comment)) = self.pending.take() else { return };
        let unplaced = (location.line, location.column) == (0, 0) && self.here.is_none();
        if !unplaced && self.here.as_ref() != Some(&location) {
            self.push(builder, location);
            if let Some(comment) = comment {
                builder.push(Stmt::TrailingComment(comment));
            }
        }
    }

    fn push(&mut self, builder: &mut BodyBuilder, location: DebugLocation) {
        if let Some(call) = &location.inlined
            && self.named.insert((call.file, call.line, call.column))
        {
            let (file, line, column) = (call.file, call.line, call.column);
            let call = DebugLocation { file, line, column, inlined: None, at: At::default() };
            builder.push(Stmt::Location(call));
        }
        self.named.insert((location.file, location.line, location.column));
        self.here = Some(location.clone());
        builder.push(Stmt::Location(location));
    }
}

impl Emitter<'_, '_, '_> {
    /// A label for every block; only those that are branched to are placed.
    pub(super) fn make_labels(&mut self) {
        let function = self.function;
        for (at, block) in function.blocks.iter().enumerate() {
            let own = self.block_name(&block.name);
            let name = own.unwrap_or_else(|| self.free_label(format!("$L__BB{}_{at}", self.id.index())));
            let name = self.module.ir.strings.intern(&name);
            let label = self.builder.new_label(name, LabelKind::Code);
            self.blocks.labels.push(label);
        }
    }

    /// The name of a block, if names are LLVM's. A label of PTX is preserved; others get a unique prefix.
    fn block_name(&mut self, name: &str) -> Option<String> {
        if name.is_empty() || self.module.style.names == Names::Numbers || self.is_traced() {
            return None;
        }
        if self.source.was_ptx && names::is_plain(name) && !self.is_name_of_other(name) {
            return self.names.taken.insert(name.to_owned()).then(|| name.to_owned());
        }
        let spelled = names::spelled(name);
        let short = spelled.get(..LONGEST_LABEL).unwrap_or(&spelled);
        Some(self.free_label(format!("$L_{short}")))
    }

    /// Whether a name is that of a symbol, or of a label that sections name.
    fn is_name_of_other(&self, name: &str) -> bool {
        self.module.symbol_names.contains(name) || self.module.debug.label_names.contains(name)
    }

    /// A label like `stem` that is unique in the function.
    fn free_label(&mut self, stem: String) -> String {
        let (symbols, taken) = (&self.module.symbol_names, &self.names.taken);
        let of_sections = &self.module.debug.label_names;
        let is_taken =
            |name: &str| symbols.contains(name) || of_sections.contains(name) || taken.contains(name);
        let name = names::numbered(stem, &mut self.names.label_repeats, is_taken);
        self.names.taken.insert(name.clone());
        name
    }

    /// The registers of all phis: some are used before their block is reached.
    pub(super) fn make_phis(&mut self) -> Result<()> {
        let function = self.function;
        for block in self.blocks.layout.clone() {
            for id in function.block(block).inst_ids() {
                if !matches!(function.inst(id).op, Op::Phi { .. }) {
                    break;
                }
                if self.cover.is_word_phi(id) {
                    let (inputs, values) = self.word_phi(id)?;
                    self.define(id, values.into())?;
                    self.computed.phi_inputs.insert(id, inputs);
                    continue;
                }
                let leaves = self.leaves(self.type_of(id))?;
                let inputs: Vec<RegId> = leaves.iter().map(|leaf| self.register_for(leaf.scalar)).collect();
                let outputs: Rc<[Val]> =
                    leaves.iter().map(|leaf| Val::reg(self.register_for(leaf.scalar))).collect();
                self.define(id, outputs)?;
                let written: Vec<Val> = inputs.iter().map(|&input| Val::reg(input)).collect();
                self.want(Named::Inst(id), &written, Rank::Phi);
                self.computed.phi_inputs.insert(id, inputs);
            }
        }
        Ok(())
    }

    /// Raises the statements of a block.
    pub(super) fn block(&mut self, block: BlockId) {
        let function = self.function;
        self.blocks.current = block;
        self.computed.joined_here.clear();
        if self.blocks.rolled.contains(&block) {
            let text = self.module.ir.strings.intern("nounroll");
            self.push(Stmt::Pragma(vec![text]));
        }
        let leading = self.leading_marks(block);
        for id in function.block(block).inst_ids() {
            if matches!(function.inst(id).op, Op::Phi { .. })
                && let Err(refusal) = self.copy_phi(id)
            {
                self.refuse_inst(refusal, id);
            }
        }
        let mut place = None;
        for id in function.block(block).inst_ids() {
            let inst = function.inst(id);
            if matches!(inst.op, Op::Phi { .. }) {
                continue;
            }
            if let Some(node) = inst.metadata(marks::DEBUG) {
                let lines = DebugLine::read(self.module.view, node);
                let done = match leading {
                    Some((first, count)) if first == id => count,
                    _ => 0,
                };
                let has_lines = inst.location.is_some();
                self.debug_statements(lines.into_iter().skip(done), has_lines);
            }
            self.mark_records(id);
            if inst.location != place
                && let Some(location) = inst.location
            {
                place = inst.location;
                self.location(location);
            }
            if let Err(refusal) = self.pragmas_of(id) {
                self.refuse_inst(refusal, id);
            }
            self.inst(id);
        }
    }

    /// Labels that sections name and that preceded the block's own belong to the code before it: for `ptxas`, when it compiles
    /// for debugging, whatever they describe ends there. Returns the number of marks emitted for that, and their instruction.
    fn leading_marks(&mut self, block: BlockId) -> Option<(InstId, usize)> {
        let function = self.function;
        if !self.is_labelled(block) {
            return None;
        }
        let is_phi = |id: &InstId| matches!(function.inst(*id).op, Op::Phi { .. });
        let first = function.block(block).inst_ids().find(|id| !is_phi(id))?;
        let view = self.module.view;
        let lines = DebugLine::read(view, function.inst(first).metadata(marks::DEBUG)?);
        let name = function.block(block).name.as_str();
        let is_own = |line: &DebugLine<_, _>| match line {
            DebugLine::Label(label) => {
                matches!(view.metadata(*label), Metadata::String(text) if text == name)
            }
            DebugLine::Location(_) => false,
        };
        let own = lines.iter().position(is_own)?;
        let has_lines = function.inst(first).location.is_some();
        self.debug_statements(lines.into_iter().take(own), has_lines);
        self.push(Stmt::Label(self.blocks.labels[block.index()]));
        self.blocks.labelled.insert(block);
        Some((first, own + 1))
    }

    /// The pragmas that preceded an instruction (`!ptx.pragma`).
    fn pragmas_of(&mut self, id: InstId) -> Result<()> {
        let view = self.module.view;
        let Some(node) = self.function.inst(id).metadata(marks::PRAGMA) else { return Ok(()) };
        for text in view.strings(node) {
            if let Some(mask) = ptx_ir::used_bytes(text)
                && !self.has_bytes_of_mask(id, mask)?
            {
                continue;
            }
            let text = self.module.ir.strings.intern(text);
            self.push(Stmt::Pragma(vec![text]));
        }
        Ok(())
    }

    /// Whether an instruction is one load with the bytes of a mask, which applies to no other.
    fn has_bytes_of_mask(&self, id: InstId, mask: u32) -> Result<bool> {
        let (view, inst) = (self.module.view, self.function.inst(id));
        if !matches!(inst.op, Op::Load { .. }) {
            // Inline assembly has the instruction as it was.
            return Ok(true);
        }
        let bytes = match *view.ty(inst.ty) {
            Type::Vector { len, element } => u64::from(len) * layout_of(view, element)?.size,
            _ => layout_of(view, inst.ty)?.size,
        };
        let is_within = bytes >= u64::from(u32::BITS) || mask >> bytes == 0;
        Ok(self.is_part_of_four(id) || (bytes.is_power_of_two() && is_within))
    }

    /// The registers that the predecessors of a phi's block write.
    fn phi_inputs(&self, id: InstId) -> Result<Vec<RegId>> {
        let inputs = self.computed.phi_inputs.get(&id).cloned();
        inputs.ok_or_else(|| RaiseError::defect("a phi without registers for its operands"))
    }

    /// The copy at the start of a phi's block.
    fn copy_phi(&mut self, id: InstId) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let inputs = self.phi_inputs(id)?;
        let outputs = self.computed.values.get(id).cloned();
        let outputs = outputs.ok_or_else(|| RaiseError::defect("a phi without registers for its value"))?;
        if self.cover.is_word_phi(id) {
            return self.copy_word_phi(&inputs, &outputs);
        }
        for ((leaf, input), output) in leaves.iter().zip(inputs).zip(outputs.iter()) {
            if let Val::Register(output, _) = output {
                self.copy_to(*output, Val::reg(input), leaf.scalar)?;
            }
        }
        Ok(())
    }

    /// The writes of a predecessor for the phis of its successors, before its terminator.
    pub(super) fn write_phis(&mut self) -> Result<()> {
        let function = self.function;
        let from = self.blocks.current;
        let mut seen = HashSet::default();
        // A value that several phis have as an operand is copied from the first of them, so that all can become one register.
        let mut firsts: HashMap<_, RegId> = HashMap::default();
        for successor in self.source.successors(from) {
            if !seen.insert(successor) {
                continue;
            }
            for id in function.block(successor).inst_ids() {
                let Op::Phi { incoming } = &function.inst(id).op else { break };
                let Some((value, _)) = incoming.iter().find(|(_, block)| *block == from) else { continue };
                let inputs = self.phi_inputs(id)?;
                let mut scalars: Vec<Scalar> =
                    self.leaves(self.type_of(id))?.iter().map(|leaf| leaf.scalar).collect();
                let mut values = self.value(*value)?.to_vec();
                if self.cover.is_word_phi(id) {
                    values = self.words_of_bytes(&values)?;
                    scalars = vec![Scalar::Int(32); values.len()];
                }
                for ((scalar, input), value) in scalars.into_iter().zip(inputs).zip(values) {
                    let known = match value {
                        Val::Bits(bits) => Some((None, bits)),
                        Val::Register(register, _) => Some((Some(register), 0)),
                        Val::Address { .. } => None,
                    };
                    let first = known.map(|known| *firsts.entry((known, scalar.class())).or_insert(input));
                    let shared = first.filter(|first| *first != input).map(Val::reg);
                    self.copy_to(input, shared.unwrap_or(value), scalar)?;
                }
            }
        }
        Ok(())
    }

    /// `.loc` (manual 11.5.3) of an instruction; one that repeats the previous one is removed when the text is assembled.
    fn location(&mut self, id: LocationId) {
        self.mark_location(id);
        let Some(statement) = self.debug_location(id) else { return };
        self.blocks.implied_locations.insert((self.blocks.current, self.builder.body().statements.len()));
        self.push(Stmt::Location(statement));
    }

    fn debug_location(&mut self, id: LocationId) -> Option<DebugLocation> {
        let location = self.module.view.location(id).clone();
        let file = self.module.file_number(location.file?);
        let call = location.inlined_at.and_then(|outer| {
            let (name, offset) = self.module.inlined_name(id)?;
            let outer = self.module.view.location(outer);
            let name = self.module.ir.strings.intern(&name);
            let file = self.module.file_number(outer.file?);
            Some(Box::new(InlinedAt { name, offset, file, line: outer.line, column: outer.column }))
        });
        let (line, column) = (location.line, location.column);
        Some(DebugLocation { file, line, column, inlined: call, at: At::default() })
    }

    /// Emits the contents of `!ptx.debug`: `.loc` directives, and labels that sections name, each of which occurs once. Where code has no
    /// location its debug information was stripped, and its lines with it.
    pub(super) fn debug_statements(
        &mut self,
        lines: impl Iterator<Item = DebugLine<FileId, MetadataId>>,
        has_lines: bool,
    ) {
        for line in lines {
            match line {
                DebugLine::Label(label) => self.debug_label(label),
                DebugLine::Location(location) if has_lines => {
                    let location = self.stated_location(location);
                    self.push(Stmt::Location(location));
                }
                DebugLine::Location(_) => {}
            }
        }
    }

    /// Places a label that sections name, or another one of debug code.
    fn debug_label(&mut self, label: MetadataId) {
        let view = self.module.view;
        let name = match (self.module.label_name(label), view.metadata(label)) {
            (Some(name), _) => {
                let name = name.to_owned();
                if !self.module.debug.placed.insert(label) {
                    return;
                }
                name
            }
            (None, Metadata::String(name)) => {
                // Only code to debug has such labels.
                let is_own = self.source.to_debug && names::is_plain(name) && !self.is_name_of_other(name);
                if !is_own || !self.names.taken.insert(name.clone()) {
                    return;
                }
                name.clone()
            }
            (None, _) => return,
        };
        let name = self.module.ir.strings.intern(&name);
        let label = self.builder.new_label(name, LabelKind::Code);
        self.builder.place(label);
    }

    /// A `.loc`, without the call where the label of the function's name is no longer there.
    fn stated_location(&mut self, stated: debug_marks::Location<FileId, MetadataId>) -> DebugLocation {
        let debug_marks::Location { file, line, column, inlined } = stated;
        let inlined = inlined.filter(|call| self.module.debug.string_labels.contains(&call.label));
        let inlined = inlined.and_then(|debug_marks::Call { label, offset, file, line, column }| {
            // What locations that follow refer to, too: one that repeats this one is not emitted.
            // Default: a label without an offset names the byte at it.
            let stated = (label, offset.unwrap_or(0));
            let first = self.module.debug.first_strings.get(&stated).filter(|first| **first != stated);
            let (label, offset) = match first {
                Some(&(label, offset)) => (label, (offset > 0).then_some(offset)),
                None => (label, offset),
            };
            let name = self.module.label_name(label)?.to_owned();
            let name = self.module.ir.strings.intern(&name);
            Some(Box::new(InlinedAt { name, offset, file: self.module.file_number(file), line, column }))
        });
        let file = self.module.file_number(file);
        DebugLocation { file, line, column, inlined, at: At::default() }
    }

    /// Puts the text of the blocks together.
    pub(super) fn put_together(&mut self, parts: &mut HashMap<BlockId, Vec<Stmt>>) {
        let mut text = Vec::new();
        text.extend(self.beginning().map(|location| (Stmt::Location(location), true)));
        let follows = !self.blocks.implied_locations.is_empty();
        for block in std::mem::take(&mut self.blocks.layout) {
            let named = self.blocks.targets.contains(&block) || self.is_labelled(block);
            if named && !self.blocks.labelled.contains(&block) {
                text.push((Stmt::Label(self.blocks.labels[block.index()]), false));
            }
            let statements = parts.remove(&block);
            debug_assert!(statements.is_some(), "a block in the layout that was not emitted");
            let statements = statements.into_iter().flatten().enumerate();
            text.extend(statements.map(|(at, statement)| {
                let implied = follows && self.blocks.implied_locations.contains(&(block, at));
                (statement, implied)
            }));
        }
        self.push_located(text);
        let end = self.function.metadata.iter().find(|(kind, _)| kind.is(marks::DEBUG_END));
        if let Some(&(_, node)) = end {
            let lines = DebugLine::read(self.module.view, node);
            self.debug_statements(lines.into_iter(), self.function.location.is_some());
        }
    }

    /// Whether a block has a label of PTX's that is preserved although it is not used.
    fn is_labelled(&self, block: BlockId) -> bool {
        let named = self.function.blocks.get(block.index()).is_some_and(|block| !block.name.is_empty());
        named && self.module.style.names == Names::Values && self.source.was_ptx
    }

    /// Appends statements. A `.loc` that is only implied by an instruction's location is omitted if it is the current location;
    /// the location of a call precedes the code that was inlined there (manual 11.5.3).
    fn push_located(&mut self, text: Vec<(Stmt, bool)>) {
        let mut trail = Trail::default();
        for (statement, implied) in text {
            match statement {
                Stmt::Location(location) if implied => {
                    let comment = self.source_comment(&location);
                    trail.pending = Some((location, comment));
                }
                Stmt::Location(location) => {
                    trail.flush(&mut self.builder);
                    trail.push(&mut self.builder, location);
                }
                // Comments are no code.
                Stmt::Comment(_) => self.builder.push(statement),
                statement => {
                    trail.flush(&mut self.builder);
                    self.builder.push(statement);
                }
            }
        }
    }

    /// The comment after a `.loc`, where the style has them.
    fn source_comment(&mut self, location: &DebugLocation) -> Option<StrId> {
        if self.module.style.annotations == Annotations::None || self.source.was_ptx {
            return None;
        }
        let name = self.module.debug.name_of(location.file)?;
        let mut text = format!("// {name}:{}:{}", location.line, location.column);
        if let Some(call) = &location.inlined
            && let Some(name) = self.module.debug.name_of(call.file)
        {
            text += &format!(" @[ {name}:{}:{} ]", call.line, call.column);
        }
        Some(self.module.ir.strings.intern(&text))
    }

    /// The location of the function's beginning, for code that precedes its first instruction. Code that was PTX has
    /// `.loc` directives for it.
    fn beginning(&mut self) -> Option<DebugLocation> {
        if self.source.was_ptx {
            return None;
        }
        let view = self.module.view;
        let location = view.location(self.function.location?);
        let file = self.module.file_number(location.file?);
        Some(DebugLocation { file, line: location.line, column: 0, inlined: None, at: At::default() })
    }

    /// The headers of loops that must not be unrolled (`llvm.loop.unroll.disable` on a branch to them).
    pub(super) fn rolled_loops(&self) -> HashSet<BlockId> {
        let view = self.module.view;
        let text_of = |id: MetadataId| {
            let Metadata::Node(parts) = view.metadata(id) else { return None };
            let Metadata::String(text) = view.metadata((*parts.first()?)?) else { return None };
            Some(text.as_str())
        };
        let mut rolled = HashSet::default();
        for &from in &self.blocks.layout {
            let Some(last) = self.function.block(from).inst_ids().next_back() else { continue };
            let Some(node) = self.function.inst(last).metadata("llvm.loop") else { continue };
            let Metadata::Node(parts) = view.metadata(node) else { continue };
            // The first operand of a node is the node itself, to make it distinct.
            if parts.iter().skip(1).flatten().any(|&part| text_of(part) == Some(marks::UNROLL_DISABLE)) {
                // The branch with the metadata leads back to the loop's first block, and possibly out of the loop.
                rolled.extend(self.source.successors(from).into_iter().filter(|target| *target <= from));
            }
        }
        rolled
    }

    /// The name of a local variable, unlike any other of the module.
    pub(super) fn local_name(&self, stem: &str, number: usize) -> String {
        let name = format!("__local_{stem}_{}_{number}", names::escape(&self.function.name));
        names::free(self.module.free_name(name), |name| self.names.taken.contains(name))
    }
}
