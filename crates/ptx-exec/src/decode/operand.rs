//! Lowers operands to rows.

use ptx_diag::Span;
use ptx_ir::{AddressBase, Operand, Symbol, VarId};
use ptx_isa::{Component, OperandKey, ScalarType, StateSpace};

use super::body::{BodyDecoder, Context, row_bits, rows_of, unary};
use super::convert::int_of;
use super::{Decoded, finding};
use crate::error::codes;
use crate::layout::immediate_bits;
use crate::memory::{AddressSize, Space};
use crate::program::{Address, AddressWidth, Base, Dst, Effect, Src, Unary};
use crate::scalar::convert::Excess;
use crate::scalar::int::Int;

/// The address of a variable.
#[derive(Clone, Copy)]
pub(super) enum VariableAddress {
    /// At a fixed address in a space.
    Fixed(Space, u64),
    /// At an offset in the local memory of the frame.
    Frame(u32),
}

impl BodyDecoder<'_> {
    /// The row of a destination; ignored results go to the sink.
    pub(super) fn dst(&self, cx: &Context<'_>, at: usize) -> Decoded<Dst> {
        self.dst_of(cx.operands.get(at).copied().unwrap_or(Operand::Omitted), cx.span(at))
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

    /// A destination of the row.
    pub(super) fn dst_operand(&self, cx: &Context<'_>, key: OperandKey) -> Decoded<Dst> {
        let (at, operand) = cx.operand(key)?;
        self.dst_of(operand, cx.span(at))
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

    /// The row of a source, as a value of the type given by the row of the table.
    pub(super) fn src(&mut self, cx: &mut Context<'_>, at: usize) -> Decoded<Src> {
        let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
        let ty = cx.m.operand_type(at).unwrap_or(ScalarType::B64);
        self.src_of(cx, operand, ty, cx.span(at))
    }

    /// A source of the row.
    pub(super) fn src_operand(&mut self, cx: &mut Context<'_>, key: OperandKey) -> Decoded<Src> {
        let (at, _) = cx.operand(key)?;
        self.src(cx, at)
    }

    /// A source; `None` if the row has no such operand, or the program omits it.
    pub(super) fn src_given(&mut self, cx: &mut Context<'_>, key: OperandKey) -> Decoded<Option<Src>> {
        match cx.given(key) {
            Some((at, _)) => self.src(cx, at).map(Some),
            None => Ok(None),
        }
    }

    /// The row of a source operand.
    pub(super) fn src_of(
        &mut self,
        cx: &mut Context<'_>,
        operand: Operand,
        ty: ScalarType,
        span: Span,
    ) -> Decoded<Src> {
        match operand {
            Operand::Register(_) | Operand::Element(..) => Ok(Src::register(self.dst_of(operand, span)?)),
            Operand::Not(register) => {
                let d = self.temporary();
                cx.prepare(unary(Unary::Not { mask: 1 }, d, Src::register(self.row_of(register))));
                Ok(Src::register(d))
            }
            Operand::Immediate(immediate) => {
                let bits = immediate_bits(immediate, ty, span)?;
                // Every nonzero constant is true.
                let bits = if ty == ScalarType::Pred { u128::from(bits != 0) } else { bits };
                Ok(if ty.bits() == 128 {
                    cx.constants.pair(bits as u64, (bits >> 64) as u64)
                } else {
                    cx.constants.of(bits as u64)
                })
            }
            Operand::Special(register, component) => {
                let d = self.temporary();
                cx.prepare(Effect::Special { d, register, component });
                if ty.bits() < register.scalar_type().bits() {
                    let mask = row_bits(ty);
                    cx.prepare(unary(Unary::Field { shift: 0, mask }, d, Src::register(d)));
                }
                Ok(Src::register(d))
            }
            Operand::Symbol(symbol, offset) => self.symbol(cx, symbol, offset, ty, span),
            Operand::Omitted
            | Operand::Sink
            | Operand::Selected(..)
            | Operand::Negated(..)
            // Expanded to a separate instruction (`Verified::written_out`).
            | Operand::Sum(..)
            | Operand::SpecialSum(..)
            | Operand::Address(..)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::List(_)
            | Operand::Label(_) => finding(codes::OPERAND, span, "this operand has no value"),
        }
    }

    /// The address of a variable or function as a value.
    fn symbol(
        &mut self,
        cx: &mut Context<'_>,
        symbol: Symbol,
        offset: i64,
        ty: ScalarType,
        span: Span,
    ) -> Decoded<Src> {
        match symbol {
            Symbol::Function(id) => match self.reached.number(self.module, id) {
                Some(number) => {
                    let address = self.size.function_address(number).wrapping_add(offset as u64);
                    Ok(cx.constants.of(address & row_bits(ty)))
                }
                None => {
                    let name = self.module.name(self.module.function(id).name);
                    finding(codes::UNDEFINED, span, format!("function `{name}` is defined nowhere"))
                }
            },
            // The name of an opaque parameter denotes its handle.
            Symbol::Variable(id) if self.is_opaque_parameter(id) => {
                self.handle(cx, Operand::Symbol(symbol, 0), 0)
            }
            Symbol::Variable(id) => match self.variable_address(id, span)? {
                VariableAddress::Fixed(space, address) => {
                    // The sum of a variable's address and a constant has the width of addresses of its space.
                    let bits = if space == Space::Global { self.size.mask() } else { u32::MAX.into() };
                    let address = address.wrapping_add(offset as u64) & bits & row_bits(ty);
                    Ok(match space {
                        Space::Shared | Space::SharedCluster if ty.bits() >= 32 => {
                            cx.constants.of_shared(address)
                        }
                        Space::Global => cx.constants.of_global(address),
                        Space::Shared
                        | Space::SharedCluster
                        | Space::Generic
                        | Space::Local
                        | Space::Const
                        | Space::Param => cx.constants.of(address),
                    })
                }
                VariableAddress::Frame(at) => {
                    let d = self.temporary();
                    cx.prepare(Effect::FrameAddress { d, offset: i64::from(at).wrapping_add(offset) });
                    Ok(Src::register(d))
                }
            },
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

    /// The space given by an instruction.
    pub(super) fn space(&self, cx: &Context<'_>) -> Decoded<Space> {
        match cx.m.space() {
            None => Ok(Space::Generic),
            Some(StateSpace::Global) => Ok(Space::Global),
            Some(StateSpace::Shared | StateSpace::SharedCta) => Ok(Space::Shared),
            Some(StateSpace::SharedCluster) => Ok(Space::SharedCluster),
            Some(StateSpace::Const) => Ok(Space::Const),
            Some(StateSpace::Local) => Ok(Space::Local),
            // The parameters of a device function are in its frame.
            Some(StateSpace::Param) if self.is_kernel => Ok(Space::Param),
            Some(StateSpace::Param) => Ok(Space::Local),
            Some(StateSpace::ParamEntry) => Ok(Space::Param),
            Some(StateSpace::ParamFunc) => Ok(Space::Local),
            Some(StateSpace::Reg | StateSpace::SpecialReg | StateSpace::Tex) => {
                cx.unsupported("memory accesses do not go to this space")
            }
        }
    }

    /// An address in an 8- or 16-bit register, which `ptxas` extends to 32 bits by the signedness of its type, and beyond that with zeros.
    fn narrow_address(&mut self, cx: &mut Context<'_>, row: Src, ty: ScalarType) -> Src {
        let Some(from) = int_of(ty).filter(|_| ty.is_signed()) else { return row };
        let d = self.temporary();
        let register = row_bits(ScalarType::S32);
        cx.prepare(unary(Unary::IntToInt { to: Int::S32, from, excess: Excess::Truncate, register }, d, row));
        Src::register(d)
    }

    /// Width of an address in a 64-bit register: modules with 32-bit addresses use the lower half.
    pub(super) fn address_width(&self) -> AddressWidth {
        match self.size {
            AddressSize::Bits32 => AddressWidth::Bits32,
            AddressSize::Bits64 => AddressWidth::Bits64,
        }
    }

    /// An address operand of an instruction that accesses `space`.
    pub(super) fn address(&mut self, cx: &mut Context<'_>, at: usize, space: Space) -> Decoded<Address> {
        let span = cx.span(at);
        match cx.operands.get(at).copied().unwrap_or(Operand::Omitted) {
            Operand::Address(AddressBase::Register(register), offset) => {
                let row = Src::register(self.row_of(register));
                let (row, width) = match self.body.reg_type(register) {
                    ty if ty.bits() == 64 => (row, self.address_width()),
                    ty if ty.bits() == 32 => (row, AddressWidth::Bits32),
                    ty if ty.bits() < 32 => (self.narrow_address(cx, row, ty), AddressWidth::Bits32),
                    _ => {
                        return finding(
                            codes::OPERAND,
                            span,
                            "an address is in a register of 64 bits or less",
                        );
                    }
                };
                Ok(Address { space, base: Base::Row(row, width), offset })
            }
            Operand::Address(AddressBase::Absolute, offset) => {
                Ok(Address { space, base: Base::Row(cx.constants.of(0), self.address_width()), offset })
            }
            Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), offset) => {
                let found = self.variable_address(id, span)?;
                // A name refers to the variable in its own space, independently of the window that the instruction uses.
                let (own, base, offset) = match found {
                    VariableAddress::Fixed(own, address) => {
                        let address = match own {
                            Space::Shared => cx.constants.of_shared(address),
                            Space::Global => cx.constants.of_global(address),
                            _ => cx.constants.of(address),
                        };
                        (own, Base::Row(address, self.address_width()), offset)
                    }
                    VariableAddress::Frame(at) => {
                        (Space::Local, Base::Frame, i64::from(at).wrapping_add(offset))
                    }
                };
                let param_space = matches!(
                    cx.m.space(),
                    Some(StateSpace::Param | StateSpace::ParamFunc | StateSpace::ParamEntry)
                );
                let is_cluster = (own, space) == (Space::Shared, Space::SharedCluster);
                if space != Space::Generic && space != own && !param_space && !is_cluster {
                    let text = format!("the variable lies in {}, not in {}", own.as_str(), space.as_str());
                    return finding(codes::OPERAND, span, text);
                }
                Ok(Address { space: own, base, offset })
            }
            Operand::Address(AddressBase::Symbol(Symbol::Function(_)), _) => {
                finding(codes::UNSUPPORTED, span, "the code of a function cannot be accessed")
            }
            _ => finding(codes::OPERAND, span, "expected an address in brackets"),
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
}
