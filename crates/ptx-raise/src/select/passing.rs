//! Aggregates that lie in memory only on their way into or out of a call (manual 7.1).
//!
//! PTX writes and reads the pieces of a structured argument or result right in the parameter space. LLVM has a local variable
//! for it, which is stored piece by piece and passed or returned as a whole, or the other way round. Where a local variable
//! is for nothing else, its pieces go to the parameter directly and it disappears.

use ptx_ir::{AddressBase, Operand, Symbol, VarId};
use ptx_llvm::view::{AtomicOrder, BlockId, Call, CastOp, Constant, InstId, Op, TypeId, Value};

use super::FunctionRaiser;
use super::memory::alignment;
use crate::error::Raised;
use crate::signature::{self, Passing};

/// A piece of a variable: the instruction that reads or writes it, and its place in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) inst: InstId,
    offset: u64,
}

/// Everything that is done with a local variable.
#[derive(Default)]
struct Uses {
    loads: Vec<Piece>,
    stores: Vec<Piece>,
    /// Calls that take it by value, with the argument's number.
    arguments: Vec<(InstId, usize)>,
    /// Instructions that only compute addresses in it.
    addresses: Vec<InstId>,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the variables that only pass something on.
    pub(super) fn pass_directly(&mut self) -> Raised<()> {
        let mut block_of = vec![None; self.function.insts.len()];
        for &block in &self.layout {
            for id in self.function.block(block).inst_ids() {
                if let Some(place) = block_of.get_mut(id.index()) {
                    *place = Some(block);
                }
            }
        }
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                if !matches!(self.function.inst(id).op, Op::Alloca { .. }) {
                    continue;
                }
                let Some(uses) = self.uses_of_variable(id) else { continue };
                if self.is_returned(&uses, &block_of) {
                    self.returned_pieces.extend(uses.stores.iter().map(|piece| (piece.inst, piece.offset)));
                    self.returned.extend(uses.loads.iter().map(|piece| piece.inst));
                    self.fused.extend(uses.loads.iter().map(|piece| piece.inst));
                } else if let Some(call) = self.received_from(&uses, &block_of)? {
                    self.fused.extend(uses.loads.iter().chain(&uses.stores).map(|piece| piece.inst));
                    self.received.insert(call, uses.loads);
                } else if let Some(argument) = self.passed_to(&uses, &block_of) {
                    self.fused.extend(uses.stores.iter().map(|piece| piece.inst));
                    self.passed.insert(argument, uses.stores);
                } else {
                    continue;
                }
                self.fused.insert(id);
                self.fused.extend(uses.addresses);
            }
        }
        Ok(())
    }

    /// What is done with a variable; `None` when its address goes anywhere else.
    fn uses_of_variable(&self, alloca: InstId) -> Option<Uses> {
        let mut found = Uses::default();
        let mut work = vec![(alloca, 0_u64)];
        while let Some((pointer, offset)) = work.pop() {
            let value = Value::Inst(pointer);
            let mut seen: Option<InstId> = None;
            for &user in self.users.get(pointer.index())? {
                if seen == Some(user) {
                    return None;
                }
                seen = Some(user);
                let inst = self.function.inst(user);
                match &inst.op {
                    Op::Load { volatile: false, order: AtomicOrder::NotAtomic, .. }
                        if self.bit_packed(inst.ty).is_none() =>
                    {
                        found.loads.push(Piece { inst: user, offset });
                    }
                    Op::Store { value: stored, volatile: false, order: AtomicOrder::NotAtomic, .. }
                        if *stored != value && self.bit_packed(self.value_type(*stored).ok()?).is_none() =>
                    {
                        found.stores.push(Piece { inst: user, offset });
                    }
                    Op::Gep { source, base, indices, .. } if *base == value => {
                        let &[Value::Const(index)] = indices.as_slice() else { return None };
                        let Constant::Int(words) = self.module.view.constant(index) else { return None };
                        let size = self.module.view.layout(*source)?.size;
                        let further = words.first()?.checked_mul(size)?;
                        found.addresses.push(user);
                        work.push((user, offset.checked_add(further)?));
                    }
                    Op::Cast { op: CastOp::AddrSpaceCast, .. } => {
                        found.addresses.push(user);
                        work.push((user, offset));
                    }
                    Op::Call(call) if self.is_ignored_call(call) => {}
                    Op::Call(call) if offset == 0 && call.args.contains(&value) => {
                        let at = call.args.iter().position(|arg| *arg == value)?;
                        let fixed = self.fixed_arguments(call).is_none_or(|fixed| at < fixed);
                        if !call.arg_attributes.get(at)?.has("byval")
                            || !self.passes_in_memory(call)
                            || !fixed
                        {
                            return None;
                        }
                        found.arguments.push((user, at));
                    }
                    _ => return None,
                }
            }
        }
        found.loads.sort_by_key(|piece| piece.inst);
        found.stores.sort_by_key(|piece| piece.inst);
        Some(found)
    }

    /// Whether a call passes its arguments in the parameter space.
    fn passes_in_memory(&self, call: &Call) -> bool {
        !matches!(call.callee, Value::Asm(_))
            && self.callee(call).is_none_or(|function| {
                !function.intrinsic
                    && !function.name.starts_with("llvm.")
                    && function.attributes.string("ptx.abi").is_none()
            })
    }

    /// Whether a variable is loaded only as the function's result.
    fn is_returned(&self, uses: &Uses, block_of: &[Option<BlockId>]) -> bool {
        let in_memory = matches!(self.signature.result, Some(Passing::Bytes { .. }));
        let whole = |piece: &Piece| {
            let [user] = self.users.get(piece.inst.index()).unwrap_or_default() else {
                return false;
            };
            let returns = matches!(self.function.inst(*user).op, Op::Ret { .. });
            let block = block_of.get(piece.inst.index());
            let written_between = uses.stores.iter().any(|store| {
                block_of.get(store.inst.index()) == block && store.inst > piece.inst && store.inst < *user
            });
            piece.offset == 0 && returns && block_of.get(user.index()) == block && !written_between
        };
        in_memory
            && self.signature.registers.is_none()
            && self.returned.is_empty()
            && uses.arguments.is_empty()
            && !uses.loads.is_empty()
            && uses.loads.iter().all(whole)
    }

    /// The call whose result a variable takes apart, right after it.
    fn received_from(&mut self, uses: &Uses, block_of: &[Option<BlockId>]) -> Raised<Option<InstId>> {
        let [store] = uses.stores.as_slice() else { return Ok(None) };
        let function = self.function;
        let Op::Store { value: Value::Inst(call), .. } = function.inst(store.inst).op else {
            return Ok(None);
        };
        let Op::Call(called) = &function.inst(call).op else { return Ok(None) };
        let block = block_of.get(store.inst.index());
        let here = |id: InstId| block_of.get(id.index()) == block;
        let fits = store.offset == 0
            && uses.arguments.is_empty()
            && self.uses.get(call.index()) == Some(&1)
            && self.passes_in_memory(called)
            && here(call)
            && uses.loads.iter().all(|load| here(load.inst) && load.inst > store.inst);
        if !fits {
            return Ok(None);
        }
        let result = signature::result(self.module, self.type_of(call), &called.ret_attributes)?;
        Ok(matches!(result, Some(Passing::Bytes { .. })).then_some(call))
    }

    /// The argument that a variable is filled for, in the block of the call.
    fn passed_to(&self, uses: &Uses, block_of: &[Option<BlockId>]) -> Option<(InstId, usize)> {
        let &[(call, at)] = uses.arguments.as_slice() else { return None };
        let block = block_of.get(call.index());
        let before = |store: &Piece| block_of.get(store.inst.index()) == block && store.inst < call;
        (uses.loads.is_empty() && uses.stores.iter().all(before)).then_some((call, at))
    }

    /// Stores a piece of the result, when an instruction is that.
    pub(super) fn store_returned(&mut self, id: InstId) -> Raised<bool> {
        let Some(&offset) = self.returned_pieces.get(&id) else { return Ok(false) };
        let (Some(variable), Some(Passing::Bytes { align, .. })) = (self.result, &self.signature.result)
        else {
            return Ok(false);
        };
        let align = u64::from(*align);
        self.store_piece(Piece { inst: id, offset }, variable, align)?;
        Ok(true)
    }

    /// Stores what a store writes into a variable of the parameter space instead.
    pub(super) fn store_piece(&mut self, piece: Piece, variable: VarId, align: u64) -> Raised<()> {
        let function = self.function;
        let Op::Store { value, .. } = &function.inst(piece.inst).op else { return Ok(()) };
        let (ty, values) = (self.value_type(*value)?, self.defined(*value)?);
        let place = Self::place_in(variable, piece.offset);
        self.store_whole(ty, &values, place, ".param", alignment(align, piece.offset), "st", "")
    }

    /// Loads what a load reads from a variable of the parameter space instead.
    pub(super) fn load_piece(&mut self, piece: Piece, variable: VarId, align: u64) -> Raised<()> {
        let ty: TypeId = self.type_of(piece.inst);
        let place = Self::place_in(variable, piece.offset);
        let values = self.load_whole(ty, place, ".param", alignment(align, piece.offset), "ld", "")?;
        self.define(piece.inst, values.into());
        Ok(())
    }

    fn place_in(variable: VarId, offset: u64) -> Operand {
        Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), offset as i64)
    }
}
