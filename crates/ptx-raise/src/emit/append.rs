//! Emitting instructions, and getting leaves into registers.

use ptx_ir::{AddressBase, Guard, Immediate, Literal, Operand, RegId, Stmt, Symbol};
use ptx_isa::{Mnemonic, OperandKind, ScalarType, choose_row, ptx};
use ptx_llvm_core::address_space;
use smallvec::SmallVec;

use super::access::in_space;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Scalar, space_class};
use crate::value::{Base, Val, mask, sign_extend};

/// More operands than this are rare.
const USUAL_OPERANDS: usize = 6;

/// The operands of one instruction.
type Operands = SmallVec<[Operand; USUAL_OPERANDS]>;

/// How many instructions of PTX one of LLVM's may become.
const MOST_OF_ONE: usize = 1 << 18;

/// How many a module may have.
const MOST_OF_ALL: usize = 1 << 24;

/// Constants up to this, added to the address of a variable, leave it in its window.
const MOST_OFFSET: i64 = 1 << 31;

/// An operand of an instruction to emit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    /// As it is.
    Operand(Operand),
    /// An integer of that many bits; the mnemonic's last type decides how it prints.
    Bits(u64, u32),
    /// A second result, after a bar.
    Second(RegId),
}

impl From<RegId> for Arg {
    fn from(register: RegId) -> Self {
        Arg::Operand(Operand::Register(register))
    }
}

impl From<Operand> for Arg {
    fn from(operand: Operand) -> Self {
        Arg::Operand(operand)
    }
}

/// A small unsigned number, such as a shift amount.
pub(crate) const fn number(value: u64) -> Arg {
    Arg::Bits(value, 64)
}

/// The `mov` of a class.
pub(crate) const fn mov(class: Class) -> Mnemonic {
    match class {
        Class::Pred => ptx!("mov.pred"),
        Class::B16 => ptx!("mov.b16"),
        Class::B32 => ptx!("mov.b32"),
        Class::B64 => ptx!("mov.b64"),
        Class::F32 => ptx!("mov.f32"),
        Class::F64 => ptx!("mov.f64"),
        Class::B128 => ptx!("mov.b128"),
    }
}

