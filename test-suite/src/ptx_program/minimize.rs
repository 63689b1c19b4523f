//! Leaving statements out as long as a difference stays.

use super::syntax::*;

/// What is done to a range of statements, counted in the order of the text.
#[derive(Clone, Copy)]
enum Edit {
    Remove,
    /// Replaces a compound by one of its bodies.
    Unwrap(usize),
}

/// The smallest module that is found for which `holds`.
pub(super) fn minimize(mut module: Module, holds: &mut dyn FnMut(&Module) -> bool) -> Module {
    let mut size = count(&module).next_power_of_two();
    let mut progress = false;
    while size > 0 {
        let mut at = 0;
        while at < count(&module) {
            let mut edits = vec![Edit::Remove];
            if size == 1 {
                edits.extend([Edit::Unwrap(0), Edit::Unwrap(1)]);
            }
            let smaller = edits.into_iter().find_map(|edit| {
                let candidate = edited(&module, at..at + size, edit);
                (candidate != module && holds(&candidate)).then_some(candidate)
            });
            match smaller {
                Some(smaller) => {
                    module = smaller;
                    progress = true;
                }
                None => at += size,
            }
        }
        if size == 1 && progress {
            // What could not go before may go now.
            progress = false;
            continue;
        }
        size /= 2;
    }
    module
}

fn count(module: &Module) -> usize {
    fn statements(body: &[Statement]) -> usize {
        body.iter().map(|s| 1 + s.what.bodies().into_iter().map(|b| statements(b)).sum::<usize>()).sum()
    }
    module.functions.iter().map(|function| statements(&function.scope.body)).sum()
}

fn edited(module: &Module, range: std::ops::Range<usize>, edit: Edit) -> Module {
    let mut module = module.clone();
    let mut next = 0;
    for function in &mut module.functions {
        let body = std::mem::take(&mut function.scope.body);
        function.scope.body = apply(body, &mut next, &range, edit);
    }
    module
}

fn apply(
    body: Vec<Statement>,
    next: &mut usize,
    range: &std::ops::Range<usize>,
    edit: Edit,
) -> Vec<Statement> {
    let mut result = Vec::new();
    for mut statement in body {
        let chosen = range.contains(next);
        *next += 1;
        for inner in statement.what.bodies_mut() {
            *inner = apply(std::mem::take(inner), next, range, edit);
        }
        match edit {
            _ if !chosen => result.push(statement),
            Edit::Remove => {}
            Edit::Unwrap(which) => {
                let is_scope = matches!(statement.what, What::Scope(_));
                let mut bodies = statement.what.bodies_mut();
                if !is_scope && which < bodies.len() {
                    result.append(bodies[which]);
                } else {
                    result.push(statement);
                }
            }
        }
    }
    result
}
