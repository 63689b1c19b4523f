//! Forms: the rows of the instruction table and the types that they consist of.

use crate::constants::Constants;
use crate::constraint::Constraint;
use crate::families::{Opcode, Sem};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod};
use crate::operand_key::OperandKey;
use crate::selector::Selection;
use crate::target::{Since, Sm};
use crate::types::{ScalarType, StateSpace, Width};

/// The index of a row in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FormId(pub(crate) u16);

impl FormId {
    /// The index into [`crate::all_forms`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A position in a mnemonic for a modifier.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// This modifier, always.
    Lit(Mod),
    /// Exactly one of these.
    One(Field, &'static [Mod]),
    /// One of these, or nothing.
    Opt(Field, &'static [Mod]),
}

impl Slot {
    /// Whether the modifier may occur here.
    pub fn takes(&self, modifier: Mod) -> bool {
        match self {
            Slot::Lit(literal) => *literal == modifier,
            Slot::One(_, set) | Slot::Opt(_, set) => set.contains(&modifier),
        }
    }

    /// The modifier with a number: its position among those that may occur here, from 1; 0 is an empty slot.
    pub(crate) const fn modifier(&self, number: u8) -> Option<Mod> {
        match self {
            Slot::Lit(literal) if number == 1 => Some(*literal),
            Slot::One(_, set) | Slot::Opt(_, set) if number != 0 && number as usize <= set.len() => {
                Some(set[number as usize - 1])
            }
            Slot::Lit(_) | Slot::One(..) | Slot::Opt(..) => None,
        }
    }

    /// The number of a modifier that may occur here, see [`Self::modifier`].
    pub(crate) fn number_of(&self, modifier: Mod) -> Option<u8> {
        let at = match self {
            Slot::Lit(literal) => (*literal == modifier).then_some(0),
            Slot::One(_, set) | Slot::Opt(_, set) => set.iter().position(|one| *one == modifier),
        };
        u8::try_from(at? + 1).ok()
    }

    /// Whether it may stay empty.
    pub const fn is_optional(&self) -> bool {
        matches!(self, Slot::Opt(..))
    }

    /// The property that the slot decides; `None` for literals.
    pub const fn field(&self) -> Option<Field> {
        match self {
            Slot::Lit(_) => None,
            Slot::One(field, _) | Slot::Opt(field, _) => Some(*field),
        }
    }
}

/// Whether an operand is written or read, and whether it may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Written.
    Def,
    /// Written, printed as `|q` after the operand before it; may be left out.
    DefPair,
    /// Written; may be left out.
    DefOpt,
    /// Read and written: the result depends on the old value.
    Update,
    /// Read.
    Use,
    /// Read; may be left out.
    UseOpt,
}

impl Role {
    /// Whether the instruction writes the operand.
    pub const fn is_written(self) -> bool {
        match self {
            Role::Def | Role::DefPair | Role::DefOpt | Role::Update => true,
            Role::Use | Role::UseOpt => false,
        }
    }

    /// Whether the instruction reads the operand.
    pub const fn is_read(self) -> bool {
        match self {
            Role::Use | Role::UseOpt | Role::Update => true,
            Role::Def | Role::DefPair | Role::DefOpt => false,
        }
    }

    /// Whether a program must write the operand; a second destination is none of its own.
    pub const fn is_required(self) -> bool {
        match self {
            Role::Def | Role::Update | Role::Use => true,
            Role::DefPair | Role::DefOpt | Role::UseOpt => false,
        }
    }