impl Emitter<'_, '_, '_> {
    /// A fresh register; one of bits where the result that is computed is read as bits too.
    pub(crate) fn register(&mut self, class: Class) -> RegId {
        let class = match class {
            Class::F32 if self.as_bits => Class::B32,
            Class::F64 if self.as_bits => Class::B64,
            class => class,
        };
        self.builder.new_register(&mut self.module.ir.strings, class.register_type())
    }

    /// A fresh register for a scalar.
    pub(crate) fn register_for(&mut self, scalar: Scalar) -> RegId {
        self.register(scalar.class())
    }

    /// Appends an instruction.
    pub(crate) fn emit(&mut self, mnemonic: Mnemonic, args: &[Arg]) -> Result<()> {
        self.emit_guarded(None, mnemonic, args)
    }

    /// Appends an instruction whose first operand is a new register of the class, and returns that register.
    pub(crate) fn emit_new(&mut self, class: Class, mnemonic: Mnemonic, args: &[Arg]) -> Result<RegId> {
        let register = self.register(class);
        let mut all: SmallVec<[Arg; USUAL_OPERANDS]> = SmallVec::with_capacity(args.len() + 1);
        all.push(Arg::from(register));
        all.extend_from_slice(args);
        self.emit(mnemonic, &all)?;
        Ok(register)
    }

    /// Appends an instruction whose first operand is a new register of the type that it writes, and returns that register.
    pub(crate) fn compute(&mut self, mnemonic: Mnemonic, args: &[Arg]) -> Result<RegId> {
        let ty = mnemonic.operand_type(0).ok_or_else(|| {
            RaiseError::new(INSTRUCTION, format!("the PTX instruction {mnemonic} has no result of a type"))
        })?;
        self.emit_new(Class::of_type(ty), mnemonic, args)
    }

    /// The result of an instruction whose operands have one type.
    pub(super) fn apply(&mut self, mnemonic: Mnemonic, values: &[Val], scalar: Scalar) -> Result<Val> {
        let args: SmallVec<[Arg; USUAL_OPERANDS]> =
            values.iter().map(|value| self.arg(*value, scalar)).collect::<Result<_>>()?;
        self.compute(mnemonic, &args).map(Val::reg)
    }

    /// The union of the bits of two registers of a width; the second one where there is no first.
    pub(crate) fn union(&mut self, first: Option<RegId>, second: RegId, width: u32) -> Result<RegId> {
        match first {
            Some(first) => self.compute(ptx!("or.b32").with_bits(width)?, &[first.into(), second.into()]),
            None => Ok(second),
        }
    }

    /// A register of `width` bits shifted by a constant; itself for zero.
    pub(super) fn shifted_by(
        &mut self,
        shift: Mnemonic,
        register: RegId,
        by: u32,
        width: u32,
    ) -> Result<RegId> {
        match by {
            0 => Ok(register),
            _ => self.compute(shift.with_bits(width)?, &[register.into(), number(u64::from(by))]),
        }
    }

    /// The halves of a register, the low one first (`mov`, manual 9.7.9.4).
    pub(crate) fn halves_of(&mut self, whole: RegId, half: Class) -> Result<[RegId; 2]> {
        let halves = [self.register(half), self.register(half)];
        let list = self.registers_operand(&halves);
        self.emit(ptx!("mov.b32").with_bits(2 * half.bits())?, &[list.into(), whole.into()])?;
        Ok(halves)
    }

    /// A register of two halves, the low one first.
    pub(crate) fn join_halves(&mut self, halves: [RegId; 2], half: Class) -> Result<RegId> {
        let list = self.registers_operand(&halves);
        self.compute(ptx!("mov.b32").with_bits(2 * half.bits())?, &[list.into()])
    }

    /// Appends an instruction under a guard, as the row that the parser would match its operands with: optional operands may be omitted.
    pub(crate) fn emit_guarded(&mut self, guard: Option<Guard>, asked: Mnemonic, args: &[Arg]) -> Result<()> {
        self.stay_within_limits()?;
        let rows = self.module.mnemonics.rows(asked);
        let mut written: SmallVec<[(Operand, bool); USUAL_OPERANDS]> = SmallVec::with_capacity(args.len());
        for arg in args {
            match operand(*arg, rows.signed) {
                Operand::Omitted => {}
                given => written.push((given, matches!(arg, Arg::Second(_)))),
            }
        }
        let body = self.builder.body();
        let chosen = choose_row(&rows.candidates, &written, |one| one.1, |one| body.shape(one.0));
        let row = chosen.and_then(|(at, found)| Some((rows.candidates.get(at)?, rows.since.get(at)?, found)));
        let Some((candidate, since, placement)) = row else {
            let count = args.len();
            let message = format!("no form of the PTX instruction {asked} accepts these {count} operands");
            return Err(RaiseError::new(INSTRUCTION, message));
        };
        let mnemonic = candidate.mnemonic;
        let placed = placement.spread(mnemonic.form().operands.len(), written.iter().map(|one| one.0));
        let mut operands: Operands = placed.map(|one| one.unwrap_or(Operand::Omitted)).collect();
        self.place_constants(&mnemonic, &mut operands)?;
        self.module.target.need(*since, &|| mnemonic.to_string())?;
        self.builder.push_inst(guard, mnemonic, &operands);
        Ok(())
    }

    /// Rejects functions that get too long, before they use up all memory: products of very wide integers grow quadratically with their
    /// width.
    fn stay_within_limits(&mut self) -> Result<()> {
        let own = self.builder.body().statements.len().saturating_sub(self.inst_start);
        if own >= MOST_OF_ONE {
            let message = format!("one instruction becomes more than {MOST_OF_ONE} of PTX");
            return Err(RaiseError::new(INSTRUCTION, message).with_help("compute with narrower integers"));
        }
        if self.module.emitted >= MOST_OF_ALL {
            let message = format!("the module becomes more than {MOST_OF_ALL} instructions of PTX");
            return Err(RaiseError::new(INSTRUCTION, message).with_help("divide the module"));
        }
        self.module.emitted += 1;
        Ok(())
    }

    /// Moves constants to registers if the row accepts only registers.
    fn place_constants(&mut self, mnemonic: &Mnemonic, operands: &mut [Operand]) -> Result<()> {
        for (at, (place, operand)) in mnemonic.form().operands.iter().zip(operands).enumerate() {
            let (OperandKind::Register(_) | OperandKind::Untyped(_), Operand::Immediate(value)) =
                (place.kind, *operand)
            else {
                continue;
            };
            let class = match mnemonic.operand_type(at).map(ScalarType::bits) {
                Some(16) => Class::B16,
                Some(32) => Class::B32,
                Some(64) => Class::B64,
                _ => continue,
            };
            let register = self.register(class);
            self.emit(mov(class), &[register.into(), Operand::Immediate(value).into()])?;
            *operand = Operand::Register(register);
        }
        Ok(())
    }

    /// Appends a statement.
    pub(crate) fn push(&mut self, statement: Stmt) {
        self.builder.push(statement);
    }

    /// Copies a register or a constant into a register.
    pub(crate) fn copy_to(&mut self, register: RegId, value: Val, scalar: Scalar) -> Result<()> {
        let class = scalar.class();
        let arg = match value {
            Val::Bits(bits) if class == Class::Pred => {
                Arg::Bits(if bits & 1 == 1 { u64::MAX } else { 0 }, 64)
            }
            Val::Bits(bits) if matches!(class, Class::B16 | Class::B32 | Class::B64) => {
                Arg::Bits(bits, class.bits())
            }
            other => self.arg(other, scalar)?,
        };
        let arg = match (class, arg) {
            // PTX writes a true predicate as -1.
            (Class::Pred, Arg::Bits(bits, _)) => {
                Arg::Operand(Operand::Immediate(Immediate::integer(bits as i64)))
            }
            (_, other) => other,
        };
        self.emit(mov(class), &[register.into(), arg])
    }

    /// A leaf in a register of its class.
    pub(crate) fn in_register(&mut self, value: Val, scalar: Scalar) -> Result<RegId> {
        match value {
            Val::Register(register, _) => Ok(register),
            Val::Bits(bits) => {
                let register = self.register_for(scalar);
                self.copy_to(register, value, scalar)?;
                if scalar.class() == Class::B64 {
                    self.registers.constants.insert(register, bits);
                }
                Ok(register)
            }
            Val::Address { .. } => self.address_value(value, scalar),
        }
    }

    /// Leaves of one type in registers of its class.
    pub(super) fn in_registers(&mut self, values: &[Val], scalar: Scalar) -> Result<Vec<RegId>> {
        values.iter().map(|value| self.in_register(*value, scalar)).collect()
    }

    /// A leaf as an operand: constants stay constants if instructions accept them.
    pub(crate) fn arg(&mut self, value: Val, scalar: Scalar) -> Result<Arg> {
        let Val::Bits(bits) = value else { return self.in_register(value, scalar).map(Arg::from) };
        Ok(match scalar {
            Scalar::Float => Operand::Immediate(Immediate::F32(bits as u32, Literal::Plain)).into(),
            Scalar::Double => Operand::Immediate(Immediate::F64(bits, Literal::Plain)).into(),
            Scalar::Int(2..) | Scalar::Pointer { .. } => Arg::Bits(bits, scalar.class().bits()),
            Scalar::Int(_) | Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair => {
                self.in_register(value, scalar)?.into()
            }
        })
    }

    /// The bits of a generic address or of one in `scalar`'s space, in a register.
    fn address_value(&mut self, value: Val, scalar: Scalar) -> Result<RegId> {
        let Val::Address { base, offset, space: held } = value else {
            return Err(RaiseError::new(INSTRUCTION, "an address was expected"));
        };
        let Scalar::Pointer { space, .. } = scalar else {
            return Err(RaiseError::new(INSTRUCTION, "an address where a number is needed"));
        };
        // `cvta.shared` reads 32 bits of an address, more than an offset that leads out of the variable may leave.
        let is_narrow =
            held != space && matches!(held, address_space::SHARED | address_space::SHARED_CLUSTER);
        if is_narrow && matches!(base, Base::Symbol(_)) && !(0..=MOST_OFFSET).contains(&offset) {
            let own = self.plain_address(base, 0, held)?;
            let converted = self.convert_address(own, held, space)?;
            return self.plain_address(Base::Register(converted), offset, space);
        }
        let own = self.plain_address(base, offset, held)?;
        self.convert_address(own, held, space)
    }

    /// An address in a register, in the space it counts in.
    pub(crate) fn plain_address(&mut self, base: Base, offset: i64, space: u32) -> Result<RegId> {
        let class = self.pointer_class(space);
        match base {
            Base::Register(register) if offset == 0 => Ok(register),
            Base::Register(register) => {
                let add = if class == Class::B32 { ptx!("add.s32") } else { ptx!("add.s64") };
                self.compute(add, &[register.into(), Arg::Bits(offset as u64, class.bits())])
            }
            Base::Symbol(symbol @ Symbol::Variable(variable))
                if offset == 0
                    && !matches!(self.module.ir.variable(variable).ty, ptx_ir::VarType::Scalar(_)) =>
            {
                self.handle(symbol)
            }
            // ptxas does not support offsets from the address of a function. In the spaces whose addresses have 32 bits it adds modulo
            // 2^32, LLVM modulo 2^64.
            Base::Symbol(symbol)
                if matches!(symbol, Symbol::Function(_)) && offset != 0
                    || class == Class::B64
                        && !matches!(space, address_space::GENERIC | address_space::GLOBAL)
                        && !(0..=i64::from(i32::MAX)).contains(&offset) =>
            {
                let base = self.emit_new(class, mov(class), &[Operand::Symbol(symbol, 0).into()])?;
                self.plain_address(Base::Register(base), offset, space)
            }
            Base::Symbol(symbol) => {
                self.emit_new(class, mov(class), &[Operand::Symbol(symbol, offset).into()])
            }
        }
    }

    /// Converts an address from one space to another.
    pub(crate) fn convert_address(&mut self, register: RegId, from: u32, to: u32) -> Result<RegId> {
        if from == to {
            return Ok(register);
        }
        let generic = address_space::GENERIC;
        if to == generic {
            let wide = self.widen_address(register, from)?;
            let class = self.pointer_class(generic);
            let convert = in_space(ptx!("cvta.global.u32").with_bits(class.bits())?, from)?;
            return self.compute(convert, &[wide.into()]);
        }
        if from == generic {
            let class = self.pointer_class(generic);
            let convert = in_space(ptx!("cvta.to.global.u32").with_bits(class.bits())?, to)?;
            let converted = self.compute(convert, &[register.into()])?;
            return if self.pointer_class(to) == Class::B32 && class == Class::B64 {
                self.compute(ptx!("cvt.u32.u64"), &[converted.into()])
            } else {
                Ok(converted)
            };
        }
        if matches!((from, to), (address_space::SHARED, address_space::SHARED_CLUSTER)) {
            // The window of the block itself has the same addresses in the cluster's window.
            return self.widen_address(register, from);
        }
        let middle = self.convert_address(register, from, generic)?;
        self.convert_address(middle, generic, to)
    }

    fn widen_address(&mut self, register: RegId, space: u32) -> Result<RegId> {
        match (self.pointer_class(space), self.pointer_class(address_space::GENERIC)) {
            (Class::B32, Class::B64) => self.compute(ptx!("cvt.u64.u32"), &[register.into()]),
            _ => Ok(register),
        }
    }

    /// The class of addresses of a space, by the data layout.
    pub(crate) fn pointer_class(&self, space: u32) -> Class {
        space_class(self.module.view, self.module.leaves.shared(), space)
    }

    /// An address operand `[..]`, with the space it counts in.
    pub(crate) fn address_operand(&mut self, value: Val, scalar: Scalar) -> Result<(Operand, u32)> {
        let Scalar::Pointer { space, .. } = scalar else {
            return Err(RaiseError::new(INSTRUCTION, "an access through something that is not a pointer"));
        };
        match value {
            Val::Register(register, _) => Ok((Operand::Address(AddressBase::Register(register), 0), space)),
            // Only `.local` has constant addresses; ptxas refuses them elsewhere.
            Val::Bits(bits) if space == address_space::LOCAL && i32::try_from(bits).is_ok() => {
                Ok((Operand::Address(AddressBase::Absolute, bits as i64), space))
            }
            Val::Bits(_) => {
                let register = self.in_register(value, scalar)?;
                Ok((Operand::Address(AddressBase::Register(register), 0), space))
            }
            Val::Address { base, offset, space } => {
                let base = match base {
                    // Code is read through its generic address.
                    Base::Symbol(symbol @ Symbol::Function(_)) => {
                        AddressBase::Register(self.plain_address(Base::Symbol(symbol), 0, space)?)
                    }
                    Base::Symbol(symbol) => AddressBase::Symbol(symbol),
                    Base::Register(register) => AddressBase::Register(register),
                };
                if i32::try_from(offset).is_ok() {
                    return Ok((Operand::Address(base, offset), space));
                }
                let Val::Address { base, .. } = value else {
                    return Err(RaiseError::new(INSTRUCTION, "an address"));
                };
                let register = self.plain_address(base, offset, space)?;
                Ok((Operand::Address(AddressBase::Register(register), 0), space))
            }
        }
    }
}

/// How an operand prints under a mnemonic whose last type is signed or not.
pub(super) fn operand(arg: Arg, signed: bool) -> Operand {
    match arg {
        Arg::Operand(operand) => operand,
        Arg::Second(register) => Operand::Register(register),
        Arg::Bits(bits, width) if signed => Operand::Immediate(Immediate::integer(sign_extend(bits, width))),
        Arg::Bits(bits, width) => {
            let bits = bits & mask(width);
            Operand::Immediate(match i64::try_from(bits) {
                Ok(value) => Immediate::integer(value),
                Err(_) => Immediate::U64(bits, Literal::Plain),
            })
        }
    }
}
