//! Labels and control flow directives (manual 11.3).

use ptx_ir::{At, LabelKind, LabelTarget, Prototype, Stmt};

use crate::codes;
use crate::resolve::constant::word;
use crate::resolve::variable::range_count;
use crate::resolve::{Resolved, Resolver, at};
use crate::tree::{self as syntax, Name, Number};

/// How many labels one range may name.
const MAX_LABELS: u32 = 65_536;

impl<'s> Resolver<'s, '_> {
    /// `name:`
    pub(crate) fn label(&mut self, name: Name<'s>) -> Resolved<()> {
        let label = self.define_label(name.text, name.span, LabelKind::Code)?;
        self.body.statements.push(Stmt::Label(label));
        Ok(())
    }

    /// `name: .branchtargets a, b;`
    pub(crate) fn branch_targets(
        &mut self,
        name: Name<'s>,
        targets: &[(Name<'s>, Option<Number<'s>>)],
    ) -> Resolved<()> {
        let id = self.define_label(name.text, name.span, LabelKind::BranchTargets)?;
        let mut labels = Vec::with_capacity(targets.len());
        for (target, count) in targets {
            let Name { text, span } = *target;
            let Some(count) = count.map(range_count).transpose()? else {
                labels.push(LabelTarget { label: self.use_label(text, span), at: At(span) });
                continue;
            };
            // `L<4>`: the labels `L0` to `L3`.
            if count == 0 || count > MAX_LABELS {
                let message = format!("a range has 1 to {MAX_LABELS} labels, not {count}");
                return Err(at(codes::DIRECTIVE_VALUE, span, message));
            }
            for number in 0..count {
                let label = self.use_label(format!("{text}{number}"), span);
                labels.push(LabelTarget { label, at: At(span) });
            }
        }
        self.body.statements.push(Stmt::BranchTargets(id, labels));
        Ok(())
    }

    /// `name: .calltargets f, g;`
    pub(crate) fn call_targets(&mut self, name: Name<'s>, functions: &[Name<'s>]) -> Resolved<()> {
        let id = self.define_label(name.text, name.span, LabelKind::CallTargets)?;
        let functions: Resolved<Vec<_>> =
            functions.iter().map(|function| self.declared_function(*function)).collect();
        self.body.statements.push(Stmt::CallTargets(id, functions?));
        Ok(())
    }

    /// `name: .callprototype (..) _ (..);`
    pub(crate) fn call_prototype(
        &mut self,
        name: Name<'s>,
        prototype: &syntax::Prototype<'s>,
    ) -> Resolved<()> {
        let id = self.define_label(name.text, name.span, LabelKind::CallPrototype)?;
        // Names of a prototype's parameters mean nothing outside it.
        self.enter_scope();
        let prototype = self.prototype(prototype);
        self.leave_scope();
        self.duplicates.clear();
        self.body.statements.push(Stmt::CallPrototype(id, Box::new(prototype?)));
        Ok(())
    }

    fn prototype(&mut self, syntax: &syntax::Prototype<'s>) -> Resolved<Prototype> {
        let (results, params) = (self.parameters(&syntax.results)?, self.parameters(&syntax.parameters)?);
        let mut prototype = Prototype { results, params, ..Prototype::default() };
        for directive in &syntax.directives {
            let at = At(directive.word.span);
            match (directive.word.text, directive.numbers.first()) {
                ("abi_preserve", Some(number)) => {
                    prototype.abi_preserve = Some((word(*number, "the number of registers")?, at));
                }
                ("abi_preserve_control", Some(number)) => {
                    prototype.abi_preserve_control = Some((word(*number, "the number of registers")?, at));
                }
                _ => prototype.noreturn = Some(at),
            }
        }
        Ok(prototype)
    }
}