    /// Whether it is an operand of its own that may be left out.
    pub const fn is_optional(self) -> bool {
        matches!(self, Role::DefOpt | Role::UseOpt)
    }
}

/// How the type of an operand is determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRule {
    /// Always this type.
    Is(ScalarType),
    /// The type that the modifier in this slot names.
    Of(Field),
    /// The integer type of twice the width (`mul.wide`, `mad.wide`) when [`Field::Part`] is `.wide`, else the type itself.
    WideOf(Field),
    /// The untyped bits of the width of the type that this slot names.
    BitsOf(Field),
    /// The type named by the literal modifier of the row; rows with one literal type use it.
    Literal,
    /// The bits of the register that holds a value of the type that this slot names, narrow formats included
    /// (`.e4m3x2` is held by `.b16`).
    HeldBy(Field),
    /// The type that this slot names, or, where no register has it, the bits that hold a value of it.
    ValueOf(Field),
    /// The registers that hold a fragment of a matrix of the type that this slot names (manual 9.7.14): `.f64`, `.f32` and
    /// `.s32` in registers of that type, everything narrower packed into `.b32`.
    FragmentOf(Field),
}

/// How many registers a vector operand has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VectorLength {
    /// This many.
    Is(u8),
    /// Given by the `.v2`, `.v4`, `.v8` or `.x1`, `.x2`, `.x4` in this slot; a single register when the slot is empty.
    Of(Field),
    /// Determined by shape, types and mode together.
    By(VectorLengthRule),
    /// A single register, or 2 or 4 of them, as the program has it.
    Free,
}

/// The kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandKind {
    /// A register or an immediate whose type matches the rule (manual 9.4.1).
    Value(TypeRule),
    /// A register whose type matches the rule; no immediate.
    Register(TypeRule),
    /// A register at least as wide as the rule's type, or an immediate (`ld`, `st`, `cvt`: manual 9.4.2).
    Wide(TypeRule),
    /// A register of the untyped bits of the rule's width and of no other type; no immediate.
    Untyped(TypeRule),
    /// The same as [`OperandKind::Wide`], or a vector of them, depending on the slot.
    WideVector(TypeRule, VectorLength),
    /// A vector of registers of the type, in braces even when it has one element.
    Vector(TypeRule, VectorLength),
    /// A vector of registers or constants of just the type; a single element may also be written without braces.
    Elements(TypeRule, VectorLength),
    /// The same, without constants.
    Registers(TypeRule, VectorLength),
    /// The source or destination of `mov`: register, vector of registers whose widths add up, and as a source also an
    /// immediate, a special register, or the address of a variable, function or label.
    Move(TypeRule),
    /// A predicate register; as a source it may be negated with `!`.
    Predicate,
    /// An integer constant from the first to the second value, both included.
    Immediate(i64, i64),
    /// The 64-bit cache policy; present exactly when the mnemonic has `.L2::cache_hint` (manual 9.7.9.1).
    CachePolicy,
    /// A memory address in brackets, of the state space that the modifiers name, else a generic one.
    Address,
    /// A memory address in brackets in this state space, independent of the modifiers.
    AddressIn(StateSpace),
    /// An address of tensor memory in brackets: a 32-bit register (manual 9.7.16.1).
    TensorAddress,
    /// A memory address; `ptxas` also accepts the register without the brackets.
    LooseAddress,
    /// Several values in one pair of brackets, in this order: `[tex, {x, y}]`, `[map, {c0, c1}]`.
    Bracketed(&'static [Operand]),
    /// A vector in braces, even when it has one element.
    Braced(TypeRule, VectorLength),
    /// A texture, sampler, surface or tensor map: the variable, or a 64-bit register with its address.
    Reference,
    /// The coordinates of a texture or surface: a register or a vector of them. Arrays have an index before the coordinates
    /// and multi-sample textures a sample number, both `.b32`; vectors of three are padded to four (manual 9.7.10.3).
    Coordinates(TypeRule),
    /// A register with the part of it that is used, `.b0` or `.h1`; the source may be a constant (manual 9.7.18).
    Selected(TypeRule, Selection),
    /// The same, and its sign may be turned around: `-a.b0`.
    Signed(TypeRule, Selection),
    /// A code label.
    Label,
    /// The label of a `.branchtargets` list.
    BranchTargets,
    /// The called function: its name, or a register with its address.
    Callee,
    /// The results of a call, in parentheses.
    Results,
    /// The arguments of a call, in parentheses.
    Arguments,
    /// The label of a `.callprototype` or `.calltargets` directive.
    CallTargets,
}

