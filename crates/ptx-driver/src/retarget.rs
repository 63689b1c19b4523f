//! Changes the architecture and the PTX version of a module.

use ptx_ir::{Item, Module, TargetSpec};
use ptx_isa::{PtxVersion, Sm};

/// The target that the user specifies in place of that of the module; `None` keeps the module's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TargetChoice {
    /// The architecture.
    pub sm: Option<Sm>,
    /// The PTX version.
    pub version: Option<PtxVersion>,
}

/// Replaces the values of `.version` and `.target` (manual 11.1). This must precede verification, which checks that the
/// module's instructions exist on the new target.
///
/// A module without these directives is unchanged; the verifier rejects it.
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
            | Item::Registers(..)
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

#[cfg(test)]
mod tests {
    use ptx_ir::At;

    use super::*;

    fn module() -> Module {
        let mut module = Module::default();
        let names = ["sm_80", "debug"].map(|name| module.strings.intern(name)).to_vec();
        module.items = vec![
            Item::Version(PtxVersion::new(8, 0), At::default()),
            Item::Target(TargetSpec { sm: Some(Sm::new(80)), names }, At::default()),
        ];
        module
    }

    #[test]
    fn chosen_parts_are_replaced_and_options_stay() {
        let mut changed = module();
        retarget(
            &mut changed,
            TargetChoice { sm: Sm::from_text("sm_90a"), version: Some(PtxVersion::new(8, 3)) },
        );
        let text = ptx_ir::print(&changed);
        assert!(text.contains(".version 8.3") && text.contains(".target sm_90a, debug"), "{text}");
        assert_eq!(changed.target().and_then(|target| target.sm), Sm::from_text("sm_90a"));
    }

    #[test]
    fn what_is_not_chosen_stays() {
        let mut same = module();
        retarget(&mut same, TargetChoice::default());
        assert_eq!(same, module());
    }
}
