//! Empty inline assembly, which C code uses so that an optimizer assumes that a value or memory is used or changed.

use std::rc::Rc;

use ptx_llvm_core::view::{Call, CastOp, InstId};

use super::generic::argument;
use super::state::Emitter;
use crate::constraint::register_class;
use crate::error::{ASSEMBLY, RaiseError, Result};
use crate::types::{Class, Leaf, Scalar};
use crate::value::Val;

/// An output of such assembly.
struct Output<'t> {
    /// Its constraint, without `=` and its like.
    letters: &'t str,
    /// The argument that it is tied to.
    tied: Option<usize>,
}

impl Emitter<'_, '_, '_> {
    /// Empty assembly has no instructions, so that its constraints may be those of any machine: an output tied to an input is that
    /// input, any other is a register that nothing writes, and memory is not changed.
    ///
    /// ```text
    /// %r = call i32 asm sideeffect "", "=g,0,~{memory}"(i32 %x)     ; %r is %x
    /// ```
    pub(super) fn empty_asm(&mut self, id: InstId, call: &Call, constraints: &str) -> Result<()> {
        let outputs = outputs(constraints);
        let leaves = self.leaves(self.type_of(id))?;
        let mut rest: &[Leaf] = &leaves;
        let mut values = Vec::with_capacity(leaves.len());
        let last = outputs.len().saturating_sub(1);
        for (at, output) in outputs.iter().enumerate() {
            // A type of several fields has one for each output; the last one gets the rest.
            let Some(tied) = output.tied else {
                let count = if at == last { rest.len() } else { 1.min(rest.len()) };
                let (own, others) = rest.split_at(count);
                values.extend(own.iter().map(|leaf| Val::reg(self.register_for(leaf.scalar))));
                rest = others;
                continue;
            };
            let input = argument(call, tied)?;
            let (from, given) = (self.value_leaves(input)?, self.value(input)?);
            let (own, others) = rest.split_at(from.len().min(rest.len()));
            values.extend(self.through_constraint(output.letters, &from, &given, own)?);
            rest = others;
        }
        if values.len() != leaves.len() {
            return Err(RaiseError::new(ASSEMBLY, "inline assembly whose outputs do not fit its type"));
        }
        self.define(id, Rc::from(values))
    }

    /// A value converted to a register of a constraint and back: an integer of at most its width.
    fn through_constraint(
        &mut self,
        letters: &str,
        from: &[Leaf],
        values: &[Val],
        to: &[Leaf],
    ) -> Result<Vec<Val>> {
        let bits = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.scalar.bits()).sum::<u32>();
        let (width, wanted) = (bits(from), bits(to));
        let held = register_class(letters).map(Class::bits);
        if let (
            [value],
            Some(held),
            [Leaf { scalar: Scalar::Int(own), .. }],
            [Leaf { scalar: Scalar::Int(result), .. }],
        ) = (values, held, from, to)
            && (*own > held || own != result)
        {
            // LLVM cuts and extends integers to the register.
            let cut = self.resize_integer(CastOp::Trunc, &[*value], *own, held.min(*own))?;
            let op = if *result > held.min(*own) { CastOp::ZExt } else { CastOp::Trunc };
            return self.resize_integer(op, &cut, held.min(*own), *result);
        }
        if let Some(held) = held.filter(|held| width > *held) {
            let message = format!("a value of {width} bits for a constraint of {held} bits");
            let help = "name a register as wide as the value: l for 64 bits";
            return Err(RaiseError::new(ASSEMBLY, message).with_help(help));
        }
        if width != wanted {
            let message = "an output of inline assembly of another width than its input";
            return Err(RaiseError::new(ASSEMBLY, message));
        }
        self.bit_cast(from, values, to)
    }
}

/// The outputs that are results, with the arguments that are tied to them.
fn outputs(constraints: &str) -> Vec<Output<'_>> {
    let mut outputs: Vec<Output<'_>> = Vec::new();
    // The outputs among all operands that inputs can be tied to: indirect ones have an argument instead of a result.
    let mut results: Vec<Option<usize>> = Vec::new();
    let mut arguments = 0;
    for part in
        constraints.split(',').map(str::trim).filter(|part| !part.is_empty() && !part.starts_with('~'))
    {
        let letters = part.trim_start_matches(['=', '&', '%']);
        match (part.starts_with('='), letters.strip_prefix('*'), letters.parse::<usize>()) {
            (true, None, _) => {
                results.push(Some(outputs.len()));
                outputs.push(Output { letters, tied: None });
                continue;
            }
            (true, Some(_), _) => results.push(None),
            (false, _, Ok(number)) => {
                if let Some(output) =
                    results.get(number).copied().flatten().and_then(|at| outputs.get_mut(at))
                {
                    output.tied = Some(arguments);
                }
            }
            (false, ..) => {}
        }
        arguments += 1;
    }
    outputs
}
