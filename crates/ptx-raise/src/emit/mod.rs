//! Emission: one function, by its cover.
//!
//! Emits the body of a PTX function from a function of LLVM's, the order of its blocks and its [`Cover`](crate::cover::Cover). The
//! translation of each instruction has been decided by the cover.
//!
//! Blocks are raised in an order in which definitions come before their uses (reverse post-order), each into a separate list, and
//! assembled in LLVM's order. A value is a list of leaves ([`Val`]); a leaf stays a constant or an uncomputed address as long as it is
//! not needed in a register. A phi has two registers per leaf: its predecessors write the first at their ends, and its block copies it
//! to the second at its start. So all phis of a block change at the same time, and a write on one edge cannot affect another edge.

mod access;
mod address;
mod aggregate;
mod append;
mod arithmetic;
mod asm;
mod atomic;
mod barrier;
mod block;
mod bytes;
mod call;
mod cast;
mod compare;
mod constant;
mod control;
mod covered;
mod debugging;
mod directed;
mod divide;
mod elementwise;
mod float;
mod generic;
mod intrinsic;
mod math;
mod memory;
mod ordering;
mod overflow;
mod packed;
mod pairs;
mod pieces;
mod predicate;
mod prologue;
mod readonly;
mod reference;
mod row;
mod runs;
mod stack;
mod state;
mod trace;
mod undefined;
mod variadic;
mod volatile;
mod wide;

use rustc_hash::FxHashMap as HashMap;
use std::rc::Rc;

use ptx_coalesce::{coalesce, drop_known_constants, drop_unread, hoist, share_addresses};
use ptx_ir::{Body, RegId, Stmt};
use ptx_llvm_core::view::{BlockId, CastOp, FloatPredicate, Function, FunctionId, InstId, Op};

use self::state::{Emitter, Vals};
use crate::context::ModuleContext;
use crate::cover::{Decision, cover};
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::flow::Flow;
use crate::registers::{Named, name_registers};
use crate::signature::Signature;
use crate::style::Names;
use crate::value::Val;

/// Raises the body of a function. Findings about single instructions go to the module's list.
///
/// # Errors
///
/// Emits the parts that concern the whole function.
pub(crate) fn body<'v>(
    module: &mut ModuleContext<'v, '_>,
    id: FunctionId,
    function: &'v Function,
    signature: Signature,
    entry: ptx_ir::FunctionId,
) -> Result<Body> {
    let source = module.source(function);
    let flow = Flow::of(source);
    let found = cover(source, module, &signature, &flow)?;
    Emitter::new(module, id, source, signature, entry, found, flow.layout).run(flow.order)
}

