//! `.version` and `.target` of the result (manual 11.1.1, 11.1.2).
//!
//! The options have precedence, and the module must not use features that they exclude. Otherwise the module's own
//! metadata and attributes apply, the highest of each; a version that is too low for the features used is raised,
//! since that does not change machine code. If the architecture is not specified it is the lowest that has all
//! features used, from `sm_75` on.

use ptx_isa::{Construct, Mnemonic, PtxVersion, Since, Sm, ptx};
use ptx_legalize::Atomics;
use ptx_llvm_core::view::View;
use ptx_llvm_core::{Gpu, marks};

use crate::error::{RaiseError, Result, TARGET};

/// The options of the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RaiseOptions {
    /// The architecture of `.target`; `None` is the module's own.
    pub target: Option<Sm>,
    /// The `.version`; `None` is the module's own.
    pub version: Option<PtxVersion>,
}

/// The GPU for LLVM's passes, and the atomic operations of the target.
pub(crate) fn for_passes(view: &View, options: &RaiseOptions) -> (Gpu, Atomics) {
    let version = options.version.map(|version| u32::from(version.major) * 10 + u32::from(version.minor));
    let cpu = options.target.map(|sm| sm.to_string());
    let target = Target::new(view, options);
    let atomics = Atomics {
        swaps_16_bits: target.supports(ptx!("atom.cas.b16")),
        adds_double: target.supports(ptx!("atom.add.f64")),
        adds_half: target.supports(ptx!("atom.add.noftz.f16")),
        adds_half_pair: target.supports(ptx!("atom.add.noftz.f16x2")),
        adds_bfloat: target.supports(ptx!("atom.add.noftz.bf16")),
    };
    (Gpu { cpu, ptx_version: version, ..Gpu::default() }, atomics)
}

/// The architecture when neither options nor module name one.
const DEFAULT_SM: u16 = 75;

/// The lowest version that is emitted: the first with `.address_size`.
const LEAST_VERSION: PtxVersion = PtxVersion::new(3, 0);

/// The first architecture with double precision.
const FIRST_WITH_DOUBLES: u16 = 13;

/// The target in force while instructions are selected, and their requirements.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    sm: Sm,
    /// Whether the options or the module specify the architecture.
    is_chosen: bool,
    version: PtxVersion,
    version_fixed: bool,
    names: Vec<String>,
    /// Features in use that only some targets have, if the architecture is not specified.
    demands: Vec<Since>,
}

impl Target {
    /// Determines the target from options and module.
    pub(crate) fn new(view: &View, options: &RaiseOptions) -> Self {
        let chosen = options.target.or_else(|| module_target(view));
        let sm = chosen.unwrap_or(Sm::new(DEFAULT_SM));
        let mut names = if options.target.is_some() { Vec::new() } else { target_options(view) };
        // It has no effect on targets with double precision (manual 11.1.2), and is rejected there.
        names.retain(|name| name != "map_f64_to_f32" || sm.number < FIRST_WITH_DOUBLES);
        // The operating system `nvcl` in the triple means that OpenCL's images and samplers are bound separately (manual 5.3).
        if view.triple.ends_with("-nvcl") && !names.iter().any(|name| name.starts_with("texmode_")) {
            names.push("texmode_independent".to_owned());
        }
        // A version that has the architecture has its other instructions, too.
        let least = chosen.map_or(PtxVersion::new(1, 0), first_version);
        let version = options.version.unwrap_or_else(|| module_version(view).unwrap_or(least).max(least));
        let (is_chosen, version_fixed) = (chosen.is_some(), options.version.is_some());
        Self { sm, is_chosen, version, version_fixed, names, demands: Vec::new() }
    }

    /// Whether samplers are bound separately from textures (manual 5.3).
    pub(crate) fn binds_apart(&self) -> bool {
        self.names.iter().any(|name| name == "texmode_independent")
    }

