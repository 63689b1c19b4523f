//! Intrinsics that the table pairs with one instruction.

use ptx_ir::{AddressBase, Immediate, Literal, Operand, RegId};
use ptx_isa::{Component, Field, Mnemonic, Mod, Opcode, ScalarType, SpecialReg, ptx};
use ptx_llvm_core::Addresses;
use ptx_llvm_core::intrinsics::{
    self, IntrinsicMapping as Row, Operand as RowOperand, Type as RowType, Unwritten,
};
use ptx_llvm_core::view::{Call, InstId, Value};

use super::append::{Arg, number};
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::types::{Class, Scalar};
use crate::value::Val;

/// A call of an intrinsic that has a row.
struct RowCall<'r> {
    call: &'r Call,
    row: &'r Row,
    /// A register for each of its results.
    results: &'r [RegId],
}

impl RowCall<'_> {
    fn argument(&self, at: usize) -> Result<Value> {
        self.call.args.get(at).copied().ok_or_else(|| self.misfit())
    }

    fn result(&self, at: usize) -> Result<RegId> {
        self.results.get(at).copied().ok_or_else(|| self.misfit())
    }

    fn misfit(&self) -> RaiseError {
        RaiseError::new(INTRINSIC, format!("the intrinsic {} has another type than its row", self.row.name))
    }
}

