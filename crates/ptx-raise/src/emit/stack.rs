//! Memory of a function's own: `alloca`, and the stack that grows at run time (manual 9.7.17).

use ptx_isa::{Mnemonic, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{Call, InstId, TypeId, Value};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::names;
use crate::types::Scalar;
use crate::value::{Base, Fill, Val};

/// `alloca`, `stacksave` and `stackrestore`.
const GROWING_STACK: Mnemonic = ptx!("alloca.u32");
/// The default alignment of `alloca`.
const ALLOCA_ALIGN: u32 = 8;

impl Emitter<'_, '_, '_> {
    /// `alloca`: a variable in local memory when it is made once and its size is known, else a piece of the stack.
    pub(super) fn alloca(&mut self, id: InstId, ty: TypeId, count: Value, align: u32) -> Result<()> {
        let layout = self.module.view.layout(ty);
        let size = layout.map(|layout| layout.size).ok_or_else(|| {
            RaiseError::new(INSTRUCTION, format!("an alloca of type {}", self.module.view.type_text(ty)))
        })?;
        let (count, kind) = self.scalar(count)?;
        let bits = self.pointer_class(address_space::LOCAL).bits();
        let Val::Bits(number) = count else {
            let mut bytes = self.extended(count, kind, bits, Fill::Zero)?;
            if size != 1 {
                let multiply = ptx!("mul.lo.s32").with_bits(bits)?;
                bytes = self.compute(multiply, &[bytes.into(), Arg::Bits(size, bits)])?;
            }
            return self.grow_stack(id, bytes.into(), align);
        };
        let bytes = size.checked_mul(number).filter(|bytes| i64::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or_else(|| RaiseError::new(INSTRUCTION, "an alloca larger than memory"))?;
        if self.blocks.current.index() != 0 && self.lies_on_a_cycle() {
            return self.grow_stack(id, Arg::Bits(bytes, bits), align);
        }
        let name = self.memory_name(id);
        let variable = self.local_variable(&name, bytes, align);
        self.define_one(id, local_address(Base::Symbol(ptx_ir::Symbol::Variable(variable))))
    }

    /// The name of an `alloca`'s variable: LLVM's, if it is unique in the function. If sections refer to it, it must be
    /// unique in the module.
    fn memory_name(&mut self, id: InstId) -> String {
        let own = names::readable(&self.function.inst(id).name);
        let is_traced = self.is_traced() || self.module.has_sections();
        let own = own.filter(|own| {
            let module = &*self.module;
            let taken = module.symbol_names.contains(own)
                || module.call_names.clash(own)
                || own.starts_with("$L")
                || is_traced && module.traced_names.contains(own);
            let is_param = |id: &ptx_ir::VarId| module.ir.name(module.ir.variable(*id).name) == own;
            !taken && !self.frame.params.iter().any(is_param) && self.names.taken.insert(own.clone())
        });
        let given = &self.function.inst(id).name;
        let name = own.unwrap_or_else(|| self.local_name("depot", id.index()));
        if is_traced && name != *given {
            self.module.debug.renamed.insert((self.id, given.clone()), name.clone());
        }
        if is_traced {
            self.module.traced_names.insert(name.clone());
        }
        name
    }

    /// That many bytes on top of the stack.
    fn grow_stack(&mut self, id: InstId, bytes: Arg, align: u32) -> Result<()> {
        let what =
            "an alloca whose size is known only at run time, or that can run more than once in a call,";
        self.module.target.need(GROWING_STACK.since(), &|| what.to_owned())?;
        let mut args = vec![bytes];
        if align != ALLOCA_ALIGN {
            args.push(Arg::Bits(u64::from(align), 32));
        }
        let class = self.pointer_class(address_space::LOCAL);
        let start = self.compute(ptx!("alloca.u32").with_bits(class.bits())?, &args)?;
        self.define_one(id, local_address(Base::Register(start)))
    }

    /// `llvm.stacksave`.
    pub(super) fn save_stack(&mut self, id: InstId) -> Result<()> {
        self.module.target.need(GROWING_STACK.since(), &|| "llvm.stacksave".to_owned())?;
        let class = self.pointer_class(address_space::LOCAL);
        let top = self.compute(ptx!("stacksave.u32").with_bits(class.bits())?, &[])?;
        self.define_one(id, local_address(Base::Register(top)))
    }

    /// `llvm.stackrestore`.
    pub(super) fn restore_stack(&mut self, call: &Call) -> Result<()> {
        self.module.target.need(GROWING_STACK.since(), &|| "llvm.stackrestore".to_owned())?;
        let (top, scalar) = self.scalar(argument(call, 0)?)?;
        let own = match (top, scalar) {
            (Val::Address { base, offset, space: address_space::LOCAL }, _) => {
                self.plain_address(base, offset, address_space::LOCAL)?
            }
            (_, Scalar::Pointer { space, .. }) => {
                let register = self.in_register(top, scalar)?;
                self.convert_address(register, space, address_space::LOCAL)?
            }
            _ => return Err(RaiseError::new(INSTRUCTION, "a stack pointer that is not a pointer")),
        };
        let bits = self.pointer_class(address_space::LOCAL).bits();
        self.emit(ptx!("stackrestore.u32").with_bits(bits)?, &[own.into()])
    }

    /// Whether control can reach the current block again.
    fn lies_on_a_cycle(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut work = self.source.successors(self.blocks.current);
        while let Some(block) = work.pop() {
            if block == self.blocks.current {
                return true;
            }
            if seen.insert(block) {
                work.extend(self.source.successors(block));
            }
        }
        false
    }
}

/// An address in local memory.
pub(super) fn local_address(base: Base) -> Val {
    Val::Address { base, offset: 0, space: address_space::LOCAL }
}
