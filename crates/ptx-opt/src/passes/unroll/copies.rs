//! The unrolled loop.

use std::collections::HashMap;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::BinaryOp;
use ptx_llvm_core::edit::{Block, Builder, Editor, GepFlags, Inst, Opcode, Value, WrapFlags};

use super::addresses::{Address, addresses};
use super::counted::{COPIES, Counted, Step, Values};
use super::guard::{Guard, guard};
use super::seams;
use crate::opcodes::computes_values;

/// How many pointers a loop gets, each two registers.
const MOST_POINTERS: usize = 6;

/// Unrolls a loop, which executes the last rounds itself; false if it would gain too little.
pub(super) fn unroll<'e>(
    editor: &Editor<'e>,
    counted: &Counted<'e>,
    is_inside: bool,
) -> Result<bool, LlvmError> {
    let addresses = addresses(editor, counted);
    let sums = addresses.iter().filter(|address| address.is_sum).count().min(MOST_POINTERS);
    let Some(end) =
        counted.latch.terminator().filter(|_| counted.is_worth_it(addresses.len(), sums, is_inside))
    else {
        return Ok(false);
    };
    let entry = editor.insert_block(counted.header, "");
    let guard = guard(&editor.at_end(entry), counted)?;
    let mut copies = Copies::new(editor, counted, &guard, &addresses);
    let between = editor.insert_block(counted.header, "");
    let after = editor.insert_block(counted.latch.next().unwrap_or(counted.exit), "");
    copies.begin(entry)?;
    for copy in 0..COPIES as usize {
        copies.copy(copy)?;
    }
    copies.finish(between)?;
    editor.at_end(entry).branch_if(guard.enters, copies.head(), counted.header)?;
    let sum = copies.value(counted.next.value());
    let goes_on = editor.at_end(between).int_compare(counted.goes_on, sum, counted.limit)?;
    editor.at_end(between).branch_if(goes_on, counted.header, after)?;
    seams::leave(editor, counted, &copies.values, between, after)?;
    seams::enter(editor, counted, &copies.values, entry, between)?;
    end.set_metadata(editor.metadata_kind("llvm.loop"), Some(editor.rolled_loop()));
    copies.erase_unused()?;
    Ok(true)
}

struct Copies<'a, 'e> {
    editor: &'a Editor<'e>,
    counted: &'a Counted<'e>,
    guard: &'a Guard<'e>,
    addresses: &'a [Address<'e>],
    /// For each copy the block that each block of the loop is there. A copy begins in the block that the one before ends in.
    blocks: Vec<HashMap<Block<'e>, Block<'e>>>,
    /// For each phi of the header the one of the unrolled loop.
    phis: Vec<(Inst<'e>, Inst<'e>)>,
    /// The pointers that are advanced.
    pointers: Vec<(&'a Address<'e>, Inst<'e>)>,
    /// The addresses of the first copy.
    first: Values<'e>,
    /// What the copy that was made last has for each value of the loop.
    values: Values<'e>,
    made: Vec<Inst<'e>>,
}