impl OperandKind {
    /// How the width of a register may relate to the type of the operand.
    pub const fn width(self) -> Width {
        match self {
            OperandKind::Wide(_) | OperandKind::WideVector(..) => Width::AtLeast,
            OperandKind::Value(_)
            | OperandKind::Register(_)
            | OperandKind::Untyped(_)
            | OperandKind::Vector(..)
            | OperandKind::Elements(..)
            | OperandKind::Registers(..)
            | OperandKind::Move(_)
            | OperandKind::Predicate
            | OperandKind::Immediate(..)
            | OperandKind::CachePolicy
            | OperandKind::Address
            | OperandKind::AddressIn(_)
            | OperandKind::TensorAddress
            | OperandKind::LooseAddress
            | OperandKind::Bracketed(_)
            | OperandKind::Braced(..)
            | OperandKind::Reference
            | OperandKind::Coordinates(_)
            | OperandKind::Selected(..)
            | OperandKind::Signed(..)
            | OperandKind::Label
            | OperandKind::BranchTargets
            | OperandKind::Callee
            | OperandKind::Results
            | OperandKind::Arguments
            | OperandKind::CallTargets => Width::Same,
        }
    }
}

/// An operand of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Written or read, needed or not.
    pub role: Role,
    /// Which operand of its row it is.
    pub key: OperandKey,
    /// The manual's name for it, for messages.
    pub name: &'static str,
    /// The kind of operand that is accepted.
    pub kind: OperandKind,
    /// When not empty, an optional operand is present exactly when the mnemonic has one of these modifiers.
    pub when: &'static [Mod],
    /// The integer constants that are accepted.
    pub constants: Constants,
    /// Later first versions of constants: of those from the first to the second value, both included.
    pub newer_constants: &'static [(i64, i64, Since)],
    /// The first version that accepts the operand, where it may be left out.
    pub since: Since,
    /// The first version that accepts `_` in place of the result, which is then not used; `None` if none does.
    pub discardable: Option<Since>,
    /// With one of these modifiers there is no such operand: `_` must be written for a result, and an optional source left out.
    pub without: &'static [Mod],
    /// Whether a second destination must be written. The parser accepts the instruction without it, so that the verifier can
    /// report what is missing.
    pub required: bool,
}

impl Operand {
    const fn new(role: Role, name: &'static str, kind: OperandKind) -> Self {
        let discardable = if matches!(role, Role::DefPair) { Some(Since::ALWAYS) } else { None };
        Operand {
            role,
            key: OperandKey::of(name),
            name,
            kind,
            when: &[],
            constants: Constants::Any,
            newer_constants: &[],
            since: Since::ALWAYS,
            discardable,
            without: &[],
            required: false,
        }
    }

    /// The same operand, restricted to these constants.
    pub(crate) const fn constants(mut self, constants: Constants) -> Self {
        self.constants = constants;
        self
    }

    /// The same operand with constants that came later.
    pub(crate) const fn newer_constants(mut self, newer: &'static [(i64, i64, Since)]) -> Self {
        self.newer_constants = newer;
        self
    }

    /// The same operand, which may be written since this version and architecture.
    pub(crate) const fn since(mut self, major: u8, minor: u8, sm: u16) -> Self {
        self.since = Since::new(major, minor, sm);
        self
    }

    /// The same result, for which `_` may be written.
    pub(crate) const fn discardable(mut self) -> Self {
        self.discardable = Some(Since::ALWAYS);
        self
    }

    /// The same result, for which `_` may be written since this version and architecture.
    pub(crate) const fn discardable_since(mut self, major: u8, minor: u8, sm: u16) -> Self {
        self.discardable = Some(Since::new(major, minor, sm));
        self
    }

    /// The same result, for which a register must be written.
    pub(crate) const fn kept(mut self) -> Self {
        self.discardable = None;
        self
    }

