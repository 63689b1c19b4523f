//! Pragmas of bodies (manual 11.4.11, 12), except for hints about loops.

use ptx_ir::{Body, FunctionDirective, Module, Stmt};
use rustc_hash::FxHashMap;

/// Whether the text applies to the next instruction (manual 12.2), in any position.
fn is_about_next(text: &str) -> bool {
    text.starts_with("used_bytes_mask")
}

/// The pragmas between a function's parameters and its body.
pub(crate) fn of_directives<'m>(
    module: &'m Module,
    directives: impl Iterator<Item = &'m FunctionDirective>,
) -> Vec<&'m str> {
    let stated = directives.filter_map(|directive| match directive {
        FunctionDirective::Pragma(texts) => Some(texts),
        _ => None,
    });
    stated.flatten().map(|text| module.name(*text)).filter(|text| !is_about_next(text)).collect()
}

/// The pragmas before the first instruction of a body, which apply to all of it.
pub(crate) fn leading<'m>(module: &'m Module, body: Option<&'m Body>) -> Vec<&'m str> {
    let statements = body.into_iter().flat_map(|body| &body.statements);
    let leading = statements.take_while(|statement| !matches!(statement, Stmt::Inst(_) | Stmt::Label(_)));
    let leading = leading.filter_map(|statement| match statement {
        Stmt::Pragma(texts) => Some(texts),
        _ => None,
    });
    leading.flatten().map(|text| module.name(*text)).filter(|text| !is_about_next(text)).collect()
}

/// The pragmas of a body that precede an instruction, by its statement. `nounroll` applies to the loop (see the
/// control flow), and pragmas before all others apply to the function.
pub(crate) fn before_instructions<'m>(module: &'m Module, body: &'m Body) -> FxHashMap<usize, Vec<&'m str>> {
    let mut found: FxHashMap<usize, Vec<&'m str>> = FxHashMap::default();
    let mut waiting = Vec::new();
    let mut leading = true;
    for (at, statement) in body.statements.iter().enumerate() {
        match statement {
            Stmt::Pragma(texts) => {
                let texts = texts.iter().map(|text| module.name(*text));
                waiting.extend(texts.filter(|text| is_about_next(text) || (!leading && *text != "nounroll")));
            }
            Stmt::Inst(_) => {
                leading = false;
                if !waiting.is_empty() {
                    found.insert(at, std::mem::take(&mut waiting));
                }
            }
            Stmt::Label(_) => leading = false,
            _ => {}
        }
    }
    found
}