impl Emitter<'_, '_, '_> {
    /// A call of an intrinsic that the table of intrinsics has, or none.
    pub(super) fn intrinsic_by_row(&mut self, id: InstId, call: &Call, name: &str) -> Result<()> {
        let mut known = false;
        for row in intrinsics::by_name(name).chain(generic_rows(name)) {
            known = true;
            if self.row_applies(row, call)? {
                return self.row_intrinsic(id, call, row);
            }
        }
        if known {
            let message = format!("PTX has no instruction for {name} with these constants");
            return Err(RaiseError::new(INTRINSIC, message));
        }
        // That PTX has no arithmetic on the type is the better reason.
        let (first, _) = call.args.split_at(call.args.len().min(1));
        self.no_quadruple(id, first)?;
        Err(self.unsupported(call))
    }

    /// Nothing is known of the intrinsic that a call names.
    pub(super) fn unsupported(&self, call: &Call) -> RaiseError {
        let name = self.source.callee_name(call);
        RaiseError::new(INTRINSIC, format!("the intrinsic {name} is not supported"))
    }

    /// Whether the arguments that choose among rows have the row's values.
    fn row_applies(&mut self, row: &Row, call: &Call) -> Result<bool> {
        for (at, unwritten) in &row.unwritten {
            if let Unwritten::Fixed(wanted) = unwritten
                && let Some(&arg) = call.args.get(*at)
                && self.scalar(arg)?.0 != Val::Bits(*wanted)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn row_intrinsic(&mut self, id: InstId, call: &Call, row: &Row) -> Result<()> {
        let results = self.result_registers(id, row)?;
        let own = RowCall { call, row, results: &results };
        let mut args: Vec<Arg> = Vec::with_capacity(row.operands.len() + 1);
        for operand in &row.operands {
            args.push(self.row_operand(&own, operand)?);
            if *operand == RowOperand::ResultPair {
                args.push(Arg::Second(own.result(1)?));
            }
        }
        self.emit(self.row_mnemonic(row, call), &args)?;
        if let (Some(RowOperand::ByteResult), Some(&byte)) = (row.operands.first(), args.first()) {
            self.emit(ptx!("cvt.u16.u8"), &[own.result(0)?.into(), byte])?;
        }
        // Values of several leaves that share a register, or of one leaf in a register each.
        self.take_outputs(id, &results)
    }

    /// The operand at one position of a row; for a pair of results the first.
    fn row_operand(&mut self, own: &RowCall<'_>, operand: &RowOperand) -> Result<Arg> {
        Ok(match operand {
            RowOperand::Result(at) => own.result(*at)?.into(),
            RowOperand::ResultPair => own.result(0)?.into(),
            RowOperand::ByteResult => self.byte_register().into(),
            RowOperand::Argument(at) => self.row_argument(own, *at)?,
            RowOperand::Byte(at) => {
                let (value, scalar) = self.scalar(own.argument(*at)?)?;
                let (whole, byte) = (self.in_register(value, scalar)?, self.byte_register());
                self.emit(ptx!("cvt.u8.u16"), &[byte.into(), whole.into()])?;
                byte.into()
            }
            RowOperand::Lanes(at) => {
                let arg = own.argument(*at)?;
                let (leaves, values) = (self.value_leaves(arg)?, self.value(arg)?);
                let mut list = Vec::with_capacity(leaves.len());
                for (value, leaf) in values.iter().zip(leaves.iter()) {
                    list.push(Operand::Register(self.in_register(*value, leaf.scalar)?));
                }
                Operand::Vector(self.builder.list(&list)).into()
            }
            RowOperand::Vector(parts) => {
                let list = self.row_list(own, parts)?;
                Operand::Vector(self.builder.list(&list)).into()
            }
            RowOperand::Bracket(parts) => match self.row_list(own, parts)?.as_slice() {
                [Operand::Symbol(symbol, _)] => Operand::Address(AddressBase::Symbol(*symbol), 0).into(),
                [Operand::Register(handle)] => Operand::Address(AddressBase::Register(*handle), 0).into(),
                list => Operand::Bracket(self.builder.list(list)).into(),
            },
            RowOperand::Address(at) => {
                let (value, scalar) = self.scalar(own.argument(*at)?)?;
                let (value, scalar) = match own.row.parameters.get(*at) {
                    Some(RowType::Ptr(space)) => self.address_in(value, scalar, *space)?,
                    _ => (value, scalar),
                };
                self.row_address(value, scalar)?.into()
            }
            RowOperand::Immediate { argument: at, .. } => match self.scalar(own.argument(*at)?)?.0 {
                Val::Bits(bits) => number(bits),
                Val::Register(..) | Val::Address { .. } => {
                    let message = format!("argument {at} of {} must be a constant", own.row.name);
                    return Err(RaiseError::new(INTRINSIC, message));
                }
            },
            RowOperand::Number(value) => number(*value),
            RowOperand::Special(register, component) => self.special(*register, *component)?,
            RowOperand::WarpSize => {
                let word = self.module.ir.strings.intern("WARP_SZ");
                Operand::Immediate(Immediate::S64(32, Literal::Text(word))).into()
            }
            RowOperand::Sink | RowOperand::Padding => Operand::Sink.into(),
            RowOperand::Unread(other) => self.row_operand(own, other)?,
        })
    }

    /// The parts of a list: arguments are in registers, and padding repeats what is before it.
    fn row_list(&mut self, own: &RowCall<'_>, parts: &[RowOperand]) -> Result<Vec<Operand>> {
        let mut list: Vec<Operand> = Vec::with_capacity(parts.len());
        for part in parts {
            let operand = match (part, list.last()) {
                (RowOperand::Argument(at), _) => {
                    let (value, scalar) = self.scalar(own.argument(*at)?)?;
                    let register = match scalar {
                        // As a value an address has its full width.
                        Scalar::Pointer { .. } => self.bits_of(value, scalar)?.0,
                        _ => self.in_register(value, scalar)?,
                    };
                    self.named_reference(register)
                }
                (RowOperand::Padding, Some(last)) => *last,
                (other, _) => super::append::operand(self.row_operand(own, other)?, false),
            };
            list.push(operand);
        }
        Ok(list)
    }

    /// An argument as a separate operand.
    fn row_argument(&mut self, own: &RowCall<'_>, at: usize) -> Result<Arg> {
        let arg = own.argument(at)?;
        if own.row.parameters.get(at) == Some(&RowType::Int(128)) {
            let (leaves, values) = (self.value_leaves(arg)?, self.value(arg)?);
            return Ok(self.asm_input(&leaves, &values, Class::B128)?.into());
        }
        let (value, scalar) = self.scalar(arg)?;
        if let Scalar::Pointer { .. } = scalar {
            return Ok(self.bits_of(value, scalar)?.0.into());
        }
        Ok(match self.arg(value, scalar)? {
            Arg::Operand(Operand::Register(register)) => self.named_reference(register).into(),
            other => other,
        })
    }

    /// A register for each result of a row.
    fn result_registers(&mut self, id: InstId, row: &Row) -> Result<Vec<RegId>> {
        if let [RowType::Bytes(_) | RowType::Int(128)] = row.results.as_slice() {
            let class = if row.results == [RowType::Int(128)] { Class::B128 } else { Class::B32 };
            return Ok(vec![self.register(class)]);
        }
        let leaves = self.leaves(self.type_of(id))?;
        Ok(leaves.iter().map(|leaf| self.register_for(leaf.scalar)).collect())
    }

    fn byte_register(&mut self) -> RegId {
        self.builder.new_register(&mut self.module.ir.strings, ScalarType::B8)
    }

    /// The row's mnemonic, with 32-bit addresses if those of the module are. `contract` on an operation whose rounding can be omitted means
    /// that it was (docs/mapping.md).
    fn row_mnemonic(&self, row: &Row, call: &Call) -> Mnemonic {
        let (opcode, rounding) = (row.mnemonic.opcode(), row.mnemonic.get(Field::Rnd));
        let omits = call.fast.contract
            && rounding == Some(Mod::Rn)
            && matches!(opcode, Opcode::Add | Opcode::Sub | Opcode::Mul);
        let of_address = matches!(opcode, Opcode::Mapa | Opcode::Getctarank);
        let other = match () {
            () if of_address && self.module.view.addresses() == Addresses::Bits32 => {
                row.mnemonic.with(Field::Type, Some(Mod::U32))
            }
            () if omits => row.mnemonic.with(Field::Rnd, None),
            () => None,
        };
        other.unwrap_or(row.mnemonic)
    }

    /// An address in the space that a row requires.
    fn address_in(&mut self, value: Val, scalar: Scalar, space: u32) -> Result<(Val, Scalar)> {
        match scalar {
            Scalar::Pointer { space: own, .. } if own != space => {
                let wanted = Scalar::Pointer {
                    space,
                    bits: self.module.view.addresses().bits(),
                    class: self.pointer_class(space),
                };
                Ok((self.cast_address(value, scalar, wanted)?, wanted))
            }
            _ => Ok((value, scalar)),
        }
    }

    /// An address in the space of its own type, which is in the mnemonic.
    fn row_address(&mut self, value: Val, scalar: Scalar) -> Result<Operand> {
        let Scalar::Pointer { space, .. } = scalar else {
            return Err(RaiseError::new(INTRINSIC, "an address that is not a pointer"));
        };
        match value {
            Val::Address { space: held, .. } if held != space => {
                let register = self.in_register(value, scalar)?;
                Ok(Operand::Address(AddressBase::Register(register), 0))
            }
            other => Ok(self.address_operand(other, scalar)?.0),
        }
    }

    /// A special register that the target has.
    pub(super) fn special(&mut self, register: SpecialReg, component: Option<Component>) -> Result<Arg> {
        self.module.target.need(register.since(), &|| register.to_string())?;
        Ok(Operand::Special(register, component).into())
    }
}

/// The rows of the same intrinsic on generic addresses, for one that is overloaded in an address space that its instruction does
/// not name: such an address becomes generic first (manual 5.1.7).
fn generic_rows(name: &str) -> impl Iterator<Item = &'static Row> {
    let base = name.rsplit_once(".p").filter(|(_, space)| space.parse::<u32>().is_ok());
    let rows = base.map(|(base, _)| intrinsics::by_name(&format!("{base}.p0")).collect::<Vec<_>>());
    rows.into_iter().flatten()
}
