//! The modifiers of an instruction, with tracking of those that its decoder has consumed ("taken").

use std::cell::Cell;
use std::fmt;
use std::sync::LazyLock;

use ptx_isa::{Field, Form, Mnemonic, Mod, Opcode, Placement, ScalarType, Sem, Slot, StateSpace, all_forms};

/// Cache hints: see [`NO_CACHES`].
pub(super) const CACHING: &[Field] =
    &[Field::Cop, Field::EvictL1, Field::EvictL2, Field::CacheHint, Field::PrefetchSize, Field::Nc];
/// Memory ordering: see [`STRONGEST`].
pub(super) const ORDERING: &[Field] = &[Field::MemOrder, Field::Scope, Field::Mmio];

pub(super) const NO_CACHES: &str = "there are no caches";
pub(super) const STRONGEST: &str = "memory is as strong as the strongest order at the widest scope requires";
pub(super) const UNIFORM: &str = "lanes that agree on where to go, or do not, go there alike";
pub(super) const TOGETHER: &str = "lanes wait for each other, whether they promise to come together or not";

/// The modifiers of one instruction. Querying a modifier takes it; an instruction with untaken modifiers is refused.
///
/// Literals common to all rows with the same semantics are taken initially: the decoder was selected by them. Literals that distinguish rows
/// must be taken like other modifiers.
pub(super) struct Modifiers {
    m: Mnemonic,
    /// One bit for each slot of the row.
    taken: Cell<u32>,
}

impl Modifiers {
    pub(super) fn new(m: Mnemonic) -> Self {
        let implied = IMPLIED[m.form_id().index()];
        Self { m, taken: Cell::new(implied) }
    }

    /// The row; takes nothing.
    pub(super) fn form(&self) -> &'static Form {
        self.m.form()
    }

    /// The semantics of the row; takes nothing.
    pub(super) fn sem(&self) -> Sem {
        self.m.sem()
    }

    /// The opcode; takes nothing.
    pub(super) fn opcode(&self) -> Opcode {
        self.m.opcode()
    }

    /// Whether the instruction reads the condition code; takes nothing.
    pub(super) fn reads_carry(&self) -> bool {
        self.m.reads_carry()
    }

    /// The type of an operand. Takes nothing: most types specify more than the width of a constant.
    pub(super) fn operand_type(&self, at: usize) -> Option<ScalarType> {
        self.m.operand_type(at)
    }

    /// Assigns `written` bracketed values to these operand slots. Takes nothing.
    pub(super) fn place_values(&self, places: &[ptx_isa::Operand], written: usize) -> Option<Placement> {
        self.m.place_values(places, written)
    }

    /// Takes the slots that contain the modifier; false if none does.
    pub(super) fn has(&self, modifier: Mod) -> bool {
        self.take(|_, chosen| chosen == modifier).is_some()
    }

    /// Takes the slot of `field`. A `match` on the result must list the modifiers it supports and refuse all others.
    pub(super) fn get(&self, field: Field) -> Option<Mod> {
        self.take(|slot, _| slot.field() == Some(field))
    }

    /// Takes the slot of `field` if it contains a register type.
    pub(super) fn type_of(&self, field: Field) -> Option<ScalarType> {
        let named =
            |slot: &Slot, chosen| slot.field() == Some(field) && ScalarType::from_mod(chosen).is_some();
        self.take(named).and_then(ScalarType::from_mod)
    }

    /// Takes the instruction type (`Mnemonic::scalar_type`).
    pub(super) fn scalar_type(&self) -> Option<ScalarType> {
        let literal = || {
            let types = self.form().slots.iter().filter_map(|slot| match slot {
                Slot::Lit(modifier) => ScalarType::from_mod(*modifier).map(|ty| (*modifier, ty)),
                Slot::One(..) | Slot::Opt(..) => None,
            });
            let (modifier, ty) = types.into_iter().next()?;
            self.has(modifier).then_some(ty)
        };
        self.type_of(Field::Type).or_else(|| self.type_of(Field::DType)).or_else(literal)
    }

    /// Takes the state space; `None` for generic addresses.
    pub(super) fn space(&self) -> Option<StateSpace> {
        self.get(Field::Space).and_then(StateSpace::from_mod)
    }

    /// Takes these slots, whose contents have no observable effect here, for the given reason.
    pub(super) fn ignore(&self, fields: &[Field], _why: &'static str) {
        self.skip(|slot, _| slot.field().is_some_and(|field| fields.contains(&field)));
    }

    /// Takes these modifiers in any slot, which have no observable effect here, for the given reason.
    pub(super) fn ignore_words(&self, words: &[Mod], _why: &'static str) {
        self.skip(|_, chosen| words.contains(&chosen));
    }

    /// Takes all modifiers, none of which has an observable effect here, for the given reason.
    pub(super) fn ignore_all(&self, _why: &'static str) {
        self.skip(|_, _| true);
    }

    /// The first untaken modifier.
    pub(super) fn untaken(&self) -> Option<Mod> {
        let taken = self.taken.get();
        self.chosen().find(|&(at, ..)| taken & 1 << at == 0).map(|(.., chosen)| chosen)
    }

    /// The filled slots with their indices.
    fn chosen(&self) -> impl Iterator<Item = (usize, &'static Slot, Mod)> + '_ {
        self.m.slots().enumerate().filter_map(|(at, (slot, chosen))| chosen.map(|chosen| (at, slot, chosen)))
    }

    /// Takes the filled slots that match; returns the contents of the first one.
    fn take(&self, fits: impl Fn(&Slot, Mod) -> bool) -> Option<Mod> {
        let mut first = None;
        for (at, _, chosen) in self.chosen().filter(|(_, slot, chosen)| fits(slot, *chosen)) {
            self.taken.set(self.taken.get() | 1 << at);
            first = first.or(Some(chosen));
        }
        first
    }

    fn skip(&self, fits: impl Fn(&Slot, Mod) -> bool) {
        #[cfg(test)]
        super::tests::note_ignored(
            self.chosen().filter(|(_, slot, chosen)| fits(slot, *chosen)).map(|(.., chosen)| chosen),
        );
        self.take(fits);
    }
}

/// For each row of the table the literal slots implied by its semantics.
static IMPLIED: LazyLock<Vec<u32>> = LazyLock::new(|| all_forms().iter().map(implied).collect());

fn implied(form: &Form) -> u32 {
    let has =
        |row: &Form, own: Mod| row.slots.iter().any(|slot| matches!(slot, Slot::Lit(lit) if *lit == own));
    let all_have = |own| all_forms().iter().filter(|row| row.sem == form.sem).all(|row| has(row, own));
    let slots = form.slots.iter().enumerate();
    slots
        .filter(|(_, slot)| matches!(slot, Slot::Lit(own) if all_have(*own)))
        .fold(0, |bits, (at, _)| bits | 1 << at)
}

impl fmt::Display for Modifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.m.fmt(f)
    }
}
