//! Kernels for known launches: how long they may be.

use std::ops::Bound;

use ptx_diag::Diagnostic;
use ptx_llvm_core::{Module, instruction_count};
use ptx_specialize::{Assumptions, Specialized};

use crate::llvm_leg::code;

/// How many times the instructions of a kernel its copy may have.
const MOST_GROWTH: usize = 4;

/// Below this number of instructions, growth does not matter.
const FEW: usize = 200;

/// How a kernel for known launches is made: with all assumptions first, and then, while it is too long, with one argument less, each in turn, without any
/// argument, and without unrolling where nothing else is assumed.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempt {
    all: Assumptions,
    assumed: Assumptions,
    left_out: LeftOut,
}

/// What is left out of assumptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LeftOut {
    Nothing,
    /// The argument with this index.
    One(usize),
    /// All arguments.
    Arguments,
    /// Nothing, but loops are not unrolled.
    Unrolling,
}

impl Attempt {
    /// The first attempt, in which everything is assumed.
    pub fn new(assumed: &Assumptions) -> Self {
        Self { all: assumed.clone(), assumed: assumed.clone(), left_out: LeftOut::Nothing }
    }

    /// What is assumed.
    pub fn assumed(&self) -> &Assumptions {
        &self.assumed
    }

    /// Whether loops of known trip counts are unrolled.
    pub fn unrolls(&self) -> bool {
        self.left_out != LeftOut::Unrolling
    }

    /// The attempt after one with which the kernel became too long; `None` after the last one.
    pub fn next(&self) -> Option<Self> {
        let arguments = &self.all.arguments;
        let next = match self.left_out {
            LeftOut::Nothing => arguments.keys().next(),
            LeftOut::One(index) => {
                let after = (Bound::Excluded(index), Bound::Unbounded);
                arguments.range(after).map(|(index, _)| index).next()
            }
            LeftOut::Arguments | LeftOut::Unrolling => return None,
        };
        let mut assumed = self.all.clone();
        let left_out = match next.filter(|_| arguments.len() > 1) {
            Some(index) => {
                assumed.arguments.remove(index);
                LeftOut::One(*index)
            }
            None => {
                assumed.arguments.clear();
                if arguments.is_empty() || assumed.is_empty() {
                    LeftOut::Unrolling
                } else {
                    LeftOut::Arguments
                }
            }
        };
        if left_out == LeftOut::Unrolling {
            assumed.clone_from(&self.all);
        }
        Some(Self { all: self.all.clone(), assumed, left_out })
    }

    /// A warning about what is not assumed, or not unrolled, of the kernel `copy`.
    pub fn warning(&self, copy: &Specialized) -> Option<Diagnostic> {
        let why =
            format!("it would have more than {MOST_GROWTH} times the instructions of `{}`", copy.original);
        let message = match self.left_out {
            LeftOut::Nothing => return None,
            LeftOut::One(index) => format!("arg{index} is not assumed in `{}`, since {why}", copy.name),
            LeftOut::Arguments => format!("no argument is assumed in `{}`, since {why}", copy.name),
            LeftOut::Unrolling => format!("loops of `{}` are not unrolled, since {why}", copy.name),
        };
        let assumed = &self.assumed;
        let help = format!("it is for launches with: {assumed}");
        Some(Diagnostic::warning_without_place(code::TOO_LONG, message).with_help(help))
    }
}

/// Whether a copy has grown too much: what it saves does not pay for its size in the instruction cache.
pub fn has_grown_too_much(module: &Module<'_>, copy: &Specialized) -> bool {
    let [before, after] = [&copy.original, &copy.name].map(|name| instruction_count(module, name));
    match (before, after) {
        (Some(before), Some(after)) => after > FEW && after > before * MOST_GROWTH,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_left_out_one_by_one_and_then_all() {
        let texts = |text: &str| {
            let first = Attempt::new(&text.parse().expect("assumptions"));
            let attempts = std::iter::successors(first.next(), Attempt::next);
            attempts.map(|one| (one.assumed().to_string(), one.unrolls())).collect::<Vec<_>>()
        };
        let with = |texts: &[&str]| texts.iter().map(|text| ((*text).to_owned(), true)).collect::<Vec<_>>();
        assert_eq!(
            texts("block=8 arg1=5 arg3=6"),
            with(&["block=8,1,1 arg3=6", "block=8,1,1 arg1=5", "block=8,1,1"])
        );
        assert_eq!(texts("block=8 arg1=5"), with(&["block=8,1,1"]));
        assert_eq!(texts("arg1=5"), [("arg1=5".to_owned(), false)]);
        assert_eq!(texts("block=8"), [("block=8,1,1".to_owned(), false)]);
        let last = ("arg1=5 arg2=6".to_owned(), false);
        assert_eq!(texts("arg1=5 arg2=6"), [with(&["arg2=6", "arg1=5"]), vec![last]].concat());
    }
}
