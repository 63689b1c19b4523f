//! Lowers operands to rows.

use ptx_diag::Span;
use ptx_ir::{AddressBase, Operand, Symbol};
use ptx_isa::{OperandKey, ScalarType, StateSpace};

use super::context::{Context, unary};
use super::numbers::int_of;
use super::output::{Decoded, finding};
use super::scope::VariableAddress;
use super::signature::row_bits;
use crate::codes;
use crate::layout::immediate_bits;
use crate::memory::Space;
use crate::program::{Address, AddressWidth, Base, Dst, Effect, Load, Src, Unary};
use crate::scalar::convert::Excess;
use crate::scalar::int::Int;

/// The row of a destination; ignored results go to the sink.
pub(super) fn dst(cx: &Context<'_>, at: usize) -> Decoded<Dst> {
    cx.scope.dst_of(cx.operands.get(at).copied().unwrap_or(Operand::Omitted), cx.span(at))
}

/// A destination of the row.
pub(super) fn dst_operand(cx: &Context<'_>, key: OperandKey) -> Decoded<Dst> {
    let (at, operand) = cx.operand(key)?;
    cx.scope.dst_of(operand, cx.span(at))
}

/// The row of a source, as a value of the type given by the row of the table.
pub(super) fn src(cx: &mut Context<'_>, at: usize) -> Decoded<Src> {
    let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
    let ty = cx.m.operand_type(at).unwrap_or(ScalarType::B64);
    src_of(cx, operand, ty, cx.span(at))
}

/// A source of the row.
pub(super) fn src_operand(cx: &mut Context<'_>, key: OperandKey) -> Decoded<Src> {
    let (at, _) = cx.operand(key)?;
    src(cx, at)
}

/// A source; `None` if the row has no such operand, or the program omits it.
pub(super) fn src_given(cx: &mut Context<'_>, key: OperandKey) -> Decoded<Option<Src>> {
    match cx.given(key) {
        Some((at, _)) => src(cx, at).map(Some),
        None => Ok(None),
    }
}

