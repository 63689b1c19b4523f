//! Aggregates that are in memory only to be passed to or returned from a call (manual 7.1).
//!
//! PTX writes and reads the pieces of a structured argument or result right in the parameter space. LLVM has a local variable
//! for it, which is stored piece by piece and passed or returned as a whole, or the other way round. If a local variable has
//! no other use, its pieces are accessed directly in the parameter, and it disappears.

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{AtomicOrder, BlockId, Call, CastOp, Constant, InstId, Op, Value};
use rustc_hash::FxHashMap as HashMap;

use super::decision::{Action, CallPieces, Piece};
use super::state::Covering;
use crate::error::Result;
use crate::signature::{self, Passing};

/// All uses of a local variable.
#[derive(Default)]
struct Uses {
    loads: Vec<Piece>,
    stores: Vec<Piece>,
    /// Calls that it is passed to by value, with the argument's number.
    arguments: Vec<(InstId, usize)>,
    /// Instructions that only compute addresses in it.
    addresses: Vec<InstId>,
}

/// The block of each instruction.
type Blocks = [Option<BlockId>];

/// Finds the variables that are only used to pass an aggregate.
///
/// # Errors
///
/// Calls whose results cannot be passed.
pub(super) fn find(cover: &mut Covering<'_, '_, '_>) -> Result<()> {
    let mut block_of = vec![None; cover.source.function.insts.len()];
    for &block in &cover.flow.layout {
        for id in cover.source.insts(block) {
            if let Some(place) = block_of.get_mut(id.index()) {
                *place = Some(block);
            }
        }
    }
    let mut calls: HashMap<InstId, CallPieces> = HashMap::default();
    let mut is_returned = false;
    for id in cover.insts() {
        if !matches!(cover.source.op(id), Op::Alloca { .. }) {
            continue;
        }
        let Some(uses) = cover.uses_of_variable(id) else { continue };
        if !is_returned && cover.is_returned(&uses, &block_of) {
            is_returned = true;
            uses.stores.iter().for_each(|piece| cover.emit(piece.inst, Action::StoreResult(piece.offset)));
            uses.loads.iter().for_each(|piece| cover.emit(piece.inst, Action::ResultInPlace));
        } else if let Some(call) = cover.received_from(&uses, &block_of)? {
            uses.loads.iter().chain(&uses.stores).for_each(|piece| cover.fold(piece.inst));
            calls.entry(call).or_default().received = Some(uses.loads);
        } else if let Some((call, argument)) = cover.passed_to(&uses, &block_of) {
            uses.stores.iter().for_each(|piece| cover.fold(piece.inst));
            calls.entry(call).or_default().passed.push((argument, uses.stores));
        } else {
            continue;
        }
        cover.fold(id);
        uses.addresses.into_iter().for_each(|address| cover.fold(address));
    }
    for (call, pieces) in calls {
        cover.emit(call, Action::CallByPieces(pieces));
    }
    Ok(())
}

impl Covering<'_, '_, '_> {
    /// The uses of a variable; `None` if its address has other uses.
    fn uses_of_variable(&self, alloca: InstId) -> Option<Uses> {
        let mut found = Uses::default();
        let mut work = vec![(alloca, 0_u64)];
        while let Some((pointer, offset)) = work.pop() {
            let value = Value::Inst(pointer);
            let mut seen: Option<InstId> = None;
            for &user in self.cover.uses.users(pointer) {
                if seen == Some(user) {
                    return None;
                }
                seen = Some(user);
                let inst = self.source.inst(user);
                match &inst.op {
                    Op::Load { volatile: false, order: AtomicOrder::NotAtomic, .. }
                        if self.source.bit_packed(inst.ty).is_none() =>
                    {
                        found.loads.push(Piece { inst: user, offset });
                    }
                    Op::Store { value: stored, volatile: false, order: AtomicOrder::NotAtomic, .. }
                        if *stored != value
                            && self.source.bit_packed(self.source.type_of(*stored)?).is_none() =>
                    {
                        found.stores.push(Piece { inst: user, offset });
                    }
                    Op::Gep { source, base, indices, .. } if *base == value => {
                        let &[Value::Const(index)] = indices.as_slice() else { return None };
                        let Constant::Int(words) = self.source.view.constant(index) else { return None };
                        let size = self.source.view.layout(*source)?.size;
                        let further = words.first()?.checked_mul(size)?;
                        found.addresses.push(user);
                        work.push((user, offset.checked_add(further)?));
                    }
                    Op::Cast { op: CastOp::AddrSpaceCast, .. } => {
                        found.addresses.push(user);
                        work.push((user, offset));
                    }
                    Op::Call(call) if self.source.is_ignored_call(call) => {}
                    Op::Call(call) if offset == 0 && call.args.contains(&value) => {
                        let at = call.args.iter().position(|arg| *arg == value)?;
                        let fixed = self.source.fixed_arguments(call).is_none_or(|fixed| at < fixed);
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
            && self.source.callee(call).is_none_or(|function| {
                !function.intrinsic
                    && !function.name.starts_with("llvm.")
                    && function.attributes.string(marks::ABI).is_none()
            })
    }

    /// Whether a variable is loaded only as the function's result.
    fn is_returned(&self, uses: &Uses, block_of: &Blocks) -> bool {
        let in_memory = matches!(self.signature.result, Some(Passing::Bytes { .. }));
        let whole = |piece: &Piece| {
            let [user] = self.cover.uses.users(piece.inst) else {
                return false;
            };
            let returns = matches!(self.source.inst(*user).op, Op::Ret { .. });
            let block = block_of.get(piece.inst.index());
            let written_between = uses.stores.iter().any(|store| {
                block_of.get(store.inst.index()) == block && store.inst > piece.inst && store.inst < *user
            });
            piece.offset == 0 && returns && block_of.get(user.index()) == block && !written_between
        };
        in_memory
            && self.signature.registers.is_none()
            && uses.arguments.is_empty()
            && !uses.loads.is_empty()
            && uses.loads.iter().all(whole)
    }

    /// The call whose result is stored in a variable right after it.
    fn received_from(&mut self, uses: &Uses, block_of: &Blocks) -> Result<Option<InstId>> {
        let [store] = uses.stores.as_slice() else { return Ok(None) };
        let function = self.source.function;
        let Op::Store { value: Value::Inst(call), .. } = function.inst(store.inst).op else {
            return Ok(None);
        };
        let Op::Call(called) = &function.inst(call).op else { return Ok(None) };
        let block = block_of.get(store.inst.index());
        let here = |id: InstId| block_of.get(id.index()) == block;
        let fits = store.offset == 0
            && uses.arguments.is_empty()
            && self.cover.uses.count(call) == 1
            && self.passes_in_memory(called)
            && here(call)
            && uses.loads.iter().all(|load| here(load.inst) && load.inst > store.inst);
        if !fits {
            return Ok(None);
        }
        let result = signature::result(self.module, self.source.inst(call).ty, &called.ret_attributes)?;
        Ok(matches!(result, Some(Passing::Bytes { .. })).then_some(call))
    }

    /// The argument that a variable is filled for, in the block of the call.
    fn passed_to(&self, uses: &Uses, block_of: &Blocks) -> Option<(InstId, usize)> {
        let &[(call, at)] = uses.arguments.as_slice() else { return None };
        let block = block_of.get(call.index());
        let before = |store: &Piece| block_of.get(store.inst.index()) == block && store.inst < call;
        (uses.loads.is_empty() && uses.stores.iter().all(before)).then_some((call, at))
    }
}
