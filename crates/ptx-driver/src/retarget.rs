//! Changing the architecture and the PTX version a module is for.

use ptx_ir::{Item, Module, TargetSpec};
use ptx_isa::{PtxVersion, Sm};

/// What the user asks for instead of the module's own target; `None` keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TargetChoice {
    /// The architecture.
    pub sm: Option<Sm>,
    /// The PTX version.
    pub version: Option<PtxVersion>,
}

/// Replaces what `.version` and `.target` say (manual 11.1). Whether the module's instructions exist there is for the
/// verifier to find, so this comes before it.
///
/// A module without these directives is left as it is; the verifier rejects it.
pub fn retarget(module: &mut Module, choice: TargetChoice) {
    let name = choice.sm.map(|sm| (sm, module.strings.intern(&sm.to_string())));
    for item in &mut module.items {
        match item {
            Item::Version(version, _) => *version = choice.version.unwrap_or(*version),
            Item::Target(target, _) => {
                let Some((sm, name)) = name else { continue };
                let old = target.sm.map(|sm| sm.to_string());
                let is_old = |id: &_| old.as_deref() == Some(module.strings.get(*id));
                let options = target.names.iter().copied().filter(|id| !is_old(id));
                *target = TargetSpec { sm: Some(sm), names: [name].into_iter().chain(options).collect() };
            }
            Item::AddressSize(..)
            | Item::Variable(_)
            | Item::Function(_)
            | Item::File(..)
            | Item::Section(_)
            | Item::Location(_)
            | Item::Pragma(..)
            | Item::Alias(..)
            | Item::DwarfLine(_)
            | Item::Comment(_)
            | Item::TrailingComment(_) => {}
        }
    }
}