impl<'a, 'e> Copies<'a, 'e> {
    fn new(
        editor: &'a Editor<'e>,
        counted: &'a Counted<'e>,
        guard: &'a Guard<'e>,
        addresses: &'a [Address<'e>],
    ) -> Self {
        let mut blocks: Vec<HashMap<Block<'e>, Block<'e>>> = Vec::new();
        for _ in 0..COPIES {
            let before = blocks.last().map(|before| before[&counted.latch]);
            let own = |&block: &Block<'e>| match before {
                Some(before) if block == counted.header => (block, before),
                _ => (block, editor.insert_block(counted.header, "")),
            };
            blocks.push(counted.blocks.iter().map(own).collect());
        }
        let (phis, pointers, made) = (Vec::new(), Vec::new(), Vec::new());
        let (first, values) = (Values::new(), Values::new());
        Self { editor, counted, guard, addresses, blocks, phis, pointers, first, values, made }
    }

    /// The first block.
    fn head(&self) -> Block<'e> {
        self.blocks[0][&self.counted.header]
    }

    /// The last block.
    fn end(&self) -> Block<'e> {
        self.blocks[COPIES as usize - 1][&self.counted.latch]
    }

    /// Makes the phis. What they have from the last copy is set by [`Copies::finish`].
    fn begin(&mut self, entry: Block<'e>) -> Result<(), LlvmError> {
        let (counted, end) = (self.counted, self.end());
        let builder = self.editor.at_end(self.head());
        for phi in counted.header.phis() {
            let Some(start) = phi.incoming_from(counted.before) else { continue };
            let own = builder.phi(phi.ty(), &[(start, entry), (start, end)])?;
            own.set_location(phi.location());
            self.phis.push((phi, own));
            self.values.insert(phi.value(), own.value());
        }
        for address in self.addresses.iter().filter(|address| address.is_sum).take(MOST_POINTERS) {
            let start = self.start(entry, address)?;
            let own = builder.phi(address.inst.ty(), &[(start, entry), (start, end)])?;
            self.pointers.push((address, own));
            self.first.insert(address.inst.value(), own.value());
        }
        Ok(())
    }

    /// An address of the first round, computed before the loop.
    fn start(&self, entry: Block<'e>, address: &Address<'e>) -> Result<Value<'e>, LlvmError> {
        let builder = self.editor.at_end(entry);
        let counter = self.counted.counter.value();
        let mut values = Values::from([(counter, self.counted.start)]);
        for &inst in &address.chain {
            let own = builder.copy(inst)?;
            take_operands(own, &values)?;
            values.insert(inst.value(), own.value());
        }
        Ok(values[&address.inst.value()])
    }

    /// Makes a copy of all blocks, after the one that was made before.
    fn copy(&mut self, copy: usize) -> Result<(), LlvmError> {
        let counted = self.counted;
        if copy > 0 {
            let back = |phi: Inst<'e>| Some((phi.value(), self.value(phi.incoming_from(counted.latch)?)));
            self.values = counted.header.phis().filter_map(back).collect();
        }
        let from = self.made.len();
        for &block in &counted.blocks {
            let builder = self.editor.at_end(self.blocks[copy][&block]);
            for inst in block.instructions() {
                self.instruction(&builder, inst, copy)?;
            }
        }
        self.made[from..].iter().try_for_each(|inst| take_operands(*inst, &self.values))
    }

    /// The copy of an instruction, whose operands are set afterwards.
    fn instruction(
        &mut self,
        builder: &Builder<'_, 'e>,
        inst: Inst<'e>,
        copy: usize,
    ) -> Result<(), LlvmError> {
        let counted = self.counted;
        let is_at = |block| inst.block() == Some(block);
        let is_compared = inst == counted.comparison && inst.has_one_use();
        let is_phi = inst.opcode() == Opcode::Phi;
        let is_end = inst.opcode().is_terminator() && is_at(counted.latch);
        if is_compared || is_end || is_phi && is_at(counted.header) {
            return Ok(());
        }
        let own = if is_phi {
            self.phi(builder, inst, copy)?.value()
        } else if let Some(address) = self.address(builder, inst, copy)? {
            address
        } else if inst == counted.next && copy == COPIES as usize - 1 {
            // The counter of the first copy and four steps, so that those in between need not be computed.
            let counter = self.phis.iter().find(|(phi, _)| *phi == counted.counter);
            let Some((_, counter)) = counter else {
                return Err(LlvmError::Other { message: format!("an unrolled loop without `{inst:?}`") });
            };
            builder.binary(BinaryOp::Add, counter.value(), self.guard.stride)?
        } else {
            self.copied(builder, inst, copy)?.value()
        };
        self.values.insert(inst.value(), own);
        Ok(())
    }

    fn phi(&mut self, builder: &Builder<'_, 'e>, phi: Inst<'e>, copy: usize) -> Result<Inst<'e>, LlvmError> {
        let incomings: Vec<_> =
            phi.incomings().map(|(value, from)| (value, self.blocks[copy][&from])).collect();
        let own = builder.phi(phi.ty(), &incomings)?;
        own.set_location(phi.location());
        self.made.push(own);
        Ok(own)
    }

    fn copied(
        &mut self,
        builder: &Builder<'_, 'e>,
        inst: Inst<'e>,
        copy: usize,
    ) -> Result<Inst<'e>, LlvmError> {
        let own = builder.copy(inst)?;
        if inst == self.counted.next {
            // The rounds that follow are certain.
            let WrapFlags { nuw, nsw } = own.wrap_flags();
            let order = self.counted.is_signed();
            own.set_wrap_flags(WrapFlags {
                nuw: nuw || order == Some(false),
                nsw: nsw || order == Some(true),
            });
        }
        for (at, to) in (0..).zip(inst.successors()) {
            own.set_successor(at, self.blocks[copy][&to])?;
        }
        self.made.push(own);
        if copy == 0 && self.addresses.iter().any(|address| address.inst == inst) {
            self.first.insert(inst.value(), own.value());
        }
        Ok(own)
    }

    /// The address of a round by that of the first, which is so many steps away: a base and a product.
    fn address(
        &self,
        builder: &Builder<'_, 'e>,
        inst: Inst<'e>,
        copy: usize,
    ) -> Result<Option<Value<'e>>, LlvmError> {
        let Some(&first) = self.first.get(&inst.value()) else { return Ok(None) };
        let Some(address) = self.addresses.iter().find(|address| address.inst == inst) else {
            return Ok(None);
        };
        match copy as u64 {
            0 => Ok(Some(first)),
            copy => self.moved(builder, first, address.bytes * copy as i64).map(Some),
        }
    }

    /// An address that is so many bytes further for each unit of the step.
    fn moved(&self, builder: &Builder<'_, 'e>, from: Value<'e>, bytes: i64) -> Result<Value<'e>, LlvmError> {
        let (unit, index) = match self.counted.step {
            Step::Constant(by) => (self.editor.integer(8), self.editor.integer(64).number(bytes * by)?),
            Step::Value(step) => (self.editor.bytes(bytes.unsigned_abs()), step),
        };
        builder.gep(unit, from, &[index], GepFlags::default())
    }

    /// Ends the last copy with the branch back, or on to `after`.
    fn finish(&mut self, after: Block<'e>) -> Result<(), LlvmError> {
        let builder = self.editor.at_end(self.end());
        for (address, own) in &self.pointers {
            own.set_operand(1, self.moved(&builder, own.value(), address.bytes * COPIES as i64)?)?;
        }
        for (phi, own) in &self.phis {
            if let Some(back) = phi.incoming_from(self.counted.latch) {
                own.set_operand(1, self.value(back))?;
            }
        }
        let sum = self.value(self.counted.next.value());
        let goes_on = builder.int_compare(self.counted.goes_on, sum, self.guard.last)?;
        let branch = builder.branch_if(goes_on, self.head(), after)?;
        branch.set_metadata(self.editor.metadata_kind("llvm.loop"), Some(self.editor.rolled_loop()));
        Ok(())
    }

    /// What the copy that was made last has for a value.
    fn value(&self, value: Value<'e>) -> Value<'e> {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// Erases what is not needed: counters of which addresses were computed.
    fn erase_unused(self) -> Result<(), LlvmError> {
        for inst in self.made.into_iter().rev() {
            let is_pure = computes_values(inst.opcode()) || inst.opcode() == Opcode::GetElementPtr;
            if is_pure && !inst.has_users() {
                self.editor.erase(inst)?;
            }
        }
        Ok(())
    }
}

/// Gives an instruction the operands that the values of the loop have become.
fn take_operands<'e>(inst: Inst<'e>, values: &Values<'e>) -> Result<(), LlvmError> {
    for (at, operand) in (0..).zip(inst.operands()) {
        if let Some(own) = values.get(&operand) {
            inst.set_operand(at, *own)?;
        }
    }
    Ok(())
}
