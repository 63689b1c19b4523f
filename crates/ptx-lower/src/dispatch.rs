//! Lowering by meaning: which function lowers an instruction.
//!
//! The table decides in which way an instruction is lowered ([`ptx_isa::Lowering`]); only conditions about operands are decided by the
//! functions themselves. Instructions that end a node are lowered with it (`control.rs`).

use ptx_isa::{
    ArithSem, BitsSem, BlockSem, CompareSem, ControlSem, Field, Lowering, MemorySem, Mnemonic, Mod, MoveSem,
    Sem,
};
use ptx_llvm_core::build::BinaryOp;

use crate::emit::{Emitter, Site};
use crate::errors::{Result, unsupported};
use crate::types::is_floating;

/// The operation of an instruction whose meaning has plain IR, as far as the meaning determines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plain {
    Sum(Sum),
    Product(Product),
    FusedProduct,
    Division(Division),
    Sign(Sign),
    Extreme(Extreme),
    Mad24,
    CarrySum(Sum),
    CarryProduct,
    Property,
    Logic(Logic),
    Lop3,
    Shift(Shift),
    Count(Count),
    ExtractField,
    InsertField,
    SetPredicate,
    SetValue,
    SelectByPredicate,
    SelectBySign,
    Copy,
    CopyVector,
    Convert,
    ConvertAddress,
    Load,
    Store,
    Atomic(Atomic),
    Fence,
    Call,
    /// A branch or an exit: lowered with the node that it ends.
    End,
}

/// `add` or `sub`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sum {
    Add,
    Sub,
}

/// `mul` or `mad`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Product {
    Mul,
    Mad,
}

/// `div` or `rem`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Division {
    Div,
    Rem,
}

/// `abs` or `neg`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    Abs,
    Neg,
}

/// `min` or `max`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extreme {
    Min,
    Max,
}

/// An operation on each bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
    Not,
    Cnot,
}

/// `shl` or `shr`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shift {
    Left,
    Right,
}

/// `popc` or `clz`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Count {
    Ones,
    LeadingZeros,
}

/// `atom` or `red`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Atom,
    Red,
}

/// The operation of a meaning; `None` for those that the table does not lower to plain IR.
const fn plain(sem: Sem) -> Option<Plain> {
    Some(match sem {
        Sem::Arith(sem) => match sem {
            ArithSem::Add => Plain::Sum(Sum::Add),
            ArithSem::Sub => Plain::Sum(Sum::Sub),
            ArithSem::Mul => Plain::Product(Product::Mul),
            ArithSem::Mad => Plain::Product(Product::Mad),
            ArithSem::Fma => Plain::FusedProduct,
            ArithSem::Div => Plain::Division(Division::Div),
            ArithSem::Rem => Plain::Division(Division::Rem),
            ArithSem::Abs => Plain::Sign(Sign::Abs),
            ArithSem::Neg => Plain::Sign(Sign::Neg),
            ArithSem::Min => Plain::Extreme(Extreme::Min),
            ArithSem::Max => Plain::Extreme(Extreme::Max),
            ArithSem::Mad24 => Plain::Mad24,
            ArithSem::AddCarry => Plain::CarrySum(Sum::Add),
            ArithSem::SubCarry => Plain::CarrySum(Sum::Sub),
            ArithSem::MadCarry => Plain::CarryProduct,
            ArithSem::Testp => Plain::Property,
            _ => return None,
        },
        Sem::Bits(sem) => match sem {
            BitsSem::And => Plain::Logic(Logic::And),
            BitsSem::Or => Plain::Logic(Logic::Or),
            BitsSem::Xor => Plain::Logic(Logic::Xor),
            BitsSem::Not => Plain::Logic(Logic::Not),
            BitsSem::Cnot => Plain::Logic(Logic::Cnot),
            BitsSem::Lop3 => Plain::Lop3,
            BitsSem::Shl => Plain::Shift(Shift::Left),
            BitsSem::Shr => Plain::Shift(Shift::Right),
            BitsSem::Popc => Plain::Count(Count::Ones),
            BitsSem::Clz => Plain::Count(Count::LeadingZeros),
            BitsSem::Bfe => Plain::ExtractField,
            BitsSem::Bfi => Plain::InsertField,
            _ => return None,
        },
        Sem::Compare(sem) => match sem {
            CompareSem::Setp => Plain::SetPredicate,
            CompareSem::Set => Plain::SetValue,
            CompareSem::Selp => Plain::SelectByPredicate,
            CompareSem::Slct => Plain::SelectBySign,
        },
        Sem::Move(sem) => match sem {
            MoveSem::Mov => Plain::Copy,
            MoveSem::MovVector => Plain::CopyVector,
            MoveSem::Cvt => Plain::Convert,
            MoveSem::Cvta => Plain::ConvertAddress,
            _ => return None,
        },
        Sem::Memory(sem) => match sem {
            MemorySem::Load => Plain::Load,
            MemorySem::Store => Plain::Store,
            MemorySem::Atom => Plain::Atomic(Atomic::Atom),
            MemorySem::Red => Plain::Atomic(Atomic::Red),
            _ => return None,
        },
        Sem::Block(BlockSem::Fence) => Plain::Fence,
        Sem::Control(sem) => match sem {
            ControlSem::Call => Plain::Call,
            ControlSem::Bra | ControlSem::BrxIdx | ControlSem::Ret | ControlSem::Exit | ControlSem::Trap => {
                Plain::End
            }
            _ => return None,
        },
        Sem::Video(_) | Sem::Async(_) | Sem::Texture(_) | Sem::Warp(_) | Sem::Block(_) | Sem::Matrix(_) => {
            return None;
        }
    })
}