    /// The same operand, which does not exist with one of these modifiers.
    pub(crate) const fn without(mut self, modifiers: &'static [Mod]) -> Self {
        self.without = modifiers;
        self
    }

    /// The same second destination, which must be written, by the name of a register.
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self.kept()
    }

    /// Whether it is a result.
    pub const fn is_written(&self) -> bool {
        self.role.is_written()
    }

    /// Whether its presence is determined by modifiers alone.
    pub fn is_conditional(&self) -> bool {
        !self.when.is_empty() || self.kind == OperandKind::CachePolicy
    }

    /// How it reads in a syntax line, with the comma before it unless it is the first.
    pub(crate) fn syntax(&self, at: usize) -> String {
        let name = match self.kind {
            OperandKind::Address
            | OperandKind::AddressIn(_)
            | OperandKind::TensorAddress
            | OperandKind::LooseAddress => {
                format!("[{}]", self.name)
            }
            OperandKind::Bracketed(parts) => {
                let parts = parts.iter().enumerate().map(|(at, part)| part.syntax(at));
                format!("[{}]", parts.collect::<String>())
            }
            OperandKind::Braced(..) => format!("{{{}}}", self.name),
            OperandKind::Results | OperandKind::Arguments => format!("({})", self.name),
            OperandKind::Value(_)
            | OperandKind::Register(_)
            | OperandKind::Wide(_)
            | OperandKind::Untyped(_)
            | OperandKind::WideVector(..)
            | OperandKind::Vector(..)
            | OperandKind::Elements(..)
            | OperandKind::Registers(..)
            | OperandKind::Move(_)
            | OperandKind::Predicate
            | OperandKind::Immediate(..)
            | OperandKind::CachePolicy
            | OperandKind::Reference
            | OperandKind::Coordinates(_)
            | OperandKind::Selected(..)
            | OperandKind::Signed(..)
            | OperandKind::Label
            | OperandKind::BranchTargets
            | OperandKind::Callee
            | OperandKind::CallTargets => self.name.to_owned(),
        };
        match (self.role, at) {
            (Role::DefPair, _) if self.required => format!("|{name}"),
            (Role::DefPair, _) => format!("{{|{name}}}"),
            (Role::UseOpt | Role::DefOpt, 0) => format!("{{{name}}}"),
            (Role::UseOpt | Role::DefOpt, _) => format!("{{, {name}}}"),
            (Role::Def | Role::Update | Role::Use, 0) => name,
            (Role::Def | Role::Update | Role::Use, _) => format!(", {name}"),
        }
    }
}

/// The effects of an instruction other than writing its destinations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Reads memory.
    pub reads: bool,
    /// Writes memory.
    pub writes: bool,
    /// Its result depends on which other threads execute it with this one.
    pub convergent: bool,
    /// Control does not go on to the next instruction, unless it is guarded.
    pub terminator: bool,
    /// Must not be removed, duplicated or reordered with other such instructions.
    pub side_effects: bool,
}

impl Effects {
    /// A function of the operands alone.
    pub const NONE: Effects =
        Effects { reads: false, writes: false, convergent: false, terminator: false, side_effects: false };
    /// Reads memory.
    pub const READS: Effects = Effects { reads: true, ..Self::NONE };
    /// Writes memory.
    pub const WRITES: Effects = Effects { writes: true, ..Self::NONE };
    /// Reads and writes memory.
    pub const MEMORY: Effects = Effects { reads: true, writes: true, ..Self::NONE };
    /// Exchanges registers with other threads.
    pub const CONVERGENT: Effects = Effects { convergent: true, side_effects: true, ..Self::NONE };
    /// Synchronizes with other threads: convergent, and orders memory.
    pub const SYNC: Effects =
        Effects { reads: true, writes: true, convergent: true, side_effects: true, ..Self::NONE };
    /// Ends a block.
    pub const TERMINATOR: Effects = Effects { terminator: true, side_effects: true, ..Self::NONE };
    /// Seen from outside, though it touches no memory.
    pub const SIDE_EFFECTS: Effects = Effects { side_effects: true, ..Self::NONE };
}

