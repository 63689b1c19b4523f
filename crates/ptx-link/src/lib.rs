//! Links PTX modules into one (manual 11.6, "Linking Directives").
//!
//! The input is verified modules, the output one module, or findings. The units keep their order in the result. A name with a linkage
//! directive denotes the same entity in all units; one without belongs to its unit, and is renamed if another unit uses the same name.
//! The rules are those of the manual, and were compared with `nvlink`:
//!
//! | one | other | result |
//! |---|---|---|
//! | `.visible` | `.visible` | rejected |
//! | `.visible` | `.weak`, `.common` | the `.visible` one |
//! | `.weak` | `.weak`, `.common` | the first `.weak` one |
//! | `.common` | `.common` | the larger one |
//! | any definition | `.extern` | the definition; the declaration must agree with it |
//! | `.extern` | `.extern` | stays `.extern` |
//!
//! Variables agree when space, size and kind are the same and the declaration requires no higher alignment; functions when kind,
//! number, size and alignment of parameters and results are.
//!
//! Invariants: each unit has passed the verifier; the result passes it too. Positions in the result count through all
//! sources, one after the other; [`Sources`] maps them to the sources.

pub mod code;
mod debug;
pub mod device_runtime;
mod dwarf;
mod header;
mod sources;
mod symbols;
mod unresolved;

use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_ir::{Imported, Item, Module};
use ptx_isa::StateSpace;

pub use dwarf::{MergedData, UnitData, Unreadable, data_size, merge_data};
pub use sources::{Sources, TooLarge};
pub use unresolved::{Unresolved, unresolved};

/// A module with the text it was read from.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The module, verified.
    pub module: &'a Module,
    /// Its text.
    pub source: &'a SourceFile,
}

/// Links units into one module; gives it with warnings. A single unit comes out as it is.
///
/// # Errors
///
/// Definitions of the same name, declarations that do not agree, targets that exclude each other: each at one place, with the
/// other place beside it. [`Sources::split`] tells which file each finding is about.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_link::{Sources, Unit, link};
///
/// let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
/// let sources = Sources::new(vec![
///     SourceFile::new("a.ptx", format!("{head}.extern .func f();\n.visible .entry k() {{ call f; ret; }}")),
///     SourceFile::new("b.ptx", format!("{head}.visible .func f() {{ ret; }}")),
/// ]).unwrap();
/// let modules: Vec<_> = sources.files().iter().map(|file| ptx_syntax::parse(file).0).collect();
/// let units: Vec<_> = modules.iter().zip(sources.files()).map(|(module, source)| Unit { module, source }).collect();
/// let (linked, _) = link(&units, &sources).unwrap();
/// assert_eq!(linked.functions.iter().filter(|function| function.body.is_some()).count(), 2);
/// ```
pub fn link(units: &[Unit<'_>], sources: &Sources) -> Result<(Module, Diagnostics), Diagnostics> {
    if let [only] = units {
        return Ok((only.module.clone(), Diagnostics::new()));
    }
    let mut findings = Diagnostics::new();
    let mut module = Module::default();
    let mut parts: Vec<Imported> =
        units.iter().enumerate().map(|(at, unit)| module.import(unit.module, sources.start(at))).collect();
    let heading = header::reconcile(&mut module, &parts, &mut findings);
    let resolved = symbols::resolve(&mut module, &parts, &mut findings);
    refuse_thread_state(&module, &parts, &mut findings);
    debug::merge(&mut module, &mut parts, &resolved.renamed, &mut findings);
    if findings.has_errors() {
        findings.sort_by_place();
        return Err(findings);
    }
    module.items = header::without_empty_promises(&module, heading, &parts);
    let items = parts.into_iter().flat_map(|part| part.items);
    let items: Vec<Item> = items.filter(|item| !header::is_heading(item)).collect();
    symbols::place(&mut module, items, &resolved);
    Ok((module, findings))
}

/// Registers and local variables outside of functions belong to one module: `ptxas` compiles it without the ABI, and links nothing to it.
fn refuse_thread_state(module: &Module, parts: &[Imported], findings: &mut Diagnostics) {
    for item in parts.iter().flat_map(|part| &part.items) {
        let (name, at) = match item {
            Item::Registers(first, ..) => match module.registers.get(first.0 as usize) {
                Some(decl) => (decl.name, decl.at),
                None => continue,
            },
            Item::Variable(id) if module.variable(*id).space == StateSpace::Local => {
                (module.variable(*id).name, module.variable(*id).at)
            }
            _ => continue,
        };
        let name = module.name(name);
        let text = format!(
            "`{name}` is declared outside of functions, and no other module can be linked to this one"
        );
        let finding = Diagnostic::error(code::TARGET, at.0, text);
        findings.push(finding.with_help("declare it in the functions that use it"));
    }
}