    /// Whether code for the target may use a feature that exists since `since`.
    pub(crate) fn has(&self, since: Since) -> bool {
        since.admits(self.sm) && (!self.version_fixed || self.version >= since.ptx)
    }

    /// Whether the instruction can be used, see [`Self::has`].
    pub(crate) fn supports(&self, mnemonic: Mnemonic) -> bool {
        mnemonic.limits().all(|since| self.has(since))
    }

    /// Whether the architecture has the instruction, in the PTX versions that have it.
    pub(crate) fn runs(&self, mnemonic: Mnemonic) -> bool {
        mnemonic.limits().all(|since| since.admits(self.sm))
    }

    /// Whether the architecture is specified and does not have a feature that exists since `since`.
    pub(crate) fn lacks(&self, since: Since) -> bool {
        self.is_chosen && !since.admits(self.sm)
    }

    /// Whether the target has a feature that exists since `since` without a higher version than the current one.
    pub(crate) fn has_already(&self, since: Since) -> bool {
        since.admits(self.sm) && self.version >= since.ptx
    }

    /// Whether the caller specified a version.
    pub(crate) fn is_version_fixed(&self) -> bool {
        self.version_fixed
    }

    /// Records that `what` is used.
    pub(crate) fn need(&mut self, since: Since, what: &dyn Fn() -> String) -> Result<()> {
        if !since.admits(self.sm) {
            if self.is_chosen {
                let message = format!("{} needs {}, the target is {}", what(), since.targets(), self.sm);
                return Err(RaiseError::new(TARGET, message).with_help("choose another target"));
            }
            self.sm = self.grown(since).ok_or_else(|| {
                let message =
                    format!("{} needs {}, other instructions need {}", what(), since.targets(), self.sm);
                RaiseError::new(TARGET, message).with_help("no target has both")
            })?;
        }
        if !self.is_chosen && !since.only.is_empty() && !self.demands.contains(&since) {
            self.demands.push(since);
        }
        if self.version < since.ptx {
            if self.version_fixed {
                let message = format!("{} needs PTX {}, the version is {}", what(), since.ptx, self.version);
                return Err(RaiseError::new(TARGET, message).with_help("raise the version"));
            }
            self.version = since.ptx;
        }
        Ok(())
    }

    /// Records that a construct is used.
    pub(crate) fn need_construct(&mut self, construct: Construct) -> Result<()> {
        self.need(construct.since(), &|| construct.to_string())
    }

    /// The lowest architecture that has a feature that exists since `since` and all required before.
    fn grown(&self, since: Since) -> Option<Sm> {
        let listed =
            since.only.iter().copied().chain(self.demands.iter().flat_map(|demand| demand.only).copied());
        let mut possible: Vec<Sm> = listed.chain([Sm::new(since.sm)]).collect();
        possible.sort_by_key(|sm| (sm.number, sm.variant));
        possible.into_iter().find(|&sm| {
            sm.number >= self.sm.number
                && since.admits(sm)
                && self.demands.iter().all(|demand| demand.admits(sm))
        })
    }

    /// Whether the code is for debugging (manual 11.1.2).
    pub(crate) fn is_debugging(&self) -> bool {
        self.names.iter().any(|word| word == "debug")
    }

    /// Leaves out `debug`, which promises DWARF sections: there are none.
    pub(crate) fn drop_debug(&mut self) {
        self.names.retain(|word| word != "debug");
    }

    /// Promises DWARF sections.
    pub(crate) fn add_debug(&mut self) {
        if !self.is_debugging() {
            self.names.push("debug".to_owned());
        }
    }

    /// The `.version` and the words of `.target`, once everything is selected.
    pub(crate) fn finish(&self) -> Result<(PtxVersion, Sm, Vec<String>)> {
        let needed = first_version(self.sm);
        if self.version_fixed && self.version < needed {
            let message = format!("{} needs PTX {needed}, the version is {}", self.sm, self.version);
            return Err(RaiseError::new(TARGET, message).with_help("raise the version"));
        }
        Ok((self.version.max(needed), self.sm, self.names.clone()))
    }
}