/// Modifiers in several slots: one of those that are listed for each slot.
pub type Combination = &'static [(Field, &'static [Mod])];

/// A constraint between modifiers of a row that its slots do not express, and that decides whether a text means the row.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Both slots are filled or both are empty.
    Together(Field, Field),
    /// With this modifier there must be one of those.
    Needs(Mod, &'static [Mod]),
    /// With this modifier there may be none of those.
    Excludes(Mod, &'static [Mod]),
}

/// Where a row is no more.
#[derive(Clone, Copy, Debug)]
pub struct Removal {
    /// The first version that has it no longer, on this architecture and all later ones.
    pub from: Since,
    /// What to write instead, as a suggestion; empty for rows that imply a modifier: the suggestion is derived from the current rows.
    pub instead: &'static str,
}

/// One line of a syntax box of the manual.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The first word.
    pub opcode: Opcode,
    /// Its effect, in one sentence.
    pub doc: &'static str,
    /// The modifiers in canonical order.
    pub slots: &'static [Slot],
    /// The operands in order.
    pub operands: &'static [Operand],
    /// Its semantics.
    pub sem: Sem,
    /// First version and architecture that have the row.
    pub since: Since,
    /// Later first versions of single modifiers.
    pub later: &'static [(Mod, Since)],
    /// Later first versions of combinations of modifiers.
    pub later_combined: &'static [(Combination, Since)],
    /// Where later versions have it no longer.
    pub removed: Option<Removal>,
    /// The modifier that a row of old versions means without writing it ([`Mnemonic::written_out`](crate::Mnemonic::written_out)).
    pub implied: Option<Mod>,
    /// The constraints between its modifiers that decide whether a text means the row.
    pub rules: &'static [Rule],
    /// The constraints between its modifiers that the verifier checks.
    pub constraints: &'static [Constraint],
    /// Groups of modifiers that are the default: with all of a group the instruction means what it means with none of them
    /// ([`Mnemonic::without_defaults`](crate::Mnemonic::without_defaults)).
    pub defaults: &'static [&'static [Mod]],
    /// Its effects other than writing its destinations.
    pub effects: Effects,
    /// The manual's section.
    pub section: &'static str,
}

impl Form {
    /// The manual's syntax line, derived from the row.
    pub fn syntax(&self) -> String {
        let mut line = self.opcode.as_str().to_owned();
        for slot in self.slots {
            line += &match slot {
                Slot::Lit(modifier) => format!(".{}", modifier.as_str()),
                Slot::One(_, [only]) => format!(".{}", only.as_str()),
                Slot::Opt(_, [only]) => format!("{{.{}}}", only.as_str()),
                Slot::One(field, _) => format!(".{}", field.as_str()),
                Slot::Opt(field, _) => format!("{{.{}}}", field.as_str()),
            };
        }
        for (at, operand) in self.operands.iter().enumerate() {
            let separator = if at == 0 { "  " } else { "" };
            line += separator;
            line += &operand.syntax(at);
        }
        line
    }

    /// How many operands a program must write at least; pairs count with the operand they hang on.
    pub fn required_operands(&self) -> usize {
        self.operands.iter().filter(|o| o.role.is_required()).count()
    }

    /// The index of an operand, the first one where modifiers choose among several; `None` if the row has no such operand.
    pub fn operand(&self, key: OperandKey) -> Option<usize> {
        self.operands.iter().position(|operand| operand.key == key)
    }

    /// The index of the slot that decides `field`.
    pub fn slot_of(&self, field: Field) -> Option<usize> {
        self.slots.iter().position(|slot| slot.field() == Some(field))
    }

