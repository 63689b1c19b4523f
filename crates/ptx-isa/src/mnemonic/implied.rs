//! Modifiers that instructions of old versions and targets imply.
//!
//! Targets before sm_20 have no subnormal numbers of single precision: `add.f32` is what `add.ftz.f32` is elsewhere (the
//! targets' notes of each instruction, manual 9.7.3). Versions before 1.4 write `div.f32` for `div.approx.f32` and `div.f64` for
//! `div.rn.f64`, and versions before 3.2 `mad.f32` for `mad.rn.f32`. The rules are those of `ptxas`, read from its machine code.

use crate::families::Opcode;
use crate::names::{Field, Mod};
use crate::target::{PtxVersion, Sm};
use crate::types::ScalarType;

use super::assign::ids_of;
use super::chosen::Mnemonic;

/// The first version that writes out what these rules add on every target from sm_20 on.
const FIRST_EXPLICIT: PtxVersion = PtxVersion::new(3, 2);
/// The first architecture with subnormal numbers of single precision.
const FIRST_WITH_SUBNORMALS: u16 = 20;
/// The last version whose `cvt` between single precision and 64 bits leaves subnormal numbers alone (manual 9.7.9.21).
const LAST_WIDE_CVT_WITH_SUBNORMALS: PtxVersion = PtxVersion::new(1, 4);

/// Whether a module of this version and target has instructions that mean more than is written.
pub fn implies_modifiers(version: PtxVersion, sm: Sm) -> bool {
    version < FIRST_EXPLICIT || sm.number < FIRST_WITH_SUBNORMALS
}

impl Mnemonic {
    /// The mnemonic with the modifiers that it implies in a module of this version and target.
    #[must_use]
    pub fn written_out(self, version: PtxVersion, sm: Sm) -> Self {
        let complete = self.form().implied.and_then(|implied| self.with_implied(implied)).unwrap_or(self);
        if sm.number < FIRST_WITH_SUBNORMALS && complete.flushes_without_saying(version) {
            return complete.with(Field::Ftz, Some(Mod::Ftz)).unwrap_or(complete);
        }
        complete
    }

    /// The row of today with the modifier that a row of old versions leaves out.
    fn with_implied(self, implied: Mod) -> Option<Self> {
        let modifiers: Vec<Mod> = std::iter::once(implied).chain(self.modifiers()).collect();
        ids_of(self.opcode()).find_map(|id| Self::choose(id, &modifiers))
    }

    /// Whether it accepts `.ftz` and computes in single precision.
    fn flushes_without_saying(self, version: PtxVersion) -> bool {
        let takes = self.form().slot_of(Field::Ftz).is_some_and(|at| self.form().slots[at].is_optional());
        let types = || self.modifiers().filter_map(ScalarType::from_mod);
        let is_wide_cvt = self.opcode() == Opcode::Cvt && types().any(|ty| ty.bits() == 64);
        takes
            && types().any(|ty| ty == ScalarType::F32)
            && !(is_wide_cvt && version <= LAST_WIDE_CVT_WITH_SUBNORMALS)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Mnemonic, PtxVersion, Sm};

    /// The machine code of `ptxas` 13.5 for each: `FADD.FTZ` of `add.f32` for sm_13, and so on.
    #[test]
    fn old_versions_and_targets_mean_what_ptxas_makes_of_them() {
        for (text, version, sm, meaning) in [
            ("add.f32", (1, 4), 13, "add.ftz.f32"),
            ("add.f32", (3, 2), 13, "add.ftz.f32"),
            ("add.f32", (2, 0), 20, "add.f32"),
            ("add.rn.sat.f32", (1, 4), 10, "add.rn.ftz.sat.f32"),
            ("add.f64", (1, 4), 13, "add.f64"),
            ("add.s32", (1, 4), 13, "add.s32"),
            ("mad.f32", (1, 4), 13, "mad.rn.ftz.f32"),
            ("mad.sat.f32", (3, 1), 20, "mad.rn.sat.f32"),
            ("mad.f64", (1, 3), 13, "mad.rn.f64"),
            ("div.f32", (1, 0), 10, "div.approx.ftz.f32"),
            ("div.f64", (1, 3), 13, "div.rn.f64"),
            ("sqrt.f32", (1, 3), 10, "sqrt.approx.ftz.f32"),
            ("sqrt.f64", (1, 3), 13, "sqrt.rn.f64"),
            ("rsqrt.f64", (1, 3), 13, "rsqrt.approx.f64"),
            ("sin.f32", (1, 3), 10, "sin.approx.ftz.f32"),
            ("set.lt.f32.f32", (2, 0), 13, "set.lt.ftz.f32.f32"),
            ("set.lt.u32.s32", (2, 0), 13, "set.lt.u32.s32"),
            ("setp.lt.f32", (2, 0), 13, "setp.lt.ftz.f32"),
            ("cvt.rn.f32.f64", (1, 4), 13, "cvt.rn.f32.f64"),
            ("cvt.rn.f32.f64", (1, 5), 13, "cvt.rn.ftz.f32.f64"),
            ("cvt.f64.f32", (1, 5), 13, "cvt.ftz.f64.f32"),
            ("cvt.rzi.s32.f32", (1, 0), 10, "cvt.rzi.ftz.s32.f32"),
            ("cvt.f32.f32", (1, 0), 10, "cvt.ftz.f32.f32"),
        ] {
            let mnemonic = Mnemonic::from_text(text).expect(text);
            let version = PtxVersion::new(version.0, version.1);
            assert_eq!(
                mnemonic.written_out(version, Sm::new(sm)).to_string(),
                meaning,
                "{text} in {version}"
            );
        }
    }
}
