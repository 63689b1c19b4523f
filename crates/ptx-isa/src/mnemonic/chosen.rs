//! A form with its modifiers chosen, and what follows from both.

use std::fmt;

use crate::families::{MatrixSem, Opcode, Sem};
use crate::form::{Combination, Effects, Form, FormId, Operand, OperandKind, Slot, TypeRule};
use crate::names::{Field, Mod};
use crate::table::form;
use crate::target::Since;
use crate::types::{ScalarType, StateSpace};

/// The most slots a row may have.
pub(crate) const MAX_SLOTS: usize = 20;

/// A row of the table together with the modifier chosen for each of its slots.
///
/// An empty optional slot stays apart from its default: `add.f32` may be contracted, `add.rn.f32` may not.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mnemonic {
    pub(super) form: FormId,
    /// For each slot the number of its modifier, as in [`Slot::modifier`]: most of a module consists of
    /// instructions, and the mnemonics would be most of an instruction.
    pub(super) chosen: [u8; MAX_SLOTS],
}

impl Mnemonic {
    /// The row's index in the table.
    pub const fn form_id(&self) -> FormId {
        self.form
    }

    /// The row.
    pub fn form(&self) -> &'static Form {
        form(self.form)
    }

    /// The first word.
    pub fn opcode(&self) -> Opcode {
        self.form().opcode
    }

    /// Its semantics.
    pub fn sem(&self) -> Sem {
        self.form().sem
    }

    /// Its effects other than writing its destinations.
    pub fn effects(&self) -> Effects {
        self.form().effects
    }

    /// Whether it reads the carry, the condition code of extended precision.
    pub fn reads_carry(&self) -> bool {
        matches!(self.opcode(), Opcode::Addc | Opcode::Subc | Opcode::Madc)
    }

    /// Whether it writes the carry.
    pub fn writes_carry(&self) -> bool {
        self.get(Field::Cc).is_some()
    }

    /// The slots of the row in order, each with what was chosen for it.
    pub fn slots(&self) -> impl Iterator<Item = (&'static Slot, Option<Mod>)> + '_ {
        self.form().slots.iter().zip(&self.chosen).map(|(slot, &number)| (slot, slot.modifier(number)))
    }

    /// The chosen modifiers in canonical order.
    pub fn modifiers(&self) -> impl Iterator<Item = Mod> + '_ {
        self.slots().filter_map(|(_, chosen)| chosen)
    }

    /// Whether the modifier was chosen, in any slot.
    pub fn has(&self, modifier: Mod) -> bool {
        self.modifiers().any(|chosen| chosen == modifier)
    }

    /// The line of syntax with the modifiers chosen: `add.s32  d, a, b`.
    pub fn syntax(&self) -> String {
        let mut line = self.to_string();
        for (at, operand) in self.form().operands.iter().enumerate() {
            line += if at == 0 { "  " } else { "" };
            line += &operand.syntax(at);
        }
        line
    }

    /// The modifier in the slot that decides `field`; `None` when it is empty or the row has no such slot.
    pub fn get(&self, field: Field) -> Option<Mod> {
        let at = self.form().slot_of(field)?;
        self.form().slots.get(at)?.modifier(*self.chosen.get(at)?)
    }

    /// The same mnemonic with another modifier in the slot of `field`, or with the slot emptied. `None` when
    /// the row has no such slot or the slot does not accept it.
    pub fn with(&self, field: Field, modifier: Option<Mod>) -> Option<Self> {
        let at = self.form().slot_of(field)?;
        let slot = &self.form().slots[at];
        let number = match modifier {
            Some(modifier) => slot.number_of(modifier)?,
            None if slot.is_optional() => 0,
            None => return None,
        };
        let mut changed = *self;
        changed.chosen[at] = number;
        Some(changed)
    }

    /// The type in the slot of `field`.
    pub fn type_of(&self, field: Field) -> Option<ScalarType> {
        self.get(field).and_then(ScalarType::from_mod)
    }

    /// The instruction type: the one in [`Field::Type`], else in [`Field::DType`], else the row's literal type.
    pub fn scalar_type(&self) -> Option<ScalarType> {
        self.type_of(Field::Type).or_else(|| self.type_of(Field::DType)).or_else(|| self.literal_type())
    }

    fn literal_type(&self) -> Option<ScalarType> {
        self.form().slots.iter().find_map(|slot| match slot {
            Slot::Lit(modifier) => ScalarType::from_mod(*modifier),
            Slot::One(..) | Slot::Opt(..) => None,
        })
    }

    /// The state space it names; `None` for generic addressing.
    pub fn space(&self) -> Option<StateSpace> {
        self.get(Field::Space).and_then(StateSpace::from_mod)
    }

    /// Resolves an operand's type rule.
    pub fn resolve(&self, rule: TypeRule) -> Option<ScalarType> {
        match rule {
            TypeRule::Is(ty) => Some(ty),
            TypeRule::Of(field) => self.type_of(field),
            TypeRule::BitsOf(field) => self.type_of(field).and_then(ScalarType::as_bits),
            TypeRule::Literal => self.literal_type(),
            TypeRule::HeldBy(field) => self.get(field).and_then(ScalarType::holder),
            TypeRule::ValueOf(field) => {
                self.type_of(field).or_else(|| self.get(field).and_then(ScalarType::holder))
            }
            TypeRule::FragmentOf(field) => match self.type_of(field) {
                Some(ty @ (ScalarType::F64 | ScalarType::F32 | ScalarType::S32)) => Some(ty),
                _ => Some(ScalarType::B32),
            },
            TypeRule::WideOf(field) => {
                let ty = self.type_of(field)?;
                if self.has(Mod::Wide) { widened(ty) } else { Some(ty) }
            }
        }
    }

    /// The type that registers of an operand with this rule must agree with. It differs from [`Self::resolve`] for matrix
    /// fragments, whose registers must, for `ptxas`, have the type of the pairs of halves or the numbers in them.
    pub fn register_type(&self, rule: TypeRule) -> Option<ScalarType> {
        let TypeRule::FragmentOf(field) = rule else { return self.resolve(rule) };
        let is_wmma = self.opcode() == Opcode::Wmma;
        let is_moved = matches!(self.sem(), Sem::Matrix(MatrixSem::WmmaLoad | MatrixSem::WmmaStore));
        let is_factor = matches!(field, Field::AType | Field::BType);
        let is_group = self.opcode() == Opcode::Wgmma;
        Some(match self.get(field) {
            // The factors of `wmma.mma` on `.f16` are named by nothing.
            None | Some(Mod::F16) => ScalarType::F16x2,
            Some(Mod::F64) if is_wmma && (is_factor || is_moved) => ScalarType::F64,
            Some(Mod::F64) => ScalarType::B64,
            Some(Mod::F32) => ScalarType::F32,
            Some(Mod::S32) => ScalarType::S32,
            Some(Mod::Bf16 | Mod::Tf32 | Mod::E4m3 | Mod::E5m2) if is_group => ScalarType::F16x2,
            Some(Mod::Bf16) => ScalarType::Bf16x2,
            Some(Mod::Tf32) => ScalarType::Tf32,
            // With scales they must be in untyped registers, like packed narrow values.
            Some(Mod::E4m3 | Mod::E5m2 | Mod::E3m2 | Mod::E2m3 | Mod::E2m1) if self.has(Mod::BlockScale) => {
                ScalarType::Tf32
            }
            Some(Mod::U8 | Mod::S8) if is_wmma => ScalarType::U32,
            Some(Mod::U4 | Mod::S4 | Mod::B1) if is_wmma && !is_moved => ScalarType::U32,
            Some(_) => ScalarType::B32,
        })
    }

    /// The type of the operand with this index in the row, if it has one (addresses, labels and lists have none).
    pub fn operand_type(&self, at: usize) -> Option<ScalarType> {
        match self.form().operands.get(at)?.kind {
            OperandKind::Value(rule)
            | OperandKind::Register(rule)
            | OperandKind::Wide(rule)
            | OperandKind::Untyped(rule)
            | OperandKind::WideVector(rule, _)
            | OperandKind::Vector(rule, _)
            | OperandKind::Elements(rule, _)
            | OperandKind::Registers(rule, _)
            | OperandKind::Braced(rule, _)
            | OperandKind::Selected(rule, _)
            | OperandKind::Signed(rule, _)
            | OperandKind::Move(rule) => self.resolve(rule),
            OperandKind::Predicate => Some(ScalarType::Pred),
            OperandKind::CachePolicy => Some(ScalarType::B64),
            OperandKind::Immediate(..)
            | OperandKind::Address
            | OperandKind::AddressIn(_)
            | OperandKind::TensorAddress
            | OperandKind::LooseAddress
            | OperandKind::Bracketed(_)
            | OperandKind::Reference
            | OperandKind::Coordinates(_)
            | OperandKind::Label
            | OperandKind::BranchTargets
            | OperandKind::Callee
            | OperandKind::Results
            | OperandKind::Arguments
            | OperandKind::CallTargets => None,
        }
    }

    /// Whether a modifier requires an optional operand.
    pub fn asks_for(&self, place: &Operand) -> bool {
        match place.kind {
            OperandKind::CachePolicy => self.has(Mod::L2CacheHint),
            _ => place.when.iter().any(|modifier| self.has(*modifier)),
        }
    }

    /// First versions and targets of the row, and of each chosen modifier and combination that came later: all of them must hold.
    pub fn limits(&self) -> impl Iterator<Item = Since> + '_ {
        let row = self.form();
        let later = row.later.iter().filter(|(modifier, _)| self.has(*modifier)).map(|(_, later)| *later);
        let combined = row.later_combined.iter().filter(|(combination, _)| self.has_all(combination));
        std::iter::once(row.since).chain(later).chain(combined.map(|(_, later)| *later))
    }

    fn has_all(&self, combination: Combination) -> bool {
        combination.iter().all(|(field, set)| self.get(*field).is_some_and(|chosen| set.contains(&chosen)))
    }

    /// First version and architecture that have this row with these modifiers; [`Self::limits`] has all the targets that
    /// they are limited to.
    pub fn since(&self) -> Since {
        self.limits().fold(self.form().since, Since::max)
    }
}

impl fmt::Display for Mnemonic {
    /// The canonical spelling: opcode and modifiers in slot order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.opcode().as_str())?;
        for modifier in self.modifiers() {
            write!(f, ".{}", modifier.as_str())?;
            // `.xorsign.abs` is one modifier of two words; see `words`.
            if modifier == Mod::XorsignAbs {
                f.write_str(".abs")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The integer type of twice the width.
fn widened(ty: ScalarType) -> Option<ScalarType> {
    match ty {
        ScalarType::U16 => Some(ScalarType::U32),
        ScalarType::S16 => Some(ScalarType::S32),
        ScalarType::U32 => Some(ScalarType::U64),
        ScalarType::S32 => Some(ScalarType::S64),
        ScalarType::U64 | ScalarType::S64 => Some(ScalarType::B128),
        _ => None,
    }
}