    /// A row with these modifiers and operands; since PTX 1.0, without effects.
    pub(crate) const fn new(
        opcode: Opcode,
        doc: &'static str,
        slots: &'static [Slot],
        operands: &'static [Operand],
        sem: Sem,
    ) -> Self {
        let (since, effects) = (Since::ALWAYS, Effects::NONE);
        Self {
            opcode,
            doc,
            slots,
            operands,
            sem,
            since,
            later: &[],
            later_combined: &[],
            removed: None,
            implied: None,
            rules: &[],
            constraints: &[],
            defaults: &[],
            effects,
            section: "",
        }
    }

    /// The first version and architecture that have the row.
    pub(crate) const fn since(mut self, major: u8, minor: u8, sm: u16) -> Self {
        self.since = Since::new(major, minor, sm);
        self
    }

    /// The first version that has the row, and the targets it is limited to.
    pub(crate) const fn only(mut self, major: u8, minor: u8, only: &'static [Sm]) -> Self {
        self.since = Since::on(major, minor, only);
        self
    }

    /// The constraints between its modifiers that decide whether a text means the row.
    pub(crate) const fn rules(mut self, rules: &'static [Rule]) -> Self {
        self.rules = rules;
        self
    }

    /// The constraints between its modifiers that the verifier checks.
    pub(crate) const fn constraints(mut self, constraints: &'static [Constraint]) -> Self {
        self.constraints = constraints;
        self
    }

    /// Groups of modifiers that are the default when they are omitted.
    pub(crate) const fn defaults(mut self, defaults: &'static [&'static [Mod]]) -> Self {
        self.defaults = defaults;
        self
    }

    /// First versions of single modifiers, later than the row's.
    pub(crate) const fn later(mut self, later: &'static [(Mod, Since)]) -> Self {
        self.later = later;
        self
    }

    /// First versions of combinations of modifiers, later than those of the row and of each modifier.
    pub(crate) const fn later_combined(mut self, later: &'static [(Combination, Since)]) -> Self {
        self.later_combined = later;
        self
    }

    /// The version and the first architecture that no longer have the row, and its replacement.
    pub(crate) const fn removed(mut self, major: u8, minor: u8, sm: u16, instead: &'static str) -> Self {
        self.removed = Some(Removal { from: Since::new(major, minor, sm), instead });
        self
    }

    /// The modifier that the row implies, and that only versions or targets before this one may omit.
    pub(crate) const fn implying(self, modifier: Mod, major: u8, minor: u8, sm: u16) -> Self {
        let mut form = self.removed(major, minor, sm, "");
        form.implied = Some(modifier);
        form
    }

    /// The row's effects other than writing its destinations.
    pub(crate) const fn effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self
    }

    /// The manual's section.
    pub(crate) const fn section(mut self, section: &'static str) -> Self {
        self.section = section;
        self
    }
}

/// A needed destination.
pub(crate) const fn def(name: &'static str, kind: OperandKind) -> Operand {
    Operand::new(Role::Def, name, kind)
}

/// A second destination after a bar.
pub(crate) const fn def_pair(name: &'static str, kind: OperandKind) -> Operand {
    Operand::new(Role::DefPair, name, kind)
}

/// A destination that may be left out.
pub(crate) const fn def_opt(name: &'static str, kind: OperandKind) -> Operand {
    Operand::new(Role::DefOpt, name, kind)
}

/// A register whose old value the result depends on.
pub(crate) const fn update(name: &'static str, kind: OperandKind) -> Operand {
    Operand::new(Role::Update, name, kind)
}

/// A needed source.
pub(crate) const fn arg(name: &'static str, kind: OperandKind) -> Operand {
    Operand::new(Role::Use, name, kind)
}

/// A source that may be left out.
pub(crate) const fn opt(name: &'static str, kind: OperandKind) -> Operand {
    Operand::new(Role::UseOpt, name, kind)
}

/// A source that is present exactly when the mnemonic has one of the modifiers.
pub(crate) const fn when(name: &'static str, kind: OperandKind, when: &'static [Mod]) -> Operand {
    let mut operand = opt(name, kind);
    operand.when = when;
    operand
}