// A meaning that the table lowers to plain IR does not compile without an operation above; all others need nothing here.
const _: () = {
    let mut rest = Sem::ALL;
    while let [sem, others @ ..] = rest {
        let is_plain = matches!(sem.lowering(), Lowering::Plain);
        assert!(
            plain(*sem).is_some() == is_plain,
            "a meaning with plain IR has no operation, or another one has"
        );
        rest = others;
    }
};

impl<'c> Emitter<'_, '_, 'c> {
    /// Lowers an instruction that does not end its node, in the way that the table states.
    pub(crate) fn instruction(&mut self, site: Site<'_>) -> Result<()> {
        match self.decisive(site.inst.mnemonic).lowering() {
            Lowering::Plain => match plain(site.inst.mnemonic.sem()) {
                Some(operation) => self.lower_plain(site, operation),
                None => unsupported("its semantics are unknown"),
            },
            Lowering::Intrinsic => self.lower_by_intrinsic(site),
            Lowering::Assembly => self.inline(site),
        }
    }

    /// The mnemonic whose entry in the table decides how an instruction is lowered: its own, but for what the table cannot state.
    fn decisive(&self, mnemonic: Mnemonic) -> Mnemonic {
        let other = match mnemonic.sem() {
            // No integer becomes a subnormal, so that `.ftz` changes nothing.
            Sem::Move(MoveSem::Cvt)
                if mnemonic.type_of(Field::AType).is_some_and(|ty| ty.is_integer_or_bits()) =>
            {
                mnemonic.with(Field::Ftz, None)
            }
            // The table is about modules with 64-bit addresses. In modules with 32-bit addresses the widths are exchanged.
            Sem::Move(MoveSem::Cvta) if self.address_bits() == 32 => {
                mnemonic.with(Field::Type, Some(if mnemonic.has(Mod::U32) { Mod::U64 } else { Mod::U32 }))
            }
            _ => None,
        };
        other.unwrap_or(mnemonic)
    }

    fn lower_plain(&mut self, site: Site<'_>, operation: Plain) -> Result<()> {
        let floating = site.inst.mnemonic.scalar_type().is_some_and(is_floating);
        match operation {
            Plain::Sum(Sum::Add) if floating => self.float_arithmetic(site, BinaryOp::FAdd),
            Plain::Sum(Sum::Sub) if floating => self.float_arithmetic(site, BinaryOp::FSub),
            Plain::Sum(sum) => self.int_add_sub(site, sum),
            Plain::Product(Product::Mul) if floating => self.float_arithmetic(site, BinaryOp::FMul),
            Plain::Product(product) => self.int_multiply(site, product),
            Plain::FusedProduct => self.fused_multiply_add(site),
            Plain::Division(Division::Div) if floating => self.float_divide(site),
            Plain::Division(division) => self.int_divide(site, division),
            Plain::Sign(Sign::Neg) if floating => self.float_negate(site),
            // LLVM has them as intrinsics for every target.
            Plain::Sign(Sign::Abs) | Plain::Extreme(_) if floating => self.intrinsic_or_inline(site),
            Plain::Sign(sign) => self.int_sign(site, sign),
            Plain::Extreme(extreme) => self.int_min_max(site, extreme),
            Plain::Mad24 => self.mad24(site),
            Plain::CarrySum(sum) => self.carry_add(site, sum),
            Plain::CarryProduct => self.carry_mad(site),
            Plain::Property => self.test_property(site),
            Plain::Logic(logic) => self.logic(site, logic),
            Plain::Lop3 => self.lop3(site),
            Plain::Shift(shift) => self.shift(site, shift),
            Plain::Count(count) => self.count_bits(site, count),
            Plain::ExtractField => self.bit_field_extract(site),
            Plain::InsertField => self.bit_field_insert(site),
            Plain::SetPredicate => self.set_predicate(site),
            Plain::SetValue => self.set_value(site),
            Plain::SelectByPredicate => self.select_by_predicate(site),
            Plain::SelectBySign => self.select_by_sign(site),
            Plain::Copy => self.copy(site),
            Plain::CopyVector => self.copy_vector(site),
            Plain::Convert => self.convert(site),
            Plain::ConvertAddress => self.convert_address(site),
            Plain::Load => self.load(site),
            Plain::Store => self.store(site),
            Plain::Atomic(atomic) => self.atomic(site, atomic),
            Plain::Fence => self.fence(site),
            Plain::Call => self.call(site),
            Plain::End => unsupported("it ends a block"),
        }
    }

    /// Lowers the instruction to the intrinsic of its mnemonic, or of another one with the same semantics; inline assembly where there is
    /// none.
    fn lower_by_intrinsic(&mut self, site: Site<'_>) -> Result<()> {
        let floating = site.inst.mnemonic.scalar_type().is_some_and(is_floating);
        match site.inst.mnemonic.sem() {
            Sem::Arith(ArithSem::Add | ArithSem::Mul) if floating => self.rounded_arithmetic(site),
            Sem::Arith(ArithSem::Sub) if floating => self.rounded_difference(site),
            // The product is the intrinsic, the sum is plain.
            Sem::Arith(ArithSem::Mad) => self.int_multiply(site, Product::Mad),
            Sem::Arith(ArithSem::Mad24) => self.mad24(site),
            Sem::Arith(ArithSem::MadCarry) => self.carry_mad(site),
            Sem::Arith(ArithSem::Fma) => self.fused_multiply_add(site),
            Sem::Move(MoveSem::Cvt) => self.convert_by_intrinsic(site),
            Sem::Block(BlockSem::Barrier) => self.block_barrier(site),
            _ => self.intrinsic_or_inline(site),
        }
    }
}
