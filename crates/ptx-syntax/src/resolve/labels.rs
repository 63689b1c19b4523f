//! Labels: each belongs to the enclosing braces and may be used before its definition (manual 4.4).

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{At, Body, Label, LabelId, LabelKind};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

use crate::codes;
use crate::resolve::label_scopes::{KnownLabel, Labels};
use crate::resolve::{Resolved, Resolver};
use ptx_diag::nearest;

impl<'s> Resolver<'s, '_> {
    /// Opens a scope.
    pub(crate) fn enter_scope(&mut self) {
        self.names.enter();
        self.enter_labels();
    }

    /// Closes the innermost scope.
    pub(crate) fn leave_scope(&mut self) {
        self.names.leave();
        self.leave_labels();
    }

    /// Opens the scope of inline assembly, whose labels are local to it.
    pub(crate) fn enter_assembly(&mut self) {
        self.names.enter();
        self.enter_scope();
    }

    /// Closes the scope of inline assembly.
    pub(crate) fn leave_assembly(&mut self) {
        self.leave_scope();
        self.names.leave();
        self.replace_merged_labels();
    }

    pub(crate) fn enter_labels(&mut self) {
        self.labels.scopes.push(FxHashMap::default());
        self.labels.used.push(Vec::new());
    }

    /// Ends a scope; labels that it uses but does not define are resolved in the outer scopes.
    pub(crate) fn leave_labels(&mut self) {
        let (Some(scope), Some(used)) = (self.labels.scopes.pop(), self.labels.used.pop()) else {
            return;
        };
        // A label that the scope uses but does not define becomes a use in the outer scope, with the same ID. If that scope has an ID for the name
        // already, the pair is recorded; IDs are replaced once, at the end of the function, and not for each scope.
        let mut undefined = Vec::new();
        for name in &used {
            let Some(&known) = scope.get(name) else { continue };
            if known.defined.is_some() {
                continue;
            }
            let Some(outer) = self.labels.scopes.last_mut() else {
                undefined.push((name.as_ref(), known));
                continue;
            };
            match outer.get(name) {
                Some(found) => self.labels.merged.push((known.id, found.id)),
                None => {
                    outer.insert(name.clone(), known);
                    self.labels.used.last_mut().into_iter().for_each(|used| used.push(name.clone()));
                }
            }
        }
        if undefined.is_empty() {
            return;
        }
        let is_defined = |name: &&str| scope.get(*name).is_some_and(|known| known.defined.is_some());
        let defined: Vec<&str> = used.iter().map(Cow::as_ref).filter(is_defined).collect();
        for (name, known) in undefined {
            self.undefined_label(name, known, &defined);
        }
    }

    fn undefined_label(&mut self, name: &str, known: KnownLabel, defined: &[&str]) {
        // A label has one entry in the outermost scope, so that this is reported once.
        if self.reached_error_limit() || self.is_invalid(name) || self.reported.contains(name) {
            return;
        }
        let message = format!("label `{name}` is not defined in this function");
        let mut error = Diagnostic::error(codes::UNDECLARED, known.used, message);
        if name.starts_with('%') {
            error = error.with_help(format!("write the condition before the branch: `@{name} bra label;`"));
        } else if let Some(near) = nearest(name, defined.iter().copied()) {
            error = error.with_help(format!("there is a label `{near}`")).with_fix(known.used, near);
        }
        self.report(error);
    }

    /// Returns the label that a statement refers to, and creates it on its first use.
    pub(crate) fn use_label(&mut self, name: impl Into<Cow<'s, str>>, span: Span) -> LabelId {
        let name = name.into();
        let Some(scope) = self.labels.scopes.last_mut() else { return LabelId(0) };
        if let Some(known) = scope.get(&name) {
            return known.id;
        }
        let id = LabelId(self.body.labels.len() as u32);
        scope.insert(name.clone(), KnownLabel { id, defined: None, used: span });
        self.labels.used.last_mut().into_iter().for_each(|used| used.push(name.clone()));
        let name = self.module.strings.intern(&name);
        self.body.labels.push(Label { name, kind: LabelKind::Code, at: At(span) });
        id
    }

    /// Where the innermost scope defines a label of this name.
    pub(crate) fn label_here(&self, name: &str) -> Option<Span> {
        self.labels.scopes.last()?.get(name)?.defined
    }

    /// Whether an open scope already uses or defines a label of this name.
    pub(crate) fn knows_label(&self, name: &str) -> bool {
        self.labels.scopes.iter().any(|scope| scope.contains_key(name))
    }

    /// Defines a label.
    pub(crate) fn define_label(&mut self, name: &'s str, span: Span, kind: LabelKind) -> Resolved<LabelId> {
        if let Some(entry) = self.names.entities.get_here(name)
            && !entry.value.is_remembered()
        {
            let error =
                Diagnostic::error(codes::DUPLICATE, span, format!("`{name}` is declared in this scope"));
            return Err(Box::new(error.with_related(entry.span, "first declared here")));
        }
        let id = self.use_label(name, span);
        let known = self.labels.scopes.last_mut().and_then(|scope| scope.get_mut(name));
        if let Some(known) = known {
            if let Some(first) = known.defined {
                let message = format!("label `{name}` is defined twice in this scope");
                let error = Diagnostic::error(codes::DUPLICATE, span, message);
                return Err(Box::new(error.with_related(first, "first defined here")));
            }
            known.defined = Some(span);
        }
        if let Some(label) = self.body.labels.get_mut(id.0 as usize) {
            label.kind = kind;
            label.at = At(span);
        }
        Ok(id)
    }

    /// Replaces the labels that were found in outer scopes, at the end of a function.
    pub(crate) fn replace_merged_labels(&mut self) {
        let merged = std::mem::take(&mut self.labels.merged);
        if !merged.is_empty() {
            replace_merged(&mut self.body, &merged);
        }
        self.labels = Labels::default();
    }
}

/// Replaces merged labels, and renumbers the others without gaps.
fn replace_merged(body: &mut Body, merged: &[(LabelId, LabelId)]) {
    let mut target: Vec<LabelId> = (0..body.labels.len() as u32).map(LabelId).collect();
    // Outer scopes are merged later, so that in reverse order every target is final before it is read.
    for (from, to) in merged.iter().rev() {
        target[from.0 as usize] = target[to.0 as usize];
    }
    let mut places = vec![LabelId(0); target.len()];
    let mut kept = Vec::with_capacity(target.len());
    for (at, label) in std::mem::take(&mut body.labels).into_iter().enumerate() {
        if target[at].0 as usize == at {
            places[at] = LabelId(kept.len() as u32);
            kept.push(label);
        }
    }
    body.labels = kept;
    // Operands of discarded statements may refer to labels that no longer exist.
    body.map_labels(|label| {
        let target = target.get(label.0 as usize).copied().unwrap_or(label);
        places.get(target.0 as usize).copied().unwrap_or(target)
    });
}