impl Emitter<'_, '_, '_> {
    /// Emits the blocks, `order` having definitions before their uses, and settles the registers of the body.
    fn run(mut self, order: Vec<BlockId>) -> Result<Body> {
        self.blocks.rolled = self.rolled_loops();
        self.make_labels();
        self.make_phis()?;
        let mut parts: HashMap<BlockId, Vec<Stmt>> = HashMap::default();
        self.prologue()?;
        for block in order {
            self.block(block);
            let mut statements = std::mem::take(&mut self.builder.body_mut().statements);
            if block == BlockId::new(0) {
                self.order_parameters(&mut statements);
            }
            parts.insert(block, statements);
        }
        for local in std::mem::take(&mut self.frame.locals) {
            self.builder.push(local);
        }
        self.drop_cuts(&mut parts);
        self.predicate(&mut parts);
        self.put_together(&mut parts);
        self.have_float_classes();
        let mut body = std::mem::take(&mut self.builder).finish();
        reference::drop_unread(&mut body, &self.registers.handles, &self.registers.constants);
        // PTX that was not optimized keeps what it was written with, and DWARF may refer to any register.
        let is_free = !self.source.is_as_written() && !self.module.target.is_debugging() && !self.is_traced();
        if is_free {
            let registers = &self.registers;
            let is_kept = |body: &Body, register: RegId| {
                let decl = body.registers.get(register.index()).map(|register| register.decl);
                registers.assembled.contains(&register)
                    || registers.copies.contains(&register)
                    || decl.is_none_or(|decl| registers.foreign.contains(&decl))
            };
            drop_unread(&mut body, &is_kept);
        }
        // In debug code each register has a separate hardware register, which calls would have to preserve.
        if !self.module.target.is_debugging() {
            share_addresses(&mut body, &self.registers.foreign);
        }
        let coalesced =
            coalesce(&mut body, &self.registers.foreign, &self.registers.copies, self.namesakes());
        if !self.module.target.is_debugging() {
            hoist(&mut body);
        }
        if is_free {
            drop_known_constants(&mut body);
        }
        let settled = |register| coalesced.representative(register);
        self.name_registers(&mut body, &settled);
        self.type_accesses(&mut body);
        self.trace(&mut body, &settled);
        Ok(body)
    }

    /// One instruction; a refusal names it.
    fn inst(&mut self, id: InstId) {
        let decision = self.cover.decision(id).cloned();
        if matches!(decision, Some(Decision::Folded | Decision::Absorbed(_))) {
            return;
        }
        let before = self.builder.extent();
        self.as_bits = self.is_read_as_bits(id);
        self.inst_start = self.builder.body().statements.len();
        let result = match decision {
            Some(Decision::Emit(found)) => self.act(id, &found.action),
            _ => self.select(id),
        };
        self.as_bits = false;
        self.write_zero_offset(id);
        let position = self.module.position(self.id, id);
        self.builder.position_since(before, position);
        if let Err(refusal) = result {
            self.refuse_inst(refusal, id);
            self.define_anything(id);
        }
    }

    /// Whether a result is cast to bits: it needs no copy when it is in a register of bits from the start. The operand of a phi should
    /// be in a register of the phi's type.
    fn is_read_as_bits(&self, id: InstId) -> bool {
        let users = self.cover.uses.users(id);
        let is_phi = |user: &InstId| matches!(self.function.inst(*user).op, Op::Phi { .. });
        let is_cast =
            |user: &InstId| matches!(self.function.inst(*user).op, Op::Cast { op: CastOp::BitCast, .. });
        users.iter().any(is_cast) && !users.iter().any(is_phi)
    }

    fn refuse_inst(&mut self, refusal: RaiseError, id: InstId) {
        let text = self.module.llvm.instruction_text(self.id, id);
        let place = format!("function {}: {text}", self.function.name);
        self.module.refuse(refusal, &place);
    }

    /// Gives a refused instruction a value, so that its uses are not refused too.
    fn define_anything(&mut self, id: InstId) {
        let leaves = self.leaves(self.function.inst(id).ty).unwrap_or_else(|_| Rc::from([]));
        let values = leaves.iter().map(|_| Val::Bits(0)).collect();
        self.computed.values.insert(id, values);
    }

    /// An instruction that the cover does not change.
    fn select(&mut self, id: InstId) -> Result<()> {
        let function = self.function;
        let inst = function.inst(id);
        match &inst.op {
            Op::Binary { lhs, .. } if self.module.view.is_quadruple(inst.ty) => {
                self.no_quadruple(id, &[*lhs])
            }
            Op::Ret { .. }
            | Op::Br { .. }
            | Op::CondBr { .. }
            | Op::Switch { .. }
            | Op::Invoke { .. }
            | Op::IndirectBr { .. }
            | Op::Unreachable => self.terminator(id),
            // The block made its registers before.
            Op::Phi { .. } => Ok(()),
            Op::FNeg { value, .. } => self.float_negate(id, *value),
            Op::Binary { op, lhs, rhs, fast, .. } => self.binary(id, *op, *lhs, *rhs, *fast),
            Op::Cast { op, value, .. } => self.cast(id, *op, *value),
            Op::ICmp { predicate, lhs, rhs } => self.int_compare(id, *predicate, *lhs, *rhs),
            Op::FCmp { predicate, lhs, rhs, .. } => {
                // These two do not compare.
                if !matches!(predicate, FloatPredicate::True | FloatPredicate::False) {
                    self.no_quadruple(id, &[*lhs])?;
                }
                self.float_compare(id, *predicate, *lhs, *rhs)
            }
            Op::Select { cond, then, other, .. } => self.select_value(id, *cond, *then, *other),
            Op::Alloca { ty, count, align } => self.alloca(id, *ty, *count, *align),
            Op::Load { .. } => self.load(id),
            Op::Store { .. } => self.store(id),
            Op::Gep { source, base, indices, .. } => self.gep(id, *source, *base, indices),
            Op::ExtractElement { vector, index } => self.extract_element(id, *vector, *index),
            Op::InsertElement { vector, element, index } => {
                self.insert_element(id, *vector, *element, *index)
            }
            Op::ShuffleVector { a, b, mask } => self.shuffle_vector(id, *a, *b, mask),
            Op::ExtractValue { aggregate, indices } => self.extract_value(id, *aggregate, indices),
            Op::InsertValue { aggregate, element, indices } => {
                self.insert_value(id, *aggregate, *element, indices)
            }
            Op::Freeze { value } if debugging::is_copy(inst) => self.copy(id, *value),
            Op::Freeze { value } => {
                let frozen = match self.source.is_undef(*value) {
                    true => self.unwritten(id)?,
                    false => self.value(*value)?,
                };
                self.define(id, frozen)
            }
            Op::Fence { order, scope } => self.fence(*order, scope),
            Op::CmpXchg { .. } => self.compare_exchange(id),
            Op::AtomicRmw { .. } => self.atomic_rmw(id),
            Op::Call(call) => self.call(id, call),
            Op::VaArg { list } => self.next_argument(id, *list),
            Op::Other(name) => Err(RaiseError::new(INSTRUCTION, format!("{name} has no counterpart in PTX"))),
        }
    }

    /// Registers that are never written have some value, which is the result of freezing an undefined value.
    fn unwritten(&mut self, id: InstId) -> Result<Vals> {
        let leaves = self.leaves(self.type_of(id))?;
        Ok(leaves.iter().map(|leaf| Val::reg(self.register_for(leaf.scalar))).collect())
    }

    /// Names the registers of the finished body, where the style has names.
    fn name_registers(&mut self, body: &mut Body, settled: &dyn Fn(RegId) -> RegId) {
        if self.module.style.names == Names::Numbers {
            return;
        }
        let wanted = std::mem::take(&mut self.names.wanted);
        let (function, was_ptx) = (self.function, self.source.was_ptx);
        let name_of = |named: Named| register_name(function, was_ptx, named);
        let floats = self.float_registers(body);
        name_registers(
            body,
            &mut self.module.ir.strings,
            wanted,
            settled,
            &self.registers.foreign,
            &floats,
            &name_of,
        );
    }
}

/// The name of a value's register in the original PTX, or the name of the LLVM value.
fn register_name(function: &Function, was_ptx: bool, named: Named) -> Option<&str> {
    let name = match named {
        // Registers of PTX have other names than the parameters that are loaded to them.
        Named::Parameter(_) if was_ptx => return None,
        Named::Parameter(at) => function.params.get(at)?.name.as_str(),
        Named::Inst(id) => function.inst(id).name.as_str(),
    };
    // Lowering names the values of further assignments with the register's name, a dot and a number.
    match name.split_once('.') {
        // Names created by LLVM's passes begin with a dot if the value had no name.
        Some(("", _)) => None,
        Some((own, _)) if was_ptx => Some(own),
        Some(_) | None => Some(name).filter(|name| !name.is_empty()),
    }
}