/// The first version that has an architecture, the newest one when none does.
fn first_version(sm: Sm) -> PtxVersion {
    ptx_verify::first_version(sm).unwrap_or(PtxVersion::NEWEST).max(LEAST_VERSION)
}

fn module_target(view: &View) -> Option<Sm> {
    let stated = view.named(marks::TARGET).iter();
    let named = stated.filter_map(|&node| view.strings(node).first().and_then(|word| Sm::from_text(word)));
    let attributes =
        view.functions.iter().filter_map(|f| f.attributes.string("target-cpu").and_then(Sm::from_text));
    named.chain(attributes).max_by_key(|sm| (sm.number, sm.variant))
}

fn target_options(view: &View) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for &node in view.named(marks::TARGET) {
        for word in view.strings(node).into_iter().skip(1) {
            if !options.iter().any(|known| known == word) {
                options.push(word.to_owned());
            }
        }
    }
    options
}

fn module_version(view: &View) -> Option<PtxVersion> {
    let stated = view.named(marks::VERSION).iter();
    let named =
        stated.filter_map(|&node| view.strings(node).first().and_then(|word| PtxVersion::from_text(word)));
    let features = view.functions.iter().filter_map(|f| f.attributes.string("target-features"));
    named.chain(features.filter_map(version_of_features)).max()
}

/// The version in `+ptx87`: all digits but the last are the major number.
fn version_of_features(features: &str) -> Option<PtxVersion> {
    let versions = features.split(',').filter_map(|feature| {
        let number: u16 = feature.trim().strip_prefix("+ptx")?.parse().ok()?;
        Some(PtxVersion::new(u8::try_from(number / 10).ok()?, u8::try_from(number % 10).ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_name_the_version() {
        assert_eq!(version_of_features("+ptx87"), Some(PtxVersion::new(8, 7)));
        assert_eq!(version_of_features("+ptx100,+sm_90"), Some(PtxVersion::new(10, 0)));
        assert_eq!(version_of_features("+sm_90"), None);
    }

    #[test]
    fn unnamed_target_grows_with_the_demands() {
        let mut target = Target::new(&View::default(), &RaiseOptions::default());
        let since = Since::new(7, 8, 90);
        target.need(since, &|| "x".to_owned()).expect("no target was asked for");
        assert_eq!(target.finish().expect("consistent").0, PtxVersion::new(7, 8));
        assert_eq!(target.finish().expect("consistent").1, Sm::new(90));
    }

    #[test]
    fn unnamed_target_takes_the_letter_that_is_needed_and_no_two_at_once() {
        let mut target = Target::new(&View::default(), &RaiseOptions::default());
        const HOPPER: Since = Since::on(8, 0, &[Sm::arch(90)]);
        target.need(HOPPER, &|| "wgmma".to_owned()).expect("no target was asked for");
        assert_eq!(target.finish().expect("consistent").1, Sm::arch(90));
        const BLACKWELL: Since = Since::on(8, 6, &[Sm::arch(100)]);
        assert!(target.need(BLACKWELL, &|| "tcgen05".to_owned()).is_err());
        assert!(target.need(Since::new(8, 6, 100), &|| "x".to_owned()).is_err());
    }

    #[test]
    fn asked_for_version_holds() {
        let options = RaiseOptions { target: Some(Sm::new(80)), version: Some(PtxVersion::new(7, 0)) };
        let mut target = Target::new(&View::default(), &options);
        let since = Since::new(7, 8, 30);
        assert!(target.need(since, &|| "x".to_owned()).is_err());
        let since = Since::new(7, 0, 90);
        assert!(target.need(since, &|| "x".to_owned()).is_err());
    }
}
