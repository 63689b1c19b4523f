//! What names mean in a function: the rows of its registers, the addresses of its variables.

use ptx_diag::Span;
use ptx_ir::{Body, FunctionId, FunctionKind, Module, Operand, RegId, VarId};
use ptx_isa::{Component, ScalarType};

use super::output::{Decoded, finding};
use super::reach::Reached;
use super::signature::{RegisterRows, Signature, rows_of};
use crate::codes;
use crate::layout::Layout;
use crate::memory::{AddressSize, Space};
use crate::program::{AddressWidth, Dst, Slot};
use crate::texture::opaque_of;

/// The address of a variable.
#[derive(Clone, Copy)]
pub(super) enum VariableAddress {
    /// At a fixed address in a space.
    Fixed(Space, u64),
    /// At an offset in the local memory of the frame.
    Frame(u32),
}

/// The function that is decoded.
pub(super) struct Scope<'a> {
    pub(super) module: &'a Module,
    pub(super) reached: &'a Reached,
    pub(super) layout: &'a Layout,
    pub(super) body: &'a Body,
    pub(super) signature: &'a Signature,
    pub(super) is_kernel: bool,
    /// The address size.
    pub(super) size: AddressSize,
    /// Its number in the program.
    pub(super) index: u32,
    rows: RegisterRows,
    /// The row of the condition code (manual 9.7.2).
    pub(super) carry: u32,
    /// The row that receives ignored results.
    pub(super) sink: u32,
}

impl<'a> Scope<'a> {
    pub(super) fn new(
        (module, reached, layout): (&'a Module, &'a Reached, &'a Layout),
        (id, index): (FunctionId, u32),
        body: &'a Body,
        signature: &'a Signature,
    ) -> Self {
        let rows = RegisterRows::of(body);
        let count = rows.count;
        Self {
            module,
            reached,
            layout,
            body,
            signature,
            is_kernel: module.function(id).kind == FunctionKind::Kernel,
            size: layout.address_size,
            index,
            rows,
            carry: count,
            sink: count + 1,
        }
    }

    /// The first row after all these, for temporaries.
    pub(super) fn first_temporary(&self) -> u32 {
        self.sink + 1
    }

    /// The first row of a register.
    pub(super) fn row_of(&self, register: RegId) -> u32 {
        self.rows.first(register)
    }

    /// A register as an argument or result of a call.
    pub(super) fn slot_of(&self, register: RegId) -> Slot {
        self.rows.slot(self.body, register)
    }

    /// The row of a destination operand.
    pub(super) fn dst_of(&self, operand: Operand, span: Span) -> Decoded<Dst> {
        match operand {
            Operand::Register(register) => Ok(self.row_of(register)),
            Operand::Element(register, component) => {
                let rows = rows_of(self.body.reg_type(register));
                Ok(self.row_of(register) + component.index() as u32 * rows)
            }
            Operand::Sink | Operand::Omitted => Ok(self.sink),
            _ => finding(codes::OPERAND, span, "a result must go to a register"),
        }
    }

    /// The type of a register operand, if it is one.
    pub(super) fn register_type(&self, operand: Operand) -> Option<ScalarType> {
        match operand {
            Operand::Register(register) | Operand::Element(register, _) | Operand::Not(register) => {
                Some(self.body.reg_type(register))
            }
            _ => None,
        }
    }

    /// The address of a variable.
    pub(super) fn variable_address(&self, id: VarId, span: Span) -> Decoded<VariableAddress> {
        let id = self.reached.variable(self.module, id);
        if let Some(&at) = self.signature.frame.get(&id) {
            return Ok(VariableAddress::Frame(at));
        }
        if let Some(&at) = self.signature.kernel_params.get(&id) {
            return Ok(VariableAddress::Fixed(Space::Param, at.into()));
        }
        match self.layout.address(id) {
            Some((space, address)) => Ok(VariableAddress::Fixed(space, address)),
            None => {
                let variable = self.module.variable(id);
                let (name, space) = (self.module.name(variable.name), variable.space.as_str());
                finding(codes::UNSUPPORTED, span, format!("`{name}` in .{space} has no address here"))
            }
        }
    }

    /// Width of an address in a 64-bit register: modules with 32-bit addresses use the lower half.
    pub(super) fn address_width(&self) -> AddressWidth {
        match self.size {
            AddressSize::Bits32 => AddressWidth::Bits32,
            AddressSize::Bits64 => AddressWidth::Bits64,
        }
    }

    /// The elements of a vector operand or a vector register, or the operand itself.
    pub(super) fn elements(&self, operand: Operand) -> Vec<Operand> {
        match operand {
            Operand::Vector(list) => self.body.list(list).to_vec(),
            Operand::Register(register) => match self.body.decl(register).shape.lanes() {
                1 => vec![operand],
                lanes => {
                    let components = Component::ALL.into_iter().take(lanes as usize);
                    components.map(|component| Operand::Element(register, component)).collect()
                }
            },
            other => vec![other],
        }
    }

    /// Whether a variable is an opaque parameter of the kernel.
    pub(super) fn is_opaque_parameter(&self, id: VarId) -> bool {
        let id = self.reached.variable(self.module, id);
        opaque_of(self.module.variable(id)).is_some() && self.signature.kernel_params.contains_key(&id)
    }
}
