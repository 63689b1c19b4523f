//! Intrinsics that the table pairs with one instruction.

use ptx_ir::{AddressBase, Immediate, Literal, Operand, RegId};
use ptx_isa::{Component, Field, Mnemonic, Mod, Opcode, ScalarType, SpecialReg, ptx};
use ptx_llvm::Addresses;
use ptx_llvm::intrinsics::{self, IntrinsicMapping as Row, Operand as RowOperand, Type as RowType};
use ptx_llvm::view::{Call, InstId};

use super::append::Arg;
use super::state::Emitter;
use crate::error::{INTRINSIC, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::Val;

impl Emitter<'_, '_, '_> {
    /// A call of an intrinsic.
    pub(super) fn intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Raised<()> {
        if self.generic_intrinsic(id, call, name)?
            || self.handle_intrinsic(id, call, name)?
            || self.nvvm_intrinsic(id, call, name)?
        {
            return Ok(());
        }
        let mut known = false;
        for row in intrinsics::by_name(name).chain(generic_rows(name)) {
            known = true;
            if self.row_applies(row, call)? {
                return self.row_intrinsic(id, call, row);
            }
        }
        if known {
            let message = format!("PTX has no instruction for {name} with these constants");
            return Err(Refusal::new(INTRINSIC, message));
        }
        Err(Refusal::new(INTRINSIC, format!("the intrinsic {name} is not supported")))
    }

    /// Whether the arguments that choose among rows have the row's values.
    fn row_applies(&mut self, row: &Row, call: &Call) -> Raised<bool> {
        for operand in &row.operands {
            if let RowOperand::Fixed(at, wanted) = operand
                && let Some(&arg) = call.args.get(*at)
                && self.scalar(arg)?.0 != Val::Bits(*wanted)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn row_intrinsic(&mut self, id: InstId, call: &Call, row: &Row) -> Raised<()> {
        let results = self.result_registers(id, row)?;
        let missing =
            || Refusal::new(INTRINSIC, format!("the intrinsic {} has another type than its row", row.name));
        let mut args: Vec<Arg> = Vec::with_capacity(row.operands.len());
        for operand in &row.operands {
            match operand {
                RowOperand::Result => args.push(results.first().copied().ok_or_else(missing)?.into()),
                RowOperand::ByteResult => args.push(self.byte_register().into()),
                RowOperand::Byte(at) => {
                    let (value, scalar) = self.scalar(*call.args.get(*at).ok_or_else(missing)?)?;
                    let (whole, byte) = (self.in_register(value, scalar)?, self.byte_register());
                    self.emit(ptx!("cvt.u8.u16"), &[byte.into(), whole.into()])?;
                    args.push(byte.into());
                }
                RowOperand::ResultPair => {
                    args.push(results.first().copied().ok_or_else(missing)?.into());
                    args.push(results.get(1).copied().ok_or_else(missing)?.into());
                }
                RowOperand::ResultVector(fields) => {
                    let mut list = Vec::with_capacity(fields.len());
                    for field in fields {
                        list.push(match field {
                            Some(at) => Operand::Register(results.get(*at).copied().ok_or_else(missing)?),
                            None => Operand::Sink,
                        });
                    }
                    args.push(Operand::Vector(self.builder.list(&list)).into());
                }
                RowOperand::Argument(at) if row.parameters.get(*at) == Some(&RowType::Int(128)) => {
                    let arg = *call.args.get(*at).ok_or_else(missing)?;
                    let (leaves, values) = (self.value_leaves(arg)?, self.value(arg)?);
                    args.push(self.asm_input(&leaves, &values, Class::B128)?.into());
                }
                RowOperand::Argument(at) => {
                    let (value, scalar) = self.scalar(*call.args.get(*at).ok_or_else(missing)?)?;
                    args.push(match scalar {
                        // As a value an address has its full width.
                        Scalar::Pointer { .. } => self.bits_of(value, scalar)?.0.into(),
                        _ => match self.arg(value, scalar)? {
                            Arg::Operand(Operand::Register(register)) => {
                                self.named_reference(register).into()
                            }
                            other => other,
                        },
                    });
                }
                RowOperand::ArgumentVector(first, count) => {
                    let mut list = Vec::with_capacity(*count);
                    for &arg in call.args.iter().skip(*first).take(*count) {
                        let (value, scalar) = self.scalar(arg)?;
                        list.push(Operand::Register(self.in_register(value, scalar)?));
                    }
                    args.push(Operand::Vector(self.builder.list(&list)).into());
                }
                RowOperand::ArgumentLanes(at) => {
                    let arg = *call.args.get(*at).ok_or_else(missing)?;
                    let (leaves, values) = (self.value_leaves(arg)?, self.value(arg)?);
                    let mut list = Vec::with_capacity(leaves.len());
                    for (value, leaf) in values.iter().zip(leaves.iter()) {
                        list.push(Operand::Register(self.in_register(*value, leaf.scalar)?));
                    }
                    args.push(Operand::Vector(self.builder.list(&list)).into());
                }
                RowOperand::Coordinates(pointer, first, count) => {
                    let (value, scalar) = self.scalar(*call.args.get(*pointer).ok_or_else(missing)?)?;
                    let map = Operand::Register(self.bits_of(value, scalar)?.0);
                    let mut list = Vec::with_capacity(*count);
                    for &arg in call.args.iter().skip(*first).take(*count) {
                        let (value, scalar) = self.scalar(arg)?;
                        list.push(Operand::Register(self.in_register(value, scalar)?));
                    }
                    let coordinates = Operand::Vector(self.builder.list(&list));
                    args.push(Operand::Bracket(self.builder.list(&[map, coordinates])).into());
                }
                RowOperand::PaddedVector(first) => {
                    let list = self.registers_of(call, *first, 3)?;
                    args.push(Operand::Vector(self.builder.list(&padded(list))).into());
                }
                RowOperand::Texel { texture, sampler, first, count } => {
                    let handle = |this: &mut Self, at: usize| -> Raised<Operand> {
                        let (value, scalar) = this.scalar(*call.args.get(at).ok_or_else(missing)?)?;
                        let register = this.in_register(value, scalar)?;
                        Ok(this.named_reference(register))
                    };
                    let mut parts = vec![handle(self, *texture)?];
                    if let Some(sampler) = sampler {
                        parts.push(handle(self, *sampler)?);
                    }
                    if *count == 0 {
                        let base = match parts.first() {
                            Some(Operand::Symbol(symbol, _)) => AddressBase::Symbol(*symbol),
                            Some(Operand::Register(register)) => AddressBase::Register(*register),
                            _ => return Err(missing()),
                        };
                        args.push(Operand::Address(base, 0).into());
                        continue;
                    }
                    let list = self.registers_of(call, *first, *count)?;
                    parts.push(Operand::Vector(self.builder.list(&padded(list))));
                    args.push(Operand::Bracket(self.builder.list(&parts)).into());
                }
                RowOperand::Address(at) => {
                    let (value, scalar) = self.scalar(*call.args.get(*at).ok_or_else(missing)?)?;
                    let (value, scalar) = match row.parameters.get(*at) {
                        Some(RowType::Ptr(space)) => self.address_in(value, scalar, *space)?,
                        _ => (value, scalar),
                    };
                    args.push(self.row_address(value, scalar)?.into());
                }
                RowOperand::Immediate { argument: at, .. } => {
                    match self.scalar(*call.args.get(*at).ok_or_else(missing)?)?.0 {
                        Val::Bits(bits) => args.push(Arg::Bits(bits, 64)),
                        Val::Register(..) | Val::Address { .. } => {
                            let message = format!("argument {at} of {} must be a constant", row.name);
                            return Err(Refusal::new(INTRINSIC, message));
                        }
                    }
                }
                RowOperand::Fixed(..) | RowOperand::Ignored(_) | RowOperand::Alignment(_) => {}
                RowOperand::Literal(text) | RowOperand::Unread(text) => args.push(self.literal(text)?),
            }
        }
        self.emit(self.row_mnemonic(row, call), &args)?;
        if let (Some(RowOperand::ByteResult), Some(&Arg::Operand(byte)), Some(&whole)) =
            (row.operands.first(), args.first(), results.first())
        {
            self.emit(ptx!("cvt.u16.u8"), &[whole.into(), byte.into()])?;
        }
        // Values of several leaves that share a register, or of one leaf in a register each.
        self.take_outputs(id, &results)
    }

    /// A register for each result of a row.
    fn result_registers(&mut self, id: InstId, row: &Row) -> Raised<Vec<RegId>> {
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

    /// Consecutive arguments in registers.
    fn registers_of(&mut self, call: &Call, first: usize, count: usize) -> Raised<Vec<Operand>> {
        let mut list = Vec::with_capacity(count);
        for &arg in call.args.iter().skip(first).take(count) {
            let (value, scalar) = self.scalar(arg)?;
            list.push(Operand::Register(self.in_register(value, scalar)?));
        }
        Ok(list)
    }

    /// The row's mnemonic, where addresses have 32 bits with that width. `contract` on an operation whose rounding can be omitted says that it was (docs/mapping.md).
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

    /// An address in the space that a row wants.
    fn address_in(&mut self, value: Val, scalar: Scalar, space: u32) -> Raised<(Val, Scalar)> {
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

    /// An address in the space of its own type: the mnemonic names that space.
    fn row_address(&mut self, value: Val, scalar: Scalar) -> Raised<Operand> {
        let Scalar::Pointer { space, .. } = scalar else {
            return Err(Refusal::new(INTRINSIC, "an address that is not a pointer"));
        };
        match value {
            Val::Address { space: held, .. } if held != space => {
                let register = self.in_register(value, scalar)?;
                Ok(Operand::Address(AddressBase::Register(register), 0))
            }
            other => Ok(self.address_operand(other, scalar)?.0),
        }
    }

    /// An operand that is always the same.
    pub(super) fn literal(&mut self, text: &str) -> Raised<Arg> {
        let unknown = || Refusal::new(INTRINSIC, format!("the operand {text} of an intrinsic's row"));
        if let Some(name) = text.strip_prefix('%') {
            let (name, component) = match name.rsplit_once('.') {
                Some((name, component)) => (name, Some(Component::from_ptx(component).ok_or_else(unknown)?)),
                None => (name, None),
            };
            let register = SpecialReg::from_ptx(name).ok_or_else(unknown)?;
            self.module.target.need(register.since(), &|| register.to_string())?;
            return Ok(Operand::Special(register, component).into());
        }
        if text == "_" {
            return Ok(Operand::Sink.into());
        }
        if text == "WARP_SZ" {
            let word = self.module.ir.strings.intern(text);
            return Ok(Operand::Immediate(Immediate::S64(32, Literal::Text(word))).into());
        }
        text.parse().map(|number| Arg::Bits(number, 64)).map_err(|_| unknown())
    }
}

/// The rows of the same intrinsic on generic addresses, for one that is overloaded in an address space that its instruction does
/// not name: such an address becomes generic first (manual 5.1.7).
fn generic_rows(name: &str) -> impl Iterator<Item = &'static Row> {
    let base = name.rsplit_once(".p").filter(|(_, space)| space.parse::<u32>().is_ok());
    let generic = base.map(|(base, _)| format!("{base}.p0")).unwrap_or_default();
    intrinsics::by_name(&generic).collect::<Vec<_>>().into_iter()
}

/// A list as PTX writes it: three elements are padded to four (manual 9.7.10.3).
fn padded(mut list: Vec<Operand>) -> Vec<Operand> {
    if let (3, Some(&last)) = (list.len(), list.last()) {
        list.push(last);
    }
    list
}