/// The row of a source operand.
pub(super) fn src_of(cx: &mut Context<'_>, operand: Operand, ty: ScalarType, span: Span) -> Decoded<Src> {
    match operand {
        Operand::Register(_) | Operand::Element(..) => Ok(Src::register(cx.scope.dst_of(operand, span)?)),
        Operand::Not(register) => {
            let d = cx.temporary();
            cx.prepare(unary(Unary::Not { mask: 1 }, d, Src::register(cx.scope.row_of(register))));
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
            let d = cx.temporary();
            cx.prepare(Effect::Special { d, register, component });
            if ty.bits() < register.scalar_type().bits() {
                let mask = row_bits(ty);
                cx.prepare(unary(Unary::Field { shift: 0, mask }, d, Src::register(d)));
            }
            Ok(Src::register(d))
        }
        Operand::Symbol(symbol, offset) => value_of_symbol(cx, symbol, offset, ty, span),
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
fn value_of_symbol(
    cx: &mut Context<'_>,
    symbol: Symbol,
    offset: i64,
    ty: ScalarType,
    span: Span,
) -> Decoded<Src> {
    match symbol {
        Symbol::Function(id) => match cx.scope.reached.number(cx.scope.module, id) {
            Some(number) => {
                let address = cx.scope.size.function_address(number).wrapping_add(offset as u64);
                Ok(cx.constants.of(address & row_bits(ty)))
            }
            None => {
                let name = cx.scope.module.name(cx.scope.module.function(id).name);
                finding(codes::UNDEFINED, span, format!("function `{name}` is defined nowhere"))
            }
        },
        // The name of an opaque parameter denotes its handle.
        Symbol::Variable(id) if cx.scope.is_opaque_parameter(id) => handle(cx, Operand::Symbol(symbol, 0), 0),
        Symbol::Variable(id) => match cx.scope.variable_address(id, span)? {
            VariableAddress::Fixed(space, address) => {
                // The sum of a variable's address and a constant has the width of addresses of its space.
                let bits = if space == Space::Global { cx.scope.size.mask() } else { u32::MAX.into() };
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
                let d = cx.temporary();
                cx.prepare(Effect::FrameAddress { d, offset: i64::from(at).wrapping_add(offset) });
                Ok(Src::register(d))
            }
        },
    }
}

/// The space given by an instruction.
pub(super) fn space(cx: &Context<'_>) -> Decoded<Space> {
    match cx.m.space() {
        None => Ok(Space::Generic),
        Some(StateSpace::Global) => Ok(Space::Global),
        Some(StateSpace::Shared | StateSpace::SharedCta) => Ok(Space::Shared),
        Some(StateSpace::SharedCluster) => Ok(Space::SharedCluster),
        Some(StateSpace::Const) => Ok(Space::Const),
        Some(StateSpace::Local) => Ok(Space::Local),
        // The parameters of a device function are in its frame.
        Some(StateSpace::Param) if cx.scope.is_kernel => Ok(Space::Param),
        Some(StateSpace::Param) => Ok(Space::Local),
        Some(StateSpace::ParamEntry) => Ok(Space::Param),
        Some(StateSpace::ParamFunc) => Ok(Space::Local),
        Some(StateSpace::Reg | StateSpace::SpecialReg | StateSpace::Tex) => {
            cx.unsupported("memory accesses do not go to this space")
        }
    }
}

/// An address in an 8- or 16-bit register, which `ptxas` extends to 32 bits by the signedness of its type, and beyond that with zeros.
fn narrow_address(cx: &mut Context<'_>, row: Src, ty: ScalarType) -> Src {
    let Some(from) = int_of(ty).filter(|_| ty.is_signed()) else { return row };
    let d = cx.temporary();
    let register = row_bits(ScalarType::S32);
    cx.prepare(unary(Unary::IntToInt { to: Int::S32, from, excess: Excess::Truncate, register }, d, row));
    Src::register(d)
}

/// An address operand of an instruction that accesses `space`.
pub(super) fn address(cx: &mut Context<'_>, at: usize, space: Space) -> Decoded<Address> {
    let span = cx.span(at);
    match cx.operands.get(at).copied().unwrap_or(Operand::Omitted) {
        Operand::Address(AddressBase::Register(register), offset) => {
            let row = Src::register(cx.scope.row_of(register));
            let (row, width) = match cx.scope.body.reg_type(register) {
                ty if ty.bits() == 64 => (row, cx.scope.address_width()),
                ty if ty.bits() == 32 => (row, AddressWidth::Bits32),
                ty if ty.bits() < 32 => (narrow_address(cx, row, ty), AddressWidth::Bits32),
                _ => {
                    return finding(codes::OPERAND, span, "an address is in a register of 64 bits or less");
                }
            };
            Ok(Address { space, base: Base::Row(row, width), offset })
        }
        Operand::Address(AddressBase::Absolute, offset) => {
            Ok(Address { space, base: Base::Row(cx.constants.of(0), cx.scope.address_width()), offset })
        }
        Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), offset) => {
            let found = cx.scope.variable_address(id, span)?;
            // A name refers to the variable in its own space, independently of the window that the instruction uses.
            let (own, base, offset) = match found {
                VariableAddress::Fixed(own, address) => {
                    let address = match own {
                        Space::Shared => cx.constants.of_shared(address),
                        Space::Global => cx.constants.of_global(address),
                        _ => cx.constants.of(address),
                    };
                    (own, Base::Row(address, cx.scope.address_width()), offset)
                }
                VariableAddress::Frame(at) => (Space::Local, Base::Frame, i64::from(at).wrapping_add(offset)),
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

/// The handle of a variable or in a register.
pub(super) fn handle(cx: &mut Context<'_>, operand: Operand, at: usize) -> Decoded<Src> {
    match operand {
        Operand::Symbol(Symbol::Variable(id), _)
        | Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) => {
            let id = cx.scope.reached.variable(cx.scope.module, id);
            if let Some(&offset) = cx.scope.signature.kernel_params.get(&id) {
                return Ok(handle_parameter(cx, offset));
            }
            match cx.scope.layout.references.handle(id) {
                Some(handle) => Ok(cx.constants.of(handle)),
                None => finding(codes::OPERAND, cx.span(at), "expected a texture, sampler or surface"),
            }
        }
        Operand::Address(AddressBase::Register(register), _) => Ok(Src::register(cx.scope.row_of(register))),
        other => src_of(cx, other, ScalarType::U64, cx.span(at)),
    }
}

/// The handle in an opaque parameter of the kernel.
fn handle_parameter(cx: &mut Context<'_>, offset: u32) -> Src {
    let d = cx.temporary();
    let base = Base::Row(cx.constants.of(offset.into()), AddressWidth::Bits64);
    let address = Address { space: Space::Param, base, offset: 0 };
    cx.prepare(Effect::Load(Box::new(Load::plain(address, d, 8))));
    Src::register(d)
}

/// The rows of a vector of destinations.
pub(super) fn vector_dsts(cx: &Context<'_>, at: usize) -> Decoded<Vec<Dst>> {
    let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
    cx.scope.elements(operand).into_iter().map(|element| cx.scope.dst_of(element, cx.span(at))).collect()
}

/// The rows of a vector of sources.
pub(super) fn vector_srcs(cx: &mut Context<'_>, at: usize) -> Decoded<Vec<Src>> {
    let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
    let ty = cx.m.operand_type(at).unwrap_or(ScalarType::B32);
    let mut srcs = Vec::new();
    for element in cx.scope.elements(operand) {
        srcs.push(src_of(cx, element, ty, cx.span(at))?);
    }
    Ok(srcs)
}
