//! `.version`, `.target` and `.address_size` of several units (manual 11.1).

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{At, Imported, Item, Module, StrId, TargetSpec};
use ptx_isa::PtxVersion;

use crate::code;

/// Options of `.target` that say how the whole module is meant: units must agree on them.
const MODES: [&str; 3] = ["texmode_independent", "texmode_unified", "map_f64_to_f32"];

/// Whether an item is of those that are first and once.
pub(crate) fn is_heading(item: &Item) -> bool {
    matches!(item, Item::Version(..) | Item::Target(..) | Item::AddressSize(..))
}

/// The heading of the result: the highest version, the target that all units run on, the address size of all.
pub(crate) fn reconcile(module: &mut Module, parts: &[Imported], findings: &mut Diagnostics) -> Vec<Item> {
    let mut heading = Vec::new();
    if let Some((version, at)) = version(parts) {
        heading.push(Item::Version(version, at));
    }
    if let Some((target, at)) = target(module, parts, findings) {
        heading.push(Item::Target(target, at));
    }
    if let Some((bits, at)) = address_size(parts, findings) {
        heading.push(Item::AddressSize(bits, at));
    }
    heading
}

/// Leaves out `debug` where no debug information is left: it promises some.
pub(crate) fn without_empty_promises(module: &Module, heading: Vec<Item>, parts: &[Imported]) -> Vec<Item> {
    let kept = parts.iter().flat_map(|part| &part.items).any(|item| match item {
        Item::Section(section) => module.name(section.name) == ".debug_info",
        Item::DwarfLine(_) => true,
        _ => false,
    });
    let mut heading = heading;
    for item in &mut heading {
        if let (Item::Target(target, _), false) = (item, kept) {
            target.names.retain(|name| module.name(*name) != "debug");
        }
    }
    heading
}

fn version(parts: &[Imported]) -> Option<(PtxVersion, At)> {
    let stated = parts.iter().flat_map(|part| &part.items).filter_map(|item| match item {
        Item::Version(version, at) => Some((*version, *at)),
        _ => None,
    });
    stated.max_by_key(|(version, _)| *version)
}

fn target(module: &Module, parts: &[Imported], findings: &mut Diagnostics) -> Option<(TargetSpec, At)> {
    let stated: Vec<(&TargetSpec, At)> = parts
        .iter()
        .flat_map(|part| &part.items)
        .filter_map(|item| match item {
            Item::Target(target, at) => Some((target, *at)),
            _ => None,
        })
        .collect();
    let named = stated.iter().filter_map(|(target, at)| Some((target.sm?, target, *at)));
    let (sm, highest, at) = named.clone().max_by_key(|(sm, ..)| (sm.number, sm.variant))?;
    for (needed, _, place) in named {
        if !sm.provides(needed) {
            let text = format!("code for {needed} does not run on {sm}");
            let finding = Diagnostic::error(code::TARGET, place.0, text);
            findings.push(finding.with_related(at.0, format!("the target {sm} is chosen")));
        }
    }
    let has = |target: &TargetSpec, word: &str| target.names.iter().any(|id| module.name(*id) == word);
    let (first, first_at) = *stated.first()?;
    for mode in MODES {
        for (target, place) in stated.iter().skip(1) {
            // Unified is what holds without a word.
            if mode != "texmode_unified" && has(target, mode) != has(first, mode) {
                let text = format!("`{mode}` applies to a whole module, but not all inputs specify it");
                let finding = Diagnostic::error(code::TARGET, place.0, text);
                findings.push(finding.with_related(first_at.0, "the first `.target`"));
            }
        }
    }
    let mut names: Vec<StrId> = highest.names.clone();
    for id in stated.iter().flat_map(|(target, _)| &target.names) {
        let is_option = module.name(*id) == "debug";
        if is_option && !names.contains(id) {
            names.push(*id);
        }
    }
    Some((TargetSpec { sm: Some(sm), names }, at))
}

fn address_size(parts: &[Imported], findings: &mut Diagnostics) -> Option<(u32, At)> {
    let mut chosen: Option<(u32, At)> = None;
    for part in parts {
        let stated = part.items.iter().find_map(|item| match item {
            Item::AddressSize(bits, at) => Some((*bits, *at)),
            _ => None,
        });
        // A unit without the directive has 64-bit addresses.
        let Some((bits, at)) = stated else { continue };
        match chosen {
            None => chosen = Some((bits, at)),
            Some((first, first_at)) if first != bits => {
                let text =
                    format!("addresses of {bits} bits are incompatible with addresses of {first} bits");
                let finding = Diagnostic::error(code::TARGET, at.0, text);
                findings.push(finding.with_related(first_at.0, "the first `.address_size`"));
            }
            Some(_) => {}
        }
    }
    chosen
}
