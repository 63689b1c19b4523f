//! One spelling for mnemonics that mean the same.

use crate::families::Opcode;
use crate::form::Slot;
use crate::names::Mod;

use super::assign::ids_of;
use super::chosen::Mnemonic;

impl Mnemonic {
    /// The first row of an opcode that accepts these modifiers; `None` when none does.
    pub fn of(opcode: Opcode, modifiers: &[Mod]) -> Option<Self> {
        ids_of(opcode).find_map(|id| Self::choose(id, modifiers))
    }

    /// All rows of the opcode that accept the same modifiers: they differ in their operands.
    pub fn rows(self) -> impl Iterator<Item = Self> {
        let modifiers: Vec<Mod> = self.modifiers().collect();
        ids_of(self.opcode()).filter_map(move |id| Self::choose(id, &modifiers))
    }

    /// The same modifiers after another opcode; `None` when no row of it accepts them.
    pub fn with_opcode(self, opcode: Opcode) -> Option<Self> {
        Self::of(opcode, &self.modifiers().collect::<Vec<Mod>>())
    }

    /// The mnemonic without modifiers that are defaults ([`Form::defaults`](field@crate::Form::defaults)), and with `.shared` for
    /// `.shared::cta`, which is the same memory (manual 5.1.7).
    #[must_use]
    pub fn without_defaults(self) -> Self {
        let defaults = self.form().defaults.iter();
        let shortest = defaults.fold(self, |mnemonic, group| mnemonic.without(group).unwrap_or(mnemonic));
        shortest.replacing(Mod::SharedCta, Mod::Shared)
    }

    /// All mnemonics that mean the same because they write defaults or leave them out, [`Self::without_defaults`] first.
    pub fn spellings(self) -> Vec<Self> {
        let mut spellings = vec![self.without_defaults()];
        for group in self.form().defaults {
            let longer: Vec<Self> = spellings.iter().filter_map(|mnemonic| mnemonic.adding(group)).collect();
            spellings.extend(longer);
        }
        spellings
    }

    /// The mnemonic with all these modifiers in slots that were empty.
    fn adding(mut self, group: &[Mod]) -> Option<Self> {
        for wanted in group {
            let takes = |(slot, number): &(&Slot, &u8)| **number == 0 && slot.takes(*wanted);
            let at = self.form().slots.iter().zip(&self.chosen).position(|slot| takes(&slot))?;
            *self.chosen.get_mut(at)? = self.form().slots.get(at)?.number_of(*wanted)?;
        }
        self.keeps_rules().then_some(self)
    }

    /// The mnemonic with the slots of all these modifiers emptied; `None` when one is not chosen or its slot may not be empty.
    fn without(mut self, group: &[Mod]) -> Option<Self> {
        for wanted in group {
            let at = self.slots().position(|(slot, chosen)| slot.is_optional() && chosen == Some(*wanted))?;
            *self.chosen.get_mut(at)? = 0;
        }
        self.keeps_rules().then_some(self)
    }

    /// The mnemonic with one modifier replaced by another, in slots that accept both.
    fn replacing(mut self, old: Mod, new: Mod) -> Self {
        for (slot, number) in self.form().slots.iter().zip(&mut self.chosen) {
            if slot.modifier(*number) == Some(old)
                && let Some(other) = slot.number_of(new)
            {
                *number = other;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::{Mnemonic, Opcode};

    /// From the manual's descriptions: `.release` of an arrival at a barrier of a cluster (9.7.13.3), `.release.cta` and `.acquire.cta` of
    /// barriers in shared memory (9.7.13.15.13 ff.), `.tile` (9.7.9.27.1.2), `::discard` (9.7.16.10.9.1), shared memory (5.1.7).
    #[test]
    fn defaults_are_left_out_and_nothing_else_is() {
        for (text, shortest) in [
            ("barrier.cluster.arrive.release.aligned", "barrier.cluster.arrive.aligned"),
            ("barrier.cluster.arrive.relaxed", "barrier.cluster.arrive.relaxed"),
            ("barrier.cluster.wait.acquire", "barrier.cluster.wait"),
            ("mbarrier.arrive.release.cta.shared::cta.b64", "mbarrier.arrive.shared.b64"),
            ("mbarrier.arrive.release.cluster.shared.b64", "mbarrier.arrive.release.cluster.shared.b64"),
            ("mbarrier.arrive.relaxed.cta.shared.b64", "mbarrier.arrive.relaxed.cta.shared.b64"),
            ("mbarrier.arrive.noComplete.release.cta.b64", "mbarrier.arrive.noComplete.b64"),
            ("mbarrier.test_wait.parity.acquire.cta.b64", "mbarrier.test_wait.parity.b64"),
            (
                "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
                "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group",
            ),
            (
                "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group",
                "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group",
            ),
            (
                "tcgen05.mma.cta_group::1.kind::f16.collector::a::discard",
                "tcgen05.mma.cta_group::1.kind::f16",
            ),
            (
                "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill",
                "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill",
            ),
            ("isspacep.shared::cta", "isspacep.shared"),
            ("add.rn.f32", "add.rn.f32"),
        ] {
            let mnemonic = Mnemonic::from_text(text).expect(text);
            assert_eq!(mnemonic.without_defaults().to_string(), shortest, "{text}");
        }
    }

    #[test]
    fn spellings_write_each_default_or_leave_it_out() {
        let spellings = |text: &str| -> Vec<String> {
            let mnemonic = Mnemonic::from_text(text).expect(text);
            mnemonic.spellings().iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            spellings("barrier.cluster.wait"),
            ["barrier.cluster.wait", "barrier.cluster.wait.acquire"]
        );
        assert_eq!(
            spellings("mbarrier.arrive.release.cta.shared::cta.b64"),
            ["mbarrier.arrive.shared.b64", "mbarrier.arrive.release.cta.shared.b64"]
        );
        assert_eq!(spellings("barrier.cluster.arrive.relaxed"), ["barrier.cluster.arrive.relaxed"]);
        assert_eq!(spellings("add.f32"), ["add.f32"]);
    }

    #[test]
    fn another_opcode_takes_the_modifiers_that_its_rows_have() {
        let under = |text: &str, opcode| {
            let mnemonic = Mnemonic::from_text(text).expect(text).with_opcode(opcode);
            mnemonic.map(|mnemonic| mnemonic.to_string())
        };
        assert_eq!(under("sub.rz.ftz.sat.f32", Opcode::Add).as_deref(), Some("add.rz.ftz.sat.f32"));
        assert_eq!(under("mad.rn.f64", Opcode::Fma).as_deref(), Some("fma.rn.f64"));
        assert_eq!(under("mad.lo.s32", Opcode::Fma), None);
    }
}
